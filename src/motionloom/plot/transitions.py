"""Pictures of time alignment, and of transitions: trails of joints before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionloom.analysis.alignment import TimeAlignment
from motionloom.analysis.similarity import readable
from motionloom.core import Clip, FloatArray
from motionloom.kinematics.forward import fk
from motionloom.plot.similarity import distance_matrix, new_figure
from motionloom.plot.style import INK, LINE, PAPER, QUIET, SOURCES

CURVE = "#35e0c8"
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
    clips: Sequence[Clip],
    titles: Sequence[str],
    *,
    joints: Sequence[str] = (),
    span: tuple[float, float] | None = None,
) -> Any:
    """Trails of some joints seen from the side, one row per clip (before and after, say); returns the figure.

    To the right is the way the body travels, upwards is height, both in metres. Colours say where frames come from:
    each source has its own, and frames made by a method are the thick ones. `span` [from, to) limits it, in seconds.
    """
    sources = list(dict.fromkeys(s for clip in clips for s in clip.origin.sources))
    shown = [c if span is None else c[round(span[0] * c.fps) : round(span[1] * c.fps)] for c in clips]
    ways = [_sideways(clip, joints) for clip in shown]
    low, high = (f([f(line, axis=0) for lines in ways for line in lines], axis=0) for f in (np.min, np.max))
    tall = float(np.clip(9.0 * (high - low)[1] / max((high - low)[0], 1e-9), 1.2, 4.0))
    figure = new_figure(10.0, 0.9 + (tall + 0.4) * len(clips))
    panels = figure.subplots(len(clips), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for ax, clip, title, lines in zip(panels, shown, titles, ways, strict=True):
        which = np.zeros(len(clip), int) if clip.origin.which is None else clip.origin.which
        for line in lines:
            for k in np.unique(which):
                source = clip.origin.sources[k] if clip.origin.sources else None
                colour = SOURCES[sources.index(source) % len(SOURCES)] if source else QUIET
                made = bool(source and source.method)
                for first, last in _runs(which == k):
                    part = line[first : min(last + 1, len(line))]
                    ax.plot(part[:, 0], part[:, 1], "-", color=colour, lw=2.2 if made else 1.1, zorder=3 if made else 2)
        ax.set_title(title, color=INK, fontsize=10, loc="left", weight="bold")
        ax.set_ylabel("height [m]", color=INK)
        ax.set_aspect("equal", adjustable="box")
        ax.tick_params(colors=INK, labelsize=8)
        for side in ax.spines.values():
            side.set_color(LINE)
    panels[-1].set_xlabel("way [m]", color=INK)
    handles = [
        panels[0].plot([], [], color=SOURCES[k % len(SOURCES)], lw=2.2 if source.method else 1.1)[0]
        for k, source in enumerate(sources)
    ]
    said = [f"{s.clip}: {s.method}" if s.method else s.clip or "clip" for s in sources]
    look = {"facecolor": PAPER, "edgecolor": LINE, "labelcolor": INK, "fontsize": 8}
    figure.legend(handles, said, loc="outside upper center", ncols=min(5, max(1, len(said))), **look)
    return figure


def _sideways(clip: Clip, joints: Sequence[str]) -> list[FloatArray]:
    """(F, 2) each: way along the body's travel and height, for the chosen joints."""
    skeleton = clip.skeleton
    found = [skeleton.find(name) for name in joints or TRACED]
    chosen = [j for j in found if j is not None] or [0]
    if skeleton.find("left_toe", "right_toe") is not None and not joints:
        chosen = [j for j in chosen if skeleton.roles[j] not in ("left_foot", "right_foot")]
    points = fk(clip)
    way = clip.root[-1, [0, 2]] - clip.root[0, [0, 2]]
    length = np.linalg.norm(way)
    way = way / length if length > 0.05 else np.array([0.0, 1.0])
    along = (points[:, :, [0, 2]] - clip.root[0, [0, 2]]) @ way
    return [np.stack([along[:, j], points[:, j, 1]], 1) for j in chosen]


def _runs(on: Any) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], on.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
