"""Random walks through a motion graph, as long as one likes: they never come to a dead end (GUAN 2.4.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.random import Generator

from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, IntArray, NoPath
from motionloom.kinematics.travel import ground_turn, moved, turned
from motionloom.methods.graph.build.prune import component, usable
from motionloom.methods.graph.frame_names import frame_name
from motionloom.methods.graph.graph import Graph, Route
from motionloom.methods.graph.render.render import chained
from motionloom.methods.graph.render.root_tracks import stretches

Pick = Literal["uniform", "alike"]
SHORTEST = 0.5  # s between two transitions, where there is a choice
STRETCH = 1.0  # s: a walk repeats itself where it shows this much in the same order again
NEVER = -(2**40)  # when a frame was shown that has not been shown


def random_route(
    graph: Graph,
    frames: int,
    rng: Generator,
    *,
    start: int | None = None,
    allowed: BoolArray | None = None,
    shortest: float = SHORTEST,
    pick: Pick = "alike",
    fresh: bool = True,
) -> Route:
    """A random way of `frames` frames through the graph, from which one could go on for ever.

    It stays in the largest strongly connected part (of the `allowed` frames (N,), if given) and starts anywhere in it,
    or at frame `start`. At each choice it goes on or takes one of the transitions: all equally likely ("uniform"), or
    those between more alike frames more often ("alike": exp(-(d - least) / (mean - least)), d being their distances).
    After a transition `shortest` seconds pass before the next; where the clip cannot be shown that long, half of what
    it can be (a walk that always went to the end of short pieces would have hardly a choice). With `fresh`, what was
    shown lately is avoided where there is a choice.
    """
    if frames < 1:
        raise BadRequest(f"a walk has at least one frame, found {frames}")
    ways = wander(graph, rng, start=start, allowed=allowed, shortest=shortest, pick=pick, fresh=fresh)
    taken: list[int] = []
    first, left = -1, frames
    while left > 0:
        at, t = next(ways)
        first = at if first < 0 else first
        left -= int(graph.leave[t]) + 1 - at
        if left > 0:
            taken.append(t)
            left -= graph.blend - 1
    return Route(first, tuple(taken), frames)


def walk_stream(
    graph: Graph,
    rng: Generator,
    *,
    start: int | None = None,
    allowed: BoolArray | None = None,
    shortest: float = SHORTEST,
    pick: Pick = "alike",
    fresh: bool = True,
) -> Iterator[Clip]:
    """An endless random walk, clip by clip: plain frames and the blend after them; each goes on where the last ended.

    They are as `chained` gives them: feet cannot be lifted over a swing whose end is not known yet. What it keeps in
    memory does not grow. Options are those of `random_route`.
    """
    turn, shift = 0.0, np.zeros(2)
    for at, t in wander(graph, rng, start=start, allowed=allowed, shortest=shortest, pick=pick, fresh=fresh):
        count = int(graph.leave[t]) + 1 - at + graph.blend - 1
        yield moved(turned(chained(graph, Route(at, (t,), count)), turn), shift)
        shift = ground_turn(turn, graph.transitions.shift[t]) + shift
        turn = float(np.remainder(turn + graph.transitions.turn[t], 2 * np.pi))


def wander(
    graph: Graph,
    rng: Generator,
    *,
    start: int | None = None,
    allowed: BoolArray | None = None,
    shortest: float = SHORTEST,
    pick: Pick = "alike",
    fresh: bool = True,
) -> Iterator[tuple[int, int]]:
    """The same walk as pairs without end: a frame from which a clip is shown, and the transition that ends this."""
    from motionloom.methods.graph.render._kernels import next_transition

    if not (np.isfinite(shortest) and shortest >= 0):
        raise BadRequest(f"the shortest time between transitions is 0 s or more, found {shortest:g} s")
    fps = graph.clips[0].fps
    inside = _connected(graph, allowed)
    stay = np.append(inside[:-1] & inside[1:] & (graph.clip_of[:-1] == graph.clip_of[1:]), False)
    weight = _weights(graph, inside, allowed, pick)
    at = int(rng.choice(np.flatnonzero(inside))) if start is None else _start(graph, start, inside)
    ahead = max(1, round(STRETCH * fps)) if fresh else 0
    forget = float(inside.sum()) if fresh else 1.0
    shown = np.full(graph.count + 1, NEVER)
    clock, least, left = 0, round(shortest * fps), _left(stay)
    while True:
        args = (graph.first_out, graph.enter, weight, stay, shown)
        wait = least if left[at] >= least else int(left[at]) // 2
        t = int(next_transition(at, clock, wait, ahead, forget, rng.random(2), *args))
        yield at, t
        clock += int(graph.leave[t]) + 1 - at + graph.blend - 1
        at = int(graph.enter[t])


def _left(stay: BoolArray) -> IntArray:
    """(N,) how many frames one can go on from each frame: 0 where `stay` (N,) is off."""
    frames = np.arange(len(stay))
    ends = np.where(stay, len(stay), frames)
    return np.asarray(np.minimum.accumulate(ends[::-1])[::-1] - frames)


def _connected(graph: Graph, allowed: BoolArray | None) -> BoolArray:
    """(N,) the frames that a walk may show purely."""
    inside = component(graph, allowed)
    if not inside.any():
        longest = max(len(clip) for clip in graph.clips) / graph.clips[0].fps
        where = "these clips" if allowed is None else "the allowed frames"
        raise NoPath(
            f"no way leads round in {where}: {len(graph.transitions)} transitions, but one cannot come back over them; "
            f"the longest clip lasts {longest:.2f} s (allow more unlike frames, or give more clips)"
        )
    return inside


def _weights(graph: Graph, inside: BoolArray, allowed: BoolArray | None, pick: Pick) -> FloatArray:
    """(T,) how likely each transition is beside going on; 0 for those that must not be taken."""
    use = inside[graph.leave] & inside[graph.enter]
    if allowed is not None:
        use &= usable(graph, allowed)
    if pick == "uniform":
        return use.astype(float)
    if pick != "alike":
        raise BadRequest(f"pick: expected uniform or alike, found {pick!r}")
    least = float(graph.transitions.distance[use].min())
    d = np.where(use, graph.transitions.distance, least)
    likely = np.exp(-(d - least) / max(float(d[use].mean() - least), 1e-12))
    return np.where(use, np.maximum(likely, 1e-6), 0.0)  # unlikely, but never a way that cannot be gone


def _start(graph: Graph, start: int, inside: BoolArray) -> int:
    if not 0 <= start < graph.count:
        raise BadRequest(f"a walk starts at a frame from 0 to {graph.count - 1}, found {start}")
    if not inside[start]:
        same = inside & (graph.clip_of == graph.clip_of[start])
        good = np.flatnonzero(same if same.any() else inside)
        near = int(good[np.abs(good - start).argmin()])
        raise NoPath(
            f"from {frame_name(graph, start)} no walk goes on for ever; the nearest that does is "
            f"{frame_name(graph, near)}"
        )
    return start


def shown_frames(graph: Graph, route: Route) -> IntArray:
    """(F,) what each frame of the route shows: a frame of the clips, or count + (2 half - 1) t + k in a blend."""
    out = []
    for s in stretches(graph, route):
        first = s.frame if s.transition < 0 else graph.count + (graph.blend - 1) * s.transition
        out.append(first + np.arange(s.frames))
    return np.concatenate(out)


def repeats_after(graph: Graph, route: Route, *, seconds: float = STRETCH) -> int:
    """The variety of a walk: how many frames pass before it begins to show something again.

    That is the first frame from which `seconds` of motion are shown, frame by frame, that were shown before; or the
    length of the whole route if there is none.
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
