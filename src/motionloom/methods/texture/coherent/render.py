"""From the example frames of each part to a clip: seams are crossfaded, and the root's velocities are added up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from motionloom.core import Clip, FloatArray, IntArray, Skeleton
from motionloom.core.numbers import smootherstep
from motionloom.kinematics.local_frames import Frames, restore
from motionloom.methods.texture.cells import FrameBlend
from motionloom.methods.texture.coherent.links import Clips
from motionloom.methods.texture.coherent.parts import JointGroup
from motionloom.methods.texture.coherent.tremble import calmed
from motionloom.rotation import nearest_sign, slerp


def crossfaded(shown: IntArray, ends: Clips, half: int) -> FrameBlend:
    """The example frames (F,) with each seam crossfaded over up to `half` frames on both sides.

    The stretch before the seam continues beyond it, and the one after it begins earlier; where their clips have no more
    frames, the outermost one stands for them, so that no seam is a cut. Of the span to the next seam each takes at
    most a half.
    """
    frames = len(shown)
    other, share = shown.copy(), np.zeros(frames)
    seams = np.flatnonzero(np.diff(shown) != 1) + 1
    bounds = np.concatenate([[0], seams, [frames]])
    for at, seam in enumerate(seams.tolist()):
        a, b = int(shown[seam - 1]), int(shown[seam])
        room = ((seam - int(bounds[at])) // 2, (int(bounds[at + 2]) - seam) // 2)
        left, right = min(half, room[0]), min(half, room[1])
        s = np.arange(seam - left, seam + right)
        weight = smootherstep((s - seam + left + 0.5) / max(left + right, 1))
        before = s < seam
        other[s] = np.where(before, np.maximum(b + s - seam, ends.first[b]), np.minimum(a + 1 + s - seam, ends.last[a]))
        share[s] = np.where(before, weight, 1.0 - weight)
    more = share > 0.5  # the seam is not in the middle: the heavier one is the main one
    return FrameBlend(np.where(more, other, shown), np.where(more, shown, other), np.where(more, 1.0 - share, share))


def joint_tracks(tracks: Sequence[FrameBlend], parts: Sequence[JointGroup], joints: int) -> FrameBlend:
    """What every joint shows (F, J), from the tracks of the parts."""
    owner = np.zeros(joints, np.int64)
    for k, part in enumerate(parts):
        owner[list(part.joints)] = k
    main, other = np.stack([t.main for t in tracks], 1), np.stack([t.other for t in tracks], 1)
    return FrameBlend(main[:, owner], other[:, owner], np.stack([t.share for t in tracks], 1)[:, owner])


def render_tracks(
    frames: Frames,
    tracks: Sequence[FrameBlend],
    parts: Sequence[JointGroup],
    quick: dict[int, FloatArray],
    skeleton: Skeleton,
    fps: float,
    given: Mapping[int, FloatArray],
) -> Clip:
    """The clip of the tracks (F,) of all parts, at the origin, without labels and origin.

    `given` are velocities of the root (n, 3) that are used instead, from some frames on; `quick`: see `quick_turns`.
    """
    cells, root = joint_tracks(tracks, parts, len(skeleton)), tracks[0]
    joints = np.arange(len(skeleton))
    a, b = frames.turns[cells.main, joints], frames.turns[cells.other, joints]
    blended = cells.share > 0
    turns = a.copy()
    turns[blended] = slerp(a[blended], nearest_sign(b[blended], a[blended]), cells.share[blended])
    turns = calmed(turns, tracks, parts, quick, skeleton)
    share = root.share[:, None]
    motion = (1.0 - share) * frames.root[root.main] + share * frames.root[root.other]
    for first, velocities in given.items():
        motion[first : first + len(velocities), :3] = velocities
    return restore(Frames(turns, motion), skeleton, fps)
