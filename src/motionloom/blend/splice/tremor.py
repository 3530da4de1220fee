"""Tremor of the lower clip, which a splice would pass on to the upper body, and how it is left out (beyond HECK).

Captures tremble where markers were lost: the spine of CMU's 16_11 at 900 degrees per second in its first frames, its
hips near frame 398. HECK's alignment follows the shoulders in every frame, and the head is farther from the hips than
they are, so that it moves faster than in either clip.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from motionloom.blend.splice.posture import PartPose
from motionloom.core import BoolArray, FloatArray
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.feet.smoothing import GAUSSIAN_REACH, envelope, gaussian
from motionloom.rotation import angle_between, continuous, inverse, multiply, normalize, slerp

SMOOTHING = 0.03  # s: deviation of the Gaussian between slow movements and tremor (above about 5 Hz)
NEAR = 0.05  # s: the frames around a tremor that count as part of it
LEAST = np.radians(1.5)  # a smaller tremor is that of a good capture, and stays,
RATIO = 5.0  # as does one that is not so many times larger than the median of the clip's


def slow_part(turns: FloatArray, fps: float) -> FloatArray:
    """(F, 4) rotations without their fast movements; both ends are extended by point reflection."""
    deviation = SMOOTHING * fps
    reach = min(int(np.ceil(GAUSSIAN_REACH * deviation)), len(turns) - 1)
    front = multiply(turns[0], multiply(inverse(turns[reach:0:-1]), turns[0]))
    back = multiply(turns[-1], multiply(inverse(turns[-2 : -2 - reach : -1]), turns[-1]))
    longer = continuous(np.concatenate([front, turns, back]))
    return normalize(gaussian(longer, deviation)[reach : reach + len(turns)])


def tremor(turns: FloatArray, fps: float) -> FloatArray:
    """(F,) rad: how far rotations are from their slow part."""
    return angle_between(turns, slow_part(turns, fps))


def steadied(
    turns: FloatArray, fps: float, like: Callable[[], FloatArray] | None = None
) -> tuple[FloatArray, BoolArray]:
    """Rotations (F, 4) without tremor, and (F,) the frames in which they had any; all others keep their bits.

    With `like`, which returns (F, 4), the fast movements of these rotations take the place of the tremor, so that
    nothing changes where both are the same.
    """
    slow = slow_part(turns, fps)
    size = angle_between(turns, slow)
    limit = max(LEAST, RATIO * float(np.median(size)))
    if size.max() <= limit:
        return turns, np.zeros(len(turns), bool)
    share = smoothstep(envelope(np.maximum(size - limit, 0.0), max(1, round(NEAR * fps))) / limit)
    own = None if like is None else like()
    target = slow if own is None else multiply(slow, multiply(inverse(slow_part(own, fps)), own))
    trembles = share > 0
    return np.where(trembles[:, None], slerp(turns, target, share), turns), trembles


def chest_turns(part: PartPose, shape: FloatArray) -> FloatArray:
    """(F, 4) world rotations of a part as a whole: those that take a cloud of this shape (K, 3) nearest to its own."""
    from motionloom.blend.splice._kernels import best_rotations

    turn = np.empty((len(part.cloud), 4))
    same = np.ascontiguousarray(np.broadcast_to(shape, part.cloud.shape))
    best_rotations(same, np.ascontiguousarray(part.cloud), turn)
    return multiply(multiply(part.above, part.local), turn)


def without_tremor(
    upper: PartPose, lower: PartPose, local: FloatArray, fps: float
) -> tuple[FloatArray, PartPose, BoolArray]:
    """Rotations of the attachment (F, 4) and the lower clip without its tremor, and (F,) the frames with any.

    `local` is aligned to the lower clip's cloud (4.2.3); its part with the tremor is replaced by what the action shows.
    Of the lower clip, the posture's frame is steadied, in which the posture is turned (4.2.4).
    """
    shape = lower.cloud.mean(0)
    chest = chest_turns(lower, shape)
    calm, trembles = steadied(chest, fps, lambda: chest_turns(upper, shape))
    if trembles.any():
        change = multiply(inverse(lower.above), multiply(multiply(calm, inverse(chest)), lower.above))
        local = np.where(trembles[:, None], multiply(change, local), local)
    frame, shaken = steadied(lower.frame, fps)
    return local, lower._replace(frame=frame), trembles | shaken
