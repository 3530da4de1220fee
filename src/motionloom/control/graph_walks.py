"""Live characters of motion graphs on given routes: random walks and choices, recorded as finished clips.

These are the results of `motionloom walk` and `motionloom choices --follow -o`. Once a route is recorded all its frames
are known, so swinging feet that scrape are lifted and plants are cleaned as in the clips of `synthesize`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Request
from motionloom.control.record import record
from motionloom.control.stepping import REPORT_INTERVAL
from motionloom.core import BoolArray, Clip, NoPath, Progress, replace, silent
from motionloom.core.limits import Limits
from motionloom.core.poses import Poses, commands
from motionloom.core.progress import parts
from motionloom.methods.base import Model, place
from motionloom.methods.graph.build.prune import largest_component, usable_transitions
from motionloom.methods.graph.config import RouteOptions
from motionloom.methods.graph.frame_names import frame_name, frame_named
from motionloom.methods.graph.graph import FREE, STAY, Graph, Route
from motionloom.methods.graph.live import GraphLive, GraphState
from motionloom.methods.graph.model import GraphModel, graph_model
from motionloom.methods.graph.path_model import PathGraphModel
from motionloom.methods.graph.query.allowed_frames import FrameSchedule
from motionloom.methods.graph.render.render import join_route, lift_feet, route_labels, route_origin, slides_joints
from motionloom.methods.graph.render.root_tracks import stretches
from motionloom.methods.graph.search.random_walk import random_route, repeats_after
from motionloom.methods.recipe_steps import synthesis_step
from motionloom.methods.schedule import frames_with_label, missing_label
from motionloom.methods.synthesis import finished, signed
from motionloom.methods.two_level_graph.model import TwoLevelGraphModel, follow_choices


class WalkTake(NamedTuple):
    """One take: the finished clip, its route, and how soon the route repeats itself."""

    clip: Clip
    route: Route
    variety: int  # frames of the model before a second of motion is shown again; see `repeats_after`


def random_walk(
    model: Model[Any],
    seconds: float,
    *,
    fps: float | None = None,
    start: str | None = None,
    style: str | None = None,
    seed: int = 0,
    take: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> WalkTake:
    """Take `take` of a seed: `seconds` of a random walk through a model's graph, from the origin, plants cleaned.

    `start` is a frame by name, `walk.bvh#120`; with `style` only frames with that label are shown. `options` (shortest,
    sampling, avoid_repeats) are by default those of the model's variant. The same seed and take give the same bits.
    """
    Limits.current().check_length(seconds, fps or model.fps)
    graphs = graph_model(model)
    graph = graphs.graph
    request = Request(seconds=seconds, fps=fps)
    rate = fps or model.fps
    frames = max(1, request.length(rate) or 1)
    cover = int(np.ceil((frames - 1) * model.fps / rate - 1e-9)) + 1
    at = None if start is None else frame_named(graph, start)
    allowed = None if style is None else _labelled(graph, style)
    report = progress or silent()
    report(0.0, "walking")
    route = _random_route(graphs, cover, np.random.default_rng([seed, take]), at, allowed, options)
    given = {"seconds": seconds, "fps": fps, "start": start, "style": style, **options}
    clip = _finished_route(graphs, route, request, "walk", given, report, seed=seed, take=take)
    return WalkTake(clip, route, repeats_after(graph, route))


def chosen_moves(
    model: TwoLevelGraphModel,
    start: int,
    numbers: Sequence[str],
    *,
    reach: float = 1.5,
    most: int = 12,
    progress: Progress | None = None,
) -> Clip:
    """The motion of choices that are taken one after the other from graph frame `start`, by their numbers."""
    route = follow_choices(model, start, numbers, reach=reach, most=most)
    given = {"start": frame_name(model.graph, start), "numbers": list(numbers), "reach": reach, "most": most}
    return _finished_route(model, route, Request(), "choices", given, progress or silent())


def run_route(live: GraphLive, route: Route, progress: Progress | None = None) -> Iterator[tuple[GraphState, Poses]]:
    """One character that takes the transitions of a route: its state and pose at each of the route's frames."""
    report, taken, none = progress or silent(), iter(route.taken), commands()
    state = live.begin_at(route.start)
    for n in range(route.frames):
        if n % REPORT_INTERVAL == 0:
            report(n / route.frames, "stepping")
        if state.ordered[0] == FREE:
            state = live.order(state, next(taken, STAY))
        state, poses = live.step(state, none, 1.0 / live.fps)
        yield state, poses
    report(1.0, "stepping")


def record_route(model: GraphModel[Any], route: Route, progress: Progress | None = None) -> Clip:
    """The recording of a character on a route, in the coordinates of its first clip.

    A pose has one action, no slides, and sources without parts; labels, slides and origin are those of the route.
    """
    graph, live = model.graph, model.live
    clip = record(live, run_route(live, route, progress), live.fps)
    shown = stretches(graph, route)
    names, labels = route_labels(graph, shown)
    slides = join_route(graph, route).slides if slides_joints(graph) else None
    return replace(clip, label_names=names, labels=labels, slides=slides, origin=route_origin(graph, shown))


def _finished_route(
    model: GraphModel[Any],
    route: Route,
    request: Request,
    command: str,
    given: Mapping[str, Any],
    progress: Progress,
    *,
    seed: int | None = None,
    take: int | None = None,
) -> Clip:
    """The recording of a route as a finished clip with the recipe of its command."""
    stepping, lifting, finishing = parts(progress, [3, 1, 6])
    clip = record_route(model, route, stepping)
    if model.cleans_feet(request):
        clip = lift_feet(model.graph, clip, lifting)
    clip = replace(clip, origin=dataclasses.replace(clip.origin, notes=()))  # those of the source files
    clip, _ = finished(model, place(clip, request, model), request, finishing)
    progress(1.0, "done")
    edits = [{name: value} for name, value in given.items() if value is not None]
    return signed(clip, model, synthesis_step(model, command, seed=seed, take=take, edits=edits))


def _random_route(
    model: GraphModel[Any],
    frames: int,
    rng: Generator,
    start: int | None,
    allowed: BoolArray | None,
    given: Mapping[str, Any],
) -> Route:
    """A random route with the options that are given; the others are those of the model."""
    graph = model.graph
    if not isinstance(model, PathGraphModel):
        return random_route(graph, frames, rng, start=start, allowed=allowed, **RouteOptions.of(given).walk_options)
    moves = model.moves
    if allowed is not None:
        usable = usable_transitions(graph, allowed)[moves.number]
        moves = moves.within(largest_component(graph, allowed), usable)
    options = model.options(Request(options=dict(given)))
    return model.random_route(FrameSchedule(moves, None, allowed=allowed), frames, options, rng, start)


def _labelled(graph: Graph, style: str) -> BoolArray:
    """(N,) the frames with a label; `NoPath` with the known labels if there are none."""
    if problem := missing_label(graph.clips, style):
        raise NoPath(problem)
    return frames_with_label(graph.clips, style)
