"""Compiled store of the beam's candidates, in lists by level. Plain arrays, no checks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.core._jit import kernel

CELL_SIZE, CELL_ANGLE = 0.05, 0.09  # m, rad: candidates at one graph frame within such a cell are equivalent
NO_TRANSITION = -(1 << 60)  # no transition


class CandidatePool(NamedTuple):
    """Candidates, in lists by the level at which they wait to be compared."""

    what: Any  # (room, 5) graph frame, frame of the result, record of its past, last transition, next in its list
    body: Any  # (room, 6) x, z, heading, metres along the line, cost, cost plus estimated rest
    free: Any  # (room,) free rows: free[:spare[0]]
    spare: Any  # (1,)
    lists: Any  # (levels, 2) the first candidate there, -1: none; how many
    bar: Any  # (levels,) candidates that cost as much are not kept there


@kernel
def new_pool(room: int, levels: int) -> Any:
    """An empty pool with this capacity."""
    lists = np.zeros((levels, 2), np.int64)
    lists[:, 0] = -1
    what, free = np.empty((room, 5), np.int64), np.arange(room - 1, -1, -1)
    return CandidatePool(what, np.empty((room, 6)), free, np.array([room]), lists, np.full(levels, np.inf))


@kernel
def doubled_pool(pool: Any) -> Any:
    """The pool with twice the capacity, once it is full."""
    room = len(pool.free)
    what, body = np.concatenate((pool.what, pool.what)), np.concatenate((pool.body, pool.body))
    return CandidatePool(what, body, np.arange(2 * room - 1, -1, -1), np.array([room]), pool.lists, pool.bar)


@kernel
def add_candidate(
    pool: Any,
    where: int,
    n: int,
    t: int,
    x: float,
    z: float,
    h: float,
    s: float,
    cost: float,
    rank: float,
    record: int,
    via: int,
) -> None:
    """Add a candidate at level `where`. There must be a free row."""
    pool.spare[0] -= 1
    i = pool.free[pool.spare[0]]
    pool.what[i, 0], pool.what[i, 1], pool.what[i, 2], pool.what[i, 3] = n, t, record, via
    pool.what[i, 4], pool.lists[where, 0] = pool.lists[where, 0], i
    pool.lists[where, 1] += 1
    pool.body[i, 0], pool.body[i, 1], pool.body[i, 2] = x, z, h
    pool.body[i, 3], pool.body[i, 4], pool.body[i, 5] = s, cost, rank


@kernel
def prune_level(pool: Any, where: int, width: int, same: int) -> None:
    """Keep only the candidates of a level that `take_best` would keep; they set the bar for later ones."""
    kept = take_best(pool, where, width, same)
    for i in kept:
        pool.what[i, 4], pool.lists[where, 0] = pool.lists[where, 0], i
    pool.lists[where, 1] = len(kept)
    if len(kept) == width:
        pool.bar[where] = pool.body[kept[-1], 5]


@kernel
def take_best(pool: Any, where: int, limit: int, same: int) -> Any:
    """The `limit` cheapest candidates of a level, best first; the list is emptied and the other rows are freed.

    At most `same` of those at one graph frame, and only the cheapest of those that are also in one cell of place and
    heading: otherwise the candidates of a large graph would soon be all alike. Both are found in one hash table.
    """
    here = np.empty(pool.lists[where, 1], np.int64)
    i = pool.lists[where, 0]
    for k in range(len(here)):
        here[k] = i
        i = pool.what[i, 4]
    pool.lists[where, 0], pool.lists[where, 1] = -1, 0
    here = here[np.argsort(pool.body[here, 5])]
    size = 1
    while size < 4 * len(here):
        size *= 2
    seen = np.full(size, -1, np.int64)
    number = np.zeros(size, np.int64)  # candidates at a graph frame; 0 for a cell
    kept = np.empty(min(limit, len(here)), np.int64)
    many = 0
    for i in here:
        new = many < len(kept)
        if new:
            n = pool.what[i, 0]
            a, b = int(np.floor(pool.body[i, 0] / CELL_SIZE)), int(np.floor(pool.body[i, 1] / CELL_SIZE))
            c = int(np.floor(pool.body[i, 2] / CELL_ANGLE))
            frame = n * 2654435761 & (size - 1)
            while seen[frame] >= 0 and not (number[frame] > 0 and pool.what[seen[frame], 0] == n):
                frame = (frame + 1) & (size - 1)
            new = number[frame] < same
        if new:
            if seen[frame] < 0:
                seen[frame] = i
            slot = (n * 73856093 ^ a * 19349663 ^ b * 83492791 ^ c * 2654435761) & (size - 1)
            while new and (seen[slot] >= 0 or slot == frame):
                j = seen[slot]
                new = (
                    number[slot] > 0
                    or slot == frame
                    or not (
                        pool.what[j, 0] == n
                        and int(np.floor(pool.body[j, 0] / CELL_SIZE)) == a
                        and int(np.floor(pool.body[j, 1] / CELL_SIZE)) == b
                        and int(np.floor(pool.body[j, 2] / CELL_ANGLE)) == c
                    )
                )
                slot = (slot + 1) & (size - 1)
            if new:
                seen[slot], number[frame] = i, number[frame] + 1
        if new:
            kept[many] = i
            many += 1
        else:
            pool.free[pool.spare[0]] = i
            pool.spare[0] += 1
    return kept[:many]
