"""Build a motion graph from clips: transitions between similar frames (GUAN 2.4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from motionloom.analysis.cloud_search import Clouds, build_clouds, clip_spans, near_pairs
from motionloom.analysis.comparison import ClipComparison
from motionloom.analysis.point_cloud import PointCloud
from motionloom.analysis.similarity import AnyMeasure, measure_named
from motionloom.analysis.weights import joint_weights
from motionloom.blend.transition_point import half_window, same_body
from motionloom.core import BadRequest, Clip, FloatArray, IntArray, Progress, part, silent
from motionloom.core.progress import each, parts
from motionloom.kinematics.feet.contacts import contact_array, foot_parts, with_contacts
from motionloom.kinematics.fk import fk
from motionloom.methods.graph.build.blend_check import RoughTransitions, find_rough_transitions, no_rough_transitions
from motionloom.methods.graph.build.distance_limits import (
    DEFAULT_LIMIT,
    DEFAULT_SHARE,
    Limits,
    estimate_limit,
    limit_table,
    read_limits,
)
from motionloom.methods.graph.build.ground_alignment import align_transitions
from motionloom.methods.graph.build.thinning import Thinner
from motionloom.methods.graph.graph import Graph, Transitions
from motionloom.methods.graph.labels import label_sets

__all__ = [
    "DEFAULT_LIMIT",
    "DEFAULT_SHARE",
    "FEATURE_RADIUS",
    "BuiltGraph",
    "build_graph",
    "build_with_report",
    "find_transitions",
    "graph_clips",
    "similar_pairs",
]

TILE = 1024  # rows and columns of a tile of the distance matrix
MAX_TRANSITIONS = 2_000_000  # of more, as in an hour of walks, the best of each square of frames is kept
COMPARE_SHARE = 0.8  # of finding transitions, for comparing frames
BOUND_STEP = 1 / 40  # s: length of the blocks for which bounds are tested first
FEATURE_RADIUS = {
    "joint-angles": 1,
    "joint-positions": 2,
    "curvature": 6,
}  # frames to each side that a frame's features need

Tiles = Iterator[tuple[IntArray, FloatArray]]


def find_transitions(
    clips: Sequence[Clip],
    *,
    blend: float = 0.4,
    contacts: bool = False,
    most: int = MAX_TRANSITIONS,
    plants: bool = True,
    progress: Progress | None = None,
    **settings: Any,
) -> Transitions:
    """All transitions between similar frames, in both directions, with their alignment on the ground.

    `settings` are those of `similar_pairs`. With `contacts` the same heels and toes are in contact in both frames. With
    `most` (at most `MAX_TRANSITIONS`), only the best of each small square of frames is kept, with squares as small as
    possible (see `Thinner`).
    With `plants` transitions are aligned to planted feet (see `align_transitions`). Clips are those of `graph_clips`.
    """
    report = progress or silent()
    _, tiles = similar_pairs(clips, blend=blend, **settings, progress=part(report, 0.0, COMPARE_SHARE))
    if contacts:
        tiles = _same_stance(tiles, _stances(clips))
    a, b, distance = collect_pairs(tiles, clips, most)
    half = half_window(blend, clips[0].fps)
    return both_directions(clips, a, b, distance, half, plants, part(report, COMPARE_SHARE, 1.0))


def both_directions(
    clips: Sequence[Clip],
    a: IntArray,
    b: IntArray,
    distance: FloatArray,
    half: int,
    plants: bool,
    progress: Progress | None = None,
) -> Transitions:
    """The transitions from a to b and from b to a (P,), ordered and aligned."""
    if not len(a):
        return _empty()
    a, b, distance = np.concatenate([a, b]), np.concatenate([b, a]), np.concatenate([distance, distance])
    order = np.lexsort((b, a))
    a, b, distance = a[order], b[order], distance[order]
    turn, shift = align_transitions(clips, a, b, half, progress, plants=plants)
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
    """The limit, and for some rows after the other the pairs of similar frames a < b (n, 2) with their distances.

    A pair must be at or below `limit`: for point clouds the root mean square distance of the joints in metres (default
    0.08), for other measures a value in their own unit (default: that of 0.5 % of all pairs). `limits` are those of
    pairs of labels: {("walk", "jog"): 0.09} or "walk jog 9cm"; of several, the strictest applies. With `minima` only
    local minima within `apart` seconds in both clips (GUAN 2.4.1), else all pairs. Frames of one clip less than
    `shortest` seconds apart are left out, and frames without `blend` / 2 seconds of clip on either side. `window` is
    the time around each frame that the measure compares (point clouds, curvature).
    """
    _check(clips, limit=limit, apart=apart, shortest=shortest)
    report = progress or silent()
    fps = clips[0].fps
    half = half_window(blend, fps)
    chosen = _measure(measure, window, fps, clips)
    span = clip_spans(clips, max(half, chosen.radius + FEATURE_RADIUS.get(measure, 0)))
    found = label_sets(clips)
    if not (span[:, 0] < span[:, 1]).any():
        return 0.0, iter([(np.empty((0, 2), np.int64), np.empty(0))])
    given = read_limits(limits) if isinstance(limits, str) else limits
    radius = max(1, round(apart * fps)) if minima else 0
    step, least = (max(1, round(t * fps)) for t in (BOUND_STEP, shortest))
    if isinstance(chosen, PointCloud):
        most = DEFAULT_LIMIT if limit is None else limit
        table = limit_table(found, most, given)
        return most, near_pairs(
            _clouds(clips, span, chosen), found.of, table, step=step, radius=radius, apart=least, progress=report
        )
    comparison = chosen.prepare_clips(clips, span[:, 0] < span[:, 1])
    most = estimate_limit(comparison, span, least) if limit is None else limit
    table = limit_table(found, most, given).astype(np.float32)  # as the values: a pair exactly at the limit is kept
    table = np.minimum(table, np.nextafter(np.float32(comparison.rejected), np.float32(0)))
    return most, _tiles(comparison, _Rules(span, found.of, table, radius, least), report)


def build_graph(clips: Sequence[Clip], *, blend: float = 0.4, **settings: Any) -> Graph:
    """A motion graph of clips: their contacts as labels, and all transitions (settings of `find_transitions`).

    Transitions in which a joint flips over or turns too fast, or a knee bends suddenly, are left out (see
    `blend_check`). `prune` then removes dead ends.
    """
    return build_with_report(clips, blend=blend, **settings).graph


class BuiltGraph(NamedTuple):
    """A graph, and the transitions that were left out of it."""

    graph: Graph
    rough: RoughTransitions  # of all transitions within the limit


def build_with_report(
    clips: Sequence[Clip],
    *,
    blend: float = 0.4,
    linear: bool = False,
    drop_rough: bool = True,
    progress: Progress | None = None,
    **settings: Any,
) -> BuiltGraph:
    """As `build_graph`, with the rough transitions; `linear` and `drop_rough` as in `GraphConfig`."""
    prepared, compared, checked = parts(progress or silent(), [1, 6, 3])
    made = graph_clips(clips, prepared)
    transitions = find_transitions(made, blend=blend, plants=not linear, **settings, progress=compared)
    whole = Graph(made, transitions, half_window(blend, made[0].fps), linear)
    found = find_rough_transitions(whole, progress=checked) if drop_rough else no_rough_transitions(whole)
    return BuiltGraph(replace(whole, transitions=transitions[~found.marked]), found)


def graph_clips(clips: Sequence[Clip], progress: Progress | None = None) -> tuple[Clip, ...]:
    """Clips for a graph: on the skeleton of the first, at one frame rate, with contacts as labels."""
    _check(clips)
    order = each(clips, progress or silent(), "finding contacts", [len(clip) for clip in clips])
    return tuple(with_contacts(same_body(clips[0], clip)) for clip in order)


def _check(clips: Sequence[Clip], **settings: float | None) -> None:
    if not clips:
        raise BadRequest("a motion graph needs at least one clip, found none")
    for name, value in settings.items():
        if value is not None and not (np.isfinite(value) and value >= 0):
            raise BadRequest(f"{name}: expected a number of at least 0, found {value}")


class _Rules(NamedTuple):
    """Arguments of `choose_cells` beside the values."""

    span: IntArray
    kind: IntArray
    table: Any
    radius: int
    apart: int


def _measure(name: str, window: float, fps: float, clips: Sequence[Clip]) -> AnyMeasure:
    if not (np.isfinite(window) and window >= 0):
        raise BadRequest(f"window: expected 0 s or more, found {window}")
    return measure_named(name, radius=round(window * fps / 2), database=clips)


def _clouds(clips: Sequence[Clip], span: IntArray, measure: PointCloud) -> Clouds:
    points = np.concatenate([fk(c) for c in clips])
    return build_clouds(points, joint_weights(clips[0].skeleton, measure.weights), span, measure)


def _tiles(comparison: ClipComparison, rules: _Rules, progress: Progress) -> Tiles:
    """Chosen frames a < b (n, 2) and their values, row of tiles by row of tiles of the upper triangle."""
    from motionloom.methods.graph.build._kernels import choose_cells

    first, size = comparison.first[0], comparison.shape[0]
    corners = [(top, left) for top in range(0, size, TILE) for left in range(top, size, TILE)]
    found = []
    for top, left in each(corners, progress, "comparing frames"):
        rows, columns = ((at, min(at + TILE, size)) for at in (top, left))
        wide = [(max(0, s - rules.radius), min(size, e + rules.radius)) for s, e in (rows, columns)]
        block = comparison.block(slice(*wide[0]), slice(*wide[1]))
        corner = (wide[0][0] + first, wide[1][0] + first)
        inner = (rows[0] - wide[0][0], rows[1] - wide[0][0], columns[0] - wide[1][0], columns[1] - wide[1][0])
        found.append(choose_cells(block, corner, inner, *rules))
        if left + TILE >= size:
            yield np.concatenate([pairs for pairs, _ in found]), np.concatenate([values for _, values in found])
            found.clear()


def _same_stance(tiles: Tiles, stances: IntArray) -> Tiles:
    for pairs, values in tiles:
        keep = stances[pairs[:, 0]] == stances[pairs[:, 1]]
        yield pairs[keep], values[keep]


def collect_pairs(tiles: Tiles, clips: Sequence[Clip], most: int) -> tuple[IntArray, IntArray, FloatArray]:
    """All tiles together, ordered, and thinned to `most` transitions (both directions counted)."""
    thinner = Thinner(np.concatenate([[0], np.cumsum([len(c) for c in clips])]), min(most, MAX_TRANSITIONS) // 2)
    for tile in tiles:
        thinner.add(*tile)
    pairs, values = thinner.result()
    return pairs[:, 0], pairs[:, 1], values.astype(float)


def _stances(clips: Sequence[Clip]) -> IntArray:
    """(N,) the heels and toes in contact in each frame, as one number."""
    parts = foot_parts(clips[0].skeleton)
    if not parts:
        raise BadRequest("contacts: expected a body with feet, found none")
    power = 2 ** np.arange(len(parts))
    return np.concatenate([contact_array(c) @ power for c in clips])


def _empty() -> Transitions:
    none = np.empty(0, np.int64)
    return Transitions(none, none, np.empty(0), np.empty(0), np.empty((0, 2)))
