"""The transitions of a texton model as a graph, each texton with a filmstrip of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core import FloatArray
from motionloom.methods.textons import TextonModel
from motionloom.methods.textons.plan.shortest_paths import probabilities
from motionloom.methods.textons.summary import endless_textons
from motionloom.plot.body import body, body_points
from motionloom.plot.figures import new_figure
from motionloom.plot.paint import paint_body
from motionloom.plot.style import INK, PAPER, QUIET
from motionloom.plot.textons import observed_clip, texton_colours
from motionloom.plot.view import View, best_yaw, characteristic_frames

POSES = 4  # of each texton
CARD_WIDTH, CARD_HEIGHT = 1.55, 1.0  # a texton's card, in the graph's own unit
CARD_STEP = 1.42  # from card to card


def texton_graph(model: TextonModel, *, inches: float = 1.25) -> Any:
    """Cards with poses of each texton's longest segment; arrows lead to what followed, wider where likelier.

    Cards of textons that can follow each other without end have a strong border. `inches` is the width of a card.
    Returns the figure.
    """
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

    chances = probabilities(model.counts)
    at = layout(chances)
    inside = endless_textons(model)
    colours = texton_colours(model)
    low, high = at.min(0) - [0.7 * CARD_WIDTH, 0.75 * CARD_HEIGHT], at.max(0) + [0.7 * CARD_WIDTH, 0.75 * CARD_HEIGHT]
    scale = inches / CARD_WIDTH
    figure = new_figure(*((high - low) * scale))
    figure.set_layout_engine("none")
    ax = figure.add_axes((0, 0, 1, 1))
    for a, b in np.argwhere(chances > 0):
        if a == b:
            continue
        bend = 0.16 if chances[b, a] > 0 else 0.08
        tail, tip = _arrow_ends(at[a], at[b])
        arrow = FancyArrowPatch(
            (tail[0], tail[1]), (tip[0], tip[1]), connectionstyle=f"arc3,rad={bend}", arrowstyle="-|>",
            mutation_scale=9, lw=0.6 + 2.4 * chances[a, b], color=colours[a], alpha=0.75, zorder=1,
        )  # fmt: skip
        ax.add_patch(arrow)
    for i, place in enumerate(at):
        corner = place - [CARD_WIDTH / 2, CARD_HEIGHT / 2]
        edge = colours[i] if i in inside else QUIET
        card = FancyBboxPatch(
            corner, CARD_WIDTH, CARD_HEIGHT, boxstyle="round,pad=0,rounding_size=0.06", facecolor=PAPER, edgecolor=edge,
            lw=2.0 if i in inside else 0.7, zorder=2,
        )  # fmt: skip
        ax.add_patch(card)
        _draw_poses(ax, model, i, place)
        again = f", again {chances[i, i]:.0%}" if chances[i, i] > 0 else ""
        title = f"{i}  ({len(model.of_texton(i))} seen{again})"
        ax.text(corner[0] + 0.05, corner[1] + CARD_HEIGHT - 0.1, title, fontsize=6.5, color=INK, va="center", zorder=4)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.axis("off")
    return figure


def _arrow_ends(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both ends of an arrow, moved from the cards' centres to their borders."""
    line = b - a
    share = 0.5 / max(abs(line[0]) / CARD_WIDTH, abs(line[1]) / CARD_HEIGHT, 1e-9)
    return a + min(share, 0.45) * line, b - min(share, 0.45) * line


def _draw_poses(ax: Any, model: TextonModel, texton: int, place: FloatArray) -> None:
    """A few poses of a texton's longest segment that differ most, side by side in its card."""
    longest = max(model.of_texton(texton), key=lambda k: model.observed[k].length)
    clip = observed_clip(model, longest)
    shape = body(clip)
    if not shape.parts:
        return
    points = body_points(clip, shape)
    view = View(best_yaw(clip, 1e9))
    inset = ax.inset_axes(
        (place[0] - CARD_WIDTH / 2, place[1] - CARD_HEIGHT / 2, CARD_WIDTH, CARD_HEIGHT),
        transform=ax.transData,
        zorder=3,
    )
    shown = characteristic_frames(points, POSES)
    tall = 1.32 * float(points[shown, :, 1].max())  # room for the card's title
    step = tall * CARD_WIDTH / CARD_HEIGHT / POSES
    for k, f in enumerate(shown):
        ground = view.project(clip.root[f] * [1.0, 0.0, 1.0])[:2]
        paint_body(inset, shape, points[f], view, shift=np.array([k * step, 0.0]) - ground)
    inset.set_xlim(-step / 2, (POSES - 0.5) * step)
    inset.set_ylim(-0.08 * tall, 0.92 * tall)
    inset.axis("off")


def layout(chances: FloatArray, *, rounds: int = 300) -> FloatArray:
    """(N, 2) a place for each texton on a grid: those that follow each other near.

    Springs and repulsion (Fruchterman and Reingold 1991) from a circle, so always the same; then every texton takes a
    place of the grid, so that all together move as little as can be from their order from left to right and in height.
    """
    from scipy.optimize import linear_sum_assignment

    count = len(chances)
    angle = 2 * np.pi * np.arange(count) / count
    at = np.sqrt(count) * np.stack([np.cos(angle), np.sin(angle)], 1)
    pull = (chances + chances.T > 0) & ~np.eye(count, dtype=bool)
    for k in range(rounds):
        apart = at[:, None] - at
        far = np.maximum(np.linalg.norm(apart, axis=2, keepdims=True), 0.1)
        force = (apart / far**2).sum(1) - (pull[..., None] * far * apart).sum(1) - 0.3 * at
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        at = at + force / length * np.minimum(length, 0.5 * np.sqrt(count) * (1 - k / rounds) ** 2)
    columns = int(np.ceil(np.sqrt(count * 0.9)))
    rows = int(np.ceil(count / columns))
    cells = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1).reshape(-1, 2).astype(float)
    order = (at.argsort(0).argsort(0) + 0.5) / count * [columns, rows] - 0.5
    _, taken = linear_sum_assignment(((order[:, None] - cells) ** 2).sum(-1))
    return cells[taken] * [CARD_STEP * CARD_WIDTH, CARD_STEP * CARD_HEIGHT * 1.15]
