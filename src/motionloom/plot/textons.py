"""Pictures of a texton model: where each texton was found, and which follows which."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.core import Clip, FloatArray, replace
from motionloom.methods.textons import TextonModel
from motionloom.methods.textons.plan.shortest_paths import probabilities
from motionloom.methods.textons.summary import endless_textons
from motionloom.plot.body import body, body_points
from motionloom.plot.figures import new_figure
from motionloom.plot.paint import paint_body
from motionloom.plot.style import INK, LINE, PAPER, QUIET, SOURCES
from motionloom.plot.view import View, best_yaw

FIGURE_WIDTH = 13.0  # width of the segmentation with its filmstrip
BODY_HEIGHT = 0.62  # inches: a body in it


class SegmentBand(NamedTuple):
    """One observed segment in time."""

    observed: int
    name: str  # 7#1: segment 1 of texton 7
    start: float  # s, in its clip
    seconds: float


def bands(model: TextonModel) -> dict[str, list[SegmentBand]]:
    """Every clip's segments in time; frames that were left out of learning stay as gaps.

    A segment stores its first frame in its file, and how much faster the file's frame rate is than the model's. A
    second clip of the same name gets a number: dance (2).
    """
    clips: dict[str, list[int]] = {}
    names_used: dict[str, int] = {}
    source = ""
    for k, o in enumerate(model.observed):
        before = model.observed[k - 1] if k else None
        if before is None or before.source != o.source or o.frame <= before.frame:
            names_used[o.source] = names_used.get(o.source, 0) + 1
            source = o.source if names_used[o.source] == 1 else f"{o.source} ({names_used[o.source]})"
        clips.setdefault(source, []).append(k)
    names = {o: f"{i}#{n}" for i in range(len(model.textons)) for n, o in enumerate(model.of_texton(i))}
    out = {}
    for source, own in clips.items():
        seen = [model.observed[k] for k in own]
        out[source] = [
            SegmentBand(k, names[k], o.frame / max(o.pace, 1e-9) / model.fps, o.covers / model.fps)
            for k, o in zip(own, seen, strict=True)
        ]
    return out


def texton_colours(model: TextonModel) -> FloatArray:
    """(N, 4) one colour for each texton; consecutive numbers get different colours."""
    from matplotlib import colormaps

    order = (np.arange(len(model.textons)) * 0.381966) % 1.0  # the golden section spreads any number of them
    return np.asarray(colormaps["turbo"](0.06 + 0.88 * order))


def _contrasting(colour: FloatArray) -> str:
    """Paper or ink, whichever has more contrast on a colour (WCAG 2: the ratio of relative luminances)."""
    from matplotlib.colors import to_rgb

    light, ink, paper = (_luminance(c) for c in (colour[:3], np.array(to_rgb(INK)), np.array(to_rgb(PAPER))))
    return INK if (light + 0.05) / (ink + 0.05) > (paper + 0.05) / (light + 0.05) else PAPER


def _luminance(colour: FloatArray) -> float:
    """How light a colour is, from 0 to 1: sRGB made linear, weighted as eyes do."""
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def segment_bands(model: TextonModel, *, ax: Any) -> Any:
    """Every clip as a row of coloured bands, one for each segment, with its texton's number; seconds below."""
    colours = texton_colours(model)
    rows = bands(model)
    for row, own in enumerate(rows.values()):
        for b in own:
            texton = model.observed[b.observed].texton
            ax.barh(row, b.seconds, left=b.start, height=0.8, color=colours[texton], edgecolor=PAPER, linewidth=1)
            ax.text(
                b.start + b.seconds / 2,
                row,
                str(texton),
                ha="center",
                va="center",
                fontsize=7,
                color=_contrasting(colours[texton]),
            )
    ax.set_yticks(range(len(rows)), list(rows), fontsize=8, color=INK)
    ax.invert_yaxis()
    ax.set_xlabel("s", color=QUIET)
    ax.set_title("segments and their textons", color=INK, fontsize=10, loc="left")
    return ax


def segmentation(model: TextonModel) -> Any:
    """Every clip as a filmstrip with its segments as coloured bands under it; made from the model alone.

    Poses stand at their time, in one place, but turned as they were; a band is named 7#1, as in a written path.
    Returns the figure.
    """
    colours = texton_colours(model)
    rows = bands(model)
    shape = body(observed_clip(model, 0))
    size = max(shape.size, 1e-6)
    longest = max(b.start + b.seconds for own in rows.values() for b in own)
    inch = size / BODY_HEIGHT  # metres of a body for an inch of the picture
    side = 0.9  # inches, for the clips' names
    second = (FIGURE_WIDTH - side - 0.2) * inch / longest
    row_tall = 2.1 * size
    figure = new_figure(FIGURE_WIDTH, row_tall * len(rows) / inch + 0.55)
    figure.set_layout_engine("none")
    ax = figure.add_axes((0, 0, 1, 1))
    for r, (source, own) in enumerate(rows.items()):
        floor = -(r + 1) * row_tall + 0.6 * size
        for b in own:
            clip = observed_clip(model, b.observed)
            _draw_poses(ax, clip, second, b, floor, size)
            texton = model.observed[b.observed].texton
            ax.barh(
                floor - 0.32 * size, second * b.seconds, left=second * b.start, height=0.34 * size,
                color=colours[texton], edgecolor=PAPER, linewidth=1.2,
            )  # fmt: skip
            middle = second * (b.start + b.seconds / 2)
            colour = _contrasting(colours[texton])
            ax.text(middle, floor - 0.33 * size, b.name, ha="center", va="center", fontsize=7, color=colour)
        ax.text(-0.15 * inch, floor - 0.32 * size, source, ha="right", va="center", fontsize=7, color=INK)
    for s in range(0, int(longest) + 1, 1 if longest < 12 else 2):
        low = -len(rows) * row_tall
        ax.plot([second * s, second * s], [low, 0], color=LINE, lw=0.6, zorder=0)
        ax.text(second * s, low - 0.22 * inch, f"{s} s", ha="center", va="center", fontsize=7, color=QUIET)
    ax.set_xlim(-side * inch, (FIGURE_WIDTH - side) * inch)
    ax.set_ylim(-len(rows) * row_tall - 0.4 * inch, 0.15 * inch)
    ax.set_aspect("equal")
    ax.axis("off")
    return figure


def _draw_poses(ax: Any, clip: Clip, second: float, band: SegmentBand, floor: float, size: float) -> None:
    """A segment's poses at their times, as many as find room."""
    shape = body(clip)
    if not shape.parts:
        return
    count = max(1, int(second * band.seconds / (0.5 * size)))
    frames = ((np.arange(count) + 0.5) / count * (len(clip) - 1)).astype(int)
    still = np.zeros_like(clip.root)
    still[:, 1] = clip.root[:, 1]
    clip = replace(clip, root=still)
    view = View(best_yaw(clip, shape.size))
    points = body_points(clip, shape)
    for f in frames:
        place = np.array([second * (band.start + f / clip.fps), floor])
        paint_body(ax, shape, points[f], view, shift=place)


def observed_clip(model: TextonModel, observed: int) -> Clip:
    """An observed segment as a clip again, from the origin."""
    return model.segments.clip(observed)


def transition_matrix(model: TextonModel, *, ax: Any) -> Any:
    """How likely the texton of a row is followed by that of a column; what can continue without end is bold."""
    chances = probabilities(model.counts)
    image = ax.imshow(np.where(chances > 0, chances, np.nan), cmap="magma_r", vmin=0, vmax=1)
    ax.set_facecolor(PAPER)
    inside = endless_textons(model)
    every = range(len(model.textons))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(every, [str(i) for i in every], fontsize=min(8, 240 / len(model.textons)))
        for i, label in zip(every, axis.get_ticklabels(), strict=True):
            label.set(color=INK if i in inside else QUIET, weight="bold" if i in inside else "normal")
    ax.set_xlabel("next texton", color=QUIET)
    ax.set_ylabel("texton", color=QUIET)
    ax.set_title("transitions seen (bold: can follow each other without end)", color=INK, fontsize=10, loc="left")
    ax.figure.colorbar(image, ax=ax, label="probability", shrink=0.8)
    return ax


def selection_curve(model: TextonModel, *, ax: Any) -> Any:
    """The cost of every number of textons that BIC or MDL compared; the one that was chosen is marked."""
    curve = model.selection_curve
    order = np.argsort(curve[:, 1], kind="stable")
    counts, nats = curve[order, 1], curve[order, 2] / 1000
    best = int(nats.argmin())
    ax.plot(counts, nats, "o-", color=INK, lw=1.2, ms=4)
    ax.plot(counts[best], nats[best], "o", color=SOURCES[1], ms=9, zorder=0)
    kind = str(getattr(model.config, "selection", "")).upper()
    ax.set_xlabel("textons", color=QUIET)
    ax.set_ylabel("thousand nats", color=QUIET)
    ax.set_title(f"cost by {kind}: {counts[best]:.0f} textons", color=INK, fontsize=10, loc="left")
    return ax
