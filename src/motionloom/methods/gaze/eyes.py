"""Eye joints for bodies that have none."""

from __future__ import annotations

import numpy as np

from motionloom.constraints.gaze import facing
from motionloom.core import BadRequest, Clip, Skeleton, replace
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.travel import UP
from motionloom.rotation import inverse, rotate

FORWARD, ABOVE, APART = 0.085, 0.055, 0.032  # m from the head joint to each eye


def with_eyes(clip: Clip) -> Clip:
    """The clip with a left and a right eye under its head, which look as the head faces; unchanged if it has eyes."""
    skeleton = clip.skeleton
    if skeleton.find("left_eye") is not None and skeleton.find("right_eye") is not None:
        return clip
    head = skeleton.find("head")
    if head is None:
        raise BadRequest(f"{clip.name or 'the clip'}: no joint has the role head, which eyes need")
    ahead = facing(clip)[0]
    up = rotate(inverse(fk_rotations(clip)[1][:, head]), UP).mean(0)
    up = up - (up @ ahead) * ahead
    up /= max(float(np.linalg.norm(up)), 1e-9)
    left = np.cross(up, ahead)
    offsets = [FORWARD * ahead + ABOVE * up + side * APART * left for side in (1.0, -1.0)]
    body = Skeleton(
        (*skeleton.names, "LeftEye", "RightEye"),
        np.concatenate([skeleton.parents, [head, head]]),
        np.concatenate([skeleton.offsets, offsets]),
        (*skeleton.roles, "left_eye", "right_eye"),
        skeleton.ends,
    )
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(clip), 2, 1))
    slides = None if clip.slides is None else np.concatenate([clip.slides, np.zeros((len(clip), 2, 3))], 1)
    rotations = np.concatenate([clip.rotations, still], 1)
    return replace(clip, skeleton=body, rotations=rotations, slides=slides)
