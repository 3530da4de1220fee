"""Limbs put where they should be (LAU eq 7), compiled: plain arrays, no checks. `body` is a `VariationBody`.

With q the limb's degrees of freedom, q_mean what the model predicts, q1 and q2 the two frames before and p(q) the place
of the limb's end, eq 7 is

    min w1 |q - q_mean|^2 + w2 |q - 2 q1 + q2|^2   subject to   p(q) = target,

which is the q nearest to goal = (w1 q_mean + w2 (2 q1 - q2)) / (w1 + w2) with p(q) = target. Sequential quadratic
programming: with J = dp/dq, the next q is goal + J' (J J')^-1 (target - p(q) - J (goal - q)).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import smoothstep
from motionloom.kinematics.feet._kernels_two_bone import add, cross, exp, minus, multiply, rotate

MEAN, SMOOTH = 1.0, 5.0  # w1, w2
ITERATIONS = 30
CLOSE = 1e-9  # m, rad
LONGEST = 0.4  # rad in one iteration
STRETCH = 0.02  # of the length of a leg: what is left when a foot that stands begins to slide after the hips


@kernel
def place_root(body: Any, values: Any, track: Any) -> Any:
    """World position and rotation of the hips, given their degrees of freedom and x, z, heading."""
    tilt_x = values[body.root[4]] if body.root[4] >= 0 else body.root_still[4]
    tilt_y = values[body.root[5]] if body.root[5] >= 0 else body.root_still[5]
    tilt_z = values[body.root[6]] if body.root[6] >= 0 else body.root_still[6]
    height = values[body.root[3]] if body.root[3] >= 0 else body.root_still[3]
    yaw = (math.cos(0.5 * track[2]), 0.0, math.sin(0.5 * track[2]), 0.0)
    hips = (body.hips[0], body.hips[1], body.hips[2], body.hips[3])
    turn = multiply(multiply(yaw, exp((tilt_x, tilt_y, tilt_z))), hips)
    return (track[0], height, track[1]), turn


@kernel
def forward(body: Any, limb: int, values: Any, root: Any, turn: Any, places: Any, turns: Any) -> Any:
    """The place of a limb's end; places (C, 3) and rotations (C, 4) of the joints of its chain are filled in."""
    p, q = root, turn
    for k in range(body.chains.shape[1]):
        j = body.chains[limb, k]
        if j < 0:
            break
        o = body.offsets[j]
        slid = (
            o[0] + (values[body.slides[j, 0]] if body.slides[j, 0] >= 0 else 0.0),
            o[1] + (values[body.slides[j, 1]] if body.slides[j, 1] >= 0 else 0.0),
            o[2] + (values[body.slides[j, 2]] if body.slides[j, 2] >= 0 else 0.0),
        )
        p = add(p, rotate(q, slid))
        v = turn_vector(body, j, values)
        c = body.centre[j]
        q = multiply(multiply(q, (c[0], c[1], c[2], c[3])), exp(v))
        for i in range(3):
            places[k, i] = p[i]
        for i in range(4):
            turns[k, i] = q[i]
    tip = body.tips[limb]
    return add(p, rotate(q, (tip[0], tip[1], tip[2])))


@kernel
def turn_vector(body: Any, j: int, values: Any) -> Any:
    """The rotation vector of a joint relative to its centre, from its principal axes."""
    x, y, z = 0.0, 0.0, 0.0
    for a in range(3):
        column = body.columns[j, a]
        v = values[column] if column >= 0 else body.still[j, a]
        x += v * body.axes[j, a, 0]
        y += v * body.axes[j, a, 1]
        z += v * body.axes[j, a, 2]
    return (x, y, z)


@kernel
def _jacobian(body: Any, limb: int, values: Any, end: Any, places: Any, turns: Any, out: Any) -> int:
    """out (3, N): how the limb's end moves with each of its free columns; returns how many there are.

    A change dv of a rotation vector v turns a joint by the right Jacobian of SO(3) times dv, in the joint's own frame.
    """
    count = 0
    for n in range(body.free.shape[1]):
        if body.free[limb, n] < 0:
            break
        k, a = body.free_joints[limb, n], body.free_axes[limb, n]
        j = body.chains[limb, k]
        v = turn_vector(body, j, values)
        dv = (body.axes[j, a, 0], body.axes[j, a, 1], body.axes[j, a, 2])
        angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        if angle < 1e-6:
            b, c = 0.5, 1.0 / 6.0
        else:
            b, c = (1.0 - math.cos(angle)) / angle**2, (angle - math.sin(angle)) / angle**3
        one = cross(v, dv)
        two = cross(v, one)
        local = (dv[0] - b * one[0] + c * two[0], dv[1] - b * one[1] + c * two[1], dv[2] - b * one[2] + c * two[2])
        q = (turns[k, 0], turns[k, 1], turns[k, 2], turns[k, 3])
        arm = minus(end, (places[k, 0], places[k, 1], places[k, 2]))
        moved = cross(rotate(q, local), arm)
        for i in range(3):
            out[i, n] = moved[i]
        count += 1
    return count


@kernel
def reach(
    body: Any, limb: int, values: Any, goal: Any, root: Any, turn: Any, target: Any, limited: bool, room: Any
) -> float:
    """Change the limb's columns of `values` (D,) to those nearest to `goal` (D,) whose end is at `target` (eq 7).

    Returns how far the end is from it, m; a target out of reach is approached as far as the limb goes. `limited` keeps
    columns within `body.low` and `body.high`: a knee that is nearly straight could else fold to its other side. `room`
    holds space: places (C, 3), turns (C, 4), Jacobian (3, N), changes (N,).
    """
    places, turns, jacobian, changes = room
    damping = 1e-9
    if limited:
        for n in range(body.free.shape[1]):
            column = body.free[limb, n]
            if column >= 0:
                values[column] = min(max(values[column], body.low[column]), body.high[column])
    for _ in range(ITERATIONS):
        end = forward(body, limb, values, root, turn, places, turns)
        r = (target[0] - end[0], target[1] - end[1], target[2] - end[2])
        miss = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
        count = _jacobian(body, limb, values, end, places, turns, jacobian)
        if count == 0:
            return miss
        _step(body, limb, values, goal, r, jacobian, count, damping, limited, changes)
        largest = 0.0
        for n in range(count):
            largest = max(largest, abs(changes[n]))
        share = min(1.0, LONGEST / max(largest, 1e-12))
        for n in range(count):
            values[body.free[limb, n]] += share * changes[n]
        if largest < CLOSE and miss < CLOSE:
            return miss
        if share < 1.0:  # far, or out of reach: a damped step does not swing about
            damping = min(max(10.0 * damping, 1e-6), 1e-3)
        else:
            damping = max(0.1 * damping, 1e-12)
    end = forward(body, limb, values, root, turn, places, turns)
    return math.sqrt((target[0] - end[0]) ** 2 + (target[1] - end[1]) ** 2 + (target[2] - end[2]) ** 2)


@kernel
def _step(
    body: Any, limb: int, values: Any, goal: Any, r: Any, jacobian: Any, count: int, damping: float, limited: bool,
    changes: Any,
) -> None:  # fmt: skip
    """changes (N,) of one iteration. Columns that would leave their limits stop there, and the others make up."""
    held = np.zeros(count, np.bool_)
    while True:
        right, gram = np.empty(3), np.zeros((3, 3))
        for i in range(3):
            right[i] = r[i]
            for n in range(count):
                column = body.free[limb, n]
                right[i] -= jacobian[i, n] * (changes[n] if held[n] else goal[column] - values[column])
                if not held[n]:
                    for m in range(3):
                        gram[i, m] += jacobian[i, n] * jacobian[m, n]
        trace = gram[0, 0] + gram[1, 1] + gram[2, 2]
        for i in range(3):
            gram[i, i] += damping * trace + 1e-15
        force = _solve_3(gram, right)
        free = True
        for n in range(count):
            if held[n]:
                continue
            column = body.free[limb, n]
            changes[n] = goal[column] - values[column]
            for i in range(3):
                changes[n] += jacobian[i, n] * force[i]
            new = values[column] + changes[n]
            if limited and not body.low[column] <= new <= body.high[column]:
                changes[n] = min(max(new, body.low[column]), body.high[column]) - values[column]
                held[n] = True
                free = False
        if free:
            return


@kernel
def room_for(body: Any) -> Any:
    """Space for `reach`."""
    joints, free = body.chains.shape[1], body.free.shape[1]
    return np.empty((joints, 3)), np.empty((joints, 4)), np.empty((3, free)), np.empty(free)


@kernel
def _solve_3(a: Any, b: Any) -> Any:
    """The solution of a symmetric positive 3 x 3 system, by cofactors."""
    c00 = a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1]
    c01 = a[1, 2] * a[2, 0] - a[1, 0] * a[2, 2]
    c02 = a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0]
    det = a[0, 0] * c00 + a[0, 1] * c01 + a[0, 2] * c02
    inv = 1.0 / det
    c11 = a[0, 0] * a[2, 2] - a[0, 2] * a[2, 0]
    c12 = a[0, 1] * a[2, 0] - a[0, 0] * a[2, 1]
    c22 = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
    return (
        (c00 * b[0] + c01 * b[1] + c02 * b[2]) * inv,
        (c01 * b[0] + c11 * b[1] + c12 * b[2]) * inv,
        (c02 * b[0] + c12 * b[1] + c22 * b[2]) * inv,
    )


@kernel
def within_reach(hip: Any, longest: float, free: Any, target: Any) -> None:
    """Bring a target over the ground nearer to the hip, so that the leg is not longer than in any take.

    Its length comes to that limit without a jerk: a leg that is stretched suddenly moves its knee fastest. A leg that
    is as long anyway, to the foot's own place `free`, stays so: people stand with straight legs.
    """
    x, z, height = target[0] - hip[0], target[2] - hip[2], target[1] - hip[1]
    aside = math.sqrt(x * x + z * z)
    length = math.sqrt(aside * aside + height * height)
    own = math.sqrt((free[0] - hip[0]) ** 2 + (free[1] - hip[1]) ** 2 + (free[2] - hip[2]) ** 2)
    bent, longest = max((1.0 - STRETCH) * longest, own), max(longest, own)
    if length <= bent or aside < 1e-9:
        return
    room = longest - bent
    length = longest - room * math.exp((bent - length) / room) if room > 1e-9 else longest
    share = math.sqrt(max(length * length - height * height, 0.0)) / aside
    if share < 1.0:
        target[0], target[2] = hip[0] + share * x, hip[2] + share * z


@kernel
def _slowed(body: Any, limb: int, values: Any, mean: Any, shown: Any, most: float) -> bool:
    """Bring the limb's columns of `values` (D,) within `most` of `mean` + `shown`, and their limits; were they not?"""
    far = False
    for n in range(body.free.shape[1]):
        column = body.free[limb, n]
        if column >= 0:
            last = mean[column] + shown[column]
            far = far or abs(values[column] - last) > most
            slowed = min(max(values[column], last - most), last + most)
            values[column] = min(max(slowed, body.low[column]), body.high[column])
    return far


@kernel
def constrain(
    body: Any, f: int, track: Any, values: Any, mean: Any, before: Any, tasks: Any, room: Any, shown: Any, most: float,
    fed: bool,
) -> bool:  # fmt: skip
    """Put the limbs of frame f, `values` (D,), where `tasks` have them, one after the other; False if none is due.

    `mean` (D,) is what the model predicts, `before` (2, D) the frames f - 1 and f - 2. A limb comes to its target over
    the frames `ease` before the first: what it will be moved by then, `away`, is added to its path in `mean` little by
    little. If `mean` is predicted from corrected frames, `fed`, it comes nearer by a share of what is left. A target
    that is NaN is where the limb is at the first frame. A `level` task is about a foot whose places are known before it
    is held, `free` (F, P, 3): its height stays, and before it stands, what it will be moved by is added to its own
    path, little by little, so that it swings on as it did. What it is off by then, because it stood before, and how
    fast that changes, is where this begins. Its corrections differ by `most` from those `shown` (D,) in the frame
    before: a foot slips a little before a knee snaps straight.
    """
    due = False
    root, turn = place_root(body, values, track)
    goal, sample, own = np.empty(len(values)), np.empty(len(values)), np.empty(len(values))
    path, target = np.empty(3), np.empty(3)
    for n in range(len(tasks.limb)):
        late = f - (tasks.first[n] - tasks.ease[n])
        easing = late >= -1 and f < tasks.first[n]
        if easing:
            place = forward(body, tasks.limb[n], mean, root, turn, room[0], room[1])
            for i in range(3):
                path[i] = tasks.free[f, tasks.limb[n], i] if tasks.level[n] else place[i]
        if easing and late <= 0:
            end = forward(body, tasks.limb[n], values, root, turn, room[0], room[1])
            for i in range(3):
                off = end[i] - path[i]
                tasks.begun[n, 1, i] = off - tasks.begun[n, 0, i] if late == 0 and f > 0 else 0.0
                if late < 0:
                    tasks.begun[n, 0, i] = off
        if late < 0 or f >= tasks.last[n]:
            continue
        if not due:
            sample[:] = values
        for i in range(len(values)):
            goal[i] = sample[i]
            if f >= 2 and tasks.ahead[n]:
                goal[i] = (MEAN * mean[i] + SMOOTH * (2.0 * before[0, i] - before[1, i])) / (MEAN + SMOOTH)
        end = forward(body, tasks.limb[n], values, root, turn, room[0], room[1])
        if math.isnan(tasks.target[n, 0]):
            if f < tasks.first[n]:
                continue
            for i in range(3):
                tasks.target[n, i] = end[i]
        due = True
        t = min((late + 1.0) / (tasks.ease[n] + 1.0), 1.0)
        done = smoothstep(late / (tasks.ease[n] + 1.0)) if f <= tasks.first[n] else 0.0  # of it in the frames before
        share, rate = smoothstep(t), t * (1.0 - t) * (1.0 - t) * (tasks.ease[n] + 1.0)  # the cubic of Hermite
        for i in range(3):
            if easing and (tasks.level[n] or not fed):
                away = tasks.away[n, i]
                if tasks.level[n]:
                    away = tasks.target[n, i] - tasks.free[tasks.first[n], tasks.limb[n], i]
                target[i] = path[i] + share * away
                target[i] += (1.0 - share) * tasks.begun[n, 0, i] + rate * tasks.begun[n, 1, i]
            else:
                target[i] = end[i] + (share - done) / (1.0 - done) * (tasks.target[n, i] - end[i])
        if tasks.level[n]:
            target[1] = tasks.free[f, tasks.limb[n], 1]
            hip = room[0][body.tops[tasks.limb[n]]]
            within_reach(hip, tasks.longest[tasks.limb[n]], tasks.free[f, tasks.limb[n]], target)
        own[:] = values
        far = math.sqrt((end[0] - target[0]) ** 2 + (end[1] - target[1]) ** 2 + (end[2] - target[2]) ** 2)
        miss = reach(body, tasks.limb[n], values, goal, root, turn, target, True, room)
        if miss > max(far, CLOSE) and tasks.level[n]:  # better left as it is
            values[:] = own
            miss = far
        if tasks.level[n] and _slowed(body, tasks.limb[n], values, mean, shown, most):
            end = forward(body, tasks.limb[n], values, root, turn, room[0], room[1])
            miss = math.sqrt((end[0] - target[0]) ** 2 + (end[1] - target[1]) ** 2 + (end[2] - target[2]) ** 2)
        if miss > CLOSE and not tasks.level[n]:  # what is asked for may leave the observed range
            miss = reach(body, tasks.limb[n], values, goal, root, turn, target, False, room)
        if f >= tasks.first[n]:
            tasks.miss[n] = max(tasks.miss[n], miss)
    return due
