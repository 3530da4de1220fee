"""Which observed segment may follow which: joins that were seen, and unseen ones between poses that are near.

LI samples a texton from the transition matrix M and key poses of it at random. Segments of one texton may start and
end far apart, so here the chance of a join also falls with the distance of the poses that must meet; and textons that
were only ever seen at the end of a clip are not lost, if their end is near to some beginning.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, Note
from motionloom.core.note import warning
from motionloom.core.numbers import squared_distances
from motionloom.kinematics.fk import positions
from motionloom.kinematics.local_frames import Frames, joined
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.plan import shortest_paths as paths

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel
    from motionloom.methods.textons.plan.pieces import Piece

HORIZON = 0.1  # s: poses count as far apart as they get within this time
SCALE = 0.25  # of the median distance of all pairs: the unit in which `nearness` counts
EARLY = np.exp(-3.0)  # how likely an early join is, beside one at the end of its segment
NEAR = 0.8  # of the largest distance of joins never seen: an early join is nearer
EDGE = 8  # frames at both ends of a segment that are not left early
ROUNDS = 500  # of balancing
EXACT = 1e-6  # and how even is even


class Joins(NamedTuple):
    """How every observed segment may be followed."""

    distance: FloatArray  # (n, n) m: from what followed a segment to the beginning of another, RMS over joints
    seen: BoolArray  # (n, n) did the texton of the second ever follow that of the first?
    allowed: BoolArray  # (n, n) seen, or near
    limit: float  # m: the largest distance of a join that was never seen
    inside: IntArray  # segments that can all reach each other: a walk among them never has to stop
    chances: FloatArray  # (n, n) probability of each join; rows outside `inside` lead into it where they can
    likely: FloatArray  # (n, n) the same before `evenly`: M and nearness alone, which the best path goes by
    total: FloatArray  # (n,) what the weights of all joins of a segment sum to, before they are probabilities
    fall: float  # 1/m: how fast a join becomes less likely with distance, in nats

    def share(self, of: IntArray, count: int) -> FloatArray:
        """(count,) how often an endless walk shows each texton; `of` (n,) is the texton of each segment."""
        out = np.zeros(count)
        if len(self.inside):
            own = paths.stationary(self.chances[np.ix_(self.inside, self.inside)])
            np.add.at(out, of[self.inside], own)
        return out


def find_joins(model: TextonModel, options: Options) -> Joins:
    """Every join of a model under the options `unseen`, `nearness` and `evenly`.

    The weight of a join is M (its texton's chance, shared among the texton's segments; for one never seen that of any
    segment) times exp(-nearness d / (median / 4)). Unless `nearness` is 0, joins that would throw the body (see
    `strain`) are left out. With `evenly` the weights are balanced (Sinkhorn 1964) until every
    segment is entered as often as it is left, so that an endless walk shows all of them equally often.
    """
    textons = np.array([o.texton for o in model.observed])
    apart = join_distances(model)
    counts = model.counts[np.ix_(textons, textons)]
    seen = counts > 0
    typical = float(np.median(apart)) if apart.size else 0.0
    limit = options.unseen * typical
    allowed = seen | (apart <= limit) if limit > 0 else seen
    if options.nearness > 0 and len(paths.endless((allowed & model.gentle).astype(float))):
        allowed = allowed & model.gentle
    inside = paths.endless(allowed.astype(float))
    member = np.zeros(len(textons), bool)
    member[inside] = True
    shared = np.bincount(textons, minlength=len(model.textons))[textons]
    usual = np.where(seen, paths.probabilities(model.counts)[np.ix_(textons, textons)] / shared, 1 / len(textons))
    nearer = np.exp(-options.nearness * (apart - apart.min(1, keepdims=True)) / max(SCALE * typical, 1e-9))
    weights = np.where(allowed, usual * nearer, 0.0)
    homeward = (allowed & member).any(1)  # where a way leads inside, it is taken
    weights[np.ix_(homeward, ~member)] = 0.0
    likely, total = paths.probabilities(weights), weights.sum(1)
    if options.evenly and len(inside) > 1:
        own = np.ix_(inside, inside)
        weights[own] = balanced(weights[own])
    fall = options.nearness / max(SCALE * typical, 1e-9)
    return Joins(apart, seen, allowed, limit, inside, paths.probabilities(weights), likely, total, fall)


class Exits(NamedTuple):
    """Joins that leave a segment before its end, where it comes near to the beginning of another."""

    source: IntArray  # (E,) the segment that is left,
    frame: IntArray  # (E,) at which of its frames: it and the next become the key poses of the other,
    target: IntArray  # (E,) and the other segment
    distance: FloatArray  # (E,) m, as of joins
    score: FloatArray  # (E,) log probability beside the joins at the segment's end


def find_exits(model: TextonModel, joins: Joins) -> Exits:
    """Every early join between segments that can go on for ever.

    A segment is left where it is nearest to the beginning of the other (a local minimum over its frames), if they are
    nearer than `NEAR` times the largest distance of joins never seen. Two segments that also join at the end of the
    first meet early only if they are nearer there; none meets itself. An early join is as likely as one at the end
    that is as far, times `EARLY`.
    """
    starts = _poses(joined([o.keys for o in model.observed]), model)
    inside = joins.inside
    found: list[tuple[IntArray, IntArray, IntArray, FloatArray]] = []
    for k in inside if len(inside) and joins.limit > 0 and joins.fall > 0 else ():
        seen = model.observed[k]
        if seen.length < 2 * EDGE:
            continue
        pairs = np.stack([np.arange(seen.length), np.arange(seen.length) + 1], 1).ravel()
        apart = _apart(_poses(seen.frames[pairs], model), starts[inside], model)
        least = (apart[1:-1] <= apart[:-2]) & (apart[1:-1] < apart[2:])
        least[: EDGE - 1] = least[-(EDGE - 1) :] = False
        near = np.where(joins.allowed[k, inside], joins.distance[k, inside], np.inf)
        near[inside == k] = 0.0
        frame, other = np.nonzero(least & (apart[1:-1] < np.minimum(NEAR * joins.limit, near)))
        frame = frame + 1
        found.append((np.full(len(frame), k), frame, inside[other], apart[frame, other]))
    if not found:
        none = np.zeros(0, np.int64)
        return Exits(none, none, none, np.zeros(0), np.zeros(0))
    source, frame, target, distance = (np.concatenate(part) for part in zip(*found, strict=True))
    nearest = joins.distance.min(1)
    base = np.log(EARLY / len(model.observed)) - np.log(np.maximum(joins.total, 1e-300))
    return Exits(source, frame, target, distance, base[source] - joins.fall * (distance - nearest[source]))


def join_distances(model: TextonModel) -> FloatArray:
    """(n, n) metres, RMS over joints: how far apart what followed a segment and the beginning of another are.

    Both are the two frames of a join, standing on one spot and facing one way; velocities count as the way made in
    `HORIZON` seconds, and so does the root's.
    """
    ends, starts = (_poses(joined([getattr(o, which) for o in model.observed]), model) for which in ("after", "keys"))
    return _apart(ends, starts, model)


def keys_apart(a: Frames, b: Frames, model: TextonModel) -> float:
    """m: how far apart two pairs of frames are, as `join_distances` counts."""
    return float(_apart(_poses(a, model), _poses(b, model), model)[0, 0])


def far_joins(model: TextonModel, pieces: Sequence[Piece], limit: float) -> list[Note]:
    """A warning, with the distance, for every two pieces that follow each other though they are far apart.

    Far is beyond `limit` metres, the largest distance of a join that was never seen.
    """
    out = []
    for place, (a, b) in enumerate(itertools.pairwise(pieces)):
        if (apart := keys_apart(a.after, b.keys, model)) > limit > 0:
            text = (
                f"{segment_name(model, a.observed)} and {segment_name(model, b.observed)} (places {place} and "
                f"{place + 1} of the path) are {100 * apart:.0f} cm apart where they meet, beyond "
                f"{100 * limit:.0f} cm: the first bends far to meet the second"
            )
            out.append(warning(text))
    return out


def segment_name(model: TextonModel, observed: int) -> str:
    """An observed segment as a path says it: 7#1 is segment 1 of texton 7."""
    texton = model.observed[observed].texton
    return f"{texton}#{model.of_texton(texton).index(observed)}"


def _apart(ends: FloatArray, starts: FloatArray, model: TextonModel) -> FloatArray:
    return np.asarray(np.sqrt(squared_distances(ends, starts) / len(model.skeleton)))


def _poses(pairs: Frames, model: TextonModel) -> FloatArray:
    """(n, D) m: joint places and their velocities times `HORIZON`, of pairs of frames."""
    height = pairs.root[:, 3]
    places = positions(model.skeleton, np.stack([0 * height, height, 0 * height], 1), pairs.turns)
    places = places.reshape(len(pairs) // 2, 2, -1, 3)
    pace = (places[:, 1] - places[:, 0]) * model.fps
    pace[..., [0, 2]] += pairs.root[::2, None, :2]
    return np.concatenate([places[:, 0], HORIZON * pace], 1).reshape(len(places), -1)


def balanced(weights: FloatArray) -> FloatArray:
    """Weights (n, n) scaled by rows and columns until both sum to 1 (or `ROUNDS` are over): Sinkhorn's balancing."""
    out = np.array(weights)
    for _ in range(ROUNDS):
        out /= np.maximum(out.sum(0, keepdims=True), 1e-300)
        rows = out.sum(1, keepdims=True)
        out /= np.maximum(rows, 1e-300)
        if np.abs(rows - 1).max() < EXACT:
            break
    return out
