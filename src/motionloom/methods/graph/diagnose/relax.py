"""With which limit more of a graph would be connected: transitions beyond its limit, and the least that are enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motionloom.blend.point import half_window
from motionloom.core import BoolArray, Clip, FloatArray, IntArray, with_labels
from motionloom.core import replace as clip_with
from motionloom.methods.graph.build.blend_check import Rough, rough
from motionloom.methods.graph.build.prune import strong_parts
from motionloom.methods.graph.frame_names import frame_name
from motionloom.methods.graph.graph import Graph, Transitions
from motionloom.methods.graph.labels import Limits

RATE = 30.0  # frames a second at which it is looked; of faster models every second, third ... frame
MOST = 8_000  # frames that are looked at: of more, clips are left out evenly
INSIDE, OUTSIDE = "is connected", "is left out"  # labels for the time of the search


@dataclass(frozen=True)
class Look:
    """How a method finds transitions, so that it can be tried with larger limits."""

    find: Callable[[Sequence[Clip], float, Limits], Transitions]  # clips, limit, limits of labels
    limit: float  # in the measure's unit
    measure: str
    blend: float  # s
    rough: Rough  # what was left out of the transitions within the limit


class Wide(NamedTuple):
    """A graph with transitions beyond its limit, of what is left out to everything. Of long materials, some clips."""

    graph: Graph
    smooth: BoolArray  # (T,) transitions that are not rough
    core: BoolArray  # (N,) frames of the largest part, which one can go between
    frames: IntArray  # (N,) as the graph it was made of counts them

    def least(self, does: Callable[[IntArray], bool], use: BoolArray | None = None) -> float | None:
        """The least distance up to which the transitions in use (T,) do it: `does` gets the part of each frame (N,).

        More transitions never undo it, so it is found by halving. None if not even all of them do it. By default those
        that are smooth are in use.
        """
        use = self.smooth if use is None else use
        levels: FloatArray = np.unique(self.graph.transitions.distance[use])

        def done(k: int) -> bool:
            return does(self._parts(use & (self.graph.transitions.distance <= levels[k])))

        if not len(levels) or not done(len(levels) - 1):
            return None
        low, high = 0, len(levels) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if done(middle) else (middle + 1, high)
        return float(levels[low])

    def pair(self, distance: float) -> str:
        """The two frames of a smooth transition that are just so unlike."""
        t = int(np.flatnonzero(self.smooth & (self.graph.transitions.distance == distance))[0])
        both = self.graph.transitions
        return f"{frame_name(self.graph, int(both.a[t]))} and {frame_name(self.graph, int(both.b[t]))}"

    def _parts(self, use: BoolArray) -> IntArray:
        """(N,) strongly connected parts over some transitions. All frames of the core are one, by a node more."""
        n, inside = self.graph.count, np.flatnonzero(self.core)
        hub = np.full(len(inside), n)
        following = np.flatnonzero(self.graph.clip_of[:-1] == self.graph.clip_of[1:])
        source = np.concatenate([following, self.graph.leave[use], inside, hub])
        target = np.concatenate([following + 1, self.graph.enter[use], hub, inside])
        return strong_parts(n + 1, source, target)[:n]


def widened(graph: Graph, core: BoolArray, outside: BoolArray, look: Look, limit: float) -> Wide:
    """All transitions up to a limit from and to frames outside (N,), rough ones too.

    Frames faster than 30 a second are thinned out; of more than 8,000 frames some clips of the core are not looked at,
    then some others. So the limit that is found to be enough is enough, if not always the very least.
    """
    step = max(1, round(graph.clips[0].fps / RATE))
    fps = graph.clips[0].fps / step
    clips, frames = [], []
    for c in _chosen(graph, outside, MOST * step):
        at = np.arange(graph.starts[c], graph.starts[c + 1], step)
        clip = graph.clips[c][at - graph.starts[c]]
        names = tuple(n for n in clip.label_names if ":" in n)
        labels = np.stack([clip.label(n) for n in names], 1) if names else None
        bare = clip_with(clip, fps=fps, label_names=names, labels=labels)
        clips.append(with_labels(bare, {INSIDE: ~outside[at], OUTSIDE: outside[at]}))
        frames.append(at)
    kept = np.concatenate(frames)
    limits = {(INSIDE, INSIDE): 0.0} if (~outside[kept]).any() else {}
    found = look.find(clips, limit, limits)
    wide = Graph(tuple(clips), found, half_window(look.blend, fps))
    return Wide(wide, ~rough(wide, quick=look.rough.quick), core[kept], kept)


def _chosen(graph: Graph, outside: BoolArray, most: int) -> list[int]:
    """Clips to look at, `most` frames of them: those with frames outside first, then evenly spaced others."""
    out = np.add.reduceat(outside, graph.starts[:-1]) > 0
    chosen: list[int] = []
    room = most
    for some in (np.flatnonzero(out), np.flatnonzero(~out)):
        lengths = np.diff(graph.starts)[some]
        every = max(1, int(np.ceil(lengths.sum() / max(room, most // 4))))
        chosen += some[::every].tolist()
        room -= int(lengths[::every].sum())
    return sorted(chosen)
