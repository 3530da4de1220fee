"""Quick motion of the trunk, which limbs of other frames must not inherit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import Clip, FloatArray, Skeleton
from motionloom.kinematics.local_frames import observe
from motionloom.methods.texture.cells import Track
from motionloom.methods.texture.coherent.parts import Part
from motionloom.rotation import continuous, exp, inverse, log, multiply, nearest_sign, normalize, slerp

QUICK = 0.05  # s: deviation of the Gaussian; what it leaves out of a rotation is quick
LARGEST = 0.03  # rad: a larger difference from the smoothed rotation is motion, not trembling


def tops(part: Part, skeleton: Skeleton) -> list[int]:
    """The joints of a part that hang on another one."""
    return [j for j in part.joints if int(skeleton.parents[j]) not in part.joints]


def quick_turns(clips: Sequence[Clip], parts: Sequence[Part]) -> dict[int, FloatArray]:
    """By joint on which a limb hangs: (N, 4) H = S^-1 Q of all frames, Q its rotation and S that smoothed over time.

    In a capture a trunk and its arms turn against each other where the trunk trembles, so that hands stay calm.
    """
    skeleton = clips[0].skeleton
    joints = {int(skeleton.parents[j]) for part in parts[1:] for j in tops(part, skeleton)}
    rows: dict[int, list[FloatArray]] = {j: [] for j in joints}
    for clip in clips:
        turns = observe(clip).turns
        for joint in joints:
            whole = turns[:, 0]
            for k in skeleton.chain(joint)[1:]:
                whole = multiply(whole, turns[:, k])
            rows[joint].append(_small(multiply(inverse(_smooth(whole, QUICK * clip.fps)), whole)))
    return {joint: np.concatenate(all_rows) for joint, all_rows in rows.items()}


def calmed(
    turns: FloatArray,
    tracks: Sequence[Track],
    parts: Sequence[Part],
    quick: dict[int, FloatArray],
    skeleton: Skeleton,
) -> FloatArray:
    """Rotations (F, J, 4) in which limbs follow the quick motion of the trunk that they come from, not of this one.

    q' = H_n^-1 H_m q, for the frames n of the trunk and m of the limb: nothing changes where both are the same.
    """
    out = turns.copy()
    for part, track in zip(parts[1:], tracks[1:], strict=True):
        for j in tops(part, skeleton):
            rows = quick[int(skeleton.parents[j])]
            change = multiply(inverse(_blended(rows, tracks[0])), _blended(rows, track))
            out[:, j] = normalize(multiply(change, turns[:, j]))
    return out


def _blended(rows: FloatArray, track: Track) -> FloatArray:
    a, b = rows[track.main], rows[track.other]
    return slerp(a, nearest_sign(b, a), track.share)


def _small(turns: FloatArray) -> FloatArray:
    """Rotations of at most `LARGEST`: larger ones are real motion, and count as this."""
    vectors = log(turns)
    angles = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return exp(vectors * np.minimum(1.0, LARGEST / np.maximum(angles, 1e-12)))


def _smooth(turns: FloatArray, deviation: float) -> FloatArray:
    from scipy.ndimage import gaussian_filter1d

    return normalize(gaussian_filter1d(continuous(turns), deviation, axis=0, mode="nearest"))
