"""Compiled weights of examples for requested parameters. Plain arrays, no checks.

The parameters of a blend, P(w), are those of `_kernels_blended_value`. For a request p the weights minimise
sum_k w_k |v_k - p|^2 + e/2 sum_k w_k^2 with P(w) = p, w >= 0 and sum w = 1: near examples are preferred, and weights
change continuously. With e = 0 and a linear map this is the Delaunay triangulation. P is linearised again and again;
each linear problem has D + 1 unknowns in its dual, whatever the number of examples.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods.space._kernels_blended_value import blended_value, slope_at

OUTER = 12  # linearisations
CORRECTIONS = 2  # times that a request is shifted by what the map misses
INNER = 60  # Newton steps of a linear problem
SOFTNESS = 1e-5  # weight of a missed parameter: an unreachable one is approached as near as possible
TAIL = 0.02  # of a weight: the end of its way to a goal
NEAREST = 24  # examples that are tried first
NO_WEIGHT = 1e-12  # a weight that is taken for none
SETTLED = 1e-10  # change of weights at which the linearisations end


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
def _joined(
    values: Any, moments: Any, g: Any, linear: Any, factors: Any, shift: Any, cost: Any, least: float, y: Any,
    tried: Any, jac: Any,
) -> bool:  # fmt: skip
    """Examples that have a weight at the dual variables y join those `tried` (K,), with their slopes; whether any do.

    An example has the weight max(0, y jac_k + y_D - cost_k) / spread; `least` is the least value that counts. Most
    examples are passed by a bound, |prod_{a in I} (v_a - g_a)| <= |v - g|^order, without computing their slope.
    """
    size, any_joined = values.shape[1], False
    along, bound, base = np.zeros(size), np.zeros(5), y[size]
    for d in range(size):
        base -= y[d] * shift[d]
        for a in range(size):
            along[a] += linear[a, d] * y[d]
    for i in range(len(moments)):
        order, x = 0, 0.0
        while order < 4 and moments[i, order] >= 0:
            order += 1
        for d in range(size):
            x += y[d] * factors[i, d]
        bound[order] += abs(x)
    for k in range(len(values)):
        if tried[k]:
            continue
        x, off = base - cost[k], 0.0
        for a in range(size):
            off += (values[k, a] - g[a]) ** 2
            x += along[a] * values[k, a]
        if x + off * (bound[2] + bound[3] * math.sqrt(off) + bound[4] * off) <= least:
            continue
        slope_at(values[k], moments, g, linear, factors, jac[k])
        x = y[size] - cost[k]
        for d in range(size):
            jac[k, d] -= shift[d]
            x += y[d] * jac[k, d]
        if x > least:
            tried[k], any_joined = True, True
    return any_joined


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
def _solved(values: Any, moments: Any, curve: Any, spread: float, p: Any, first: int, weights: Any, used: Any) -> None:
    """weights (K,) and the parameters that they reach, used (D,), for one request p (D,).

    The `first` nearest examples are tried first. The unknowns of the dual, y, give the weight of every example, so
    those that have one join, until y is that of all examples: the result does not depend on `first`.
    """
    count, size = values.shape
    jac, target, cost, shift = np.empty((count, size)), np.zeros(size), np.empty(count), np.empty(size)
    g, linear, factors = np.zeros(size), np.eye(size), np.zeros((len(moments), size))  # at first the linear map
    y, w, before, value = np.zeros(size + 1), np.zeros(count), np.empty(count), np.zeros(size)
    near, tried = nearest_examples(values, p, min(first, count)), np.zeros(count, np.bool_)
    tried[near] = True
    for k in range(count):
        cost[k] = apart(values[k], p)
    y[size] = cost[near[0]] + spread
    damping, last = 1.0, 1e300
    for turn in range(OUTER):
        before[:] = w
        if turn > 0:
            blended_value(values, moments, curve, w, True, value, g, linear, factors)
        shift[:] = p - value
        for k in range(count):
            if tried[k]:
                slope_at(values[k], moments, g, linear, factors, jac[k])
                if w[k] != 0.0:
                    for d in range(size):
                        shift[d] += jac[k, d] * w[k]
        for k in range(count):  # relative to the request: the unknowns of the dual are then nearly independent
            if tried[k]:
                for d in range(size):
                    jac[k, d] -= shift[d]
        while True:
            some = np.flatnonzero(tried)
            few = np.empty(len(some))
            linear_weights(jac[some], cost[some], spread, target, y, few)
            if not _joined(values, moments, g, linear, factors, shift, cost, NO_WEIGHT * spread, y, tried, jac):
                break
        w[:] = 0.0
        for i in range(len(some)):
            w[some[i]] = few[i]
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
        weights[near[0]] = 1.0
    blended_value(values, moments, curve, weights, False, used, g, linear, factors)


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

    `section` (G, K + 2) is the table of a space of one parameter, or has no rows.
    """
    for n in range(len(requests)):
        if len(section) > 1:
            used[n, 0] = _tabulated(section, requests[n, 0], weights[n])
        else:
            _solved(values, moments, curve, spread, requests[n], NEAREST, weights[n], used[n])


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
