"""Render a route through a motion graph: frames of the clips, and blends at the transitions."""

from __future__ import annotations

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, Origin, Progress, silent
from motionloom.core.origin_joining import joined, mixed
from motionloom.core.progress import each, parts
from motionloom.kinematics.feet.clearance import lift_swings, usual_clearance
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.graph.graph import Graph, Route, once_per_graph
from motionloom.methods.graph.render.blends import blends
from motionloom.methods.graph.render.root_tracks import GroundPaths, Stretch, stretches, track, tracks
from motionloom.rotation import multiply, yaw

__all__ = ["GroundPaths", "join_route", "render", "track", "tracks"]


def render(graph: Graph, route: Route, *, lift: bool = True, progress: Progress | None = None) -> Clip:
    """The motion of a route, in the coordinates of its first clip; with `lift`, scraping swinging feet are lifted.

    Its frames and blends are those of `join_route`; the height of lifted feet is `usual_clearance`.
    """
    if not lift:
        return join_route(graph, route, progress)
    joining, lifting = parts(progress or silent(), [1, 1])
    return lift_feet(graph, join_route(graph, route, joining), lifting)


def lift_feet(graph: Graph, clip: Clip, progress: Progress) -> Clip:
    """The motion of a route with scraping swinging feet lifted as high as those of the clips."""
    progress(0.0, "lifting swinging feet")
    clip = lift_swings(clip, _clearance(graph))
    progress(1.0, "lifting swinging feet")
    return clip


@once_per_graph
def _clearance(graph: Graph) -> float:
    return usual_clearance(graph.clips)


def join_route(graph: Graph, route: Route, progress: Progress | None = None) -> Clip:
    """The frames and blends of a route, one after the other: the same as a chain of `blend_transition`.

    The second clip of every transition is aligned by the transition's turn and shift. Labels are those of the clip that
    is left up to the transition, then those of the one that is entered. The origin of a blended frame is both clips,
    with the weights of the blend.
    """
    shown = stretches(graph, route)
    order = np.array([s.transition for s in shown if s.transition >= 0], np.int64)
    unique, which = np.unique(order, return_inverse=True)
    made, row = blends(graph, unique) if len(unique) else None, iter(which.tolist())
    sliding = slides_joints(graph)
    roots, rotations, slides = [], [], []
    for s in each(shown, progress or silent(), "rendering", [s.frames for s in shown]):
        if s.transition < 0:
            clip, part = _part(graph, s)
            roots.append(clip.root[part])
            rotations.append(clip.rotations[part])
            slides.append(_slides(clip, part) if sliding else None)
        else:
            assert made is not None
            k = next(row)
            roots.append(made.root[k, : s.frames])
            rotations.append(made.rotations[k, : s.frames])
            slides.append(None if made.slides is None else made.slides[k, : s.frames])
    root, turned = _placed(shown, np.concatenate(roots), np.concatenate(rotations))
    return Clip(
        graph.clips[0].skeleton,
        root,
        turned,
        graph.clips[0].fps,
        *route_labels(graph, shown),
        np.concatenate([x for x in slides if x is not None]) if sliding else None,
        route_origin(graph, shown),
    )


def slides_joints(graph: Graph) -> bool:
    """Whether joints of some clips move against their parents."""
    return any(clip.slides is not None for clip in graph.clips)


def route_labels(graph: Graph, shown: list[Stretch]) -> tuple[tuple[str, ...], BoolArray]:
    """The names of all labels, and (F, L) those of the frames of a route."""
    names = tuple(dict.fromkeys(name for clip in graph.clips for name in clip.label_names))
    parts = (
        _labels(*_part(graph, s), names) if s.transition < 0 else _blend_labels(graph, s.transition, names)[: s.frames]
        for s in shown
    )
    return names, np.concatenate(list(parts))


def route_origin(graph: Graph, shown: list[Stretch]) -> Origin:
    """The origin of the frames of a route."""
    origins = [
        _blend_origin(graph, s.transition, s.frames) if s.transition >= 0 else _clip_origin(graph, s) for s in shown
    ]
    return joined(origins, [s.frames for s in shown])


def _clip_origin(graph: Graph, s: Stretch) -> Origin:
    clip, part = _part(graph, s)
    return clip.origin[part]


def _placed(shown: list[Stretch], root: FloatArray, rotations: FloatArray) -> tuple[FloatArray, FloatArray]:
    """All frames turned and shifted with their stretches."""
    counts = [s.frames for s in shown]
    turn = np.repeat([s.turn for s in shown], counts)
    shift = np.repeat([s.shift for s in shown], counts, axis=0)
    root[:, [0, 2]] = ground_turn(turn, root[:, [0, 2]]) + shift
    rotations[:, 0] = multiply(yaw(turn), rotations[:, 0])
    return root, rotations


def _part(graph: Graph, s: Stretch) -> tuple[Clip, slice]:
    """The clip of unblended frames, and their range in it."""
    c = int(graph.clip_of[s.frame])
    first = s.frame - int(graph.starts[c])
    return graph.clips[c], slice(first, first + s.frames)


def _slides(clip: Clip, part: slice) -> FloatArray:
    return np.zeros((part.stop - part.start, len(clip.skeleton), 3)) if clip.slides is None else clip.slides[part]


def _labels(clip: Clip, part: slice, names: tuple[str, ...]) -> BoolArray:
    if clip.label_names == names and clip.labels is not None:
        return clip.labels[part]
    return np.stack([clip.label(name)[part] for name in names], 1)


def _blend_labels(graph: Graph, t: int, names: tuple[str, ...]) -> BoolArray:
    """(2 half - 1, L) labels in a blend: the first clip's before the transition, then the second's."""
    half, both = graph.half, graph.transitions
    before = _part(graph, Stretch(int(both.a[t]) - half + 1, -1, half - 1, 0.0, (0.0, 0.0)))
    after = _part(graph, Stretch(int(both.b[t]), -1, half, 0.0, (0.0, 0.0)))
    return np.concatenate([_labels(*before, names), _labels(*after, names)])


def _blend_origin(graph: Graph, t: int, frames: int) -> Origin:
    """The origin of the first `frames` frames of a blend: frames of both clips, with their weights."""
    half, both = graph.half, graph.transitions
    windows = [Stretch(int(frame[t]) - half + 1, -1, frames, 0.0, (0.0, 0.0)) for frame in (both.a, both.b)]
    a, b = (clip.origin[part] for clip, part in (_part(graph, window) for window in windows))
    return mixed(a, b, graph.weights[:frames])
