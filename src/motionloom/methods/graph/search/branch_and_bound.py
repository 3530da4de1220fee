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
NEAR_END = 0.2  # m: a route that ends farther from the end is searched again from earlier places
MAX_LONGER = 1.05  # as many frames may a route take that ends nearer: it does not stand to get there
OTHER_STEPS = (0.5, 0.75, 1.5)  # times m: tried for a route that still ends farther
FIRST_SHARE = 0.9  # of the progress, for the first search


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
    If it still ends farther than `NEAR_END` from it, the last part is searched again, from ever earlier places, along a
    line from the body to the end (`bent_to`), and then the whole path with other m. Without, s is the metres walked, as
    in eq 2.15.
    """
    report = progress or silent()
    last = np.inf if frames is None else frames - 1
    search = _PathSearch(moves, goal, bits, lookahead, step, least, budget, last, nearest, report)
    begun = Walked(BodyState(-1, *begin.position, begin.heading, 0.0))
    best = search.follow(goal.line, begun, starts)
    if nearest and best.arrived:
        best = search.ending_nearer(goal.line, best, starts)
        for share in OTHER_STEPS:
            if distance_to_end(goal.line, best.now) < NEAR_END:
                break
            search.begin_again(max(1, round(share * step)))
            other = search.ending_nearer(goal.line, search.follow(goal.line, begun, starts), starts)
            best = _better(goal.line, best, other)
    route = Route(
        best.start, tuple(moves.number[np.array(best.taken, np.int64)].tolist()), int(min(best.gone, last)) + 1
    )
    at_end = best.arrived and best.gone <= last
    return SearchResult(route, at_end, min(best.now.s, goal.line.length), best.cost, search.expanded, search.spent)


class Walked(NamedTuple):
    """A part of a route: the body after it, the first frame, the transitions, the frames, the cost."""

    now: BodyState
    start: int = -1
    taken: tuple[int, ...] = ()
    gone: int = 0
    cost: float = 0.0
    arrived: bool = False


class _PathSearch:
    """Searches along a line, one after the other, with one budget; `checkpoints` are the routes before each of them."""

    def __init__(
        self,
        moves: GroundMoves,
        goal: GroundGoal,
        bits: Any,
        lookahead: int,
        step: int,
        least: float,
        budget: int,
        last: float,
        nearest: bool,
        report: Progress,
    ) -> None:
        self.moves, self.labels, self.bits = moves, (goal.parts, goal.frame_costs), bits
        self.lookahead, self.step, self.least, self.last = lookahead, step, least, last
        self.budget, self.nearest, self.report = budget, nearest, report
        self.expanded, self.spent, self.share = 0, False, budget // 4
        self.checkpoints: list[Walked] = []
        self.progressed, self.before = 0.0, 0  # states expanded before this search

    def follow(self, line: Line, so_far: Walked, starts: IntArray) -> Walked:
        """A route continued along a line until the path has been walked, and on while that leads nearer to its end."""
        now, start, taken, gone, total, _ = so_far
        reached: Walked | None = None  # the nearest to the end so far, once it was walked to
        arrived, least, limit = False, self.least, self.expanded + 2 * self.budget
        if so_far.taken:
            self.share = self.budget // 20
        while not arrived and gone < self.last:
            self.progressed = max(self.progressed, FIRST_SHARE * min(1.0, now.s / line.length))
            first, path, count, done, cost, seen = self._searched(line, now, gone, starts)
            self.expanded, self.spent = self.expanded + seen, self.spent or seen >= self.share
            if not np.isfinite(cost):
                break
            start = first if start < 0 else start
            now = now._replace(node=first) if now.node < 0 else now
            if not so_far.taken:
                self.checkpoints.append(Walked(now, start, tuple(taken), gone, total))
            kept = count if done else min(self.step, count)
            before, body = now.s, (self.moves, line, now, path)
            now, used, kept = advance_body(*body, kept, least)
            if self.nearest and (done or reached is not None):  # the frame of this search that is nearest to the end
                ends = [advance_body(*body, k, least) for k in range(1, count + 1)]
                now, used, kept = min(ends, key=lambda found: distance_to_end(line, found[0]))
            taken = (*taken, *path[:used].tolist())
            gone, total, arrived = gone + kept, total + cost, done
            if self.nearest:
                far = distance_to_end(line, now)
                if reached is not None and far >= distance_to_end(line, reached.now):
                    break
                if done or reached is not None:
                    reached, arrived = Walked(now, start, taken, gone, total, True), far < END_TOLERANCE
                now = now._replace(s=nearest_along(line, now, before + least * kept))
            left = max(1, round((line.length - now.s) / 1.0))
            self.share = max((self.budget - self.expanded + self.before) // left, self.budget // 200)
            if self.expanded > limit:
                break
        if reached is not None:  # what was tried afterwards leads away from the end
            return reached
        return Walked(now, start, tuple(taken), gone, total, arrived)

    def ending_nearer(self, line: Line, best: Walked, starts: IntArray) -> Walked:
        """The route, or one that leaves it at a checkpoint and ends nearer to the end of the line, not much later."""
        for earlier in reversed(self.checkpoints):
            if distance_to_end(line, best.now) < NEAR_END:
                break
            best = _better(line, best, self.follow(bent_to(line, earlier.now), earlier, starts))
        return best

    def begin_again(self, step: int) -> None:
        """Search the whole path once more, of which `step` frames are kept at a time."""
        self.step, self.share, self.checkpoints, self.before = step, self.budget // 4, [], self.expanded

    def _searched(
        self, line: Line, now: BodyState, gone: int, starts: IntArray
    ) -> tuple[int, IntArray, int, bool, float, int]:
        """The first frame and transitions of the best route of `lookahead` frames, its frames, whether it walks to the
        end, its cost, and the states that were expanded.
        """
        from motionloom.methods.graph.search._kernels_bound import branch_and_bound

        self.report(self.progressed, "searching for a path")
        moves, report = self.moves, self.report
        nodes = starts if now.node < 0 else np.array([now.node])
        at = np.array([now.x, now.z, now.heading, now.s])
        arrays = (moves.step, moves.goes_on, moves.first_out, moves.enter, moves.over)
        task = (line.points, line.spacing, nodes, at, gone, self.bits, *self.labels, self.lookahead, self.least)
        limits = (max(self.share, 1), report.stop)
        first, path, count, done, cost, seen = watch(
            report, "searching for a path", branch_and_bound, *arrays, *task, *limits
        )
        return int(first), path, int(count), bool(done), float(cost), int(seen)


def _better(line: Line, best: Walked, other: Walked) -> Walked:
    """The route that ends nearer to the end of the line; one that takes much longer stands to get there."""
    nearer = distance_to_end(line, other.now) < distance_to_end(line, best.now)
    return other if other.arrived and nearer and other.gone <= MAX_LONGER * best.gone else best


def bent_to(line: Line, state: BodyState) -> Line:
    """The rest of the line shifted to begin at the body and to come back to its end evenly: no detour is needed."""
    points, first = line.points.copy(), min(int(state.s / line.spacing), len(line.points) - 1)
    back = np.linspace(1.0, 0.0, len(points) - first)[:, None]
    points[first:] += back * (np.array([state.x, state.z]) - points[first])
    return Line(points, line.spacing)


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
