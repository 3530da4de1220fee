"""Beam search for a route along a line: many candidates advance side by side and the best are kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.constraints import Start
from motionloom.core import FloatArray, IntArray, Progress, silent
from motionloom.core.progress import watch
from motionloom.methods.graph.graph import Route
from motionloom.methods.graph.query.goal import GroundGoal
from motionloom.methods.graph.search.moves import GroundMoves
from motionloom.methods.graph.search.result import SearchResult

TRANSITION_COST = 0.001  # m^2 along a metre: least cost of a transition
DISTANCE_COST = 0.002  # added for a transition between the most distant frames
SPEED_COST = 0.1  # for a transition with a speed gap of 1 m/s, on a path of weight 1
SCHEDULED_WIDTH_FACTOR = 2  # wider beam with labels or poses, where most of the nearest candidates lead elsewhere
MAX_CROWDING = 4  # times the even share of candidates that one graph frame may have; at least two


def search_beam(
    moves: GroundMoves,
    goal: GroundGoal,
    begin: Start,
    starts: IntArray,
    bits: Any,
    *,
    width: int,
    least: float,
    look: int,
    budget: int,
    transition_cost: float = 1.0,
    steadiness: float = 0.0,
    free_angle: float = np.pi,
    extra_costs: FloatArray | None = None,
    progress: Progress | None = None,
) -> SearchResult:
    """The best route found by a beam of `width` candidates that advance at least `least` metres a frame.

    With labels or poses the beam is twice as wide. `look`: frames ahead along each candidate's clip from which the
    remaining cost is estimated. `transition_cost`: factor on the costs of transitions. `steadiness`: factor on
    the cost of changes of speed that the clips do not show. `free_angle`: rad that the body may face away from the
    line at no cost. `extra_costs`: (T,) added to those of the graph's transitions.
    """
    from motionloom.methods.graph.search._kernels_beam import BeamMoves, BeamTask, beam, level_count

    costs = transition_cost * (TRANSITION_COST + DISTANCE_COST * moves.distance**2)
    costs = costs + steadiness * SPEED_COST * min(1.0, float(goal.weight.mean())) * moves.speed_gap**2
    costs = costs if extra_costs is None else costs + extra_costs[moves.number]
    step = np.concatenate([moves.step, moves.outlook(look)], 1)
    price = np.stack([costs, moves.walked], 1)
    arrays = BeamMoves(step, moves.goes_on, moves.first_out, moves.enter, moves.over, price)
    line = goal.line
    width = SCHEDULED_WIDTH_FACTOR * width if len(bits) else width
    same = max(2, round(MAX_CROWDING * width / max(1, int(moves.goes_on.sum()))))
    task = BeamTask(
        np.column_stack([line.points, line.heading, goal.weight]),
        line.spacing,
        goal.clock,
        goal.pace_weight,
        goal.circles,
        goal.parts,
        goal.frame_costs,
        goal.usual_step,
        bits,
        np.array([*line.points[-1], goal.last[0], goal.last[2], goal.last[1]]),
        least,
        goal.frames,
        goal.timed,
        look,
        free_angle,
    )
    at = np.array([*begin.position, begin.heading, 0.0])
    report, done = progress or silent(), np.zeros(1, np.int64)
    own = (arrays, task, starts, at, width, same, budget, report.stop, done)
    start, taken, frames, reached, cost, along, expanded, spent = watch(
        report, "searching for a path", beam, *own, units=int(level_count(task)), done=done
    )
    route = Route(int(start), tuple(moves.number[taken].tolist()), int(frames) + 1)
    return SearchResult(route, bool(reached), float(along), float(cost), int(expanded), bool(spent))
