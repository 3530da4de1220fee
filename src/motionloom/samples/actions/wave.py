"""A greeting: a raised arm that waves."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip
from motionloom.samples.curves import ease
from motionloom.samples.noise import Nature
from motionloom.samples.person import LEFT, RIGHT, assemble
from motionloom.samples.stage import finish, frame_times
from motionloom.samples.standing import figure, hanging_arm, idle, standing_feet, through
from motionloom.samples.styles import style_named
from motionloom.samples.upper import angled_arm, mixed_arm


def wave(hand: str, speed: float, seconds: float, style: str, seed: int, fps: float) -> Clip:
    """A person stands, lifts a `hand`, waves `speed` times a second, and lets it down again."""
    manner, nature = style_named(style), Nature(seed)
    side = LEFT if hand == "left" else RIGHT
    sign = 1.0 if side == LEFT else -1.0
    time = frame_times(seconds, fps)
    begin = min(0.5 + nature.trait("begin", 0.1), 0.15 * seconds)
    up = begin + 0.55 + nature.trait("lift", 0.06)
    down = max(seconds - 1.2 + nature.trait("down", 0.1), up + 0.4)
    end = down + 0.75
    raised = through(time, (begin, 0.0), (up, 1.0), (down, 1.0), (end, 0.0))
    busy = ease(time, up - 0.2, up + 0.15) * (1 - ease(time, down - 0.2, down + 0.1))
    beat = 2 * np.pi * (speed * (1 + nature.trait("tempo", 0.06)) * (time - up))
    beat = beat + nature.wander("beat", 0.35, 0.1, 0.6)(time)
    size = busy * (1 + nature.wander("size", 0.15, 0.1, 0.6)(time)) * float(np.clip(2.2 / speed, 0.5, 1.3))
    swing = np.sin(beat) * size
    moves = idle(time, nature, manner).plus(
        x=-0.02 * sign * raised,
        roll=0.02 * sign * raised,
        chest_roll=-0.05 * sign * raised + 0.012 * np.sin(beat - 0.5) * size * sign,
        chest_twist=0.06 * sign * raised + 0.02 * np.sin(beat - 0.3) * size,
        head_lean=-0.05 * raised,
        head_roll=-0.05 * sign * raised,
        head_twist=0.015 * np.sin(beat - 0.9) * size,
        shrug=0.02 * raised,
    )
    body = figure(moves, standing_feet(nature), time, fps)
    waving = angled_arm(
        body.trunk,
        side,
        flex=0.28 + nature.trait("flex", 0.08) + 0.04 * swing,
        abduct=1.12 + nature.trait("abduct", 0.1) + 0.07 * np.sin(beat - 0.2) * size,
        inward=-1.25 + nature.trait("turn", 0.08) - 0.12 * swing,
        elbow=1.72 + nature.trait("elbow", 0.12) + 0.29 * swing,
        pronate=0.1 + 0.25 * np.sin(beat - 0.5) * size,
        wrist=-0.12 + 0.22 * np.sin(beat - 0.9) * size,
    )
    arms = [hanging_arm(body.trunk, s, time, nature, manner) for s in (LEFT, RIGHT)]
    arms[side] = mixed_arm(body.trunk, side, arms[side], waving, raised)
    rotations = assemble(body.trunk, (arms[0], arms[1]), body.legs)
    return finish("wave", body.trunk.root, rotations, fps, seconds, seed, feet=body.feet)
