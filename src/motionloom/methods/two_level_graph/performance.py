"""Acting out: a performed clip, or its silhouettes as a camera sees them, picks the way through the graph."""

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
from motionloom.methods.recipe import synthesis_step
from motionloom.methods.synthesis import finished, signed
from motionloom.methods.two_level_graph.markov import Chain, chain
from motionloom.methods.two_level_graph.model import TwoLevelGraph
from motionloom.methods.two_level_graph.silhouettes import (
    VIEWS,
    mask_features,
    mirrored,
    silhouettes,
    view_angles,
)
from motionloom.rotation import wrap_angle

STAGE = "finding the likeliest route"
BLOCK = 32  # performed frames that are compared with the whole graph at a time
NEAR = 0.1  # m: a pose this far off costs 1 a frame
ASIDE, NEARLY = np.radians(50.0), 1.5  # a viewpoint so far from the best, with a cost so many times its own, is a rival
SMOOTH = 0.3  # what a transition with D = delta costs, against the likeness of the frames

Apart = Callable[[int, int], Any]
"""How unlike performed frames start .. stop - 1 look to every frame from every viewpoint: (stop - start, N, V)."""


class Acted(NamedTuple):
    """What a performance picked."""

    route: Route
    cost: float  # a frame, on average: see `pose_differences` and `silhouette_differences`
    view: float | None  # radians: where the camera stood at the start, seen from the body found; None for poses
    rival: float | None = None  # radians: a viewpoint on quite another side from which it fits nearly as well


def pose_differences(graph: Graph, performed: Clip) -> Apart:
    """Poses compared: the squared seam (pose and velocity, root mean square over joints), in units of 10 cm."""
    own = np.concatenate([seam_features(clip) for clip in graph.clips]).astype(np.float32) / NEAR
    theirs = seam_features(performed).astype(np.float32) / NEAR
    return lambda start, stop: squared_distances(theirs[start:stop], own)[..., None]


def silhouette_differences(views: Any, masks: Any) -> Apart:
    """Silhouettes compared: the squared difference of their cells, as a share of what the performed ones hold.

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


def resembling(
    chain: Chain,
    apart: Apart,
    frames: int,
    angles: FloatArray,
    *,
    smooth: float,
    progress: Progress | None = None,
) -> Acted:
    """The way of `frames` frames through the graph that looks most like the performance, over all of it (exact).

    Its cost is how unlike it looks, frame by frame, plus `smooth` times D/delta for each transition (-log of eq. 2.16
    before it is made to sum to 1, so that going on costs nothing). `angles` are guesses where the camera stands, seen
    from the body at the start; each is followed by itself, and as the body turns the camera sees it from other
    viewpoints. Memory: a block of performed frames against the graph from all viewpoints, and for the best guess one
    number for each performed frame and frame of the graph.
    """
    first, last = parts(progress or silent(), [len(angles), 1])
    costs, _ = _followed(chain, apart, frames, angles, smooth, first, keep=False)
    guess, end = np.unravel_index(int(np.argmin(costs)), costs.shape)
    best, firsts = float(costs[guess, end]), costs.min(1)
    if not np.isfinite(best):
        longest = int(np.diff(chain.graph.starts).max())
        raise NoPath(
            f"no way through this graph lasts {frames} frames: it has {len(chain.graph.transitions)} transitions, "
            f"and its longest clip has {longest} frames"
        )
    costs, came = _followed(chain, apart, frames, angles[[guess]], smooth, last, keep=True)
    route = _traced(chain.graph, came, int(end), frames)
    return Acted(route, best / frames, float(angles[guess]), _rival(angles, firsts, int(guess)))


def _rival(angles: FloatArray, costs: FloatArray, guess: int) -> float | None:
    """The best guess that is far from the one taken, if its cost is nearly as low; costs (H,)."""
    away = np.abs(wrap_angle(angles - angles[guess]))
    far = np.where(away >= ASIDE, costs, np.inf)
    other = int(far.argmin())
    return float(angles[other]) if far[other] <= NEARLY * costs[guess] else None


def _followed(
    chain: Chain, apart: Apart, frames: int, angles: FloatArray, smooth: float, progress: Progress, *, keep: bool
) -> tuple[FloatArray, Any]:
    """Cost (H, N) of the cheapest way to each frame at the end; and how each frame was come to, if wanted."""
    from motionloom.methods.two_level_graph._kernels_performance import Lower, follow

    graph = chain.graph
    known, t = tracks(graph), graph.transitions
    go = np.where(np.isfinite(chain.go), 0.0, np.inf)
    take = np.where(np.isfinite(chain.take), smooth * t.distance / chain.delta, np.inf)
    lower = Lower(go, known.heading, t.a, t.b, take, t.turn, graph.half)
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
    """(first performed frame, how many rows before it are there too, differences), block after block."""
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


def act(
    model: TwoLevelGraph,
    performed: Clip,
    *,
    camera: float | None = None,
    told: bool = False,
    smooth: float = SMOOTH,
    progress: Progress | None = None,
) -> Acted:
    """The way through a model's graph that a performance picks: by its poses, or by what a camera sees of it.

    `performed` may be of another body (its poses then need the same joints) and frame rate. With `camera` (radians:
    where it stands at the start, seen from the performer) only silhouettes are compared, from all 18 viewpoints, as
    nobody knows where the camera stands, unless that is `told`. Dead ends count too: a performance need not go on.
    """
    graph = model.graph
    performed = resample(performed, model.fps)
    lower = chain(graph, model.delta)
    if camera is None:
        if not same_bones(model.skeleton, performed.skeleton, names=("the model", performed.name or "the performance")):
            performed = on_skeleton(performed, model.skeleton)
        apart = pose_differences(graph, performed)
        found = resembling(lower, apart, len(performed), np.zeros(1), smooth=smooth, progress=progress)
        return found._replace(view=None)
    heading = travel(performed).heading
    masks = silhouettes(performed, camera - (heading - heading[0]))
    angles = np.array([camera]) if told else view_angles(VIEWS)
    apart = silhouette_differences(model.views, masks)
    return resembling(lower, apart, len(masks), angles, smooth=smooth, progress=progress)


class Played(NamedTuple):
    """A performance played by the model's own clips."""

    clip: Clip
    acted: Acted
    apart: float | None  # m: root mean square over joints and frames, seen from the hips; None for other joints


def act_out(model: TwoLevelGraph, performed: Clip, *, progress: Progress | None = None, **options: Any) -> Played:
    """The performance in the words of the graph: a finished clip of its length and frame rate, from where it began.

    `options` are those of `act`.
    """
    report = progress or silent()
    acted = act(model, performed, **options, progress=part(report, 0.0, 0.8))
    path = travel(performed)
    start = Start((float(path.place[0, 0]), float(path.place[0, 1])), float(path.heading[0]))
    raw = render(model.graph, acted.route, lift=model.cleans_feet(Request()))
    raw = replace(raw, origin=dataclasses.replace(raw.origin, notes=(Note(_said(model.graph, performed, acted)),)))
    fps = performed.fps
    # the last frames of a faster performance lie after the model's last one
    frames = min(len(performed), int(np.floor((len(raw) - 1) * fps / model.fps + 1e-6)) + 1)
    request = Request(frames=frames, fps=fps, start=start)
    clip, _ = finished(model, place(raw, request, model), request, part(report, 0.8, 1.0))
    report(1.0, "done")
    step = synthesis_step(model, "act", edits=[{name: value} for name, value in options.items()], clips=[performed])
    return Played(signed(clip, model, step), acted, _apart(performed, clip))


def _said(graph: Graph, performed: Clip, acted: Acted) -> str:
    seen = "" if acted.view is None else f", seen from {np.degrees(acted.view):.0f} degrees"
    return (
        f"{performed.name or 'a performance'} acted out{seen}: from {frame_name(graph, acted.route.start)} over "
        f"{len(acted.route.taken)} transitions"
    )


def _apart(performed: Clip, clip: Clip) -> float | None:
    joints = len(clip.skeleton)
    if not same_hierarchy(clip.skeleton, performed.skeleton):
        return None
    one, other = (seam_features(c[: len(clip)]).reshape(len(clip), joints, 6)[..., :3] for c in (performed, clip))
    return float(np.sqrt(((one - other) ** 2).sum((1, 2)).mean()))
