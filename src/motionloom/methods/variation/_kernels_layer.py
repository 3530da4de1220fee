"""Variation added to poses of other live characters: plain arrays, no checks. `tables` are `LayerTables`.

At the moment of the takes' mean that is nearest to a pose, the deviation of a variant from that mean is
sum_c (w_c,i - 1/S) x_c,i for degree of freedom i, with the weights of `_kernels_mix`. A critically damped spring leads
to that moment, so that a pose changes smoothly where the nearest one jumps; a spring of the deviations themselves would
take a quarter of them away. They begin at zero, and grow as such a spring does.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.kinematics.feet._kernels_two_bone import exp, inverse, log, multiply
from motionloom.methods.variation._kernels_mix import begin_knots, weights_at
from motionloom.methods.variation.timing import MOMENTS

HALF_LIFE = 0.08  # s: of the spring
JUMP = 0.3  # a moment that is one tenth of the takes away from the expected one counts as this much farther, squared


@kernel
def begin(tables: Any, state: Any) -> None:
    """The first random numbers of all characters."""
    for k in range(len(state.seed)):
        begin_knots(state.seed[k], state.first[k], state.knots[k], tables.takes.sharing)


@kernel
def vary(tables: Any, state: Any, dt: float, rotations: Any) -> None:
    """All characters `dt` on; their deviations are added to rotations (N, J, 4)."""
    clips, _, count = tables.takes.values.shape
    weights = np.empty((clips, count + 2))
    for k in range(len(state.seed)):
        if dt > 0.0:
            m = _nearest(tables, state.moment[k, 0], dt, rotations[k])
            if state.moment[k, 0] < 0.0:
                state.moment[k, 0] = m
            else:
                _follow(tables, m, dt, state.moment[k])
            state.time[k] += dt
            moments = state.time[k] * tables.fps * MOMENTS
            step = tables.takes.knot * tables.fps * MOMENTS
            weights_at(state.seed[k], moments, step, state.first[k], state.knots[k], tables.takes,
                       tables.base, tables.amounts, weights)  # fmt: skip
            grown = 2.0 * math.log(2.0) / HALF_LIFE * state.time[k]
            _deviate(tables, weights, state.moment[k, 0], 1.0 - (1.0 + grown) * math.exp(-grown), state.deviation[k])
        _turn(tables, state.deviation[k], rotations[k])


@kernel
def _nearest(tables: Any, before: float, dt: float, rotations: Any) -> float:
    """The moment whose mean pose is nearest; a jump from the expected one (none, if `before` is below 0) costs."""
    moments, count = tables.mean.shape
    pose = np.empty(count)
    v = (0.0, 0.0, 0.0)
    last = -1
    for d in range(count):
        j = tables.joints[d]
        if j < 1:
            continue
        if j != last:
            c, q = tables.centre[j], rotations[j]
            v = log(multiply(inverse((c[0], c[1], c[2], c[3])), (q[0], q[1], q[2], q[3])))
            last = j
        pose[d] = v[0] * tables.axes[d, 0] + v[1] * tables.axes[d, 1] + v[2] * tables.axes[d, 2]
    expected = before + dt * tables.fps * MOMENTS
    best, least = 0, math.inf
    for m in range(moments):
        total = 0.0
        for d in range(count):
            if tables.joints[d] >= 1:
                e = pose[d] - tables.mean[m, d]
                total += tables.scales[d] * e * e
        if before >= 0.0:
            off = abs(m - expected)
            if tables.closed:
                off = min(off % (moments - 1), moments - 1 - off % (moments - 1))
            total += tables.size * JUMP * (10.0 * off / moments) ** 2
        if total < least:
            best, least = m, total
    return float(best)


@kernel
def _follow(tables: Any, nearest: float, dt: float, moment: Any) -> None:
    """moment (2,), the one shown and how fast it nears the nearest one beside going on, `dt` later: a spring."""
    moments = len(tables.mean)
    period = float(moments - 1)  # of closed takes: the last moment is the first one again
    ahead = moment[0] + dt * tables.fps * MOMENTS
    off = ahead - nearest
    if tables.closed:
        off = (off + 0.5 * period) % period - 0.5 * period
    y = 2.0 * math.log(2.0) / HALF_LIFE
    fade, j1 = math.exp(-y * dt), moment[1] + off * y
    moment[1] = fade * (moment[1] - j1 * y * dt)
    shown = nearest + fade * (off + j1 * dt)
    moment[0] = shown % period if tables.closed else min(max(shown, 0.0), period)


@kernel
def _deviate(tables: Any, weights: Any, at: float, share: float, deviation: Any) -> None:
    """deviation (D,): `share` of that of the weights at a moment."""
    clips, count = len(tables.takes.values), tables.mean.shape[1]
    i = min(int(at), len(tables.mean) - 2)
    t = at - i
    for d in range(count):
        if tables.amounts[d] == 0.0:
            continue
        total = 0.0
        for c in range(clips):
            values = tables.takes.values[c]
            x = (1.0 - t) * (values[i, d] - tables.mean[i, d]) + t * (values[i + 1, d] - tables.mean[i + 1, d])
            total += (weights[c, d] - tables.base[c]) * x
        deviation[d] = share * total


@kernel
def _turn(tables: Any, deviation: Any, rotations: Any) -> None:
    """Turn joints by deviations (D,) along their principal axes, in their own frames."""
    count = len(deviation)
    d = 0
    while d < count:
        j = tables.joints[d]
        x, y, z = 0.0, 0.0, 0.0
        while d < count and tables.joints[d] == j:
            x += deviation[d] * tables.axes[d, 0]
            y += deviation[d] * tables.axes[d, 1]
            z += deviation[d] * tables.axes[d, 2]
            d += 1
        if j >= 1 and (x != 0.0 or y != 0.0 or z != 0.0):
            q = rotations[j]
            turned = multiply((q[0], q[1], q[2], q[3]), exp((x, y, z)))
            size = 1.0 / math.sqrt(turned[0] ** 2 + turned[1] ** 2 + turned[2] ** 2 + turned[3] ** 2)
            for i in range(4):
                rotations[j, i] = size * turned[i]
