"""Original and synthesised motion compared: paths of joints relative to the body, over time and as spectra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import travel
from motionloom.plot.figures import new_figure, style_axes
from motionloom.plot.style import INK, LINE, QUIET, SOURCES

JOINTS = ("left_hand", "right_hand", "left_foot", "right_foot")
AXES = ("to the left", "up", "forward")
WINDOW = 1.0  # s: one Welch segment, so 1 Hz for each bin


def about_body(clip: Clip, joints: Sequence[str]) -> FloatArray:
    """(F, n, 3) metres: joints to the left of, above and in front of the hips.

    For a clip of one joint (a pen): its path relative to the mean.
    """
    if len(clip.skeleton) == 1:
        return np.asarray(clip.root - clip.root.mean(0))[:, None]
    chosen = [clip.skeleton.joint(name) for name in joints]
    path = travel(clip)
    away = fk(clip)[:, chosen] - clip.root[:, None]
    c, s = np.cos(path.heading)[:, None], np.sin(path.heading)[:, None]
    x, z = away[..., 0], away[..., 2]
    return np.stack([c * x - s * z, away[..., 1], s * x + c * z], -1)


def joints_to_draw(clip: Clip, joints: Sequence[str] = ()) -> list[str]:
    """The given joints, otherwise hands and feet, otherwise the last joint."""
    if joints:
        return list(joints)
    return [j for j in JOINTS if clip.skeleton.find(j) is not None] or [clip.skeleton.names[-1]]


def trajectories(original: Clip, made: Sequence[Clip], names: Sequence[str], *, joints: Sequence[str] = ()) -> Any:
    """Paths of joints relative to the hips over time: the original broad and grey, synthesised clips in colours.

    One row for each joint, a column for each direction. Returns the figure.
    """
    chosen = joints_to_draw(original, joints)
    figure = new_figure(11.0, 0.6 + 1.35 * len(chosen))
    panels = figure.subplots(len(chosen), 3, sharex=True, squeeze=False)
    for k, clip in enumerate([original, *made]):
        places = about_body(clip, chosen)
        time = np.arange(len(clip)) / clip.fps
        look = {"color": QUIET, "lw": 3.2, "alpha": 0.55} if k == 0 else {"color": SOURCES[(k - 1) % 8], "lw": 1.2}
        for row, of_joint in zip(panels, np.swapaxes(places, 0, 1), strict=True):
            for column, ax in enumerate(row):
                ax.plot(time, 100 * of_joint[:, column], label=([*names][k - 1] if k else "original"), **look)
    for row, joint in zip(panels, chosen, strict=True):
        row[0].set_ylabel(f"{joint.replace('_', ' ')}\n[cm]", color=INK, fontsize=8)
    for ax, axis in zip(panels[0], AXES, strict=True):
        ax.set_title(axis, color=INK, fontsize=9, loc="left")
    for ax in panels[-1]:
        ax.set_xlabel("s", color=QUIET, fontsize=8)
    _finish(figure, panels)
    return figure


def spectra(
    originals: Sequence[Clip], made: Sequence[Clip], names: Sequence[str], *, joints: Sequence[str] = ()
) -> Any:
    """Welch power spectra of the joints' paths relative to the hips, summed over directions: originals broad and grey.

    `originals` are averaged, weighted by their length; those shorter than a Welch segment do not count. If all are
    (pen strokes), the segment is as long as the shortest clip. Returns the figure.
    """
    chosen = joints_to_draw(originals[0], joints)
    figure = new_figure(2.9 * len(chosen) + 0.4, 3.0)
    panels = figure.subplots(1, len(chosen), sharey=True, squeeze=False)
    long = [c for c in originals if len(c) >= WINDOW * c.fps]
    seconds = WINDOW if long else min(len(c) / c.fps for c in (*originals, *made))
    long = long or list(originals)
    powers = [joint_spectrum(c, chosen, seconds) for c in long]
    curves = [(powers[0][0], np.average([p for _, p in powers], axis=0, weights=[len(c) for c in long]))]
    curves += [joint_spectrum(c, chosen, seconds) for c in made]
    for k, (hertz, power) in enumerate(curves):
        look = {"color": QUIET, "lw": 3.2, "alpha": 0.55} if k == 0 else {"color": SOURCES[(k - 1) % 8], "lw": 1.2}
        for ax, values in zip(panels[0], power.T, strict=True):
            ax.semilogy(hertz[1:], 1e4 * values[1:], label=([*names][k - 1] if k else "original"), **look)
    for ax, joint in zip(panels[0], chosen, strict=True):
        ax.set_title(joint.replace("_", " "), color=INK, fontsize=9, loc="left")
        ax.set_xlabel("Hz", color=QUIET, fontsize=8)
    panels[0, 0].set_ylabel("cm² / Hz", color=INK, fontsize=8)
    _finish(figure, panels)
    return figure


def joint_spectrum(clip: Clip, joints: Sequence[str], seconds: float = WINDOW) -> tuple[FloatArray, FloatArray]:
    """Frequencies (B,) in Hz and power (B, n) in m^2/Hz of the joints' paths relative to the hips.

    Welch 1967, Hann windows; `seconds` is the length of one window.
    """
    from scipy.signal import welch

    hertz, power = welch(about_body(clip, joints), clip.fps, nperseg=round(seconds * clip.fps), axis=0)
    return np.asarray(hertz), np.asarray(power.sum(-1))


def _finish(figure: Any, panels: Any) -> None:
    style_axes(np.ravel(panels), colour=QUIET, size=7)
    for ax in np.ravel(panels):
        ax.grid(color=LINE, lw=0.6)
    handles, names = np.ravel(panels)[0].get_legend_handles_labels()
    figure.legend(
        handles, names, loc="outside upper right", ncols=len(names), frameon=False, fontsize=8, labelcolor=INK
    )
