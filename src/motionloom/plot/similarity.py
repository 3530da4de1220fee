"""Pictures of similarity: distance matrices with their pairs and paths, and curves of curvature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motionloom.analysis.pairs import Pairs
from motionloom.analysis.similarity import Similarity, readable
from motionloom.core import BadRequest, FloatArray, IntArray
from motionloom.plot.figures import new_figure, style_axes
from motionloom.plot.style import INK, LINE, PAPER, QUIET, SOURCES

PAIR = "#35e0c8"
PATH = "#ffb03b"


def panel_size(shape: tuple[int, ...], fps: tuple[float, float], longest: float = 6.0) -> tuple[float, float]:
    """Width and height in inches for a matrix whose axes have one scale, with room for labels and a colour bar."""
    wide, tall = shape[1] / fps[1], shape[0] / fps[0]
    scale = longest / max(wide, tall)
    return max(2.4, wide * scale) + 1.6, max(2.4, tall * scale) + 0.9


def similarity_matrix(
    found: Similarity, *, title: str | None = None, path: IntArray | FloatArray | None = None, ax: Any = None
) -> Any:
    """Draw what `find_similar` found, under the measure's name unless there is a title; see `distance_matrix`."""
    values, unit = readable(found.measure.unit, found.matrix)
    if found.measure.name == "curvature":  # pairs that were no candidates have no value of their own
        values = np.where(values >= values.max(), np.nan, values) if np.ptp(values) else values
    names = (found.a.name or "A", found.b.name or "B")
    rates = (found.a.fps, found.b.fps)
    return distance_matrix(
        values,
        names,
        rates,
        first=found.first,
        unit=unit,
        title=found.measure.name if title is None else title,
        pairs=found.pairs,
        path=path,
        ax=ax,
    )


def distance_matrix(
    values: FloatArray,
    names: tuple[str, str],
    fps: tuple[float, float],
    *,
    first: tuple[int, int] = (0, 0),
    unit: str = "",
    title: str = "",
    pairs: Pairs | None = None,
    path: IntArray | FloatArray | None = None,
    ax: Any = None,
) -> Any:
    """How unlike each frame of clip A (upwards) is to each frame of clip B (to the right): dark is alike.

    `values` may hold NaN for cells without a value (drawn as paper). `pairs` are drawn as dots, `path` (N, 2), frames
    of A and B, as a line. Axes are in seconds. Returns the matplotlib axes.
    """
    if values.ndim != 2:
        raise BadRequest(f"distance matrix: expected (frames of A, frames of B), found shape {values.shape}")
    if ax is None:
        ax = new_figure(*panel_size(values.shape, fps)).add_subplot()
    (rows, columns), (r, c) = values.shape, first
    extent = ((c - 0.5) / fps[1], (c + columns - 0.5) / fps[1], (r - 0.5) / fps[0], (r + rows - 0.5) / fps[0])
    shown = ax.imshow(
        values, origin="lower", extent=extent, cmap="magma", aspect="equal", interpolation="nearest", rasterized=True
    )
    bar = ax.figure.colorbar(shown, ax=ax, pad=0.02, shrink=0.9)
    bar.set_label(unit.replace("^2", "²"), color=INK)
    bar.outline.set_edgecolor(LINE)
    bar.ax.tick_params(colors=INK, labelsize=8)
    if pairs is not None and len(pairs):
        at = pairs.frames / np.asarray(fps)
        ax.plot(at[:, 1], at[:, 0], ".", color=PAIR, ms=2.2 if len(pairs) > 200 else 4, label=f"{len(pairs)} pairs")
    if path is not None and len(path):
        at = np.asarray(path) / np.asarray(fps)
        ax.plot(at[:, 1], at[:, 0], "-", color=PATH, lw=1.8, label="path")
    if ax.get_legend_handles_labels()[0]:
        key = ax.legend(loc="upper left", fontsize=8, framealpha=0.85, facecolor=PAPER, edgecolor=LINE)
        for text in key.get_texts():
            text.set_color(INK)
    ax.set_xlabel(f"{names[1]} [s]", color=INK)
    ax.set_ylabel(f"{names[0]} [s]", color=INK)
    if title:
        ax.set_title(title, color=INK, fontsize=11, loc="left", weight="bold")
    style_axes([ax], colour=INK, border=QUIET)
    ax.set_facecolor(LINE)
    return ax


def curvature_curves(
    curves: Mapping[str, FloatArray], fps: float, *, first: int = 0, title: str = "", ax: Any = None
) -> Any:
    """Curvature (1/m) over time, one line for each named curve (F,); returns the matplotlib axes."""
    if not curves:
        raise BadRequest("curvature curves: expected at least one curve, found none")
    if ax is None:
        ax = new_figure(8.0, 3.0).add_subplot()
    for n, (name, values) in enumerate(curves.items()):
        t = (first + np.arange(len(values))) / fps
        ax.plot(t, values, color=SOURCES[n % len(SOURCES)], lw=1.3, label=name)
    ax.set_xlabel("time [s]", color=INK)
    ax.set_ylabel("curvature [1/m]", color=INK)
    ax.set_ylim(bottom=0)
    ax.legend(fontsize=8, framealpha=0.85, facecolor=PAPER, edgecolor=LINE, labelcolor=INK)
    if title:
        ax.set_title(title, color=INK, fontsize=11, loc="left", weight="bold")
    style_axes([ax], colour=INK, border=QUIET)
    return ax


def bars(
    groups: Sequence[str], values: Mapping[str, Sequence[float]], *, unit: str, title: str = "", ax: Any = None
) -> Any:
    """One group of bars for each name in `groups`, one bar in it for each entry of `values`; returns the axes."""
    if ax is None:
        ax = new_figure(8.0, 3.2).add_subplot()
    wide = 0.8 / len(values)
    at = np.arange(len(groups))
    for n, (name, heights) in enumerate(values.items()):
        ax.bar(
            at + (n - (len(values) - 1) / 2) * wide, heights, wide * 0.92, color=SOURCES[n % len(SOURCES)], label=name
        )
    ax.set_xticks(at, groups)
    ax.set_ylabel(unit, color=INK)
    ax.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=min(6, len(values)), fontsize=8, frameon=False, labelcolor=INK
    )
    if title:
        ax.set_title(title, color=INK, fontsize=11, loc="right", weight="bold")
    style_axes([ax], colour=INK, border=QUIET)
    return ax
