"""A space baked for game engines: one clip for each vertex of its triangulation, with its place and foot phases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from motionloom.blend.registered_clips import play, sources
from motionloom.core import BadRequest, Clip, IntArray, with_labels
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.methods.recipe_steps import synthesis_step
from motionloom.methods.space.model import SpaceModel

MOST_DIMENSIONS = 4
TOGETHER = "the clips of a space are written together: run `motionloom bake` on its model again"


class Baked(NamedTuple):
    """Clips from u = 0 to u = 1, and what a blend space needs to know about them."""

    clips: tuple[Clip, ...]
    facts: dict[str, Any]  # as JSON holds it: parameters, vertices, simplices


def baked(model: SpaceModel[Any], fps: float | None = None) -> Baked:
    """The examples of a space as clips of the same phase, and their triangulation in the space of parameters.

    Phases of feet are shares of a clip: where each foot comes down and leaves the ground. Every clip runs evenly
    through the registered rows, at its own duration, so an engine that plays them at one phase blends the same moments.
    """
    space = model.space
    own = space.rows
    rows = replace(own, paces=np.broadcast_to(own.durations / own.count, own.paces.shape))
    tables = rows.tables(model.skeleton)
    clips, vertices = [], []
    step = replace(synthesis_step(model, "bake"), gap=TOGETHER)
    rate = fps or model.fps
    for k in range(rows.size):
        weights, seconds = np.eye(rows.size)[k], float(rows.durations[k])
        frames = max(2, round(seconds * rate) + 1)
        made = play(rows, model.skeleton, weights, frames, (frames - 1) / seconds, tables=tables)
        origin = sources(rows, made.position, weights[None], model.examples).with_made(step)
        clip = Clip(model.skeleton, made.root, made.rotations, (frames - 1) / seconds, origin=origin)
        clip = with_labels(clip, {p.label: made.contacts[:, i] for i, p in enumerate(foot_parts(model.skeleton))})
        clips.append(clip)
        travelled = float(np.linalg.norm(rows.steps[rows.lead : rows.lead + rows.count, k, :2], axis=1).sum())
        vertices.append(
            {
                "parameters": {n: float(v) for n, v in zip(space.names, space.values[k], strict=True)},
                "seconds": seconds,
                "speed": travelled / seconds,
                "feet": _foot_phases(model, k),
            }
        )
    parameters = [
        {"name": n, "unit": u, "low": float(a), "high": float(b)}
        for n, u, a, b in zip(space.names, _units(model), space.low, space.high, strict=True)
    ]
    facts = {
        "format": "motionloom blend space", "version": 1, "repeats": rows.cyclic, "parameters": parameters,
        "vertices": vertices, "simplices": triangulation(model).tolist(),
    }  # fmt: skip
    return Baked(tuple(clips), facts)


def triangulation(model: SpaceModel[Any]) -> IntArray:
    """(S, D + 1) vertices of each simplex of the examples' parameters, in units of their range (Delaunay)."""
    from scipy.spatial import Delaunay, QhullError

    values = (model.space.values - model.space.middle) / model.space.ranges
    if values.shape[1] == 1:
        order = np.argsort(values[:, 0], kind="stable")
        return np.stack([order[:-1], order[1:]], 1)
    if values.shape[1] > MOST_DIMENSIONS:
        raise BadRequest(f"a triangulation of {values.shape[1]} parameters; engines blend in at most {MOST_DIMENSIONS}")
    try:
        return np.asarray(Delaunay(values).simplices, np.int64)
    except QhullError as error:
        raise BadRequest(f"the parameters of the examples cannot be triangulated: {error}") from None


def _units(model: SpaceModel[Any]) -> list[str]:
    return [p.unit for p in model.space.parameters for _ in range(p.size)]


def _foot_phases(model: SpaceModel[Any], k: int) -> list[dict[str, Any]]:
    """Where feet come down and leave the ground, as shares of the clip, in order."""
    rows = model.space.rows
    touches = rows.touches[rows.lead : rows.lead + rows.count + 1, k] > 0.5
    out = []
    parts = foot_parts(model.skeleton)
    for foot in dict.fromkeys(p.foot.name for p in parts):
        on = touches[:, [i for i, p in enumerate(parts) if p.foot.name == foot]].any(1)
        change = np.diff(on.astype(int))
        last = rows.count if rows.cyclic else rows.count + 1  # the end of a cycle is its beginning
        out += [
            {"foot": foot, "event": "down" if change[r] > 0 else "up", "phase": float((r + 1) % last / rows.count)}
            for r in np.flatnonzero(change)
        ]
    return sorted(out, key=lambda event: event["phase"])
