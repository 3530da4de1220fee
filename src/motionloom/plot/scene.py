"""Drawing one picture of an animation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import FloatArray
from motionloom.kinematics.feet.contacts import runs
from motionloom.plot.actor import Actor
from motionloom.plot.camera import Camera
from motionloom.plot.canvas import Canvas
from motionloom.plot.style import INK, PAPER, SOURCES, TONES, mix, rgb
from motionloom.plot.view import FootTrail, View

TRAIL = 1.2  # s of a trail that is drawn behind a foot or joint
GHOST = 0.62  # how far the colours of a ghost are mixed with the paper


def draw_scene(
    canvas: Canvas,
    actors: Sequence[Actor],
    camera: Camera,
    k: int,
    fps: float,
    *,
    ghosts: bool = False,
    keep_prints: bool = False,
    routes: Sequence[FloatArray] = (),
) -> None:
    """Draw picture `k` into the canvas, which is aimed already. `routes` are polylines (N, 2) on the ground: x, z.

    With `ghosts`, all bodies but the first are pale. Footprints fade after some seconds unless `keep_prints`.
    """
    view = camera.view
    drawn = [actor for actor in actors if actor.shape.parts]
    if drawn:
        canvas.floor(view, camera.floor[k], drawn[0].ground, cell=1.0 if drawn[0].shape.size > 0.25 else 0.1)
    for route in routes:
        floor = np.stack([route[:, 0], np.full(len(route), drawn[0].ground if drawn else 0.0), route[:, 1]], -1)
        canvas.line(view.project(floor)[:, :2], mix(rgb(SOURCES[1]), rgb(PAPER), 0.35), 3.0)
    for actor in drawn:
        for trail in actor.trails:
            _draw_prints(canvas, actor, trail, view, k, fps, keep=keep_prints)
    for i, actor in enumerate(drawn):
        canvas.shadow(actor.shape, actor.points[k], view, actor.ground, 0.05 if ghosts and i else 0.17)
    for actor in actors:
        _draw_trails(canvas, actor, view, k, fps)
    depths = [float(view.project(actor.points[k, 0])[2]) for actor in drawn]
    order = sorted(range(len(drawn)), key=lambda i: (ghosts and i == 0, depths[i]))
    for i in order:
        canvas.body(drawn[i].shape, drawn[i].points[k], view, fade=GHOST if ghosts and i else 0.0)
    for actor in actors:
        if not actor.shape.parts:
            _draw_stroke(canvas, actor, view, k)


def _draw_prints(canvas: Canvas, actor: Actor, foot: FootTrail, view: View, k: int, fps: float, *, keep: bool) -> None:
    """Where the foot stands and stood until picture `k`."""
    for start, stop in runs(foot.contact):
        if start > k:
            break
        age = max(k - stop, 0) / fps
        alpha = 0.6 if stop > k else 0.32 if keep else 0.42 * (1 - age / (2 * TRAIL))
        if alpha <= 0.02:
            continue
        sole = actor.points[(start + stop) // 2, list(foot.points)].copy()
        level = float(sole[:, 1].min())
        sole[:, 1] = level if level > actor.ground + 0.06 * actor.shape.size else actor.ground  # a stair, or the floor
        canvas.footprint(sole, 0.036 * actor.shape.size, view, rgb(TONES[foot.side]), alpha)


def _draw_trails(canvas: Canvas, actor: Actor, view: View, k: int, fps: float) -> None:
    """The last second of the paths of the feet and of the chosen joints, fading."""
    lines = [(foot.points[-1], rgb(TONES[foot.side]), 1.0) for foot in actor.trails]
    lines += [(p, rgb(SOURCES[i % len(SOURCES)]), 2.0) for i, p in enumerate(actor.streamers)]
    pieces = 4
    for point, colour, width in lines:
        first = max(0, k - round(TRAIL * fps))
        path = view.project(actor.points[first : k + 1, point])[:, :2]
        cuts = np.linspace(0, len(path) - 1, pieces + 1).round().astype(int)
        for piece in range(pieces):
            a, b = cuts[piece], cuts[piece + 1]
            if b > a:
                canvas.line(path[a : b + 1], mix(colour, rgb(PAPER), 0.85 - 0.8 * (piece + 1) / pieces), width)


def _draw_stroke(canvas: Canvas, actor: Actor, view: View, k: int) -> None:
    """A pen stroke: pale where it is still to come, in ink where it has been."""
    path = view.project(actor.points[:, 0])[:, :2]
    canvas.line(path, mix(rgb(INK), rgb(PAPER), 0.8), 1.5)
    canvas.line(path[: k + 1], rgb(INK), 3.0)
    canvas.dot(path[k], 5.0, rgb(TONES["left"]))
