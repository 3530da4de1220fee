"""Precomputed tables for live graph characters: displacements, costs and values of all frames and transitions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, NoPath
from motionloom.kinematics.feet.contacts import contact_array
from motionloom.kinematics.travel import headings, steady_travel
from motionloom.methods.actions import UInt64Array, action_bits, action_marks, action_names, speed_ranges
from motionloom.methods.graph.build.prune import largest_component
from motionloom.methods.graph.graph import Graph
from motionloom.rotation.wrapping import wrap_angle

HEADING_BINS = 24  # directions of travel
SPEED_BINS = 6  # speeds
DISCOUNT_TIME = 3.0  # s after which costs are discounted by a factor of e
MAX_SWEEPS = 200  # of value iteration
TRANSITION_COST = 0.5  # rad for one tick: cost of the best transition; of the average one, twice as much
WRONG_ACTION_COST = 2.0  # rad for one tick: cost of a frame without the commanded action
MEAN_BETWEEN_TRANSITIONS = 1.0  # s between transitions of a random walk


class GraphTables(NamedTuple):
    """Arrays for the kernels: N frames and the T transitions of the strongly connected component."""

    place: FloatArray  # (N, 2) m, without the sway of the hips, in each clip's own coordinates
    course: FloatArray  # (N,) rad, direction of travel
    root: FloatArray  # (N, 3) m
    hips_heading: FloatArray  # (N,) rad
    rotations: FloatArray  # (N, J, 4)
    contacts: BoolArray  # (N, P)
    goes_on: BoolArray  # (N,) whether the next frame of the clip can be shown
    exit_end: IntArray  # (N,) the last following frame of the clip that has a transition; -1: none
    first_out: IntArray  # (N + 1,) transitions first_out[n] .. first_out[n + 1] - 1 leave at frame n
    until_exit: IntArray  # (N,) frames to the next frame of the clip that has a transition; 0 where none follows
    leave: IntArray  # (T,)
    enter: IntArray  # (T,)
    turn: FloatArray  # (T,) alignment of the clip that is entered
    shift: FloatArray  # (T, 2)
    unlike: FloatArray  # (T,) distance of the joined frames, scaled: 0 for the least, 1 on average
    alpha: FloatArray  # (2 half - 1,) share of the clip that is entered in each frame of a blend
    labels: UInt64Array  # (N,) bits of the actions that a frame belongs to
    speeds: FloatArray  # (A + 1, 3) m/s: lowest, usual and highest of each action, and of all frames
    radius: float  # m: of the circles that bodies walk where they turn
    rate: float  # probability of a transition at a frame that has one, in a random walk
    discount: float  # of costs, per tick
    penalty: FloatArray  # (T,) cost of a transition, larger between distant frames
    heading_value: FloatArray  # (N, B) cost of following a direction of travel 2 pi b / B to the left
    speed_bins: FloatArray  # (S,) m/s
    speed_cost: FloatArray  # (N, S) of a tick: deviation from the speed, as a share of the usual one
    speed_value: FloatArray  # (N, S)
    action_cost: FloatArray  # (N, A) of a tick: for frames that do not belong to the action
    action_value: FloatArray  # (N, A)


def build_tables(graph: Graph) -> tuple[GraphTables, tuple[str, ...]]:
    """The tables of a graph, and the names of its actions. `NoPath` if the clips form no loop."""
    clips, t = graph.clips, graph.transitions
    inside = largest_component(graph)
    if not inside.any():
        raise NoPath("the clips do not form a loop, so there are no live characters")
    use = inside[graph.leave] & inside[graph.enter]
    leave, enter = graph.leave[use], graph.enter[use]
    goes_on = np.append(inside[:-1] & inside[1:] & (graph.clip_of[:-1] == graph.clip_of[1:]), False)
    tracks = [steady_travel(clip) for clip in clips]
    place = np.concatenate([track.place for track in tracks])
    velocity = np.concatenate([_velocity(track.place, clip.fps) for track, clip in zip(tracks, clips, strict=True)])
    heading = np.concatenate([track.heading for track in tracks])
    speed = np.linalg.norm(velocity, axis=1)
    names = tuple(n for n in action_names(clips) if (action_marks(clips, [n]) & inside).any())
    marks = action_marks(clips, names)
    distance = t.distance[use]
    unlike = (distance - distance.min()) / max(float(distance.mean() - distance.min()), 1e-12)
    course = np.where(speed > 0.2, np.arctan2(velocity[:, 0], velocity[:, 1]), heading)
    first_out = np.searchsorted(leave, np.arange(graph.count + 1))
    penalty = TRANSITION_COST * (1.0 + unlike)
    discount = 1.0 - 1.0 / (DISCOUNT_TIME * clips[0].fps)
    plan = _Planner(goes_on, first_out, enter, penalty, graph.blend, discount)
    bins = np.abs(wrap_angle(np.arange(HEADING_BINS) * 2 * np.pi / HEADING_BINS))
    turns = wrap_angle(np.append(np.diff(course), 0.0)), wrap_angle(course[enter] + t.turn[use] - course[leave])
    speeds = speed_ranges(speed, marks, inside)
    speed_bins = np.linspace(speeds[-1, 0], speeds[-1, 2], SPEED_BINS)
    speed_cost = np.abs(speed[:, None] - speed_bins) / max(float(speeds[-1, 1]), 0.2)
    action_cost = np.ascontiguousarray(WRONG_ACTION_COST * ~marks.T)
    tables = GraphTables(
        place,
        course,
        np.concatenate([clip.root for clip in clips]),
        np.concatenate([headings(clip) for clip in clips]),
        np.concatenate([clip.rotations for clip in clips]),
        np.concatenate([contact_array(clip) for clip in clips]),
        goes_on,
        _exit_end(goes_on, inside, leave),
        first_out,
        _until_exit(goes_on, first_out),
        leave,
        enter,
        t.turn[use],
        np.ascontiguousarray(t.shift[use]),
        unlike,
        graph.weights,
        action_bits(marks),
        speeds,
        float(speeds[-1, 1]) / _turning(heading, inside & goes_on, clips[0].fps),
        _rate(leave, inside, clips[0].fps),
        discount,
        penalty,
        plan.value(np.tile(bins, (graph.count, 1)), turns),
        speed_bins,
        speed_cost,
        plan.value(speed_cost),
        action_cost,
        plan.value(action_cost),
    )
    return tables, names


def _until_exit(goes_on: BoolArray, first_out: IntArray) -> IntArray:
    """(N,) frames from each frame to the next one with a transition, along its clip; 0 where none follows."""
    out = np.zeros(len(goes_on), np.int64)
    for n in range(len(goes_on) - 2, -1, -1):
        if first_out[n] == first_out[n + 1] and goes_on[n] and (out[n + 1] or first_out[n + 1] < first_out[n + 2]):
            out[n] = out[n + 1] + 1
    return out


def _velocity(place: FloatArray, fps: float) -> FloatArray:
    return np.gradient(place, 1.0 / fps, axis=0) if len(place) > 1 else np.zeros_like(place)


def _exit_end(goes_on: BoolArray, inside: BoolArray, leave: IntArray) -> IntArray:
    out = np.full(len(goes_on), -1)
    exits = np.zeros(len(goes_on), bool)
    exits[leave] = True
    for n in range(len(goes_on) - 1, -1, -1):
        if inside[n]:
            later = out[n + 1] if goes_on[n] else -1
            out[n] = later if later >= 0 else (n if exits[n] else -1)
    return out


class _Planner(NamedTuple):
    """The graph for value iteration."""

    goes_on: BoolArray
    first_out: IntArray
    enter: IntArray
    penalty: FloatArray
    blend: int
    discount: float

    def value(self, cost: FloatArray, turns: tuple[FloatArray, FloatArray] | None = None) -> FloatArray:
        """(N, B) the least discounted sum of costs from each frame on, by value iteration to 1 % of a tick's cost."""
        from motionloom.methods.graph._kernels_live import improve

        value = np.zeros_like(cost)
        nothing = np.zeros(0)
        turn, over = (nothing, nothing) if turns is None else (part * cost.shape[1] / (2 * np.pi) for part in turns)
        for _ in range(MAX_SWEEPS if cost.size else 0):
            if improve(value, cost, turn, over, *self) < 0.01:
                break
        return value


def _rate(leave: IntArray, inside: BoolArray, fps: float) -> float:
    """The chance of taking a transition where there are some: one every `MEAN_BETWEEN_TRANSITIONS` seconds."""
    return min(1.0, inside.sum() / max(len(np.unique(leave)), 1) / (MEAN_BETWEEN_TRANSITIONS * fps))


def _turning(heading: FloatArray, going: BoolArray, fps: float) -> float:
    """The 90th percentile of turn rates."""
    rate = np.abs(np.append(np.diff(heading), 0.0)[going]) * fps
    return max(float(np.percentile(rate, 90)) if len(rate) else 0.0, 0.3)
