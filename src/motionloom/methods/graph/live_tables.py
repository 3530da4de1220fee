"""What a step of a live graph character needs, worked out once: where every frame and transition leads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from motionloom.blend.transition import blend_weights
from motionloom.core import BoolArray, Clip, FloatArray, IntArray, NoPath
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.kinematics.travel import headings, steady_travel
from motionloom.methods.graph.core import Graph
from motionloom.methods.graph.prune import component

UInt64Array = NDArray[np.uint64]
ANY = np.uint64(1 << 63)  # the bit that every frame has
MOST_ACTIONS = 62
FAR = 10**6  # ticks: a label that cannot be reached


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
    without: IntArray  # (A + 1, N + 1) frames before each that do not belong to an action; the last row is 0
    ticks_to: IntArray  # (A + 1, N) to the next frame that belongs to it
    speeds: FloatArray  # (A + 1, 3) m/s: lowest, usual and highest of each action, and of all frames


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
    names = tuple(sorted({n for clip in clips for n in clip.label_names if ":" not in n and clip.label(n).any()}))
    marks = np.stack([np.concatenate([clip.label(n) for clip in clips]) for n in names]) if names else None
    marks = np.zeros((0, graph.count), bool) if marks is None else marks
    shown = [bool((row & inside).any()) for row in marks]
    names, marks = tuple(n for n, on in zip(names, shown, strict=True) if on), marks[np.array(shown, bool)]
    names, marks = names[:MOST_ACTIONS], marks[:MOST_ACTIONS]
    distance = t.distance[use]
    tables = Tables(
        place,
        np.where(speed > 0.2, np.arctan2(velocity[:, 0], velocity[:, 1]), heading),
        np.concatenate([clip.root for clip in clips]),
        np.concatenate([headings(clip) for clip in clips]),
        np.concatenate([clip.rotations for clip in clips]),
        np.concatenate([_contacts(clip) for clip in clips]),
        goes_on,
        _exit_end(goes_on, inside, leave),
        np.searchsorted(leave, np.arange(graph.count + 1)),
        leave,
        enter,
        t.turn[use],
        np.ascontiguousarray(t.shift[use]),
        (distance - distance.min()) / max(float(distance.mean() - distance.min()), 1e-12),
        blend_weights(graph.half),
        _bits(marks),
        _without(marks),
        _ticks_to(marks & inside, goes_on, leave, enter, graph.blend),
        _speeds(speed, inside, marks),
    )
    return tables, names


def _velocity(place: FloatArray, fps: float) -> FloatArray:
    return np.gradient(place, 1.0 / fps, axis=0) if len(place) > 1 else np.zeros_like(place)


def _contacts(clip: Clip) -> BoolArray:
    parts = foot_parts(clip.skeleton)
    return np.stack([clip.label(p.label) for p in parts], 1) if parts else np.zeros((len(clip), 0), bool)


def _exit_end(goes_on: BoolArray, inside: BoolArray, leave: IntArray) -> IntArray:
    out = np.full(len(goes_on), -1)
    exits = np.zeros(len(goes_on), bool)
    exits[leave] = True
    for n in range(len(goes_on) - 1, -1, -1):
        if inside[n]:
            later = out[n + 1] if goes_on[n] else -1
            out[n] = later if later >= 0 else (n if exits[n] else -1)
    return out


def _bits(marks: BoolArray) -> UInt64Array:
    out = np.full(marks.shape[1], ANY)
    for i, row in enumerate(marks):
        out |= row.astype(np.uint64) << np.uint64(i)
    return out


def _without(marks: BoolArray) -> IntArray:
    out = np.zeros((len(marks) + 1, marks.shape[1] + 1), np.int64)
    out[:-1, 1:] = np.cumsum(~marks, axis=1)
    return out


def _ticks_to(marks: BoolArray, goes_on: BoolArray, leave: IntArray, enter: IntArray, blend: int) -> IntArray:
    """(A + 1, N) by Dijkstra's algorithm, backwards from the frames of each action."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    count = len(goes_on)
    out = np.zeros((len(marks) + 1, count), np.int64)
    going = np.flatnonzero(goes_on)
    source, target = np.concatenate([going + 1, enter]), np.concatenate([going, leave])
    ticks = np.concatenate([np.ones(len(going)), np.full(len(leave), float(blend))])
    order = np.lexsort((ticks, target, source))
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(source[order]) != 0) | (np.diff(target[order]) != 0)
    keep = order[first]
    back = csr_array((ticks[keep], (source[keep], target[keep])), shape=(count, count))
    for i, row in enumerate(marks):
        found = dijkstra(back, indices=np.flatnonzero(row), min_only=True)
        out[i] = np.where(np.isfinite(found), found, FAR)
    return out


def _speeds(speed: FloatArray, inside: BoolArray, marks: Sequence[BoolArray] | BoolArray) -> FloatArray:
    rows = [inside & row for row in marks] + [inside]
    return np.array([np.percentile(speed[row], (1, 50, 99)) for row in rows])
