"""Pictures of motion graphs: the speeds and turns that its clips contain, and a result on the requested path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import Clip
from motionloom.kinematics.travel import travel
from motionloom.methods.graph.diagnose.coverage import MIN_MOVING_SPEED, MIN_TURN_RATE, Coverage
from motionloom.plot.figures import new_figure, save_figure, style_axes
from motionloom.plot.style import INK, LINE, QUIET, SOURCES, TONES

REQUESTED = TONES["left"]  # colour of the requested path


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


def path_picture(clip: Clip, path: ArrayLike, *, title: str = "", ax: Any = None) -> Any:
    """The path of the hips from above, on the requested path (K, 2). Returns the matplotlib axes.

    z is up and x is to the left, as for a body that faces +z. Frames of one source have one colour, blends are dark.
    """
    if ax is None:
        ax = new_figure(4.6, 4.6).add_subplot()
    style_axes([ax], colour=QUIET, border=LINE, size=7)
    corners, place = np.asarray(path, float), travel(clip).place
    ax.plot(corners[:, 0], corners[:, 1], color=REQUESTED, linewidth=5, alpha=0.35, solid_capstyle="round")
    for part, colour in _source_spans(clip):
        line = place[part.start : part.stop + 1]
        ax.plot(line[:, 0], line[:, 1], color=colour, linewidth=1.3, solid_capstyle="butt")
    ax.plot(*place[0], "o", color=INK, markersize=4)
    ax.set_aspect("equal")
    ax.invert_xaxis()
    ax.margins(0.06)
    ax.set_title(title, color=INK, fontsize=9, loc="left")
    return ax


def save_coverage(found: Coverage, path: str | Path) -> None:
    """Write the picture of a coverage: PNG, SVG or PDF by the suffix of `path`."""
    save_figure(coverage_picture(found).figure, path)


def _source_spans(clip: Clip) -> list[tuple[slice, str]]:
    """Frames in a row from one source, each with a colour; blends are dark."""
    names: dict[str, str] = {}
    out = []
    for span in clip.origin.spans():
        title = span.sources[0].title if span.sources else ""
        colour = INK if len(span.sources) > 1 else names.setdefault(title, SOURCES[len(names) % len(SOURCES)])
        out.append((slice(span.start, span.start + span.frames), colour))
    return out or [(slice(0, len(clip)), SOURCES[0])]
