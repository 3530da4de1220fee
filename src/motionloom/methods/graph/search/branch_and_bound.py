"""Incremental branch and bound for a route along a line (GUAN 2.4.1)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints import Start
from motionloom.core import IntArray, Progress, silent
from motionloom.core.progress import watch
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.graph.graph import Route
from motionloom.methods.graph.query.goal import GroundGoal
from motionloom.methods.graph.query.polyline import Line
from motionloom.methods.graph.search.moves import GroundMoves
from motionloom.methods.graph.search.result import SearchResult

END_TOLERANCE = 0.05  # m: a body that is nearer to the end of the path has arrived


class BodyState(NamedTuple):
    """A body on a route: graph frame, place, heading, and metres along the line."""

    node: int
    x: float
    z: float
    heading: float
    s: float


def search_branch_and_bound(
    moves: GroundMoves,
    goal: GroundGoal,
    begin: Start,
    starts: IntArray,
    bits: Any,
    *,
    lookahead: int,
    step: int,
    least: float,
    budget: int,
    frames: int | None = None,
    nearest: bool = True,
    progress: Progress | None = None,
) -> SearchResult:
    """GUAN 2.4.1: the best route of n = `lookahead` frames by branch and bound, of which m = `step` are kept; repeated.

    It stops when the length of the path has been walked, or at `frames` (None: any number). The budget is divided
    evenly among the searches that the path may need; the first one, which also chooses the start, may use a quarter.

    A body that sends walks more metres than it gets on, and would stop short of the end. With `nearest`, each search
    begins at the point of the path that is nearest to the body, if that is less than the metres walked (but at least
    `least` a frame), and once the path has been walked, the route is extended as long as that leads nearer to its end.
    Without, s is the metres walked, as in eq 2.15.
    """
    from motionloom.methods.graph.search._kernels_bound import branch_and_bound

    line, labels = goal.line, (goal.parts, goal.frame_costs)
    now = BodyState(-1, *begin.position, begin.heading, 0.0)
    start, taken, gone, total, expanded, spent, arrived = -1, [], 0, 0.0, 0, False, False
    share = budget // 4
    report = progress or silent()
    last = np.inf if frames is None else frames - 1
    reached: tuple[float, int, int, BodyState] | None = None  # the nearest to the end so far, once it was walked to
    while not arrived and gone < last:
        report(min(1.0, now.s / line.length), "searching for a path")
        nodes = starts if now.node < 0 else np.array([now.node])
        at = np.array([now.x, now.z, now.heading, now.s])
        arrays = (moves.step, moves.goes_on, moves.first_out, moves.enter, moves.over)
        task = (line.points, line.spacing, nodes, at, gone, bits, *labels, lookahead, least, max(share, 1), report.stop)
        first, path, count, done, cost, seen = watch(report, "searching for a path", branch_and_bound, *arrays, *task)
        expanded, spent = expanded + int(seen), spent or seen >= share
        if not np.isfinite(cost):
            break
        start = int(first) if start < 0 else start
        now = now._replace(node=int(first)) if now.node < 0 else now
        kept = int(count) if done else min(step, int(count))
        before, body = now.s, (moves, line, now, path)
        now, used, kept = advance_body(*body, kept, least)
        if nearest and (done or reached is not None):  # the frame of this search that is nearest to the end
            ends = [advance_body(*body, k, least) for k in range(1, int(count) + 1)]
            now, used, kept = min(ends, key=lambda found: distance_to_end(line, found[0]))
        taken += path[:used].tolist()
        gone, total, arrived = gone + kept, total + float(cost), bool(done)
        if nearest:
            far = distance_to_end(line, now)
            if reached is not None and far >= reached[0]:
                break
            if done or reached is not None:
                reached, arrived = (far, len(taken), gone, now), far < END_TOLERANCE
            now = now._replace(s=nearest_along(line, now, before + least * kept))
        share = max((budget - expanded) // max(1, round((line.length - now.s) / 1.0)), budget // 200)
        if expanded > 2 * budget:
            break
    if reached is not None:  # what was tried afterwards leads away from the end
        _, used, gone, now = reached
        taken, arrived = taken[:used], True
    route = Route(start, tuple(moves.number[np.array(taken, np.int64)].tolist()), int(min(gone, last)) + 1)
    return SearchResult(route, arrived and gone <= last, min(now.s, line.length), total, expanded, spent)


def distance_to_end(line: Line, state: BodyState) -> float:
    """Metres from a body to the end of the line."""
    return float(np.hypot(*(line.points[-1] - (state.x, state.z))))


def nearest_along(line: Line, state: BodyState, least: float) -> float:
    """Metres along the line of the point nearest to a body, from `least` up to the metres that it has walked."""
    low, high = (min(int(s / line.spacing), len(line.points) - 1) for s in (min(least, state.s), state.s))
    off = line.points[low : high + 1] - (state.x, state.z)
    return min(line.spacing * (low + int((off**2).sum(1).argmin())), state.s)


def advance_body(
    moves: GroundMoves, line: Line, state: BodyState, taken: IntArray, frames: int, least: float
) -> tuple[BodyState, int, int]:
    """The state of a body after `frames` frames along transitions `taken`, the transitions begun, the frames gone.

    A transition that is being blended then is completed, unless it ends the route.
    """
    node, x, z, h, s = state
    used = gone = 0
    end = line.length - 1e-9
    while gone < frames:
        e = int(taken[used]) if used < len(taken) else -1
        if e >= 0 and moves.first_out[node] <= e < moves.first_out[node + 1]:
            for q in ground_turn(h, moves.over[e, :, :2]) + np.array([x, z]):
                s += max(least, float(np.hypot(q[0] - x, q[1] - z)))
                x, z, gone = float(q[0]), float(q[1]), gone + 1
                if s >= end and gone >= frames:
                    break
            node, h, used = int(moves.enter[e]), h + float(moves.over[e, -1, 2]), used + 1
        else:
            dx, dz = ground_turn(h, moves.step[node, :2])
            s += max(least, float(np.hypot(dx, dz)))
            x, z, h, node, gone = x + float(dx), z + float(dz), h + float(moves.step[node, 2]), node + 1, gone + 1
    return BodyState(node, x, z, h, s), used, gone
