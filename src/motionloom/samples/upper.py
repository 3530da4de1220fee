"""Arms and trunk: poses from anatomical joint angles, or from a target of the hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import FloatArray
from motionloom.kinematics.ik.limb import two_bone
from motionloom.rotation import about, between, multiply, rotate, slerp, yaw
from motionloom.samples.person import FOREARM, LEFT, UPPER_ARM, LimbRotations, Trunk, mirrored, relative


def posture(heading: ArrayLike, *, lean: ArrayLike = 0.0, roll: ArrayLike = 0.0, twist: ArrayLike = 0.0) -> FloatArray:
    """A trunk rotation (..., 4): faces `heading` + `twist`, leans forward, tips to the left. All rad."""
    heading, lean, roll, twist = np.broadcast_arrays(*(np.asarray(a, float) for a in (heading, lean, roll, twist)))
    tipped = multiply(about(2, -roll), about(0, lean))
    return multiply(yaw(heading + twist), tipped)


def angled_arm(
    trunk: Trunk,
    side: int,
    *,
    flex: ArrayLike,
    abduct: ArrayLike = 0.15,
    inward: ArrayLike = 0.0,
    elbow: ArrayLike = 0.3,
    pronate: ArrayLike = 0.3,
    wrist: ArrayLike = 0.0,
) -> LimbRotations:
    """An arm by its angles, rad, all zero hanging straight down, thumb forward.

    `flex` lifts it forward, `abduct` sideways, `inward` turns it about its own length (forearm towards the belly),
    `elbow` bends, `pronate` turns the palm back, `wrist` bends the hand towards the palm.
    """
    flex, abduct, inward, elbow, pronate, wrist = np.broadcast_arrays(
        *(np.asarray(a, float) for a in (flex, abduct, inward, elbow, pronate, wrist)), np.empty(len(trunk.root))
    )[:6]
    hang = multiply(about(0, -flex), about(2, abduct - np.pi / 2))
    upper = multiply(hang, about(0, inward))
    lower = multiply(about(1, -elbow), about(0, pronate))
    hand = about(2, -wrist)
    frame = trunk.collar(side)
    top = multiply(frame, mirrored(upper, side))
    low = multiply(top, mirrored(lower, side))
    return LimbRotations(top, low, multiply(low, mirrored(hand, side)))


def reaching_arm(
    trunk: Trunk,
    side: int,
    wrist: FloatArray,
    elbow: ArrayLike,
    *,
    hand: FloatArray | None = None,
    palm: ArrayLike | None = None,
) -> LimbRotations:
    """An arm whose wrist is at `wrist` (F, 3) m, as far as it reaches; the elbow points along `elbow` (F, 3), world.

    The hand takes the world rotation `hand` (F, 4), or lies along the forearm with its palm towards `palm` (F, 3).
    """
    sign = 1.0 if side == LEFT else -1.0
    shoulder = trunk.shoulder(side)
    frame = trunk.collar(side)
    line = rotate(frame, [sign, 0.0, 0.0])
    ahead = rotate(frame, [0.0, 0.0, 1.0])
    mid = shoulder + UPPER_ARM * line
    pole = shoulder + np.broadcast_to(np.asarray(elbow, float), shoulder.shape)
    solved = two_bone(shoulder, mid, mid + FOREARM * line, wrist, bend=ahead, pole=pole, soft=0.02)
    upper, lower = multiply(solved.upper, frame), multiply(solved.lower, frame)
    if hand is None:
        hand = lower
        if palm is not None:
            hand = _palm_towards(lower, np.broadcast_to(np.asarray(palm, float), shoulder.shape), sign)
            lower = slerp(lower, hand, 0.6)  # the forearm turns with the hand: it is the two bones that twist
            lower = _same_line(lower, hand, sign)
    return LimbRotations(upper, lower, hand)


def _palm_towards(turn: FloatArray, palm: FloatArray, sign: float) -> FloatArray:
    """`turn` spun about the forearm so that the palm (-y at rest) faces `palm` as well as it can."""
    axis = rotate(turn, [sign, 0.0, 0.0])
    now = rotate(turn, [0.0, -1.0, 0.0])
    across = np.cross(axis, now)
    angle = np.arctan2(np.einsum("fi,fi->f", palm, across), np.einsum("fi,fi->f", palm, now))
    half = np.unwrap(angle) / 2
    spin = np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * axis], -1)
    return multiply(spin, turn)


def _same_line(turn: FloatArray, like: FloatArray, sign: float) -> FloatArray:
    """`turn` corrected so that its bone lies exactly along the bone of `like` (a slerp between spins keeps it)."""
    here, there = rotate(turn, [sign, 0.0, 0.0]), rotate(like, [sign, 0.0, 0.0])
    return multiply(between(here, there), turn)


def mixed_arm(trunk: Trunk, side: int, a: LimbRotations, b: LimbRotations, part: ArrayLike) -> LimbRotations:
    """From arm a (part 0) to arm b (part 1), joint by joint."""
    frame = trunk.collar(side)
    part = np.broadcast_to(np.asarray(part, float), (len(trunk.root),))
    upper = slerp(relative(a.upper, frame), relative(b.upper, frame), part)
    lower = slerp(relative(a.lower, a.upper), relative(b.lower, b.upper), part)
    end = slerp(relative(a.end, a.lower), relative(b.end, b.lower), part)
    top = multiply(frame, upper)
    low = multiply(top, lower)
    return LimbRotations(top, low, multiply(low, end))
