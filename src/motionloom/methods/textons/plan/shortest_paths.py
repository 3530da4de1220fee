"""Paths over transitions: the endless part, the most probable path, the best of a given length or time (LI 5.2)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import BadRequest, BoolArray, FloatArray, IntArray, NoPath


def endless(counts: FloatArray) -> IntArray:
    """The largest set of textons that can all reach each other: a walk inside it never has to stop."""
    from scipy.sparse.csgraph import connected_components

    _, part = connected_components(counts > 0, directed=True, connection="strong")
    sizes = np.array([counts[np.ix_(part == p, part == p)].sum() for p in range(part.max() + 1)])
    inside = np.flatnonzero(part == int(sizes.argmax()))
    return inside if sizes.max() > 0 else np.array([], np.int64)


def probabilities(counts: FloatArray) -> FloatArray:
    """Counted transitions as probabilities; a texton that was only ever seen last has a row of zeros."""
    total = counts.sum(1, keepdims=True)
    return np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)


def stationary(chances: FloatArray) -> FloatArray:
    """(N,) how often a long walk visits each texton: the left eigenvector of M with eigenvalue 1."""
    values, vectors = np.linalg.eig(chances.T)
    v = np.abs(np.real(vectors[:, np.argmin(np.abs(values - 1))]))
    return v / v.sum()


def cheapest_path(chances: FloatArray, start: int, goal: int) -> list[int]:
    """The most probable path from one texton to another: Dijkstra on -log M (LI eq. 5, minimised)."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    _check(chances, start, goal)
    cost = np.where(chances > 0, -np.log(np.where(chances > 0, chances, 1.0)) + 1e-12, 0.0)
    np.fill_diagonal(cost, 0.0)
    far, before = dijkstra(csr_matrix(cost), indices=start, return_predecessors=True)
    if not np.isfinite(far[goal]):
        raise NoPath(f"no path leads from texton {start} to texton {goal} in these clips")
    path = [goal]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
    return path[::-1]


def best_path(chances: FloatArray, start: int, goal: int, count: int) -> list[int]:
    """The most probable path of exactly `count` textons, both ends included (LI 5.2.2); a texton may follow itself."""
    _check(chances, start, goal)
    with np.errstate(divide="ignore"):
        scores = np.log(chances)
    best = np.full(len(chances), -np.inf)
    best[start] = 0.0
    came = []
    for _ in range(count - 1):
        total = best[:, None] + scores
        came.append(total.argmax(0))
        best = total.max(0)
    if not np.isfinite(best[goal]):
        raise NoPath(f"no path of {count} textons leads from texton {start} to texton {goal} in these clips")
    path = [goal]
    for before in reversed(came):
        path.append(int(before[path[-1]]))
    return path[::-1]


def repetitions(chances: FloatArray, texton: int, rng: Generator, *, most: int = 20) -> int:
    """How often a texton is repeated, sampled from its self-transition (LI 5.2.1); at most `most` times."""
    again = 0
    while again < most and rng.random() < chances[texton, texton]:
        again += 1
    return again


def log_probability(chances: FloatArray, path: list[int]) -> float:
    """The log probability of a path given its first texton; -inf through a transition never seen."""
    steps = [float(chances[a, b]) for a, b in itertools.pairwise(path)]
    return float(np.log(steps).sum()) if all(p > 0 for p in steps) else -np.inf


def _check(chances: FloatArray, *textons: int) -> None:
    for t in textons:
        if not 0 <= t < len(chances):
            raise BadRequest(f"there is no texton {t}; there are {len(chances)}, from 0")


class Edges(NamedTuple):
    """Edges from one node to another, each with the time that is spent at the first before it is left."""

    source: IntArray  # (E,)
    target: IntArray  # (E,)
    frames: IntArray  # (E,) at least 1
    score: FloatArray  # (E,) log probability

    def only(self, which: BoolArray | IntArray) -> Edges:
        """Some of them."""
        return Edges(self.source[which], self.target[which], self.frames[which], self.score[which])


def edges_of(chances: FloatArray, lengths: IntArray) -> Edges:
    """Every possible transition as an edge; node i is left after lengths[i]."""
    source, target = np.nonzero(chances)
    return Edges(source, target, np.asarray(lengths)[source], np.log(chances[source, target]))


def joined_edges(parts: Sequence[Edges]) -> Edges:
    """The edges of several sets as one."""
    return Edges(*(np.concatenate(p) for p in zip(*parts, strict=True)))


class Arrivals(NamedTuple):
    """The best path to every node at every time (`paths_in_time`)."""

    best: FloatArray  # (frames + 1, N) log probability; -inf where no path arrives
    came: IntArray  # (frames + 1, N) by which edge: those of `first`, then those of `edges`; -1 where no path arrives
    first: Edges
    edges: Edges

    def path(self, goal: int, frames: int) -> tuple[int, list[int]]:
        """The best path to the goal in exactly `frames`: which of the first edges, and then which of the edges."""
        if not np.isfinite(self.best[frames, goal]):
            raise NoPath(f"no path of {frames} frames leads to {goal}")
        back: list[int] = []
        node, t = goal, frames
        while True:
            edge = int(self.came[t, node])
            if edge < len(self.first.source):
                return edge, back[::-1]
            back.append(edge - len(self.first.source))
            node, t = int(self.edges.source[back[-1]]), t - int(self.edges.frames[back[-1]])


def paths_in_time(first: Edges, edges: Edges, nodes: int, frames: int) -> Arrivals:
    """The best log probability of arriving at each of N nodes after each number of frames, up to `frames`.

    A path takes one of the `first` edges (out of where it starts) and then any of `edges`. LI 5.2.2 fixes how many
    textons a path has (here: every edge takes 1 frame); this fixes how long they last. O(frames E).
    """
    order = np.argsort(edges.target, kind="stable")
    ordered = edges.only(order)
    targets, starts = np.unique(ordered.target, return_index=True)
    best = np.full((frames + 1, nodes), -np.inf)
    came = np.full((frames + 1, nodes), -1, np.int64)
    for e in np.argsort(first.score, kind="stable"):  # the best of those that arrive together comes last
        if first.frames[e] <= frames:
            best[first.frames[e], first.target[e]] = first.score[e]
            came[first.frames[e], first.target[e]] = e
    ends = np.append(starts[1:], len(order))
    for t in range(1, frames + 1 if len(order) else 0):
        since = t - ordered.frames
        scores = np.where(since >= 0, best[np.maximum(since, 0), ordered.source], -np.inf) + ordered.score
        most = np.maximum.reduceat(scores, starts)
        for k in np.flatnonzero(most > best[t, targets]):
            best[t, targets[k]] = most[k]
            chosen = starts[k] + int(scores[starts[k] : ends[k]].argmax())
            came[t, targets[k]] = len(first.source) + order[chosen]
    return Arrivals(best, came, first, edges)
