"""New matplotlib figures in one style, and writing them: PNG, SVG or PDF, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

from motionloom.core import BadRequest, MissingExtra
from motionloom.io.atomic_files import write_whole
from motionloom.plot.style import PAPER

KINDS = ("png", "svg", "pdf")


def new_figure(width: float, height: float, *, layout: str | None = "constrained") -> Any:
    """An empty figure, size in inches, without a window: it belongs to the caller, not to pyplot."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("pictures need matplotlib: pip install 'motionloom[plot]'") from None
    figure = Figure(figsize=(width, height), facecolor=PAPER, layout=layout)  # type: ignore[arg-type]
    FigureCanvasAgg(figure)
    return figure


def blank_axes(width: float, height: float) -> Any:
    """Axes that fill a new figure, size in inches, without ticks or borders of its own."""
    return new_figure(width, height, layout=None).add_axes((0, 0, 1, 1))


def frame_axes(ax: Any, width: float, low: float) -> Any:
    """The axes, showing 0 to `width` and `low` to 0 with one scale, and nothing but what was drawn."""
    ax.set_xlim(0, width)
    ax.set_ylim(low, 0)
    ax.set_aspect("equal")
    ax.axis("off")
    return ax


def style_axes(axes: Iterable[Any], *, colour: str, border: str | None = None, size: float = 8.0) -> None:
    """Small labels in one colour, and thin borders in another; none where `border` is None."""
    for ax in axes:
        ax.set_facecolor(PAPER)
        ax.tick_params(which="both", colors=colour, labelsize=size)
        for side in ax.spines.values():
            side.set(visible=border is not None, color=border or colour, linewidth=0.6)
        if border is None:
            ax.tick_params(which="both", length=0)


def picture_kind(path: str | Path) -> str:
    """The kind of picture by the suffix of a file name; `BadRequest` if there is none of this kind."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise BadRequest(f"cannot draw to {Path(path).name!r}: expected a name ending in .png, .svg or .pdf")
    return kind


def figure_bytes(figure: Any, *, dpi: int = 130, kind: str = "png") -> bytes:
    """A figure as the content of a picture file."""
    out = BytesIO()
    figure.savefig(out, dpi=dpi, facecolor=PAPER, format=kind)
    return out.getvalue()


def save_figure(figure: Any, path: str | Path, *, dpi: int = 130) -> None:
    """Write a figure as PNG, SVG or PDF by the suffix of `path`. Missing folders are made."""
    write_whole(path, [figure_bytes(figure, dpi=dpi, kind=picture_kind(path))])
