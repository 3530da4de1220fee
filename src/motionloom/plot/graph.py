"""Pictures of motion graphs: the speeds and turns that its clips contain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from motionloom.methods.graph.diagnose.coverage import MIN_MOVING_SPEED, MIN_TURN_RATE, Coverage
from motionloom.plot.figures import new_figure, save_figure, style_axes
from motionloom.plot.style import INK, LINE, QUIET, SOURCES


def coverage_picture(found: Coverage, *, ax: Any = None) -> Any:
    """Every second of a graph as a dot: its speed and its turning rate; lines mark standing and straight on.

    Left turns are on the left. Returns the matplotlib axes.
    """
    if ax is None:
        ax = new_figure(6.4, 4.2).add_subplot()
    style_axes([ax], colour=QUIET, border=LINE, size=7)
    rate, speed = np.degrees(found.turn[found.counts]), found.speed[found.counts]
    ax.scatter(rate, speed, s=9, color=SOURCES[0], alpha=0.35, linewidths=0)
    reach = max(60.0, float(np.abs(rate).max(initial=0.0)) * 1.05)
    for side in (-1, 1):
        ax.axvline(side * np.degrees(MIN_TURN_RATE), color=LINE, linewidth=1, zorder=0)
    ax.axhline(MIN_MOVING_SPEED, color=LINE, linewidth=1, zorder=0)
    ax.set_xlim(reach, -reach)
    ax.set_ylim(0, max(1.0, float(speed.max(initial=0.0)) * 1.08))
    ax.set_xlabel("left   turn, degrees a second   right", color=QUIET, fontsize=8)
    ax.set_ylabel("speed, m/s", color=QUIET, fontsize=8)
    ax.set_title("speeds and turns in these clips", color=INK, fontsize=10, loc="left")
    return ax


def save_coverage(found: Coverage, path: str | Path) -> None:
    """Write the picture of a coverage: PNG, SVG or PDF by the suffix of `path`."""
    save_figure(coverage_picture(found).figure, path)
