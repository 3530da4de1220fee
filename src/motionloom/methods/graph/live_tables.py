"""What a step of a live graph character needs, worked out once: where every frame and transition leads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, NoPath
from motionloom.kinematics.feet.contacts import contact_array
from motionloom.kinematics.travel import headings, steady_travel
from motionloom.methods.actions import UInt64Array, action_bits, action_marks, action_names, speed_ranges
from motionloom.methods.graph.build.prune import component
from motionloom.methods.graph.graph import Graph
from motionloom.rotation.angles import wrap_angle

BINS = 24  # directions of travel that are told apart
SPEEDS = 6  # speeds that are told apart
AHEAD = 3.0  # s: what happens so much later counts e times less
SWEEPS = 200  # of value iteration at most
PENALTY = 0.5  # rad for one tick: what the most alike transition costs; the average one twice that
OUTSIDE = 2.0  # rad for one tick: what a frame without the commanded action costs
USUALLY = 1.0  # s between transitions of a random walk


class Tables(NamedTuple):
    """N frames and the T transitions among them that can be walked for ever, as the kernels take them."""

    place: FloatArray  # (N, 2) m, without the sway of the hips, in each clip's own coordinates
    course: FloatArray  # (N,) rad, direction of travel
    root: FloatArray  # (N, 3) m
    hips_heading: FloatArray  # (N,) rad
    rotations: FloatArray  # (N, J, 4)
    contacts: BoolArray  # (N, P)
    goes_on: BoolArray  # (N,) can the next frame of the clip be shown?
    exit_end: IntArray  # (N,) the last frame that can be shown from here on and has a transition; -1: none
    first_out: IntArray  # (N + 1,) transitions first_out[n] .. first_out[n + 1] - 1 leave at frame n
    leave: IntArray  # (T,)
    enter: IntArray  # (T,)
    turn: FloatArray  # (T,) how the clip that is entered lies on the one that is left
    shift: FloatArray  # (T, 2)
    unlike: FloatArray  # (T,) how unlike the joined frames are: 0 for the most alike, 1 on average
    alpha: FloatArray  # (2 half - 1,) share of the clip that is entered in each frame of a blend
    labels: UInt64Array  # (N,) bits of the actions that a frame belongs to
    speeds: FloatArray  # (A + 1, 3) m/s: lowest, usual and highest of each action, and of all frames
    radius: float  # m: of the circles that bodies walk where they turn
    rate: float  # chance of a random walk to take a transition, where it comes by one
    discount: float  # of the costs a tick later
    penalty: FloatArray  # (T,) cost of a transition: where two are as good, the more alike frames are joined
    heading_value: FloatArray  # (N, B) cost of following a direction of travel that lies 2 pi b / B to the left
    speed_bins: FloatArray  # (S,) m/s
    speed_cost: FloatArray  # (N, S) of a tick: how far off the speed is, as a share of the usual one
    speed_value: FloatArray  # (N, S)
    action_cost: FloatArray  # (N, A) of a tick: does the frame not belong to the action?
    action_value: FloatArray  # (N, A)


def build_tables(graph: Graph) -> tuple[Tables, tuple[str, ...]]:
    """The tables of a graph, and the names of its actions. `NoPath` if no walk goes on for ever."""
    clips, t = graph.clips, graph.transitions
    inside = component(graph)
    if not inside.any():
        raise NoPath("the clips do not form a loop, so no live character can walk on for ever in them")
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
    penalty = PENALTY * (1.0 + unlike)
    discount = 1.0 - 1.0 / (AHEAD * clips[0].fps)
    plan = _Planner(goes_on, first_out, enter, penalty, graph.blend, discount)
    bins = np.abs(wrap_angle(np.arange(BINS) * 2 * np.pi / BINS))
    turns = wrap_angle(np.append(np.diff(course), 0.0)), wrap_angle(course[enter] + t.turn[use] - course[leave])
    speeds = speed_ranges(speed, marks, inside)
    speed_bins = np.linspace(speeds[-1, 0], speeds[-1, 2], SPEEDS)
    speed_cost = np.abs(speed[:, None] - speed_bins) / max(float(speeds[-1, 1]), 0.2)
    action_cost = np.ascontiguousarray(OUTSIDE * ~marks.T)
    tables = Tables(
        place,
        course,
        np.concatenate([clip.root for clip in clips]),
        np.concatenate([headings(clip) for clip in clips]),
        np.concatenate([clip.rotations for clip in clips]),
        np.concatenate([contact_array(clip) for clip in clips]),
        goes_on,
        _exit_end(goes_on, inside, leave),
        first_out,
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
    """The graph as value iteration takes it."""

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
        for _ in range(SWEEPS if cost.size else 0):
            if improve(value, cost, turn, over, *self) < 0.01:
                break
        return value


def _rate(leave: IntArray, inside: BoolArray, fps: float) -> float:
    """A random walk takes a transition every `USUALLY` seconds: by how often it comes by a frame that has some."""
    return min(1.0, inside.sum() / max(len(np.unique(leave)), 1) / (USUALLY * fps))


def _turning(heading: FloatArray, going: BoolArray, fps: float) -> float:
    """The 90th percentile of turn rates."""
    rate = np.abs(np.append(np.diff(heading), 0.0)[going]) * fps
    return max(float(np.percentile(rate, 90)) if len(rate) else 0.0, 0.3)
