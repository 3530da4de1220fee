"""Pruning rules of the lower level: contact, similarity, local maximum (GUAN 2.4.2).

The fourth, connectedness, is `graph.build.prune`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from motionloom.analysis.cloud_search import clip_spans
from motionloom.analysis.similarity import measure_named
from motionloom.blend.transition_point import half_window
from motionloom.core import BoolArray, Clip, FloatArray, IntArray, Note, Progress, silent
from motionloom.core.progress import parts
from motionloom.kinematics.feet.contacts import contact_array, foot_parts
from motionloom.methods.graph import Transitions
from motionloom.methods.graph.build.distance_limits import Limits
from motionloom.methods.graph.build.transitions import (
    FEATURE_RADIUS,
    MAX_TRANSITIONS,
    Tiles,
    both_directions,
    collect_pairs,
    similar_pairs,
)


class Pruned(NamedTuple):
    """The number of possible transitions, and how many each rule removed, in this order."""

    pairs: int
    contact: int
    similarity: int
    maximum: int
    connectedness: int
    rough: int = 0  # not the source's: blends in which a joint flips over or turns too fast (`graph.build.blend_check`)

    @property
    def kept(self) -> int:
        return self.pairs - self.contact - self.similarity - self.maximum - self.connectedness - self.rough

    def note(self) -> Note:
        """The same as a note."""
        return Note(
            f"of {self.pairs:,} possible transitions, {self.contact:,} have different contacts, {self.similarity:,} "
            f"are above the limit, {self.maximum:,} are no local maximum, {self.rough:,} would turn a joint too fast, "
            f"{self.connectedness:,} are dead ends; {self.kept:,} remain"
        )


class LowerLevel(NamedTuple):
    """The lower level before its last rule: transitions, their limit, and the counts of removed ones."""

    transitions: Transitions
    limit: float
    pruned: Pruned


def stances(clips: Sequence[Clip]) -> IntArray:
    """(N,) contacts of heels and toes in each frame and the next one, as one number; all 0 for a body without feet.

    The next frame is included to distinguish a foot that is about to leave the ground from one that has just landed.
    """
    parts = len(foot_parts(clips[0].skeleton))
    out = []
    for clip in clips:
        now = contact_array(clip) @ 2 ** np.arange(parts)
        out.append(now * 2**parts + np.append(now[1:], now[-1:]))
    return np.concatenate(out)


def differ_in_contact(a: IntArray, b: IntArray) -> BoolArray:
    """Contact rule: pairs to be removed because their contacts differ; `a` and `b` are `stances`."""
    return np.asarray(a != b)


def best_around(a: IntArray, b: IntArray, distance: FloatArray, clip_of: IntArray, radius: int) -> BoolArray:
    """Local maximum rule: pairs to be kept, the most probable within `radius` frames of both of their own.

    Pairs (P,) are ordered by a, then b. Only pairs that the other rules kept are listed and compared, and only with
    pairs of the same two clips (clip_of (N,)). The least distance is the largest probability.
    """
    from motionloom.methods.two_level_graph._kernels_rules import mark_best

    first = np.searchsorted(a, np.arange(len(clip_of) + 1))
    out = np.zeros(len(a), bool)
    mark_best(a, b, distance, first, clip_of, radius, out)
    return out


class _Counted:
    """Rows of similar pairs with the same contacts, ordered, and how many there were."""

    def __init__(self, tiles: Tiles, stance: IntArray) -> None:
        self._tiles, self._stance, self.count = tiles, stance, 0

    def __iter__(self) -> Tiles:
        for pairs, values in self._tiles:
            same = ~differ_in_contact(self._stance[pairs[:, 0]], self._stance[pairs[:, 1]])
            pairs, values = pairs[same], values[same]
            order = np.lexsort((pairs[:, 1], pairs[:, 0]))
            self.count += len(pairs)
            yield pairs[order], values[order].astype(float)


def best_of_rows(tiles: Iterable[tuple[IntArray, FloatArray]], clip_of: IntArray, radius: int) -> Tiles:
    """`best_around` of pairs (n, 2) that come in the order of their rows, decided row by row.

    Only pairs within `radius` rows of those that are not yet decided are in memory.
    """
    held, distance, decided = np.empty((0, 2), np.int64), np.empty(0), 0
    for pairs, values in chain(tiles, [(np.array([[len(clip_of) + radius] * 2]), np.zeros(1))]):
        if not len(pairs):
            continue
        complete = int(pairs[0, 0]) - radius  # rows before this one have all their neighbours
        keep = best_around(held[:, 0], held[:, 1], distance, clip_of, radius)
        keep &= (held[:, 0] >= decided) & (held[:, 0] < complete)
        yield held[keep], distance[keep]
        decided = max(decided, complete)
        near = held[:, 0] >= decided - radius
        held, distance = np.concatenate([held[near], pairs]), np.concatenate([distance[near], values])


def lower_level(
    clips: Sequence[Clip],
    *,
    measure: str,
    window: float,
    blend: float,
    limit: float | None,
    limits: Limits | str,
    apart: float,
    shortest: float,
    plants: bool = True,
    progress: Progress | None = None,
) -> LowerLevel:
    """All transitions between clips that the first three rules keep, in both directions.

    Settings are those of `find_transitions`. The similarity rule is applied first, because it skips most pairs
    (`similar_pairs`); the counts are those of applying the contact rule first. Of more than `MAX_TRANSITIONS`, the
    best of each square of frames is kept; the others are counted as no local maximum.
    """
    fps = clips[0].fps
    comparing, aligning = parts(progress or silent(), [4, 1])
    shared = {"measure": measure, "window": window, "blend": blend, "limits": limits, "shortest": shortest}
    most, tiles = similar_pairs(clips, limit=limit, minima=False, apart=apart, progress=comparing, **shared)  # type: ignore[arg-type]
    stance, owner = stances(clips), np.repeat(np.arange(len(clips)), [len(c) for c in clips])
    similar = _Counted(tiles, stance)
    best = best_of_rows(similar, owner, max(1, round(apart * fps)))
    a, b, distance = collect_pairs(best, clips, MAX_TRANSITIONS)
    chosen = measure_named(measure, radius=round(window * fps / 2), database=clips)
    half = half_window(blend, fps)
    span = clip_spans(clips, max(half, chosen.radius + FEATURE_RADIUS.get(measure, 0)))
    possible, agree = _counts(span[:, 0] < span[:, 1], stance, owner, max(1, round(shortest * fps)))
    alike, kept = 2 * similar.count, 2 * len(a)
    pruned = Pruned(possible, possible - agree, agree - alike, alike - kept, 0)
    transitions = both_directions(clips, a, b, distance, half, plants, aligning)
    return LowerLevel(transitions, float(most), pruned)


def _counts(counts: BoolArray, stance: IntArray, owner: IntArray, near: int) -> tuple[int, int]:
    """The number of pairs of frames, in both directions, and of those with the same contacts.

    Frames that do not count (N,) are left out, and so are frames of one clip nearer than `near` to each other.
    """
    total, same = int(counts.sum()) ** 2, int((np.unique(stance[counts], return_counts=True)[1] ** 2).sum())
    for step in range(min(near, len(counts))):
        late, early = slice(step, None), slice(0, len(counts) - step)
        both = counts[late] & counts[early] & (owner[late] == owner[early])
        twice = 2 if step else 1
        total -= twice * int(both.sum())
        same -= twice * int((both & (stance[late] == stance[early])).sum())
    return total, same
