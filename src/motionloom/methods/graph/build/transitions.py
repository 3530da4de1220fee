"""From clips to a motion graph: which frames are alike enough to go over from one to the other (GUAN 2.4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from motionloom.analysis.comparison import Comparison, Measure
from motionloom.analysis.curvature import Curvature
from motionloom.analysis.point_cloud import PointCloud
from motionloom.analysis.similarity import measure_named
from motionloom.analysis.weights import joint_weights
from motionloom.blend.point import half_window, same_body
from motionloom.core import BadRequest, Clip, FloatArray, IntArray, Progress, concatenate, part, silent
from motionloom.core.progress import each, parts
from motionloom.kinematics.feet.contacts import contact_array, foot_parts, with_contacts
from motionloom.kinematics.fk import fk
from motionloom.methods.graph.build.alignment import lay_all, spans
from motionloom.methods.graph.build.blend_check import Rough, find_rough, none_rough
from motionloom.methods.graph.build.point_clouds import Clouds, clouds, near
from motionloom.methods.graph.build.thinning import Thinner
from motionloom.methods.graph.build.thresholds import LIMIT, SHARE, likely_limit
from motionloom.methods.graph.graph import Graph, Transitions
from motionloom.methods.graph.labels import Limits, label_sets, limit_table, read_limits

__all__ = ["LIMIT", "REACH", "SHARE", "Built", "build", "build_told", "find_transitions", "ready", "similar_pairs"]

TILE = 1024  # rows and columns of the matrix computed at a time
COMPARED = 0.8  # comparing frames as a share of finding transitions
STEP = 1 / 40  # s: bounds are tried for this long a stretch at a time first
REACH = {"joint-angles": 1, "joint-positions": 2, "curvature": 6}  # frames to each side that a frame's features need

Tiles = Iterator[tuple[IntArray, FloatArray]]


def find_transitions(
    clips: Sequence[Clip],
    *,
    measure: str = "point-cloud",
    window: float = 0.35,
    blend: float = 0.4,
    limit: float | None = None,
    limits: Limits | str = "",
    minima: bool = True,
    apart: float = 0.1,
    shortest: float = 0.5,
    contacts: bool = False,
    most: int | None = None,
    plants: bool = True,
    progress: Progress | None = None,
) -> Transitions:
    """All pairs of frames that are alike enough for a transition, in both directions, and how it lies on the ground.

    A pair must be at or below `limit`: for point clouds the root mean square distance of the joints in metres (default
    0.08), for other measures a value in their own unit (default: what 0.5 % of all pairs do not exceed). `limits` says
    it for pairs of labels: {("walk", "jog"): 0.09} or "walk jog 9cm"; where several hold, the strictest. With `minima`
    only pairs that are most alike within `apart` seconds in both clips (GUAN 2.4.1), else all. Frames of one clip less
    than `shortest` seconds apart are left out; so are frames without `blend` / 2 seconds of clip on either side. With
    `contacts` the same heels and toes stand in both frames. `window` is how many seconds of motion around each frame
    the measure looks at (point clouds, curvature). With `most`, the best of each little square of frames, squares as
    small as that allows (see `Thinner`). With `plants` feet that stand over a transition decide how it lies (see
    `lay_all`). Clips are taken as `ready` makes them.
    """
    report = progress or silent()
    _, tiles = similar_pairs(
        clips,
        measure=measure,
        window=window,
        blend=blend,
        limit=limit,
        limits=limits,
        minima=minima,
        apart=apart,
        shortest=shortest,
        progress=part(report, 0.0, COMPARED),
    )
    if contacts:
        tiles = _standing_alike(tiles, _stances(clips))
    a, b, distance = _gathered(tiles, clips, most)
    if not len(a):
        return _empty()
    half = half_window(blend, clips[0].fps)
    a, b, distance = np.concatenate([a, b]), np.concatenate([b, a]), np.concatenate([distance, distance])
    order = np.lexsort((b, a))
    a, b, distance = a[order], b[order], distance[order]
    turn, shift = lay_all(clips, a, b, half, part(report, COMPARED, 1.0), plants=plants)
    return Transitions(a, b, distance, turn, shift)


def similar_pairs(
    clips: Sequence[Clip],
    *,
    measure: str = "point-cloud",
    window: float = 0.35,
    blend: float = 0.4,
    limit: float | None = None,
    limits: Limits | str = "",
    minima: bool = True,
    apart: float = 0.1,
    shortest: float = 0.5,
    progress: Progress | None = None,
) -> tuple[float, Tiles]:
    """The limit, and tile by tile the pairs of frames a < b (n, 2) that are alike enough, with how unlike they are.

    Settings are those of `find_transitions`, which is made of them.
    """
    _check(clips, limit=limit, apart=apart, shortest=shortest)
    report = progress or silent()
    fps = clips[0].fps
    half = half_window(blend, fps)
    chosen = _measure(measure, window, fps, clips)
    span = spans(clips, max(half, chosen.radius + REACH.get(measure, 0)))
    found = label_sets(clips)
    if not (span[:, 0] < span[:, 1]).any():
        return 0.0, iter([(np.empty((0, 2), np.int64), np.empty(0))])
    given = read_limits(limits) if isinstance(limits, str) else limits
    radius = max(1, round(apart * fps)) if minima else 0
    step, least = (max(1, round(t * fps)) for t in (STEP, shortest))
    if isinstance(chosen, PointCloud):
        most = LIMIT if limit is None else limit
        table = limit_table(found, most, given)
        return most, near(
            _clouds(clips, span, chosen), found.of, table, step=step, radius=radius, apart=least, progress=report
        )
    comparison = chosen.prepare(*[concatenate(clips)] * 2)
    most = likely_limit(comparison, span) if limit is None else limit
    table = limit_table(found, most, given)
    if not isinstance(chosen, Curvature):
        table = table.astype(np.float32)  # as the values are: a pair just at the limit stays in
    return most, _tiles(comparison, _Rules(span, found.of, table, radius, least), report)


def build(clips: Sequence[Clip], *, blend: float = 0.4, **settings: Any) -> Graph:
    """A motion graph of clips: their contacts as labels, and all transitions (`find_transitions` says with what).

    Transitions in which a joint flips over or turns too fast are left out (see `rough`). `prune` then takes away what
    leads nowhere.
    """
    return build_told(clips, blend=blend, **settings).graph


class Built(NamedTuple):
    """A graph, and what was left out of it."""

    graph: Graph
    rough: Rough  # of all transitions within the limit


def build_told(
    clips: Sequence[Clip],
    *,
    blend: float = 0.4,
    linear: bool = False,
    drop_rough: bool = True,
    progress: Progress | None = None,
    **settings: Any,
) -> Built:
    """As `build`, with what was found to be rough; `linear` and `drop_rough` as in `GraphConfig`."""
    prepared, compared, checked = parts(progress or silent(), [1, 6, 3])
    made = ready(clips, prepared)
    moves = find_transitions(made, blend=blend, plants=not linear, **settings, progress=compared)
    whole = Graph(made, moves, half_window(blend, made[0].fps), linear)
    found = find_rough(whole, progress=checked) if drop_rough else none_rough(whole)
    return Built(replace(whole, transitions=moves[~found.marked]), found)


def ready(clips: Sequence[Clip], progress: Progress | None = None) -> tuple[Clip, ...]:
    """Clips as a graph needs them: all on the first one's skeleton, at one frame rate, with contacts as labels."""
    _check(clips)
    order = each(clips, progress or silent(), "finding contacts", [len(clip) for clip in clips])
    return tuple(with_contacts(same_body(clips[0], clip)) for clip in order)


def _check(clips: Sequence[Clip], **settings: float | None) -> None:
    if not clips:
        raise BadRequest("a motion graph needs at least one clip, found none")
    for name, value in settings.items():
        if value is not None and not (np.isfinite(value) and value >= 0):
            raise BadRequest(f"{name}: expected a number from 0 up, found {value}")


class _Rules(NamedTuple):
    """What `choose` needs beside the values."""

    span: IntArray
    kind: IntArray
    table: Any
    radius: int
    apart: int


def _measure(name: str, window: float, fps: float, clips: Sequence[Clip]) -> Measure:
    if not (np.isfinite(window) and window >= 0):
        raise BadRequest(f"window: expected 0 s or more, found {window}")
    measure = measure_named(name, radius=round(window * fps / 2), database=clips)
    if isinstance(measure, Curvature):
        # Where one clip ends and the next begins, paths bend ten thousand times as much as anywhere else; so its values
        # are small differences of large numbers, which single precision would round to nothing.
        return replace(measure, precision="double")
    return measure


def _clouds(clips: Sequence[Clip], span: IntArray, measure: PointCloud) -> Clouds:
    points = np.concatenate([fk(c) for c in clips])
    return clouds(points, joint_weights(clips[0].skeleton, measure.weights), span, measure)


def _tiles(comparison: Comparison, rules: _Rules, progress: Progress) -> Tiles:
    """Chosen frames a < b (n, 2) and their values, tile by tile of the upper triangle."""
    from motionloom.methods.graph.build._kernels import choose

    first, size = comparison.first[0], comparison.shape[0]
    corners = [(top, left) for top in range(0, size, TILE) for left in range(top, size, TILE)]
    for top, left in each(corners, progress, "comparing frames"):
        rows, columns = ((at, min(at + TILE, size)) for at in (top, left))
        wide = [(max(0, s - rules.radius), min(size, e + rules.radius)) for s, e in (rows, columns)]
        block = comparison.block(slice(*wide[0]), slice(*wide[1]))
        corner = (wide[0][0] + first, wide[1][0] + first)
        inner = (rows[0] - wide[0][0], rows[1] - wide[0][0], columns[0] - wide[1][0], columns[1] - wide[1][0])
        yield choose(block, corner, inner, *rules)


def _standing_alike(tiles: Tiles, stances: IntArray) -> Tiles:
    for pairs, values in tiles:
        keep = stances[pairs[:, 0]] == stances[pairs[:, 1]]
        yield pairs[keep], values[keep]


def _gathered(tiles: Tiles, clips: Sequence[Clip], most: int | None) -> tuple[IntArray, IntArray, FloatArray]:
    """All tiles together, thinned to `most` transitions (both directions counted)."""
    if most is None:
        found = list(tiles)
        pairs, values = np.concatenate([p for p, _ in found]), np.concatenate([v for _, v in found])
    else:
        thinner = Thinner(np.concatenate([[0], np.cumsum([len(c) for c in clips])]), most // 2)
        for tile in tiles:
            thinner.add(*tile)
        pairs, values = thinner.result()
    return pairs[:, 0], pairs[:, 1], values.astype(float)


def _stances(clips: Sequence[Clip]) -> IntArray:
    """(N,) which heels and toes stand in each frame, as one number."""
    parts = foot_parts(clips[0].skeleton)
    if not parts:
        raise BadRequest("contacts: this body has no feet, so frames cannot be told apart by them")
    power = 2 ** np.arange(len(parts))
    return np.concatenate([contact_array(c) @ power for c in clips])


def _empty() -> Transitions:
    none = np.empty(0, np.int64)
    return Transitions(none, none, np.empty(0), np.empty(0), np.empty((0, 2)))
