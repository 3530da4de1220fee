"""The HTML player: clips that move on a canvas, in one file that works offline, without a server or other libraries."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import Clip, FloatArray, Progress, silent
from motionloom.core.progress import each, parts
from motionloom.core.watched import watched
from motionloom.io.atomic_files import write_whole
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.travel import travel
from motionloom.plot.body import body, body_points
from motionloom.plot.shape import DrawnBody
from motionloom.plot.source_tracks import SourceBand, source_colours, tracks
from motionloom.plot.style import RGB, as_hex
from motionloom.plot.view import best_yaw, foot_trails, ground_height

TONES = ("left", "right", "middle", "eye", "prop")  # the player's numbers for them
WEIGHTS = 16  # points along a blend at which its weights are stored


@dataclass(frozen=True)
class Stage:
    """One canvas of a player: clips drawn together, and words and numbers under them."""

    clips: tuple[Clip, ...]
    title: str = ""
    note: str = ""
    numbers: tuple[tuple[str, str], ...] = ()  # (what, value with its unit)
    names: tuple[str, ...] = ()  # one per clip; the clips' own names otherwise


@watched
def write_player(
    clips: Clip | Sequence[Clip],
    path: str | Path,
    *,
    titles: Sequence[str] | None = None,
    fps: float = 60.0,
    start: float = 0.0,
    progress: Progress | None = None,
) -> None:
    """Write an HTML page that plays clips side by side. It holds all it needs and works from a file, offline.

    `fps` bounds the frames per second that are stored: a clip with more keeps every second (third, ...) frame.
    `start` (s) is the time of the first frame on the clock of the files.
    """
    shown = (clips,) if isinstance(clips, Clip) else tuple(clips)
    names = tuple(titles) if titles is not None else tuple(clip.name for clip in shown)
    stages = (Stage(shown, names=names),)
    page = document(", ".join(names), player(stages, alone=True, fps=fps, clock=start, progress=progress))
    write_whole(path, [page.encode()])


def player(
    stages: Sequence[Stage],
    *,
    alone: bool = False,
    fps: float = 30.0,
    clock: float = 0.0,
    progress: Progress | None = None,
) -> str:
    """The HTML of one player, for a page that `document` wraps: its stages play on one clock, from `clock` on."""
    shares = parts(progress or silent(), [sum(len(clip) for clip in stage.clips) for stage in stages])
    drawn = [_stage(stage, fps, own) for stage, own in zip(stages, shares, strict=True)]
    data = page_json({"stages": drawn, "clock": clock})
    return f'<div class="loom"{" data-alone" if alone else ""}><script type="application/json">{data}</script></div>'


def page_json(value: Any) -> str:
    """JSON for a script element of a page: nothing in it can end the element or begin a comment in it.

    >>> page_json("</script><!--<script>")
    '"\\\\u003c/script>\\\\u003c!--\\\\u003cscript>"'
    """
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def document(title: str, content: str, *, css: str = "", scripts: Sequence[str] = ("scene.js", "player.js")) -> str:
    """A complete HTML page around `content`, with the player's style and code written into it."""
    web = files("motionloom.plot") / "web"
    style = (web / "player.css").read_text("utf-8") + css
    code = "\n".join((web / name).read_text("utf-8") for name in scripts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{content}\n"
        f"<script>\n{code}</script>\n</body>\n</html>\n"
    )


def _stage(stage: Stage, fps: float, progress: Progress) -> dict[str, Any]:
    names = stage.names or tuple(clip.name for clip in stage.clips)
    named = list(zip(stage.clips, names, strict=True))
    sizes = [len(clip) for clip in stage.clips]
    figures = [player_figure(clip, name, fps) for clip, name in each(named, progress, "drawing", sizes)]
    if len(figures) > 1:
        figures[0]["yaw"], shifts = _row(stage.clips, figures[0]["yaw"], figures[0]["size"])
        for figure, shift in zip(figures, shifts, strict=True):
            figure["shift"] = [round(float(v), 4) for v in shift]
    caption = {"title": stage.title, "note": stage.note, "numbers": list(stage.numbers)}
    return {**caption, "figures": figures}


def player_figure(clip: Clip, name: str, fps: float) -> dict[str, Any]:
    """What the player needs to draw one clip: quantised positions, parts, feet, and where to look from."""
    shape = body(clip)
    stride = max(1, round(clip.fps / fps)) if shape.parts else 1  # a pen is quick, and only one point
    used = sorted({0} | {i for part in shape.parts for i in part.points} | {i for f in shape.feet for i in f.points})
    points = body_points(clip, shape)
    low, step, data = quantise(points[::stride, used])
    size = shape.size if shape.parts else float(np.ptp(points[:, 0], axis=0).max()) or 1.0
    ground = ground_height(points, size) if shape.parts else 0.0
    top = float(np.percentile(points[..., 1].max(axis=1), 95)) - ground
    centre = (clip.root.min(axis=0) + clip.root.max(axis=0)) / 2
    return {
        "name": name,
        "fps": clip.fps / stride,
        "frames": len(range(0, len(clip), stride)),
        "points": len(used),
        "low": low,
        "step": step,
        "data": data,
        "parts": _parts(shape, used),
        "feet": _feet(clip, shape, used, stride),
        "size": round(size, 4),
        "ground": round(ground, 4),
        "yaw": round(best_yaw(clip, size), 4),
        "centre": [round(float(v), 4) for v in centre],
        "middle": round(top / 2, 4),
        "reach": round(max(_reach(points), 0.52 * top), 4),
        "radius": round(float(np.ptp(clip.root[:, [0, 2]], axis=0).max() / 2), 4),
        "sources": _sources(clip, stride),
    }


def _reach(points: FloatArray) -> float:
    """Distance (m) from the body's middle within which nearly all of it stays: sets the distance of the camera."""
    return float(np.percentile(np.linalg.norm(points - points.mean(axis=1, keepdims=True), axis=2).max(axis=1), 95))


def quantise(points: FloatArray) -> tuple[list[float], float, str]:
    """Positions (F, P, 3) as 16-bit numbers in base64: low + step * number, one step for all axes.

    A scene 10 m wide has a step of 0.15 mm. Little-endian, frame by frame.
    """
    low = points.reshape(-1, 3).min(axis=0)
    step = float((points.reshape(-1, 3).max(axis=0) - low).max()) / 65535 or 1.0
    numbers = np.rint((points - low) / step).astype("<u2")
    return [float(v) for v in low], step, base64.b64encode(numbers.tobytes()).decode("ascii")


def _parts(shape: DrawnBody, used: list[int]) -> list[Any]:
    at = {point: k for k, point in enumerate(used)}
    return [
        [[at[i] for i in p.points], [round(r, 4) for r in p.radii], TONES.index(p.tone), round(p.nearer, 4)]
        for p in shape.parts
    ]


def _feet(clip: Clip, shape: DrawnBody, used: list[int], stride: int) -> list[Any]:
    return [
        {
            "side": trail.side,
            "points": [used.index(i) for i in trail.points],
            "contacts": [[a // stride, -(-b // stride)] for a, b in runs(trail.contact)],
        }
        for trail in foot_trails(clip, shape)
    ]


def _sources(clip: Clip, stride: int) -> list[Any]:
    """A list of bands for each body part: title, start, frames, and [colour, weights along it] of each source.

    Only where a clip has more than one band.
    """
    if not clip.origin.known:
        return []
    found = tracks(clip)
    colours = source_colours([band for bands in found.values() for band in bands])
    if all(len(bands) < 2 for bands in found.values()):
        return []
    return [[_band(band, colours, stride) for band in bands] for bands in found.values()]


def _band(band: SourceBand, colours: dict[str, RGB], stride: int) -> list[Any]:
    at = (
        np.linspace(0, band.frames - 1, min(band.frames, WEIGHTS)).round().astype(int) if len(band.sources) > 1 else [0]
    )
    layers = [
        [name, as_hex(colours[name]), band.weights[at, k].round(3).tolist()] for k, name in enumerate(band.sources)
    ]
    return [band.title, band.start / stride, band.frames / stride, layers]


def _row(clips: Sequence[Clip], yaw: float, size: float) -> tuple[float, FloatArray]:
    """Clips set in a row from left to right: the picture's direction, and the ground shift (n, 2) of each.

    Bodies that travel come towards the viewer, so that they keep beside each other.
    """
    places = [travel(clip).place for clip in clips]
    ahead = max((place[-1] - place[0] for place in places), key=lambda w: float(np.linalg.norm(w)))
    across = yaw
    if np.linalg.norm(ahead) > 0.6 * size:
        across = float(np.arctan2(ahead[0], ahead[1])) + np.pi / 2
        yaw = across - np.radians(25.0)
    row = np.array([np.sin(across), np.cos(across)])
    slots = (np.arange(len(clips)) - (len(clips) - 1) / 2) * 1.15 * size
    shifts = [places[0][0] - place[0] + slot * row for place, slot in zip(places, slots, strict=True)]
    return yaw, np.array(shifts)
