"""Motion in place, as engines use it and treadmills show it: the feet that carry the body slide back under it."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.feet.contacts import HEIGHT, part_positions

IN_PLACE = "the body moves in place: its feet slide back under it, and were not pinned"  # a note on the clip
MIN_SPEED = 0.4  # leg lengths/s: a mean slide of the lowest foot below this is skate
MIN_SLIDE = 0.5  # leg lengths: nor is one that takes the body less far than this
MAX_TRAVEL = 0.25  # of the way that feet slide back: how far the hips may move over the ground
MAX_REVERSED = 0.1  # of the mean slide: how far the slowest quarter of the frames may slide the other way


def moves_in_place(clip: Clip) -> bool:
    """Do the feet that carry the body slide steadily, while the hips stay where they are?

    The lowest heel or toe of each frame, above its own level, carries the body. Where feet stand, its mean velocity is
    near zero; where they skate, the body moves with them. (Chosen on 156 captures, none of which moves in place, and
    on their locomotion with its travel removed.)
    """
    points, leg = part_positions(clip), leg_length(clip.skeleton)
    if not points.shape[1] or len(clip) < 3:
        return False
    height = points[..., 1] - np.percentile(points[..., 1], 1, axis=0)
    lowest, carrying = height.argmin(1), height.min(1) < HEIGHT[0] * leg
    slides = np.gradient(points[..., [0, 2]], 1 / clip.fps, axis=0)[np.arange(len(clip)), lowest][carrying]
    mean = slides.mean(0)
    speed = float(np.linalg.norm(mean))
    way = speed * clip.seconds
    if (
        speed < MIN_SPEED * leg
        or way < MIN_SLIDE * leg
        or np.ptp(clip.root[:, [0, 2]], axis=0).max() > MAX_TRAVEL * way
    ):
        return False
    return bool(np.percentile(slides @ mean / speed, 25) > -MAX_REVERSED * speed)
