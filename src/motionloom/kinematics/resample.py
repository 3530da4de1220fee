"""Cutting and joining in time: resample, crop, and clips laid end to end on the ground."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, IntArray, Progress, concatenate, silent
from motionloom.core.progress import each
from motionloom.core.watched import watched
from motionloom.kinematics.travel import ground_turn, placed, root_motion, travel
from motionloom.rotation import continuous, slerp


@watched
def resample(clip: Clip, fps: float, *, keep_end: bool = False, progress: Progress | None = None) -> Clip:
    """The same motion at another frame rate: frame k of the result is the motion at k / fps seconds.

    To fewer frames: root and slides linear, rotations by slerp (a whole ratio picks frames as they are, and no filter
    is applied). To more frames: a C1 cubic through every source frame, for root and rotations alike, so that feet
    which stand still remain so; linear steps would show as shocks at the source frames. Labels and
    provenance are those of the nearest source frame. The same rate gives the same clip.

    The last frame is the last one that fits: it lies less than 1/fps before the source's end. With `keep_end` the
    frames are spread evenly instead, first and last as in the source; time then runs wrong by half a frame at most.
    """
    if not (np.isfinite(fps) and fps > 0):
        raise BadRequest(f"fps must be positive, found {fps}")
    if fps == clip.fps:
        return clip
    steps = (len(clip) - 1) * fps / clip.fps
    count = max(int(np.floor(steps + 1e-6) if not keep_end else np.round(steps)), int(keep_end and len(clip) > 1)) + 1
    at = np.linspace(0, len(clip) - 1, count) if keep_end else np.arange(count) * (clip.fps / fps)
    at = np.where(np.abs(at - np.round(at)) < 1e-6, np.round(at), at)
    report = progress or silent()
    report(0.0, "resampling")
    made = at_frames(clip, np.minimum(at, len(clip) - 1), fps, cubic=fps > clip.fps)
    report(1.0, "resampling")
    return made


def at_frames(clip: Clip, at: FloatArray, fps: float, *, cubic: bool) -> Clip:
    """The clip at fractional frame numbers `at` (N,), in frames of the clip, as a clip of N frames at `fps`.

    Linear and slerp between frames, or with `cubic` a C1 curve through them; see `resample`.
    """
    first = np.minimum(np.floor(at).astype(np.int64), max(len(clip) - 2, 0))
    second = np.minimum(first + 1, len(clip) - 1)
    t = at - first
    if cubic and len(clip) > 2:
        low = max(int(first.min()) - 1, 0)  # only frames that the curve needs
        used, at_first = slice(low, int(first.max()) + 3), first - low
        root = _cubic(clip.root[used], at_first, t)
        slides = None if clip.slides is None else _cubic(clip.slides[used], at_first, t)
        rotations = _cubic_turns(continuous(clip.rotations[used]), at_first, t)
    else:
        root = _linear(clip.root, first, second, t)
        slides = None if clip.slides is None else _linear(clip.slides, first, second, t)
        rotations = continuous(slerp(clip.rotations[first], clip.rotations[second], t[:, None]))
    nearest = np.minimum(np.round(at).astype(np.int64), len(clip) - 1)
    labels = None if clip.labels is None else clip.labels[nearest]
    return Clip(clip.skeleton, root, rotations, fps, clip.label_names, labels, slides, clip.origin.at(at))


def _linear(values: FloatArray, first: IntArray, second: IntArray, t: FloatArray) -> FloatArray:
    u = t.reshape(-1, *[1] * (values.ndim - 1))
    return (1 - u) * values[first] + u * values[second]


def _cubic(values: FloatArray, first: IntArray, t: FloatArray) -> FloatArray:
    """Cubic Hermite with central-difference tangents (Catmull-Rom); one-sided at the ends."""
    tangent = np.gradient(values, axis=0)
    u = t.reshape(-1, *[1] * (values.ndim - 1))
    a, b = values[first], values[first + 1]
    p, q = tangent[first], tangent[first + 1]
    return a + u * p + u**2 * (3 * (b - a) - 2 * p - q) + u**3 * (2 * (a - b) + p + q)


def _cubic_turns(q: FloatArray, first: IntArray, t: FloatArray) -> FloatArray:
    """The same curve on rotations: a Bezier curve of slerps (Shoemake 1985), tangents by central differences."""
    from motionloom.kinematics._kernels_resample import control_turns, cubic_turns

    turns = np.array(q, float, order="C")
    ahead, behind = np.empty_like(turns), np.empty_like(turns)
    control_turns(turns, ahead, behind)
    out = np.empty((len(first), *turns.shape[1:]))
    cubic_turns(turns, ahead, behind, first, np.array(t, float), out)
    return continuous(out)


def crop(clip: Clip, start: float = 0.0, end: float | None = None) -> Clip:
    """The part from `start` to `end` seconds, `end` excluded (None: to the end), at the nearest frames."""
    stop = clip.seconds if end is None else end
    if not 0 <= start < stop or stop > clip.seconds + 0.5 / clip.fps:
        raise BadRequest(f"cannot crop {start:g} s to {stop:g} s out of a clip of {clip.seconds:g} s")
    a, b = round(start * clip.fps), round(stop * clip.fps)
    if b <= a:
        raise BadRequest(f"no frame between {start:g} s and {stop:g} s at {clip.fps:g} fps")
    return clip[a:b]


def concatenate_aligned(clips: Sequence[Clip], progress: Progress | None = None) -> Clip:
    """Clips one after the other, each moved and turned on the ground so that it continues where the last one ended.

    The step over the cut is the mean of the step before it and the step after it, each in its own heading frame, so
    the body neither stalls nor skates there. Poses are cut, not blended.
    """
    out = list(clips[:1])
    for clip in each(clips[1:], progress or silent(), "joining"):
        before = out[-1]
        steps = [root_motion(c)[i] for c, i in ((before, -2), (clip, 0)) if len(c) > 1]
        step = np.mean(steps, axis=0) if steps else np.zeros(3)
        path = travel(before)
        place = path.place[-1] + ground_turn(path.heading[-1], step[:2])
        out.append(placed(clip, place, float(path.heading[-1] + step[2])))
    return concatenate(out)
