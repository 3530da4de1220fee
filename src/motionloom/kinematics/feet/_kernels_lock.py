"""The compiled step of the causal foot lock: plain arrays in and out, no checks (`live_lock.lock_feet` made them)."""

from __future__ import annotations

import math
from typing import Any

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import smoothstep
from motionloom.kinematics.feet._kernels_two_bone import (
    add,
    between,
    cross,
    dot,
    exp,
    inverse,
    log,
    minus,
    multiply,
    norm,
    normalize,
    rotate,
    scaled,
    two_bone,
)

FREE, LOCKED, GIVEN_UP = 0, 1, 2  # state of a foot part; GIVEN_UP until its contact ends
HEEL, TOE = 3, 4  # columns of `legs`, after thigh, shin and ankle: indices of parts, -1 for none

# all in leg lengths: how much less than its length a planted leg may reach, or a lock is given up
SOFT = 0.005
SLACK = 0.004  # a leg that is straighter than that in the given pose may reach so much farther than there,
STRAIGHTEST = 0.0003  # but always so much less than its length: then its knee is bent by 3 degrees
FARTHEST = 0.2  # an ankle is moved no farther
LANDING = 0.1  # m/s: a part that comes down faster than this is not locked yet
LIFTED = 0.015  # m: a part that the given pose has so much above its lock is let go, also if its contact lasts
HEEL_LIFTED = 0.015  # m: the same for a heel beside a locked toe; from 0 to here its foot rolls more and more freely
STRAIGHTER = math.radians(2.0)  # a foot that stands flat rolls before its knee is straighter than given by more
ROLL_HALF_LIFE = 0.02  # s: while a foot rolls, the gap between its knee and the given one is halved this often
MAX_ROLL = 0.5  # rad
MAX_TURN = 0.4  # rad: a foot that would turn farther from the given one is let go (locked captures stay below 0.38)
ROLLING = 0.05  # rad: from here on a foot does not yield in height
MAX_HEIGHT_YIELD = 0.005  # m: a planted foot yields in height to hips that tremble, by so much,
JUMP = 0.02  # m: less where its correction changes by more, and not at all from here on: that is motion
MAX_CORRECTION_ACCELERATION = 3.0  # m/s^2: it yields so that its correction accelerates no more than this
MAX_RELEASE_SPEED = 0.5  # m/s: a correction fades from the velocity that it has, but from no more than this
MAX_RELEASE_SPIN = 3.0  # rad/s: the same for the turn of a foot
SETTLING_HALF_LIFE = 0.05  # s: the locks of a foot that stands on its heel sink with it where the given one still does
LOWEST = 0.01  # m: a roll brings the ankle no farther below the given one


@kernel
def _row(values: Any) -> Any:
    return (values[0], values[1], values[2])


@kernel
def _store(into: Any, values: Any) -> None:
    for i in range(len(values)):
        into[i] = values[i]


@kernel
def _reach(given: Any, full: Any, soft: Any) -> Any:
    """How far a leg of length `full`, which reaches `given` now, may be asked to reach."""
    return max((1.0 - soft) * full, min(given + SLACK * full, (1.0 - STRAIGHTEST) * full))


@kernel
def _longest(given: Any, full: Any) -> Any:
    """The farthest that a foot may roll its ankle away from the hip: within reach, also after rounding."""
    return _reach(given, full, SOFT) - 1e-6 * full


@kernel
def _at_most(value: Any, most: Any) -> Any:
    """The vector, shortened to a length of `most` where it is longer."""
    return scaled(value, min(1.0, most / max(norm(value), 1e-9)))


@kernel
def _decayed(value: Any, rate: Any, y: Any, dt: Any) -> Any:
    """A critically damped spring to zero after `dt` seconds: (x + (v + y x) t) e^(-y t), and its rate."""
    gone = math.exp(-y * dt)
    push = add(rate, scaled(value, y))
    return scaled(add(value, scaled(push, dt)), gone), scaled(minus(rate, scaled(push, y * dt)), gone)


@kernel
def _forward(joints: Any, parents: Any, bones: Any, root: Any, rotations: Any, places: Any, turns: Any) -> None:
    """World places and turns of the joints that feet hang on."""
    _store(places[0], _row(root))
    for k in range(4):
        turns[0, k] = rotations[0, k]
    for j in joints:
        if j == 0:
            continue
        p = parents[j]
        above = (turns[p, 0], turns[p, 1], turns[p, 2], turns[p, 3])
        own = (rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3])
        _store(places[j], add(_row(places[p]), rotate(above, _row(bones[j]))))
        _store(turns[j], multiply(above, own))


@kernel
def _arm(part: Any, ankle: Any, parts: Any, tips: Any, places: Any, turns: Any) -> Any:
    """From the ankle to a foot part."""
    j = parts[part]
    turn = (turns[j, 0], turns[j, 1], turns[j, 2], turns[j, 3])
    return minus(add(_row(places[j]), rotate(turn, _row(tips[part]))), ankle)


@kernel
def _within(leg: Any, places: Any, shift: Any, turn: Any, soft: Any) -> Any:
    """Can the leg bring its ankle to where it is plus `shift` without being stretched, and is its foot still near?"""
    hip, knee, ankle = _row(places[leg[0]]), _row(places[leg[1]]), _row(places[leg[2]])
    full = norm(minus(knee, hip)) + norm(minus(ankle, knee))
    line = minus(ankle, hip)
    far = norm(add(line, shift))
    near = norm(shift) <= FARTHEST * full and norm(log(turn)) <= MAX_TURN
    return near and far <= _reach(norm(line), full, soft)


@kernel
def _rolled(leg: Any, places: Any, pin: Any, arm: Any, turn: Any, before: Any, keep: Any) -> Any:
    """The turn of a foot that rolls over its locked toe: its knee bends as given, but for `keep` of the last gap.

    u leads from the lock to the ankle, w to the hip: the ankle is r from the hip if the angle between them is
    acos((|w|^2 + |u|^2 - r^2) / (2 |w| |u|)). With the given distance l of ankle and hip, and l' after the shift
    `before` of the last frame, r = l + keep (l' - l): what changes in the given leg changes in this one, too.
    """
    hip, knee, ankle = _row(places[leg[0]]), _row(places[leg[1]]), _row(places[leg[2]])
    line = minus(ankle, hip)
    given = norm(line)
    full = norm(minus(knee, hip)) + norm(minus(ankle, knee))
    r = min(given + keep * (norm(add(line, before)) - given), _longest(given, full))
    u, w = scaled(rotate(turn, arm), -1.0), minus(hip, pin)
    lengths = norm(u) * norm(w)
    axis = cross(u, w)
    sine = norm(axis)
    if sine < 1e-9:
        return turn
    cosine = min(1.0, max(-1.0, (dot(w, w) + dot(u, u) - r * r) / (2.0 * lengths)))
    angle = min(MAX_ROLL, max(-MAX_ROLL, math.atan2(sine, dot(u, w)) - math.acos(cosine)))
    drop = u[1] - rotate(exp(scaled(axis, angle / sine)), u)[1]
    room = max(0.0, pin[1] + u[1] - ankle[1] + LOWEST)
    if drop > room:
        angle *= room / drop
    return multiply(exp(scaled(axis, angle / sine)), turn)


@kernel
def _heel_raised(leg: Any, places: Any, pins: Any, toe_arm: Any, flat: Any, lift: Any) -> Any:
    """The turn of a foot whose heel rises above its lock while the toe stays: `flat` while the knee bends as given.

    Flat, the leg would be e longer than the given length l. It may be longer by E, with which its knee is
    STRAIGHTER than given (less where the given heel has a `lift` already), so the foot turns about the horizontal
    axis across it until the ankle is r = l + E tanh(e / E) from the hip. u leads from the toe's lock to the ankle,
    w to the hip, and w . (u turned by x about n) = A cos x + B sin x + C must be (|w|^2 + |u|^2 - r^2) / 2.
    """
    hip, knee, ankle, pin = _row(places[leg[0]]), _row(places[leg[1]]), _row(places[leg[2]]), _row(pins[leg[TOE]])
    a, b, given = norm(minus(knee, hip)), norm(minus(ankle, knee)), norm(minus(ankle, hip))
    u, w = scaled(rotate(flat, toe_arm), -1.0), minus(hip, pin)
    longer = norm(minus(w, u)) - given
    back = minus(_row(pins[leg[HEEL]]), pin)
    across = cross((back[0], 0.0, back[2]), (0.0, 1.0, 0.0))
    if longer <= 0.0 or norm(across) < 1e-6:
        return flat, 0.0
    n = scaled(across, 1.0 / norm(across))
    flexion = math.acos(min(1.0, max(-1.0, (given * given - a * a - b * b) / (2.0 * a * b))))
    straighter = max(0.0, flexion - STRAIGHTER * (1.0 - smoothstep(lift / (2.0 * HEEL_LIFTED))))
    more = max(1e-6, math.sqrt(a * a + b * b + 2.0 * a * b * math.cos(straighter)) - given)
    r = min(given + more * math.tanh(longer / more), _longest(given, a + b))
    c = dot(w, n) * dot(u, n)
    cosine, sine = dot(w, u) - c, dot(w, cross(n, u))
    share = (0.5 * (dot(w, w) + dot(u, u) - r * r) - c) / max(1e-9, math.hypot(cosine, sine))
    angle = min(MAX_ROLL, max(0.0, math.atan2(sine, cosine) - math.acos(min(1.0, max(-1.0, share)))))
    return multiply(exp(scaled(n, angle)), flat), angle


@kernel
def _held(leg: Any, arms: Any, places: Any, status: Any, pins: Any, turn: Any, before: Any, keep: Any) -> Any:
    """Whether locks hold this foot, the shift and turn that they need, the roll; a lock out of reach is given up.

    Where heel and toe are locked both, the turn takes the line between them to that of their locks, and the heel
    rises above its own before the knee is much straighter than given. With the toe alone the foot rolls so that the
    knee bends as in the given pose.
    """
    heel, toe, ankle = leg[HEEL], leg[TOE], _row(places[leg[2]])
    on_heel, on_toe = heel >= 0 and status[heel] == LOCKED, toe >= 0 and status[toe] == LOCKED
    if on_heel and on_toe:
        line, now = minus(_row(pins[toe]), _row(pins[heel])), rotate(turn, minus(arms[1], arms[0]))
        flat = turn
        if dot(line, line) > 1e-12 and dot(now, now) > 1e-12:
            flat = multiply(between(now, line), turn)
        lift = ankle[1] + arms[0][1] - pins[heel, 1]
        flat, roll = _heel_raised(leg, places, pins, arms[1], flat, lift)
        shift = minus(minus(_row(pins[toe]), rotate(flat, arms[1])), ankle)
        if _within(leg, places, shift, flat, SOFT):
            return True, shift, flat, roll
        status[heel] = GIVEN_UP
    if on_toe or on_heel:
        part = toe if on_toe else heel
        if on_toe:
            turn = _rolled(leg, places, _row(pins[toe]), arms[1], turn, before, keep)
        shift = minus(minus(_row(pins[part]), rotate(turn, arms[1] if on_toe else arms[0])), ankle)
        if not on_toe:  # a heel alone rises with the given one, which does not stretch the leg
            lift = max(0.0, ankle[1] + arms[0][1] - pins[heel, 1])
            shift = (shift[0], shift[1] + lift * smoothstep(lift / LIFTED), shift[2])
        if _within(leg, places, shift, turn, SOFT):
            return True, shift, turn, 0.0
        status[part] = GIVEN_UP
    return False, (0.0, 0.0, 0.0), turn, 0.0


@kernel
def _as_long(leg: Any, places: Any, shift: Any, before: Any, keep: Any) -> Any:
    """The shift of a released foot, so that its leg is no longer than given, but for `keep` of the last gap.

    Nor is it shorter by less than SLACK: a straight knee that gets shorter by half a millimetre bends by 4 degrees.
    """
    hip, knee, ankle = _row(places[leg[0]]), _row(places[leg[1]]), _row(places[leg[2]])
    line = minus(ankle, hip)
    aim, given = add(line, shift), norm(line)
    far, slack = norm(aim), SLACK * (norm(minus(knee, hip)) + norm(minus(ankle, knee)))
    shorter = max(0.0, given - far)
    goal = given - shorter * smoothstep(shorter / slack) if shorter > 0.0 else far
    goal = min(goal, given + keep * max(0.0, norm(add(line, before)) - given))
    return shift if goal == far else minus(scaled(aim, goal / far), line)


@kernel
def _yielding(before: Any, rate: Any, wanted: Any, roll: Any, dt: Any) -> Any:
    """The height of a correction near the `wanted` one that continues from `before` at its `rate` steadily.

    Hips of captures tremble by millimetres. With the foot held exactly, all of that would bend the knee; a captured
    foot trembles with the hips. A foot that rolls does not need to.
    """
    steady = before + rate * dt
    steady += min(max(wanted - steady, -MAX_CORRECTION_ACCELERATION * dt * dt), MAX_CORRECTION_ACCELERATION * dt * dt)
    give = MAX_HEIGHT_YIELD * max(0.0, 1.0 - abs(wanted - before) / JUMP) * (1.0 - smoothstep(roll / ROLLING))
    return min(max(steady, wanted - give), wanted + give)


@kernel
def _follow(leg: Any, parts: Any, tips: Any, places: Any, turns: Any, touch: Any, y: Any, dt: Any, to: Any) -> None:
    """Advance the locks of one foot; `to` is its (state of parts, places of locks, offsets), changed in place."""
    status, pins, offsets = to
    ankle = _row(places[leg[2]])
    arms = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))  # from the ankle to heel and toe
    locked = False
    sink = 1.0 - math.exp(-math.log(2.0) * dt / SETTLING_HALF_LIFE)
    for side in range(2):
        part = leg[HEEL + side]
        if part < 0:
            continue
        arm = _arm(part, ankle, parts, tips, places, turns)
        arms = (arm, arms[1]) if side == 0 else (arms[0], arm)
        if not touch[part]:
            status[part] = FREE
        elif status[part] == LOCKED:
            locked = True
            if leg[HEEL] >= 0 and status[leg[HEEL]] == LOCKED:
                pins[part, 1] -= sink * max(0.0, pins[part, 1] - ankle[1] - arm[1])
            limit = HEEL_LIFTED if side == 0 and leg[TOE] >= 0 and status[leg[TOE]] == LOCKED else LIFTED
            if ankle[1] + arm[1] - pins[part, 1] > limit:
                status[part] = GIVEN_UP
    before, turn_before = _row(offsets[0]), _row(offsets[2])
    shift, rate = _decayed(before, _at_most(_row(offsets[1]), MAX_RELEASE_SPEED), y, dt)
    vector, spin = _decayed(turn_before, _at_most(_row(offsets[3]), MAX_RELEASE_SPIN), y, dt)
    keep = math.exp(-math.log(2.0) * dt / ROLL_HALF_LIFE)
    held, wanted, turn, roll = _held(leg, arms, places, status, pins, exp(vector), before, keep)
    if held:
        shift, vector = wanted, log(turn)
        if locked and leg[HEEL] >= 0 and status[leg[HEEL]] == LOCKED:
            shift = (wanted[0], _yielding(before[1], offsets[1, 1], wanted[1], roll, dt), wanted[2])
        rate, spin = scaled(minus(shift, before), 1.0 / dt), scaled(minus(vector, turn_before), 1.0 / dt)
    elif locked:  # given up: the foot moves on with the given one at once, or the leg would be stretched more
        shift, rate = _decayed(before, (0.0, 0.0, 0.0), y, dt)
    if not held:
        shift = _as_long(leg, places, shift, before, keep)
    for side in range(2):
        part = leg[HEEL + side]
        if part >= 0 and status[part] != LOCKED:
            here = add(add(ankle, shift), rotate(turn, arms[side]))
            leaving = side == 0 and leg[TOE] >= 0 and status[leg[TOE]] == GIVEN_UP  # a heel that rises does not land
            landed = pins[part, 1] - here[1] <= LANDING * dt
            if touch[part] and status[part] == FREE and landed and not leaving:
                status[part] = LOCKED
            _store(pins[part], here)
    _store(offsets[0], shift)
    _store(offsets[1], rate)
    _store(offsets[2], vector)
    _store(offsets[3], spin)


@kernel
def _bend(leg: Any, fold: Any, parents: Any, places: Any, turns: Any, offsets: Any, rotations: Any) -> None:
    """Bend one leg so that its ankle is shifted and its foot turned by `offsets`; exactly nothing where these are 0."""
    shift, vector = _row(offsets[0]), _row(offsets[2])
    if shift == (0.0, 0.0, 0.0) and vector == (0.0, 0.0, 0.0):
        return
    thigh, shin, foot = leg[0], leg[1], leg[2]
    hip, knee, ankle = _row(places[thigh]), _row(places[shin]), _row(places[foot])
    full = norm(minus(knee, hip)) + norm(minus(ankle, knee))
    line = minus(ankle, hip)
    aim = add(line, shift)
    far, start = norm(aim), _reach(norm(line), full, SOFT)
    if far > start:
        room = (1.0 - 0.5 * STRAIGHTEST) * full - start
        aim = scaled(aim, (start + room * -math.expm1((start - far) / room)) / far)
    world = (turns[0, 0], turns[0, 1], turns[0, 2], turns[0, 3])
    upper, lower = two_bone(hip, knee, ankle, add(hip, aim), rotate(world, _row(fold)))
    old = (turns[thigh, 0], turns[thigh, 1], turns[thigh, 2], turns[thigh, 3])
    p = parents[thigh]
    new = multiply(upper, old)
    if p >= 0:
        new = multiply(inverse((turns[p, 0], turns[p, 1], turns[p, 2], turns[p, 3])), new)
    _store(rotations[thigh], normalize(new))
    p = parents[shin]
    above = multiply(upper, (turns[p, 0], turns[p, 1], turns[p, 2], turns[p, 3]))
    new = multiply(lower, (turns[shin, 0], turns[shin, 1], turns[shin, 2], turns[shin, 3]))
    _store(rotations[shin], normalize(multiply(inverse(above), new)))
    p = parents[foot]
    above = multiply(lower, (turns[p, 0], turns[p, 1], turns[p, 2], turns[p, 3]))
    new = multiply(exp(vector), (turns[foot, 0], turns[foot, 1], turns[foot, 2], turns[foot, 3]))
    _store(rotations[foot], normalize(multiply(inverse(above), new)))


@kernel(counted=False)
def lock_step(
    body: Any, status: Any, pins: Any, offsets: Any, root: Any, rotations: Any, contacts: Any, y: Any, dt: Any,
    places: Any, turns: Any,
) -> None:  # fmt: skip
    """One step of N characters, one after the other; `status`, `pins`, `offsets` and `rotations` change in place.

    `body` is (joints, parents, bones, legs, fold, parts, tips), see `lock.FootLock`. For each character: forward
    kinematics of the joints that feet hang on, then for each foot `_follow` (unless dt is 0) and `_bend`. No row
    reads another one, so a row is the same alone and in any batch. `places` (J, 3) and `turns` (J, 4) are room for it.
    """
    joints, parents, bones, legs, fold, parts, tips = body
    for n in range(len(root)):
        _forward(joints, parents, bones, root[n], rotations[n], places, turns)
        for k in range(len(legs)):
            if dt > 0.0:
                to = (status[n], pins[n], offsets[n, k])
                _follow(legs[k], parts, tips, places, turns, contacts[n], y, dt, to)
            _bend(legs[k], fold[k], parents, places, turns, offsets[n, k], rotations[n])
