"""Compiled beam search along a line: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle
from motionloom.methods.graph.search._kernels_ahead import costs_ahead, least_ahead
from motionloom.methods.graph.search._kernels_bound import frame_cost, is_allowed
from motionloom.methods.graph.search._kernels_pool import (
    NO_TRANSITION,
    add_candidate,
    doubled_pool,
    new_pool,
    prune_level,
    take_best,
)

MIN_PATH_RATIO, MAX_PATH_RATIO = 0.6, 1.6  # metres along the line for each metre walked
MIN_CANDIDATES = 4  # that are kept however small the budget: a single one may run into a dead end
START_BUDGET_SHARE = 0.25  # of the budget that may be used to choose among the starts
ESTIMATE_SHARE = 0.7  # of the remaining cost: a transition is skipped if that makes it worse than the bar at its end
DELAY_COST = 0.1  # estimated for a square metre ahead or behind, where there are times
SIDE_GAIN, FORWARD_GAIN = (0.4, 1.3)  # m that a candidate can approach a place per metre of line, sideways and ahead
FACING_COST = 0.1  # m^2 along a metre, for a body that faces a radian more than `free_angle` away from the line
MAX_ASIDE = 1.0  # rad: a body that faces farther away costs no more
MAX_TURN_RATE = 2.0  # rad/s that a candidate can turn


class BeamMoves(NamedTuple):
    """The graph, from `GroundMoves`."""

    step: Any  # (N, 7) to the next frame; then `GroundMoves.outlook`
    goes_on: Any  # (N,)
    first_out: Any  # (N + 1,)
    enter: Any  # (T,)
    over: Any  # (T, blend, 3)
    price: Any  # (T, 2) cost of each transition, and the metres walked in it


class BeamTask(NamedTuple):
    """The goal, by frame and by metre. Weights are per metre of the line."""

    line: Any  # (M, 4) x, z, direction, and weight of the deviation there
    spacing: float  # m between its points
    clock: Any  # (F, 7) x, z, heading of a key and their two weights; metres due; the frame of the next key or -1
    pace_weight: float  # of being early or late
    circles: Any  # (C, 3) obstacles: x, z, radius
    parts: Any  # (M,) row of `frame_costs` at each point, -1: none
    frame_costs: Any  # (P, N) of each graph frame there
    usual_step: float  # m: a slower frame costs `frame_costs` as if it had moved by this
    bits: Any  # packed (F, (N + T) / 8): frames and transitions that may be used at each time
    last: Any  # (5,) the end: x, z, heading, weight of the place, weight of the heading
    least: float  # m: least advance along the line in a frame
    frames: int  # at most; exactly as many if timed
    timed: bool  # compare candidates at equal times; else at equal distance along the line
    look: int  # frames of `GroundMoves.outlook`: half a second
    free_angle: float  # rad that the body may face away from the line at no cost


@kernel
def level_count(task: Any) -> Any:
    """Number of levels of the beam: tenths of a metre along the line, or every second frame."""
    end = task.spacing * (len(task.line) - 1) - 1e-9
    return int(task.frames / 2.0 if task.timed else end / 0.1) + 2


@kernel
def beam(
    moves: Any, task: Any, starts: Any, begin: Any, width: int, same: int, budget: int, stop: Any, done: Any
) -> Any:
    """The cheapest route from one of `starts` to the end of the line (or the last frame), by a beam of `width`.

    Candidates advance frame by frame and are compared at equal distance: at the same tenth of a metre along the line,
    or at every second frame if the task is timed. There the `width` cheapest are kept, at most `same` of those at one
    graph frame, and of those within a few centimetres and degrees only the cheapest (`take_best`). They are ranked by
    their cost plus an estimate of the rest (`_remaining_cost`). At first, more than `width` starts are kept.

    The budget is divided: a quarter for the first levels, the rest evenly among the remaining levels; where the share
    of a level is too small for `width` candidates, fewer are kept, but always a few. A transition whose end would cost
    more than the candidates already waiting there is skipped.

    s, metres along the line, grows to the nearest point within 0.6 to 1.6 times the distance walked, by `least` or
    more. done[0] counts levels; it returns at once when stop[0] is set. Returns start, transitions taken, frames added,
    whether the end was reached, cost, metres along the line, states expanded, whether the budget made the beam
    narrower. The slow version is `best_of_all` in tests/methods/graph/test_beam.py. About 10 million frames a second.
    """
    blend = moves.over.shape[1]
    stride = 2.0 if task.timed else 0.1
    end = task.spacing * (len(task.line) - 1) - 1e-9
    levels = level_count(task)
    young = int((0.5 * task.look if task.timed else 0.6) / stride) + 1  # levels at which more starts are kept
    pool = new_pool(8 * width + len(starts), levels)
    records = np.empty((1024, 2), np.int64)  # transition, record before it; a start is -1 - node, -1
    written = 0
    none: Any = np.int64(NO_TRANSITION)
    x, z, h, s = begin
    ahead = costs_ahead(moves, task, task.look // 2, stop)
    t: Any = np.int64(0)  # typed: with a plain 0 the helpers would be compiled twice
    for k in range(len(starts)):
        n = starts[k]
        rank = _remaining_cost(task, ahead, x, z, h, s, t, n, moves.step[n])
        add_candidate(pool, t, n, t, x, z, h, s, 0.0, rank, t - 1, -1 - n)
    best, best_trace, best_via, best_frames, best_s = np.inf, t - 1, t, t, 0.0
    far_trace, far_via, far_frames, far_s = t - 1, t, t, 0.0
    expanded, spent = 0, False
    each = 2.0 * (1.0 + blend * len(moves.enter) / len(moves.goes_on))  # states expanded for a candidate at a level
    for level in range(levels):
        many = pool.lists[level, 1]
        done[0] = level
        if stop[0]:
            break
        if many == 0:
            continue
        limit = min(width, int((budget - expanded) / ((levels - level) * each)))
        if level < young:
            limit = max(
                limit, min(len(starts), int((START_BUDGET_SHARE * budget - expanded) / ((young - level) * each)))
            )
        limit = max(MIN_CANDIDATES, limit)
        spent = spent or limit < min(width, many)
        kept = take_best(pool, level, limit, same)
        i = kept[0]
        far_trace, far_via, far_frames, far_s = pool.what[i, 2], pool.what[i, 3], pool.what[i, 1], pool.body[i, 3]
        before = expanded
        for i in kept:
            n, t, trace, via = pool.what[i, 0], pool.what[i, 1], pool.what[i, 2], pool.what[i, 3]
            x, z, h, s, cost = pool.body[i, 0], pool.body[i, 1], pool.body[i, 2], pool.body[i, 3], pool.body[i, 4]
            pool.free[pool.spare[0]] = i
            pool.spare[0] += 1
            if via != none:  # it has just completed a transition: record it
                if written == len(records):
                    records = np.concatenate((records, records))
                records[written, 0], records[written, 1] = via, trace
                trace = written
                written += 1
            while True:
                for e in range(moves.first_out[n], moves.first_out[n + 1]):
                    if not is_allowed(task.bits, t, len(moves.goes_on) + e):
                        continue
                    to = moves.enter[e]
                    if t + blend < task.frames - 1:  # skip it if it is estimated to cost too much
                        where = int((t + blend if task.timed else s + moves.price[e, 1]) / stride)
                        if where < levels and pool.bar[where] < np.inf:
                            expanded += 1
                            px, pz, ph = _apply_move(x, z, h, moves.over[e, blend - 1])
                            ps = s + moves.price[e, 1]
                            estimate = _remaining_cost(task, ahead, px, pz, ph, ps, t + blend, to, moves.step[to])
                            if cost + moves.price[e, 0] + ESTIMATE_SHARE * estimate >= pool.bar[where]:
                                continue
                    px, pz, ph, ps, pcost, hop, ended = _cross_transition(moves, task, e, n, t, x, z, h, s, cost, best)
                    expanded += hop
                    if pcost >= best:
                        continue
                    if ended:
                        best, best_trace, best_via, best_frames, best_s = pcost, trace, e, t + hop, ps
                        continue
                    where = max(int((t + hop if task.timed else ps) / stride), level + 1)
                    rank = pcost + _remaining_cost(task, ahead, px, pz, ph, ps, t + hop, to, moves.step[to])
                    if where >= levels or rank >= pool.bar[where]:
                        continue
                    if pool.lists[where, 1] >= 3 * width:
                        prune_level(pool, where, width, same)
                    if pool.spare[0] == 0:
                        pool = doubled_pool(pool)
                    add_candidate(pool, where, to, t + hop, px, pz, ph, ps, pcost, rank, trace, e)
                if not moves.goes_on[n] or not is_allowed(task.bits, t + 1, n + 1) or t + 1 >= task.frames:
                    break
                px, pz = x, z
                x, z, h = _apply_move(x, z, h, moves.step[n])
                n, t = n + 1, t + 1
                s, more = _frame_cost(task, px, pz, x, z, h, s, t, n)
                cost += more
                expanded += 1
                if t == task.frames - 1 or (not task.timed and s >= end):
                    if task.timed or s >= end:
                        cost += _end_cost(task, x, z, h, s, end)
                        if cost < best:
                            best, best_trace, best_via, best_frames, best_s = cost, trace, none, t, s
                    break
                if cost >= best:
                    break
                where = int((t if task.timed else s) / stride)
                if where > level:
                    if pool.spare[0] == 0:
                        pool = doubled_pool(pool)
                    rank = cost + _remaining_cost(task, ahead, x, z, h, s, t, n, moves.step[n])
                    add_candidate(pool, where, n, t, x, z, h, s, cost, rank, trace, none)
                    break
        each = 0.7 * each + 0.3 * (expanded - before) / len(kept)
    reached = best < np.inf
    if not reached:
        best_trace, best_via, best_frames, best_s = far_trace, far_via, far_frames, far_s
    start, taken = _trace_route(records, best_trace, best_via, best_frames // blend + 2)
    return start, taken, best_frames, reached, best, best_s, expanded, spent


@kernel
def _cross_transition(
    moves: Any, task: Any, e: int, n: int, t: int, x: float, z: float, h: float, s: float, cost: float, best: float
) -> Any:
    """Transition e frame by frame: x, z, heading, s and cost at its end, frames used, whether the route ends there.

    It stops as soon as the cost reaches `best`; a route that runs out of frames before the end of the line costs
    infinity.
    """
    blend, to = moves.over.shape[1], moves.enter[e]
    end = task.spacing * (len(task.line) - 1) - 1e-9
    cost += moves.price[e, 0]
    px, pz, ph, hop, ended = x, z, h, 0, False
    while hop < blend and not ended and cost < best:
        qx, qz, ph = _apply_move(x, z, h, moves.over[e, hop])
        hop += 1
        shown = n + hop if hop < blend // 2 else to - blend + hop
        s, more = _frame_cost(task, px, pz, qx, qz, ph, s, t + hop, shown)
        cost += more
        px, pz = qx, qz
        ended = t + hop == task.frames - 1 or (not task.timed and s >= end)
    if ended:
        cost += _end_cost(task, px, pz, ph, s, end) if task.timed or s >= end else np.inf
    return px, pz, ph, s, cost, hop, ended


@kernel(inline=True)
def _apply_move(x: float, z: float, h: float, move: Any) -> Any:
    """Place and heading after a move in the body's frame: left, forward, turn."""
    ch, sh = np.cos(h), np.sin(h)
    return x + ch * move[0] + sh * move[1], z + ch * move[1] - sh * move[0], h + move[2]


@kernel(inline=True)
def _frame_cost(task: Any, px: float, pz: float, x: float, z: float, h: float, s: float, t: int, n: int) -> Any:
    """Metres along the line after a step from (px, pz) to (x, z), and the cost of the frame."""
    last, per = len(task.line) - 1, 1.0 / task.spacing
    walked = np.sqrt((x - px) ** 2 + (z - pz) ** 2)
    low = min((s + max(task.least, MIN_PATH_RATIO * walked)) * per, float(last))
    high = min((s + max(task.least, MAX_PATH_RATIO * walked)) * per + 1e-9, float(last))
    k = min(int(low), last - 1)
    part = low - k
    dx = x - (task.line[k, 0] + part * (task.line[k + 1, 0] - task.line[k, 0]))
    dz = z - (task.line[k, 1] + part * (task.line[k + 1, 1] - task.line[k, 1]))
    off, at = dx * dx + dz * dz, low
    for j in range(k + 1, int(high) + 1):
        dx, dz = x - task.line[j, 0], z - task.line[j, 1]
        d = dx * dx + dz * dz
        if d < off:
            off, at = d, float(j)
    now = at * task.spacing
    passed = max(now - s, 0.5 * walked, task.least)
    aside = min(max(0.0, abs(wrap_angle(h - task.line[int(at), 2])) - task.free_angle), MAX_ASIDE)
    cost = task.line[int(at), 3] * (off * (1.0 + 8.0 * off) + FACING_COST * aside * aside) * passed
    if len(task.clock):
        late = now - task.clock[t, 5]
        cost += task.pace_weight * late * late * passed + _key_cost(task.clock[t], x, z, h)
    for c in range(len(task.circles)):
        deep = task.circles[c, 2] - np.hypot(x - task.circles[c, 0], z - task.circles[c, 1])
        if deep > 0.0:
            cost += 20.0 * deep * deep * passed + 0.5 * deep * passed
    return now, cost + frame_cost(task.parts, task.frame_costs, now, task.spacing, n) * max(passed, task.usual_step)


@kernel
def _key_cost(key: Any, x: float, z: float, h: float) -> Any:
    """Cost of missing a key: x, z, heading, weight of the place, weight of the heading."""
    cost = 0.0
    if key[3] > 0.0:
        cost += key[3] * ((x - key[0]) ** 2 + (z - key[1]) ** 2)
    if key[4] > 0.0:
        away = wrap_angle(h - key[2])
        cost += key[4] * away * away
    return cost


@kernel
def _end_cost(task: Any, x: float, z: float, h: float, s: float, end: float) -> Any:
    """Cost of ending here: away from the end of the line, short of it, or with another heading."""
    return _key_cost(task.last, x, z, h) + task.last[3] * (end - s) ** 2


@kernel
def _remaining_cost(task: Any, ahead: Any, x: float, z: float, h: float, s: float, t: int, n: int, step: Any) -> Any:
    """Estimate of the remaining cost: of returning to the line and of turning along it.

    From the deviation now and at the end of the clip's outlook, and from the direction then: before a corner, this
    separates candidates that are about to turn from those that are not. The least cost of the labels ahead
    (`costs_ahead`) separates those that can still show them in time. With times, being early or late, now and then,
    adds to it. Half of what can no longer be corrected before the next key (`_unreachable_cost`) is added.
    """
    last = len(task.line) - 1
    k = min(int(s / task.spacing), last)
    dx, dz = x - task.line[k, 0], z - task.line[k, 1]
    off = dx * dx + dz * dz
    ch, sh = np.cos(h), np.sin(h)
    j = min(int((s + step[5]) / task.spacing), last)
    dx = x + ch * step[3] + sh * step[4] - task.line[j, 0]
    dz = z + ch * step[4] - sh * step[3] - task.line[j, 1]
    then = dx * dx + dz * dz
    away = abs(wrap_angle(h + step[6] - task.line[j, 2]))
    estimate = task.line[k, 3] * (0.3 * off + 0.1 * then + 0.02 * min(away, 2.0) ** 4)
    estimate += least_ahead(ahead, s, h, n)
    if len(task.clock):
        late = s - task.clock[t, 5]
        later = s + step[5] - task.clock[min(t + task.look, len(task.clock) - 1), 5]
        estimate += 0.5 * DELAY_COST * (late * late + later * later)
        f = int(task.clock[t, 6])
        if f >= 0:
            left, seconds = task.clock[f, 5] - task.clock[t, 5], 0.5 * (f - t) / task.look
            estimate += 0.5 * _unreachable_cost(task.clock[f], x, z, h, np.sqrt(off), left, seconds)
    elif not task.timed:
        estimate += 0.5 * _unreachable_cost(task.last, x, z, h, np.sqrt(off), task.spacing * last - s, np.inf)
    return estimate


@kernel
def _unreachable_cost(key: Any, x: float, z: float, h: float, off: float, left: float, seconds: float) -> Any:
    """Approximate cost of missing a key that cannot be met in `left` metres of the line and `seconds`.

    `key`: see `_key_cost`; `off`: deviation from the line now, m.
    """
    far = max(0.0, np.sqrt((x - key[0]) ** 2 + (z - key[1]) ** 2) - FORWARD_GAIN * left - 0.1)
    side = max(0.0, off - SIDE_GAIN * left)
    turn = max(0.0, abs(wrap_angle(h - key[2])) - MAX_TURN_RATE * seconds)
    return key[3] * (far * far + side * side) + key[4] * turn * turn


@kernel
def _trace_route(records: Any, record: int, via: int, most: int) -> Any:
    """The start and the transitions, at most `most`, of a candidate with its last record and transition."""
    taken = np.empty(most, np.int64)
    many, start = 0, -1
    while True:
        if via >= 0:
            taken[many] = via
            many += 1
        elif via != NO_TRANSITION:
            start = -1 - via
        if record < 0:
            break
        via, record = records[record, 0], records[record, 1]
    return start, taken[:many][::-1].copy()
