"""Similar pairs of frames out of a matrix: the best share, a threshold, local minima, agreeing contacts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionloom.analysis.comparison import ClipComparison
from motionloom.core import BadRequest, BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of frames that look alike, best first."""

    frames: IntArray  # (N, 2): frame of A, frame of B
    values: FloatArray  # (N,) the measure's value, in its unit

    def __len__(self) -> int:
        return len(self.values)

    def where(self, keep: BoolArray) -> Pairs:
        """Some of them, in the same order."""
        return Pairs(self.frames[keep], self.values[keep])


def best_share(matrix: FloatArray, share: float = 0.01, *, first: tuple[int, int] = (0, 0)) -> Pairs:
    """The smallest `share` of all cells (GUAN 4.2.1 keeps 0.1 to 1.5 %; at least one), best first.

    `first` is the frame of A and of B that cell (0, 0) stands for: `Comparison.first`, or (radius, radius).
    """
    if not 0 < share <= 1:
        raise BadRequest(f"share of pairs: expected more than 0 and at most 1 (0.01 is 1 %), found {share}")
    _check(matrix)
    count = max(1, round(share * matrix.size))
    flat = matrix.ravel()
    chosen = np.argpartition(flat, count - 1)[:count] if count < flat.size else np.arange(flat.size)
    return _sorted(np.stack(np.unravel_index(chosen, matrix.shape), 1), flat[chosen], first)


def below(matrix: FloatArray, threshold: float, *, first: tuple[int, int] = (0, 0)) -> Pairs:
    """All cells at or below `threshold` (in the measure's unit), best first; may be none."""
    _check(matrix)
    cells = np.argwhere(matrix <= threshold)
    return _sorted(cells, matrix[cells[:, 0], cells[:, 1]], first)


def local_minima(
    matrix: FloatArray, *, radius: int = 1, threshold: float = np.inf, first: tuple[int, int] = (0, 0)
) -> Pairs:
    """Cells that are smallest within `radius` rows and columns around them and at or below `threshold`, best first.

    A flat stretch of equal cells counts once, at its first cell; cells at the border may be minima too.
    """
    _check(matrix)
    if radius < 1:
        raise BadRequest(f"local minima: expected a radius of 1 or more cells, found {radius}")
    lowest = _lowest(matrix, radius)
    cells = _one_per_plateau(matrix, (matrix <= lowest) & (matrix <= threshold))
    return _sorted(cells, matrix[cells[:, 0], cells[:, 1]], first)


def best_of_tiles(comparison: ClipComparison, count: int, *, size: int = 1024) -> Pairs:
    """The `count` smallest cells of a matrix too large to hold, tile by tile, best first.

    Memory: one tile (some 15 MB at 1024), the clips' features, and up to three times `count` cells of 24 bytes.
    """
    cells, values = np.empty((0, 2), np.int64), np.empty(0)
    limit = np.inf
    for tile in comparison.tiles(size):
        inside = np.argwhere(tile.values < limit)
        if not len(inside):
            continue
        cells = np.concatenate([cells, inside + [tile.rows.start, tile.columns.start]])
        values = np.concatenate([values, tile.values[inside[:, 0], inside[:, 1]]])
        if len(values) > 2 * count:
            cells, values = _smallest(cells, values, count)
            limit = float(values.max())
    cells, values = _smallest(cells, values, count)
    return _sorted(cells, values, comparison.first)


def _check(matrix: FloatArray) -> None:
    if matrix.ndim != 2 or not matrix.size:
        raise BadRequest(f"pairs: expected a matrix with at least one cell, found shape {matrix.shape}")
    if np.isnan(matrix).any():
        raise BadRequest("pairs: the matrix holds NaN")


def _sorted(cells: IntArray, values: FloatArray, first: tuple[int, int]) -> Pairs:
    order = np.lexsort((cells[:, 1], cells[:, 0], values))
    return Pairs(cells[order].astype(np.int64) + np.asarray(first), values[order].astype(float))


def _smallest(cells: IntArray, values: FloatArray, count: int) -> tuple[IntArray, FloatArray]:
    if len(values) <= count:
        return cells, values
    keep = np.argpartition(values, count - 1)[:count]
    return cells[keep], values[keep]


def _lowest(matrix: FloatArray, radius: int) -> FloatArray:
    from scipy.ndimage import minimum_filter

    return np.asarray(minimum_filter(matrix, size=2 * radius + 1, mode="nearest"))


def _one_per_plateau(matrix: FloatArray, mask: BoolArray) -> IntArray:
    """The first cell of each connected stretch of equal minima."""
    from scipy.ndimage import label

    groups, count = label(mask, structure=np.ones((3, 3)))
    cells = np.argwhere(mask)
    _, firsts = np.unique(groups[mask], return_index=True)
    assert len(firsts) == count
    return cells[firsts]
