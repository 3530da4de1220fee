"""Transition points: the frames where one clip is left and the other entered, and the placement of the second."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.analysis.comparison import Measure, require_comparable
from motionloom.analysis.point_cloud import PointCloud
from motionloom.analysis.similarity import readable
from motionloom.core import BadRequest, BoolArray, Clip, NoPath, Progress
from motionloom.kinematics.body.proportions import on_skeleton, same_bones
from motionloom.kinematics.feet.contacts import contacts as find_contacts
from motionloom.kinematics.fk import fk
from motionloom.kinematics.ground_alignment import Alignment, ground_alignment

SEARCH = 1.5  # seconds at the end of A and at the start of B in which a transition is looked for: a stride and more


class Point(NamedTuple):
    """A transition point (t_o^1, t_o^2) of HECK 3.3: frame `a` of the first clip goes over into `b` of the second."""

    a: int
    b: int
    distance: float  # in the unit of the measure that chose it; NaN where the point was given


def transition_point(
    a: Clip,
    b: Clip,
    *,
    half: int = 0,
    search: float = SEARCH,
    measure: Measure | None = None,
    contacts: bool = False,
    threshold: float | None = None,
    progress: Progress | None = None,
) -> Point:
    """The pair of frames that look most alike, near the end of `a` and the start of `b` (HECK 3.3, step 1).

    It lies in the last `search` seconds of `a` and the first of `b`, with `half` frames plus the measure's radius to
    spare on both sides, so that a window of 2 `half` frames fits into both clips. With `contacts`, only frames with the
    same feet on the ground; with `threshold` (metres for point clouds, else in the measure's unit), of all pairs within
    it the one that leaves out least of both clips. `NoPath` if there is no such pair.
    """
    if not (np.isfinite(search) and search > 0):
        raise BadRequest(f"a transition is looked for in more than 0 s of both clips, found {search:g} s")
    measure = PointCloud() if measure is None else measure
    spare = half + measure.radius
    shortest = 2 * spare + 1
    require_comparable(a, b, shortest=shortest, why=f"a transition of {2 * half / a.fps:g} s ({2 * half + 1} frames)")
    reach = max(1, round(search * a.fps))
    first_a = max(0, len(a) - spare - reach - measure.radius)
    part_a = a[max(first_a, half) : len(a) - half]
    last_b = min(len(b) - half, half + 2 * measure.radius + reach)
    part_b = b[half:last_b]
    comparison = measure.prepare(part_a, part_b)
    cost = comparison.matrix(progress)
    first = (max(first_a, half) + comparison.first[0], half + comparison.first[1])
    allowed = np.ones(cost.shape, bool)
    if contacts:
        allowed &= _same_feet(a, b, first, cost.shape)
        if not allowed.any():
            raise NoPath(f"no frames with the same feet on the ground in the {search:g} s that are searched")
    chosen = np.where(allowed, cost, np.inf)
    if threshold is not None:
        limit = threshold**2 if measure.unit == "m^2" else threshold
        if chosen.min() > limit:
            (given, nearest), unit = readable(measure.unit, np.array([limit, chosen.min()]))
            within = f"{given:g} {unit.split(' (')[0]}"
            raise NoPath(f"no pair of frames within a threshold of {within}: the nearest is {nearest:.3g} {unit} apart")
        left_out = (cost.shape[0] - 1 - np.arange(cost.shape[0]))[:, None] + np.arange(cost.shape[1])
        chosen = np.where(chosen <= limit, left_out + chosen / (1 + limit) / 2, np.inf)
    row, column = np.unravel_index(int(np.argmin(chosen)), cost.shape)
    return Point(int(first[0] + row), int(first[1] + column), float(cost[row, column]))


def _same_feet(a: Clip, b: Clip, first: tuple[int, int], shape: tuple[int, ...]) -> BoolArray:
    """(rows, columns) whether frames first + (row, column) have the same feet on the ground."""
    feet = [find_contacts(clip) for clip in (a, b)]
    if not feet[0]:
        raise BadRequest("contacts: this body has no feet")
    on_a, on_b = (
        np.stack([found[name] for name in sorted(feet[0])], 1)[at : at + count]
        for found, at, count in zip(feet, first, shape, strict=True)
    )
    return np.asarray((on_a[:, None] == on_b[None]).all(-1))


def point_at(a: Clip, b: Clip, at: tuple[float, float], half: int) -> Point:
    """The transition point at given seconds of both clips, checked: the window must fit into both."""
    frames = [round(t * clip.fps) for t, clip in zip(at, (a, b), strict=True)]
    for clip, frame, name in ((a, frames[0], "A"), (b, frames[1], "B")):
        if not half <= frame < len(clip) - half:
            last = (len(clip) - 1 - half) / clip.fps
            raise BadRequest(
                f"clip {clip.name or name!r}: a transition with {half} frames to each side lies between "
                f"{half / clip.fps:.3g} s and {last:.3g} s, found {frame / clip.fps:.3g} s"
            )
    return Point(frames[0], frames[1], float("nan"))


def same_body(a: Clip, b: Clip) -> Clip:
    """Clip `b` on the skeleton of `a`, or a refusal: other joints, or another frame rate."""
    require_comparable(a, b, shortest=2, why="a transition")
    if same_bones(a.skeleton, b.skeleton):
        return b
    return on_skeleton(b, a.skeleton)


def laid_on(a: Clip, b: Clip, point: Point, *, radius: int) -> Alignment:
    """The turn and shift on the ground that lay `b` on `a` at the point (HECK 3.2-3.4), over `radius` frames around it.

    Where a clip ends sooner the window is cut there, on both sides alike.
    """
    before = min(radius, point.a, point.b)
    after = min(radius, len(a) - 1 - point.a, len(b) - 1 - point.b)
    p = fk(a[point.a - before : point.a + after + 1])
    q = fk(b[point.b - before : point.b + after + 1])
    return ground_alignment(p.reshape(-1, 3), q.reshape(-1, 3), np.ones(p.size // 3))


def half_window(seconds: float, fps: float) -> int:
    """Half a window in frames, at least 1."""
    if not (np.isfinite(seconds) and seconds > 0):
        raise BadRequest(f"a transition needs a window longer than 0 s, found {seconds:g} s")
    return max(1, round(seconds * fps / 2))
