"""Dynamic time warping: the cheapest path through a matrix of costs that never steps back in either clip."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionloom.core import BadRequest, IntArray, Progress, silent
from motionloom.core.progress import check_stop, watch

Ends = Literal["fixed", "free", "free-start", "free-end", "either"]
CANCELLABLE_CELLS = 1_000_000  # cells of a matrix from which on the search can be cancelled, some 5 ms
LONGEST_RUN = 127  # the step codes are one byte each


def dtw_cost(cost: ArrayLike, *, limit: int | None = None, ends: Ends = "fixed") -> float:
    """The sum of costs along the cheapest path; see `dtw_path`. Needs two rows of memory and no more.

    >>> dtw_cost([[0, 1, 4], [1, 0, 1], [4, 1, 0]])
    0.0
    """
    return _search(_checked(cost, limit, ends), limit, ends, keep=False)[0]


def dtw_path(
    cost: ArrayLike,
    *,
    limit: int | None = None,
    ends: Ends = "fixed",
    prices: tuple[ArrayLike, ArrayLike] | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """The cheapest path through `cost` (N, M): cells (P, 2), from first to last, each one step after the one before.

    A step goes one row down, one column across, or both (HECK 3.4, after Kovar and Gleicher 2003: continuous,
    monotonic and, with a limit, not degenerate). `limit` = k allows at most k steps across or down in a row, with a
    diagonal step between two such runs, so the path's slope stays between 1/(k+1) and k+1. None allows any number.

    `ends="fixed"` joins the corners (0, 0) and (N-1, M-1). "free" still covers every row, but may begin and end in
    any column: it finds the stretch of the second clip that fits the first. "free-start" and "free-end" free one end.
    "either" begins at (0, 0) and ends at the end of either clip, in the cell of the last row or column whose path has
    the least mean cost (HECK 4.2.2).

    With `prices`, of the rows (N,) and of the columns (M,), a step across or down costs the prices of its row and its
    column more, so that the path leaves the diagonal only where that pays. They need a limit.

    Costs are not negative; an infinite cost closes a cell. Beyond the matrix it takes one byte a cell.

    >>> dtw_path([[0, 1, 4], [0, 2, 4], [4, 1, 0]]).tolist()
    [[0, 0], [1, 0], [2, 1], [2, 2]]
    """
    return _search(_checked(cost, limit, ends), limit, ends, keep=True, prices=prices, progress=progress)[1]


def _checked(cost: ArrayLike, limit: int | None, ends: str) -> NDArray[Any]:
    matrix = np.asarray(cost)
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    if matrix.ndim != 2 or not matrix.size:
        raise BadRequest(f"time warping needs a matrix of costs (frames, frames), found shape {matrix.shape}")
    if limit is not None and not 1 <= limit <= LONGEST_RUN:
        raise BadRequest(f"a slope limit is 1 to {LONGEST_RUN} steps in a row, or None; found {limit}")
    if ends not in get_args(Ends):
        raise BadRequest(f"ends: expected fixed, free, free-start, free-end or either, found {ends!r}")
    least = matrix.min()  # NaN if any cost is
    if not least >= 0:
        found = "NaN" if np.isnan(least) else f"{least:g}"
        at = tuple(int(i) for i in np.argwhere(~(matrix >= 0))[0])
        raise BadRequest(f"time warping needs costs of 0 or more, found {found} (first at {at})")
    return np.ascontiguousarray(matrix)


def _search(
    matrix: NDArray[Any],
    limit: int | None,
    ends: str,
    *,
    keep: bool,
    prices: tuple[ArrayLike, ArrayLike] | None = None,
    progress: Progress | None = None,
) -> tuple[float, IntArray]:
    from motionloom.analysis._kernels_dtw import path_through

    rows, columns = matrix.shape
    keep = keep or ends == "either"  # the lengths of paths are needed
    codes = np.empty(matrix.shape if keep else (0, 0), np.uint8)
    path = np.empty((rows + columns if keep else 0, 2), np.int64)
    free = ends in ("free", "free-start"), 2 if ends == "either" else int(ends in ("free", "free-end"))
    report, done = progress or silent(), np.zeros(1, np.int64)
    given = tuple(np.asarray(p, np.float64) for p in prices or (np.zeros(rows), np.zeros(columns)))
    if prices is not None and (limit is None or [len(p) for p in given] != [rows, columns]):
        raise BadRequest(f"prices of steps: expected a limit, and {rows} and {columns} numbers")
    task = (matrix, given, limit or 0, *free, codes, path, report.stop, done)
    if matrix.size < CANCELLABLE_CELLS:  # over before a thread has started
        total, begin = path_through(*task)
        check_stop(report)
    else:
        total, begin = watch(report, "warping time", path_through, *task, units=rows, done=done)
    if not np.isfinite(total):
        why = f"; {limit} steps in a row stretch time by {limit + 1} at most" if limit else ""
        raise BadRequest(f"no time-warping path leads through {rows} x {columns} frames with {ends} ends{why}")
    return float(total), path[begin:].copy()
