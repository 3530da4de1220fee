"""Compiled beam search along a line: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle
from motionloom.methods.graph.search._kernels_bound import fine, may_be
from motionloom.methods.graph.search._kernels_pool import NONE, larger, new_pool, put, take_best, thin

SLOW, FAST = 0.6, 1.6  # metres along the line that a metre walked may stand for
FEW = 4  # bodies that go on however small the budget: one alone may run into a dead end
YOUNG = 0.25  # of the budget that may go into choosing among the starts
SURE = 0.7  # a transition is not gone over if this share of the guess at its end already makes it too dear
LATE = 0.1  # how much the guess minds a square metre early or late, where times are asked for
ASIDE, AHEAD = 0.4, 1.3  # metres that one gets nearer to a place, sideways and ahead, in a metre of the line
SPIN = 2.0  # rad that one turns, at most, in a second


class Moves(NamedTuple):
    """The graph, from `steps.Steps`."""

    step: Any  # (N, 7) to the next frame; where the clip leads, see `steps.soon`
    goes_on: Any  # (N,)
    first_out: Any  # (N + 1,)
    enter: Any  # (T,)
    over: Any  # (T, blend, 3)
    dear: Any  # (T, 2) what each transition costs, and the metres walked in it


class Task(NamedTuple):
    """What is asked, frame by frame and metre by metre. Weights are per metre of the line."""

    line: Any  # (M, 4) where to go: x, z; its direction; how much being off it counts there
    spacing: float  # m between its points
    clock: Any  # (F, 7) at a frame: x, z, heading to be at and their two weights; metres due; the next such frame or -1
    hurry: float  # how much being early or late counts
    circles: Any  # (C, 3) to stay out of: x, z, radius
    parts: Any  # (M,) which row of `fines` counts at each place, -1: none
    fines: Any  # (P, N) what it costs to show each graph frame there
    bits: Any  # packed (F, (N + T) / 8): which frames and transitions may be used when
    last: Any  # (5,) the end: x, z, heading, weight of the place, weight of the heading
    least: float  # m: the line goes by at least this much a frame
    frames: int  # the most frames; all of them if timed
    timed: bool  # compare bodies at the same time; else at the same place along the line
    look: int  # frames that `steps.soon` looks ahead: half a second


@kernel
def level_count(task: Any) -> Any:
    """How many levels the beam goes through: tenths of a metre along the line, or every second frame."""
    end = task.spacing * (len(task.line) - 1) - 1e-9
    return int(task.frames / 2.0 if task.timed else end / 0.1) + 2


@kernel
def beam(
    moves: Any, task: Any, starts: Any, begin: Any, width: int, same: int, budget: int, stop: Any, done: Any
) -> Any:
    """The cheapest way from one of `starts` to the end of the line (or the last frame), `width` bodies at a time.

    Bodies go on frame by frame. They are compared when they have come equally far: at the same tenth of a metre along
    the line, or at every second frame if the task is timed. There the `width` cheapest go on, at most `same` of those
    at one graph frame, and of those within a few centimetres and degrees only the cheapest (`take_best`). To what a
    body has cost, a guess of what is yet to come is added (`_ahead`). At first, more than `width` starts go on.

    The budget is shared out: a quarter to the first levels, and what is left evenly to the levels that are left; where
    a level's share is too small for `width` bodies, fewer go on, but always a few. A transition whose end would be too
    dear for the bodies that wait there already is not gone over.

    s, metres along the line, grows by the nearest point within 0.6 to 1.6 of what was walked, at least by `least`.
    done[0] counts levels; it returns at once when stop[0] is set.
    Returns start, transitions taken, frames added, whether the end was reached, cost, metres along the line, frames
    looked at, whether the budget made the beam narrower. The slow version is `best_of_all` in
    tests/methods/graph/test_beam.py. About 10 million frames a second.
    """
    blend = moves.over.shape[1]
    stride = 2.0 if task.timed else 0.1
    end = task.spacing * (len(task.line) - 1) - 1e-9
    levels = level_count(task)
    young = int((0.5 * task.look if task.timed else 0.6) / stride) + 1  # levels at which more starts go on
    pool = new_pool(8 * width + len(starts), levels)
    records = np.empty((1024, 2), np.int64)  # transition, record before it; a start is -1 - node, -1
    written = 0
    none: Any = np.int64(NONE)
    x, z, h, s = begin
    t: Any = np.int64(0)  # a plain 0 would be a type of its own: helpers would be compiled twice
    for k in range(len(starts)):
        n = starts[k]
        put(pool, t, n, t, x, z, h, s, 0.0, _ahead(task, x, z, h, s, t, moves.step[n]), t - 1, -1 - n)
    best, best_trace, best_via, best_frames, best_s = np.inf, t - 1, t, t, 0.0
    far_trace, far_via, far_frames, far_s = t - 1, t, t, 0.0
    looked, spent = 0, False
    each = 2.0 * (1.0 + blend * len(moves.enter) / len(moves.goes_on))  # frames looked at for a body at a level
    for level in range(levels):
        many = pool.lists[level, 1]
        done[0] = level
        if stop[0]:
            break
        if many == 0:
            continue
        limit = min(width, int((budget - looked) / ((levels - level) * each)))
        if level < young:
            limit = max(limit, min(len(starts), int((YOUNG * budget - looked) / ((young - level) * each))))
        limit = max(FEW, limit)
        spent = spent or limit < min(width, many)
        kept = take_best(pool, level, limit, same)
        i = kept[0]
        far_trace, far_via, far_frames, far_s = pool.what[i, 2], pool.what[i, 3], pool.what[i, 1], pool.body[i, 3]
        before = looked
        for i in kept:
            n, t, trace, via = pool.what[i, 0], pool.what[i, 1], pool.what[i, 2], pool.what[i, 3]
            x, z, h, s, cost = pool.body[i, 0], pool.body[i, 1], pool.body[i, 2], pool.body[i, 3], pool.body[i, 4]
            pool.free[pool.spare[0]] = i
            pool.spare[0] += 1
            if via != none:  # it has just arrived over a transition: write down how
                if written == len(records):
                    records = np.concatenate((records, records))
                records[written, 0], records[written, 1] = via, trace
                trace = written
                written += 1
            while True:
                for e in range(moves.first_out[n], moves.first_out[n + 1]):
                    if not may_be(task.bits, t, len(moves.goes_on) + e):
                        continue
                    to = moves.enter[e]
                    if t + blend < task.frames - 1:  # is it too dear, as far as one can tell?
                        where = int((t + blend if task.timed else s + moves.dear[e, 1]) / stride)
                        if where < levels and pool.bar[where] < np.inf:
                            looked += 1
                            px, pz, ph = _moved(x, z, h, moves.over[e, blend - 1])
                            guess = _ahead(task, px, pz, ph, s + moves.dear[e, 1], t + blend, moves.step[to])
                            if cost + moves.dear[e, 0] + SURE * guess >= pool.bar[where]:
                                continue
                    px, pz, ph, ps, pcost, hop, ended = _over(moves, task, e, n, t, x, z, h, s, cost, best)
                    looked += hop
                    if pcost >= best:
                        continue
                    if ended:
                        best, best_trace, best_via, best_frames, best_s = pcost, trace, e, t + hop, ps
                        continue
                    where = max(int((t + hop if task.timed else ps) / stride), level + 1)
                    rank = pcost + _ahead(task, px, pz, ph, ps, t + hop, moves.step[to])
                    if where >= levels or rank >= pool.bar[where]:
                        continue
                    if pool.lists[where, 1] >= 3 * width:
                        thin(pool, where, width, same)
                    if pool.spare[0] == 0:
                        pool = larger(pool)
                    put(pool, where, to, t + hop, px, pz, ph, ps, pcost, rank, trace, e)
                if not moves.goes_on[n] or not may_be(task.bits, t + 1, n + 1) or t + 1 >= task.frames:
                    break
                px, pz = x, z
                x, z, h = _moved(x, z, h, moves.step[n])
                n, t = n + 1, t + 1
                s, more = _frame(task, px, pz, x, z, h, s, t, n)
                cost += more
                looked += 1
                if t == task.frames - 1 or (not task.timed and s >= end):
                    if task.timed or s >= end:
                        cost += _close(task, x, z, h, s, end)
                        if cost < best:
                            best, best_trace, best_via, best_frames, best_s = cost, trace, none, t, s
                    break
                if cost >= best:
                    break
                where = int((t if task.timed else s) / stride)
                if where > level:
                    if pool.spare[0] == 0:
                        pool = larger(pool)
                    rank = cost + _ahead(task, x, z, h, s, t, moves.step[n])
                    put(pool, where, n, t, x, z, h, s, cost, rank, trace, none)
                    break
        each = 0.7 * each + 0.3 * (looked - before) / len(kept)
    reached = best < np.inf
    if not reached:
        best_trace, best_via, best_frames, best_s = far_trace, far_via, far_frames, far_s
    start, taken = _traced(records, best_trace, best_via, best_frames // blend + 2)
    return start, taken, best_frames, reached, best, best_s, looked, spent


@kernel
def _over(
    moves: Any, task: Any, e: int, n: int, t: int, x: float, z: float, h: float, s: float, cost: float, best: float
) -> Any:
    """Over transition e, frame by frame: x, z, heading, s and cost at its end, frames gone, whether the way ends there.

    It stops as soon as it costs `best`; a way that runs out of frames before the end of the line costs all there is.
    """
    blend, to = moves.over.shape[1], moves.enter[e]
    end = task.spacing * (len(task.line) - 1) - 1e-9
    cost += moves.dear[e, 0]
    px, pz, ph, hop, ended = x, z, h, 0, False
    while hop < blend and not ended and cost < best:
        qx, qz, ph = _moved(x, z, h, moves.over[e, hop])
        hop += 1
        shown = n + hop if hop < blend // 2 else to - blend + hop
        s, more = _frame(task, px, pz, qx, qz, ph, s, t + hop, shown)
        cost += more
        px, pz = qx, qz
        ended = t + hop == task.frames - 1 or (not task.timed and s >= end)
    if ended:
        cost += _close(task, px, pz, ph, s, end) if task.timed or s >= end else np.inf
    return px, pz, ph, s, cost, hop, ended


@kernel(inline=True)
def _moved(x: float, z: float, h: float, move: Any) -> Any:
    """Place and heading after a move as the body sees it: left, forward, turn."""
    ch, sh = np.cos(h), np.sin(h)
    return x + ch * move[0] + sh * move[1], z + ch * move[1] - sh * move[0], h + move[2]


@kernel(inline=True)
def _frame(task: Any, px: float, pz: float, x: float, z: float, h: float, s: float, t: int, n: int) -> Any:
    """Metres along the line after a step from (px, pz) to (x, z), and what the frame costs."""
    last, per = len(task.line) - 1, 1.0 / task.spacing
    walked = np.sqrt((x - px) ** 2 + (z - pz) ** 2)
    low = min((s + max(task.least, SLOW * walked)) * per, float(last))
    high = min((s + max(task.least, FAST * walked)) * per + 1e-9, float(last))
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
    cost = task.line[int(at), 3] * off * (1.0 + 8.0 * off) * passed
    if len(task.clock):
        late = now - task.clock[t, 5]
        cost += task.hurry * late * late * passed + _away(task.clock[t], x, z, h)
    for c in range(len(task.circles)):
        deep = task.circles[c, 2] - np.hypot(x - task.circles[c, 0], z - task.circles[c, 1])
        if deep > 0.0:
            cost += 20.0 * deep * deep * passed + 0.5 * deep * passed
    return now, cost + fine(task.parts, task.fines, now, task.spacing, n) * passed


@kernel
def _away(key: Any, x: float, z: float, h: float) -> Any:
    """What it costs not to be at a place and heading: x, z, heading, weight of the place, weight of the heading."""
    cost = 0.0
    if key[3] > 0.0:
        cost += key[3] * ((x - key[0]) ** 2 + (z - key[1]) ** 2)
    if key[4] > 0.0:
        away = wrap_angle(h - key[2])
        cost += key[4] * away * away
    return cost


@kernel
def _close(task: Any, x: float, z: float, h: float, s: float, end: float) -> Any:
    """What it costs to end here: away from the line's end, short of it, or facing elsewhere."""
    return _away(task.last, x, z, h) + task.last[3] * (end - s) ** 2


@kernel
def _ahead(task: Any, x: float, z: float, h: float, s: float, t: int, step: Any) -> Any:
    """A guess of what is yet to come: beside the line one must come back, going elsewhere one must turn.

    How far it is beside the line now and will be soon, where its clip leads, and how it will point away from it then:
    in front of a corner, this is what tells a body that is about to turn from one that is not. Where times are asked
    for, being early or late, now and then, will cost too. What cannot be made good before the next place that is asked
    for (`_hopeless`) counts by half.
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
    guess = task.line[k, 3] * (0.3 * off + 0.1 * then + 0.02 * min(away, 2.0) ** 4)
    if len(task.clock):
        late = s - task.clock[t, 5]
        later = s + step[5] - task.clock[min(t + task.look, len(task.clock) - 1), 5]
        guess += 0.5 * LATE * (late * late + later * later)
        f = int(task.clock[t, 6])
        if f >= 0:
            left, seconds = task.clock[f, 5] - task.clock[t, 5], 0.5 * (f - t) / task.look
            guess += 0.5 * _hopeless(task.clock[f], x, z, h, np.sqrt(off), left, seconds)
    elif not task.timed:
        guess += 0.5 * _hopeless(task.last, x, z, h, np.sqrt(off), task.spacing * last - s, np.inf)
    return guess


@kernel
def _hopeless(key: Any, x: float, z: float, h: float, off: float, left: float, seconds: float) -> Any:
    """What it will cost, about, that a place and heading cannot be met in `left` metres of the line and `seconds`.

    `key`: see `_away`; `off`: metres beside the line now.
    """
    far = max(0.0, np.sqrt((x - key[0]) ** 2 + (z - key[1]) ** 2) - AHEAD * left - 0.1)
    side = max(0.0, off - ASIDE * left)
    turn = max(0.0, abs(wrap_angle(h - key[2])) - SPIN * seconds)
    return key[3] * (far * far + side * side) + key[4] * turn * turn


@kernel
def _traced(records: Any, record: int, via: int, most: int) -> Any:
    """The start and the transitions, at most `most`, of a body with its last record and transition."""
    taken = np.empty(most, np.int64)
    many, start = 0, -1
    while True:
        if via >= 0:
            taken[many] = via
            many += 1
        elif via != NONE:
            start = -1 - via
        if record < 0:
            break
        via, record = records[record, 0], records[record, 1]
    return start, taken[:many][::-1].copy()
