"""Paths in directed graphs, compiled: plain arrays, no checks. Rows of a graph are sets of bits, 64 in a word."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel

WORD = 64


@kernel
def ancestors_of(edges: Any) -> Any:
    """(N, N) whether j is an ancestor of i, where edges[i, j] is true if j is a parent of i (Warshall's closure)."""
    count = len(edges)
    words = (count + WORD - 1) // WORD
    rows = np.zeros((count, words), np.uint64)
    one = np.uint64(1)
    for i in range(count):
        for j in range(count):
            if edges[i, j]:
                rows[i, j // WORD] |= one << np.uint64(j % WORD)
    for k in range(count):
        word, bit = k // WORD, one << np.uint64(k % WORD)
        for i in range(count):
            if rows[i, word] & bit:
                for w in range(words):
                    rows[i, w] |= rows[k, w]
    out = np.zeros((count, count), np.bool_)
    for i in range(count):
        for j in range(count):
            out[i, j] = (rows[i, j // WORD] >> np.uint64(j % WORD)) & one != np.uint64(0)
    return out


@kernel
def reversible_of(edges: Any, above: Any) -> Any:
    """(N, N) the edges that are the only path from their parent to their child; `above` are the ancestors."""
    count = len(edges)
    out = np.zeros((count, count), np.bool_)
    for i in range(count):
        for j in range(count):
            if not edges[i, j]:
                continue
            alone = True
            for k in range(count):
                if edges[i, k] and above[k, j]:
                    alone = False
                    break
            out[i, j] = alone
    return out
