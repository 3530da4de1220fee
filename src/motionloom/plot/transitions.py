"""Pictures of time alignment, and of transitions: trails of joints before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionloom.analysis.alignment import TimeAlignment
from motionloom.analysis.similarity import readable
from motionloom.core import Clip, FloatArray, Source
from motionloom.kinematics.fk import fk
from motionloom.plot.figures import new_figure
from motionloom.plot.similarity import distance_matrix
from motionloom.plot.style import INK, LINE, PAPER, SOURCES

CURVE = "#35e0c8"
BLENDED = Source("blended or computed")  # the source of all frames that have several
TRACED = ("head", "hips", "left_hand", "right_hand", "left_toe", "right_toe", "left_foot", "right_foot")


def alignment_picture(found: TimeAlignment, names: tuple[str, str], fps: tuple[float, float], *, ax: Any = None) -> Any:
    """The costs of all pairs of frames, the cheapest path through them and the curve fitted to it; seconds on the axes.

    Returns the matplotlib axes (HECK fig. 3.5).
    """
    values, unit = readable(found.unit, found.cost)
    ax = distance_matrix(values, names, fps, unit=unit, path=found.path, ax=ax)
    times = found.curve(np.linspace(0, 1, 400))
    ax.plot(times[:, 1], times[:, 0], "-", color=CURVE, lw=1.2, label="alignment curve")
    key = ax.legend(loc="upper left", fontsize=8, framealpha=0.85, facecolor=PAPER, edgecolor=LINE)
    for text in key.get_texts():
        text.set_color(INK)
    return ax


def trails(
    clips: Sequence[Clip], titles: Sequence[str], *, joints: Sequence[str] = (), span: tuple[float, float] | None = None
) -> Any:
    """Trails of some joints seen from the side, one row per clip (before and after, for example); returns the figure.

    The direction of travel is to the right, height is upwards, both in metres. Colours show the sources of the frames:
    each source has its own, and blended or computed frames are the thick ones. `span` [from, to) limits it, in seconds.
    """
    sources = list(dict.fromkeys(s for clip in clips for s in clip.origin.sources))
    if any(not clip.origin.single.all() for clip in clips):
        sources.append(BLENDED)
    shown = [c if span is None else c[round(span[0] * c.fps) : round(span[1] * c.fps)] for c in clips]
    paths = [_side_view(clip, joints) for clip in shown]
    low, high = (f([f(line, axis=0) for lines in paths for line in lines], axis=0) for f in (np.min, np.max))
    tall = float(np.clip(9.0 * (high - low)[1] / max((high - low)[0], 1e-9), 1.2, 4.0))
    figure = new_figure(10.0, 0.9 + (tall + 0.4) * len(clips))
    panels = figure.subplots(len(clips), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for ax, clip, title, lines in zip(panels, shown, titles, paths, strict=True):
        for line in lines:
            for run in clip.origin.spans():
                made = len(run.sources) != 1 or run.first[0] < 0
                colour = SOURCES[sources.index(BLENDED if made else run.sources[0]) % len(SOURCES)]
                part = line[run.start : run.start + run.frames + 1]
                ax.plot(part[:, 0], part[:, 1], "-", color=colour, lw=2.2 if made else 1.1, zorder=3 if made else 2)
        ax.set_title(title, color=INK, fontsize=10, loc="left", weight="bold")
        ax.set_ylabel("height [m]", color=INK)
        ax.set_aspect("equal", adjustable="box")
        ax.tick_params(colors=INK, labelsize=8)
        for side in ax.spines.values():
            side.set_color(LINE)
    panels[-1].set_xlabel("distance [m]", color=INK)
    handles = [
        panels[0].plot([], [], color=SOURCES[k % len(SOURCES)], lw=2.2 if source is BLENDED else 1.1)[0]
        for k, source in enumerate(sources)
    ]
    names = [source.title or "clip" for source in sources]
    look = {"facecolor": PAPER, "edgecolor": LINE, "labelcolor": INK, "fontsize": 8}
    figure.legend(handles, names, loc="outside upper center", ncols=min(5, max(1, len(names))), **look)
    return figure


def _side_view(clip: Clip, joints: Sequence[str]) -> list[FloatArray]:
    """(F, 2) each: distance along the direction of travel and height, for the chosen joints."""
    skeleton = clip.skeleton
    found = [skeleton.find(name) for name in joints or TRACED]
    chosen = [j for j in found if j is not None] or [0]
    if skeleton.find("left_toe", "right_toe") is not None and not joints:
        chosen = [j for j in chosen if skeleton.roles[j] not in ("left_foot", "right_foot")]
    points = fk(clip)
    ahead = clip.root[-1, [0, 2]] - clip.root[0, [0, 2]]
    length = np.linalg.norm(ahead)
    ahead = ahead / length if length > 0.05 else np.array([0.0, 1.0])
    along = (points[:, :, [0, 2]] - clip.root[0, [0, 2]]) @ ahead
    return [np.stack([along[:, j], points[:, j, 1]], 1) for j in chosen]
