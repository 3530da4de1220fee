"""Compiled loops of the window measures: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def window_rows(
    cost: Any, first: int, place: Any, wide: int, narrow: int, ring: Any, chain: Any, whole: Any, seen: Any, near: Any
) -> None:
    """Result rows `first`, first+1, ... of the cost matrix C (rows, N), for coverage and both diversities.

    P[i,j] = P[i-1,j-1] + C[i,j] along diagonals that start anew with every source clip (place[j] = 0), so a window of
    n frames ending at (i, j) costs W_n = P[i,j] - P[i-n,j-n]. A[i,j] = min(A[i-1,j-1] + C[i,j], G[i-wide] + W_wide).
    `ring` (wide + 1, N) holds the last rows of P, `chain` (2, N) the last two of A, `whole` (F + 1,) is G by number of
    frames, `seen` (N,) the cheapest W_wide ending at each source frame, `near` (F,) the cheapest W_narrow of each row.
    Row by row through memory, so blocks of rows may come one after the other. Cost F x N; 1,000 x 20,000 takes 0.1 s.
    The slow version is `slow_scores` in tests/evaluate/test_windows.py.
    """
    rows, frames = cost.shape
    depth = ring.shape[0]
    huge = 1e300
    for r in range(rows):
        i = first + r
        now = ring[i % depth]
        before = ring[(i - 1) % depth]
        old_wide = ring[(i - wide) % depth]
        old_narrow = ring[(i - narrow) % depth]
        here = chain[i % 2]
        last = chain[(i + 1) % 2]
        base = whole[i + 1 - wide] if i + 1 >= wide else huge
        best = huge
        closest = huge
        for j in range(frames):
            c = cost[r, j]
            p = place[j]
            joined = p > 0 and i > 0
            total = c + before[j - 1] if joined else c
            now[j] = total
            length = min(p, i) + 1
            a = last[j - 1] + c if joined else huge
            if length >= wide:
                w = total - old_wide[j - wide] if length > wide else total
                seen[j] = min(seen[j], w)
                a = min(a, base + w)
            here[j] = a
            best = min(best, a)
            if length >= narrow:
                w = total - old_narrow[j - narrow] if length > narrow else total
                closest = min(closest, w)
        whole[i + 1] = best
        near[i] = closest


@kernel
def longest_run(
    a: Any, b: Any, keys_a: Any, keys_b: Any, order: Any, slack: float, least: float, place: Any, stop: Any, done: Any
) -> Any:
    """Longest diagonal of frames of a (F, K, 4) equal to frames of b (N, K, 4); returns length, row and column.

    Frames are equal when |<q, p>| >= `least` for every joint. `keys_b` is sorted, `order` its frame numbers: only those
    whose key lies within `slack` of keys_a[i] are looked at, others cannot be equal. run[i,j] = run[i-1,j-1] + 1;
    stamps spare clearing the rows. Cost F x (frames with a near key), each left at the first joint that differs.
    Counts rows in `done`, and ends early once `stop` is set.
    The slow version is `slow_run` in tests/evaluate/test_verbatim.py.
    """
    frames, joints = a.shape[0], a.shape[1]
    count = b.shape[0]
    runs = np.zeros((2, count), np.int64)
    stamps = np.full((2, count), -1, np.int64)
    longest, row, column = 0, -1, -1
    for i in range(frames):
        done[0] = i
        if stop[0]:
            break
        now, before = i % 2, (i + 1) % 2
        low, high = 0, count
        while low < high:
            middle = (low + high) // 2
            if keys_b[middle] < keys_a[i] - slack:
                low = middle + 1
            else:
                high = middle
        while low < count and keys_b[low] <= keys_a[i] + slack:
            j = order[low]
            low += 1
            same = True
            for k in range(joints):
                dot = (
                    a[i, k, 0] * b[j, k, 0]
                    + a[i, k, 1] * b[j, k, 1]
                    + a[i, k, 2] * b[j, k, 2]
                    + a[i, k, 3] * b[j, k, 3]
                )
                if abs(dot) < least:
                    same = False
                    break
            if not same:
                continue
            run = 1
            if i > 0 and place[j] > 0 and stamps[before, j - 1] == i - 1:
                run = runs[before, j - 1] + 1
            runs[now, j] = run
            stamps[now, j] = i
            if run > longest:
                longest, row, column = run, i - run + 1, j - run + 1
    return longest, row, column
