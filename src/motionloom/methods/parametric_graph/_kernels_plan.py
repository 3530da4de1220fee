"""Plans of the turns that lead to a commanded place, made over several ticks. No checks.

A row of `state.plan` is the turn that was decided and a search for the next one: where its courses start, its goal,
how many first turns it has tried, and the best of them. In a tick, a search tries so many that it takes `PLANNING`.
Until the first plan to a goal is complete, the best turn so far counts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle
from motionloom.methods._kernels_live import FACING, PLACE_X, PLACE_Z
from motionloom.methods.parametric_graph._kernels_course import FIRST_TURNS, NEAR, NEAR_TURN, one_step, try_turns
from motionloom.methods.parametric_graph._kernels_show import HALF_LIFE

PLANNING = 0.1  # s from one plan to the next
TURN, KNOWN, NODE, DONE, COST, FOUND, TRIED, START = range(8)  # columns; KNOWN: 1 if the turn is that of a whole plan
GOAL = START + 5  # x, z and heading or NaN


@kernel
def turns_of_tick(tick: float) -> int:
    """How many first turns a search tries in a tick."""
    return math.ceil(FIRST_TURNS * tick / PLANNING)


@kernel
def forget_plan(row: Any) -> None:
    """Begin with a new search."""
    row[KNOWN] = row[DONE] = 0.0


@kernel
def renew_goal(row: Any, m: int, given: Any) -> None:
    """Forget the plan and the search if they are for another node or for a goal that is not near the commanded one."""
    x, z, facing = given[PLACE_X], given[PLACE_Z], given[FACING]
    same = row[NODE] == m and math.hypot(x - row[GOAL], z - row[GOAL + 1]) <= NEAR
    if math.isnan(facing) or math.isnan(row[GOAL + 2]):
        same = same and math.isnan(facing) and math.isnan(row[GOAL + 2])
    else:
        same = same and abs(wrap_angle(facing - row[GOAL + 2])) <= NEAR_TURN
    if not same:
        forget_plan(row)


@kernel
def begin_search(row: Any, m: int, given: Any, place: Any, course: float, now: float, held: Any) -> None:
    """A search from a place (row; x, z, heading), the course and turn there, and the velocity `held` of the hips."""
    row[NODE], row[DONE], row[COST], row[FOUND] = m, 0.0, np.inf, now
    row[START], row[START + 1], row[START + 2], row[START + 3] = place[1], place[2], course, now
    row[START + 4] = math.cos(course) * held[0] - math.sin(course) * held[1]
    row[GOAL], row[GOAL + 1], row[GOAL + 2] = given[PLACE_X], given[PLACE_Z], given[FACING]


@kernel
def continue_search(curves: Any, row: Any, half_life: float, tick: float) -> None:
    """The work of a tick. When all first turns are tried, the best is the turn of the plan."""
    done = int(row[DONE])
    last = min(done + turns_of_tick(tick), FIRST_TURNS)
    start, goal = row[START : START + 5], row[GOAL : GOAL + 3]
    row[COST], row[FOUND] = try_turns(curves, start, goal, half_life, done, last, row[COST], row[FOUND])
    row[TRIED] += last - done
    row[DONE] = last
    if last == FIRST_TURNS:
        row[TURN], row[KNOWN], row[DONE] = row[FOUND], 1.0, 0.0


@kernel
def half_life_of(t: Any, state: Any, k: int, m: int) -> float:
    """s of the changes that a plan for node m counts on; 0 where turns are set once for each clip."""
    edge = t.hop[m, m]
    follows = t.meta[m, 2] == 1 and edge >= 0 and t.edge_target[edge] == m
    return state.tuning[k, HALF_LIFE] if follows else 0.0


@kernel
def planned(
    t: Any, state: Any, k: int, m: int, given: Any, place: Any, course: float, now: float, tick: float, within: bool
) -> float:  # fmt: skip
    """The turn (rad) towards the commanded place, after the work of a tick on the plan; without one, the best so far.

    `within` a clip, plans are made all the time, each from where its search will be complete; else one is made for the
    next clip, of node m, whose transition will be at a place.
    """
    row, half_life = state.plan[k], half_life_of(t, state, k, m)
    renew_goal(row, m, given)
    if within or row[KNOWN] == 0.0:
        if row[DONE] == 0.0:
            begin_search(row, m, given, place, course, now, state.held[k])
            ticks = math.ceil(FIRST_TURNS / turns_of_tick(tick)) - 1
            if within and ticks > 0:
                target = row[TURN] if row[KNOWN] > 0.0 else now
                one_step(t.curves[m], row[START : START + 5], target, half_life, ticks * tick)
        continue_search(t.curves[m], row, half_life, tick)
    return row[TURN] if row[KNOWN] > 0.0 else row[FOUND]
