"""Compiled beam search along a line: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from motionloom.methods.graph._kernels_bound import fine, may_be

SLOW, FAST = 0.6, 1.6  # metres along the line that a metre walked may stand for
CELL, ANGLE = 0.05, 0.09  # m, rad: bodies at one frame that are nearer than this are the same to the search
LATE = 0.1  # how much the guess minds a square metre early or late, where times are asked for
FEW = 8  # bodies that are kept once the budget is spent, to come to an end


class Moves(NamedTuple):
    """The graph: see `steps.Steps`. `dear` (T,): what each transition costs; `soon` (N, 4): see `steps.soon`."""

    step: Any
    goes_on: Any
    first_out: Any
    enter: Any
    over: Any
    dear: Any
    soon: Any


class Task(NamedTuple):
    """What is asked, frame by frame and metre by metre. Weights are per metre of the line."""

    line: Any  # (M, 2) where to go
    heading: Any  # (M,) its direction
    spacing: float
    weight: Any  # (M,) how much being off it counts at each place
    due: Any  # (F,) metres along the line that should be behind one at each frame; none: at any speed
    hurry: float  # how much being early or late counts
    keys: Any  # (F, 5) at a frame: x, z, heading to be at; weights of place and heading; (0, 5): none
    circles: Any  # (C, 3) to stay out of: x, z, radius
    parts: Any  # (M,) which row of `fines` counts at each place, -1: none
    fines: Any  # (P, N) what it costs to show each graph frame there
    bits: Any  # packed (F, (N + T) / 8): which frames and transitions may be used when
    last: Any  # (3,) heading at the end of the line, weight of it, weight of the place
    least: float  # m: the line goes by at least this much a frame
    frames: int  # the most frames; all of them if timed
    timed: bool  # compare bodies at the same time; else at the same place along the line


@njit(cache=True)
def beam(moves: Any, task: Any, starts: Any, begin: Any, width: int, same: int, budget: int) -> Any:
    """The cheapest way from one of `starts` to the end of the line (or the last frame), `width` bodies at a time.

    Bodies go on frame by frame. They are compared when they have come equally far: at the same tenth of a metre along
    the line, or at the same frame if the task is timed. There the `width` cheapest go on, at most `same` of those at
    one graph frame, and of those within a few centimetres and degrees only the cheapest. To what a body has cost, a
    guess of what is yet to come is added (`_ahead`). While the search is young, all starts go on.

    s, metres along the line, grows by the nearest point within 0.6 to 1.6 of what was walked, at least by `least`.
    Returns start, transitions taken, frames added, whether the end was reached, cost, metres along the line, frames
    looked at, whether the budget was spent.
    """
    blend = moves.over.shape[1]
    half = blend // 2
    stride = 2.0 if task.timed else 0.1
    per = 1.0 / task.spacing
    end = task.spacing * (len(task.line) - 1) - 1e-9
    levels = int((task.frames if task.timed else end) / stride) + 2
    room = 8 * width + 4 * len(starts)
    head = np.full(levels, -1, np.int64)
    many_at = np.zeros(len(moves.goes_on), np.int32)
    count = np.zeros(levels, np.int64)
    after = np.empty(room, np.int64)
    node, when = np.empty(room, np.int64), np.empty(room, np.int64)
    body = np.empty((room, 5))  # x, z, heading, s, cost
    rank = np.empty(room)
    trace, via = np.empty(room, np.int64), np.empty(room, np.int64)
    free = np.arange(room - 1, -1, -1)
    spare = room
    records = np.empty((1024, 2), np.int64)  # transition, record before it; a start is -1 - node, -1
    written = 0
    for k in range(len(starts)):
        spare -= 1
        i = free[spare]
        node[i], when[i] = starts[k], 0
        body[i, :4] = begin
        body[i, 4] = rank[i] = 0.0
        trace[i], via[i] = -1, -1 - starts[k]
        after[i], head[0] = head[0], i
        count[0] += 1
    best, best_trace, best_via, best_frames, best_s = np.inf, -1, 0, 0, 0.0
    far = -1
    far_trace, far_via, far_frames, far_s = -1, 0, 0, 0.0
    looked, spent = 0, False
    keep = width
    young = 0.6 if not task.timed else 15.0  # metres or frames until which every start goes on
    for level in range(levels):
        if count[level] == 0:
            continue
        here = np.empty(count[level], np.int64)
        i = head[level]
        for k in range(len(here)):
            here[k] = i
            i = after[i]
        limit = keep if level * stride > young else max(keep, len(starts))
        here = here[np.argsort(rank[here])]
        kept = _distinct(here, node, body, limit, same, many_at)
        many_at[:] = 0
        if far < level and len(kept):
            i = here[kept[0]]
            far = level
            far_trace, far_via, far_frames, far_s = trace[i], via[i], when[i], body[i, 3]
        at = 0
        for k in range(len(here)):
            if at < len(kept) and kept[at] == k:
                at += 1
            else:
                free[spare] = here[k]
                spare += 1
        for k in kept:
            i = here[k]
            if via[i] != -(1 << 60):  # it has just arrived over a transition: write down how
                if written == len(records):
                    records = np.concatenate((records, records))
                records[written, 0], records[written, 1] = via[i], trace[i]
                trace[i], via[i] = written, -(1 << 60)
                written += 1
            n, t = node[i], when[i]
            x, z, h, s, cost = body[i]
            alive = True
            while alive:
                ch, sh = np.cos(h), np.sin(h)
                for e in range(moves.first_out[n], moves.first_out[n + 1]):
                    if not may_be(task.bits, t, len(moves.goes_on) + e):
                        continue
                    px, pz, ps, pcost, ended = x, z, s, cost + moves.dear[e], False
                    to = moves.enter[e]
                    hop = 0
                    while hop < blend and not ended and pcost < best:
                        qx = x + ch * moves.over[e, hop, 0] + sh * moves.over[e, hop, 1]
                        qz = z + ch * moves.over[e, hop, 1] - sh * moves.over[e, hop, 0]
                        ph = h + moves.over[e, hop, 2]
                        hop += 1
                        shown = n + hop if hop < half else to - blend + hop
                        ps, more = _frame(task, per, px, pz, qx, qz, ph, ps, t + hop, shown)
                        pcost += more
                        px, pz = qx, qz
                        ended = t + hop == task.frames - 1 or (not task.timed and ps >= end)
                    looked += hop
                    if pcost >= best:
                        continue
                    if ended:
                        pcost += _close(task, px, pz, h + moves.over[e, hop - 1, 2], ps, end)
                        if pcost < best and (task.timed or ps >= end):
                            best, best_trace, best_via, best_frames, best_s = pcost, trace[i], e, t + hop, ps
                        continue
                    ph = h + moves.over[e, blend - 1, 2]
                    where = int(((t + hop) if task.timed else ps) / stride)
                    where = max(where, level + 1)
                    if where >= levels:
                        continue
                    guess = _ahead(task, px, pz, ph, ps, t + hop, moves.soon[to])
                    if spare == 0 or count[where] >= 6 * width:
                        if count[where] <= width:
                            continue
                        spare = _thin(where, width, head, count, after, rank, free, spare)
                        if spare == 0:
                            continue
                    spare -= 1
                    j = free[spare]
                    node[j], when[j] = to, t + hop
                    body[j, 0], body[j, 1], body[j, 2], body[j, 3], body[j, 4] = px, pz, ph, ps, pcost
                    rank[j] = pcost + guess
                    trace[j], via[j] = trace[i], e
                    after[j], head[where] = head[where], j
                    count[where] += 1
                if not moves.goes_on[n] or not may_be(task.bits, t + 1, n + 1) or t + 1 >= task.frames:
                    alive = False
                    break
                qx = x + ch * moves.step[n, 0] + sh * moves.step[n, 1]
                qz = z + ch * moves.step[n, 1] - sh * moves.step[n, 0]
                h += moves.step[n, 2]
                n, t = n + 1, t + 1
                s, more = _frame(task, per, x, z, qx, qz, h, s, t, n)
                cost += more
                x, z = qx, qz
                looked += 1
                if t == task.frames - 1 or (not task.timed and s >= end):
                    cost += _close(task, x, z, h, s, end)
                    if cost < best and (task.timed or s >= end):
                        best, best_trace, best_via, best_frames, best_s = cost, trace[i], -(1 << 60), t, s
                    alive = False
                    break
                if cost >= best:
                    alive = False
                    break
                where = int((t if task.timed else s) / stride)
                if where > level:
                    node[i], when[i] = n, t
                    body[i, 0], body[i, 1], body[i, 2], body[i, 3], body[i, 4] = x, z, h, s, cost
                    rank[i] = cost + _ahead(task, x, z, h, s, t, moves.soon[n])
                    after[i], head[where] = head[where], i
                    count[where] += 1
                    break
            if not alive:
                free[spare] = i
                spare += 1
        if looked > budget:
            spent, keep = True, FEW
    reached = best < np.inf
    if not reached:
        best_trace, best_via, best_frames, best_s = far_trace, far_via, far_frames, far_s
    taken = np.empty(best_frames // blend + 2, np.int64)
    many = 0
    if best_via >= 0:
        taken[0] = best_via
        many = 1
    start = -1 - best_via if -(1 << 60) < best_via < 0 else -1
    r = best_trace
    while r >= 0:
        if records[r, 0] >= 0:
            taken[many] = records[r, 0]
            many += 1
        else:
            start = -1 - records[r, 0]
        r = records[r, 1]
    return start, taken[:many][::-1].copy(), best_frames, reached, best, best_s, looked, spent


@njit(cache=True, inline="always")
def _frame(task: Any, per: float, px: float, pz: float, x: float, z: float, h: float, s: float, t: int, n: int) -> Any:
    """Metres along the line after a step from (px, pz) to (x, z), and what the frame costs; `per` is 1 / spacing."""
    last = len(task.line) - 1
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
    k = int(at)
    now = at * task.spacing
    passed = max(now - s, 0.5 * walked, task.least)
    cost = task.weight[k] * off * (1.0 + 8.0 * off) * passed
    if len(task.due):
        late = (now - task.due[t]) ** 2
        cost += task.hurry * late * passed
    if len(task.keys):
        cost += _at_key(task.keys[t], x, z, h)
    for c in range(len(task.circles)):
        deep = task.circles[c, 2] - np.hypot(x - task.circles[c, 0], z - task.circles[c, 1])
        if deep > 0.0:
            cost += 20.0 * deep * deep * passed + 0.5 * deep * passed
    return now, cost + fine(task.parts, task.fines, now, task.spacing, n) * passed


@njit(cache=True)
def _at_key(key: Any, x: float, z: float, h: float) -> Any:
    """What it costs not to be at the place and heading that a frame asks for."""
    cost = 0.0
    if key[3] > 0.0:
        cost += key[3] * ((x - key[0]) ** 2 + (z - key[1]) ** 2)
    if key[4] > 0.0:
        away = (h - key[2] + np.pi) % (2 * np.pi) - np.pi
        cost += key[4] * away * away
    return cost


@njit(cache=True)
def _close(task: Any, x: float, z: float, h: float, s: float, end: float) -> Any:
    """What it costs to end here: away from the line's end, short of it, or facing elsewhere."""
    dx, dz = x - task.line[-1, 0], z - task.line[-1, 1]
    away = (h - task.last[0] + np.pi) % (2 * np.pi) - np.pi
    return task.last[1] * away * away + task.last[2] * (dx * dx + dz * dz + (end - s) ** 2)


@njit(cache=True)
def _ahead(task: Any, x: float, z: float, h: float, s: float, t: int, soon: Any) -> Any:
    """A guess of what is yet to come: beside the line one must come back, going elsewhere one must turn.

    How far it is beside the line now and will be soon, where its clip leads, and how it will point away from it then:
    in front of a corner, this is what tells a body that is about to turn from one that is not. Where times are asked
    for, being early or late will cost too.
    """
    last = len(task.line) - 1
    k = min(int(s / task.spacing), last)
    dx, dz = x - task.line[k, 0], z - task.line[k, 1]
    off = dx * dx + dz * dz
    ch, sh = np.cos(h), np.sin(h)
    j = min(int((s + soon[2]) / task.spacing), last)
    dx = x + ch * soon[0] + sh * soon[1] - task.line[j, 0]
    dz = z + ch * soon[1] - sh * soon[0] - task.line[j, 1]
    then = dx * dx + dz * dz
    away = abs((h + soon[3] - task.heading[j] + np.pi) % (2 * np.pi) - np.pi)
    turn = min(away, 2.0)
    late = s - task.due[t] if len(task.due) else 0.0
    return float(task.weight[k]) * (0.3 * off + 0.1 * then + 0.02 * turn**4) + LATE * late * late


@njit(cache=True)
def _distinct(here: Any, node: Any, body: Any, limit: int, same: int, many_at: Any) -> Any:
    """Positions in `here` (best first) of the first `limit` that are not the same to the search as a better one."""
    size = 1
    while size < 4 * len(here):
        size *= 2
    seen = np.full(size, -1, np.int64)
    kept = np.empty(min(limit, len(here)), np.int64)
    many = 0
    for k in range(len(here)):
        if many == limit:
            break
        i = here[k]
        if many_at[node[i]] >= same:
            continue
        a, b = int(np.floor(body[i, 0] / CELL)), int(np.floor(body[i, 1] / CELL))
        c = int(np.floor(body[i, 2] / ANGLE))
        slot = (node[i] * 73856093 ^ a * 19349663 ^ b * 83492791 ^ c * 2654435761) & (size - 1)
        known = False
        while seen[slot] >= 0:
            j = seen[slot]
            if (
                node[j] == node[i]
                and int(np.floor(body[j, 0] / CELL)) == a
                and int(np.floor(body[j, 1] / CELL)) == b
                and int(np.floor(body[j, 2] / ANGLE)) == c
            ):
                known = True
                break
            slot = (slot + 1) & (size - 1)
        if not known:
            seen[slot] = i
            many_at[node[i]] += 1
            kept[many] = k
            many += 1
    return kept[:many]


@njit(cache=True)
def _thin(where: int, width: int, head: Any, count: Any, after: Any, rank: Any, free: Any, spare: int) -> int:
    """Of the bodies that wait at a level, the `width` cheapest stay. Returns how many places are free now."""
    here = np.empty(count[where], np.int64)
    i = head[where]
    for k in range(len(here)):
        here[k] = i
        i = after[i]
    here = here[np.argsort(rank[here])]
    head[where], count[where] = -1, 0
    for k in range(len(here)):
        if k < width:
            after[here[k]], head[where] = head[where], here[k]
            count[where] += 1
        else:
            free[spare] = here[k]
            spare += 1
    return spare
