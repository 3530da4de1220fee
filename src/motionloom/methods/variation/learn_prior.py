"""Learning the prior network (LAU 5.1): greedy updates of edges that raise the leave-one-out score (eq 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, FloatArray, IntArray, Progress, part, silent
from motionloom.core.progress import parts, watch
from motionloom.methods.variation.networks import ancestors, parent_lists, reversible
from motionloom.methods.variation.regression import Rules

GAIN = 1e-9  # an update that raises the score by less is none
START_EDGES = 0.5  # edges per node in a random start
UPDATES = 2.0  # updates yet to be made for each node that any update improves: an estimate (walks: 1.4 to 3.3)
FEW = 4  # nodes
STAGE = "learning the prior network"


class PriorData(NamedTuple):
    """Pairs of frames as instances of the prior network: 2 D nodes, N instances."""

    instances: FloatArray  # (2 D, N) X[0], then X[1]
    scales: FloatArray  # (2 D,) squared
    floors: FloatArray  # (2 D,)


class PriorBudget(NamedTuple):
    """How far a search of the prior network goes."""

    most: int  # parents of a node
    least: float  # gain per instance below which an update is not made
    restarts: int  # random starts beside the one without edges


class Found(NamedTuple):
    """A network and its score, summed over instances and nodes."""

    edges: BoolArray
    score: float


def prior_data(sequences: Sequence[FloatArray], pairs: int, scales: FloatArray, floor: float) -> PriorData:
    """The first `pairs` pairs of frames of each sequence (F, D)."""
    rows = [np.hstack([s[:-1], s[1:]])[:pairs] for s in sequences]
    instances = np.ascontiguousarray(np.concatenate(rows).T)
    floors = np.maximum(floor * instances.var(1), 1e-12)
    return PriorData(instances, np.tile(scales**2, 2), floors)


def prior_work(data: PriorData) -> float:
    """About how many pairs of instances a search start compares."""
    return (1.0 + UPDATES) * float(data.instances.size) ** 2


def learn_prior(
    data: PriorData, rules: Rules, search: PriorBudget, *, rng: Generator, progress: Progress | None = None
) -> Found:
    """The best network of a greedy search from no edges and from random sets of edges."""
    best = Found(np.zeros((0, 0), bool), -np.inf)
    for start, step in enumerate(parts(progress or silent(), [1.0] * (1 + search.restarts))):
        count = len(data.instances)
        edges = random_edges(count, rng) if start else np.zeros((count, count), bool)
        found = climb(data, rules, search, edges, step)
        best = found if found.score > best.score else best
    return best


def random_edges(count: int, rng: Generator, per_node: float = START_EDGES) -> BoolArray:
    """(N, N) a random acyclic set of edges, `per_node` of them for each node on average."""
    rank = rng.permutation(count)
    chance = rng.random((count, count)) < 2 * per_node / max(count - 1, 1)
    return np.asarray(chance & (rank[:, None] > rank[None, :]))


def climb(data: PriorData, rules: Rules, search: PriorBudget, edges: BoolArray, progress: Progress) -> Found:
    """The best update of one edge again and again, until none raises the score.

    Each node's part of the score depends on its parents alone, so an update changes one or two parts, and what other
    nodes would gain stays as it was: only updates of the changed nodes are scored anew.
    """
    edges = edges.copy()
    count = len(edges)
    everyone = np.arange(count)
    own = score_nodes(data, rules, everyone, edges, part(progress, 0.0, 0.0))
    toggled = _toggled(data, rules, edges, everyone, part(progress, 0.0, 1.0 / (1.0 + UPDATES)))
    least, scored = max(GAIN, search.least * data.instances.shape[1]), count
    while True:
        gain = toggled - own[:, None]  # of adding or deleting edge j -> i
        above = ancestors(edges)
        may_add = ~edges & ~above.T & ~np.eye(count, dtype=bool)  # j -> i closes a cycle if i is above j
        room = edges.sum(1) < search.most
        may_add &= room[:, None]
        added, deleted = np.where(may_add, gain, -np.inf), np.where(edges, gain, -np.inf)
        reversed_ = np.where(reversible(edges) & room, gain + gain.T, -np.inf)  # i loses j, j gets i
        best = [table.max() for table in (added, deleted, reversed_)]
        kind = int(np.argmax(best))
        if best[kind] <= least:
            progress(1.0, STAGE)
            return Found(edges, float(own.sum()))
        improved = int((np.maximum(added, deleted).max(1) > least).sum())
        progress(scored / (scored + UPDATES * max(improved, 1)), STAGE)
        table = (added, deleted, reversed_)[kind]
        i, j = np.unravel_index(int(table.argmax()), table.shape)
        edges[i, j] = kind == 0
        changed = [int(i)]
        if kind == 2:
            edges[j, i] = True
            changed.append(int(j))
        nodes = np.array(changed)
        own[nodes] = score_nodes(data, rules, nodes, edges, progress)
        toggled[nodes] = _toggled(data, rules, edges, nodes, progress)
        scored += len(nodes)


def score_nodes(data: PriorData, rules: Rules, nodes: IntArray, edges: BoolArray, progress: Progress) -> FloatArray:
    """(n,) the part of each of some nodes in eq 3."""
    return _scored(data, rules, nodes, edges[nodes], progress)


def _toggled(data: PriorData, rules: Rules, edges: BoolArray, nodes: IntArray, progress: Progress) -> FloatArray:
    """(n, N) the part of each of some nodes with one parent more, or one less where it is a parent already."""
    from motionloom.methods.variation._kernels_prior import score_toggled

    out, done = np.empty((len(nodes), len(edges))), np.zeros(1, np.int64)
    arguments = (*data[:1], nodes.astype(np.int64), edges, *data[1:], rules, out, progress.stop, done)
    _compute(progress, score_toggled, *arguments)
    return out


def _compute(progress: Progress, kernel: Callable[..., None], *arguments: Any) -> None:
    """Run a kernel of the nodes in its second argument, which counts them in its last one.

    One of a few nodes takes about a millisecond, and is not worth a thread.
    """
    count, done = len(arguments[1]), arguments[-1]
    if count < FEW:
        progress(None, STAGE)
        kernel(*arguments)
    else:
        watch(progress, STAGE, kernel, *arguments, units=count, done=done)


def _scored(data: PriorData, rules: Rules, nodes: IntArray, rows: BoolArray, progress: Progress) -> FloatArray:
    """(n,) the part of each node with the parents in its row (n, N)."""
    from motionloom.methods.variation._kernels_prior import score_updates

    first, parents = parent_lists(rows)
    out, done = np.empty(len(nodes)), np.zeros(1, np.int64)
    arguments = (*data[:1], nodes.astype(np.int64), first, parents, *data[1:], rules, out, progress.stop, done)
    _compute(progress, score_updates, *arguments)
    return out
