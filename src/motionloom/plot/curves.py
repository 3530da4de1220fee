"""Two small pictures of a clip: its path on the ground, and the speed of its toes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionloom.core import Clip
from motionloom.kinematics.feet.contacts import contacts, foot_parts, part_positions, runs
from motionloom.kinematics.travel import travel
from motionloom.plot.body import body, body_points
from motionloom.plot.figures import new_figure, style_axes
from motionloom.plot.style import INK, LINE, QUIET, SOURCES, TONES
from motionloom.plot.view import foot_trails


def _new_axes(width: float, height: float) -> Any:
    """Axes of a new figure, size in inches, with a grid and without borders."""
    ax = new_figure(width, height).add_subplot()
    style_axes([ax], colour=QUIET)
    ax.grid(color=LINE, lw=0.7)
    ax.set_axisbelow(True)
    return ax


def ground_path(clip: Clip, *, ax: Any = None) -> Any:
    """The path on the ground from above, in metres; coloured by source where frames come from several clips.

    Turned so that the path runs from left to right; the body's left is up. Footprints are where feet stand.
    """
    ax = _new_axes(9.0, 3.0) if ax is None else ax
    place = travel(clip).place
    ahead = place[-1] - place[0]
    heading = float(np.arctan2(ahead[0], ahead[1]))
    turned = np.array([[np.sin(heading), np.cos(heading)], [np.cos(heading), -np.sin(heading)]]).T  # ahead, left
    line = (place - place[0]) @ turned
    shape = body(clip)
    points = body_points(clip, shape)[..., [0, 2]]
    for foot in foot_trails(clip, shape):
        for start, stop in runs(foot.contact):
            at = (points[(start + stop) // 2, list(foot.points)] - place[0]) @ turned
            ax.plot(at[:, 0], at[:, 1], color=TONES[foot.side], lw=3, alpha=0.45, solid_capstyle="round", zorder=2)
    spans = clip.origin.spans()
    names = list(dict.fromkeys(source.title for span in spans for source in span.sources))
    if len(names) < 2:
        ax.plot(line[:, 0], line[:, 1], color=INK, lw=2.0, zorder=3)
    for span in spans if len(names) > 1 else ():
        piece = line[span.start : span.start + span.frames + 1]
        colour = SOURCES[names.index(span.sources[0].title) % len(SOURCES)] if span.sources else QUIET
        ax.plot(piece[:, 0], piece[:, 1], color=colour, lw=2.0, solid_capstyle="round", zorder=3)
    for k, name in enumerate(names if len(names) > 1 else ()):
        ax.plot([], [], color=SOURCES[k % len(SOURCES)], lw=2.0, label=name)
    ax.plot(*line[0], "o", color=INK, ms=6, zorder=4, label="start")
    ax.legend(frameon=False, fontsize=8, labelcolor=INK, loc="best")
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel("metres", color=QUIET, fontsize=8)
    return ax


def toe_speeds(clips: Sequence[Clip], names: Sequence[str], *, ax: Any = None) -> Any:
    """Horizontal speed of the left toe over time, one line for each clip; shaded where the first one's toe stands."""
    ax = _new_axes(9.0, 2.6) if ax is None else ax
    colours = (TONES["left"], TONES["right"], INK, *SOURCES)
    for clip, name, colour in zip(clips, names, colours, strict=False):
        parts = [p.name for p in foot_parts(clip.skeleton)]
        toe = part_positions(clip)[:, parts.index("left_toe"), :][:, [0, 2]]
        speed = np.linalg.norm(np.gradient(toe, 1 / clip.fps, axis=0), axis=1)
        ax.plot(np.arange(len(clip)) / clip.fps, 100 * speed, color=colour, lw=1.6, label=name)
    first = clips[0]
    for start, stop in runs(contacts(clips[-1])["contact:left_toe"]):
        ax.axvspan(start / first.fps, stop / first.fps, color=INK, alpha=0.06, lw=0)
    ax.set_ylim(0, 60)
    ax.set_xlim(0, first.seconds)
    ax.set_xlabel("seconds", color=QUIET, fontsize=8)
    ax.set_ylabel("left toe, cm/s", color=QUIET, fontsize=8)
    ax.legend(frameon=False, fontsize=8, labelcolor=INK, loc="upper right")
    return ax
