"""Compiled fit of many transitions to the feet that stand over them: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def fit_plants(parts: Any, runs: Any, a: Any, b: Any, half: int, gap: int, most: float, turn: Any, shift: Any) -> None:
    """Each turn and shift changed so that feet which stand over the cut stand in one place.

    parts (N, P, 3) heels and toes; runs (N, P, 4): the last frame up to this one of its clip in which the part stands
    (-1: none) and the first of that plant, the first frame from this one on in which it stands (-1: none) and the one
    after the last of that plant. `gap` is how many frames a foot may lift and still count as standing, `most` the
    largest turn. Slow version: `plant_fit` in tests/blend/test_plants.py.
    """
    count = 2 * half + 1
    rim = count / 4
    for t in range(len(a)):
        i, j = a[t], b[t]
        c, s = np.cos(turn[t]), np.sin(turn[t])
        p, q, w = np.empty((parts.shape[1], 2)), np.empty((parts.shape[1], 2)), np.empty(parts.shape[1])
        n = firm = 0
        for k in range(parts.shape[1]):
            last, first = runs[i - 1, k, 0], runs[j, k, 2]
            if last < 0 or first < 0 or (first - j) + (i - last) - 1 > gap:
                continue
            leave, enter = max(last - (i - half), 0), min(half + first - j, count - 1)
            begin, end = max(runs[i - 1, k, 1] - (i - half), 0), min(half + runs[j, k, 3] - j, count)
            w[n] = max(0.0, 1 - begin / rim) * max(0.0, 1 - (count - end) / rim)
            firm += w[n] > 0.5
            straight = enter == leave + 1
            la, lb = i - half + leave, j - half + (leave if straight else enter)
            u, v = parts[lb, k, 0], parts[lb, k, 2]
            p[n, 0], p[n, 1] = parts[la, k, 0], parts[la, k, 2]
            if straight:  # both clips at the same two moments
                p[n, 0], p[n, 1] = (p[n, 0] + parts[la + 1, k, 0]) / 2, (p[n, 1] + parts[la + 1, k, 2]) / 2
                u, v = (u + parts[lb + 1, k, 0]) / 2, (v + parts[lb + 1, k, 2]) / 2
            q[n, 0], q[n, 1] = c * u + s * v + shift[t, 0], c * v - s * u + shift[t, 1]
            n += 1
        if n == 0:
            continue
        more = 0.0
        if firm > 1:
            more = min(max(_turn_of(p, q, w, n), -most), most)
        c, s = np.cos(more), np.sin(more)
        dx = dz = total = 0.0
        for k in range(n):
            wk = w[k] + 1e-3
            dx += wk * (p[k, 0] - (c * q[k, 0] + s * q[k, 1]))
            dz += wk * (p[k, 1] - (c * q[k, 1] - s * q[k, 0]))
            total += wk
        x, z = shift[t, 0], shift[t, 1]
        turn[t] += more
        shift[t, 0], shift[t, 1] = c * x + s * z + dx / total, c * z - s * x + dz / total


@kernel
def _turn_of(p: Any, q: Any, w: Any, n: int) -> float:
    """The best turn of points q (n, 2) onto p: `ground_alignment`."""
    total = px = pz = qx = qz = 0.0
    for k in range(n):
        total += w[k]
        px += w[k] * p[k, 0]
        pz += w[k] * p[k, 1]
        qx += w[k] * q[k, 0]
        qz += w[k] * q[k, 1]
    px, pz, qx, qz = px / total, pz / total, qx / total, qz / total
    dot = cross = 0.0
    for k in range(n):
        x, z, u, v = p[k, 0] - px, p[k, 1] - pz, q[k, 0] - qx, q[k, 1] - qz
        dot += w[k] * (x * u + z * v)
        cross += w[k] * (x * v - u * z)
    return float(np.arctan2(cross, dot))
