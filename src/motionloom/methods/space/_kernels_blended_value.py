"""Compiled map from weights of a blend to its parameters. Plain arrays, no checks.

The parameters of a blend are modelled by moments: with g = sum_k w_k v_k, and central moments M_I = sum_k w_k prod_{a
in I} (v_ka - g_a) of second to fourth order, P(w) = g + sum_I c_I(g) M_I, where c_I are polynomials of at most second
degree. Examples are met exactly (their moments are 0), and so are parameters that are linear in w.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def blended_value(
    values: Any, moments: Any, curve: Any, w: Any, slope: bool, out: Any, g: Any, linear: Any, factors: Any
) -> None:
    """out (D,) = P(w); with `slope`, g (D,), linear (D, D) and factors (I, D) as `slope_at` takes them.

    values (K, D), moments (I, 4) axes or -1, curve (I, Q, D).
    """
    size, used = values.shape[1], np.flatnonzero(w)
    g[:] = 0.0
    for k in used:
        for a in range(size):
            g[a] += w[k] * values[k, a]
    out[:] = g
    c, by, below = np.empty(size), np.empty((size, size)), np.empty(4)
    for a in range(size if slope else 0):
        linear[a] = 0.0
        linear[a, a] = 1.0
    for i in range(len(moments)):
        axes = moments[i]
        order = 0
        while order < 4 and axes[order] >= 0:
            order += 1
        moment = 0.0
        below[:] = 0.0
        for k in used:
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
            factors[i] = c
            for d in range(size):
                for a in range(size):
                    linear[a, d] += moment * by[a, d]
                for m in range(order):
                    linear[axes[m], d] -= below[m] * c[d]


@kernel
def slope_at(v: Any, moments: Any, g: Any, linear: Any, factors: Any, out: Any) -> None:
    """out (D,) = dP/dw of an example with parameters v (D,): a polynomial in v, given by `blended_value`."""
    for d in range(len(out)):
        out[d] = 0.0
        for a in range(len(out)):
            out[d] += v[a] * linear[a, d]
    for i in range(len(moments)):
        x, n = 1.0, 0
        while n < 4 and moments[i, n] >= 0:
            x *= v[moments[i, n]] - g[moments[i, n]]
            n += 1
        for d in range(len(out)):
            out[d] += factors[i, d] * x
