"""The four rules that thin out the lower level: contact, similarity, local maximum, connectedness (GUAN 2.4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from motionloom.analysis.comparison import Comparison, Measure
from motionloom.analysis.pairs import local_minima
from motionloom.analysis.point_cloud import PointCloud
from motionloom.analysis.similarity import measure_named
from motionloom.analysis.weights import joint_weights
from motionloom.blend.point import half_window
from motionloom.core import BoolArray, Clip, FloatArray, IntArray, concatenate
from motionloom.kinematics.contacts import contacts, foot_parts
from motionloom.kinematics.forward import fk
from motionloom.methods.graph import Graph, Transitions
from motionloom.methods.graph.build import REACH
from motionloom.methods.graph.labels import label_sets, limit_table, read_limits
from motionloom.methods.graph.laying import lay_all
from motionloom.methods.graph.laying import spans as clip_spans
from motionloom.methods.graph.limits import LIMIT, likely_limit
from motionloom.methods.graph.prune import prune

ROWS = 1024  # frames of one clip that are compared with all of another at a time


class Pruned(NamedTuple):
    """How many transitions there could be, and how many each rule took away, in this order."""

    pairs: int
    contact: int
    similarity: int
    maximum: int
    connectedness: int
    rough: int = 0  # not the source's: blends in which a joint flips over or turns too fast (`graph.rough`)

    @property
    def kept(self) -> int:
        return self.pairs - self.contact - self.similarity - self.maximum - self.connectedness - self.rough

    def lines(self) -> list[str]:
        """The same in words, one line."""
        return [
            f"of {self.pairs:,} possible transitions, {self.contact:,} join different contacts, {self.similarity:,} "
            f"join frames too unlike, {self.maximum:,} are no local best, {self.rough:,} would turn a joint too fast, "
            f"{self.connectedness:,} lead nowhere; {self.kept:,} are left"
        ]


class Lower(NamedTuple):
    """The lower level before its last rule: transitions, how unlike they may be at most, and what was removed."""

    transitions: Transitions
    limit: float
    pruned: Pruned


def stances(clips: Sequence[Clip]) -> IntArray:
    """(N,) which heels and toes stand in each frame and in the next one, as one number; all 0 for a body without feet.

    The next frame counts too, so that a foot about to leave the floor is told from one that has just come down.
    """
    labels = [part.label for part in foot_parts(clips[0].skeleton)]
    out = []
    for clip in clips:
        found = contacts(clip)
        now = np.stack([found[n] for n in labels] or [np.zeros(len(clip), bool)], 1) @ (
            2 ** np.arange(max(1, len(labels)))
        )
        out.append(now * 2 ** len(labels) + np.append(now[1:], now[-1:]))
    return np.concatenate(out)


def differ_in_contact(a: IntArray, b: IntArray) -> BoolArray:
    """Contact rule: (A, B) pairs to be removed because other parts of the feet stand; `a`, `b` are `stances`."""
    return np.asarray(a[:, None] != b)


def too_unlike(distance: FloatArray, limit: FloatArray | float) -> BoolArray:
    """Similarity rule: pairs to be removed because their probability, exp(-D/delta), is below exp(-limit/delta)."""
    return np.asarray(distance > limit)


def best_around(distance: FloatArray, radius: int) -> IntArray:
    """Local maximum rule: the pairs (P, 2) to be kept, most probable within `radius` rows and columns around them.

    Removed pairs are infinite in `distance` and compete with no one. The least distance is the largest probability.
    """
    if not np.isfinite(distance).any():
        return np.empty((0, 2), np.int64)
    return local_minima(distance, radius=radius, threshold=float(np.finfo(np.float32).max)).frames


def connected(graph: Graph) -> tuple[Graph, int]:
    """Connectedness rule: the graph without dead ends and sinks, and how many transitions that removed."""
    kept, _ = prune(graph)
    return kept, len(graph.transitions) - len(kept.transitions)


def lower_level(
    clips: Sequence[Clip],
    *,
    measure: str,
    window: float,
    blend: float,
    limit: float | None,
    limits: str,
    apart: float,
    shortest: float,
) -> Lower:
    """All transitions between clips that the first three rules leave, in both directions.

    Settings are those of `find_transitions`. Clip by clip against clip, in blocks of 1024 rows, so that memory grows
    with the longest clip only; the time grows with the square of all frames.
    """
    fps = clips[0].fps
    half = half_window(blend, fps)
    chosen = measure_named(measure, radius=round(window * fps / 2), database=clips)
    comparison = _prepared(chosen, clips)
    first = comparison.first[0]
    spare = max(half, chosen.radius + REACH.get(measure, 0))
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    spans = [(int(a) + spare, int(b) - spare) for a, b in pairwise(starts)]
    if limit is None:
        known = measure == "point-cloud"
        limit = LIMIT if known else likely_limit(comparison, clip_spans(clips, spare))
    squared = measure == "point-cloud"
    sets = label_sets(clips)
    table = limit_table(sets, limit, read_limits(limits))
    stance, near, radius = stances(clips), max(1, round(shortest * fps)), max(1, round(apart * fps))
    owner = np.repeat(np.arange(len(clips)), [len(c) for c in clips])
    counts = np.zeros(4, np.int64)
    found: list[tuple[IntArray, FloatArray]] = []
    for rows, columns, inner in _blocks(spans, radius):
        a, b = np.arange(*rows), np.arange(*columns)
        block = comparison.block(slice(rows[0] - first, rows[1] - first), slice(columns[0] - first, columns[1] - first))
        values = np.sqrt(block) if squared else block
        left = b >= a[:, None] + (near if owner[a[0]] == owner[b[0]] else -len(owner))
        counts[0] += int(left[inner].sum())
        left &= ~differ_in_contact(stance[a], stance[b])
        counts[1] += int(left[inner].sum())
        left &= ~too_unlike(values, table[np.ix_(sets.of[a], sets.of[b])])
        counts[2] += int(left[inner].sum())
        cells = best_around(np.where(left, values, np.inf), radius)
        cells = cells[(cells[:, 0] >= inner.start) & (cells[:, 0] < inner.stop)]
        counts[3] += len(cells)
        at = values[cells[:, 0], cells[:, 1]].astype(float)
        found.append((cells + np.array([rows[0], columns[0]]), at))
    possible, same, alike, best = (2 * int(c) for c in counts)  # both directions
    pruned = Pruned(possible, possible - same, same - alike, alike - best, 0)
    return Lower(_both_ways(clips, found, half), float(limit), pruned)


def _blocks(spans: Sequence[tuple[int, int]], radius: int) -> Iterator[tuple[tuple[int, int], tuple[int, int], slice]]:
    """Rows (with `radius` more on either side, where there are any), columns, and which of the rows are meant.

    Every two clips meet once, in blocks of `ROWS` rows; clips without frames that count are left out.
    """
    whole = [s for s in spans if s[0] < s[1]]
    for i, rows in enumerate(whole):
        for columns in whole[i:]:
            for top in range(rows[0], rows[1], ROWS):
                stop = min(top + ROWS, rows[1])
                wide = (max(top - radius, rows[0]), min(stop + radius, rows[1]))
                yield wide, columns, slice(top - wide[0], stop - wide[0])


def _both_ways(clips: Sequence[Clip], found: list[tuple[IntArray, FloatArray]], half: int) -> Transitions:
    pairs = np.concatenate([np.empty((0, 2), np.int64), *(cells for cells, _ in found)])
    values = np.concatenate([np.empty(0), *(v for _, v in found)])
    a, b = np.concatenate([pairs, pairs[:, ::-1]]).T
    distance = np.concatenate([values, values])
    order = np.lexsort((b, a))
    a, b, distance = np.ascontiguousarray(a[order]), np.ascontiguousarray(b[order]), distance[order]
    turn, shift = lay_all(clips, a, b, half)
    return Transitions(a, b, distance, turn, shift)


def _prepared(measure: Measure, clips: Sequence[Clip]) -> Comparison:
    """All clips one after the other against themselves; windows over the joints are never looked at."""
    if isinstance(measure, PointCloud):
        points = np.concatenate([fk(c) for c in clips])
        return measure.between(points, points, joint_weights(clips[0].skeleton, measure.weights))
    long = concatenate(clips)
    return measure.prepare(long, long)
