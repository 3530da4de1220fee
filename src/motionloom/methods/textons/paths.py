"""Paths over transitions: the part that never ends, the cheapest path, the best path of a given length (LI 5.2)."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.random import Generator

from motionloom.core import BadRequest, FloatArray, IntArray, NoPath


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
    """The most probable way from one texton to another: Dijkstra on -log M (LI eq. 5, minimised)."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    _check(chances, start, goal)
    cost = np.where(chances > 0, -np.log(np.where(chances > 0, chances, 1.0)) + 1e-12, 0.0)
    np.fill_diagonal(cost, 0.0)
    far, before = dijkstra(csr_matrix(cost), indices=start, return_predecessors=True)
    if not np.isfinite(far[goal]):
        raise NoPath(f"no way leads from texton {start} to texton {goal} in these clips")
    path = [goal]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
    return path[::-1]


def repetitions(chances: FloatArray, texton: int, rng: Generator, *, most: int = 20) -> int:
    """How often more a texton is said, as its self-transition, sampled, says (LI 5.2.1); at most `most` times."""
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


def paths_in_time(chances: FloatArray, lengths: IntArray, start: int, spent: int, goal: int, frames: int) -> FloatArray:
    """(frames + 1,) the best log probability of arriving at a goal after exactly so many frames; -inf where none does.

    `spent` frames are over when the start is left; every other node i on the way takes lengths[i]. LI 5.2.2 fixes how
    many textons a path has (here: each lasts 1); this fixes how long they last. O(frames N^2).
    """
    _check(chances, start, goal)
    return _in_time(chances, lengths, start, spent, frames)[0][:, goal]


def path_in_time(chances: FloatArray, lengths: IntArray, start: int, spent: int, goal: int, frames: int) -> list[int]:
    """The most probable path that arrives after exactly `frames` frames, start and goal included (`paths_in_time`)."""
    best, came = _in_time(chances, lengths, start, spent, frames)
    if not np.isfinite(best[frames, goal]):
        raise NoPath(f"no path of {frames} frames leads from {start} to {goal}")
    path, t = [goal], frames
    while t > spent:
        path.append(int(came[t, path[-1]]))
        t -= int(lengths[path[-1]])
    return [start, *path[::-1]]


def _in_time(
    chances: FloatArray, lengths: IntArray, start: int, spent: int, frames: int
) -> tuple[FloatArray, IntArray]:
    """(frames + 1, n) the best log probability of arriving at each node at each time, and from which node."""
    with np.errstate(divide="ignore"):
        log_m = np.log(chances)
    count = len(chances)
    best = np.full((frames + 1, count), -np.inf)
    came = np.full((frames + 1, count), -1, np.int64)
    if spent <= frames:
        best[spent], came[spent] = log_m[start], start
    each = np.arange(count)
    for t in range(spent + 1, frames + 1):
        since = t - lengths
        left = np.where(since >= spent, best[np.maximum(since, 0), each], -np.inf)
        if np.isfinite(left).any():
            ways = left[:, None] + log_m
            came[t] = ways.argmax(0)
            best[t] = ways.max(0)
    return best, came
