"""Compiled weights of examples for requested parameters. Plain arrays, no checks.

The parameters of a blend are modelled by moments: with g = sum_k w_k v_k, and central moments M_I = sum_k w_k prod_{a
in I} (v_ka - g_a) of second to fourth order, P(w) = g + sum_I c_I(g) M_I, where c_I are polynomials of at most second
degree. Examples are met exactly (their moments are 0), and so are parameters that are linear in w. For a request p
the weights minimise sum_k w_k |v_k - p|^2 + e/2 sum_k w_k^2 with P(w) = p, w >= 0 and sum w = 1: near examples are
preferred, and weights change continuously. With e = 0 and all M_I = 0 this is the Delaunay triangulation. P is
linearised again and again; each linear problem has D + 1 unknowns in its dual, whatever the number of examples.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel

OUTER = 12  # linearisations
CORRECTIONS = 2  # times that a request is shifted by what the map misses
INNER = 60  # Newton steps of a linear problem
SOFTNESS = 1e-5  # weight of a missed parameter: an unreachable one is approached as near as possible
TAIL = 0.02  # of a weight: the end of its way to a goal
MANY, NEAREST = 64, 24  # examples: of more than MANY, the nearest ones are tried first
REACHED = 1e-3  # of the range: a request is met
SETTLED = 1e-10  # change of weights at which the linearisations end


@kernel
def blended_value(values: Any, moments: Any, curve: Any, w: Any, slope: bool, out: Any, jac: Any) -> None:
    """out (D,) = P(w); with `slope`, jac (K, D) = dP/dw. values (K, D), moments (I, 4) axes or -1, curve (I, Q, D)."""
    count, size = values.shape
    g = np.zeros(size)
    for k in range(count):
        if w[k] != 0.0:
            for a in range(size):
                g[a] += w[k] * values[k, a]
    out[:] = g
    if slope:
        jac[:] = values
    c, by = np.empty(size), np.empty((size, size))
    below = np.empty(4)
    for i in range(len(moments)):
        axes = moments[i]
        order = 0
        while order < 4 and axes[order] >= 0:
            order += 1
        moment = 0.0
        below[:] = 0.0
        for k in range(count):
            if w[k] != 0.0:
                x = w[k]
                for n in range(order):
                    x *= values[k, axes[n]] - g[axes[n]]
                moment += x
                for m in range(order if slope and order > 2 else 0):
                    x = w[k]
                    for n in range(order):
                        if n != m:
                            x *= values[k, axes[n]] - g[axes[n]]
                    below[m] += x
        for d in range(size):
            c[d] = curve[i, 0, d]
            q = 1 + size
            for a in range(size):
                c[d] += g[a] * curve[i, 1 + a, d]
                by[a, d] = curve[i, 1 + a, d]
            for a in range(size):
                for b in range(a, size):
                    c[d] += g[a] * g[b] * curve[i, q, d]
                    by[a, d] += g[b] * curve[i, q, d]
                    by[b, d] += g[a] * curve[i, q, d]
                    q += 1
            out[d] += c[d] * moment
        if slope:
            for k in range(count):
                x = 1.0
                for n in range(order):
                    x *= values[k, axes[n]] - g[axes[n]]
                for m in range(order):
                    x -= values[k, axes[m]] * below[m]
                for d in range(size):
                    jac[k, d] += c[d] * x
                    for a in range(size):
                        jac[k, d] += moment * by[a, d] * values[k, a]


@kernel
def _solve(h: Any, g: Any, size: int) -> None:
    """g = h^-1 g in place: Gaussian elimination with pivots; h (size, size) is destroyed."""
    for i in range(size):
        best = i
        for r in range(i + 1, size):
            if abs(h[r, i]) > abs(h[best, i]):
                best = r
        if best != i:
            for c in range(size):
                h[i, c], h[best, c] = h[best, c], h[i, c]
            g[i], g[best] = g[best], g[i]
        pivot = h[i, i] if abs(h[i, i]) > 1e-14 else 1e-14
        for r in range(i + 1, size):
            f = h[r, i] / pivot
            for c in range(i, size):
                h[r, c] -= f * h[i, c]
            g[r] -= f * g[i]
    for i in range(size - 1, -1, -1):
        for c in range(i + 1, size):
            g[i] -= h[i, c] * g[c]
        g[i] /= h[i, i] if abs(h[i, i]) > 1e-14 else 1e-14


@kernel
def _dual(jac: Any, cost: Any, spread: float, target: Any, y: Any, w: Any) -> float:
    """The dual function to be minimised at y (D + 1,), and its weights in w (K,)."""
    size = len(target)
    total = -y[size]
    for d in range(size):
        total += 0.5 * SOFTNESS * y[d] * y[d] - target[d] * y[d]
    for k in range(len(w)):
        x = y[size] - cost[k]
        for d in range(size):
            x += y[d] * jac[k, d]
        w[k] = x / spread if x > 0 else 0.0
        total += 0.5 * spread * w[k] * w[k]
    return total


@kernel
def linear_weights(jac: Any, cost: Any, spread: float, target: Any, y: Any, w: Any) -> None:
    """Weights w (K,) that minimise sum_k cost_k w_k + spread/2 w_k^2 with jac^T w = target, sum w = 1, w >= 0.

    y (D + 1,) is the start of the dual variables, and their result. A semismooth Newton iteration with a line search.
    """
    size, count = len(target), len(w)
    h, g, trial, other = np.empty((size + 1, size + 1)), np.empty(size + 1), np.empty(size + 1), np.empty(count)
    now = _dual(jac, cost, spread, target, y, w)
    if w.max() <= 0.0:  # no weight at the start, so that no step is defined: the nearest example gets one
        nearest = -1e300
        for k in range(count):
            x = -cost[k]
            for d in range(size):
                x += y[d] * jac[k, d]
            nearest = max(nearest, x)
        y[size] = spread - nearest
        now = _dual(jac, cost, spread, target, y, w)
    for _ in range(INNER):
        h[:] = 0.0
        for d in range(size):
            h[d, d] = SOFTNESS
            g[d] = SOFTNESS * y[d] - target[d]
        h[size, size] = 1e-12
        g[size] = -1.0
        for k in range(count):
            if w[k] > 0.0:
                for d in range(size):
                    g[d] += w[k] * jac[k, d]
                    for c in range(size):
                        h[d, c] += jac[k, d] * jac[k, c] / spread
                    h[d, size] += jac[k, d] / spread
                    h[size, d] += jac[k, d] / spread
                g[size] += w[k]
                h[size, size] += 1.0 / spread
        slope = 0.0
        for d in range(size + 1):
            slope += g[d] * g[d]
        if slope < 1e-24:
            break
        for d in range(size + 1):
            trial[d] = g[d]
        _solve(h, trial, size + 1)
        slope = 0.0
        for d in range(size + 1):
            slope += g[d] * trial[d]
        if not slope > 0.0:
            for d in range(size + 1):
                trial[d] = g[d]
                slope += g[d] * g[d]
        step, accepted = 1.0, False
        for _ in range(40):
            for d in range(size + 1):
                trial[d], g[d] = y[d] - step * trial[d], trial[d]
            then = _dual(jac, cost, spread, target, trial, other)
            if then <= now - 1e-4 * step * slope or then <= now - 1e-15 * abs(now):
                accepted = True
                break
            for d in range(size + 1):
                trial[d] = g[d]
            step *= 0.5
        if not accepted:
            break
        now = then
        for d in range(size + 1):
            y[d] = trial[d]
        for k in range(count):
            w[k] = other[k]


@kernel
def _tabulated(section: Any, request: float, w: Any) -> float:
    """Weights w (K,) of one parameter from a table (see `one_parameter`); returns the parameter that is reached."""
    last = len(section) - 1
    at = (request - section[0, 0]) / (section[last, 0] - section[0, 0]) * last
    at = min(max(at, 0.0), float(last))
    low = min(int(at), last - 1)
    share = at - low
    a, b = section[low], section[low + 1]
    for k in range(len(w)):
        w[k] = (1 - share) * a[k + 2] + share * b[k + 2]
    return (1 - share) * a[1] + share * b[1]


@kernel
def _solved(values: Any, moments: Any, curve: Any, spread: float, p: Any, weights: Any, used: Any) -> None:
    """weights (K,) and the parameters that they reach, used (D,), for one request p (D,)."""
    count, size = values.shape
    jac, target, cost = np.empty((count, size)), np.zeros(size), np.empty(count)
    y, w, before, value = np.zeros(size + 1), np.zeros(count), np.empty(count), np.empty(size)
    least, nearest = 1e300, 0
    for k in range(count):
        cost[k] = apart(values[k], p)
        if cost[k] < least:
            least, nearest = cost[k], k
    y[size] = least + spread
    damping, last = 1.0, 1e300
    for turn in range(OUTER):
        before[:] = w
        if turn == 0:  # the linear map
            value[:] = 0.0
            jac[:] = values
        else:
            blended_value(values, moments, curve, w, True, value, jac)
        for d in range(size):
            shift = p[d] - value[d]
            for k in range(count):
                shift += jac[k, d] * w[k]
            for k in range(count):  # relative to the request: the unknowns of the dual are then nearly independent
                jac[k, d] -= shift
        linear_weights(jac, cost, spread, target, y, w)
        change = 0.0
        for k in range(count):
            change += (w[k] - before[k]) ** 2
        if turn > 1 and change > last:  # the linearisations do not settle: smaller steps
            damping *= 0.5
        last = change
        for k in range(count):
            w[k] = before[k] + (damping if turn else 1.0) * (w[k] - before[k])
        if change < SETTLED * SETTLED:
            break
    total = 0.0
    for k in range(count):
        total += w[k]
    if total > 1e-9:
        for k in range(count):
            weights[k] = w[k] / total
    else:
        weights[:] = 0.0
        weights[nearest] = 1.0
    blended_value(values, moments, curve, weights, False, used, jac)


@kernel
def apart(a: Any, b: Any) -> float:
    """Squared distance of two points (D,)."""
    out = 0.0
    for d in range(len(b)):
        out += (a[d] - b[d]) ** 2
    return out


@kernel
def nearest_examples(values: Any, p: Any, count: int) -> Any:
    """(count,) the examples nearest to a point p (D,), the nearest first."""
    near, far, found = np.empty(count, np.int64), np.empty(count), 0
    for k in range(len(values)):
        d = apart(values[k], p)
        if found == count and d >= far[count - 1]:
            continue
        at = min(found, count - 1)
        found = min(found + 1, count)
        while at > 0 and far[at - 1] > d:
            near[at], far[at] = near[at - 1], far[at - 1]
            at -= 1
        near[at], far[at] = k, d
    return near


@kernel
def space_weights(
    values: Any, moments: Any, curve: Any, spread: float, section: Any, requests: Any, weights: Any, used: Any
) -> None:
    """weights (N, K) and the parameters that they reach, used (N, D), for requests (N, D); in units of the range.

    `section` (G, K + 2) is the table of a space of one parameter, or has no rows. Of more than `MANY` examples, the
    `NEAREST` to the request are tried first, so that the cost hardly grows with their number; where blends of these do
    not reach the request, all count.
    """
    if len(section) > 1:
        for n in range(len(requests)):
            used[n, 0] = _tabulated(section, requests[n, 0], weights[n])
        return
    few = np.empty(NEAREST)
    for n in range(len(requests)):
        if len(values) > MANY:
            near = nearest_examples(values, requests[n], NEAREST)
            _solved(values[near], moments, curve, spread, requests[n], few, used[n])
            if apart(used[n], requests[n]) < REACHED * REACHED:
                weights[n] = 0.0
                for i in range(NEAREST):
                    weights[n, near[i]] = few[i]
                continue
        _solved(values, moments, curve, spread, requests[n], weights[n], used[n])


@kernel
def missed_at(at: Any, by: Any, asked: Any, out: Any) -> None:
    """out (N, D) what the map misses at requests asked (N, D), from the coefficients of `radial.solve_misses`."""
    count = len(at)
    for n in range(len(asked)):
        out[n] = by[count]
        for r in range(count):
            apart = 0.0
            for d in range(at.shape[1]):
                apart += (asked[n, d] - at[r, d]) ** 2
            apart = np.sqrt(apart)
            for d in range(at.shape[1]):
                out[n, d] += apart * by[r, d]


@kernel
def corrected_weights(
    values: Any, moments: Any, curve: Any, spread: float, section: Any, at: Any, by: Any, requests: Any, weights: Any,
    used: Any,
) -> None:  # fmt: skip
    """`space_weights` of requests that are shifted by what the map misses at the parameters used so far.

    at (R, D) and by (R + 1, D) are `Space.missed_at` and `missed_by`, or have no rows: nothing is missed.
    """
    space_weights(values, moments, curve, spread, section, requests, weights, used)
    if len(at) == 0:
        return
    off = np.empty(requests.shape)
    for _ in range(CORRECTIONS):
        missed_at(at, by, used, off)
        space_weights(values, moments, curve, spread, section, requests - off, weights, used)
    missed_at(at, by, used, off)
    for n in range(len(used)):
        for d in range(used.shape[1]):
            used[n, d] += off[n, d]


@kernel
def approach(w: Any, goal: Any, count: int, share: float) -> None:
    """Move the first `count` weights by a share of the way to a goal; they sum to 1.

    The last part of the way, `TAIL`, is gone evenly, so that examples without weight in the goal soon have none: each
    example with a weight costs time.
    """
    total = 0.0
    for i in range(count):
        way = goal[i] - w[i]
        by = share * max(abs(way), TAIL)
        w[i] = goal[i] if by >= abs(way) else w[i] + math.copysign(by, way)
        total += w[i]
    for i in range(count):
        w[i] /= total
