"""Precomputed tables for live graph characters: displacements, costs and values of all frames and transitions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, NoPath
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import contact_array
from motionloom.kinematics.travel import headings, steady_travel
from motionloom.methods.graph.build.prune import largest_component, walkable_frames
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.render.blends import blends
from motionloom.methods.graph.search.speed_gaps import speed_gaps
from motionloom.methods.graph.search.steadiness import steady_weights
from motionloom.methods.live_actions import UInt64Array, action_bits, action_marks, action_names, speed_ranges
from motionloom.rotation.wrapping import wrap_angle

HEADING_BINS = 24  # directions of travel
SPEED_BINS = 6  # speeds
DISCOUNT_TIME = 3.0  # s after which costs are discounted by a factor of e
MAX_SWEEPS = 200  # of value iteration
TRANSITION_COST = 0.5  # rad for one tick: cost of the best transition; of the average one, twice as much
WRONG_ACTION_COST = 2.0  # rad for one tick: cost of a frame without the commanded action
STEADINESS = 1.0  # of random walks, see `steady_weights`
LEAST_STEADY = 1e-6  # least factor of steadiness
MAX_HELD_BLENDS = 20_000  # transitions of a graph whose live characters hold planted feet in blends
MEAN_BETWEEN_TRANSITIONS = 1.0  # s between transitions of a random walk


class GraphTables(NamedTuple):
    """Arrays for the kernels: the N frames and T transitions of a graph.

    Characters stay in the largest strongly connected component, unless they are ordered to leave it.
    """

    place: FloatArray  # (N, 2) m, without the sway of the hips, in each clip's own coordinates
    course: FloatArray  # (N,) rad, direction of travel
    root: FloatArray  # (N, 3) m
    hips_heading: FloatArray  # (N,) rad
    rotations: FloatArray  # (N, J, 4)
    contacts: BoolArray  # (N, P)
    starts: IntArray  # (S,) frames to begin at: those of the strongly connected component
    clip_of: IntArray  # (N,) number of the clip
    goes_on: BoolArray  # (N,) whether the next frame can be shown, and leads to no dead end
    exit_end: IntArray  # (N,) the last following frame of the clip that has a transition; -1: none
    first_out: IntArray  # (N + 1,) transitions first_out[n] .. first_out[n + 1] - 1 leave at frame n
    until_exit: IntArray  # (N,) frames to the next frame of the clip that has a transition; 0 where none follows
    leave: IntArray  # (T,)
    enter: IntArray  # (T,)
    turn: FloatArray  # (T,) alignment of the clip that is entered
    shift: FloatArray  # (T, 2)
    weight: FloatArray  # (T,) relative probability in a random walk; 0: never
    stay: FloatArray  # (N,) that of the next frame, 1 at a steady pace
    alpha: FloatArray  # (2 half - 1,) share of the clip that is entered in each frame of a blend
    blend_root: FloatArray  # (T, 2 half - 1, 3) m, in the coordinates of the clip that is left; (0, ...): not held
    legs: IntArray  # (L,) joints of the legs
    blend_legs: FloatArray  # (T, 2 half - 1, L, 4) rotations that hold planted feet
    labels: UInt64Array  # (N,) bits of the actions that a frame belongs to
    speeds: FloatArray  # (A + 1, 3) m/s: lowest, usual and highest of each action, and of all frames
    radius: float  # m: of the circles that bodies walk where they turn
    rate: float  # of transitions against the next frame in a random walk, where both are equally good
    second: int  # ticks
    discount: float  # of costs, per tick
    penalty: FloatArray  # (T,) cost of a transition, larger between distant frames; infinite: never taken
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
    walkable = walkable_frames(graph)
    leave, enter = graph.leave, graph.enter
    use = walkable[leave] & walkable[enter] & (inside[enter] | ~inside[leave])
    same_clip = np.append(graph.clip_of[:-1] == graph.clip_of[1:], False)
    goes_on = same_clip & walkable & np.append(walkable[1:] & (inside[1:] | ~inside[:-1]), False)
    exits = np.isin(np.arange(graph.count), leave[use])
    tracks = [steady_travel(clip) for clip in clips]
    place = np.concatenate([track.place for track in tracks])
    velocity = np.concatenate([_velocity(track.place, clip.fps) for track, clip in zip(tracks, clips, strict=True)])
    heading = np.concatenate([track.heading for track in tracks])
    speed = np.linalg.norm(velocity, axis=1)
    names = tuple(n for n in action_names(clips) if (action_marks(clips, [n]) & inside).any())
    marks = action_marks(clips, names)
    least = t.distance[use].min()
    unlike = np.where(use, (t.distance - least) / max(float(t.distance[use].mean() - least), 1e-12), np.inf)
    steady = steady_weights(graph, speed_gaps(graph), walkable, use, STEADINESS)
    assert steady is not None
    course = np.where(speed > 0.2, np.arctan2(velocity[:, 0], velocity[:, 1]), heading)
    exit_end = _exit_end(goes_on, walkable, exits)
    penalty = TRANSITION_COST * (1.0 + unlike)
    discount = 1.0 - 1.0 / (DISCOUNT_TIME * clips[0].fps)
    plan = _Planner(goes_on, graph.first_out, enter, penalty, graph.blend, discount)
    bins = np.abs(wrap_angle(np.arange(HEADING_BINS) * 2 * np.pi / HEADING_BINS))
    turns = wrap_angle(np.append(np.diff(course), 0.0)), wrap_angle(course[enter] + t.turn - course[leave])
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
        np.flatnonzero(inside & (exit_end >= 0)),
        graph.clip_of,
        goes_on,
        exit_end,
        graph.first_out,
        _until_exit(goes_on, exits),
        leave,
        enter,
        np.array(t.turn),
        np.array(t.shift),
        np.exp(-unlike) * np.maximum(steady.take, LEAST_STEADY),
        np.maximum(steady.go, LEAST_STEADY),
        graph.weights,
        *_held_blends(graph),
        action_bits(marks),
        speeds,
        float(speeds[-1, 1]) / _turning(heading, inside & goes_on, clips[0].fps),
        _rate(exits & inside, inside, clips[0].fps),
        round(clips[0].fps),
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


def _held_blends(graph: Graph) -> tuple[FloatArray, IntArray, FloatArray]:
    """Hips and legs in the blends of all transitions, with planted feet held; none for a graph of linear blends.

    0.2 ms and 2.4 KB for a transition; more than `MAX_HELD_BLENDS` are not made: then live characters blend linearly.
    """
    skeleton = graph.clips[0].skeleton
    legs = np.array(sorted({j for foot in feet(skeleton) for j in (foot.thigh, foot.shin, foot.ankle)}), np.int64)
    held = np.arange(0 if graph.linear or len(graph.transitions) > MAX_HELD_BLENDS else len(graph.transitions))
    made = [blends(graph, part) for part in np.array_split(held, -(-len(held) // 500) or 1) if len(part)]
    if not made:
        return np.zeros((0, 0, 3)), legs, np.zeros((0, 0, len(legs), 4))
    root, rotations = np.concatenate([m.root for m in made]), [m.rotations[:, :, legs] for m in made]
    return root, legs, np.concatenate(rotations)


def _until_exit(goes_on: BoolArray, exits: BoolArray) -> IntArray:
    """(N,) frames from each frame to the next one with a transition, along its clip; 0 where none follows."""
    out = np.zeros(len(goes_on), np.int64)
    for n in range(len(goes_on) - 2, -1, -1):
        if not exits[n] and goes_on[n] and (out[n + 1] or exits[n + 1]):
            out[n] = out[n + 1] + 1
    return out


def _velocity(place: FloatArray, fps: float) -> FloatArray:
    return np.gradient(place, 1.0 / fps, axis=0) if len(place) > 1 else np.zeros_like(place)


def _exit_end(goes_on: BoolArray, walkable: BoolArray, exits: BoolArray) -> IntArray:
    out = np.full(len(goes_on), -1)
    for n in range(len(goes_on) - 1, -1, -1):
        if walkable[n]:
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


def _rate(exits: BoolArray, inside: BoolArray, fps: float) -> float:
    """The chance of taking a transition where there are some: one every `MEAN_BETWEEN_TRANSITIONS` seconds."""
    return min(1.0, inside.sum() / max(int(exits.sum()), 1) / (MEAN_BETWEEN_TRANSITIONS * fps))


def _turning(heading: FloatArray, going: BoolArray, fps: float) -> float:
    """The 90th percentile of turn rates."""
    rate = np.abs(np.append(np.diff(heading), 0.0)[going]) * fps
    return max(float(np.percentile(rate, 90)) if len(rate) else 0.0, 0.3)
