"""Random walks of any length through a motion graph, without dead ends (GUAN 2.4.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from motionloom.core import BadRequest, BoolArray, FloatArray, IntArray, NoPath
from motionloom.methods.graph.build.prune import largest_component, usable_transitions
from motionloom.methods.graph.frame_names import frame_name
from motionloom.methods.graph.graph import Graph, Route, once_per_graph
from motionloom.methods.graph.render.root_tracks import stretches, track
from motionloom.methods.graph.search.speed_gaps import speed_gaps
from motionloom.methods.graph.search.steadiness import steady_weights
from motionloom.methods.redraw_uneven_pace import ChangeRates, steadiest, usual_changes

Sampling = Literal["uniform", "similarity"]
MIN_BETWEEN_TRANSITIONS = 0.5  # s between two transitions, where there is a choice
REPEAT_WINDOW = 1.0  # s: a walk repeats itself where it shows the same frames in the same order for this long
LEAST_WEIGHT = 1e-12  # of an edge: improbable, but never impossible
LEAST_STEADY = 1e-6  # least factor of `steadiness`, so that a walk leaves a small loop at the cost of a change of speed
NEVER_SHOWN = -(2**40)  # the time of a frame that has not been shown


def random_route(graph: Graph, frames: int, rng: Generator, **options: Any) -> Route:
    """A random route of `frames` frames through the graph; `options` are those of `walk_transitions`.

    With `steadiness`, the walk is drawn again while it changes its speed more often than the clips (`steadiest`).
    """
    if frames < 1:
        raise BadRequest(f"frames: expected at least 1, found {frames}")
    usual = _usual_changes(graph) if options.get("steadiness") else None
    draw = lambda: _random_route(graph, frames, rng, **options)
    return steadiest(draw, lambda route: track(graph, route).place, usual, graph.clips[0].fps)


@once_per_graph
def _usual_changes(graph: Graph) -> ChangeRates:
    return usual_changes(graph.clips)


def _random_route(graph: Graph, frames: int, rng: Generator, **options: Any) -> Route:
    steps = walk_transitions(graph, rng, **options)
    taken: list[int] = []
    first, left = -1, frames
    while left > 0:
        at, t = next(steps)
        first = at if first < 0 else first
        left -= int(graph.leave[t]) + 1 - at
        if left > 0:
            taken.append(t)
            left -= graph.blend - 1
    return Route(first, tuple(taken), frames)


def walk_transitions(
    graph: Graph,
    rng: Generator,
    *,
    start: int | None = None,
    allowed: BoolArray | None = None,
    shortest: float = MIN_BETWEEN_TRANSITIONS,
    sampling: Sampling = "similarity",
    avoid_repeats: bool = True,
    steadiness: float = 0.0,
    likely: FloatArray | None = None,
) -> Iterator[tuple[int, int]]:
    """An endless random walk as pairs: the first frame of a piece, and the transition at its end.

    It stays in the largest strongly connected component (of the `allowed` frames (N,), if given) and starts anywhere in
    it, or at frame `start`. At each choice the clip continues or a transition is taken: all equally probable
    ("uniform"), or in proportion to exp(-(d - least) / (mean - least)), d being the distances of the joined frames
    ("similarity"); `likely` (T,) gives other weights of the transitions, against 1 for continuing. After a transition,
    `shortest` seconds pass before the next; where the clip is shorter, half of its rest (a walk that always ended short
    pieces would have few choices). With `avoid_repeats`, frames that were shown recently are avoided where there is a
    choice. With `steadiness`, transitions that change the speed more than the clips do are improbable, and so are
    pieces that end in one (`steady_weights`).
    """
    from motionloom.methods.graph.render._kernels import next_transition

    if not (np.isfinite(shortest) and shortest >= 0):
        raise BadRequest(f"shortest: expected 0 s or more between transitions, found {shortest:g} s")
    fps = graph.clips[0].fps
    inside = _connected(graph, allowed)
    stay = np.append(inside[:-1] & inside[1:] & (graph.clip_of[:-1] == graph.clip_of[1:]), False)
    weight = _weights(graph, inside, allowed, sampling, likely)
    go = np.ones(graph.count)
    steady = steady_weights(graph, speed_gaps(graph), inside, weight > 0, steadiness) if steadiness else None
    if steady is not None:
        weight, go = weight * np.maximum(steady.take, LEAST_STEADY), np.maximum(steady.go, LEAST_STEADY)
    at = int(rng.choice(np.flatnonzero(inside))) if start is None else _start(graph, start, inside)
    ahead = max(1, round(REPEAT_WINDOW * fps)) if avoid_repeats else 0
    forget = float(inside.sum()) if avoid_repeats else 1.0
    shown = np.full(graph.count + 1, NEVER_SHOWN)
    clock, least, left = 0, round(shortest * fps), _left(stay)
    while True:
        args = (graph.first_out, graph.enter, weight, go, stay, shown)
        wait = least if left[at] >= least else int(left[at]) // 2
        t = int(next_transition(at, clock, wait, ahead, forget, rng.random(2), *args))
        yield at, t
        clock += int(graph.leave[t]) + 1 - at + graph.blend - 1
        at = int(graph.enter[t])


def _left(stay: BoolArray) -> IntArray:
    """(N,) frames by which each frame's clip can continue: 0 where `stay` (N,) is false."""
    frames = np.arange(len(stay))
    ends = np.where(stay, len(stay), frames)
    return np.asarray(np.minimum.accumulate(ends[::-1])[::-1] - frames)


def _connected(graph: Graph, allowed: BoolArray | None) -> BoolArray:
    """(N,) the frames that a walk may show outside of blends."""
    inside = largest_component(graph, allowed)
    if not inside.any():
        longest = max(len(clip) for clip in graph.clips) / graph.clips[0].fps
        where = "the clips" if allowed is None else "the allowed frames"
        raise NoPath(
            f"{where} do not form a loop: {len(graph.transitions)} transitions, none leads back; the longest clip "
            f"lasts {longest:.2f} s (learn with a larger limit, or from more clips)"
        )
    return inside


def _weights(
    graph: Graph, inside: BoolArray, allowed: BoolArray | None, sampling: Sampling, likely: FloatArray | None
) -> FloatArray:
    """(T,) weight of each transition, against 1 for continuing the clip; 0 for those that must not be taken."""
    use = inside[graph.leave] & inside[graph.enter]
    if allowed is not None:
        use &= usable_transitions(graph, allowed)
    if likely is not None:
        return np.where(use, np.maximum(likely, LEAST_WEIGHT), 0.0)
    if sampling == "uniform":
        return use.astype(float)
    if sampling != "similarity":
        raise BadRequest(f"sampling: expected uniform or similarity, found {sampling!r}")
    least = float(graph.transitions.distance[use].min())
    d = np.where(use, graph.transitions.distance, least)
    similar = np.exp(-(d - least) / max(float(d[use].mean() - least), 1e-12))
    return np.where(use, np.maximum(similar, 1e-6), 0.0)  # improbable, but never impossible


def _start(graph: Graph, start: int, inside: BoolArray) -> int:
    if not 0 <= start < graph.count:
        raise BadRequest(f"start: expected a frame from 0 to {graph.count - 1}, found {start}")
    if not inside[start]:
        same = inside & (graph.clip_of == graph.clip_of[start])
        good = np.flatnonzero(same if same.any() else inside)
        near = int(good[np.abs(good - start).argmin()])
        raise NoPath(
            f"{frame_name(graph, start)} is a dead end; the nearest frame that is not: {frame_name(graph, near)}"
        )
    return start


def shown_frames(graph: Graph, route: Route) -> IntArray:
    """(F,) identity of each frame of a route: a frame of the clips, or count + (2 half - 1) t + k in a blend."""
    out = []
    for s in stretches(graph, route):
        first = s.frame if s.transition < 0 else graph.count + (graph.blend - 1) * s.transition
        out.append(first + np.arange(s.frames))
    return np.concatenate(out)


def repeats_after(graph: Graph, route: Route, *, seconds: float = REPEAT_WINDOW) -> int:
    """The variety of a walk: the number of frames before it repeats itself.

    That is the first frame from which `seconds` of motion repeat earlier frames one by one; or the length of the route
    if there is none.
    """
    frames = shown_frames(graph, route)
    width = max(1, round(seconds * graph.clips[0].fps))
    seen: set[bytes] = set()
    for f in range(len(frames) - width + 1):
        here = frames[f : f + width].tobytes()
        if here in seen:
            return f
        seen.add(here)
    return len(frames)
