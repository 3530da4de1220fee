"""Act out a performance: find the route whose poses, or silhouettes, are most similar to a performed clip."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints import Request, Start
from motionloom.core import Clip, FloatArray, NoPath, Note, Progress, part, replace, same_hierarchy, silent
from motionloom.core.numbers import squared_distances
from motionloom.core.progress import parts, watch
from motionloom.kinematics.body.proportions import on_skeleton, same_bones
from motionloom.kinematics.loop import seam_features
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import travel
from motionloom.methods.base import place
from motionloom.methods.graph import Graph, Route
from motionloom.methods.graph.frame_names import frame_name
from motionloom.methods.graph.render.render import render
from motionloom.methods.graph.render.root_tracks import tracks
from motionloom.methods.recipe_steps import synthesis_step
from motionloom.methods.synthesis import finished, signed
from motionloom.methods.two_level_graph.markov import Chain, chain
from motionloom.methods.two_level_graph.masks import fitted_masks
from motionloom.methods.two_level_graph.model import TwoLevelGraphModel
from motionloom.methods.two_level_graph.silhouettes import VIEWS, mask_features, mirrored, silhouettes, view_angles
from motionloom.rotation import wrap_angle

STAGE = "finding the likeliest route"
BLOCK = 32  # performed frames that are compared with the graph at a time
POSE_SCALE = 0.1  # m: a pose difference with cost 1 per frame
RIVAL_ANGLE, RIVAL_COST_RATIO = (
    np.radians(50.0),
    1.5,
)  # a viewpoint this far from the best, with up to this multiple of its cost, is a rival
SMOOTHNESS = 0.3  # cost of a transition with D = delta

Apart = Callable[[int, int], Any]
"""Differences of performed frames start .. stop - 1 from every frame and viewpoint: (stop - start, N, V)."""


class PerformanceMatch(NamedTuple):
    """The route that is most similar to a performance."""

    route: Route
    cost: float  # mean per frame: see `pose_differences` and `silhouette_differences`
    view: float | None  # rad: camera direction at the start, relative to the body found; None for poses
    rival: float | None = None  # rad: a viewpoint on another side that fits nearly as well


def pose_differences(graph: Graph, performed: Clip) -> Apart:
    """Differences of poses: the squared seam (pose and velocity, root mean square over joints), in units of 10 cm."""
    own = np.concatenate([seam_features(clip) for clip in graph.clips]).astype(np.float32) / POSE_SCALE
    theirs = seam_features(performed).astype(np.float32) / POSE_SCALE
    return lambda start, stop: squared_distances(theirs[start:stop], own)[..., None]


def silhouette_differences(views: Any, masks: Any) -> Apart:
    """Differences of silhouettes: squared differences of their cells, relative to the performed ones.

    `views` are the graph's (`silhouette_views`), `masks` (F, rows, columns) the performed ones.
    """
    seen = mask_features(masks)
    holds = max(float((seen**2).sum(1).mean()), 1e-6)
    count, half, size = views.shape
    own, scale = views.reshape(count * half, size), np.float32(1 / np.sqrt(holds))

    def apart(start: int, stop: int) -> Any:
        part = seen[start:stop]
        sides = [squared_distances(x * scale, own * scale).reshape(-1, count, half) for x in (part, mirrored(part))]
        return np.concatenate(sides, 2)

    return apart


def best_match(
    chain: Chain, apart: Apart, frames: int, angles: FloatArray, *, smooth: float, progress: Progress | None = None
) -> PerformanceMatch:
    """The route of `frames` frames through the graph that is most similar to the whole performance (exact).

    Its cost is the sum of the differences of its frames, plus `smooth` times D/delta for each transition (-log of
    eq. 2.16 before normalisation, so that the next frame costs nothing). `angles` are candidates for the camera
    direction relative to the body at the start; each is searched separately, and the viewpoint changes as the body
    turns. Memory: a block of performed frames against the graph from all viewpoints, and for the best candidate one
    number for each performed frame and frame of the graph.
    """
    first, last = parts(progress or silent(), [len(angles), 1])
    costs, _ = _path_costs(chain, apart, frames, angles, smooth, first, keep=False)
    guess, end = np.unravel_index(int(np.argmin(costs)), costs.shape)
    best, firsts = float(costs[guess, end]), costs.min(1)
    if not np.isfinite(best):
        longest = int(np.diff(chain.graph.starts).max())
        raise NoPath(
            f"no route through this graph lasts {frames} frames: it has {len(chain.graph.transitions)} transitions, "
            f"and its longest clip has {longest} frames"
        )
    costs, came = _path_costs(chain, apart, frames, angles[[guess]], smooth, last, keep=True)
    route = _traced(chain.graph, came, int(end), frames)
    return PerformanceMatch(route, best / frames, float(angles[guess]), _rival(angles, firsts, int(guess)))


def _rival(angles: FloatArray, costs: FloatArray, guess: int) -> float | None:
    """The best candidate far from the one taken, if its cost is nearly as low; costs (H,)."""
    away = np.abs(wrap_angle(angles - angles[guess]))
    far = np.where(away >= RIVAL_ANGLE, costs, np.inf)
    other = int(far.argmin())
    return float(angles[other]) if far[other] <= RIVAL_COST_RATIO * costs[guess] else None


def _path_costs(
    chain: Chain, apart: Apart, frames: int, angles: FloatArray, smooth: float, progress: Progress, *, keep: bool
) -> tuple[FloatArray, Any]:
    """Cost (H, N) of the cheapest route to each frame at the end; with `keep`, also the transitions taken."""
    from motionloom.methods.two_level_graph._kernels_performance import ChainArrays, follow

    graph = chain.graph
    known, t = tracks(graph), graph.transitions
    go = np.where(np.isfinite(chain.go), 0.0, np.inf)
    take = np.where(np.isfinite(chain.take), smooth * t.distance / chain.delta, np.inf)
    lower = ChainArrays(go, known.heading, t.a, t.b, take, t.turn, graph.half)
    rows = graph.blend + 1
    cost = np.full((rows, len(angles), graph.count), np.inf)
    camera = np.zeros_like(cost)
    came = np.full((frames if keep else 0, graph.count if keep else 0), -1, np.int32)
    for first, past, block in _blocks(apart, frames, graph.blend):
        progress(first / frames, STAGE)
        rows_now = came[first : first + len(block) - past] if keep else came
        task = (lower, block, past, first, angles, cost, camera, rows_now, progress.stop)
        watch(progress, STAGE, follow, *task)
    progress(1.0, STAGE)
    return cost[(frames - 1) % rows], came


def _blocks(apart: Apart, frames: int, history: int) -> Iterator[tuple[int, int, Any]]:
    """(first performed frame, number of earlier rows in the block, differences), block after block."""
    kept: Any = None
    for first in range(0, frames, BLOCK):
        block = apart(first, min(first + BLOCK, frames))
        past = 0 if kept is None else len(kept)
        whole = block if kept is None else np.concatenate([kept, block])
        yield first, past, np.ascontiguousarray(whole, np.float32)
        kept = whole[-history:]


def _traced(graph: Graph, came: Any, end: int, frames: int) -> Route:
    taken: list[int] = []
    at, t = end, frames - 1
    while t > 0:
        e = int(came[t, at])
        if e < 0:
            at, t = at - 1, t - 1
        else:
            taken.append(e)
            at, t = int(graph.leave[e]), t - graph.blend
    return Route(at, tuple(reversed(taken)), frames)


def match_performance(
    model: TwoLevelGraphModel,
    performed: Clip,
    *,
    camera: float | None = None,
    camera_known: bool = False,
    smooth: float = SMOOTHNESS,
    progress: Progress | None = None,
) -> PerformanceMatch:
    """The route through a model's graph that is most similar to a performance, by its poses or its silhouettes.

    `performed` may be of another body (its poses then need the same joints) and frame rate. With `camera` (radians:
    its direction at the start, relative to the performer) only silhouettes are compared, from all 18 viewpoints unless
    `camera_known`. Dead ends are allowed: a performance need not continue.
    """
    graph = model.graph
    performed = resample(performed, model.fps)
    lower = chain(graph, model.delta)
    if camera is None:
        if not same_bones(model.skeleton, performed.skeleton, names=("the model", performed.name or "the performance")):
            performed = on_skeleton(performed, model.skeleton)
        apart = pose_differences(graph, performed)
        found = best_match(lower, apart, len(performed), np.zeros(1), smooth=smooth, progress=progress)
        return found._replace(view=None)
    heading = travel(performed).heading
    masks = silhouettes(performed, camera - (heading - heading[0]))
    angles = np.array([camera]) if camera_known else view_angles(VIEWS)
    apart = silhouette_differences(model.views, masks)
    return best_match(lower, apart, len(masks), angles, smooth=smooth, progress=progress)


def match_masks(
    model: TwoLevelGraphModel,
    images: Any,
    fps: float,
    *,
    camera: float | None = None,
    smooth: float = SMOOTHNESS,
    progress: Progress | None = None,
) -> PerformanceMatch:
    """The route that is most similar to masks (F, height, width) of a performer, seen by a fixed camera at `fps`.

    All viewpoints are tried, or only `camera` (radians, relative to the performer at the start).
    """
    count = max(1, int(np.floor((len(images) - 1) / fps * model.fps + 1e-6)) + 1)
    frames = np.minimum(np.round(np.arange(count) / model.fps * fps).astype(int), len(images) - 1)
    masks = fitted_masks(images, model.graph.clips)[frames]
    angles = view_angles(VIEWS) if camera is None else np.array([camera])
    apart = silhouette_differences(model.views, masks)
    return best_match(chain(model.graph, model.delta), apart, count, angles, smooth=smooth, progress=progress)


class ActedPerformance(NamedTuple):
    """A performance acted out with the model's clips."""

    clip: Clip
    acted: PerformanceMatch
    apart: float | None  # m: root mean square over joints and frames, relative to the hips; None for other joints


def act_out(
    model: TwoLevelGraphModel, performed: Clip, *, progress: Progress | None = None, **options: Any
) -> ActedPerformance:
    """The performance acted out: a finished clip with its length, frame rate and start.

    `options` are those of `match_performance`.
    """
    report = progress or silent()
    acted = match_performance(model, performed, **options, progress=part(report, 0.0, 0.8))
    path = travel(performed)
    start = Start((float(path.place[0, 0]), float(path.place[0, 1])), float(path.heading[0]))
    raw = _rendered(model, acted, performed.name)
    fps = performed.fps
    # the last frames of a faster performance come after the model's last one
    frames = min(len(performed), int(np.floor((len(raw) - 1) * fps / model.fps + 1e-6)) + 1)
    request = Request(frames=frames, fps=fps, start=start)
    clip, _ = finished(model, place(raw, request, model), request, part(report, 0.8, 1.0))
    report(1.0, "done")
    step = synthesis_step(model, "act", edits=[{name: value} for name, value in options.items()], clips=[performed])
    return ActedPerformance(signed(clip, model, step), acted, _apart(performed, clip))


def act_out_masks(
    model: TwoLevelGraphModel, images: Any, fps: float, *, progress: Progress | None = None, **options: Any
) -> ActedPerformance:
    """Masks of a performer (F, height, width) acted out, at the model's frame rate, from the origin.

    `options` are those of `match_masks`. The recipe does not contain the masks, so it cannot be repeated.
    """
    report = progress or silent()
    acted = match_masks(model, images, fps, **options, progress=part(report, 0.0, 0.8))
    raw = _rendered(model, acted, "masks")
    request = Request(frames=len(raw), fps=model.fps)
    clip, _ = finished(model, place(raw, request, model), request, part(report, 0.8, 1.0))
    report(1.0, "done")
    step = synthesis_step(model, "act", edits=[{name: value} for name, value in options.items()])
    step = dataclasses.replace(step, gap="masks were read from images, which are not recorded")
    return ActedPerformance(signed(clip, model, step), acted, None)


def _rendered(model: TwoLevelGraphModel, acted: PerformanceMatch, name: str) -> Clip:
    """The frames of the route, with notes on it and on a viewpoint that fits as well."""
    raw = render(model.graph, acted.route, lift=model.cleans_feet(Request()))
    notes = [Note(_note_text(model.graph, name, acted))]
    if (text := ambiguity(acted)) is not None:
        notes.append(Note(text, "warning"))
    return replace(raw, origin=dataclasses.replace(raw.origin, notes=tuple(notes)))


def ambiguity(acted: PerformanceMatch) -> str | None:
    """A sentence on the second viewpoint that fits, if there is one."""
    if acted.view is None or acted.rival is None:
        return None
    here, there = np.degrees(acted.view), np.degrees(acted.rival)
    what = "front and back" if np.cos(acted.view) * np.cos(acted.rival) < 0 else "two sides"
    return f"{what} cannot be distinguished: silhouettes fit nearly as well from {there:.0f} as from {here:.0f} degrees"


def _note_text(graph: Graph, name: str, acted: PerformanceMatch) -> str:
    seen = "" if acted.view is None else f", seen from {np.degrees(acted.view):.0f} degrees"
    return (
        f"{name or 'a performance'} acted out{seen}: from {frame_name(graph, acted.route.start)} over "
        f"{len(acted.route.taken)} transitions"
    )


def _apart(performed: Clip, clip: Clip) -> float | None:
    joints = len(clip.skeleton)
    if not same_hierarchy(clip.skeleton, performed.skeleton):
        return None
    one, other = (seam_features(c[: len(clip)]).reshape(len(clip), joints, 6)[..., :3] for c in (performed, clip))
    return float(np.sqrt(((one - other) ** 2).sum((1, 2)).mean()))
