"""Steps of live textons: plain arrays, no checks. Rows of `state` are written in place (a copy, see `live.step`).

`tables` is a `LiveTables`. A character at frame t of an observed segment shows y[t] + C x[t] + the residual outside the
basis: x is its deviation from the segment, which follows the texton's dynamics.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.kinematics.channels._kernels import chart, unchart
from motionloom.kinematics.feet._kernels_live_ground import foot_places, move, without_own_heading
from motionloom.methods._kernels_live import EARLY, keep_tick, show_between, uniform

LOOKAHEAD, NOISE, VARIATION, NOISE_TIME = range(4)  # columns of `tuning`
SLOPE_FRAMES = 12  # frames within which the slope of the residual outside the basis dies out


@kernel
def advance(
    tables: Any, commands: Any, state: Any, dt: float, tick: float, root: Any, rotations: Any, contacts: Any
) -> None:
    """All characters by `dt`, each by as many ticks as fall into it; then the poses between their last two ticks."""
    for k in range(len(state.time)):
        state.time[k] += dt
        while state.time[k] >= tick - EARLY:
            state.time[k] = max(0.0, state.time[k] - tick)
            state.commanded[k] = commands.action[k if len(commands.action) > 1 else 0]
            _tick(tables, state, k, tick)
        show_between(state, k, state.time[k] / tick, root, rotations, contacts)


@kernel
def _tick(tables: Any, state: Any, k: int, tick: float) -> None:
    """One character by one frame."""
    keep_tick(state, k)
    if state.frame[k] > 0:  # the first two frames of a segment are given
        _deviate(tables, state, k)
    was = tables.first[state.segment[k]] + state.frame[k]
    state.frame[k] += 1
    shown = was + 1
    if state.frame[k] == state.end[k]:
        _enter(tables, state, k)
        shown = tables.first[state.segment[k]]
    _choose(tables, state, k)
    _show(tables, state, k, was, shown, tick)


@kernel
def _show(tables: Any, state: Any, k: int, was: int, shown: int, tick: float) -> None:
    """The pose of the frame `shown`, moved on from the one that was shown before."""
    texton = tables.texton[state.segment[k]]
    y = np.empty((1, tables.y.shape[1]))
    coordinates(tables, state, k, y[0])
    turns, rates = unchart(y, tables.base[texton], tables.scale, tables.root_scale, tables.column, tables.still)
    without_own_heading(turns[0], tables.axes)
    places = foot_places(tables, turns[0], rates[0, 3])
    move(tables, state, k, was, shown, places, rates[0], turns[0], tick)
    state.shown[k, 1] = shown


@kernel
def _deviate(tables: Any, state: Any, k: int) -> None:
    """The deviation from the observed segment a frame on: x[t+1] = A1 x[t] + A2 x[t-1] + B (noise + steering).

    The steering is the least push that leads to the goal: to the key poses of the next segment, if it was chosen, in
    the frames that are left; else back to the observed segment, within the frames looked ahead.
    """
    texton = tables.texton[state.segment[k]]
    size = tables.size[texton]
    left = state.end[k] + 1 - state.frame[k]
    chosen = state.following[k] >= 0
    ahead = np.int64(state.tuning[k, LOOKAHEAD]) + 1
    n = min(left, ahead)
    x, before, new = state.deviation[k, 0], state.deviation[k, 1], np.zeros(size)
    _push(tables, state, k, texton, size)
    p = min(1.0, (left - 2) / (0.5 * ahead))
    amount = state.tuning[k, NOISE] * p * p * (3.0 - 2.0 * p)  # no noise in the last frames: they meet the next ones
    a1, a2, noise = tables.a1[texton], tables.a2[texton], tables.noise[texton]
    back, goal = tables.state[texton, n], tables.goal[texton, n]
    for j in range(size):
        push = amount * state.noise[k, 1, j]
        for i in range(size):
            new[i] += a1[j, i] * x[j] + a2[j, i] * before[j] + noise[j, i] * push
            new[i] -= back[j, i] * x[j] + back[size + j, i] * before[j]
        if chosen:
            late, early = state.goal[k, 1, j], state.goal[k, 0, j]
            for i in range(size):
                new[i] += goal[j, i] * late + goal[size + j, i] * early
    for i in range(size):
        before[i] = x[i]
        x[i] = new[i]


@kernel
def _push(tables: Any, state: Any, k: int, texton: int, size: int) -> None:
    """Noise of unit variance in every dimension, correlated over `NOISE_TIME` frames: white noise, averaged twice."""
    a = math.exp(-1.0 / state.tuning[k, NOISE_TIME]) if state.tuning[k, NOISE_TIME] > 0 else 0.0
    fresh, scale = math.sqrt(1.0 - a * a), (1.0 - a) * (1.0 + a) / math.sqrt(1.0 + a * a)
    for i in range(size):
        state.noise[k, 0, i] = a * state.noise[k, 0, i] + fresh * _normal(state, k)
        state.noise[k, 1, i] = a * state.noise[k, 1, i] + scale * state.noise[k, 0, i]


@kernel
def _normal(state: Any, k: int) -> float:
    """A number with a normal distribution, from the generator in the state."""
    u, v = uniform(state.seed[k], state.draws[k]), uniform(state.seed[k], state.draws[k] + 1)
    state.draws[k] += 2
    return math.sqrt(-2.0 * math.log(1.0 - u)) * math.cos(2.0 * math.pi * v)


@kernel
def coordinates(tables: Any, state: Any, k: int, out: Any) -> None:
    """The coordinates (D,) that a character shows: its segment's, its deviation, and the residual outside the basis."""
    segment, t, end = state.segment[k], state.frame[k], state.end[k]
    texton = tables.texton[segment]
    x, basis = state.deviation[k, 0 if t > 0 else 1], tables.basis[texton]
    out[:] = tables.y[tables.first[segment] + t]
    for i in range(tables.size[texton]):
        for c in range(len(out)):
            out[c] += basis[i, c] * x[i]
    ahead = np.int64(state.tuning[k, LOOKAHEAD])
    reach = min(ahead, tables.length[segment] - 1)
    if t == 0:
        out += state.outside[k, 0]
    elif t - 1 < reach:
        _ease(state.outside[k, 1], state.outside[k, 0], t - 1, reach, out)
    if state.following[k] >= 0 and end - t < min(ahead, end - 1):
        _ease(state.outside[k, 2], state.outside[k, 3], end - t, min(ahead, end - 1), out)


@kernel
def _ease(value: Any, other: Any, frames: int, reach: int, out: Any) -> None:
    """Add `value`, `frames` frames away from it, and the slope from `other` to it, which dies out sooner.

    Both have vanished after `reach` frames. `other` is the frame beyond `value`.
    """
    p = frames / reach
    share = 1.0 - p * p * (3.0 - 2.0 * p)
    near = min(SLOPE_FRAMES, reach)
    fade = frames * (1.0 - frames / near) ** 2 if frames < near else 0.0
    for c in range(len(out)):
        out[c] += share * value[c] + fade * (value[c] - other[c])


@kernel
def _choose(tables: Any, state: Any, k: int) -> None:
    """Choose what follows, once the end of the segment is as near as the character looks ahead.

    With an action commanded, a segment is left early where it comes near to one of that texton, in as many frames.
    """
    if state.following[k] >= 0:
        return
    segment, t, ahead = state.segment[k], state.frame[k], np.int64(state.tuning[k, LOOKAHEAD])
    action = state.commanded[k]
    following: Any = np.int64(-1)
    if action >= 0 and t > 0 and tables.texton[segment] != action:
        for e in range(tables.exits[segment], tables.exits[segment + 1]):
            target = tables.exit_target[e]
            if tables.exit_frame[e] == t + ahead and tables.texton[target] == action:
                following, state.end[k] = target, tables.exit_frame[e]
                break
    if following < 0:
        if t + ahead < state.end[k]:
            return
        following = _drawn(tables, state, k, segment, action)
    state.following[k] = following
    _aim(tables, state, k)


@kernel
def _drawn(tables: Any, state: Any, k: int, segment: int, action: int) -> int:
    """A successor: by its chance; with an action, by its chance among those of that texton, or on the path there."""
    sums = tables.sums[segment]
    count = len(sums)
    if action >= 0 and tables.hop[segment, action] >= 0:
        if tables.texton[tables.hop[segment, action]] != action:
            return tables.hop[segment, action]
        total = 0.0
        for j in range(count):
            if tables.texton[j] == action:
                total += sums[j] - (sums[j - 1] if j else 0.0)
        drawn, total = total * uniform(state.seed[k], state.draws[k]), 0.0
        state.draws[k] += 1
        for j in range(count):
            if tables.texton[j] == action:
                total += sums[j] - (sums[j - 1] if j else 0.0)
                if total > drawn:
                    return j
        return tables.hop[segment, action]
    drawn = uniform(state.seed[k], state.draws[k]) * sums[count - 1]
    state.draws[k] += 1
    return min(np.searchsorted(sums, drawn, side="right"), count - 1)


@kernel
def _aim(tables: Any, state: Any, k: int) -> None:
    """The key poses of the segment that follows, varied a little, as the goal: in the chart of the present texton."""
    segment, following = state.segment[k], state.following[k]
    texton, other = tables.texton[segment], tables.texton[following]
    _vary(tables, state, k, other)
    first = tables.first[following]
    keys = np.empty((2, tables.y.shape[1]))
    for i in range(2):
        keys[i] = tables.y[first + i] + state.varied[k]
    turns, rates = unchart(keys, tables.base[other], tables.scale, tables.root_scale, tables.column, tables.still)
    column, size = tables.column, keys.shape[1]
    y = chart(turns, rates, tables.base[texton], tables.scale, tables.root_scale, column, size)
    for i in range(2):
        like = tables.y[tables.first[segment] + state.end[k] + i]
        _beside(tables, y[i], like)
        _split(tables, texton, y[i] - like, state.goal[k, i], state.outside[k, 2 + i])


@kernel
def _vary(tables: Any, state: Any, k: int, texton: int) -> None:
    """An offset (D,) of key poses, from the spread of a texton's states; the joint that turns most by `VARIATION`.

    As `TextonCharts.vary_keys`: the root's place is left out.
    """
    offset = state.varied[k]
    offset[:] = 0.0
    if state.tuning[k, VARIATION] <= 0:
        return
    for i in range(tables.size[texton]):
        drawn = tables.spread[texton, i] * _normal(state, k)
        for c in range(len(offset)):
            offset[c] += drawn * tables.basis[texton, i, c]
    joints, most = len(tables.scale), 0.0
    for j in range(joints):
        square = 0.0
        for i in range(3):
            c = tables.column[3 * j + i]
            if c >= 0:
                square += (offset[c] / tables.scale[j]) ** 2
        most = max(most, math.sqrt(square))
    for i in range(4):
        c = tables.column[3 * joints + i]
        if c >= 0:
            offset[c] = 0.0
    offset *= state.tuning[k, VARIATION] / most if most > 0 else 0.0


@kernel
def _beside(tables: Any, y: Any, like: Any) -> None:
    """Joints that turn far on the side of the chart on which `like` has them (see `sides.on_side_of`)."""
    for w in range(len(tables.wild)):
        length, own, other = 0.0, 0.0, 0.0
        for i in range(3):
            length += y[tables.wild[w, i]] ** 2
        length = max(math.sqrt(length), 1e-9)
        share = 1.0 - tables.wild_turn[w] / length
        for i in range(3):
            c = tables.wild[w, i]
            own += (y[c] - like[c]) ** 2
            other += (share * y[c] - like[c]) ** 2
        if other < own:
            for i in range(3):
                y[tables.wild[w, i]] *= share


@kernel
def _split(tables: Any, texton: int, y: Any, inside: Any, outside: Any) -> None:
    """What a texton's basis can express of an offset, as a deviation, and the residual."""
    basis = tables.basis[texton]
    inside[:] = 0.0
    outside[:] = y
    for i in range(tables.size[texton]):
        v = 0.0
        for c in range(len(y)):
            v += basis[i, c] * y[c]
        inside[i] = v
        for c in range(len(y)):
            outside[c] -= v * basis[i, c]


@kernel
def _enter(tables: Any, state: Any, k: int) -> None:
    """The segment that follows begins: its key poses are those that were aimed at."""
    segment = state.following[k]
    state.segment[k], state.frame[k], state.following[k] = segment, 0, -1
    state.end[k] = tables.length[segment]
    for i in range(2):
        _split(tables, tables.texton[segment], state.varied[k], state.deviation[k, i], state.outside[k, i])


@kernel
def show_first(tables: Any, state: Any) -> None:
    """The poses of the first frames, as those of both ticks; x, z and heading of the hips are those of `track`."""
    for k in range(len(state.time)):
        _choose(tables, state, k)
        at = tables.first[state.segment[k]] + state.frame[k]
        place, heading = state.track[k, :2].copy(), state.track[k, 2]
        _show(tables, state, k, at, at, 0.0)
        state.track[k, :2], state.track[k, 2] = place, heading
        keep_tick(state, k)
