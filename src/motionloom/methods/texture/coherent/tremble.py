"""Quick motion of the trunk, which limbs of other frames must not inherit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import Clip, FloatArray, Skeleton
from motionloom.kinematics.local_frames import observe
from motionloom.methods.texture.cells import FrameBlend
from motionloom.methods.texture.coherent.parts import JointGroup
from motionloom.rotation import angle_between, continuous, exp, inverse, log, multiply, nearest_sign, normalize, slerp

QUICK = 0.05  # s: deviation of the Gaussian; what it leaves out of a rotation is quick
STILL = np.radians(0.01)  # rad: a joint that turns less never turns
LARGEST = 0.03  # rad: a larger difference from the smoothed rotation is motion, not trembling


def tops(part: JointGroup, skeleton: Skeleton) -> list[int]:
    """The joints of a part that hang on another one."""
    return [j for j in part.joints if int(skeleton.parents[j]) not in part.joints]


def turned_joints(clips: Sequence[Clip], part: JointGroup) -> list[int]:
    """The joints that bear the corrections of a part: those that hang on another part, or, where these never turn in
    the clips, as the collar bones of many captures, the first ones below that do."""
    skeleton, out = clips[0].skeleton, []
    for j in tops(part, skeleton):
        below = [k for k in part.joints if skeleton.parents[k] == j]
        while len(below) == 1 and all(
            angle_between(clip.rotations[:, j], clip.rotations[:1, j]).max() < STILL for clip in clips
        ):
            j = below[0]
            below = [k for k in part.joints if skeleton.parents[k] == j]
        out.append(j)
    return out


def quick_turns(clips: Sequence[Clip], parts: Sequence[JointGroup]) -> dict[int, FloatArray]:
    """By joint that bears corrections: (N, 4) H = S^-1 Q of all frames, Q the rotation of what the limb hangs on and S
    that smoothed over time.

    In a capture a trunk and its arms turn against each other where the trunk trembles, so that hands stay calm.
    """
    skeleton = clips[0].skeleton
    seen = [observe(clip).turns for clip in clips]
    out, known = {}, dict[int, FloatArray]()
    for part in parts[1:]:
        for top, joint in zip(tops(part, skeleton), turned_joints(clips, part), strict=True):
            bearer = int(skeleton.parents[top])
            if bearer not in known:
                rows = []
                for clip, turns in zip(clips, seen, strict=True):
                    whole = turns[:, 0]
                    for k in skeleton.chain(bearer)[1:]:
                        whole = multiply(whole, turns[:, k])
                    rows.append(_small(multiply(inverse(_smooth(whole, QUICK * clip.fps)), whole)))
                known[bearer] = np.concatenate(rows)
            out[joint] = known[bearer]
    return out


def calmed(
    turns: FloatArray,
    tracks: Sequence[FrameBlend],
    parts: Sequence[JointGroup],
    quick: dict[int, FloatArray],
    skeleton: Skeleton,
) -> FloatArray:
    """Rotations (F, J, 4) in which limbs follow the quick motion of the trunk that they come from, not of this one.

    q' = H_n^-1 H_m q, for the frames n of the trunk and m of the limb: nothing changes where both are the same. Joints
    c above q that never turn stay: then q' = c^-1 H_n^-1 H_m c q.
    """
    out = turns.copy()
    for part, track in zip(parts[1:], tracks[1:], strict=True):
        for j in sorted(quick.keys() & set(part.joints)):
            change = multiply(inverse(_blended(quick[j], tracks[0])), _blended(quick[j], track))
            for k in skeleton.chain(j)[:-1]:
                if k in part.joints:
                    change = multiply(multiply(inverse(turns[:, k]), change), turns[:, k])
            out[:, j] = normalize(multiply(change, turns[:, j]))
    return out


def _blended(rows: FloatArray, track: FrameBlend) -> FloatArray:
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
