"""Compiled loops of random walks and blends: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def next_transition(
    at: int,
    clock: int,
    shortest: int,
    ahead: int,
    forget: float,
    draws: Any,
    first_out: Any,
    enter: Any,
    weight: Any,
    go: Any,
    stay: Any,
    shown: Any,
) -> int:
    """The next transition of a walk that has just reached frame `at`, as frame `clock` of the result.

    At every frame n from at + shortest on, continuing has weight w_n (of `go`) and each transition t that leaves there
    w_t; the probability of leaving is sum w_t / (w_n + sum w_t). draws[0] is compared with the probability of having
    left by now, draws[1] selects the transition. w = weight * freshness, which is min(1, age / forget)^4 of the frames
    that would follow: one of the first `ahead` of them was last shown `age` frames ago. Where a clip cannot continue, a
    transition is taken at any time. `stay` (N,): whether the clip can continue; `weight` (T,): 0 for transitions that
    must not be taken; `shown` (N,): when each frame was last shown, updated here. Cost: frames of the piece times
    out-degree times `ahead`; a 60 s walk takes about 1 ms. Slow version: `next_slow` in
    tests/methods/graph/test_random_walk.py.
    """
    n, kept = at, 1.0
    while True:
        shown[n] = clock + n - at
        first, last = first_out[n], first_out[n + 1]
        if first < last and (n - at >= shortest or not stay[n]):
            now = clock + n - at
            total = 0.0
            for t in range(first, last):
                if weight[t] > 0:
                    total += weight[t] * freshness(enter[t], now, ahead, forget, stay, shown)
            on = go[n] * freshness(n + 1, now, ahead, forget, stay, shown) if stay[n] else 0.0
            if total > 0:
                kept *= on / (on + total)
                if 1.0 - kept >= draws[0] or not stay[n]:
                    left = draws[1] * total
                    chosen = -1
                    for t in range(first, last):
                        if weight[t] > 0:
                            chosen = t
                            left -= weight[t] * freshness(enter[t], now, ahead, forget, stay, shown)
                            if left < 0:
                                break
                    return chosen
        n += 1


@kernel
def freshness(frame: int, now: int, ahead: int, forget: float, stay: Any, shown: Any) -> float:
    """min(1, age / forget)^4, at least 1e-9, for the `ahead` frames from `frame` on, as far as its clip continues."""
    latest = shown[frame]
    for k in range(frame, frame + ahead - 1):
        if not stay[k]:
            break
        latest = max(latest, shown[k + 1])
    share: float = min(1.0, (now - latest) / forget)
    return max(share**4, 1e-9)


@kernel
def mark_rough(rotations: Any, a: Any, b: Any, turn: Any, alpha: Any, far: float, quick: Any, out: Any) -> None:
    """out[t] = whether a joint of transition t differs by too much at its middle, or turns too fast in its blend.

    `rotations` (N, J, 4) are local; alpha (n,) runs from 0 to 1 over the window, ends included. With q_k the slerp of
    p_k and r_k, the two clips at frame k: |<p, r>| < far at the middle; or |<q_k, q_k-1>| is below quick[j], and below
    |<p_k, p_k-1>| and |<r_k, r_k-1>|, all being cosines of half angles. Stops at the first violation in a transition.
    Cost: T n J slerps of about 60 ns. Slow version: `rough_slow` in tests/methods/graph/test_blend_check.py.
    """
    n = len(alpha)
    half = n // 2
    now, last = np.empty((3, 4)), np.empty((3, 4))  # the first clip, the second, and their mixture
    for t in range(len(a)):
        out[t] = False
        c, s = np.cos(turn[t] / 2), np.sin(turn[t] / 2)
        for j in range(rotations.shape[1]):
            for k in range(n):
                for i in range(4):
                    now[0, i] = rotations[a[t] - half + k, j, i]
                    now[1, i] = rotations[b[t] - half + k, j, i]
                if j == 0:  # the hips of the second clip are turned on the ground: yaw * q
                    w, x, y, z = now[1, 0], now[1, 1], now[1, 2], now[1, 3]
                    now[1, 0], now[1, 1], now[1, 2], now[1, 3] = (
                        c * w - s * y,
                        c * x + s * z,
                        c * y + s * w,
                        c * z - s * x,
                    )
                dot = inner(now[0], now[1])
                sign = 1.0 if dot >= 0 else -1.0
                dot = min(abs(dot), 1.0)
                if k == half and dot < far:
                    out[t] = True
                    break
                angle = np.arccos(dot)
                sine = np.sin(angle)
                u, v = 1.0 - alpha[k], alpha[k]
                if sine > 1e-8:
                    u, v = np.sin(u * angle) / sine, np.sin(v * angle) / sine
                for i in range(4):
                    now[2, i] = u * now[0, i] + sign * v * now[1, i]
                if k > 0:
                    step = abs(inner(now[2], last[2])) + 1e-12
                    own = min(abs(inner(now[0], last[0])), abs(inner(now[1], last[1])))
                    if step < quick[j] and step < own:
                        out[t] = True
                        break
                last[:] = now
            if out[t]:
                break


@kernel
def inner(p: Any, q: Any) -> float:
    """<p, q> of two quaternions."""
    total: float = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]
    return total
