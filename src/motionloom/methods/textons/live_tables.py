"""Tables for the steps of live textons: plain arrays, computed once per model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, NoPath
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.channels.metric import ROOT_SCALE
from motionloom.kinematics.channels.sides import full_turn
from motionloom.kinematics.feet.contacts import HEIGHT, foot_parts
from motionloom.kinematics.travel import body_axes
from motionloom.methods.textons.config import DEFAULT_OPTIONS
from motionloom.methods.textons.plan.joins import JoinFinder, Joins
from motionloom.methods.textons.render.synthesis import Synthesizer
from motionloom.methods.textons.steering import steering_gains

MAX_LOOKAHEAD = 0.5  # s: a texton is steered to the next one at most this long before


class TextonTables(NamedTuple):
    """T textons of at most d dimensions, n observed segments with F frames in all, D channels, P foot parts."""

    first: IntArray  # (n,) row of each segment's first frame
    length: IntArray  # (n,) frames, without the two that followed it
    texton: IntArray  # (n,)
    y: FloatArray  # (F, D) coordinates of the observed frames, each in its texton's chart
    contacts: BoolArray  # (F, P)
    slip: FloatArray  # (F, P, 2) m: how far each part moves to the next frame over the ground, to the left and forward
    low: FloatArray  # (F,) m: how far the lowest part is above its usual height on the floor
    sums: FloatArray  # (n, n) cumulated chances of what follows each segment
    hop: IntArray  # (n, T) next segment on the best path to each texton, -1 where none leads there
    exits: IntArray  # (n + 1,) first early join of each segment
    exit_frame: IntArray  # (E,)
    exit_target: IntArray  # (E,)
    size: IntArray  # (T,) dimensions of each texton
    a1: FloatArray  # (T, d, d)
    a2: FloatArray  # (T, d, d)
    noise: FloatArray  # (T, d, d)
    basis: FloatArray  # (T, d, D)
    goal: FloatArray  # (T, most + 1, 2d, d) see `steering_gains`, turned over
    state: FloatArray  # (T, most + 1, 2d, d)
    spread: FloatArray  # (T, d) deviation of the observed states
    base: FloatArray  # (T, J, 4)
    scale: FloatArray  # (J,)
    still: FloatArray  # (3 J + 4,)
    column: IntArray  # (3 J + 4,)
    root_scale: FloatArray  # (4,)
    wild: IntArray  # (W, 3) columns of joints that turn far
    wild_turn: FloatArray  # (W,) the length of a full turn of theirs
    axes: FloatArray  # (4,) `body_axes`
    chain: IntArray  # (M,) joints that feet hang on, parents first
    parents: IntArray  # (J,)
    bones: FloatArray  # (J, 3) m
    parts: IntArray  # (P,) joint of each part
    tips: FloatArray  # (P, 3) m, in the frame of that joint
    heights: FloatArray  # (P,) m: usual height of each part while it stands
    near: FloatArray  # (1,) m: a part that is farther above that does not stand


def build_tables(synthesizer: Synthesizer, finder: JoinFinder) -> tuple[TextonTables, IntArray]:
    """The tables, and the segments among which a walk never ends; `NoPath` if there are none."""
    joins, exits = finder.joins(DEFAULT_OPTIONS), finder.exits(DEFAULT_OPTIONS)
    segments, charts = synthesizer.segments, synthesizer.charts
    if not joins.chances[joins.inside].any():
        raise NoPath(
            f"no segment can be shown again after another, so live characters would come to an end: the clips "
            f"have {len(segments)} (learn from more or longer clips, or raise `tolerance`)"
        )
    observed, textons, space, skeleton = segments.observed, synthesizer.textons, charts.space, segments.skeleton
    count, most = max(t.dynamics.size for t in textons), max(2, round(MAX_LOOKAHEAD * segments.fps)) + 1
    gains = [steering_gains(t.dynamics, most) for t in textons]
    order = np.argsort(exits.source, kind="stable")
    parts = foot_parts(skeleton)
    y = [charts.unbroken(o.frames, o.texton) for o in observed]
    tables = TextonTables(
        first=np.cumsum([0, *(len(o.frames) for o in observed[:-1])]),
        length=np.array([o.length for o in observed]),
        texton=segments.textons.astype(np.int64),
        y=np.concatenate(y),
        contacts=np.concatenate([o.contacts for o in observed]),
        slip=np.concatenate([o.slip for o in observed]),
        low=np.concatenate([o.low for o in observed]),
        sums=np.cumsum(joins.chances, axis=1),
        hop=next_hops(joins, segments.textons, len(textons)),
        exits=np.searchsorted(exits.source[order], np.arange(len(observed) + 1)),
        exit_frame=exits.frame[order].astype(np.int64),
        exit_target=exits.target[order].astype(np.int64),
        size=np.array([t.dynamics.size for t in textons]),
        a1=_stacked([t.dynamics.a1.T for t in textons], (count, count)),
        a2=_stacked([t.dynamics.a2.T for t in textons], (count, count)),
        noise=_stacked([t.dynamics.noise.T for t in textons], (count, count)),
        basis=_stacked([t.dynamics.basis.T for t in textons], (count, space.size)),
        goal=_stacked([g.goal.transpose(0, 2, 1) for g in gains], (most + 1, 2 * count, count)),
        state=_stacked([g.state.transpose(0, 2, 1) for g in gains], (most + 1, 2 * count, count)),
        spread=_stacked([charts.spread(i) for i in range(len(textons))], (count,)),
        base=np.stack([t.base for t in textons]),
        scale=np.array(space.scale),
        still=np.array(space.still),
        column=np.array(space.columns, np.int64),
        root_scale=np.array(ROOT_SCALE),
        wild=np.array(space.wild_columns, np.int64).reshape(-1, 3),
        wild_turn=full_turn(space).ravel(),
        axes=np.array(body_axes(skeleton)),
        chain=np.array(sorted({0, *(j for p in parts for j in skeleton.chain(p.joint))}), np.int64),
        parents=np.array(skeleton.parents, np.int64),
        bones=np.array(skeleton.offsets),
        parts=np.array([p.joint for p in parts], np.int64),
        tips=np.array([p.offset for p in parts], float).reshape(-1, 3),
        heights=np.array(segments.heights, float),
        near=np.array([HEIGHT[0] * leg_length(skeleton) if parts else 0.0]),
    )
    return tables, joins.inside


def next_hops(joins: Joins, of: IntArray, textons: int) -> IntArray:
    """(n, T) the next segment on the most probable path from each one to a texton; -1: no path leads there.

    Paths have at least one step, so a segment of the texton itself continues with another one of it, if it can.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    chances = joins.chances
    cost = np.where(chances > 0, -np.log(np.where(chances > 0, chances, 1.0)) + 1e-12, np.inf)
    back = csr_matrix(np.where(np.isfinite(cost), cost, 0.0).T)
    hop = np.full((len(of), textons), -1)
    for texton in range(textons):
        far = dijkstra(back, indices=np.flatnonzero(of == texton), min_only=True)
        own = of == texton
        total = cost + far[None]
        stays = np.isfinite(cost[:, own]).any(1) & own
        total[np.ix_(stays, ~own)] = np.inf
        hop[:, texton] = np.where(np.isfinite(total.min(1)), total.argmin(1), -1)
    return hop


def _stacked(parts: list[FloatArray], shape: tuple[int, ...]) -> FloatArray:
    """The arrays in one, with zeros after the last of each dimension."""
    out = np.zeros((len(parts), *shape))
    for i, part in enumerate(parts):
        out[i][tuple(slice(0, n) for n in part.shape)] = part
    return out
