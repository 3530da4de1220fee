"""Pictures of a texture: the plane of joints and frames by source (EDEN fig. 3.1), and a neighbourhood (fig. 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.plot.figures import new_figure
from motionloom.plot.style import INK, LINE, PAPER, QUIET, SOURCES, mix, rgb

KEY = "#111111"
SHADES = (0.55, 0.0)  # of paper in the colour of the first and of the last frame of a clip
ROW = 0.19  # inches of a joint


def texture_plane(
    which: IntArray,
    frames: IntArray,
    lengths: Sequence[int],
    clips: Sequence[str],
    joints: Sequence[str],
    fps: float,
    *,
    keys: BoolArray | None = None,
    ax: Any = None,
) -> Any:
    """Draw cells (F, J): the colour is the clip, its strength the frame in it; keys have a dark frame.

    `which` and `frames` are clip and frame of every cell, -1 where a key fixes it; `keys` (F, J) marks keyed cells.
    Returns the matplotlib axes.
    """
    count, rows = which.shape
    if ax is None:
        ax = new_figure(min(16.0, 3.0 + count * 0.06), 1.0 + rows * ROW).subplots()
    image = np.empty((rows, count, 3))
    image[:] = rgb(PAPER)
    for k, length in enumerate(lengths):
        colour = np.array(rgb(SOURCES[k % len(SOURCES)]))
        cells = k == which.T
        share = SHADES[0] + (SHADES[1] - SHADES[0]) * frames.T[cells] / max(length - 1, 1)
        image[cells] = colour + share[:, None] * (np.array(rgb(PAPER)) - colour)
    ax.imshow(image, aspect="auto", interpolation="nearest", extent=(0, count / fps, rows, 0))
    if keys is not None:
        for f, j in np.argwhere(keys):
            box = [f, f + 1, f + 1, f, f], [j, j, j + 1, j + 1, j]
            ax.plot(np.array(box[0]) / fps, box[1], color=KEY, lw=0.8)
    ax.set_yticks(np.arange(rows) + 0.5, joints, fontsize=7)
    ax.tick_params(colors=INK, length=2)
    ax.set_xlabel("time [s]", color=INK)
    for side in ax.spines.values():
        side.set_color(LINE)
    for k, name in enumerate(clips):
        ax.plot([], [], "s", color=mix(rgb(SOURCES[k % len(SOURCES)]), rgb(PAPER), 0.2), label=name)
    if keys is not None and keys.any():
        ax.plot([], [], "s", mfc="none", mec=KEY, label="key")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)
    return ax


def neighbourhood(
    weights: FloatArray, gauss: FloatArray, order: IntArray, joints: Sequence[str], joint: int, *, ax: Any = None
) -> Any:
    """Draw what counts in the choice of a joint in a first pass without keys: filled cells, as dark as their weight.

    `weights` (J,) is the row of M for the joint, `gauss` (K,) the weights over time, `order` (J,) in which the joints
    of a frame are synthesized. Returns the matplotlib axes.
    """
    rows, half = len(joints), len(gauss) // 2
    if ax is None:
        ax = new_figure(2.6 + 0.24 * len(gauss), 1.0 + rows * ROW).subplots()
    place = np.empty(rows, np.int64)
    place[order] = np.arange(rows)
    table = np.zeros((rows, len(gauss)))
    table[:, :half] = weights[:, None] * gauss[:half]
    now = place < place[joint]
    now[0] = False  # the root of the frame itself does not count
    table[now, half] = weights[now] * gauss[half]
    shown = np.array(rgb(PAPER)) + (table / max(table.max(), 1e-12))[..., None] * (
        np.array(rgb(SOURCES[0])) - np.array(rgb(PAPER))
    )
    shown[joint, half] = rgb(INK)
    ax.imshow(shown, aspect="auto", interpolation="nearest", extent=(-half - 0.5, half + 0.5, rows, 0))
    ax.hlines(np.arange(rows + 1), -half - 0.5, half + 0.5, color=LINE, lw=0.5)
    ax.vlines(np.arange(-half, half + 2) - 0.5, 0, rows, color=LINE, lw=0.5)
    ax.set_yticks(np.arange(rows) + 0.5, joints, fontsize=7)
    ax.set_xlabel("frames from the cell", color=INK)
    ax.set_title(f"neighbourhood of {joints[joint]}", color=QUIET, fontsize=9)
    return ax
