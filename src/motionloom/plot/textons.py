"""Pictures of a texton model: where each texton was found, and which follows which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from motionloom.methods.textons import TextonModel
from motionloom.methods.textons.paths import probabilities
from motionloom.plot.similarity import new_figure
from motionloom.plot.style import INK, PAPER, QUIET


def segment_bands(model: TextonModel, *, ax: Any) -> Any:
    """Every clip as a row of coloured bands, one for each segment, with its texton's number; seconds below."""
    from matplotlib import colormaps

    colours = colormaps["turbo"](np.linspace(0.05, 0.95, max(len(model.textons), 2)))
    clips = list(dict.fromkeys(o.source for o in model.observed))
    at = dict.fromkeys(clips, 0.0)
    for o in model.observed:
        row, start, seconds = clips.index(o.source), at[o.source], o.length / model.fps
        ax.barh(row, seconds, left=start, height=0.8, color=colours[o.texton], edgecolor=PAPER, linewidth=1)
        ax.text(start + seconds / 2, row, str(o.texton), ha="center", va="center", fontsize=7, color=PAPER)
        at[o.source] = start + seconds
    ax.set_yticks(range(len(clips)), clips, fontsize=8, color=INK)
    ax.invert_yaxis()
    ax.set_xlabel("s", color=QUIET)
    ax.set_title("segments and their textons", color=INK, fontsize=10, loc="left")
    return ax


def transition_matrix(model: TextonModel, *, ax: Any) -> Any:
    """How likely the texton of a row is followed by that of a column."""
    image = ax.imshow(probabilities(model.counts), cmap="magma", vmin=0, vmax=1)
    ax.set_xlabel("next texton", color=QUIET)
    ax.set_ylabel("texton", color=QUIET)
    ax.set_title("transitions seen", color=INK, fontsize=10, loc="left")
    ax.figure.colorbar(image, ax=ax, label="probability", shrink=0.8)
    return ax


def save_textons(model: TextonModel, path: str | Path, *, dpi: int = 120) -> None:
    """Both pictures in one file."""
    clips = len({o.source for o in model.observed})
    figure = new_figure(12, max(4.5, 1 + 0.35 * clips))
    left, right = figure.subplots(1, 2, width_ratios=[1.6, 1])
    segment_bands(model, ax=left)
    transition_matrix(model, ax=right)
    figure.savefig(path, dpi=dpi, facecolor=PAPER)
