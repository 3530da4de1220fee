"""Time alignment of clips: by time warping, by key times, by cycles; two clips, or many to a reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from motionloom.analysis.alignment_curve import KNOT_SECONDS, AlignmentCurve, fit_curve, from_key_times
from motionloom.analysis.comparison import FrameCosts, Measure
from motionloom.analysis.dtw import Ends, dtw_path
from motionloom.analysis.point_cloud import PointCloud
from motionloom.core import BadRequest, Clip, FloatArray, IntArray, InvalidClip, Progress, concatenate, replace, silent
from motionloom.core.progress import each, parts
from motionloom.rotation import inverse, multiply, normalize

LEAST_SWING = 0.1  # s: a foot that is off the ground for less has not taken a step
MAX_RUN = 3  # steps in a row: one clip may run up to four times as fast as the other


@dataclass(frozen=True, eq=False)
class TimeAlignment:
    """How two clips belong together in time, and what it was found from."""

    curve: AlignmentCurve  # clip 0 is A, clip 1 is B; seconds
    path: IntArray  # (P, 2) matching frames of A and B
    cost: FloatArray  # (F_a, F_b): how unlike the frames are
    unit: str  # of the costs

    @property
    def mean_cost(self) -> float:
        """Mean cost of the cells on the path."""
        return float(self.cost[self.path[:, 0], self.path[:, 1]].mean())


def align(
    a: Clip,
    b: Clip,
    *,
    measure: FrameCosts | None = None,
    limit: int | None = MAX_RUN,
    ends: Ends = "fixed",
    knot_seconds: float = KNOT_SECONDS,
    progress: Progress | None = None,
) -> TimeAlignment:
    """Which moments of `b` belong to which moments of `a`, as a strictly increasing curve (HECK 3.4).

    Costs of all pairs of frames by `measure`, the cheapest path through them with at most `limit` steps in a row, and
    a B-spline fitted to the path, which keeps to its slopes: neither clip runs more than `limit` + 1 times as fast as
    the other. The default measure is point clouds with windows of 1/60 s to each side: a long window spans different
    stretches of the action where the clips differ in speed, and pulls the path aside (tried on a warped walk: 0.2
    frames off with 1 frame to each side, 1 frame off with 5).

    Both clips are reflected at their ends for the measure's window, so that every frame has a cost. With fixed ends
    the clips begin and end together; with free ends all of `a` is matched to the stretch of `b` that fits.
    """
    measure = PointCloud(radius=max(1, round(a.fps / 60))) if measure is None else measure
    report = progress or silent()
    compared, warped, _ = parts(report, [3, 1, 1])
    cost = measure.matrix(reflected(a, measure.radius), reflected(b, measure.radius), compared)
    path = dtw_path(cost, limit=limit, ends=ends, progress=warped)
    report(0.8, "fitting a curve")
    steepest = None if not limit else limit + 1.0  # frames of one clip for a frame of the other
    curve = fit_curve(path / [a.fps, b.fps], knot_seconds=knot_seconds, limit=steepest)
    report(1.0, "fitting a curve")
    return TimeAlignment(curve, path, cost, measure.unit)


def along_curve(
    a: Clip, b: Clip, curve: AlignmentCurve, *, measure: Measure, progress: Progress | None = None
) -> TimeAlignment:
    """The alignment of a curve that is given, by key times or cycles, with what it costs under a measure."""
    cost = measure.matrix(reflected(a, measure.radius), reflected(b, measure.radius), progress)
    (begin, end), (_, last) = curve.spans[0], curve.spans[1]
    if begin < 0 or end > (len(a) - 1) / a.fps + 1e-6 or last > (len(b) - 1) / b.fps + 1e-6:
        raise BadRequest(
            f"key times outside the clips: {a.name or 'A'} ends at {(len(a) - 1) / a.fps:.2f} s, "
            f"{b.name or 'B'} at {(len(b) - 1) / b.fps:.2f} s"
        )
    frames = np.arange(int(np.ceil(begin * a.fps - 1e-6)), int(np.floor(end * a.fps + 1e-6)) + 1)
    matching = np.clip(np.round(curve.matching(frames / a.fps) * b.fps), 0, len(b) - 1)
    return TimeAlignment(curve, np.stack([frames, matching.astype(int)], 1), cost, measure.unit)


def reflected(clip: Clip, frames: int) -> Clip:
    """The clip with `frames` more at each end, so that every frame of it has a whole window around it.

    A point reflection of the motion at its first and last frame, x(-t) = 2 x(0) - x(t) and q(-t) = q(0) q(t)^-1 q(0):
    position and speed continue as they were.
    """
    count = min(frames, len(clip) - 1)
    if frames > count:
        raise InvalidClip(f"clip {clip.name!r} is too short: expected more than {frames} frames, found {len(clip)}")
    if not frames:
        return clip
    ends = []
    for at, near in ((0, slice(frames, 0, -1)), (-1, slice(-2, -2 - frames, -1))):
        turns = clip.rotations[at]
        slides = None if clip.slides is None else 2 * clip.slides[at] - clip.slides[near]
        ends.append(
            replace(
                clip[near],
                root=2 * clip.root[at] - clip.root[near],
                rotations=normalize(multiply(turns, multiply(inverse(clip.rotations[near]), turns))),
                slides=slides,
            )
        )
    return concatenate([ends[0], clip, ends[1]])


def register(
    clips: Sequence[Clip],
    reference: int = 0,
    *,
    measure: FrameCosts | None = None,
    limit: int | None = MAX_RUN,
    ends: Ends = "fixed",
    knot_seconds: float = KNOT_SECONDS,
    progress: Progress | None = None,
) -> AlignmentCurve:
    """One alignment curve for many clips of the same action: each is aligned to the reference.

    Column i is the time in clip i; u runs evenly along the reference's part that all clips share (all of it where
    ends are fixed). `BadRequest` names a clip that cannot be aligned.
    """
    if not 0 <= reference < len(clips):
        raise BadRequest(f"reference: expected the number of a clip, 0 to {len(clips) - 1}, found {reference}")
    base = clips[reference]
    curves = {}
    for i, clip in enumerate(each(clips, progress or silent(), "aligning clips", [len(c) for c in clips])):
        if i == reference:
            continue
        try:
            curves[i] = align(base, clip, measure=measure, limit=limit, ends=ends, knot_seconds=knot_seconds).curve
        except BadRequest as error:
            raise BadRequest(
                f"{clip.name or f'clip {i}'} does not fit {base.name or 'the reference'}: {error}"
            ) from None
    start = max([c.spans[0, 0] for c in curves.values()], default=0.0)
    stop = min([c.spans[0, 1] for c in curves.values()], default=(len(base) - 1) / base.fps)
    if stop <= start:
        raise BadRequest(f"the clips share no part of the reference {base.name!r}")
    times = np.linspace(start, stop, max(int(np.ceil((stop - start) * base.fps)) + 1, 4))
    columns = [times if i == reference else curves[i].matching(times) for i in range(len(clips))]
    return fit_curve(np.stack(columns, 1), at=np.linspace(0, 1, len(times)), knot_seconds=knot_seconds)


def cycle_times(clip: Clip, foot: str = "left_foot") -> FloatArray:
    """Seconds at which a cycle begins: each time `foot` comes down (its heel, or its toe where that is first).

    A contact that is interrupted for less than `LEAST_SWING` is one step: captured feet tremble.
    """
    from motionloom.kinematics.feet.contacts import contacts

    side = foot.removesuffix("_foot")
    found = {name: on for name, on in contacts(clip).items() if name in _parts(side)}
    if not found:
        raise BadRequest(f"cycles are counted by the contacts of {foot!r}, and this body has no such foot")
    down = np.any(list(found.values()), axis=0)
    on, off = (np.flatnonzero(a & ~b) + 1 for a, b in ((down[1:], down[:-1]), (down[:-1], down[1:])))
    return np.array([f / clip.fps for f in on if not (off[off <= f] > f - LEAST_SWING * clip.fps).any()])


def _parts(side: str) -> tuple[str, str]:
    return f"contact:{side}_heel", f"contact:{side}_toe"


def align_cycles(
    clips: Sequence[Clip], *, foot: str = "left_foot", starts: Sequence[ArrayLike] | None = None, smooth: bool = True
) -> AlignmentCurve:
    """Cycle k of one clip belongs to cycle k of the others (GUAN 2.3.1): the starts of cycles are the key times.

    Starts are the moments at which `foot` comes down, or `starts`, seconds for each clip. As many cycles are used as
    every clip has. Within a cycle time runs evenly (`smooth=False`, as in the source), or smoothly across the starts.
    """
    keys = [np.asarray(s, float) for s in (starts if starts is not None else [cycle_times(c, foot) for c in clips])]
    for clip, key in zip(clips, keys, strict=True):
        if len(key) < 2:
            raise BadRequest(
                f"clip {clip.name!r}: a cycle runs from one step of {foot!r} to its next, "
                f"and {len(key)} begin in the clip: expected a longer one"
            )
    count = min(len(k) for k in keys)
    return from_key_times([k[:count] for k in keys], smooth=smooth)
