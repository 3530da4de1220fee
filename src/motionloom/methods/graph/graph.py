"""Motion graphs: frames of clips, transitions between them, and routes (GUAN 2.4).

A node is a frame of a clip, counted through all clips. Two kinds of edges leave it: to the next frame of its clip, and
over a transition. A transition joins two similar frames a and b by a blend that is `half` frames wide on each side, so
it leaves at a - half, the last unblended frame of the first clip, and enters at b + half, the first unblended frame of
the second. Any path along these edges is a motion: two blends never overlap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from motionloom.blend.crossfade import blend_weights
from motionloom.core import BoolArray, Clip, FloatArray, IntArray
from motionloom.core.arrays import frozen, put

FREE = -1  # an order to a live character: transitions are chosen by the commands, or at random
STAY = -2  # an order to a live character: the clip continues


@dataclass(frozen=True, eq=False)
class Transitions:
    """Pairs of similar frames, ordered by the frame that is left, then the frame that is entered.

    Aligned with the first clip, a point p of the second on the ground is `ground_turn(turn, p) + shift`.
    """

    a: IntArray  # (T,) the frame of the first clip, counted through all clips
    b: IntArray  # (T,) the frame of the second clip
    distance: FloatArray  # (T,) between them, in the unit of the graph's measure
    turn: FloatArray  # (T,) radians
    shift: FloatArray  # (T, 2) metres

    def __post_init__(self) -> None:
        put(self, "a", frozen(self.a, np.int64, (None,), "transitions: a"))
        count = len(self.a)
        put(self, "b", frozen(self.b, np.int64, (count,), "transitions: b"))
        put(self, "distance", frozen(self.distance, np.float64, (count,), "transitions: distance"))
        put(self, "turn", frozen(self.turn, np.float64, (count,), "transitions: turn"))
        put(self, "shift", frozen(self.shift, np.float64, (count, 2), "transitions: shift"))
        step_a, step_b = np.diff(self.a), np.diff(self.b)
        assert ((step_a > 0) | ((step_a == 0) & (step_b > 0))).all(), "transitions must be ordered, each pair once"

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, keep: BoolArray | IntArray | slice) -> Transitions:
        return Transitions(self.a[keep], self.b[keep], self.distance[keep], self.turn[keep], self.shift[keep])


class Piece(NamedTuple):
    """Consecutive frames of one clip: start .. stop - 1 of clip number `clip`."""

    clip: int
    start: int
    stop: int


class Route(NamedTuple):
    """A path through a graph: from frame `start` over the transitions `taken`, `frames` frames long in all."""

    start: int
    taken: tuple[int, ...]
    frames: int


@dataclass(frozen=True, eq=False)
class Graph:
    """Clips with contact labels, and the transitions between them."""

    clips: tuple[Clip, ...]
    transitions: Transitions
    half: int  # frames on each side of a transition that are blended
    linear: bool = False  # blended with linear weights, and planted feet are not held

    @cached_property
    def weights(self) -> FloatArray:
        """(2 half - 1,) the share of the second clip in each frame of a blend."""
        return blend_weights(self.half, "linear" if self.linear else "smooth")

    @cached_property
    def starts(self) -> IntArray:
        """(C + 1,) the first frame of each clip, counted through all of them; the last entry is their total."""
        return np.concatenate([[0], np.cumsum([len(c) for c in self.clips])])

    @property
    def count(self) -> int:
        """The number of frames."""
        return int(self.starts[-1])

    @cached_property
    def clip_of(self) -> IntArray:
        """(N,) the clip of each frame."""
        return np.repeat(np.arange(len(self.clips)), np.diff(self.starts))

    @cached_property
    def leave(self) -> IntArray:
        """(T,) increasing: the last frame before each transition's blend."""
        return self.transitions.a - self.half

    @cached_property
    def enter(self) -> IntArray:
        """(T,) the first frame after each transition's blend."""
        return self.transitions.b + self.half

    @cached_property
    def first_out(self) -> IntArray:
        """(N + 1,) transitions first_out[n] .. first_out[n + 1] - 1 leave at frame n."""
        return np.searchsorted(self.leave, np.arange(self.count + 1))

    @property
    def blend(self) -> int:
        """Frames from the one that a transition leaves to the one that it enters: 2 half."""
        return 2 * self.half

    def pieces(self, route: Route) -> list[Piece]:
        """The unblended pieces of clips in a route.

        Between two pieces there are 2 half - 1 blended frames; the end of the route may cut off the last blend.
        """
        out, at, left = [], route.start, route.frames
        for t in (*route.taken, -1):
            clip = int(self.clip_of[at])
            stop = min(at + left, int(self.starts[clip + 1]) if t < 0 else int(self.leave[t]) + 1)
            first = int(self.starts[clip])
            out.append(Piece(clip, at - first, stop - first))
            left -= stop - at + self.blend - 1
            if left <= 0 or t < 0:
                break
            at = int(self.enter[t])
        return out


T = TypeVar("T")


def once_per_graph(function: Callable[[Graph], T]) -> Callable[[Graph], T]:
    """The function, computed once for each graph; its results must not be changed."""
    known: WeakKeyDictionary[Graph, T] = WeakKeyDictionary()

    @wraps(function)
    def computed(graph: Graph) -> T:
        if graph not in known:
            known[graph] = function(graph)
        return known[graph]

    return computed
