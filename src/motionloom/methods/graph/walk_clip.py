"""A random walk from a model to a finished clip: what `motionloom walk` makes."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints import Request
from motionloom.core import BadRequest, BoolArray, Clip, NoPath, Progress, part, replace, silent
from motionloom.methods.base import Model, place
from motionloom.methods.graph.frame_names import frame_named
from motionloom.methods.graph.graph import Graph, Route
from motionloom.methods.graph.render.render import render
from motionloom.methods.graph.search.random_walk import random_route, repeats_after
from motionloom.methods.recipe import synthesis_step
from motionloom.methods.schedule import not_carried
from motionloom.methods.synthesis import finished, signed


class Walk(NamedTuple):
    """One take: the finished clip, its way through the graph, and how soon that repeats itself."""

    clip: Clip
    route: Route
    variety: int  # frames of the model before a second of motion is shown again; see `repeats_after`


def graph_of(model: Model[Any]) -> Graph:
    """The motion graph of a model, or a refusal: not every method has one."""
    graph = getattr(model, "graph", None)
    if not isinstance(graph, Graph):
        raise BadRequest(
            f"a walk needs a motion graph, and a {model.method} model has none; "
            "`motionloom learn motion-graph` makes one (or two-level-graph, hierarchical-graph)"
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
) -> Walk:
    """Take `take` of a seed: `seconds` of a random walk through a model's graph, from the origin, plants cleaned.

    `start` is a frame by name, `walk.bvh#120`; with `style` only frames with that label are shown. `options` are those
    of `random_route`: shortest, pick, fresh. The same seed and take give the same bits.
    """
    if not (np.isfinite(seconds) and seconds > 0):
        raise BadRequest(f"a walk lasts longer than 0 s, found {seconds:g} s")
    graph = graph_of(model)
    request = Request(seconds=seconds, fps=fps)
    rate = fps or model.fps
    frames = max(1, request.length(rate) or 1)
    cover = int(np.ceil((frames - 1) * model.fps / rate - 1e-9)) + 1
    at = None if start is None else frame_named(graph, start)
    allowed = None if style is None else _labelled(graph, style)
    report = progress or silent()
    report(0.0, "walking")
    route = random_route(graph, cover, np.random.default_rng([seed, take]), start=at, allowed=allowed, **options)
    report(0.1, "rendering")
    clip = render(graph, route, lift=model.cleans_feet(request))
    clip = replace(clip, origin=dataclasses.replace(clip.origin, notes=()))  # these speak of the sources' files
    done, _ = finished(model, place(clip, request, model), request, part(report, 0.4, 1.0))
    report(1.0, "done")
    given = {"seconds": seconds, "fps": fps, "start": start, "style": style, **options}
    edits = [{name: value} for name, value in given.items() if value is not None]
    step = synthesis_step(model, "walk", seed=seed, take=take, edits=edits)
    return Walk(signed(done, model, step), route, repeats_after(graph, route))


def _labelled(graph: Graph, style: str) -> BoolArray:
    """(N,) the frames with a label; `NoPath` with the labels there are, if none has it."""
    if nowhere := not_carried(graph.clips, style):
        raise NoPath(nowhere)
    return np.concatenate([clip.label(style) for clip in graph.clips])
