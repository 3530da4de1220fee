"""A boxer on guard: stance, fists before the chin, and the bounce between the feet."""

from __future__ import annotations

import numpy as np

from motionloom.core import FloatArray
from motionloom.rotation import from_matrix, multiply, rotate, slerp, yaw
from motionloom.samples.curves import bump
from motionloom.samples.noise import Nature
from motionloom.samples.person import LEFT, RIGHT, LimbRotations, Trunk
from motionloom.samples.plants import FootStance
from motionloom.samples.standing import Figure, Moves, footprint, idle
from motionloom.samples.styles import GaitStyle
from motionloom.samples.upper import reaching_arm


def stance(nature: Nature) -> tuple[list[FootStance], list[FootStance]]:
    """Left foot ahead, right foot behind and turned out."""
    x, z = 0.11 + nature.trait("stance x", 0.015), 0.19 + nature.trait("stance z", 0.02)
    left = footprint(LEFT, x, z, -0.4 + nature.trait("left foot", 0.08), toe_out=0.0)
    right = footprint(RIGHT, -x - 0.03, -z, -0.75 + nature.trait("right foot", 0.1), toe_out=0.0)
    return [left], [right]


def guard_moves(time: FloatArray, nature: Nature, style: GaitStyle) -> Moves:
    """Guard with a boxer's bounce."""
    beat = 2 * np.pi * (1.7 + nature.trait("bounce rate", 0.1)) * time + nature.wander("bounce", 0.5, 0.1, 0.4)(time)
    return idle(time, nature, style, width=0.12, rest=0.6).plus(
        crouch=0.32 + 0.06 * np.sin(beat),
        lean=0.04,
        z=0.006 * np.sin(beat / 2),
        x=0.008 * np.cos(beat / 2),
        twist=-0.45,
        chest_twist=-0.12,
        chest_lean=0.14,
        head_lean=0.14,
        shrug=0.1,
        reach=0.08,
    )


def guard_wrist(trunk: Trunk, side: int, time: FloatArray, nature: Nature) -> FloatArray:
    """(F, 3) where a guarding fist is: before the chin, riding on the chest."""
    sign = 1.0 if side == LEFT else -1.0
    name = ("left", "right")[side]
    out = np.array([sign * 0.1 + 0.02, 0.12, 0.32 if side == LEFT else 0.27])
    sway = np.stack([nature.wander(f"{name} guard {k}", 0.012, 0.3, 2.4)(time) for k in "xyz"], -1)
    return trunk.top() + rotate(trunk.chest, out + sway)


def fist(trunk: Trunk, side: int, upright: float) -> FloatArray:
    """(F, 4) the hand's world rotation in guard (thumb up, 0) or at the hit (palm down, 1), pointing ahead."""
    sign = 1.0 if side == LEFT else -1.0
    guard = from_matrix(np.array([[0.0, sign, 0.0], [0.5 * sign, 0.0, 0.866], [0.866 * sign, 0.0, -0.5]]))
    hit = yaw(-sign * np.pi / 2)
    forward = rotate(trunk.chest, [0.0, 0.0, 1.0])
    heading = np.arctan2(forward[:, 0], forward[:, 2])
    turn = slerp(guard, hit, upright)
    return multiply(yaw(heading * 0.6), np.broadcast_to(turn, (len(heading), 4)))


def guard_arm(
    body: Figure, side: int, time: FloatArray, hits: FloatArray, speed: float, nature: Nature
) -> LimbRotations:
    """The arm that does not strike covers the chin: it is pulled in while the other one goes out."""
    wrist = guard_wrist(body.trunk, side, time, nature)
    sign = 1.0 if side == LEFT else -1.0
    for t, size in zip(hits, 1 + nature.draws("cover", len(hits), 0.2), strict=True):
        pull = size * bump(time, t - 0.36 / speed, t + 0.04, t + 0.45 / speed)
        wrist = wrist + pull[:, None] * rotate(body.trunk.chest, [-0.03 * sign, 0.03, -0.12])
    elbow = rotate(body.trunk.chest, [0.35 * sign, -1.0, 0.05])
    return reaching_arm(body.trunk, side, wrist, elbow, hand=fist(body.trunk, side, 0.0))
