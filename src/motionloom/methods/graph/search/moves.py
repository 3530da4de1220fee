"""How every edge of a graph moves the body over the ground: all that a search along a path needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.render.root_tracks import tracks
from motionloom.methods.schedule import Net
from motionloom.rotation import wrap_angle


@dataclass(frozen=True, eq=False)
class Steps:
    """The graph seen from above. Moves are in the frame of the body that makes them: left, forward (m), turn (rad)."""

    step: FloatArray  # (N, 3) from each frame to the next one of its clip; zero at the end of a clip
    goes_on: BoolArray  # (N,) is there a next frame?
    first_out: IntArray  # (N + 1,) transitions first_out[n] .. first_out[n + 1] - 1 leave at frame n
    enter: IntArray  # (T,)
    over: FloatArray  # (T, 2 half, 3) from the frame left to each blended one and to the one entered
    distance: FloatArray  # (T,) how unlike the joined frames are, as a share of the largest there is

    number: IntArray  # (T,) which transition of the graph each one is

    @property
    def blend(self) -> int:
        """Frames from the one left to the one entered."""
        return int(self.over.shape[1])

    @property
    def net(self) -> Net:
        """The nodes and where they lead, for a schedule."""
        return Net(self.goes_on, self.first_out, self.enter, self.blend)

    @property
    def turn(self) -> FloatArray:
        """(T,) radians from the frame left to the frame entered."""
        return self.over[:, -1, 2]

    @cached_property
    def walked(self) -> FloatArray:
        """(T,) metres from the frame left to the frame entered, along the way."""
        legs = np.diff(self.over[..., :2], axis=1, prepend=0.0)
        return np.asarray(np.sqrt((legs**2).sum(2)).sum(1))

    @cached_property
    def _soon(self) -> dict[int, FloatArray]:
        return {}

    def soon(self, frames: int) -> FloatArray:
        """(N, 4) where each frame's clip leads in `frames` frames, see the function `soon`; worked out once."""
        if frames not in self._soon:
            self._soon[frames] = soon(self, frames)
        return self._soon[frames]

    def within(self, allowed: BoolArray, usable: BoolArray) -> Steps:
        """Only what stays within `allowed` (N,) frames and `usable` (T,) transitions."""
        goes_on = self.goes_on & allowed
        goes_on[:-1] &= allowed[1:]
        leave = np.repeat(np.arange(len(allowed)), np.diff(self.first_out))
        keep = usable & allowed[leave] & allowed[self.enter]
        first_out = np.searchsorted(leave[keep], np.arange(len(allowed) + 1))
        entered = (self.enter[keep], self.over[keep], self.distance[keep], self.number[keep])
        return Steps(self.step, goes_on, first_out, *entered)


def steps(graph: Graph) -> Steps:
    """The moves of all frames and all transitions, as `graph.tracks` gives them, seen from the body."""
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
    return Steps(step, goes_on, graph.first_out, enter, over, t.distance / largest, np.arange(len(t)))


def ahead(found: Steps, frames: int) -> FloatArray:
    """(N, frames + 1, 3) where a body is after 0, 1, ... frames of its clip, as it saw it then; NaN past the end."""
    count = len(found.step)
    out = np.full((count, frames + 1, 3), np.nan)
    out[:, 0] = 0.0
    at, going = np.arange(count), np.ones(count, bool)
    for k in range(frames):
        going = going & found.goes_on[np.minimum(at, count - 1)]
        on = np.flatnonzero(going)
        out[on, k + 1] = after(out[on, k], found.step[at[on]])
        at = at + 1
    return out


def soon(found: Steps, frames: int) -> FloatArray:
    """(N, 4) where a body will be when it stays in its clip for `frames` frames, or till the end of it.

    Left and forward (m), the way walked till then (m), and the direction of travel then, as the body sees it now (rad).
    """
    way = ahead(found, frames)
    rows = np.arange(len(way))
    last = np.isfinite(way[..., 0]).sum(1) - 1
    walked = np.nansum(np.linalg.norm(np.diff(way[..., :2], axis=1), axis=2), axis=1)
    end = way[rows, last]
    line = end[:, :2] - way[rows, np.maximum(last - max(1, frames // 3), 0), :2]
    course = np.where(np.linalg.norm(line, axis=1) > 0.02, np.arctan2(line[:, 0], line[:, 1]), end[:, 2])
    return np.stack([end[:, 0], end[:, 1], walked, course], 1)


def after(first: FloatArray, second: FloatArray) -> FloatArray:
    """One move (n, 3) after another: the second is seen from where the first ends."""
    place = first[:, :2] + ground_turn(first[:, 2], second[:, :2])
    return np.concatenate([place, first[:, 2:] + second[:, 2:]], 1)
