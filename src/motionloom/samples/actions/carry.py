"""Walking with something in the hands: a box or a chair held by both, or a cup kept level in one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.rotation import from_matrix, multiply, rotate, yaw
from motionloom.samples.carriage import swinging_arms
from motionloom.samples.locomotion import GaitMotion, arc_to, moving_body
from motionloom.samples.person import HIPS, LEFT, RIGHT, LimbRotations, assemble
from motionloom.samples.stage import finish
from motionloom.samples.upper import reaching_arm

POINTING_AHEAD = {  # a hand that points ahead, palm towards the other hand
    LEFT: from_matrix(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])),
    RIGHT: from_matrix(np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])),
}

GRIP = {"box": (0.0, 0.0), "chair": (0.26, -0.08)}  # m: left and right hand above the middle of the thing


def carry(
    thing: str,
    speed: float,
    turn: float,
    width: float,
    seconds: float,
    target: Sequence[float] | None,
    style: str,
    seed: int,
    fps: float,
) -> Clip:
    """A person walks at `speed` m/s and carries a box or a chair `width` m wide, or a cup.

    Both hands keep their distance on a box (at its sides) and on a chair (the left on its back, the right below its
    seat). The cup is in the right hand, which stays level. Turning and target as for `walk`.
    """
    if target is not None:
        turn, seconds = arc_to(target, speed)
    stride = moving_body("walk", speed, turn, seconds, style, seed, fps)
    arms = _cup(stride) if thing == "cup" else _in_both_hands(stride, width, GRIP[thing])
    rotations = assemble(stride.trunk, arms, stride.legs)
    return finish("carry", stride.trunk.root, rotations, fps, seconds, seed, feet=stride.feet)


def _held(stride: GaitMotion, forward: float, height: float, soft: float, name: str) -> tuple[FloatArray, FloatArray]:
    """Place (F, 3) and turn (F, 4) of a thing held before the belly: it rides with the body but softens its bob."""
    nature, time = stride.nature, stride.time
    root = stride.trunk.root
    twist = -0.5 * stride.carriage.yaw * np.cos(stride.phase)
    turn = yaw(stride.heading + twist + nature.wander(f"{name} turn", 0.03, 0.1, 1.5)(time))
    level = float(root[:, 1].mean())
    y = level + (1 - soft) * (root[:, 1] - level) + height + nature.trait(f"{name} height", 0.02)
    sway = np.stack([nature.wander(f"{name} {k}", 0.010, 0.1, 2.0)(time) for k in "xyz"], -1)
    sway = sway + np.stack([nature.wander(f"{name} tremble {k}", 0.0013, 1.5, 5.0)(time) for k in "xyz"], -1)
    place = np.stack([root[:, 0], y, root[:, 2]], -1) + rotate(turn, [0.0, 0.0, forward]) + sway
    return place, turn


def _in_both_hands(stride: GaitMotion, width: float, grip: tuple[float, float]) -> tuple[LimbRotations, LimbRotations]:
    place, turn = _held(stride, 0.33 + 0.1 * max(width - 0.34, 0.0), 0.10, 0.15, "box")
    arms = []
    for side, sign, height in ((LEFT, 1.0, grip[0]), (RIGHT, -1.0, grip[1])):
        wrist = place + rotate(turn, [sign * width / 2, height, -0.06])
        elbow = rotate(stride.trunk.chest, [0.55 * sign, -1.0, -0.35])
        arms.append(reaching_arm(stride.trunk, side, wrist, elbow, hand=multiply(turn, POINTING_AHEAD[side])))
    return arms[0], arms[1]


def _cup(stride: GaitMotion) -> tuple[LimbRotations, LimbRotations]:
    place, turn = _held(stride, 0.30, 1.14 - HIPS, 0.55, "cup")
    free, _ = swinging_arms(
        stride.carriage, stride.gait, stride.trunk, stride.time, stride.phase, stride.nature, stride.style
    )
    wrist = place + rotate(turn, [-0.19, 0.0, -0.06])
    elbow = rotate(stride.trunk.chest, [-0.45, -1.0, -0.3])
    level = multiply(turn, multiply(yaw(0.35), POINTING_AHEAD[RIGHT]))
    return free, reaching_arm(stride.trunk, RIGHT, wrist, elbow, hand=level)
