"""Pictures of gaze maps."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from motionloom.methods.gaze import GazeMap
from motionloom.methods.gaze.displacement_motions import JOINTS
from motionloom.plot.figures import new_figure, save_figure, style_axes
from motionloom.plot.style import INK, SOURCES


def draw_map(gaze_map: GazeMap, path: str | Path) -> None:
    """How far each joint turns, and how long a shift takes, for level looks over all yaws of a map."""
    low, high = gaze_map.limits
    yaw = np.linspace(low[0], high[0], 181)
    level = np.full(len(yaw), float(np.clip(0.0, low[1], high[1])))
    rows = gaze_map.blend(yaw, level)
    figure = new_figure(7.0, 3.2)
    turns, times = figure.subplots(1, 2)
    for k, name in enumerate(JOINTS):
        size = np.degrees(np.linalg.norm(rows[:, 2 + 3 * k : 5 + 3 * k], axis=1))
        turns.plot(np.degrees(yaw), size, color=SOURCES[k % len(SOURCES)], label=name.replace("_", " "), lw=1.2)
    times.plot(np.degrees(yaw), rows[:, 17], color=INK, lw=1.2, label="length")
    times.plot(np.degrees(yaw), rows[:, 17] * rows[:, 22], color=SOURCES[0], lw=1.2, label="peak")
    for ax, text in ((turns, "turn of each joint [deg]"), (times, "time [s]")):
        style_axes([ax], colour=INK)
        ax.set_xlabel("yaw of the target [deg], left positive", color=INK, fontsize=8)
        ax.set_ylabel(text, color=INK, fontsize=8)
        ax.legend(fontsize=7, frameon=False)
    save_figure(figure, path)
