"""Follow a sketched path by cluster paths: repeatedly take the motion that is nearest to it (GUAN 2.4.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints import Start
from motionloom.core import FloatArray, IntArray, Progress, silent
from motionloom.methods.graph import Graph, Route
from motionloom.methods.graph.query.polyline import Line
from motionloom.methods.graph.render.root_tracks import stretches
from motionloom.methods.graph.search.moves import GroundMoves
from motionloom.methods.graph.search.result import SearchResult
from motionloom.methods.schedule import Reachable
from motionloom.methods.two_level_graph.cluster_trees import CandidateMotions

EVEN_PACE_WEIGHT = 0.02  # where the duration is given
SAME_PLACE = 0.05  # m: candidates at one frame of the graph within this cell are equivalent

MotionsFrom = Callable[[int], CandidateMotions]
"""The motions of all cluster paths from a frame."""


class SketchGoal(NamedTuple):
    """A path to follow, and its timing."""

    line: Line
    least: float  # m: least advance in a frame
    frames: int | None  # duration; None: any
    reachable: Reachable | None  # frames of the graph that may be shown at each time


class Walker(NamedTuple):
    """A candidate of the search."""

    node: int  # frame of the graph
    body: FloatArray  # (4,) x, z, heading, metres along the path
    route: Route  # so far
    cost: float  # m^2: sum of squared distances so far
    rank: float  # m^2: their mean, with those of the current motion
    done: bool = False


def follow_clusters(
    graph: Graph,
    moves: GroundMoves,
    motions_from: MotionsFrom,
    goal: SketchGoal,
    begin: Start,
    starts: IntArray,
    *,
    keep: int,
    width: int,
    outlook: float,
    budget: int,
    progress: Progress | None = None,
) -> SearchResult:
    """At each step, take the cluster path whose most probable motion is nearest, and keep `keep` frames of it.

    The distance of a motion from the path is the mean of |P'(s) - P(s)|^2 over its frames, where P'(s) and P(s) are the
    points of both after the same distance (GUAN eq. 2.15), and over one point `outlook` seconds ahead of its end. All
    of `starts` are tried at the first step. The source follows one candidate; here the `width` nearest are kept. It
    stops when the length of the path has been walked. `moves` has all transitions of the graph. `budget` limits the
    frames of motion that are compared.
    """
    from motionloom.methods.two_level_graph._kernels_sketch import SketchMoves, SketchPath, try_motions

    back = max(1, round(0.5 * outlook * graph.clips[0].fps)) if outlook else 0
    even = EVEN_PACE_WEIGHT if goal.frames else 0.0
    line = goal.line
    path = SketchPath(line.points, line.spacing, goal.least, goal.frames or 0, even, keep, back, 2.0)
    arrays = SketchMoves(moves.step, graph.leave, moves.enter, moves.over, moves.turn)
    at = np.array([*begin.position, begin.heading, 0.0])
    walkers = [Walker(int(n), at, Route(int(n), (), 1), 0.0, 0.0) for n in starts]
    best: Walker | None = None
    farthest, compared = walkers[0], 0
    report = progress or silent()
    while walkers and compared < budget:
        report(min(1.0, float(farthest.body[3]) / line.length), "searching for a path")
        moved: list[Walker] = []
        for w in walkers:
            found = motions_from(w.node)
            compared += int(found.frames.sum())
            rows = try_motions(arrays, path, w.node, found.first, found.taken, found.frames, w.body, w.route.frames - 1)
            moved += _advanced(graph, goal, w, found, rows, width)
        arrived = [w for w in moved if w.done]
        best = min(arrived + ([] if best is None else [best]), key=lambda w: w.rank, default=None)
        limit = np.inf if best is None else best.rank
        walkers = _nearest([w for w in moved if not w.done and w.rank < limit], width)
        farthest = max([farthest, *walkers], key=lambda w: float(w.body[3]))
    last = farthest if best is None else best
    along = min(float(last.body[3]), line.length)
    return SearchResult(last.route, best is not None, along, last.cost, compared, compared >= budget)


def _advanced(
    graph: Graph, goal: SketchGoal, w: Walker, motions: CandidateMotions, rows: Any, width: int
) -> list[Walker]:
    """A candidate after each of its best motions that are allowed, at most 2 `width` of them."""
    from motionloom.methods.two_level_graph._kernels_sketch import AHEAD, COST, GONE, HALTED, NODE, USED, WHOLE, X, Z

    shown = w.route.frames - 1
    halted = rows[:, HALTED] > 0
    frames = w.route.frames + rows[:, GONE].astype(int)
    cost = w.cost + rows[:, COST]
    done = halted if goal.frames is None else frames >= goal.frames
    arrival = ((rows[:, X : Z + 1] - goal.line.points[-1]) ** 2).sum(1)
    rank = (w.cost + rows[:, WHOLE] + rows[:, AHEAD]) / (shown + motions.frames)
    rank = np.where(done, cost / np.maximum(1, frames - 1) + arrival, rank)
    out: list[Walker] = []
    for c in np.argsort(rank, kind="stable"):
        taken = tuple(motions.taken[motions.first[c] : motions.first[c] + int(rows[c, USED])].tolist())
        part = Route(w.node, taken, int(rows[c, GONE]) + 1)
        if goal.reachable is not None and not _allowed(graph, goal.reachable, shown, part):
            continue
        total = min(int(frames[c]), goal.frames or int(frames[c]))
        route = Route(w.route.start, w.route.taken + taken, total)
        out.append(Walker(int(rows[c, NODE]), rows[c, :4], route, float(cost[c]), float(rank[c]), bool(done[c])))
        if len(out) == 2 * width:
            break
    return out


def _allowed(graph: Graph, reachable: Reachable, shown: int, route: Route) -> bool:
    """Whether all unblended frames of a route are reachable at their times; frames beyond the end are ignored."""
    at = shown
    for s in stretches(graph, route):
        if s.transition < 0:
            times = np.arange(at, min(at + s.frames, len(reachable.bits)))
            nodes = s.frame + np.arange(len(times))
            if not reachable.has_all(times, nodes):
                return False
        at += s.frames
    return True


def _nearest(walkers: list[Walker], width: int) -> list[Walker]:
    """The best `width`; of those at one frame of the graph and in one place, the best."""
    out: dict[tuple[int, int, int, int], Walker] = {}
    for w in sorted(walkers, key=lambda w: w.rank):
        cell = np.floor(w.body[:2] / SAME_PLACE).astype(int)
        out.setdefault((w.node, w.route.frames, int(cell[0]), int(cell[1])), w)
        if len(out) == width:
            break
    return list(out.values())
