"""The compiled loop of segmentation: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def best_segmentation(score: Any, start: Any, log_m: Any, shortest: int, stop: Any) -> Any:
    """The exact best segmentation of one clip into labelled segments of at least `shortest` frames.

    errata.md, LI appendix A: with S_i(t) the cumulative frame score,
    G(t, i) = S_i(t) + max over b <= t - shortest + 1 of [ max_j (G(b-1, j) + log M_ji) + start(b) - S_i(b+1) ],
    where the inner max is 0 for b = 0. The bracket is a running maximum, so the cost is O(T N^2) and memory 3 T N.

    score (T, N) frame log-likelihoods; start (T,) log density of frames b and b + 1 as the first two of a segment.
    Returns (labels per segment, first frame per segment, value). The slow version is `every_segmentation` in
    tests/methods/textons/test_numbers.py.
    """
    frames, count = score.shape
    total = np.zeros((frames, count))  # S
    for i in range(count):
        run = 0.0
        for t in range(frames):
            run += score[t, i]
            total[t, i] = run
    best = np.full((frames, count), -np.inf)  # G
    begin = np.full((frames, count), -1, np.int32)  # b of the segment that ends here
    before = np.full((frames, count), -1, np.int32)  # label of the segment before b
    held = np.full(count, -np.inf)  # the running bracket, its b and its j
    held_b = np.full(count, -1, np.int32)
    held_j = np.full(count, -1, np.int32)
    for t in range(shortest - 1, frames):
        if stop[0]:
            break
        b = t - shortest + 1
        for i in range(count):
            if b == 0:
                value, j_best = 0.0, -1
            elif b < shortest:
                continue
            else:
                value, j_best = -np.inf, -1
                for j in range(count):
                    v = best[b - 1, j] + log_m[j, i]
                    if v > value:
                        value, j_best = v, j
                if j_best < 0:
                    continue
            value += start[b] - total[b + 1, i]
            if value > held[i]:
                held[i], held_b[i], held_j[i] = value, b, j_best
        for i in range(count):
            if held_b[i] >= 0:
                best[t, i] = total[t, i] + held[i]
                begin[t, i] = held_b[i]
                before[t, i] = held_j[i]
    label = np.argmax(best[frames - 1])
    value = best[frames - 1, label]
    labels, starts = [], []
    t, i = frames - 1, int(label)
    while t >= 0:
        b = begin[t, i]
        labels.append(i)
        starts.append(b)
        i, t = before[t, i], b - 1
    return np.array(labels[::-1]), np.array(starts[::-1]), value
