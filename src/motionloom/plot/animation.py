"""Animations of clips (GIF, WebP, MP4): one clip, or several on one clock, side by side or in one scene."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, Progress, silent
from motionloom.plot.actor import Actor, make_actor
from motionloom.plot.camera import Camera, make_camera
from motionloom.plot.canvas import Canvas, in_a_row
from motionloom.plot.encode import PALETTE_PICTURES, check_kind, encode
from motionloom.plot.requested_paths import requested_paths
from motionloom.plot.scene import draw_scene
from motionloom.plot.style import INK, LINE, QUIET
from motionloom.plot.view import View

LAYOUTS = ("side", "overlay", "scene")
MAX_PICTURES = 3600  # two minutes at 30 fps
HEIGHT, MAX_WIDTH = 400, 1280  # pixels
TITLE = 26  # pixels above each panel


def animate(
    clips: Clip | Sequence[Clip],
    path: str | Path,
    *,
    titles: Sequence[str] | None = None,
    layout: str = "side",
    fps: float = 30.0,
    size: tuple[int, int] | None = None,
    follow: bool | None = None,
    view: View | None = None,
    trails: bool = True,
    streamers: Sequence[str] = (),
    routes: Sequence[FloatArray] | None = None,
    keep_prints: bool = False,
    captions: bool = True,
    note: str = "",
    start: float = 0.0,
    quality: int = 75,
    progress: Progress | None = None,
) -> None:
    """Write clips as an animation; the suffix of `path` chooses GIF, WebP or MP4 (which needs ffmpeg).

    All clips play on one clock; one that ends earlier holds its last pose. `layout`: "side" draws each clip in a panel,
    "overlay" draws all in one place (the first solid, the others pale), "scene" draws all solid where they are.
    `fps` bounds the pictures per second; `size` is (width, height) in pixels. The camera follows the bodies, or keeps
    its place (`follow`; by default as the paths require), and looks along `view`. `trails` draws the paths of the feet
    and footprints (`keep_prints`: all of them so far), `streamers` the paths of joints, by role or name, `routes`
    polylines (N, 2) of ground points (x, z), by default the paths that the requests of the clips asked for. `note` is a
    line at the bottom. `start` (s) is the time of the first frame on the clock of the files. `quality` 0..100 is for
    WebP.

    >>> import motionloom as ml
    >>> walk = ml.samples.make("walk", seconds=0.5)
    >>> animate(walk, "walk.webp", fps=10)  # doctest: +SKIP
    """
    shown = [clips] if isinstance(clips, Clip) else list(clips)
    names = [clip.name for clip in shown] if titles is None else list(titles)
    check_kind(path)
    if layout not in LAYOUTS:
        raise BadRequest(f"layout must be one of {', '.join(LAYOUTS)}, not {layout!r}")
    if not shown or len(names) != len(shown):
        raise BadRequest(f"{len(shown)} clips, but {len(names)} titles")
    fps = min(fps, max(clip.fps for clip in shown))
    count = max(1, int(np.ceil(max(clip.seconds for clip in shown) * fps - 1e-6)))
    if count > MAX_PICTURES:
        raise BadRequest(
            f"{count} pictures are more than {MAX_PICTURES}: choose a part (--from, --to), fewer pictures per second, "
            "or an HTML player"
        )
    report = progress or silent()
    times = np.arange(count) / fps
    actors = []
    for clip, name in zip(shown, names, strict=True):
        report(0.0, "preparing")
        actors.append(make_actor(clip, name, times, trails=trails, streamers=streamers, start=start))
    panels = [[actor] for actor in actors] if layout == "side" else [actors]
    common = view or make_camera(actors[:1], fps).view
    cameras = [make_camera(panel, fps, follow=follow, view=common) for panel in panels]
    asked = [requested_paths(clip) for clip in shown]
    if routes is not None:
        asked = [list(routes)] * len(panels)
    elif layout != "side":
        asked = [[path for paths in asked for path in paths]]
    width, height, scale = _fit(cameras, size, captions=captions)
    drawn = 0

    def draw(k: int) -> Any:
        nonlocal drawn
        images: list[Any] = []
        for panel, camera, lines in zip(panels, cameras, asked, strict=True):
            canvas = Canvas(width // len(panels), height)
            canvas.aim(camera.centres[k], scale, (0, TITLE if captions else 0, canvas.width, height))
            draw_scene(canvas, panel, camera, k, fps, ghosts=layout == "overlay", keep_prints=keep_prints, routes=lines)
            if captions:
                _caption(canvas, panel, k, f"{start + times[k]:.2f} s", ghosts=layout == "overlay")
            if note and not images:
                canvas.text(10, height - 9, note, size=11, colour=QUIET)
            images.append(canvas.image())
        drawn += 1
        report(min(drawn / (count + PALETTE_PICTURES), 0.999), "drawing")
        return in_a_row(images)

    encode(draw, count, fps, path, quality=quality)
    report(1.0, "drawing")


def _fit(cameras: Sequence[Camera], size: tuple[int, int] | None, *, captions: bool) -> tuple[int, int, float]:
    """Width and height of the picture, and pixels per metre, the same in all panels."""
    top = TITLE if captions else 0
    wide, tall = max(camera.width for camera in cameras), max(camera.height for camera in cameras)
    if size is None:
        height = HEIGHT
        panel = int(np.clip(wide / tall * (height - top), (1.0 if len(cameras) == 1 else 0.7) * height, 2.4 * height))
        width = min(panel * len(cameras), MAX_WIDTH)
        height = min(height, int(width / len(cameras) * max(tall / wide, 0.4)) + top + 1)
        size = (width // len(cameras) * len(cameras) // 2 * 2, height // 2 * 2)
    elif min(size) < 32 or max(size) > 8192:
        raise BadRequest(f"size must be between 32 and 8192 pixels in both directions, not {size[0]} x {size[1]}")
    return *size, min(size[0] / len(cameras) / wide, (size[1] - top) / tall)


def _caption(canvas: Canvas, panel: Sequence[Actor], k: int, clock: str, *, ghosts: bool) -> None:
    """Titles above the panel, and the time and the number of the frame in it."""
    left, top, right, bottom = canvas.box
    canvas.rectangle((left, 0, right, top - 1), "#ffffff")
    canvas.rectangle((left, top - 1, right, top), LINE)
    x = left + 10.0
    for i, actor in enumerate(panel):
        canvas.text(x, top - 9, actor.title, size=13, colour=QUIET if ghosts and i else INK)
        x += canvas.text_width(actor.title, 13) + 16
    if len(panel) == 1:
        canvas.text(left + 10, bottom - 9, panel[0].frame_number(k), size=12, colour=QUIET)
    canvas.text(right - 10, bottom - 9, clock, size=12, colour=QUIET, anchor="rs")
