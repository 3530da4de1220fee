"""Random walks through the graph of a model as finished clips: the result of `motionloom walk`."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Request
from motionloom.core import BadRequest, BoolArray, Clip, NoPath, Progress, replace, silent
from motionloom.core.limits import Limits
from motionloom.core.progress import parts
from motionloom.methods.base import Model, place
from motionloom.methods.graph.build.prune import largest_component, usable_transitions
from motionloom.methods.graph.config import RouteOptions
from motionloom.methods.graph.frame_names import frame_named
from motionloom.methods.graph.graph import Graph, Route
from motionloom.methods.graph.path_model import PathGraphModel
from motionloom.methods.graph.query.allowed_frames import FrameSchedule
from motionloom.methods.graph.render.render import render
from motionloom.methods.graph.search.random_walk import random_route, repeats_after
from motionloom.methods.recipe_steps import synthesis_step
from motionloom.methods.schedule import frames_with_label, missing_label
from motionloom.methods.synthesis import finished, signed


class WalkTake(NamedTuple):
    """One take: the finished clip, its route, and how soon the route repeats itself."""

    clip: Clip
    route: Route
    variety: int  # frames of the model before a second of motion is shown again; see `repeats_after`


def graph_of(model: Model[Any]) -> Graph:
    """The motion graph of a model; `BadRequest` if its method has none."""
    graph = getattr(model, "graph", None)
    if not isinstance(graph, Graph):
        raise BadRequest(
            f"a random walk needs a motion graph, and a {model.method} model has none; learn a model of motion-graph, "
            "two-level-graph or hierarchical-graph"
        )
    return graph


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
    graph = graph_of(model)
    request = Request(seconds=seconds, fps=fps)
    rate = fps or model.fps
    frames = max(1, request.length(rate) or 1)
    cover = int(np.ceil((frames - 1) * model.fps / rate - 1e-9)) + 1
    at = None if start is None else frame_named(graph, start)
    allowed = None if style is None else _labelled(graph, style)
    report = progress or silent()
    walking, rendering, finishing = parts(report, [1, 3, 6])
    walking(0.0, "walking")
    route = _route(model, cover, np.random.default_rng([seed, take]), at, allowed, options)
    clip = render(graph, route, lift=model.cleans_feet(request), progress=rendering)
    clip = replace(clip, origin=dataclasses.replace(clip.origin, notes=()))  # those of the source files
    done, _ = finished(model, place(clip, request, model), request, finishing)
    report(1.0, "done")
    given = {"seconds": seconds, "fps": fps, "start": start, "style": style, **options}
    edits = [{name: value} for name, value in given.items() if value is not None]
    step = synthesis_step(model, "walk", seed=seed, take=take, edits=edits)
    return WalkTake(signed(done, model, step), route, repeats_after(graph, route))


def _route(
    model: Model[Any], frames: int, rng: Generator, start: int | None, allowed: BoolArray | None, given: dict[str, Any]
) -> Route:
    """A random route with the options that are given; the others are those of the model."""
    graph = graph_of(model)
    if not isinstance(model, PathGraphModel):
        return random_route(graph, frames, rng, start=start, allowed=allowed, **RouteOptions.of(given).walk_options)
    moves = model.moves
    if allowed is not None:
        usable = usable_transitions(graph, allowed)[moves.number]
        moves = moves.within(largest_component(graph, allowed), usable)
    options = model.options(Request(options=given))
    return model.random_route(FrameSchedule(moves, None, allowed=allowed), frames, options, rng, start)


def _labelled(graph: Graph, style: str) -> BoolArray:
    """(N,) the frames with a label; `NoPath` with the known labels if there are none."""
    if problem := missing_label(graph.clips, style):
        raise NoPath(problem)
    return frames_with_label(graph.clips, style)
