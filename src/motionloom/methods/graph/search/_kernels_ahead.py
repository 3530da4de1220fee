"""Compiled least cost of what lies ahead along a line: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle
from motionloom.methods.graph.search._kernels_bound import frame_cost

SPACING = 0.2  # m between the places along the line for which the costs are computed
ANGLES = 24  # directions of the clips on the ground for which they are computed
MAX_STATES = 40_000_000  # 4 bytes each: larger graphs or longer lines are searched without
COURSE_COST = 0.2  # m^2 along a metre, for a radian between the directions of travel and of the line
MAX_ASIDE = 1.0  # rad: travel farther away costs no more
DEAD_END = 1e4  # cost of a frame that nothing follows


class CostsAhead(NamedTuple):
    """Least cost to the end of the line, from graph frame n at k SPACING + phase[n] metres along it.

    The clip of the frame is turned on the ground by a of `ANGLES` equal parts of a circle.
    """

    costs: Any  # (K, N, A), or no rows
    phase: Any  # (N,) m, below SPACING: so the next frame of a clip is at one of its own places
    heading: Any  # (N,) rad, in the clip: so the next frame of a clip is turned by the same angle


@kernel
def costs_ahead(moves: Any, task: Any, look: int, stop: Any) -> Any:
    """Least cost of transitions, of labels (`frame_cost`) and of travelling in another direction than the line.

    A relaxation of the search: a body that is off the line has the costs of one on it; s grows by the metres walked. So
    a frame from which no clip that turns enough, or has the next label, can be entered in time is known long before.
    With times it is computed for labels only: candidates at one place may be early or late. A transition may end at
    the place before or after. Directions are those over `look` frames. Computed backwards: at one place, frames of a
    clip depend on later ones, and transitions are at least two places long. About 50 million states a second.
    """
    count, blend = len(moves.goes_on), moves.over.shape[1]
    last = len(task.line) - 1
    levels = int(np.ceil(task.spacing * last / SPACING)) + 1
    if levels * count * ANGLES > MAX_STATES or (task.timed and not len(task.parts)):
        levels = 0
    path = np.zeros((count + 1, 4))  # of the clip, as if all were one: x, z, heading, metres walked
    for n in range(count):
        x, z, h, s = path[n]
        ch, sh = np.cos(h), np.sin(h)
        left, ahead_by, turn = moves.step[n, 0], moves.step[n, 1], moves.step[n, 2]
        path[n + 1, 0], path[n + 1, 1] = x + ch * left + sh * ahead_by, z + ch * ahead_by - sh * left
        path[n + 1, 2], path[n + 1, 3] = h + turn, s + max(task.least, np.hypot(left, ahead_by))
    course = path[:count, 2].copy()
    for n in range(count):
        first = end = n
        while first > 0 and first > n - look and moves.goes_on[first - 1]:
            first -= 1
        while end < n + look and moves.goes_on[end]:
            end += 1
        x, z = path[end, 0] - path[first, 0], path[end, 1] - path[first, 1]
        if np.hypot(x, z) > 0.1:
            course[n] = np.arctan2(x, z)
    walked = path[:, 3]
    place = np.floor(walked / SPACING).astype(np.int64)
    phase = walked[:count] - SPACING * place[:count]
    ahead = CostsAhead(np.zeros((levels, count, ANGLES), np.float32), phase, path[:count, 2].copy())
    over = np.zeros((len(task.frame_costs), len(moves.enter)))  # of the frames in a transition
    for n in range(count):
        for e in range(moves.first_out[n], moves.first_out[n + 1]):
            metres = max(task.usual_step, moves.price[e, 1] / blend)
            for k in range(1, blend + 1):
                shown = n + k if k < blend // 2 else moves.enter[e] - blend + k
                for row in range(len(over)):
                    over[row, e] += task.frame_costs[row, shown] * metres
    part = 2 * np.pi / ANGLES
    for k in range(levels - 1, -1, -1):
        if stop[0]:
            break
        for n in range(count - 1, -1, -1):
            s = k * SPACING + phase[n]
            best = np.full(ANGLES, DEAD_END)
            if moves.goes_on[n]:
                step = walked[n + 1] - walked[n]
                cost = frame_cost(task.parts, task.frame_costs, s + step, task.spacing, n + 1)
                cost *= max(step, task.usual_step)
                to = k + place[n + 1] - place[n]
                at = min(int((s + step) / task.spacing), last)
                line, weight = task.line[at, 2], task.line[at, 3]
                for a in range(ANGLES):
                    aside = min(abs(wrap_angle(course[n + 1] + a * part - line)), MAX_ASIDE)
                    best[a] = cost + weight * COURSE_COST * aside * aside * step
                    if to < levels:
                        best[a] += ahead.costs[to, n + 1, a]
            for e in range(moves.first_out[n], moves.first_out[n + 1]):
                metres, m = moves.price[e, 1], moves.enter[e]
                middle = min(int((s + 0.5 * metres) / task.spacing), last)
                row = task.parts[middle] if len(task.parts) else -1
                cost = moves.price[e, 0] + (over[row, e] if row >= 0 else 0.0)
                turned = path[n, 2] + moves.over[e, blend - 1, 2]
                line, weight = task.line[middle, 2], task.line[middle, 3]
                for a in range(ANGLES):
                    h = turned + a * part
                    aside = min(abs(wrap_angle(course[m] + h - path[m, 2] - line)), MAX_ASIDE)
                    more = cost + weight * COURSE_COST * aside * aside * metres
                    if more < best[a]:
                        best[a] = min(best[a], more + least_ahead(ahead, s + max(2 * SPACING, metres), h, m))
            for a in range(ANGLES):
                ahead.costs[k, n, a] = min(best[a], DEAD_END)
    return ahead


@kernel(inline=True)
def least_ahead(ahead: Any, s: float, h: float, n: int) -> Any:
    """The lower cost of graph frame n with heading h at the places before and after s; 0 beyond the end."""
    k = int((s - ahead.phase[n]) / SPACING)
    if k + 1 >= len(ahead.costs):
        return 0.0
    at = (h - ahead.heading[n]) * ANGLES / (2 * np.pi)
    a = int(np.floor(at))
    part = at - a
    a, b = a % ANGLES, (a + 1) % ANGLES
    before = (1.0 - part) * ahead.costs[k, n, a] + part * ahead.costs[k, n, b]
    after = (1.0 - part) * ahead.costs[k + 1, n, a] + part * ahead.costs[k + 1, n, b]
    return min(before, after)
