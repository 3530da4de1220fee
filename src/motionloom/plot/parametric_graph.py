"""Pictures of parametric graphs: what characters reach, and edges by their limits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from motionloom.methods.parametric_graph.proposals import Trade
from motionloom.methods.parametric_graph.reachability import Reachability
from motionloom.plot.figures import new_figure, save_figure, style_axes
from motionloom.plot.style import INK, SOURCES


def draw_reachability(found: Reachability, path: str | Path) -> None:
    """Places seen from above, +z up and +x to the left, coloured by the headings with which they are reached."""
    figure = new_figure(5.2, 4.4)
    ax = figure.add_subplot()
    headings = np.where(found.headings > 0, found.headings, np.nan)
    r = found.radius
    shown = ax.imshow(headings.T, origin="lower", extent=(-r, r, -r, r), cmap="viridis", vmin=0, vmax=360)
    ax.invert_xaxis()
    style_axes([ax], colour=INK)
    for side in (-1, 1):
        turn = np.linspace(0, 2 * np.pi, 73)
        ax.plot(
            found.turning_radius * (side + np.cos(turn)), found.turning_radius * np.sin(turn), color=INK, lw=0.6, ls=":"
        )  # fmt: skip
    ax.annotate("", (0, 0.5), (0, 0), arrowprops={"arrowstyle": "->", "color": INK})
    ax.set_xlabel("x [m]", color=INK, fontsize=8)
    ax.set_ylabel("z [m]", color=INK, fontsize=8)
    ax.set_title(f"reached within {found.seconds:g} s; dotted: turning circles", color=INK, fontsize=8)
    bar = figure.colorbar(shown, ax=ax, shrink=0.8)
    bar.set_label("headings on arrival [deg of 360]", color=INK, fontsize=8)
    bar.ax.tick_params(labelsize=7, colors=INK)
    save_figure(figure, path)


def draw_trade_offs(trades: Sequence[Trade], path: str | Path) -> None:
    """Reach of edges, and the distance of their transitions, by the limit of good ones; dots: those of the edges."""
    figure = new_figure(7.0, 3.2)
    reach, quality = figure.subplots(1, 2)
    for i, trade in enumerate(trades):
        colour = SOURCES[i % len(SOURCES)]
        at = 100 * trade.limits
        for ax, values in ((reach, 100 * trade.reach), (quality, 100 * trade.distance)):
            ax.plot(at, values, color=colour, lw=1.2, label=trade.name)
            ax.plot(100 * trade.used, np.interp(trade.used, trade.limits, values), "o", color=colour, ms=4)
    for ax, text in ((reach, "reach [% of the target's range]"), (quality, "mean distance of transitions [cm]")):
        style_axes([ax], colour=INK)
        ax.set_xlabel("limit of good transitions [cm]", color=INK, fontsize=8)
        ax.set_ylabel(text, color=INK, fontsize=8)
    reach.plot([], [], "o", color=INK, ms=4, label="limit of the edge")
    quality.legend(*reach.get_legend_handles_labels(), fontsize=6, frameon=False, ncols=1 + len(trades) // 12)
    save_figure(figure, path)
