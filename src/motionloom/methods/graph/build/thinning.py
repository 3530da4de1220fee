"""Fewer transitions where there are very many: the best of each little square of frames (for materials of any size)."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core import IntArray


class Thinner:
    """Keeps at most `most` pairs of frames while more and more are found, tile by tile.

    The matrix of each two clips is cut into squares of `cell` x `cell` frames, and the best pair of each is kept. The
    side is 1 until there are too many pairs, then it doubles. Squares nest, so the order of finding does not matter:
    what is left is what thinning all pairs at once with the last side would leave. It holds about four times `most`.
    """

    def __init__(self, starts: IntArray, most: int) -> None:
        """`starts` (C + 1,): the first frame of each clip and the end of the last one."""
        self.most, self.cell = most, 1
        self._starts = starts
        self._tiles: list[tuple[IntArray, Any]] = []
        self._count = 0

    def add(self, pairs: IntArray, values: Any) -> None:
        """The pairs (n, 2) of a tile with their distances. No two tiles share a pair; those of a square are ordered."""
        self._tiles.append(self._best(pairs, values))
        self._count += len(self._tiles[-1][0])
        while self._count > 4 * self.most and self.cell < self._starts[-1]:
            self._double()

    def result(self) -> tuple[IntArray, Any]:
        """The pairs that are left, ordered, and their distances."""
        while True:
            pairs, values = self._merged()
            if len(pairs) <= self.most or self.cell >= self._starts[-1]:
                order = np.lexsort((pairs[:, 1], pairs[:, 0]))
                return pairs[order], values[order]
            self._double()

    def _double(self) -> None:
        self.cell *= 2
        self._tiles = [self._best(*tile) for tile in self._tiles]
        self._count = sum(len(pairs) for pairs, _ in self._tiles)

    def _best(self, pairs: IntArray, values: Any) -> tuple[IntArray, Any]:
        from motionloom.methods.graph.build._kernels_thin import best_of_squares

        if self.cell == 1:
            return pairs, values
        keep = np.sort(best_of_squares(pairs, values, self._square()))  # the order of frames decides between equals
        return pairs[keep], values[keep]

    def _square(self) -> IntArray:
        """(N,) the number of the row of squares that each frame lies in; clips share none."""
        lengths = np.diff(self._starts)
        counts = -(-lengths // self.cell)
        base = np.repeat(np.cumsum(counts) - counts, lengths)
        return np.asarray(base + (np.arange(self._starts[-1]) - np.repeat(self._starts[:-1], lengths)) // self.cell)

    def _merged(self) -> tuple[IntArray, Any]:
        """All tiles together: a square that lies in several keeps one pair, the first of equal ones by its frames."""
        pairs = np.concatenate([np.empty((0, 2), np.int64), *(p for p, _ in self._tiles)])
        values = np.concatenate([np.empty(0), *(v for _, v in self._tiles)])
        square = self._square()
        key = square[pairs[:, 0]] * (int(square.max(initial=0)) + 1) + square[pairs[:, 1]]
        order = np.lexsort((pairs[:, 1], pairs[:, 0], values, key))
        first = np.ones(len(order), bool)
        first[1:] = np.diff(key[order]) > 0
        return pairs[order[first]], values[order[first]]
