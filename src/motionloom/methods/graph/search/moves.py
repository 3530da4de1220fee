"""Displacements on the ground along every edge of a graph: the input of searches along a path."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.render.root_tracks import tracks
from motionloom.methods.graph.search.speed_gaps import speed_gaps
from motionloom.methods.schedule import FrameNet
from motionloom.rotation import wrap_angle


@dataclass(frozen=True, eq=False)
class GroundMoves:
    """Displacements of all edges, each in the frame of the body before it: left, forward (m), turn (rad)."""

    step: FloatArray  # (N, 3) from each frame to the next one of its clip; zero at the end of a clip
    goes_on: BoolArray  # (N,) is there a next frame?
    first_out: IntArray  # (N + 1,) transitions first_out[n] .. first_out[n + 1] - 1 leave at frame n
    enter: IntArray  # (T,)
    over: FloatArray  # (T, 2 half, 3) from the frame left to each blended one and to the one entered
    distance: FloatArray  # (T,) distance of the joined frames, as a share of the largest

    number: IntArray  # (T,) index of each transition in the graph
    speed_gap: FloatArray  # (T,) m/s: change of speed beyond what the clips show; see `speed_gaps`

    @property
    def blend(self) -> int:
        """Frames from the one left to the one entered."""
        return int(self.over.shape[1])

    @property
    def net(self) -> FrameNet:
        """The nodes and their successors, for a schedule."""
        return FrameNet(self.goes_on, self.first_out, self.enter, self.blend)

    @property
    def turn(self) -> FloatArray:
        """(T,) radians from the frame left to the frame entered."""
        return self.over[:, -1, 2]

    @cached_property
    def walked(self) -> FloatArray:
        """(T,) metres walked from the frame left to the frame entered."""
        legs = np.diff(self.over[..., :2], axis=1, prepend=0.0)
        return np.asarray(np.sqrt((legs**2).sum(2)).sum(1))

    @cached_property
    def _outlooks(self) -> dict[int, FloatArray]:
        return {}

    def outlook(self, frames: int) -> FloatArray:
        """(N, 4) `outlook` for `frames` frames; computed once."""
        if frames not in self._outlooks:
            self._outlooks[frames] = outlook(self, frames)
        return self._outlooks[frames]

    def within(self, allowed: BoolArray, usable: BoolArray) -> GroundMoves:
        """The moves restricted to `allowed` (N,) frames and `usable` (T,) transitions."""
        goes_on = self.goes_on & allowed
        goes_on[:-1] &= allowed[1:]
        leave = np.repeat(np.arange(len(allowed)), np.diff(self.first_out))
        keep = usable & allowed[leave] & allowed[self.enter]
        first_out = np.searchsorted(leave[keep], np.arange(len(allowed) + 1))
        entered = (self.enter[keep], self.over[keep], self.distance[keep], self.number[keep], self.speed_gap[keep])
        return GroundMoves(self.step, goes_on, first_out, *entered)


def ground_moves(graph: Graph) -> GroundMoves:
    """The moves of all frames and transitions of a graph."""
    known = tracks(graph)
    place, heading = known.place, known.heading
    goes_on = np.ones(graph.count, bool)
    goes_on[graph.starts[1:] - 1] = False
    step = np.zeros((graph.count, 3))
    step[:-1, :2] = ground_turn(-heading[:-1], np.diff(place, axis=0))
    step[:-1, 2] = np.diff(heading)
    step[~goes_on] = 0.0
    t = graph.transitions
    leave, enter = graph.leave, graph.enter
    entered = np.column_stack([ground_turn(t.turn, place[enter]) + t.shift, heading[enter] + t.turn])
    shown = np.concatenate([known.blended, entered[:, None]], axis=1)
    over = np.empty_like(shown)
    over[..., :2] = ground_turn(-heading[leave][:, None], shown[..., :2] - place[leave][:, None])
    over[..., 2] = wrap_angle(shown[..., 2] - heading[leave][:, None])
    largest = float(t.distance.max(initial=0.0)) or 1.0
    gaps = speed_gaps(graph)
    return GroundMoves(step, goes_on, graph.first_out, enter, over, t.distance / largest, np.arange(len(t)), gaps)


def positions_ahead(found: GroundMoves, frames: int) -> FloatArray:
    """(N, frames + 1, 3) positions after 0, 1, ... frames of the clip, in the body's first frame; NaN past its end."""
    count = len(found.step)
    out = np.full((count, frames + 1, 3), np.nan)
    out[:, 0] = 0.0
    at, going = np.arange(count), np.ones(count, bool)
    for k in range(frames):
        going = going & found.goes_on[np.minimum(at, count - 1)]
        on = np.flatnonzero(going)
        out[on, k + 1] = compose_moves(out[on, k], found.step[at[on]])
        at = at + 1
    return out


def outlook(found: GroundMoves, frames: int) -> FloatArray:
    """(N, 4) outlook from each frame if its clip continues for `frames` frames, or to its end.

    Left and forward (m), distance walked (m), and the direction of travel at the end, in the body's frame now (rad).
    """
    path = positions_ahead(found, frames)
    rows = np.arange(len(path))
    last = np.isfinite(path[..., 0]).sum(1) - 1
    walked = np.nansum(np.linalg.norm(np.diff(path[..., :2], axis=1), axis=2), axis=1)
    end = path[rows, last]
    line = end[:, :2] - path[rows, np.maximum(last - max(1, frames // 3), 0), :2]
    course = np.where(np.linalg.norm(line, axis=1) > 0.02, np.arctan2(line[:, 0], line[:, 1]), end[:, 2])
    return np.stack([end[:, 0], end[:, 1], walked, course], 1)


def compose_moves(first: FloatArray, second: FloatArray) -> FloatArray:
    """Two moves (n, 3) in sequence; the second is in the frame of the body after the first."""
    place = first[:, :2] + ground_turn(first[:, 2], second[:, :2])
    return np.concatenate([place, first[:, 2:] + second[:, 2:]], 1)
