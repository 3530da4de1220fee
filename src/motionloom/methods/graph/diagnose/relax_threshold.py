"""Transitions beyond the limit of a graph, and the least limit that connects more of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motionloom.blend.transition_point import half_window
from motionloom.core import BoolArray, Clip, FloatArray, IntArray, is_found, with_labels
from motionloom.core import replace as clip_with
from motionloom.methods.graph.build.blend_check import RoughTransitions, rough_transitions
from motionloom.methods.graph.build.distance_limits import Limits
from motionloom.methods.graph.build.prune import strong_components
from motionloom.methods.graph.frame_names import frame_name
from motionloom.methods.graph.graph import Graph, Transitions

SEARCH_FPS = 30.0  # faster models are thinned to about this frame rate
MAX_FRAMES = 8_000  # of more, clips are left out evenly
INSIDE, OUTSIDE = "is connected", "is left out"  # temporary labels


@dataclass(frozen=True)
class TransitionFinder:
    """The search for transitions of a method, to be repeated with larger limits."""

    find: Callable[[Sequence[Clip], float, Limits], Transitions]  # clips, limit, limits of labels
    limit: float  # in the measure's unit
    measure: str
    blend: float  # s
    rough: RoughTransitions  # transitions within the limit that were left out


class RelaxedGraph(NamedTuple):
    """A graph with transitions beyond its limit, from and to unconnected frames. Some clips of long materials only."""

    graph: Graph
    smooth: BoolArray  # (T,) transitions that are not rough
    core: BoolArray  # (N,) frames of the largest component
    frames: IntArray  # (N,) numbers in the original graph

    def least(self, condition: Callable[[IntArray], bool], use: BoolArray | None = None) -> float | None:
        """The least distance up to which transitions fulfil a condition on the component of each frame (N,).

        More transitions never break it, so it is found by bisection. None if not even all of them fulfil it. `use`
        (T,): transitions that count, by default the smooth ones.
        """
        use = self.smooth if use is None else use
        levels: FloatArray = np.unique(self.graph.transitions.distance[use])

        def done(k: int) -> bool:
            return condition(self._components(use & (self.graph.transitions.distance <= levels[k])))

        if not len(levels) or not done(len(levels) - 1):
            return None
        low, high = 0, len(levels) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if done(middle) else (middle + 1, high)
        return float(levels[low])

    def pair(self, distance: float) -> str:
        """The names of the two frames of a smooth transition with this distance."""
        t = int(np.flatnonzero(self.smooth & (self.graph.transitions.distance == distance))[0])
        both = self.graph.transitions
        return f"{frame_name(self.graph, int(both.a[t]))} and {frame_name(self.graph, int(both.b[t]))}"

    def _components(self, use: BoolArray) -> IntArray:
        """(N,) strongly connected components over some transitions; an extra node joins all frames of the core."""
        n, inside = self.graph.count, np.flatnonzero(self.core)
        hub = np.full(len(inside), n)
        following = np.flatnonzero(self.graph.clip_of[:-1] == self.graph.clip_of[1:])
        source = np.concatenate([following, self.graph.leave[use], inside, hub])
        target = np.concatenate([following + 1, self.graph.enter[use], hub, inside])
        return strong_components(n + 1, source, target)[:n]


def relax_threshold(
    graph: Graph, core: BoolArray, outside: BoolArray, finder: TransitionFinder, limit: float
) -> RelaxedGraph:
    """All transitions up to a limit from and to the frames `outside` (N,), rough ones too.

    Frame rates above 30 fps are thinned; of more than 8,000 frames some clips of the core are left out, then some
    others. So a limit that is found like this is sufficient, but not always the least.
    """
    step = max(1, round(graph.clips[0].fps / SEARCH_FPS))
    fps = graph.clips[0].fps / step
    clips, frames = [], []
    for c in _chosen_clips(graph, outside, MAX_FRAMES * step):
        at = np.arange(graph.starts[c], graph.starts[c + 1], step)
        clip = graph.clips[c][at - graph.starts[c]]
        names = tuple(n for n in clip.label_names if is_found(n))
        labels = np.stack([clip.label(n) for n in names], 1) if names else None
        bare = clip_with(clip, fps=fps, label_names=names, labels=labels)
        clips.append(with_labels(bare, {INSIDE: ~outside[at], OUTSIDE: outside[at]}))
        frames.append(at)
    kept = np.concatenate(frames)
    limits = {(INSIDE, INSIDE): 0.0} if (~outside[kept]).any() else {}
    found = finder.find(clips, limit, limits)
    relaxed = Graph(tuple(clips), found, half_window(finder.blend, fps))
    return RelaxedGraph(relaxed, ~rough_transitions(relaxed, speed_ratio=finder.rough.speed_ratio), core[kept], kept)


def _chosen_clips(graph: Graph, outside: BoolArray, most: int) -> list[int]:
    """Clips to search, `most` frames of them: those with frames outside first, then evenly spaced others."""
    out = np.add.reduceat(outside, graph.starts[:-1]) > 0
    chosen: list[int] = []
    room = most
    for some in (np.flatnonzero(out), np.flatnonzero(~out)):
        lengths = np.diff(graph.starts)[some]
        every = max(1, int(np.ceil(lengths.sum() / max(room, most // 4))))
        chosen += some[::every].tolist()
        room -= int(lengths[::every].sum())
    return sorted(chosen)
