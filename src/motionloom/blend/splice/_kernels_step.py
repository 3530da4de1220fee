"""Compiled step of splicing at run time (HECK 4.3): many characters, constant work for each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.blend.splice._kernels import best_rotation_in, horn_space, line_frame
from motionloom.blend.splice._kernels_tremor import steadied_turn
from motionloom.core._jit import kernel
from motionloom.kinematics._kernels_resample import bezier, slerp
from motionloom.kinematics.feet._kernels_two_bone import inverse, multiply, normalize, rotate

RATE_SCALE = 0.15  # s: a difference in the rate of the swing counts as the distance that it makes in this time
PREDICTION = 0.15  # m: cost of half a cycle between the predicted and the matched phase
FOLLOW = 0.12  # s: time in which a difference between both is made up
MAX_RATE = 3.0  # cycles per second
MAX_PHASE_STEP = 0.1  # cycles: a given phase that is farther from the predicted one has jumped


@kernel
def _quaternion(row: Any) -> Any:
    return (row[0], row[1], row[2], row[3])


@kernel
def sample_row(turns: Any, ahead: Any, behind: Any, first: int, last: int, frame: float, out: Any) -> None:
    """Rotations `out` (U, 4) at a fractional frame of the rows `first` to `last`: the C1 curve of `analysis.at_times`.

    `ahead` and `behind` (T, U, 4) are its control points after and before each row.
    """
    at = min(max(frame, 0.0), float(last - first))
    i = min(int(at), max(last - first - 1, 0))
    t = at - i
    a, b = first + i, min(first + i + 1, last)
    for u in range(turns.shape[1]):
        value = _quaternion(turns[a, u])
        if t >= 1e-9 and a != b:
            c, d = _quaternion(ahead[a, u]), _quaternion(behind[b, u])
            value = bezier(value, c, d, _quaternion(turns[b, u]), t)
        for k in range(4):
            out[u, k] = value[k]


@kernel
def _trunk(body: Any, turns: Any, places: Any, world: Any) -> None:
    """World rotations and places, relative to the root, of the joints that the lower body needs."""
    parents, offsets, trunk = body[0], body[1], body[2]
    for j in trunk:
        if j == 0:
            places[0, 0] = places[0, 1] = places[0, 2] = 0.0
            for k in range(4):
                world[0, k] = turns[0, k]
            continue
        p = parents[j]
        above = _quaternion(world[p])
        line = rotate(above, (offsets[j, 0], offsets[j, 1], offsets[j, 2]))
        turn = multiply(above, _quaternion(turns[j]))
        for k in range(3):
            places[j, k] = places[p, k] + line[k]
        for k in range(4):
            world[j, k] = turn[k]


@kernel
def _chest(body: Any, turns: Any, slots: Any, places: Any, world: Any, own: bool) -> None:
    """Places of the upper body's joints in the frame of the attachment. With `own`, `turns` are those of all joints."""
    parents, offsets, joint, chest = body[0], body[1], body[3], body[4]
    places[joint, 0] = places[joint, 1] = places[joint, 2] = 0.0
    world[joint, 0], world[joint, 1], world[joint, 2], world[joint, 3] = 1.0, 0.0, 0.0, 0.0
    for j in chest:
        p = parents[j]
        above = _quaternion(world[p])
        line = rotate(above, (offsets[j, 0], offsets[j, 1], offsets[j, 2]))
        turn = multiply(above, _quaternion(turns[j] if own else turns[slots[j]]))
        for k in range(3):
            places[j, k] = places[p, k] + line[k]
        for k in range(4):
            world[j, k] = turn[k]


@kernel
def _matched_phase(swing: Any, last: Any, reference: Any, phase: float, rate: float, seen: bool, dt: float) -> Any:
    """The phase (cycles) of the reference whose swing fits best, near to the predicted one; and the rate."""
    count = reference.shape[0]
    predicted = phase + rate * dt
    speed = (0.0, 0.0)
    if seen:
        speed = ((swing[0] - last[0]) / dt * RATE_SCALE, (swing[1] - last[1]) / dt * RATE_SCALE)
    best, least = 0.0, np.inf
    for k in range(count):
        off = k / count - predicted
        off -= math.floor(off + 0.5)
        cost = (swing[0] - reference[k, 0]) ** 2 + (swing[1] - reference[k, 1]) ** 2
        if seen:
            cost += (speed[0] - reference[k, 2]) ** 2 + (speed[1] - reference[k, 3]) ** 2
            cost += (2.0 * PREDICTION * off) ** 2
        if cost < least:
            least, best = cost, off
    if not seen:
        return predicted + best, rate
    follow = 1.0 - math.exp(-dt / FOLLOW)
    rate = min(max(rate + 0.5 * follow * follow * best / dt, 0.0), MAX_RATE)
    return predicted + follow * best, rate


@kernel
def _followed_phase(given: float, phase: float, rate: float, seen: bool, dt: float) -> Any:
    """The phase (cycles, not wrapped) for one that is given between 0 and 1; and the rate.

    It is the given one, but where that jumps, as from one node of a graph to the next, the difference is made up.
    """
    predicted = phase + rate * dt
    off = given - predicted
    off -= math.floor(off + 0.5)
    if not seen:
        return predicted + off, rate
    follow = 1.0 - math.exp(-dt / FOLLOW)
    now = predicted + (off if abs(off) <= MAX_PHASE_STEP else follow * off)
    return now, min(max(rate + follow * ((now - phase) / dt - rate), 0.0), MAX_RATE)


@kernel
def _action_frame(times: Any, start: int, count: int, cycles: float, cyclic: bool, phase: float, loop: float) -> float:
    """Seconds of an action at a phase: `times` holds them at `count` + 1 even steps of its cycles."""
    share = phase / cycles
    share = share - math.floor(share) if cyclic else min(max(share, 0.0), 1.0)
    at = share * count
    near = math.floor(at + 0.5)
    if abs(at - near) < 1e-9:
        at = float(near)
    k = min(int(at), count - 1)
    a, b = times[start + k], times[start + k + 1]
    seconds = a + (at - k) * (b - a)
    return seconds - math.floor(seconds / loop) * loop if cyclic else seconds


@kernel
def splice_step(
    body: Any,
    table: Any,
    overlay: Any,
    given_phase: Any,
    turns: Any,
    action: Any,
    fade: Any,
    phase: Any,
    rate: Any,
    swing: Any,
    seen: Any,
    means: Any,
    tracks: Any,
    fade_time: float,
    memory: float,
    begin: float,
    dt: float,
) -> None:
    """One step of N characters: rotations `turns` (N, J, 4) and the state arrays are overwritten.

    Each action's upper joints are sampled at the phase of the legs, turned at the attachment onto the cloud of the
    pose below (HECK 4.2.3), and their posture is set back by the mean of the spliced posture (4.3). From one action to
    the next, or to none, rotations are blended by smootherstep over `fade_time`. `begin` is the phase of the reference
    at which given phases are 0. Tremor of the pose below is left out (`tracks` (N, 2, TRACK_SIZE), of its chest and
    of its hips), if the table has the `shape` of a chest. With `dt` = 0 no state changes. About 6 us for a character.
    """
    _, _, _, joint, _, joints, slots, cloud, posture, line, shins, above = body
    rows, ahead, behind, starts, ends, fps, times, time_starts, time_counts, cycles, cyclic, loops = table[:12]
    wanted, begin_means, steady, shape, reference = table[12:]
    count, size = turns.shape[0], turns.shape[1]
    upper = joints.shape[0]
    places, world = np.empty((size, 3)), np.empty((size, 4))
    targets = np.empty((2, upper, 4))
    own, points = np.empty((cloud.shape[0], 3)), np.empty((cloud.shape[0], 3))
    horn, work = np.empty(4), horn_space()
    for n in range(count):
        pose = turns[n]
        _trunk(body, pose, places, world)
        left, right = line[0], line[1]
        hips = (
            places[left, 0] - places[right, 0],
            places[left, 1] - places[right, 1],
            places[left, 2] - places[right, 2],
        )
        frame = line_frame(hips)
        parent = _quaternion(world[above])
        knees = (
            places[shins[0], 0] - places[shins[1], 0],
            places[shins[0], 1] - places[shins[1], 1],
            places[shins[0], 2] - places[shins[1], 2],
        )
        flat = max(math.sqrt(hips[0] ** 2 + hips[2] ** 2), 1e-9)
        now = ((-hips[2] * knees[0] + hips[0] * knees[2]) / flat, knees[1])
        asked = overlay[n if overlay.shape[0] > 1 else 0]
        if dt > 0.0:
            if math.isnan(given_phase[n]):
                found = _matched_phase(now, swing[n], reference, phase[n], rate[n], seen[n] > 0, dt)
                phase[n], rate[n] = found
            elif cyclic[0] == 0:
                phase[n] = given_phase[n]
            else:
                phase[n], rate[n] = _followed_phase(given_phase[n] + begin, phase[n], rate[n], seen[n] > 0, dt)
            swing[n, 0], swing[n, 1] = now
            if not seen[n]:
                action[n, 0] = action[n, 1] = asked
                fade[n] = 1.0
                if asked >= 0:
                    means[n, 1] = begin_means[asked]
            elif fade[n] >= 1.0 and asked != action[n, 1]:
                action[n, 0], action[n, 1] = action[n, 1], asked
                means[n, 0] = means[n, 1]
                if asked >= 0:
                    means[n, 1] = begin_means[asked]
                fade[n] = 0.0
            fade[n] = min(1.0, fade[n] + dt / fade_time)
            seen[n] = 1
        if action[n, 1] < 0 and (fade[n] >= 1.0 or action[n, 0] < 0):
            tracks[n, :, 7] = -1.0
            continue
        _chest(body, pose, slots, places, world, True)
        for k in range(cloud.shape[0]):
            for i in range(3):
                own[k, i] = places[cloud[k], i]
        calm = (1.0, 0.0, 0.0, 0.0)
        if shape.shape[0]:
            best_rotation_in(shape, own, horn, work)
            chest = multiply(multiply(parent, _quaternion(pose[joint])), _quaternion(horn))
            calm = multiply(steadied_turn(chest, tracks[n, 0], dt), inverse(chest))
            frame = steadied_turn(frame, tracks[n, 1], dt)
        to_frame = multiply(inverse(frame), parent)
        for slot in range(2):
            a = action[n, slot]
            if slot == 0 and fade[n] >= 1.0:
                continue
            target = targets[slot]
            if a < 0:
                for u in range(upper):
                    for k in range(4):
                        target[u, k] = pose[joints[u], k]
                continue
            seconds = _action_frame(times, time_starts[a], time_counts[a], cycles[a], cyclic[a] > 0, phase[n], loops[a])
            sample_row(rows, ahead, behind, starts[a], ends[a], seconds * fps[a], target)
            _chest(body, target, slots, places, world, False)
            for k in range(cloud.shape[0]):
                for i in range(3):
                    points[k, i] = places[cloud[k], i]
            best_rotation_in(points, own, horn, work)
            local = multiply(_quaternion(pose[joint]), _quaternion(horn))
            if tracks[n, 0, 7] > 0.0:
                local = multiply(inverse(parent), multiply(calm, multiply(parent, local)))
            turn = multiply(to_frame, local)
            mean = means[n, slot]
            if dt > 0.0 and memory < 1e9:
                share = 1.0 - math.exp(-dt / memory)
                for k in range(posture.shape[0]):
                    j = posture[k]
                    v = rotate(turn, (places[j, 0], places[j, 1], places[j, 2]))
                    for i in range(3):
                        mean[k, i] += share * (v[i] - mean[k, i])
            best_rotation_in(mean, wanted[a], horn, work)
            final = normalize(multiply(inverse(to_frame), multiply(_quaternion(horn), turn)))
            if steady.shape[0]:
                at = min(max(phase[n], 0.0), 1.0) * (steady.shape[0] - 1)
                k = min(int(at), steady.shape[0] - 2)
                change = slerp(_quaternion(steady[k]), _quaternion(steady[k + 1]), at - k)
                final = normalize(multiply(final, change))
            for k in range(4):
                target[0, k] = final[k]
        t = fade[n]
        weight = t * t * t * (10.0 + t * (6.0 * t - 15.0))
        for u in range(upper):
            value = _quaternion(targets[1, u])
            if t < 1.0:
                value = slerp(_quaternion(targets[0, u]), value, weight)
            for k in range(4):
                pose[joints[u], k] = value[k]
