"""Which observed segment may follow which: joins that were seen, and unseen ones between poses that are near.

LI samples a texton from the transition matrix M and key poses of it at random. Segments of one texton may start and
end far apart, so here the chance of a join also falls with the distance of the poses that must meet; and textons that
were only ever seen at the end of a clip are not lost, if their end is near to some beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.kinematics.forward import positions
from motionloom.methods.textons import paths
from motionloom.methods.textons.observe import Frames, joined

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel

HORIZON = 0.1  # s: poses count as far apart as they get within this time
SCALE = 0.25  # of the median distance of all pairs: the unit in which `nearness` counts
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

    def share(self, of: IntArray, count: int) -> FloatArray:
        """(count,) how often an endless walk shows each texton; `of` (n,) is the texton of each segment."""
        out = np.zeros(count)
        if len(self.inside):
            own = paths.stationary(self.chances[np.ix_(self.inside, self.inside)])
            np.add.at(out, of[self.inside], own)
        return out


def find_joins(model: TextonModel, options: Any) -> Joins:
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
    if options.evenly and len(inside) > 1:
        own = np.ix_(inside, inside)
        weights[own] = balanced(weights[own])
    return Joins(apart, seen, allowed, limit, inside, paths.probabilities(weights))


def join_distances(model: TextonModel) -> FloatArray:
    """(n, n) metres, RMS over joints: how far apart what followed a segment and the beginning of another are.

    Both are the two frames of a join, standing on one spot and facing one way; velocities count as the way made in
    `HORIZON` seconds, and so does the root's.
    """
    ends, starts = (_poses(joined([getattr(o, which) for o in model.observed]), model) for which in ("after", "keys"))
    square = (ends**2).sum(1)[:, None] + (starts**2).sum(1) - 2 * ends @ starts.T
    return np.sqrt(np.maximum(square, 0.0) / len(model.skeleton))


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
