"""Scenes of an animation: the pose of each clip in each picture, the camera, and drawing one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionloom.core import Clip, FloatArray, IntArray
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.travel import travel
from motionloom.plot.body import body, body_points
from motionloom.plot.canvas import Canvas
from motionloom.plot.shape import DrawnBody
from motionloom.plot.style import INK, PAPER, SOURCES, TONES, mix, rgb
from motionloom.plot.view import FootTrail, View, best_yaw, foot_trails, ground_height

STEADY = 0.6  # s to each side over which the camera averages the path of the body it follows
TRAIL = 1.2  # s of a trail that is drawn behind a foot or joint
GHOST = 0.62  # how far the colours of a ghost are mixed with the paper


@dataclass(frozen=True, eq=False)
class Actor:
    """A clip in an animation: its body in each of the N pictures."""

    title: str
    shape: DrawnBody
    clip: Clip
    frames: IntArray  # (N,) frame of the clip in each picture
    points: FloatArray  # (N, P, 3) world
    path: FloatArray  # (N, 2) place of the hips on the ground: x, z
    ground: float  # m
    trails: tuple[FootTrail, ...]  # contacts (N,)
    streamers: tuple[int, ...]  # points whose trails are drawn
    first_frame: int  # number of the clip's first frame in its file

    def frame_number(self, k: int) -> str:
        """The frame of its file that picture `k` shows."""
        held = k > 0 and self.frames[k] == self.frames[k - 1] == len(self.clip) - 1
        return f"frame {self.first_frame + int(self.frames[k])}" + (" (end)" if held else "")


def make_actor(
    clip: Clip,
    title: str,
    times: FloatArray,
    *,
    trails: bool = True,
    streamers: Sequence[str] = (),
    start: float = 0.0,
) -> Actor:
    """A clip at `times` (N,) in seconds from its first frame; it holds its last pose where it has ended.

    `start` (s) is the time of its first frame on the clock of the file.
    """
    shape = body(clip)
    frames = np.minimum((times * clip.fps + 1e-6).astype(np.int64), len(clip) - 1)
    points = body_points(clip[frames], shape)
    size = shape.size if shape.parts else float(np.ptp(clip.root, axis=0).max()) or 1.0
    feet = foot_trails(clip, shape) if trails else ()
    return Actor(
        title,
        shape,
        clip,
        frames,
        points,
        travel(clip).place[frames],
        ground_height(points, size) if shape.parts else 0.0,
        tuple(FootTrail(foot.side, foot.points, foot.contact[frames]) for foot in feet),
        tuple(clip.skeleton.joint(name) for name in streamers),
        round(start * clip.fps),
    )


@dataclass(frozen=True, eq=False)
class Camera:
    """The view of one panel, and the scene point in its middle in each picture."""

    view: View
    centres: FloatArray  # (N, 2) m in the picture
    width: float  # m of the scene that are shown
    height: float
    floor: FloatArray  # (N, 2) ground point (x, z) around which the floor is drawn


def make_camera(actors: Sequence[Actor], fps: float, *, follow: bool | None = None, view: View | None = None) -> Camera:
    """A camera that follows the bodies, or shows all of their paths from one place.

    `follow` is None: it follows where the paths would make the bodies small.
    """
    first = actors[0]
    if view is None:
        yaw = best_yaw(first.clip, first.shape.size)
        view = View(yaw) if first.shape.parts else View(yaw, 0.0)
    seen = np.concatenate([view.project(actor.points)[..., :2] for actor in actors], axis=1)  # (N, P, 2)
    margin = 0.16 * max((actor.shape.size for actor in actors if actor.shape.parts), default=0.0)
    low, high = seen.min(axis=(0, 1)) - margin, seen.max(axis=(0, 1)) + margin
    low, high = low - 0.04 * (high - low), high + 0.04 * (high - low)
    stand = np.mean([floor_under(actor, view) for actor in actors], axis=0)
    offsets = seen - stand[:, None]
    near, far = offsets.min(axis=(0, 1)) - margin, offsets.max(axis=(0, 1)) + margin
    body_width = 2 * float(max(-near[0], far[0]))
    if follow is None:
        long = high[0] - low[0] > 2.2 * body_width or high[1] - low[1] > 1.5 * (far - near)[1]
        follow = bool(first.shape.parts and long)
    if not follow:
        centres = np.repeat((low + high)[None] / 2, len(seen), axis=0)
        floor = np.repeat(np.mean([actor.path.mean(axis=0) for actor in actors], axis=0)[None], len(seen), axis=0)
        return Camera(view, centres, float(high[0] - low[0]), float(high[1] - low[1]), floor)
    steady = _smooth(stand, round(STEADY * fps))
    slack = float(np.abs(steady - stand)[:, 0].max())
    floor = _smooth(np.mean([actor.path for actor in actors], axis=0), round(STEADY * fps))
    return Camera(view, steady + [0.0, (near[1] + far[1]) / 2], body_width + 2 * slack, float((far - near)[1]), floor)


def floor_under(actor: Actor, view: View) -> FloatArray:
    """(N, 2) the floor under the hips, in the picture."""
    floor = np.stack([actor.path[:, 0], np.full(len(actor.path), actor.ground), actor.path[:, 1]], -1)
    return view.project(floor)[:, :2]


def _smooth(path: FloatArray, half: int) -> FloatArray:
    """Moving average over `half` entries to each side, fewer towards the ends."""
    sums = np.concatenate([np.zeros((1, 2)), np.cumsum(path, axis=0)])
    k = np.arange(len(path))
    reach = np.minimum(half, np.minimum(k, len(path) - 1 - k))
    return (sums[k + reach + 1] - sums[k - reach]) / (2 * reach + 1)[:, None]


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
