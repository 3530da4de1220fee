"""Transitions between observed segments: joins seen in the clips, and unseen ones between poses that are near.

LI samples a texton from the transition matrix M and key poses of it at random. Segments of one texton may start and
end far apart, so here the probability of a join also falls with the distance of the poses that must meet; and textons
that were only ever seen at the end of a clip can continue, if their end is near to some beginning.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, Note
from motionloom.core.note import warning
from motionloom.core.numbers import squared_distances
from motionloom.kinematics.fk import positions
from motionloom.kinematics.local_frames import Frames, joined
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.plan import shortest_paths as paths
from motionloom.methods.textons.plan.pieces import TextonPiece
from motionloom.methods.textons.segments import Segments

VELOCITY_HORIZON = 0.1  # s: velocities count as the displacement in this time
DISTANCE_UNIT = 0.25  # of the median distance of all pairs: the unit of `distance_penalty`
EARLY_WEIGHT = np.exp(-3.0)  # probability of an early join relative to one at the end of its segment
EARLY_SHARE = 0.8  # of the largest distance of unseen joins: an early join is nearer
EDGE_FRAMES = 8  # frames at both ends of a segment that are not left early
MAX_ROUNDS = 500  # of balancing
BALANCED = 1e-6  # largest deviation of balanced sums from 1


class Joins(NamedTuple):
    """Joins of every observed segment with every other."""

    distance: FloatArray  # (n, n) m: from the frames after a segment to the beginning of another, RMS over joints
    seen: BoolArray  # (n, n) did the texton of the second ever follow that of the first?
    allowed: BoolArray  # (n, n) seen, or near
    limit: float  # m: the largest distance of an unseen join
    inside: IntArray  # segments that can all reach each other: a walk among them never has to stop
    chances: FloatArray  # (n, n) probability of each join; rows outside `inside` lead into it where they can
    likely: FloatArray  # (n, n) the same before balancing: M and distance alone, which the best path is judged by
    total: FloatArray  # (n,) sum of the weights of a segment's joins, before they become probabilities
    fall: float  # nats per metre: how fast a join becomes less probable with distance

    def share(self, of: IntArray, count: int) -> FloatArray:
        """(count,) how often an endless walk shows each texton; `of` (n,) is the texton of each segment."""
        out = np.zeros(count)
        if len(self.inside):
            own = paths.stationary(self.chances[np.ix_(self.inside, self.inside)])
            np.add.at(out, of[self.inside], own)
        return out


class Exits(NamedTuple):
    """Early joins: they leave a segment before its end, where it comes near to the beginning of another."""

    source: IntArray  # (E,) the segment that is left,
    frame: IntArray  # (E,) at which of its frames: it and the next become the key poses of the other,
    target: IntArray  # (E,) and the other segment
    distance: FloatArray  # (E,) m, as of joins
    score: FloatArray  # (E,) log probability beside the joins at the segment's end


class JoinFinder:
    """Joins of a model's segments; results are kept for each choice of options."""

    def __init__(self, segments: Segments, counts: FloatArray, gentle: BoolArray) -> None:
        self.segments, self.counts, self.gentle = segments, counts, gentle
        self._joins: dict[tuple[float, float, bool], Joins] = {}
        self._exits: dict[tuple[float, float, bool], Exits] = {}

    def joins(self, options: Options) -> Joins:
        """`find_joins`."""
        key = (options.unseen_limit, options.distance_penalty, options.balanced)
        if key not in self._joins:
            self._joins[key] = find_joins(self.segments, self.counts, self.gentle, options)
        return self._joins[key]

    def exits(self, options: Options) -> Exits:
        """`find_exits`."""
        key = (options.unseen_limit, options.distance_penalty, options.balanced)
        if key not in self._exits:
            self._exits[key] = find_exits(self.segments, self.joins(options))
        return self._exits[key]

    def follows(self, options: Options) -> BoolArray:
        """(N, N) may the second texton follow the first? It was seen to, or some join of theirs is near."""
        out = self.counts > 0
        first, second = np.nonzero(self.joins(options).allowed)
        of = self.segments.textons
        out[of[first], of[second]] = True
        return out


def find_joins(segments: Segments, counts: FloatArray, gentle: BoolArray, options: Options) -> Joins:
    """Every join under the options `unseen_limit`, `distance_penalty` and `balanced`; counts (N, N) are of textons.

    The weight of a join is M (its texton's probability, shared among the texton's segments; for an unseen one that of
    any segment) times exp(-distance_penalty d / (median / 4)). Unless that is 0, joins that are not `gentle` (n, n) are
    left out. With `balanced` the weights are balanced (Sinkhorn 1964) until every segment is entered as often as it is
    left, so that an endless walk shows all of them equally often.
    """
    textons = segments.textons
    apart = join_distances(segments)
    seen = counts[np.ix_(textons, textons)] > 0
    typical = float(np.median(apart)) if apart.size else 0.0
    limit = options.unseen_limit * typical
    allowed = seen | (apart <= limit) if limit > 0 else seen
    if options.distance_penalty > 0 and len(paths.endless((allowed & gentle).astype(float))):
        allowed = allowed & gentle
    inside = paths.endless(allowed.astype(float))
    member = np.zeros(len(textons), bool)
    member[inside] = True
    shared = np.bincount(textons, minlength=segments.texton_count)[textons]
    usual = np.where(seen, paths.probabilities(counts)[np.ix_(textons, textons)] / shared, 1 / len(textons))
    nearer = np.exp(
        -options.distance_penalty * (apart - apart.min(1, keepdims=True)) / max(DISTANCE_UNIT * typical, 1e-9)
    )
    weights = np.where(allowed, usual * nearer, 0.0)
    leads_inside = (allowed & member).any(1)  # where a join leads inside, only such joins are taken
    weights[np.ix_(leads_inside, ~member)] = 0.0
    likely, total = paths.probabilities(weights), weights.sum(1)
    if options.balanced and len(inside) > 1:
        own = np.ix_(inside, inside)
        weights[own] = balance(weights[own])
    fall = options.distance_penalty / max(DISTANCE_UNIT * typical, 1e-9)
    return Joins(apart, seen, allowed, limit, inside, paths.probabilities(weights), likely, total, fall)


def find_exits(segments: Segments, joins: Joins) -> Exits:
    """Every early join between segments that can follow each other without end.

    A segment is left where it is nearest to the beginning of the other (a local minimum over its frames), if they are
    nearer than `EARLY_SHARE` times the largest distance of unseen joins. Two segments that also join at the end of the
    first meet early only if they are nearer there; none meets itself. An early join is as probable as one at the end
    that is as far, times `EARLY_WEIGHT`.
    """
    starts = pose_features(joined([o.keys for o in segments.observed]), segments)
    inside = joins.inside
    found: list[tuple[IntArray, IntArray, IntArray, FloatArray]] = []
    for k in inside if len(inside) and joins.limit > 0 and joins.fall > 0 else ():
        seen = segments[k]
        if seen.length < 2 * EDGE_FRAMES:
            continue
        pairs = np.stack([np.arange(seen.length), np.arange(seen.length) + 1], 1).ravel()
        apart = _rms_distances(pose_features(seen.frames[pairs], segments), starts[inside], segments)
        least = (apart[1:-1] <= apart[:-2]) & (apart[1:-1] < apart[2:])
        least[: EDGE_FRAMES - 1] = least[-(EDGE_FRAMES - 1) :] = False
        near = np.where(joins.allowed[k, inside], joins.distance[k, inside], np.inf)
        near[inside == k] = 0.0
        frame, other = np.nonzero(least & (apart[1:-1] < np.minimum(EARLY_SHARE * joins.limit, near)))
        frame = frame + 1
        found.append((np.full(len(frame), k), frame, inside[other], apart[frame, other]))
    if not found:
        none = np.zeros(0, np.int64)
        return Exits(none, none, none, np.zeros(0), np.zeros(0))
    source, frame, target, distance = (np.concatenate(part) for part in zip(*found, strict=True))
    nearest = joins.distance.min(1)
    base = np.log(EARLY_WEIGHT / len(segments)) - np.log(np.maximum(joins.total, 1e-300))
    return Exits(source, frame, target, distance, base[source] - joins.fall * (distance - nearest[source]))


def join_distances(segments: Segments) -> FloatArray:
    """(n, n) metres, RMS over joints: from the two frames after a segment to the first two frames of another.

    Both stand on one spot with one heading; velocities, the root's included, count as the displacement in
    `VELOCITY_HORIZON` seconds.
    """
    ends, starts = (
        pose_features(joined([getattr(o, which) for o in segments.observed]), segments) for which in ("after", "keys")
    )
    return _rms_distances(ends, starts, segments)


def keys_distance(a: Frames, b: Frames, segments: Segments) -> float:
    """Distance (m) of two pairs of frames, as in `join_distances`."""
    return float(_rms_distances(pose_features(a, segments), pose_features(b, segments), segments)[0, 0])


def pieces_distance(first: Sequence[TextonPiece], second: Sequence[TextonPiece], segments: Segments) -> FloatArray:
    """(n, m) distances (m) where any of the first pieces meets any of the second, as in `join_distances`."""
    ends, starts = joined([p.after for p in first]), joined([p.keys for p in second])
    return _rms_distances(pose_features(ends, segments), pose_features(starts, segments), segments)


def far_join_notes(segments: Segments, pieces: Sequence[TextonPiece], limit: float) -> list[Note]:
    """A warning, with the distance, for every two successive pieces that are farther apart than `limit` metres."""
    out = []
    for place, (a, b) in enumerate(itertools.pairwise(pieces)):
        if (apart := keys_distance(a.after, b.keys, segments)) > limit > 0:
            text = (
                f"{segments.name(a.observed)} and {segments.name(b.observed)} (places {place} and {place + 1} of the "
                f"path) are {100 * apart:.1f} cm apart where they meet, beyond {100 * limit:.3g} cm: the first bends "
                f"far to meet the second"
            )
            out.append(warning(text))
    return out


def _rms_distances(ends: FloatArray, starts: FloatArray, segments: Segments) -> FloatArray:
    return np.asarray(np.sqrt(squared_distances(ends, starts) / len(segments.skeleton)))


def pose_features(pairs: Frames, segments: Segments) -> FloatArray:
    """(n, D) m: joint positions and their velocities times `VELOCITY_HORIZON`, of pairs of frames."""
    height = pairs.root[:, 3]
    places = positions(segments.skeleton, np.stack([0 * height, height, 0 * height], 1), pairs.turns)
    places = places.reshape(len(pairs) // 2, 2, -1, 3)
    pace = (places[:, 1] - places[:, 0]) * segments.fps
    pace[..., [0, 2]] += pairs.root[::2, None, :2]
    return np.concatenate([places[:, 0], VELOCITY_HORIZON * pace], 1).reshape(len(places), -1)


def balance(weights: FloatArray) -> FloatArray:
    """Weights (n, n) scaled by rows and columns until both sum to 1, or for `MAX_ROUNDS`: Sinkhorn's balancing.

    >>> balance(np.array([[1.0, 2.0], [2.0, 1.0]])).round(3).tolist()
    [[0.333, 0.667], [0.667, 0.333]]
    """
    out = np.array(weights)
    for _ in range(MAX_ROUNDS):
        out /= np.maximum(out.sum(0, keepdims=True), 1e-300)
        rows = out.sum(1, keepdims=True)
        out /= np.maximum(rows, 1e-300)
        if np.abs(rows - 1).max() < BALANCED:
            break
    return out
