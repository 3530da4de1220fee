"""The best turn and shift on the ground that lays a frame of one clip, and the frames around it, onto another."""

from __future__ import annotations

import numpy as np

from motionloom.analysis.comparison import frame_weights, require_comparable
from motionloom.analysis.weights import Weights, joint_weights
from motionloom.core import BadRequest, Clip
from motionloom.kinematics.fk import fk
from motionloom.kinematics.ground_alignment import Alignment, ground_alignment


def alignment(
    a: Clip, i: int, b: Clip, j: int, *, radius: int = 5, weights: Weights = "uniform", taper: str = "triangle"
) -> Alignment:
    """How clip `b` must be turned and moved on the ground so that its frame `j` lies best on frame `i` of `a`.

    HECK eqs. 3.2-3.4 (GUAN 2.29-2.31) over the joints of the windows of `radius` frames around both, with atan2.
    `alignment(...).clip(b)` is clip b, moved.
    """
    require_comparable(a, b, shortest=2 * radius + 1, why=f"a window of {2 * radius + 1} frames")
    for clip, frame, letter in ((a, i, "A"), (b, j, "B")):
        if not radius <= frame < len(clip) - radius:
            raise BadRequest(
                f"clip {clip.name or letter!r}: expected a frame from {radius} to {len(clip) - radius - 1} "
                f"(its window is {radius} frames on each side), found {frame}"
            )
    near = [fk(clip[at - radius : at + radius + 1]) for clip, at in ((a, i), (b, j))]
    w = np.outer(frame_weights(radius, taper), joint_weights(a.skeleton, weights))
    return ground_alignment(near[0].reshape(-1, 3), near[1].reshape(-1, 3), w.ravel())
