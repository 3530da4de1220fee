"""A sketched path followed by cluster paths: the action whose motion is nearest, again and again (GUAN 2.4.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints import Start
from motionloom.core import FloatArray, IntArray, Progress, silent
from motionloom.methods.graph import Graph, Route
from motionloom.methods.graph.query.polyline import Line
from motionloom.methods.graph.render.root_tracks import stretches
from motionloom.methods.graph.search.moves import Steps
from motionloom.methods.graph.search.path_search import Found
from motionloom.methods.schedule import Reachable
from motionloom.methods.two_level_graph.cluster_trees import Ways

EVEN = 0.02  # how much an even pace counts, where the length in time is given
SAME = 0.05  # m: walkers at one frame of the graph that are nearer than this are one

Offered = Callable[[int], Ways]
"""The motions of all cluster paths from a frame."""


class Asked(NamedTuple):
    """A path, and when it is to be walked."""

    line: Line
    least: float  # m of it that go by each frame at least
    frames: int | None  # how long it shall take; None: as long as it takes
    alive: Reachable | None  # which frames of the graph may be shown when


class Walker(NamedTuple):
    """A body on its way."""

    node: int  # frame of the graph
    body: FloatArray  # (4,) x, z, heading, metres of the path behind it
    route: Route  # so far
    cost: float  # m^2: sum of squared distances so far
    rank: float  # m^2: their mean, with those of the action that it is in
    done: bool = False


def follow_clusters(
    graph: Graph,
    steps: Steps,
    offered: Offered,
    asked: Asked,
    begin: Start,
    starts: IntArray,
    *,
    keep: int,
    width: int,
    outlook: float,
    budget: int,
    progress: Progress | None = None,
) -> Found:
    """At each step, of all cluster paths the one whose most probable motion is nearest; `keep` frames of it are kept.

    The distance of a motion from the path is the mean of |P'(s) - P(s)|^2 over its frames, where P'(s) and P(s) are the
    points of both after the same distance (GUAN eq. 2.15), and over one point `outlook` seconds ahead of its end. All
    of `starts` are tried at the first step. The source follows one body; here the `width` nearest go side by side. It
    halts when the path's length is behind it. `steps` holds all transitions of the graph. `budget` counts the frames
    of motion that are looked at.
    """
    from motionloom.methods.two_level_graph._kernels_sketch import Moves, Wanted, try_ways

    back = max(1, round(0.5 * outlook * graph.clips[0].fps)) if outlook else 0
    even = EVEN if asked.frames else 0.0
    line = asked.line
    wanted = Wanted(line.points, line.spacing, asked.least, asked.frames or 0, even, keep, back, 2.0)
    moves = Moves(steps.step, graph.leave, steps.enter, steps.over, steps.turn)
    at = np.array([*begin.position, begin.heading, 0.0])
    walkers = [Walker(int(n), at, Route(int(n), (), 1), 0.0, 0.0) for n in starts]
    best: Walker | None = None
    farthest, looked = walkers[0], 0
    report = progress or silent()
    while walkers and looked < budget:
        report(min(1.0, float(farthest.body[3]) / line.length), "searching for a path")
        moved: list[Walker] = []
        for w in walkers:
            ways = offered(w.node)
            looked += int(ways.frames.sum())
            rows = try_ways(moves, wanted, w.node, ways.first, ways.taken, ways.frames, w.body, w.route.frames - 1)
            moved += _moved(graph, asked, w, ways, rows, width)
        arrived = [w for w in moved if w.done]
        best = min(arrived + ([] if best is None else [best]), key=lambda w: w.rank, default=None)
        limit = np.inf if best is None else best.rank
        walkers = _nearest([w for w in moved if not w.done and w.rank < limit], width)
        farthest = max([farthest, *walkers], key=lambda w: float(w.body[3]))
    last = farthest if best is None else best
    along = min(float(last.body[3]), line.length)
    return Found(last.route, best is not None, along, last.cost, looked, looked >= budget)


def _moved(graph: Graph, asked: Asked, w: Walker, ways: Ways, rows: Any, width: int) -> list[Walker]:
    """A walker after each of its best ways that may be gone, at most 2 `width` of them."""
    from motionloom.methods.two_level_graph._kernels_sketch import (
        AHEAD,
        COST,
        GONE,
        HALTED,
        NODE,
        USED,
        WHOLE,
        X,
        Z,
    )

    shown = w.route.frames - 1
    halted = rows[:, HALTED] > 0
    frames = w.route.frames + rows[:, GONE].astype(int)
    cost = w.cost + rows[:, COST]
    done = halted if asked.frames is None else frames >= asked.frames
    arrival = ((rows[:, X : Z + 1] - asked.line.points[-1]) ** 2).sum(1)
    rank = (w.cost + rows[:, WHOLE] + rows[:, AHEAD]) / (shown + ways.frames)
    rank = np.where(done, cost / np.maximum(1, frames - 1) + arrival, rank)
    out: list[Walker] = []
    for c in np.argsort(rank, kind="stable"):
        taken = tuple(ways.taken[ways.first[c] : ways.first[c] + int(rows[c, USED])].tolist())
        part = Route(w.node, taken, int(rows[c, GONE]) + 1)
        if asked.alive is not None and not _allowed(graph, asked.alive, shown, part):
            continue
        total = min(int(frames[c]), asked.frames or int(frames[c]))
        route = Route(w.route.start, w.route.taken + taken, total)
        out.append(Walker(int(rows[c, NODE]), rows[c, :4], route, float(cost[c]), float(rank[c]), bool(done[c])))
        if len(out) == 2 * width:
            break
    return out


def _allowed(graph: Graph, alive: Reachable, shown: int, route: Route) -> bool:
    """May all frames that a route shows purely be shown then? What lies beyond the end is not asked."""
    at = shown
    for s in stretches(graph, route):
        if s.transition < 0:
            times = np.arange(at, min(at + s.frames, len(alive.bits)))
            nodes = s.frame + np.arange(len(times))
            if not alive.has_all(times, nodes):
                return False
        at += s.frames
    return True


def _nearest(walkers: list[Walker], width: int) -> list[Walker]:
    """The best `width`; of those at one frame of the graph and in one place, the best."""
    out: dict[tuple[int, int, int, int], Walker] = {}
    for w in sorted(walkers, key=lambda w: w.rank):
        cell = np.floor(w.body[:2] / SAME).astype(int)
        out.setdefault((w.node, w.route.frames, int(cell[0]), int(cell[1])), w)
        if len(out) == width:
            break
    return list(out.values())
