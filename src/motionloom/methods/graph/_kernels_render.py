"""Compiled loop of random walks: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

from numba import njit


@njit(cache=True)
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
    stay: Any,
    shown: Any,
) -> int:
    """The transition that a walk takes next; it has just come to frame `at`, as frame `clock` of the result.

    At every frame n from at + shortest on, going on counts w_n and each transition t that leaves there w_t; the chance
    to leave is sum w_t / (w_n + sum w_t). draws[0] is held against the chance to have left by now, draws[1] picks the
    transition. w = weight * fresh, where fresh is min(1, age / forget)^4 of the frames that would be shown next:
    `age` frames ago one of the `ahead` first of them was shown last. Where a clip cannot be gone on in, a transition
    is taken whatever the time. `stay` (N,) says where one can go on, `weight` (T,) is 0 for what must not be taken,
    `shown` (N,) is when each frame was shown last; it is kept up to date. Cost: frames of the piece times out-degree
    times `ahead`; a 60 s walk takes about 1 ms. Slow version: `next_slow` in tests/methods/graph/test_walk.py.
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
            on = freshness(n + 1, now, ahead, forget, stay, shown) if stay[n] else 0.0
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


@njit(cache=True)
def freshness(frame: int, now: int, ahead: int, forget: float, stay: Any, shown: Any) -> float:
    """min(1, age / forget)^4, at least 1e-9, for the `ahead` frames from `frame` on, as far as its clip goes on."""
    latest = shown[frame]
    for k in range(frame, frame + ahead - 1):
        if not stay[k]:
            break
        latest = max(latest, shown[k + 1])
    share: float = min(1.0, (now - latest) / forget)
    return max(share**4, 1e-9)
