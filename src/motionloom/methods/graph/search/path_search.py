"""The search for a way that follows a line: incremental branch and bound (GUAN 2.4.1), and a beam over all of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints import Start
from motionloom.core import IntArray, Progress, silent
from motionloom.core.progress import watch
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.graph.graph import Route
from motionloom.methods.graph.query.goal import Goal
from motionloom.methods.graph.query.polyline import Line
from motionloom.methods.graph.search.moves import Steps

CHANGE = 0.001  # m^2 along a metre: what a transition costs at least
UNLIKE = 0.002  # and what one between the most unlike frames costs besides
WIDER = 2  # where labels or poses are asked for, most of the nearest bodies lead elsewhere: so many times as many go on
SHARE = 4  # bodies per graph frame, if they were spread evenly, that may be at one of them; at least two


class Found(NamedTuple):
    """A way through the graph, and how the search for it went."""

    route: Route
    arrived: bool  # did it get to the end of the line (or to the last frame)?
    along: float  # metres of the line that are behind it
    cost: float
    looked: int  # frames that the search looked at
    spent: bool  # did its budget keep it from looking at more?


class State(NamedTuple):
    """A body on its way: graph frame, place, heading, and metres along the line."""

    node: int
    x: float
    z: float
    heading: float
    s: float


def search_beam(
    steps: Steps,
    goal: Goal,
    begin: Start,
    starts: IntArray,
    bits: Any,
    *,
    width: int,
    least: float,
    look: int,
    budget: int,
    calm: float = 1.0,
    progress: Progress | None = None,
) -> Found:
    """The best way found when `width` bodies go along the line side by side; `least` metres of it pass each frame.

    Twice as many where labels or poses are asked for. `calm`: how much transitions are avoided. `look`: frames that it
    looks ahead along each body's clip, to guess where that leads.
    """
    from motionloom.methods.graph.search._kernels_beam import Moves, Task, beam, level_count

    dear = np.stack([calm * (CHANGE + UNLIKE * steps.distance**2), steps.walked], 1)
    step = np.concatenate([steps.step, steps.soon(look)], 1)
    moves = Moves(step, steps.goes_on, steps.first_out, steps.enter, steps.over, dear)
    line = goal.line
    width = WIDER * width if len(bits) or len(goal.fines) else width
    same = max(2, round(SHARE * width / max(1, int(steps.goes_on.sum()))))
    task = Task(
        np.column_stack([line.points, line.heading, goal.weight]),
        line.spacing,
        goal.clock,
        goal.hurry,
        goal.circles,
        goal.parts,
        goal.fines,
        bits,
        np.array([*line.points[-1], goal.last[0], goal.last[2], goal.last[1]]),
        least,
        goal.frames,
        goal.timed,
        look,
    )
    at = np.array([*begin.position, begin.heading, 0.0])
    report, done = progress or silent(), np.zeros(1, np.int64)
    own = (moves, task, starts, at, width, same, budget, report.stop, done)
    start, taken, frames, reached, cost, along, looked, spent = watch(
        report, "searching for a path", beam, *own, units=int(level_count(task)), done=done
    )
    route = Route(int(start), tuple(steps.number[taken].tolist()), int(frames) + 1)
    return Found(route, bool(reached), float(along), float(cost), int(looked), bool(spent))


def search_step_by_step(
    steps: Steps,
    goal: Goal,
    begin: Start,
    starts: IntArray,
    bits: Any,
    *,
    ahead: int,
    keep: int,
    least: float,
    budget: int,
    progress: Progress | None = None,
) -> Found:
    """GUAN 2.4.1: the best way of n = `ahead` frames by branch and bound, of which m = `keep` are kept; and again.

    It halts when the path's length is behind it. The budget is shared out evenly over the searches that the path will
    need at most; the first one, which also chooses the start, may use a quarter of it.
    """
    from motionloom.methods.graph.search._kernels_bound import branch_and_bound

    line, labels = goal.line, (goal.parts, goal.fines)
    now = State(-1, *begin.position, begin.heading, 0.0)
    start, taken, frames, total, looked, spent, arrived = -1, [], 0, 0.0, 0, False, False
    share = budget // 4
    report = progress or silent()
    while not arrived:
        report(min(1.0, now.s / line.length), "searching for a path")
        nodes = starts if now.node < 0 else np.array([now.node])
        at = np.array([now.x, now.z, now.heading, now.s])
        arrays = (steps.step, steps.goes_on, steps.first_out, steps.enter, steps.over)
        task = (line.points, line.spacing, nodes, at, frames, bits, *labels, ahead, least, max(share, 1), report.stop)
        first, way, count, done, cost, seen = watch(report, "searching for a path", branch_and_bound, *arrays, *task)
        looked, spent = looked + int(seen), spent or seen >= share
        if not np.isfinite(cost):
            break
        start = int(first) if start < 0 else start
        now = now._replace(node=int(first)) if now.node < 0 else now
        kept = int(count) if done else min(keep, int(count))
        now, used, kept = advanced(steps, line, now, way, kept, least)
        taken += way[:used].tolist()
        frames, total, arrived = frames + kept, total + float(cost), bool(done)
        share = max((budget - looked) // max(1, round((line.length - now.s) / 1.0)), budget // 200)
        if looked > 2 * budget:
            break
    route = Route(start, tuple(steps.number[np.array(taken, np.int64)].tolist()), frames + 1)
    return Found(route, arrived, min(now.s, line.length), total, looked, spent)


def advanced(
    steps: Steps, line: Line, state: State, taken: IntArray, frames: int, least: float
) -> tuple[State, int, int]:
    """Where a body is after `frames` frames along transitions `taken`: state, transitions begun, frames gone.

    A transition that is being blended then is gone through to its end, unless it ends the way.
    """
    node, x, z, h, s = state
    used = gone = 0
    end = line.length - 1e-9
    while gone < frames:
        e = int(taken[used]) if used < len(taken) else -1
        if e >= 0 and steps.first_out[node] <= e < steps.first_out[node + 1]:
            for q in ground_turn(h, steps.over[e, :, :2]) + np.array([x, z]):
                s += max(least, float(np.hypot(q[0] - x, q[1] - z)))
                x, z, gone = float(q[0]), float(q[1]), gone + 1
                if s >= end and gone >= frames:
                    break
            node, h, used = int(steps.enter[e]), h + float(steps.over[e, -1, 2]), used + 1
        else:
            dx, dz = ground_turn(h, steps.step[node, :2])
            s += max(least, float(np.hypot(dx, dz)))
            x, z, h, node, gone = x + float(dx), z + float(dz), h + float(steps.step[node, 2]), node + 1, gone + 1
    return State(node, x, z, h, s), used, gone
