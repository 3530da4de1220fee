"""Compiled search for the route that is most similar to a performance. Plain arrays, no checks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.core._jit import kernel


class ChainArrays(NamedTuple):
    """The graph with the costs of its edges."""

    go: Any  # (N,) cost of the next frame, infinite at the end of a clip
    heading: Any  # (N,) radians, in each clip's own coordinates
    a: Any  # (T,)
    b: Any  # (T,)
    take: Any  # (T,) cost of each transition
    turn: Any  # (T,) radians
    half: int


@kernel
def view_of(camera: float, heading: float, views: int) -> int:
    """The viewpoint nearest to the camera direction, for a body with this heading."""
    return int(np.floor((camera - heading) * views / (2 * np.pi) + 0.5)) % views


@kernel
def follow(
    lower: Any, apart: Any, past: int, first: int, angles: Any, cost: Any, camera: Any, came: Any, stop: Any
) -> None:
    """The cheapest routes that end at each frame, for a block of performed frames.

    With C[t, n] the cost of the cheapest route whose frame t is n, D the difference from the performed frame, and w the
    viewpoint of the camera at that time,
    C[t, n] = min( C[t-1, n-1] + go[n-1] + D[t, n, w],
                   C[t - 2 half, leave] + take + sum of D over the frames of the blend, for transitions that enter n ).
    A blend is compared as its first clip up to a, then as its second from b + 1.

    apart (past + B, N, V): D of performed frames first - past .. first + B - 1. cost, camera (R, H, N), R > 2 half: row
    t % R belongs to performed frame t; H candidates for the camera direction at the start (angles (H,), relative to the
    body). Each route carries the camera's direction in its clip's coordinates. came (B, N) of the first candidate: the
    transition that was taken, -1 for the next frame; (0, 0) if it is not needed. Cost: B H (N + T). Ends early once
    `stop` is set. The slow version is `every_route` in tests/methods/two_level_graph/test_performance.py.
    """
    rows, guesses, count = cost.shape
    half, views = lower.half, apart.shape[2]
    keep = len(came) > 0
    for k in range(past, len(apart)):
        t = first + k - past
        now, last, left = t % rows, (t - 1) % rows, (t - 2 * half) % rows
        for h in range(guesses):
            if stop[0]:
                return
            if t == 0:
                for n in range(count):
                    camera[now, h, n] = lower.heading[n] + angles[h]
                    cost[now, h, n] = apart[k, n, view_of(angles[h], 0.0, views)]
                continue
            cost[now, h, 0] = np.inf
            for n in range(1, count):
                cost[now, h, n] = cost[last, h, n - 1] + lower.go[n - 1]
                camera[now, h, n] = camera[last, h, n - 1]
                if cost[now, h, n] < np.inf:
                    cost[now, h, n] += apart[k, n, view_of(camera[now, h, n], lower.heading[n], views)]
            if keep and h == 0:
                came[k - past] = -1
            if t < 2 * half:
                continue
            for e in range(len(lower.a)):
                a, b = lower.a[e], lower.b[e]
                to = b + half
                price = cost[left, h, a - half] + lower.take[e]
                if price >= cost[now, h, to]:
                    continue
                seen = camera[left, h, a - half]
                for i in range(1, half + 1):
                    price += apart[k - 2 * half + i, a - half + i, view_of(seen, lower.heading[a - half + i], views)]
                seen -= lower.turn[e]
                for i in range(1, half + 1):
                    price += apart[k - half + i, b + i, view_of(seen, lower.heading[b + i], views)]
                if price < cost[now, h, to]:
                    cost[now, h, to], camera[now, h, to] = price, seen
                    if keep and h == 0:
                        came[k - past, to] = e
