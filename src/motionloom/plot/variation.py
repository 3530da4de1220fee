"""Pictures of variation: takes and variants over time, against each other and in principal planes; the networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from motionloom.constraints import Request
from motionloom.core import FloatArray
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import placed
from motionloom.methods.synthesis import rendered
from motionloom.methods.variation import VariationModel
from motionloom.plot.figures import new_figure
from motionloom.plot.style import INK, LINE, PAPER, SOURCES

VARIANTS = 15
SHOWN = 3  # degrees of freedom, those that vary most between takes
PHASES = 6  # moments at which bodies are overlaid
NAMED = 40  # nodes of a network, at most; of more, every second, third ... one
ENERGY = 0.99  # of the variance that the principal dimensions keep
TAKE = {"color": SOURCES[0], "lw": 1.8, "zorder": 3}
VARIANT = {"color": SOURCES[1], "lw": 0.8, "alpha": 0.8}


def variants(model: VariationModel, seed: int, count: int = VARIANTS) -> list[FloatArray]:
    """The degrees of freedom (F, D) of some variants, before the finishing pass."""
    made = (rendered(model, Request(), np.random.default_rng([seed, take]))[1] for take in range(count))
    return [model.dofs.values(clip) for clip in made]


def curves(model: VariationModel, seed: int) -> Any:
    """Takes (blue) and variants (yellow): degrees of freedom over time, against each other, and in principal planes."""
    made, takes = variants(model, seed), model.sequences
    spread = model.takes.values.std(0).mean(0) * model.dofs.scales("reach", np.concatenate(takes))
    shown = [
        int(k) for k in np.argsort(-np.where(model.dofs.displacement, 0.0, spread))[: min(SHOWN, model.dofs.count)]
    ]
    planes, dimensions = principal(np.concatenate(takes)[:, ~model.dofs.displacement])
    figure = new_figure(11.0, 2.4 * len(shown))
    panels = figure.subplots(len(shown), 3, squeeze=False)
    for row, k in enumerate(shown):
        other = shown[(row + 1) % len(shown)]
        for group, look in ((made, VARIANT), (takes, TAKE)):
            for values in group:
                panels[row, 0].plot(np.arange(len(values)) / model.fps, values[:, k], **look)
                panels[row, 1].plot(values[:, k], values[:, other], **look)
                flat = planes(values[:, ~model.dofs.displacement])
                panels[row, 2].plot(flat[:, row % dimensions], flat[:, (row + 1) % dimensions], **look)
        name, next_name = model.dofs.names[k], model.dofs.names[other]
        first, second = row % dimensions + 1, (row + 1) % dimensions + 1
        labels = (("time [s]", name), (name, next_name), (f"dimension {first}", f"dimension {second}"))
        for ax, (x, y) in zip(panels[row], labels, strict=True):
            _finish(ax, x, y)
    figure.suptitle(
        f"{len(takes)} takes and {len(made)} variants; {dimensions} dimensions keep {ENERGY:.0%} of the variance",
        color=INK, fontsize=10,
    )  # fmt: skip
    return figure


def bodies(model: VariationModel, seed: int) -> Any:
    """Takes and variants overlaid at equal shares of their length, from the side; pen strokes are drawn whole."""
    made = [rendered(model, Request(), np.random.default_rng([seed, take]))[1] for take in range(VARIANTS)]
    pen = len(model.skeleton) == 1
    shares = (1.0,) if pen else tuple(np.linspace(0, 1, PHASES))
    figure = new_figure(2.2 * len(shares) + (1.5 if pen else 0.0), 3.4)
    panels = figure.subplots(1, len(shares), squeeze=False, sharey=True)[0]
    bones = [(j, int(p)) for j, p in enumerate(model.skeleton.parents) if p >= 0]
    for ax, share in zip(panels, shares, strict=True):
        for group, look in ((made, VARIANT), (model.clips, TAKE)):
            for clip in group:
                if pen:
                    ax.plot(clip.root[:, 0], clip.root[:, 1], **look)
                    continue
                frame = round(share * (len(clip) - 1))
                points = fk(placed(clip, frame=frame)[frame : frame + 1])[0]
                lines = [(points[j, [2, 1]], points[p, [2, 1]]) for j, p in bones]
                x = np.concatenate([[a[0], b[0], np.nan] for a, b in lines])
                y = np.concatenate([[a[1], b[1], np.nan] for a, b in lines])
                ax.plot(x, y, **look)
        ax.set_aspect("equal")
        ax.locator_params(axis="x", nbins=4)
        _finish(ax, "" if pen else f"{share:.0%}", "")
    return figure


def networks(model: VariationModel, seed: int) -> Any:
    """The edges of both networks as matrices: a row for each node, a column for each possible parent."""
    count = model.dofs.count
    figure = new_figure(12.0, 5.4)
    panels = figure.subplots(1, 2, width_ratios=(2, 3))
    tables = ((model.networks.prior, ("X[0]", "X[1]"), "prior"),
              (model.networks.transition, ("X[t]", "X[t+1]", "X[t+2]"), "transition"))  # fmt: skip
    for ax, (edges, slices, title) in zip(panels, tables, strict=True):
        ax.imshow(edges, cmap="Greys", aspect="auto", interpolation="nearest", vmin=0, vmax=1.3)
        for k in range(1, len(slices)):
            ax.axvline(k * count - 0.5, color=SOURCES[4], lw=0.8)
        ax.set_xticks([(k + 0.5) * count - 0.5 for k in range(len(slices))], slices)
        _finish(ax, "parents", "nodes at X[0], then at X[1]" if title == "prior" else "nodes at t + 2")
        ax.set_title(f"{title} network, {int(edges.sum())} edges", color=INK, fontsize=9)
        step = max(1, len(edges) // NAMED)
        names = (model.dofs.names * 2)[: len(edges) : step]
        ax.set_yticks(range(0, len(edges), step), names, fontsize=5)
    return figure


def principal(values: FloatArray) -> tuple[Callable[[FloatArray], FloatArray], int]:
    """A function to principal dimensions, and how many of them keep `ENERGY` of the variance; two at least."""
    mean = values.mean(0)
    _, sizes, axes = np.linalg.svd(values - mean, full_matrices=False)
    share = np.cumsum(sizes**2) / max(float((sizes**2).sum()), 1e-12)
    count = int(np.searchsorted(share, ENERGY)) + 1
    return lambda rows: np.asarray((rows - mean) @ axes.T), min(max(count, 2), len(axes))


def _finish(ax: Any, x: str, y: str) -> None:
    ax.set_facecolor(PAPER)
    ax.set_xlabel(x, color=INK, fontsize=8)
    ax.set_ylabel(y, color=INK, fontsize=8)
    ax.tick_params(labelsize=7, colors=INK)
    for side in ax.spines.values():
        side.set_color(LINE)


PICTURES: Mapping[str, Callable[[VariationModel, int], Any]] = {
    "curves": curves,
    "bodies": bodies,
    "networks": networks,
}
