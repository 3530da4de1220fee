"""The path of a route on the ground, without rendering it (input of the searches by GUAN 2.15).

While a clip is shown it is placed in the world by some turn `theta` and shift `s`: its frame n is at
`ground_turn(theta, place[n]) + s` with heading `heading[n] + theta`. The frames of a transition t from there, rows
0 .. 2 half - 2 of `blended[t]`, are placed by the same theta and s, and the clip that is entered by

    theta' = theta + turn[t],    s' = ground_turn(theta, shift[t]) + s.

To start at frame n with the hips at p and heading h: theta = h - heading[n], s = p - ground_turn(theta, place[n]).
`track` does this for one route; it differs from the rendered clip by millimetres, where hips move so that legs reach
their plants.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, FloatArray, IntArray
from motionloom.kinematics.travel import Travel, body_axes, body_headings, ground_turn, headings
from motionloom.methods.graph.frame_names import frame_name
from motionloom.methods.graph.graph import Graph, Route, once_per_graph
from motionloom.rotation import multiply, slerp, yaw


@dataclass(frozen=True, eq=False)
class GroundPaths:
    """Paths on the ground of the N frames and T transitions of a graph; see `tracks`."""

    place: FloatArray  # (N, 2) metres: x, z of the hips, in each clip's own coordinates
    heading: FloatArray  # (N,) radians, continuous within a clip
    hips: FloatArray  # (N, 4) rotation of the body's axes
    a: IntArray  # (T,) frames of the transitions
    b: IntArray
    turn: FloatArray  # (T,) alignment of the clip that is entered
    shift: FloatArray  # (T, 2)
    alpha: FloatArray  # (2 half - 1,) weight of the clip that is entered in each frame of a blend

    @cached_property
    def blended(self) -> FloatArray:
        """(T, 2 half - 1, 3) x, z and heading of the blended frames, in the coordinates of the clip that is left."""
        return self.blends(np.arange(len(self.a)))

    def blends(self, chosen: IntArray) -> FloatArray:
        """`blended` for some transitions only."""
        half = (len(self.alpha) + 1) // 2
        inside = np.arange(1 - half, half)
        a, b = self.a[chosen][:, None] + inside, self.b[chosen][:, None] + inside
        turn, shift = self.turn[chosen][:, None], self.shift[chosen][:, None]
        there = ground_turn(turn, self.place[b]) + shift
        out = np.empty((*a.shape, 3))
        out[..., :2] = self.place[a] + self.alpha[:, None] * (there - self.place[a])
        mixed = slerp(self.hips[a], multiply(yaw(turn), self.hips[b]), self.alpha)
        off = body_headings(mixed) - self.heading[a]
        out[..., 2] = self.heading[a] + off - 2 * np.pi * np.round(off / (2 * np.pi))
        return out


@once_per_graph
def tracks(graph: Graph) -> GroundPaths:
    """Place and heading of every frame in its clip's coordinates, and the alignment of transitions."""
    t, axes = graph.transitions, body_axes(graph.clips[0].skeleton)
    own = (
        np.concatenate([clip.root[:, [0, 2]] for clip in graph.clips]),
        np.concatenate([headings(clip) for clip in graph.clips]),
        multiply(np.concatenate([clip.rotations[:, 0] for clip in graph.clips]), axes),
    )
    for values in own:
        values.flags.writeable = False
    return GroundPaths(*own, t.a, t.b, t.turn, t.shift, graph.weights)


class Stretch(NamedTuple):
    """Frames of a route with one placement: consecutive frames of a clip, or a blend."""

    frame: int  # the first frame shown, counted through all clips; -1 for a blend
    transition: int  # of the blend; -1 for unblended frames
    frames: int  # how many
    turn: float  # placement; of a blend, that of the clip that is left
    shift: tuple[float, float]


def stretches(graph: Graph, route: Route) -> list[Stretch]:
    """The route as unblended frames and blends in turn, each with its placement relative to the first clip."""
    if not 0 <= route.start < graph.count:
        raise BadRequest(f"route: expected a start frame from 0 to {graph.count - 1}, found {route.start}")
    out: list[Stretch] = []
    at, left, turn, shift = route.start, route.frames, 0.0, np.zeros(2)
    for t in (*route.taken, -1):
        clip = int(graph.clip_of[at])
        stop = int(graph.starts[clip + 1]) if t < 0 else int(graph.leave[t]) + 1
        if t >= 0 and not at < stop <= graph.starts[clip + 1]:
            raise BadRequest(f"route: transition {t} does not leave after {frame_name(graph, at)} in the same clip")
        count = min(left, stop - at)
        out.append(Stretch(at, -1, count, turn, (float(shift[0]), float(shift[1]))))
        left -= count
        if left <= 0:
            return out
        if t < 0:
            break
        out.append(Stretch(-1, t, min(left, graph.blend - 1), turn, (float(shift[0]), float(shift[1]))))
        left -= out[-1].frames
        if left <= 0:
            return out
        shift = ground_turn(turn, graph.transitions.shift[t]) + shift
        turn += float(graph.transitions.turn[t])
        at = int(graph.enter[t])
    name = graph.clips[clip].name or f"clip {clip}"
    raise BadRequest(f"route: {name!r} ends after {route.frames - left} of {route.frames} frames")


def track(graph: Graph, route: Route) -> Travel:
    """Place and heading of the hips along a route, as `travel` of the rendered clip gives them (see above)."""
    known = tracks(graph)
    place, heading = [], []
    for frame, transition, count, turn, shift in stretches(graph, route):
        if transition < 0:
            xz, facing = known.place[frame : frame + count], known.heading[frame : frame + count]
        else:
            blend = known.blends(np.array([transition]))[0, :count]
            xz, facing = blend[:, :2], blend[:, 2]
        place.append(ground_turn(turn, xz) + shift)
        heading.append(facing + turn)
    facing = np.concatenate(heading)
    first = facing[0] - 2 * np.pi * np.ceil(facing[0] / (2 * np.pi) - 0.5)  # into (-pi, pi], where `travel` begins
    return Travel(np.concatenate(place), np.unwrap(facing - (facing[0] - first)))
