"""What a live character of a parametric graph does next: the edge and the parameters for its commands. No checks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle
from motionloom.methods._kernels_live import ACTION, FACING, HEADING, PLACE_X, PLACE_Z, SPEED, uniform
from motionloom.methods.parametric_graph._kernels_body import SIZE, lookup

ARRIVAL = 0.4  # m: within this distance of a place, no direction is preferred
SHORT = 0.2  # m: how much farther from a place than by half a stride characters stay standing
CANDIDATES = 9  # turns before which the error is looked at
INSIDE = 0.01  # of the range: how near to a part of a node parameters count as inside
NEAR = 1.5  # m: within about this distance, the greedy rule heeds the heading on arrival
TURN, FACTOR, LEAST, LARGEST, PACE, SLOWEST, FASTEST = range(7)  # columns of `steer`


@kernel
def commanded(given: Any) -> bool:
    """Whether there is any command."""
    return (
        given[ACTION] >= 0
        or not math.isnan(given[HEADING])
        or not math.isnan(given[SPEED])
        or not math.isnan(given[PLACE_X])
    )


@kernel
def wanted_node(t: Any, n: int, given: Any, place: Any) -> Any:
    """The node that the commands ask for from node n: the action, or one that can turn and has the speed.

    At a commanded place it is the node that stays, if there is one; the distance in which one stops is counted in.
    """
    if given[ACTION] >= 0:
        return np.int64(given[ACTION])
    if t.stay >= 0 and not math.isnan(given[PLACE_X]):
        far = math.hypot(given[PLACE_X] - place[1], given[PLACE_Z] - place[2])
        stands = t.steer[n, TURN] < 0  # a clip more would not bring it nearer
        if far < (max(ARRIVAL, 0.5 * t.stride + SHORT) if stands else t.stopping + 0.5 * t.stride):
            return t.stay
    best, found = np.inf, n
    for m in range(len(t.dims)):
        if t.steer[m, TURN] < 0 or (m != n and t.hop[n, m] < 0):
            continue
        off = 0.0 if m == n else 0.01
        if not math.isnan(given[SPEED]):
            off += abs(given[SPEED] - min(max(given[SPEED], t.steer[m, SLOWEST]), t.steer[m, FASTEST]))
        elif t.hop[n, m] >= 0 and t.edge_target[t.hop[n, m]] != m:
            off += 0.01  # not at once
        if off < best:
            best, found = off, m
    return found


@kernel
def leaves_from(t: Any, e: int, used: Any) -> bool:
    """Whether edge e can be taken from parameters of its source: always, unless the source is split."""
    for d in range(t.dims[t.edge_source[e], SIZE]):
        if used[d] < t.edge_within[e, 0, d] - INSIDE or used[d] > t.edge_within[e, 1, d] + INSIDE:
            return False
    return True


@kernel
def wanted_edge(t: Any, n: int, given: Any, place: Any, used: Any, seed: Any, draw: Any) -> Any:
    """The edge that leads to what the commands ask for; without any, a random one.

    Where that edge leaves from a part of node n that the parameters are not in, it is the node's own edge.
    """
    first, count = t.first_out[n], t.first_out[n + 1] - t.first_out[n]
    if not commanded(given):
        drawn = min(np.int64(uniform(seed, draw) * count), count - 1)
        for i in range(count):
            if leaves_from(t, first + (drawn + i) % count, used):
                return first + (drawn + i) % count
        return first + drawn
    edge = t.hop[n, wanted_node(t, n, given, place)]
    if edge < 0:
        edge = first
    own = t.hop[n, n]
    if own >= 0 and t.edge_target[own] == n and not leaves_from(t, edge, used):
        return own
    return edge


@kernel
def towards_part(t: Any, m: int, given: Any, place: Any, out: Any) -> None:
    """Put parameters out (D,) of node m into the part from which the edge that is wanted next leaves."""
    if not commanded(given):
        return
    edge = t.hop[m, wanted_node(t, m, given, place)]
    if edge < 0 or t.edge_target[edge] == m:
        return
    for d in range(t.dims[m, SIZE]):
        low, high = t.edge_within[edge, 0, d], t.edge_within[edge, 1, d]
        out[d] = min(max(out[d], low), high)


@kernel
def course_error(given: Any, place: Any, course: float) -> float:
    """rad to turn to the commanded heading, or to the place, from a place and course; NaN where none is preferred."""
    if not math.isnan(given[PLACE_X]):
        x, z = given[PLACE_X] - place[1], given[PLACE_Z] - place[2]
        far = math.hypot(x, z)
        if math.isnan(given[FACING]):
            return math.nan if far < ARRIVAL else wrap_angle(math.atan2(x, z) - course)
        share = math.exp(-far / NEAR)  # greedy: the heading on arrival counts for more near the place
        to = 0.0 if far < 1e-6 else wrap_angle(math.atan2(x, z) - course)
        return (1.0 - share) * to + share * wrap_angle(given[FACING] - course)
    if not math.isnan(given[HEADING]):
        return wrap_angle(given[HEADING] - course)
    return math.nan


@kernel
def fewest_clips(error: float, least: float, largest: float) -> float:
    """The error or the error and whole turns, whichever takes fewer clips with turns between least and largest."""
    best, found = np.inf, error
    for turn in range(-1, 2):
        off = error + 2.0 * math.pi * turn
        most = largest if off > 0 else -least
        clips = math.ceil(abs(off) / most - 1e-9) if most > 1e-6 else (0.0 if abs(off) < 1e-9 else np.inf)
        if clips < best or (clips == best and abs(off) < abs(found)):
            best, found = clips, off
    return found


@kernel
def plans_turns(t: Any, m: int, given: Any, place: Any, course: float) -> bool:
    """Whether turns towards the commanded place are planned: there is a heading on arrival, or a turning circle
    around the place, which a path to it would circle without end."""
    if math.isnan(given[PLACE_X]):
        return False
    if not math.isnan(given[FACING]):
        return True
    radius = t.radii[m]
    for side in (-1.0, 1.0):
        x = given[PLACE_X] - (place[1] + side * radius * math.cos(course))
        z = given[PLACE_Z] - (place[2] - side * radius * math.sin(course))
        if math.hypot(x, z) < radius:
            return math.hypot(given[PLACE_X] - place[1], given[PLACE_Z] - place[2]) > ARRIVAL
    return False


@kernel
def gentle_turn(t: Any, m: int, error: float, low: float, high: float, values: Any, k: int) -> float:
    """The turn from low to high after which the error can be made good by the clip that follows it.

    What may follow a sharp turn is limited by the box of the node's own edge. values (D,): the other parameters.
    """
    edge = t.hop[m, m]
    if edge < 0 or t.edge_target[edge] != m:
        return error
    column = np.int64(t.steer[m, TURN])
    factor, middle, size = t.steer[m, FACTOR], t.scale[m, 0, column], t.scale[m, 1, column]
    below, above, trial = np.empty(t.low.shape[1]), np.empty(t.low.shape[1]), values.copy()
    best, found = np.inf, error
    for i in range(2 * CANDIDATES):
        turn = low + (high - low) * i / (2 * CANDIDATES - 2) if i < 2 * CANDIDATES - 1 else error
        turn = min(max(turn, low), high)
        trial[column] = (turn * factor - middle) / size
        lookup(t, edge, trial, k, below, above)
        left = error - turn
        least, most = (below[column] * size + middle) / factor, (above[column] * size + middle) / factor
        after = left - min(max(left, least), most)
        cost = abs(left) + 2.0 * abs(after)
        if cost < best - 1e-9:
            best, found = cost, turn
    return found


@kernel
def turn_of_clip(curve: Any, turn: float) -> float:
    """The turn (rad) that a clip needs so that the character, with the transition to the next, turns by `turn`.

    `curve` (M, 8), see `course_curves`.
    """
    last = len(curve) - 1
    if turn <= curve[0, 6]:
        return turn - curve[0, 6] + curve[0, 0]
    for i in range(last):
        if turn <= curve[i + 1, 6]:
            share = (turn - curve[i, 6]) / (curve[i + 1, 6] - curve[i, 6])
            return curve[i, 0] + share * (curve[i + 1, 0] - curve[i, 0])
    return turn - curve[last, 6] + curve[last, 0]


@kernel
def clip_turn(t: Any, m: int, given: Any, place: Any, course: float, clips: float) -> float:
    """The turn (rad) of a clip of node m towards what is commanded, NaN for none; `clips`: within so many clips."""
    error = course_error(given, place, course)
    if math.isnan(error):
        return error
    return fewest_clips(error, t.steer[m, LEAST], t.steer[m, LARGEST]) / clips
