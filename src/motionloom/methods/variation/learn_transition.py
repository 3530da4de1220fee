"""Learning the transition network (LAU 5.1): greedy updates of edges that raise the re-synthesis score (eq 4)."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, FloatArray, IntArray, Progress, part, silent
from motionloom.core.progress import watch
from motionloom.methods.variation.config import SCORES, Config
from motionloom.methods.variation.learn_prior import GAIN, START_EDGES, Found
from motionloom.methods.variation.networks import (
    ancestors,
    downstream,
    lists,
    own_edges,
    parent_lists,
    reversible,
    sorted_nodes,
)
from motionloom.methods.variation.regression import Rules, SequenceFrames

STAGE = "learning the transition network"
FRAME_WORK = 60.0  # a frame that is judged takes as long as so many pairs of instances of the prior network (50 to 100)


class TransitionBudget(NamedTuple):
    """How far a search goes. Budgets count updates, so that the same seed gives the same network."""

    rounds: int  # times that updates are ranked
    candidates: int  # parents tried per node and round; the most correlated with what the node leaves unexplained
    tries: int  # updates per round whose full score is computed
    most: int  # parents of a node, beside its own two frames
    restarts: int  # random starts beside the one without edges
    kind: int  # of score: see `_kernels_transition`


def transition_budget(config: Config, restarts: int = 0) -> TransitionBudget:
    """The budget by the settings of a config."""
    kind = SCORES.index(config.score)
    return TransitionBudget(config.rounds, config.candidates, config.tries, config.parents, restarts, kind)


def transition_work(material: SequenceFrames, search: TransitionBudget) -> float:
    """The work of a search start in units of `prior_work`; a try changes about half of the nodes."""
    return FRAME_WORK * search.rounds * (search.candidates + 0.5 * search.tries) * material.values.size


class Update(NamedTuple):
    """One edge added, deleted or reversed: the new parents of one or two nodes, and the gain by the ranking."""

    nodes: tuple[int, ...]
    rows: tuple[BoolArray, ...]  # (3 D,) each
    gain: float


def learn_transition(
    material: SequenceFrames,
    rules: Rules,
    search: TransitionBudget,
    *,
    rng: Generator,
    progress: Progress | None = None,
) -> Found:
    """The best network of a greedy search from the nodes' own edges and from random sets of edges."""
    report, count = progress or silent(), len(material.values)
    best = Found(np.zeros((0, 0), bool), -np.inf)
    starts = 1 + search.restarts
    for start in range(starts):
        edges = random_start(count, rng) if start else own_edges(count)
        found = climb(material, rules, search, edges, part(report, start / starts, (start + 1) / starts))
        best = found if found.score > best.score else best
    report(1.0, STAGE)
    return best


def random_start(count: int, rng: Generator, per_node: float = START_EDGES) -> BoolArray:
    """(D, 3 D) the nodes' own edges, and about `per_node` random ones for each node."""
    rank = rng.permutation(count)
    edges = rng.random((count, 3 * count)) < per_node / (2.5 * count)
    edges[:, 2 * count :] &= rank[:, None] > rank[None, :]
    return np.asarray(edges | own_edges(count))


def climb(
    material: SequenceFrames, rules: Rules, search: TransitionBudget, edges: BoolArray, progress: Progress
) -> Found:
    """Rounds of updates: ranked per node with the other trajectories held fixed, kept if the full score rises.

    One node's parents change every trajectory downstream, so parts of the score cannot be kept from one update to the
    next (errata): each round ranks all candidates, and tries the best update of each node in order of its gain.
    """
    edges = edges.copy()
    made, parts = resynthesised(material, rules, edges, search.kind, progress)
    for turn in range(search.rounds):
        ranking, trying = (part(progress, (turn + a) / search.rounds, (turn + b) / search.rounds)
                           for a, b in ((0.0, 0.5), (0.5, 1.0)))  # fmt: skip
        updates = rank_updates(material, rules, search, edges, made, parts, ranking)[: search.tries]
        kept = 0
        for u, update in enumerate(updates):
            trying(u / len(updates), STAGE)
            trial = edges.copy()
            trial[list(update.nodes)] = update.rows
            count = len(edges)
            if sorted_nodes(trial[:, 2 * count :]) is None:
                continue  # an update of this round excludes this one
            due = downstream(trial, update.nodes)
            new_made, new_parts = resynthesised(material, rules, trial, search.kind, trying, (made, parts, due))
            if new_parts.sum() > parts.sum() + GAIN:
                edges, made, parts = trial, new_made, new_parts
                kept += 1
        if not kept:
            break
    progress(1.0, STAGE)
    return Found(edges, float(parts.sum()))


def resynthesised(
    material: SequenceFrames,
    rules: Rules,
    edges: BoolArray,
    kind: int,
    progress: Progress,
    known: tuple[FloatArray, FloatArray, BoolArray] | None = None,
    first: int = 0,
) -> tuple[FloatArray, FloatArray]:
    """Every sequence re-synthesised by the others (D, T), and the part (S, D) of each sequence and node in eq 4.

    `known` are those of another network, and the nodes (D,) that differ from it: the others are taken over. Sequences
    before the `first` are not computed: their parts are 0.
    """
    from motionloom.methods.variation._kernels_transition import resynthesise

    count = len(edges)
    if known is None:
        made, parts = np.empty_like(material.values), np.empty((material.sequences, count))
        due = np.ones(count, bool)
    else:
        made, parts, due = known[0].copy(), known[1].copy(), known[2]
    linked = lists(edges, edges[:, 2 * count :])
    watch(progress, STAGE, resynthesise, material, linked, rules, kind, due, first, made, parts, progress.stop)
    return made, parts


def rank_updates(
    material: SequenceFrames,
    rules: Rules,
    search: TransitionBudget,
    edges: BoolArray,
    made: FloatArray,
    parts: FloatArray,
    progress: Progress,
) -> list[Update]:
    """The best update of each node by the score with the other trajectories held fixed, the largest gain first."""
    nodes, rows = _candidates(material, search, edges, made)
    scores = _scored(material, rules, search.kind, nodes, rows, made, progress)
    gains = scores - parts.sum(0)[nodes]
    count = len(edges)
    changed = [int(np.flatnonzero(row ^ edges[i])[0]) for i, row in zip(nodes, rows, strict=True)]
    single = {(int(i), p): k for k, (i, p) in enumerate(zip(nodes, changed, strict=True))}
    within = edges[:, 2 * count :]
    found: dict[int, Update] = {}

    def offer(update: Update) -> None:
        here = found.get(update.nodes[0])
        if update.gain > GAIN and (here is None or update.gain > here.gain):
            found[update.nodes[0]] = update

    for (i, p), k in single.items():
        if edges[i, p] or p < 2 * count or not within[p - 2 * count, i]:
            offer(Update((i,), (rows[k],), float(gains[k])))
    room = edges.sum(1) - 2 < search.most
    for i, j in np.argwhere(reversible(within) & room):  # i loses j, j gets i
        deleted, added = (single[(int(i), int(j) + 2 * count)], single[(int(j), int(i) + 2 * count)])
        both = float(gains[deleted] + gains[added])
        offer(Update((int(i), int(j)), (rows[deleted], rows[added]), both))
    return sorted(found.values(), key=lambda update: -update.gain)


def _candidates(
    material: SequenceFrames, search: TransitionBudget, edges: BoolArray, made: FloatArray
) -> tuple[IntArray, BoolArray]:
    """Nodes (U,) and their parents (U, 3 D) after one change each: every deletion, and the likeliest additions.

    Additions are the `candidates` nodes most correlated with the error of the node's trajectory; those that would
    close a cycle are left out, except where they are the reverse of an edge.
    """
    count = len(edges)
    within = edges[:, 2 * count :]
    below = ancestors(within).T  # below[i, j]: i is above j, so j -> i closes a cycle
    closing = below & ~within.T
    barred = edges | np.hstack([np.zeros((count, 2 * count), bool), closing | np.eye(count, dtype=bool)])
    promise = np.where(barred, -1.0, _correlations(material, made))
    order = np.argsort(-promise, axis=1, kind="stable")[:, : search.candidates]
    nodes, changes = [], []
    for i in range(count):
        full = edges[i].sum() - 2 >= search.most
        added = [] if full else [int(p) for p in order[i] if promise[i, p] >= 0]
        reverse = [] if full else [2 * count + int(j) for j in np.flatnonzero(within[:, i])]  # children, as parents
        removed = np.flatnonzero(edges[i] & ~own_edges(count)[i]).tolist()
        for p in dict.fromkeys([*added, *reverse, *removed]):
            nodes.append(i)
            changes.append(p)
    rows = edges[nodes]
    rows[np.arange(len(nodes)), changes] ^= True
    return np.array(nodes, np.int64), rows


def _correlations(material: SequenceFrames, made: FloatArray) -> FloatArray:
    """(D, 3 D) the absolute correlation of each node's error with each possible parent's value."""
    error, columns = [], []
    for a, b in pairwise(material.starts):
        error.append(np.diff(material.values[:, a + 1 : b] - made[:, a + 1 : b], axis=1))
        columns.append(np.concatenate([material.values[:, a + s : b - 2 + s] for s in range(3)]))
    return np.abs(_standardised(np.hstack(error)) @ _standardised(np.hstack(columns)).T)


def _standardised(rows: FloatArray) -> FloatArray:
    centred = rows - rows.mean(1, keepdims=True)
    return np.asarray(centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12))


def _scored(
    material: SequenceFrames,
    rules: Rules,
    kind: int,
    nodes: IntArray,
    rows: BoolArray,
    made: FloatArray,
    progress: Progress,
) -> FloatArray:
    from motionloom.methods.variation._kernels_transition import score_updates

    first, parents = parent_lists(rows)
    out, done = np.empty(len(nodes)), np.zeros(1, np.int64)
    watch(
        progress, STAGE, score_updates, material, nodes, first, parents, made, rules, kind, out, progress.stop, done,
        units=len(nodes), done=done,
    )  # fmt: skip
    return out
