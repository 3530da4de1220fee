"""Pictures of provenance: poses along time, and under them a band for each source of the frames."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import Clip, FloatArray, Progress, silent
from motionloom.core.progress import each, parts
from motionloom.core.watched import watched
from motionloom.plot.body import body, body_points
from motionloom.plot.figures import blank_axes, frame_axes, picture_kind, save_figure
from motionloom.plot.limbs import body_size
from motionloom.plot.paint import paint_body
from motionloom.plot.shape import DrawnBody
from motionloom.plot.source_tracks import SourceBand, source_colours, tracks
from motionloom.plot.style import INK, LINE, PAPER, QUIET, RGB
from motionloom.plot.view import View, best_yaw, even_frames

WIDTH, MARGIN = 11.0, 0.3  # inches: the picture, and its margins
TITLE_HEIGHT, POSES_HEIGHT, BAND_HEIGHT, AXIS_HEIGHT = (
    0.42,
    1.3,
    0.3,
    0.42,
)  # inches: title, poses, bands, and the seconds under them
ROW_SECONDS, MAX_ROWS = 15.0, 6  # seconds in a row, and how many rows before they get longer
FEW_PARTS = 3  # body parts whose tracks share the height of one band
POSE_SPACING = 0.62  # inches from pose to pose


def provenance(
    clips: Clip | Sequence[Clip],
    *,
    titles: Sequence[str] | None = None,
    start: float = 0.0,
    progress: Progress | None = None,
) -> Any:
    """Draw, for each clip, poses along time and under them coloured bands: which clip, and which of its frames.

    Each body part has a track of its own. In a blend, each clip's colour is as high as its weight; a plain cut is a
    line. `start` (s) is the time of the first frame. Returns the matplotlib axes (in inches).
    """
    shown = [clips] if isinstance(clips, Clip) else list(clips)
    names = list(titles) if titles is not None else [clip.name for clip in shown]
    found = [tracks(clip) for clip in shown]
    colours = source_colours([band for part in found for bands in part.values() for band in bands])
    rows = [POSES_HEIGHT + BAND_HEIGHT * max(1, len(part) / FEW_PARTS) + AXIS_HEIGHT for part in found]
    heights = [TITLE_HEIGHT + row * _rows(clip) for clip, row in zip(shown, rows, strict=True)]
    left = MARGIN + max(_label_width(part) for part in found)
    columns = _key_columns(colours)
    key = 0.24 * (int(np.ceil(len(colours) / columns)) + 1) + 0.14
    ax = blank_axes(WIDTH, sum(heights) + key)
    top = 0.0
    parts_of_picture = list(zip(shown, names, found, rows, heights, strict=True))
    for clip, title, one, row, height in each(parts_of_picture, progress or silent(), "drawing", heights):
        _draw_title(ax, clip, title, one, top)
        for k in range(_rows(clip)):
            _draw_row(ax, clip, one, colours, k, (left, top - TITLE_HEIGHT - k * row), start)
        top -= height
    _draw_key(ax, colours, columns, top)
    return frame_axes(ax, WIDTH, -sum(heights) - key)


@watched
def save_provenance(
    clips: Clip | Sequence[Clip],
    path: str | Path,
    *,
    titles: Sequence[str] | None = None,
    start: float = 0.0,
    dpi: int = 130,
    progress: Progress | None = None,
) -> None:
    """Write the picture: PNG, SVG or PDF by the suffix of `path`. Missing folders are made."""
    picture_kind(path)  # before anything is drawn
    drawing, saving = parts(progress or silent(), [2, 1])
    axes = provenance(clips, titles=titles, start=start, progress=drawing)
    saving(0.0, "writing")
    save_figure(axes.figure, path, dpi=dpi)
    saving(1.0, "writing")


def _rows(clip: Clip) -> int:
    return int(np.clip(np.ceil(clip.seconds / ROW_SECONDS - 0.01), 1, MAX_ROWS))


def _draw_title(ax: Any, clip: Clip, title: str, found: dict[str, list[SourceBand]], top: float) -> None:
    everything = [band for bands in found.values() for band in bands]
    main = next(iter(found.values()))
    joins = sum(1 for band in main if len(band.sources) > 1)
    cuts = sum(1 for a, b in pairwise(main) if len(a.sources) < 2 and len(b.sources) < 2)
    clips = len(source_colours(everything))  # as many as the key shows
    counts = ((clips, "clip"), (joins, "transition"), (cuts, "cut"), (len(found) if len(found) > 1 else 0, "part"))
    facts = [f"{clip.seconds:.2f} s", *(f"{n} {what}{'' if n == 1 else 's'}" for n, what in counts if n)]
    ax.text(MARGIN, top - 0.24, title, ha="left", va="center", color=INK, fontsize=11, weight="bold")
    ax.text(WIDTH - MARGIN, top - 0.24, ",  ".join(facts), ha="right", va="center", color=QUIET, fontsize=8)


def _label_width(found: dict[str, list[SourceBand]]) -> float:
    """Inches that the names of parts need, left of their bands; 0 for one part, whose name is not written."""
    return 0.0 if len(found) < 2 else 0.06 * max(len(part) for part in found)


def _key_columns(colours: dict[str, RGB]) -> int:
    """How many names of clips fit beside each other."""
    widest = 0.4 + 0.075 * max(len(name) for name in colours)
    return int(np.clip((WIDTH - 2 * MARGIN) / widest, 1, 6))


def _draw_row(
    ax: Any,
    clip: Clip,
    found: dict[str, list[SourceBand]],
    colours: dict[str, RGB],
    k: int,
    corner: tuple[float, float],
    start: float,
) -> None:
    """One stretch of time, its upper left `corner` given: poses, the bands of each part, seconds."""
    left, top = corner
    rows = _rows(clip)
    first, stop = (round(i * len(clip) / rows) for i in (k, k + 1))
    inch = (WIDTH - MARGIN - left) / max(round(len(clip) / rows), 1)  # for each frame
    _draw_poses(ax, clip, first, stop, inch, corner)
    height = BAND_HEIGHT / len(found) if len(found) < FEW_PARTS else BAND_HEIGHT / FEW_PARTS
    for g, (part, bands) in enumerate(found.items()):
        high = top - POSES_HEIGHT - g * height
        for band in bands:
            if band.start < stop and band.start + band.frames > first:
                _draw_band(ax, clip, band, colours, (left, first, stop, inch), (high - height, high))
        if len(found) > 1:
            ax.text(
                left - 0.04, high - height / 2, part, ha="right", va="center", color=QUIET, fontsize=min(7, 60 * height)
            )
    low = top - POSES_HEIGHT - height * len(found)
    begin, end = start + first / clip.fps, start + stop / clip.fps
    for t in np.arange(np.ceil(begin), end + 1e-9, _tick(end - begin)):
        x = left + ((t - start) * clip.fps - first) * inch
        ax.plot([x, x], [low - 0.02, low - 0.06], color=QUIET, lw=0.8)
        ax.text(x, low - 0.14, f"{t:g} s", ha="center", va="center", color=QUIET, fontsize=7)


def _draw_band(
    ax: Any,
    clip: Clip,
    band: SourceBand,
    colours: dict[str, RGB],
    row: tuple[float, int, int, float],
    heights: tuple[float, float],
) -> None:
    """A band's sources one on top of the other, each as high as its weight; the entered clip is above."""
    from matplotlib.patches import Polygon

    (left, first, stop, inch), (low, high) = row, heights
    a, b = max(band.start, first), min(band.start + band.frames, stop)
    weights = band.weights[a - band.start : b - band.start]
    edges = left + (np.arange(a, b + 1) - first) * inch
    steps = low + (high - low) * np.concatenate([np.zeros((len(weights), 1)), np.cumsum(weights, 1)], 1)
    steps = np.concatenate([steps, steps[-1:]])
    for k, name in enumerate(band.sources):
        outline = np.concatenate([np.stack([edges, steps[:, k]], 1), np.stack([edges, steps[:, k + 1]], 1)[::-1]])
        ax.add_patch(Polygon(outline, facecolor=colours[name], edgecolor="none", zorder=2 + k))
    if len(band.sources) > 1:
        ax.plot(edges, steps[:, 1], color=PAPER, lw=1.0, zorder=4)
        ax.plot([(edges[0] + edges[-1]) / 2], [high + 0.05], marker="v", ms=3.2, color=INK, mec="none", zorder=4)
    else:
        _write_band(ax, clip, band, (a, b), (edges[0], edges[-1], (high + low) / 2))
        ax.plot([edges[0], edges[0]], [low, high], color=PAPER, lw=1.0, zorder=4)


def _tick(seconds: float) -> float:
    return next((t for t in (1.0, 2.0, 5.0, 10.0, 30.0, 60.0) if seconds / t <= 18), 300.0)


def _write_band(ax: Any, clip: Clip, band: SourceBand, span: tuple[int, int], box: tuple[float, float, float]) -> None:
    """The source's frame numbers at both ends of a band and its name between them, as far as there is room."""
    left, right, y = box
    look = {"va": "center", "color": PAPER, "zorder": 5}
    name = band.sources[0].rpartition(".")[0] or band.sources[0]
    wide = right - left
    numbers: list[str] = []
    if band.first[0] >= 0:
        numbers = [str(round(n)) for n in np.interp([span[0], span[1] - 1], *_ends(band))]
    need = sum(0.062 * len(n) + 0.06 for n in numbers)
    if numbers and wide > need + 0.02:
        ax.text(left + 0.04, y, numbers[0], ha="left", fontsize=6, **look)
        ax.text(right - 0.04, y, numbers[1], ha="right", fontsize=6, **look)
        wide -= need
    elif numbers and wide > 0.062 * len(numbers[0]) + 0.04:
        ax.text((left + right) / 2, y, numbers[0], ha="center", fontsize=6, **look)
        return
    if wide > 0.085 * len(name) + 0.06:
        ax.text((left + right) / 2, y, name, ha="center", fontsize=8, weight="bold", **look)


def _ends(band: SourceBand) -> tuple[list[int], list[float]]:
    """First and last frame of a band, here and in its first source."""
    return [band.start, band.start + band.frames - 1], [band.first[0], band.last[0]]


def _draw_poses(ax: Any, clip: Clip, first: int, stop: int, inch: float, corner: tuple[float, float]) -> None:
    """Bodies over the moments they are from."""
    left, top = corner
    if len(clip.skeleton) < 2:
        return
    width = (stop - first) * inch
    shape, view = body(clip), View(best_yaw(clip[first:stop], body_size(clip.skeleton)))
    tried = clip[first + even_frames(stop - first, 24)]
    low = -0.15 * shape.size
    seen, stand = _seen(tried, shape, view)
    tall = float((seen[..., 1] - stand[:, None, 1]).max()) + 0.2 * shape.size
    reach = seen[..., 0] - stand[:, :1]
    metres = tall / (POSES_HEIGHT - 0.14)  # to the inch
    apart = max(POSE_SPACING, 1.04 * float(np.ptp(reach)) / metres)  # poses do not overlap
    count = max(1, int(width / apart))
    frames = (first + (np.arange(count) + 0.5) * (stop - first) / count).astype(int)
    points = body_points(clip[frames], shape)
    _, stand = _seen(clip[frames], shape, view)
    stand[:, 0] += (reach.max() + reach.min()) / 2  # a body is drawn with its middle over its moment
    inset = ax.inset_axes((left, top - POSES_HEIGHT + 0.1, width, POSES_HEIGHT - 0.1), transform=ax.transData)
    inset.plot([0, width * metres], [0, 0], color=LINE, lw=0.8, zorder=0)
    for k, frame in enumerate(frames):
        shift = np.array([(frame + 0.5 - first) * inch * metres, 0.0]) - stand[k]
        paint_body(inset, shape, points[k], view, shift=shift)
    inset.set_xlim(0, width * metres)
    inset.set_ylim(low, low + (POSES_HEIGHT - 0.1) * metres)
    inset.axis("off")


def _seen(clip: Clip, shape: DrawnBody, view: View) -> tuple[FloatArray, FloatArray]:
    """Poses (F, P, 2) in the picture, and (F, 2) the floor under the hips."""
    points = body_points(clip, shape)
    floor = np.stack([clip.root[:, 0], np.full(len(clip), points[..., 1].min()), clip.root[:, 2]], -1)
    return view.project(points)[..., :2], view.project(floor)[:, :2]


def _draw_key(ax: Any, colours: dict[str, RGB], columns: int, top: float) -> None:
    """Which colour is which clip, and what the marks mean."""
    from matplotlib.patches import Rectangle

    step = (WIDTH - 2 * MARGIN) / columns
    for i, (name, colour) in enumerate(colours.items()):
        x, y = MARGIN + (i % columns) * step, top - 0.12 - 0.24 * (i // columns)
        ax.add_patch(Rectangle((x, y - 0.06), 0.2, 0.12, facecolor=colour, edgecolor="none"))
        ax.text(x + 0.27, y, name, ha="left", va="center", color=INK, fontsize=8)
    y = top - 0.12 - 0.24 * int(np.ceil(len(colours) / columns))
    ax.plot([MARGIN + 0.1], [y], marker="v", ms=3.2, color=INK, mec="none")
    text = "transition: both clips, each as high as its weight;  numbers: frames of the clip"
    ax.text(MARGIN + 0.27, y, text, ha="left", va="center", color=QUIET, fontsize=7)
