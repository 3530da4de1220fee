"""Small graphs made by hand, and slow searches through them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from motionloom.core import Clip, FloatArray, IntArray, Skeleton
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.graph.graph import Graph, Route, Transitions
from motionloom.methods.graph.render.root_tracks import track
from motionloom.methods.graph.search.random_walk import shown_frames
from motionloom.rotation import yaw


def walker(skeleton: Skeleton, steps: FloatArray, turns: FloatArray, fps: float = 10.0) -> Clip:
    """A clip that goes `steps` (F,) metres forward and turns by `turns` (F,) each frame."""
    heading = np.concatenate([[0.0], np.cumsum(turns)])
    move = ground_turn(heading[:-1], np.stack([0 * steps, steps], 1))
    place = np.concatenate([np.zeros((1, 2)), np.cumsum(move, axis=0)])
    rotations = np.zeros((len(place), len(skeleton), 4))
    rotations[..., 0] = 1
    rotations[:, 0] = yaw(heading)
    return Clip(skeleton, np.stack([place[:, 0], 1 + 0 * heading, place[:, 1]], 1), rotations, fps)


def graph_of(clips: Sequence[Clip], pairs: Sequence[tuple[int, int]], half: int = 1) -> Graph:
    """Frames joined so that the second clip goes on where and as the first one is."""
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    root = np.concatenate([c.root[:, [0, 2]] for c in clips])
    heading = np.concatenate(
        [track(Graph(tuple(clips), none(), half), Route(int(s), (), 1)).heading for s in range(starts[-1])]
    )
    pairs = sorted(pairs)
    a, b = (np.array([p[k] for p in pairs], np.int64) for k in (0, 1))
    turn = heading[a] - heading[b]
    shift = root[a] - ground_turn(turn, root[b])
    return Graph(tuple(clips), Transitions(a, b, np.linspace(0.1, 1, len(a)), turn, shift), half)


def none() -> Transitions:
    empty = np.empty(0, np.int64)
    return Transitions(empty, empty, np.empty(0), np.empty(0), np.empty((0, 2)))


def random_graph(
    skeleton: Skeleton, rng: np.random.Generator, *, clips: int = 3, frames: int = 14, half: int = 1
) -> Graph:
    """Clips that walk and turn at random, joined at a few random frames."""
    made = [walker(skeleton, rng.uniform(0.02, 0.2, frames - 1), rng.normal(0, 0.15, frames - 1)) for _ in range(clips)]
    inside = [c * frames + k for c in range(clips) for k in range(half, frames - half)]
    pairs = {tuple(rng.choice(inside, 2, replace=False).tolist()) for _ in range(3 * clips)}
    return graph_of(made, sorted((a, b) for a, b in pairs), half)


def every_way(graph: Graph, start: int, frames: int) -> Iterator[Route]:
    """All routes that add `frames` frames to their first one; of those cut off in a blend, each once."""

    def go(node: int, left: int, taken: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if left <= 0:
            yield taken
            return
        for t in range(int(graph.first_out[node]), int(graph.first_out[node + 1])):
            yield from go(int(graph.enter[t]), left - graph.blend, (*taken, t))
        if node + 1 < graph.count and graph.clip_of[node + 1] == graph.clip_of[node]:
            yield from go(node + 1, left - 1, taken)

    for taken in go(start, frames, ()):
        yield Route(start, taken, frames + 1)


def placed_track(graph: Graph, route: Route, begin: Sequence[float]) -> FloatArray:
    """(F, 2) the way of a route that starts at begin: x, z, heading."""
    way = track(graph, route)
    turn = begin[2] - way.heading[0]
    return ground_turn(turn, way.place - way.place[0]) + np.array(begin[:2])


def labels_shown(graph: Graph, route: Route) -> IntArray:
    """(F,) the graph frame whose labels each frame of a route shows: in a blend the first clip's, then the second's."""
    shown = shown_frames(graph, route)
    t, k = divmod(shown - graph.count, graph.blend - 1)
    a, b = graph.transitions.a[np.maximum(t, 0)], graph.transitions.b[np.maximum(t, 0)]
    blended = np.where(k + 1 < graph.half, a - graph.half + k + 1, b - graph.half + k + 1)
    return np.where(shown < graph.count, shown, blended)
