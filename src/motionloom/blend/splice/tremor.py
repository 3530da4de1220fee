"""Tremor of the lower clip, which a splice would pass on to the upper body, and how it is left out (beyond HECK).

Captures tremble where markers were lost: the spine of CMU's 16_11 at 900 degrees per second in its first frames, its
hips near frame 398. HECK's alignment follows the shoulders in every frame, and the head is farther from the hips than
they are, so that it moves faster than in either clip. So it does where the shoulders of the action tremble (17_10).
"""

from __future__ import annotations

import numpy as np

from motionloom.blend.splice.posture import PartPose
from motionloom.core import BoolArray, FloatArray
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.feet.smoothing import GAUSSIAN_REACH, envelope, gaussian
from motionloom.rotation import angle_between, inverse, multiply, rotate, slerp

SMOOTHING = 0.03  # s: deviation of the Gaussian between slow movements and tremor (above about 5 Hz)
NEAR = 0.05  # s: the frames around a tremor that count as part of it
LEAST = np.radians(1.5)  # a smaller tremor is that of a good capture, and stays,
RATIO = 5.0  # as does one that is not so many times larger than the median of the clip's


def slow_part(turns: FloatArray, fps: float) -> FloatArray:
    """(F, 4) rotations without their fast movements; both ends are extended by point reflection."""
    from motionloom.blend.splice._kernels_tremor import slow_turns

    deviation, out = SMOOTHING * fps, np.empty(np.shape(turns))
    reach = max(1, int(np.ceil(GAUSSIAN_REACH * deviation)))
    taps = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    slow_turns(np.ascontiguousarray(turns), taps, out)
    return out


def _share(excess: FloatArray, limit: float, fps: float) -> FloatArray:
    """(F,) 0..1: how much of the movement around each frame is tremor, by how far it exceeds a limit."""
    return np.asarray(smoothstep(envelope(excess, max(1, round(NEAR * fps))) / limit))


def _excess(turns: FloatArray, slow: FloatArray) -> tuple[FloatArray, float]:
    """(F,) rad by which tremor exceeds the limit of the clip, and that limit."""
    size = angle_between(turns, slow)
    limit = max(LEAST, RATIO * float(np.median(size)))
    return np.maximum(size - limit, 0.0), limit


def steadied(turns: FloatArray, fps: float) -> tuple[FloatArray, BoolArray]:
    """Rotations (F, 4) without tremor, and (F,) the frames in which they had any; all others keep their bits."""
    slow = slow_part(turns, fps)
    return _exchanged(turns, slow, _share(*_excess(turns, slow), fps))


def _exchanged(turns: FloatArray, target: FloatArray, share: FloatArray) -> tuple[FloatArray, BoolArray]:
    trembles = share > 0
    if not trembles.any():
        return turns, trembles
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

    `local` is aligned to the lower clip's cloud (4.2.3). Fast movements are taken from the action where the lower clip
    trembles, and where the action's cloud trembles and this calms its far joint: the head of an action with shaking
    shoulders would shake, too, if its shoulders were held to those of the walk.
    Of the lower clip, the posture's frame is steadied, in which the posture is turned (4.2.4).
    """
    shape = lower.cloud.mean(0)
    chest, own = chest_turns(lower, shape), chest_turns(upper, shape)
    slow, slow_own = slow_part(chest, fps), slow_part(own, fps)
    (excess, limit), (more, own_limit) = _excess(chest, slow), _excess(own, slow_own)
    calm, trembles = chest, np.zeros(len(chest), bool)
    if excess.any() or more.any():
        target = multiply(slow, multiply(inverse(slow_own), own))
        share = _share(excess, limit, fps)
        if more.any():
            far = rotate(multiply(lower.above, local), upper.far)
            with_own = rotate(multiply(target, inverse(chest)), far)
            helps = _unrest(with_own, fps) < _unrest(far, fps)
            share = np.maximum(share, _share(np.where(helps, more, 0.0), own_limit, fps))
        calm, trembles = _exchanged(chest, target, share)
        change = multiply(inverse(lower.above), multiply(multiply(calm, inverse(chest)), lower.above))
        local = np.where(trembles[:, None], multiply(change, local), local)
    frame, shaken = steadied(lower.frame, fps)
    return local, lower._replace(frame=frame), trembles | shaken


def _unrest(points: FloatArray, fps: float) -> FloatArray:
    """(F,) m: how far points (F, 3) are from their slow movement at most, around each frame."""
    away = np.linalg.norm(points - gaussian(points, SMOOTHING * fps), axis=1)
    return envelope(away, max(1, round(NEAR * fps)))
