"""A T-pose put in front of a capture as frame 0, as in all of CMU's BVH files."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip
from motionloom.rotation import angle_between


def starts_with_tpose(clip: Clip) -> bool:
    """Is frame 0 no part of the motion: the rest pose, or nearly, and a jump from there to frame 1?

    A jump is a mean turn per joint of over 3 degrees, and over five times the largest of the next 20 steps. Nearly the
    rest pose: half of the joints that ever turn do not turn at all in frame 0.
    """
    if len(clip) < 3:
        return False
    some = clip.rotations[:22]
    steps = angle_between(some[1:], some[:-1]).mean(1)
    if steps[0] < np.radians(3) or steps[0] < 5 * steps[1:].max():
        return False
    from_rest = 2 * np.arccos(np.clip(np.abs(clip.rotations[[0, 1], :, 0]), 0, 1))
    moving = from_rest[1] > np.radians(0.1)
    return bool(moving.any() and (from_rest[0, moving] < np.radians(0.1)).mean() >= 0.5)
