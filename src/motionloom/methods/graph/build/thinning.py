"""Thin out transitions of large materials: keep the best of each small square of frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core import IntArray


class Thinner:
    """Collects pairs of frames tile by tile and keeps at most `most` of them.

    The matrix of each two clips is divided into squares of `cell` x `cell` frames, and the best pair of each is kept.
    The side is 1 until there are too many pairs, then it doubles. Squares nest, so the order of tiles does not matter:
    the result is that of thinning all pairs at once with the last side. At most about four times `most` are held.
    """

    def __init__(self, starts: IntArray, most: int) -> None:
        """`starts` (C + 1,): the first frame of each clip and the end of the last one."""
        self.most, self.cell = most, 1
        self._starts = starts
        self._tiles: list[tuple[IntArray, Any]] = []
        self._count = 0

    def add(self, pairs: IntArray, values: Any) -> None:
        """Add the pairs (n, 2) of a tile with their distances. Tiles share no pair; those of a square are ordered."""
        self._tiles.append(self._best(pairs, values))
        self._count += len(self._tiles[-1][0])
        while self._count > 4 * self.most and self.cell < self._starts[-1]:
            self._double()

    def result(self) -> tuple[IntArray, Any]:
        """The remaining pairs, ordered, and their distances."""
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
        keep = np.sort(best_of_squares(pairs, values, self._square()))  # of equal pairs, the first by its frames
        return pairs[keep], values[keep]

    def _square(self) -> IntArray:
        """(N,) the row of squares of each frame; clips share none."""
        lengths = np.diff(self._starts)
        counts = -(-lengths // self.cell)
        base = np.repeat(np.cumsum(counts) - counts, lengths)
        return np.asarray(base + (np.arange(self._starts[-1]) - np.repeat(self._starts[:-1], lengths)) // self.cell)

    def _merged(self) -> tuple[IntArray, Any]:
        """All tiles merged: a square in several tiles keeps one pair, of equal ones the first by its frames."""
        pairs = np.concatenate([np.empty((0, 2), np.int64), *(p for p, _ in self._tiles)])
        values = np.concatenate([np.empty(0), *(v for _, v in self._tiles)])
        square = self._square()
        key = square[pairs[:, 0]] * (int(square.max(initial=0)) + 1) + square[pairs[:, 1]]
        order = np.lexsort((pairs[:, 1], pairs[:, 0], values, key))
        first = np.ones(len(order), bool)
        first[1:] = np.diff(key[order]) > 0
        return pairs[order[first]], values[order[first]]
