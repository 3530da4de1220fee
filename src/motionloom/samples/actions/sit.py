"""Sitting down on a chair, and getting up again."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.rotation import rotate
from motionloom.samples.curves import ease
from motionloom.samples.joining import walked
from motionloom.samples.noise import Nature
from motionloom.samples.person import HIPS, LEFT, RIGHT, SIDE, THIGH, LimbRotations, assemble, offset
from motionloom.samples.stage import finish, frame_times
from motionloom.samples.standing import Figure, figure, hanging_arm, idle, standing_feet, through
from motionloom.samples.styles import GaitStyle, style_named
from motionloom.samples.upper import mixed_arm, reaching_arm

FLESH = 0.135  # m from the seat up to the root: hip joints lie 0.09 m above it


def sit(height: float, seconds: float, speed: float, approach: str, style: str, seed: int, fps: float) -> Clip:
    """A person sits down on a seat `height` m high behind them, rests, and gets up again; the feet stay put.

    The trunk leans forward so that the weight stays over the feet until the seat takes it (Schenkman et al. 1990).
    `speed` scales the tempo of going down and up. The label `seated` is on while the seat carries.
    With `approach` walk, the person walks up before and walks on afterwards, for which the time is added.
    """
    manner, nature = style_named(style), Nature(seed)
    time = frame_times(seconds, fps)
    begin = 0.6 + nature.trait("begin", 0.1)
    lower = (1.35 + nature.trait("down", 0.1)) / speed
    lift = (1.25 + nature.trait("up", 0.1)) / speed
    down = begin + lower
    leave = max(seconds - 0.7 - lift, down + 0.3)
    up = leave + lift
    quiet = idle(time, nature, manner, rest=0.4)
    stand = HIPS - 0.008 - 0.04 * manner.crouch
    seat = height + FLESH
    deep = float(np.clip((0.95 - height) / 0.5, 0.3, 1.4))  # low seats need more lean and reach
    back = -(0.27 + 0.1 * min(deep, 1.2))
    low = through(time, (begin, 0.0), (down, 1.0), (leave + 0.22 * lift, 1.0), (up, 0.0))
    y = stand + (seat - stand) * low
    z = back * through(
        time, (begin, 0.0), (begin + 0.62 * lower, 0.92), (down, 1.0), (leave, 1.0), (up - 0.28 * lift, 0.02), (up, 0.0)
    )
    bend = (0.46 + 0.2 * deep) * (
        through(time, (begin, 0.0), (begin + 0.58 * lower, 1.0), (down + 0.35, 0.0))
        + through(time, (leave - 0.25, 0.0), (leave + 0.3 * lift, 1.0), (up, 0.0))
    )
    rest = through(time, (begin + 0.6 * lower, 0.0), (down + 0.3, 1.0), (leave - 0.1, 1.0), (leave + 0.4 * lift, 0.0))
    moves = quiet.plus(
        z=z,
        x=-0.7 * quiet.x * low,
        lean=0.85 * bend - 0.12 * rest,
        chest_lean=0.35 * bend + 0.12 * rest,
        head_lean=0.3 * bend + 0.04 * rest,
        roll=-0.7 * quiet.roll * low,
    )
    plants = standing_feet(nature, width=0.12)
    free = figure(moves, plants, time, fps).trunk.root[:, 1]
    sits = ease(time, begin - 0.05, begin + 0.2) - ease(time, up - 0.15, up + 0.15)
    body = figure(moves, plants, time, fps, height=np.minimum(y * sits + free * (1 - sits), free + 0.05))
    arms = tuple(_arm(body, side, time, rest, bend, nature, manner) for side in (LEFT, RIGHT))
    rotations = assemble(body.trunk, (arms[0], arms[1]), body.legs)
    seated = (time >= down) & (time <= leave + 0.22 * lift)
    clip = finish("sit", body.trunk.root, rotations, fps, seconds, seed, feet=body.feet, labels={"seated": seated})
    return walked(clip, style=style, seed=seed, fps=fps) if approach == "walk" else clip


def _arm(
    body: Figure, side: int, time: FloatArray, rest: FloatArray, bend: FloatArray, nature: Nature, style: GaitStyle
) -> LimbRotations:
    """Hands on the thighs while sitting; they slide along them on sitting down and standing up."""
    trunk = body.trunk
    sign = 1.0 if side == LEFT else -1.0
    hip = trunk.root + rotate(trunk.pelvis, offset(f"{SIDE[side]}_thigh"))
    along = rotate(body.legs[side].upper, [0.0, -1.0, 0.0])
    above = rotate(body.legs[side].upper, [0.0, 0.0, 1.0])
    part = 0.62 + nature.trait(f"hand place {side}", 0.05)
    wrist = hip + part * THIGH * along + 0.085 * above + rotate(trunk.pelvis, [0.01 * sign, 0.0, 0.0])
    elbow = rotate(trunk.chest, [0.8 * sign, -0.6, -0.5])
    lying = reaching_arm(trunk, side, wrist, elbow, palm=-above)
    touch = np.clip(rest + 0.55 * np.clip(bend / 0.6, 0, 1) * (1 - rest), 0.0, 1.0)
    return mixed_arm(trunk, side, hanging_arm(trunk, side, time, nature, style), lying, touch)
