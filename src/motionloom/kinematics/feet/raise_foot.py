"""Legs bent so that a foot goes up or down, or turns."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.body.roles import Foot
from motionloom.kinematics.feet.leg_reach import mobility
from motionloom.kinematics.fk import world
from motionloom.kinematics.ik.limb import limb_rotations
from motionloom.rotation import multiply


def raise_foot(clip: Clip, rotations: FloatArray, foot: Foot, rise: FloatArray, turn: FloatArray | None = None) -> None:
    """Bend one leg so that its foot goes up by `rise` (F,) m and turns by `turn` (F, 4); changes `rotations` (F, J, 4).

    Without `turn` it stays turned as it is. A foot whose leg is folded up, as a dog's that sits, does not rise
    (`mobility`).
    """
    moves = np.abs(rise) > 1e-6
    if turn is not None:
        moves |= np.abs(turn[:, 1:]).max(1) > 1e-6
    at = np.flatnonzero(moves)
    if not len(at):
        return
    slides = None if clip.slides is None else clip.slides[at]
    places, turns = world(clip.skeleton, clip.root[at], rotations[at], slides)
    target = places[:, foot.ankle] + (mobility(foot, places) * rise[at])[:, None] * [0.0, 1.0, 0.0]
    held = turns[:, foot.ankle] if turn is None else multiply(turn[at], turns[:, foot.ankle])
    rotations[at] = limb_rotations(
        clip.skeleton,
        clip.root[at],
        rotations[at],
        (foot.thigh, foot.shin, foot.ankle),
        target,
        orientation=held,
        slides=slides,
    )[0]
