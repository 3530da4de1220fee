"""A cartwheel: hand, hand, foot, foot, the body turning like a wheel."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.rotation import about, multiply, rotate, slerp
from motionloom.samples.actions.turn import turn as turn_on_the_spot
from motionloom.samples.curves import FREE, ease, min_jerk, smooth_fit
from motionloom.samples.joining import joined
from motionloom.samples.legs import held_back, hips_ceiling, kept_below, leg_bones
from motionloom.samples.noise import Nature
from motionloom.samples.person import (
    ANKLE,
    FOREARM,
    HIPS,
    LEFT,
    RIGHT,
    SHIN,
    THIGH,
    UPPER_ARM,
    LimbRotations,
    Trunk,
    assemble,
)
from motionloom.samples.plants import FootMotion
from motionloom.samples.stage import finish, frame_times
from motionloom.samples.standing import hanging_arm, idle
from motionloom.samples.styles import GaitStyle, style_named
from motionloom.samples.upper import angled_arm, mixed_arm, posture, reaching_arm

PALM = 0.05  # m, height of the wrist joint above a flat hand
TORSO = 0.459  # m, hips to the line of the shoulders


@dataclass(frozen=True)
class Wheel:
    """The plan: times (s) and places along the line (m, to the performer's left)."""

    step: float  # left foot is set down at
    kick: float  # right foot leaves
    hand: float  # left hand down
    hand2: float  # right hand down
    over: float  # upside down
    leave: float  # left hand leaves
    foot: float  # right foot down
    foot2: float  # left foot down
    stand: float
    first: float  # places: left foot, left hand, right hand, right foot, left foot
    grip: float
    grip2: float
    land: float
    land2: float
    grip_z: float  # sideways errors of the hands and of the landing feet
    grip2_z: float
    land_z: float
    land2_z: float


def cartwheel(speed: float, turn: float | None, style: str, seed: int, fps: float) -> Clip:
    """A person turns one cartwheel to the left (towards +x) and stands again, about 2.3 m farther on.

    Left foot out, left hand, right hand, over, right foot, left foot: each stands exactly where it was set down.
    `speed` scales the tempo. `contact:left_hand` and `contact:right_hand` are on while the hands support the body.
    With a `turn` (rad, left positive), six small steps on the spot follow by which the body turns so far.
    """
    manner, nature = style_named(style), Nature(seed)
    wheel = _plan(nature, speed)
    seconds = wheel.stand + 0.7
    time = frame_times(seconds, fps)
    roll, root = _body(time, wheel, nature)
    quiet = idle(time, nature, manner, rest=0.3)
    wait = 1 - (ease(time, wheel.step - 0.5, wheel.step) - ease(time, wheel.stand - 0.2, wheel.stand + 0.3))
    bend = np.sin(roll)  # the trunk bends sideways a little, into the wheel
    pelvis = posture(quiet.twist * wait, roll=roll + quiet.roll * wait, lean=quiet.lean * wait)
    chest = posture(
        (quiet.twist + quiet.chest_twist) * wait,
        roll=roll + (quiet.roll + quiet.chest_roll) * wait,
        lean=(quiet.lean + quiet.chest_lean) * wait,
    )
    # the chest turns towards the first hand, then towards the second, and bends into the wheel
    size = 1 + nature.trait("chest", 0.15)
    chest = multiply(chest, multiply(about(1, 0.42 * size * np.sin(2 * roll)), about(2, -0.2 * bend)))
    chest = multiply(chest, about(0, 0.16 * size * (1 - np.cos(2 * roll))))
    look = slerp(posture(quiet.head_twist, lean=quiet.head_lean, roll=quiet.head_roll), chest, 1 - wait)
    crane = -0.7 * (ease(time, wheel.step, wheel.hand) - ease(time, wheel.foot, wheel.stand))  # eyes on the hands
    trunk = Trunk(root, pelvis, chest, multiply(look, about(0, crane)))
    trunk = replace(trunk, root=_over_hands(trunk, time, wheel, fps))
    trunk = replace(trunk, root=_within_reach(trunk, time, wheel, fps))
    legs, rests, toes = _legs(trunk, time, wheel, fps)
    arms, grips = _arms(trunk, time, wheel, nature, manner)
    rotations = assemble(trunk, arms, legs)
    labels: dict[str, BoolArray] = {}
    for side, name in enumerate(("left", "right")):
        labels[f"contact:{name}_heel"], labels[f"contact:{name}_toe"] = rests[side], toes[side]
        labels[f"contact:{name}_hand"] = grips[side]
    clip = finish("cartwheel", trunk.root, rotations, fps, seconds, seed, labels=labels)
    if turn is None:
        return clip
    return joined([clip, turn_on_the_spot(turn, 1.3, 3, "right", style, seed, fps)], "cartwheel")


def _plan(nature: Nature, speed: float) -> Wheel:
    t = 0.55 + nature.trait("begin", 0.08)
    times: list[float] = []
    for part in (0.6, 0.13, 0.44, 0.34, 0.1, 0.1, 0.34, 0.34, 0.68):
        t += part / speed * (1 + nature.trait(f"beat {len(times)}", 0.05))
        times.append(t)
    size = 1 + nature.trait("size", 0.02)
    places = [p * size for p in (0.5, 1.1, 1.42, 2.02, 2.4)]
    errors = nature.draws("line", 4, 0.02)
    values = [*times, *places, *(float(e) for e in errors)]
    return Wheel(**{f.name: v for f, v in zip(fields(Wheel), values, strict=True)})


def _body(time: FloatArray, w: Wheel, nature: Nature) -> tuple[FloatArray, FloatArray]:
    """Roll (F,) rad to the left, and the root (F, 3): shoulders pass over the hands, and hips over the shoulders."""
    start = w.step - 0.5
    knots = [start, w.step, w.hand, w.hand2, w.over, w.leave, w.foot, w.foot2, w.stand]
    angles = np.array([0.0, 0.42, 2.05, 3.0, np.pi, 3.283, 4.233, 5.6, 2 * np.pi])
    roll = min_jerk(knots, angles[:, None])(time)[:, 0]
    near, far = 0.40, 0.15  # how far outside the first hand, and inside it, the shoulders pass
    over_hands = {
        2: (w.grip - near, 0.50),
        3: (w.grip + far, 0.585),
        4: ((w.grip + w.grip2) / 2, 0.595),
        5: (w.grip2 - far, 0.585),
        6: (w.grip2 + near, 0.50),
    }
    high = HIPS - 0.012
    places: list[tuple[float, float]] = []
    for k, angle in enumerate(angles):
        if k in over_hands:
            x, y = over_hands[k]
            places.append((x - TORSO * np.sin(angle), y - TORSO * np.cos(angle)))
        else:
            home = {0: (0.0, high), 1: (w.first - 0.25, 0.84), 7: (w.land + 0.17, 0.83)}
            places.append(home.get(k, ((w.land + w.land2) / 2, high)))
    xy = min_jerk(knots, np.array(places))(time)
    z = nature.wander("drift", 0.008, 0.1, 0.6)(time)
    return roll, np.stack([xy[:, 0], xy[:, 1], z], -1)


def _grips(w: Wheel) -> dict[int, tuple[float, float, FloatArray]]:
    """When each hand stands, from and to, and where its wrist is then."""
    return {
        LEFT: (w.hand, w.leave, np.array([w.grip, PALM, w.grip_z + 0.03])),
        RIGHT: (w.hand2, w.foot - 0.02, np.array([w.grip2, PALM, w.grip2_z + 0.03])),
    }


def _over_hands(trunk: Trunk, time: FloatArray, w: Wheel, fps: float) -> FloatArray:
    """The root (F, 3), moved smoothly towards a standing hand where the arm would be too short."""
    ones = np.ones(len(time))
    root = trunk.root
    for _ in range(40):
        lacking = np.zeros((len(time), 3))
        for side, (on, off, wrist) in _grips(w).items():
            line = wrist - replace(trunk, root=root).shoulder(side)
            length = np.linalg.norm(line, axis=-1, keepdims=True)
            short = np.maximum(length - 0.972 * (UPPER_ARM + FOREARM), 0.0)
            stands = ((time >= on) & (time <= off))[:, None]
            lacking += np.where(stands, line / length * short, 0.0)
        if np.abs(lacking).max() < 1e-4:
            break
        root = root + 1.5 * np.stack([smooth_fit(lacking[:, k], ones, fps, 5.0) for k in range(3)], -1)
    return root


def _within_reach(trunk: Trunk, time: FloatArray, w: Wheel, fps: float) -> FloatArray:
    """The root (F, 3), lowered where a standing leg would have to stretch."""
    feet = []
    for side, sign in ((LEFT, 1.0), (RIGHT, -1.0)):
        ankle, _, flat = _foot(trunk, time, _stands(w)[side], side, sign)
        none = np.zeros(len(time))
        feet.append(FootMotion(ankle, none, none, none, none, flat, flat, flat))
    ceiling = hips_ceiling(trunk.root[:, [0, 2]], trunk.pelvis, (feet[0], feet[1]), 0.13, in_air=False)
    root = trunk.root.copy()
    root[:, 1] = kept_below(root[:, 1], np.ones(len(time)), ceiling, fps, 6.0)
    return root


def _stands(w: Wheel) -> dict[int, list[tuple[float, float, float, float]]]:
    """When each foot stands, from and to, and where: x and z."""
    out = (w.step, w.hand + 0.05, w.first, 0.0)
    return {
        LEFT: [(-9.0, w.step - 0.42, 0.12, 0.0), out, (w.foot2, 99.0, w.land2, w.land2_z)],
        RIGHT: [(-9.0, w.kick + 0.1, -0.12, 0.0), (w.foot, 99.0, w.land, w.land_z)],
    }


def _legs(
    trunk: Trunk, time: FloatArray, w: Wheel, fps: float
) -> tuple[tuple[LimbRotations, LimbRotations], tuple[BoolArray, BoolArray], tuple[BoolArray, BoolArray]]:
    """Feet stand, swing over in a straddle, and stand again."""
    legs, rests = [], []
    for side, sign in ((LEFT, 1.0), (RIGHT, -1.0)):
        ankle, planted, flat = _foot(trunk, time, _stands(w)[side], side, sign)
        hip = trunk.hip(side)
        ankle = hip + held_back(ankle - hip, flat, fps, 0.975)[:, None] * (ankle - hip)
        upper, lower = leg_bones(hip, ankle, trunk.pelvis)
        air = multiply(lower, about(0, 0.55))  # pointed toes
        ground = np.broadcast_to(posture(0.12 * sign), air.shape)
        foot = slerp(air, ground, planted)
        legs.append(LimbRotations(upper, lower, foot, foot))
        rests.append(flat)
    return (legs[0], legs[1]), (rests[0], rests[1]), (rests[0], rests[1])


def _foot(
    trunk: Trunk, time: FloatArray, stands: list[tuple[float, float, float, float]], side: int, sign: float
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Ankle (F, 3), how flat the foot is (F,) 0..1, and when it stands."""
    spread = rotate(trunk.pelvis, [sign * np.sin(0.85), -np.cos(0.85), 0.06])
    flying = trunk.hip(side) + 0.97 * (THIGH + SHIN) * spread
    ankle = np.empty((len(time), 3))
    planted = np.zeros(len(time))
    flat = np.zeros(len(time), bool)
    for k, (on, off, x, z) in enumerate(stands):
        here = np.array([x, ANKLE, z - 0.02])
        now = (time >= on) & (time <= off)
        ankle[now], planted[now], flat = here, 1.0, flat | now
        if k + 1 == len(stands):
            break
        until, next_x, next_z = stands[k + 1][0], stands[k + 1][2], stands[k + 1][3]
        there = np.array([next_x, ANKLE, next_z - 0.02])
        move = (time > off) & (time < until)
        inside = np.flatnonzero(move)
        if until - off < 0.6:  # a plain step aside
            rise = np.array([0.0, 1.0, 0.0])
            parts = ((0.0, 0.0, 0.0), (0.22, 0.08, 0.06), (0.5, 0.5, 0.1), (0.82, 0.97, 0.055), (1.0, 1.0, 0.0))
            s = [off + part * (until - off) for part, _, _ in parts]
            points = [here + travelled * (there - here) + high * rise for _, travelled, high in parts]
            foot = min_jerk(s, np.array(points), velocity={-1: -0.4 * rise}, acceleration={-1: FREE})(time[move])
            ankle[move] = foot
            planted[move] = 1.0
            continue
        leave, arrive = ease(time, off + 0.03, off + 0.33), ease(time, until - 0.36, until - 0.06)
        up = here + (flying - here) * leave[:, None]
        clear = ease(time, off, off + 0.09) - ease(time, off + 0.12, off + 0.35)  # straight up, and straight down
        clear += ease(time, until - 0.35, until - 0.12) - ease(time, until - 0.09, until)
        travelled = up + (there - up) * arrive[:, None] + clear[:, None] * np.array([0.0, 0.11, 0.0])
        ankle[inside] = travelled[inside]
        planted[inside] = np.maximum(1 - ease(time, off, off + 0.2), ease(time, until - 0.2, until))[inside]
    return ankle, planted, flat


def _arms(
    trunk: Trunk, time: FloatArray, w: Wheel, nature: Nature, style: GaitStyle
) -> tuple[tuple[LimbRotations, LimbRotations], tuple[BoolArray, BoolArray]]:
    """Arms go up, each hand is planted in its turn, and they come down at the end."""
    arms, grips = [], []
    for side, sign in ((LEFT, 1.0), (RIGHT, -1.0)):
        on, off, spot = _grips(w)[side]
        up = angled_arm(trunk, side, flex=0.15, abduct=2.75, inward=0.0, elbow=0.6, pronate=0.0)
        wide = ease(time, w.step - 0.55, w.step - 0.05) - ease(time, w.foot2 - 0.1, w.stand - 0.05)
        free = mixed_arm(trunk, side, hanging_arm(trunk, side, time, nature, style), up, wide)
        wrist = np.broadcast_to(spot, (len(time), 3))
        out = rotate(trunk.chest, [0.3 * sign, 0.2, -1.0])
        # flat on the ground, fingers towards the wheel's line
        ground = multiply(about(1, -sign * np.pi / 2), about(0, 0.0))
        hand = np.broadcast_to(ground, (len(time), 4))
        down = reaching_arm(trunk, side, wrist, out, hand=hand)
        hold = ease(time, on - 0.34, on) - ease(time, off, off + 0.36)
        arms.append(mixed_arm(trunk, side, free, down, hold))
        grips.append((time >= on) & (time <= off))
    return (arms[0], arms[1]), (grips[0], grips[1])
