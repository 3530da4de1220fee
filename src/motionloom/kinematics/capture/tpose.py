"""Detection and removal of a T-pose in frame 0 of a capture, as in all of CMU's BVH files."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.fk import fk
from motionloom.rotation import angle_between


def starts_with_tpose(clip: Clip) -> bool:
    """Is frame 0 no part of the motion: a rest pose or a T-pose, and a jump from there to frame 1?"""
    return rest_then_jump(clip.rotations) or (_jump(clip.rotations, 5.0) and _arms_out(clip))


def without_tpose(clip: Clip) -> Clip:
    """The clip without a T-pose in frame 0; the same object if there is none."""
    return clip[1:] if starts_with_tpose(clip) else clip


def rest_then_jump(rotations: FloatArray) -> bool:
    """Does frame 0 of (F, J, 4) jump, and do half of the joints that turn in frame 1 not turn at all in frame 0?"""
    if not _jump(rotations, 1.5):
        return False
    from_rest = angle_between(rotations[:2], [1.0, 0.0, 0.0, 0.0])
    turning = from_rest[1] > np.radians(0.1)
    return bool(turning.any() and (from_rest[0, turning] < np.radians(0.1)).mean() >= 0.5)


def _jump(rotations: FloatArray, times: float) -> bool:
    """Is the first step (the mean turn per joint) over 3 degrees, 5 times the usual and `times` the largest of 20?"""
    if len(rotations) < 3:
        return False
    some = rotations[:22]
    steps = angle_between(some[1:], some[:-1]).mean(1)
    return bool(steps[0] > max(np.radians(3), 5 * np.median(steps[1:]), times * steps[1:].max()))


def _arms_out(clip: Clip) -> bool:
    """Are both arms straight, level and opposite in frame 0, and the legs straight down?"""
    find = clip.skeleton.find
    ends = [[find(f"{side}_{part}") for part in ("upper_arm", "hand", "thigh", "foot")] for side in ("left", "right")]
    if any(j is None for joints in ends for j in joints):
        return False
    places = fk(clip[:1])[0]
    (left_arm, left_leg), (right_arm, right_leg) = (
        (_direction(places[a], places[b]), _direction(places[c], places[d])) for a, b, c, d in ends
    )
    level = abs(left_arm[1]) < 0.2 and abs(right_arm[1]) < 0.2 and float(left_arm @ right_arm) < -0.9
    return bool(level and left_leg[1] < -0.9 and right_leg[1] < -0.9)


def _direction(a: FloatArray, b: FloatArray) -> FloatArray:
    length = float(np.linalg.norm(b - a))
    return (b - a) / length if length > 0 else np.zeros(3)
