"""Spatial alignment at the attachment, and the posture of a motion (HECK 4.2.3 and 4.2.4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.blend.splice.body import TIP_SIZE, BodyCut
from motionloom.core import Clip, FloatArray
from motionloom.kinematics.fk import fk_rotations
from motionloom.rotation import inverse, multiply, rotate


class PartPose(NamedTuple):
    """Everything that a splice needs of one clip, in F frames."""

    cloud: FloatArray  # (F, K, 3) m: points of the spatial alignment in the frame of the attachment
    posture: FloatArray  # (F, P, 3) m: points of the posture in the frame of the attachment
    above: FloatArray  # (F, 4) world rotation of the attachment's parent
    frame: FloatArray  # (F, 4) world rotation of the posture's frame: a joint's, or x along the line and y towards up
    local: FloatArray  # (F, 4) rotation of the attachment, local to its parent
    far: FloatArray  # (F, 3) m: a far joint of the part in the frame of the attachment


def part_pose(clip: Clip, cut: BodyCut) -> PartPose:
    """The clouds and frames of a clip at a cut."""
    from motionloom.blend.splice._kernels import line_frames

    places, turns = fk_rotations(clip)
    back = inverse(turns[:, cut.joint])[:, None]
    here = places[:, cut.joint][:, None]
    cloud, posture, far = (rotate(back, places[:, joints] - here) for joints in (cut.cloud, cut.posture, [cut.far]))
    if cut.tip >= 0:
        tip = rotate(back, places[:, [cut.tip]] - here)
        axes = tip + rotate(multiply(back[:, 0], turns[:, cut.tip])[:, None], TIP_SIZE * np.eye(3))
        cloud, posture = np.concatenate([cloud, axes], 1), np.concatenate([posture, axes], 1)
    above = turns[:, clip.skeleton.parents[cut.joint]]
    if len(cut.line) == 1:
        frame = turns[:, cut.line[0]]
    else:
        frame = np.empty((len(clip), 4))
        line_frames(places[:, cut.line[0]] - places[:, cut.line[1]], frame)
    return PartPose(cloud, posture, above, frame, clip.rotations[:, cut.joint], far[:, 0])


def aligned(upper: PartPose, lower: PartPose) -> FloatArray:
    """(F, 4) local rotations of the attachment that turn the upper clip's cloud onto the lower clip's: q_P^L q_A."""
    from motionloom.blend.splice._kernels import best_rotations

    turn = np.empty((len(upper.cloud), 4))
    best_rotations(np.ascontiguousarray(upper.cloud), np.ascontiguousarray(lower.cloud), turn)
    return multiply(lower.local, turn)


def mean_posture(part: PartPose, local: FloatArray, points: FloatArray | None = None) -> FloatArray:
    """(P, 3) the mean of the posture's points in the posture's frame, with these rotations of the attachment.

    `points` are those of another clip in the frame of its attachment, as they ride on this clip; default: its own.
    """
    turn = multiply(inverse(part.frame), multiply(part.above, local))
    return np.asarray(rotate(turn[:, None], part.posture if points is None else points).mean(0))


def posture_turn(source: FloatArray, target: FloatArray) -> FloatArray:
    """(4,) the rotation q_G of the posture's frame that takes one mean posture (P, 3) nearest to another."""
    from motionloom.blend.splice._kernels import best_rotation

    out = np.empty(4)
    best_rotation(np.ascontiguousarray(source), np.ascontiguousarray(target), out)
    return out


def with_posture(part: PartPose, local: FloatArray, turn: FloatArray) -> FloatArray:
    """(F, 4) local rotations of the attachment with the posture turned by `turn` (4,) in the posture's frame h.

    q_P^S = (h g)^-1 q_G (h g) q_P^S', with g the world rotation above the attachment. (HECK prints q_P^S' q_G, which
    applies a rotation of the hip frame in the pelvis frame: it leaves 0.2 to 3 degrees, here 0.)
    """
    frame = multiply(inverse(part.frame), part.above)
    return multiply(inverse(frame), multiply(turn, multiply(frame, local)))
