"""Pictures of quality: every measure of some results against the source's range, on one sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from pathlib import Path
from typing import Any

from motionloom.evaluate.compare.compare import MethodComparison
from motionloom.evaluate.compare.verdict import problem_lines
from motionloom.evaluate.measures.table import QUALITY_MEASURES
from motionloom.evaluate.report import QualityReport, SourceValue
from motionloom.evaluate.tables import comparison_rows, number
from motionloom.plot.figures import figure_bytes, new_figure
from motionloom.plot.page import Paragraph, PictureBlock, PlayerBlock, Section, TableBlock, write_page
from motionloom.plot.player import Stage
from motionloom.plot.style import INK, LINE, PAPER, QUIET, SOURCES

BOUNDS = {"copy": "<", "shuffled": ">"}  # marks of what a copied and a shuffled source would score


def quality_sheet(reports: Sequence[QualityReport]) -> Any:
    """A matplotlib figure: one line per measure, each with its own scale; the band is the source's range.

    Coverage and diversities also show what a copied and a shuffled source would score.
    """
    named = [(r.name, {n: v.value for n, v in r.values.items()}) for r in reports]
    bounds = next((r.bounds for r in reports if r.bounds), {})
    return _sheet({n: reports[0].values[n].own for n in QUALITY_MEASURES}, named, bounds)


def comparison_sheet(found: MethodComparison) -> Any:
    """The same for a comparison: means over the takes of each method and baseline, which are the bounds."""
    return _sheet(found.own, [(e.name, {n: e.mean(n) for n in QUALITY_MEASURES}) for e in found.with_results], {})


def _sheet(
    own: Mapping[str, SourceValue],
    rows: Sequence[tuple[str, dict[str, float | None]]],
    bounds: Mapping[str, Mapping[str, float | None]],
) -> Any:
    below = 0.35 + 0.22 * ((len(rows) + len(bounds) + 4) // 4)  # inches for the legend
    height = 0.5 + below + 0.36 * len(QUALITY_MEASURES)
    figure = new_figure(10, height, layout=None)
    ax = figure.add_axes((0.2, below / height, 0.58, 1 - (0.5 + below) / height))
    ax.set_facecolor(PAPER)
    for k, name in enumerate(QUALITY_MEASURES):
        limits = {kind: v for kind, values in bounds.items() if (v := values.get(name)) is not None}
        _line(ax, k, name, own[name], [values[name] for _, values in rows], limits)
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(len(QUALITY_MEASURES) - 0.4, -0.6)
    ax.set_yticks(
        range(len(QUALITY_MEASURES)),
        [f"{n} [{m.unit}]" if m.unit else n for n, m in QUALITY_MEASURES.items()],
        color=INK,
    )
    ax.set_xticks([])
    ax.tick_params(length=0, labelsize=9)
    for side in ax.spines.values():
        side.set_visible(False)
    for i, (name, _) in enumerate(rows):
        ax.plot([], [], label=name, **_mark(i))
    for kind in bounds:
        ax.plot([], [], BOUNDS[kind], color=QUIET, markerfacecolor="none", label=f"bound: {kind} source", markersize=6)
    ax.fill_between([], [], [], color=LINE, label="source: range and mean")
    ax.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.01), ncols=min(4, len(rows) + len(bounds) + 1), frameon=False,
        fontsize=9, labelcolor=INK,
    )  # fmt: skip
    figure.text(0.02, 1 - 0.3 / height, "Quality against the source's own range", color=INK, fontsize=12)
    figure.text(0.98, 1 - 0.3 / height, "each line from zero, log scale", color=QUIET, fontsize=8, ha="right")
    return figure


def _line(
    ax: Any, k: int, name: str, own: SourceValue, values: Sequence[float | None], limits: Mapping[str, float]
) -> None:
    """One measure on its own scale: zero on the left, log(1 + value / source), the largest number on the right."""
    shown = [v for v in (*values, own.value, own.low, own.high, *limits.values()) if v is not None]
    ax.plot([0, 1], [k, k], color=LINE, linewidth=0.8, zorder=1)
    if not shown:
        ax.text(1.05, k, "n/a", va="center", fontsize=8, color=QUIET)
        return
    unit = max(own.value or 0.0, QUALITY_MEASURES[name].near_zero, 1e-3)
    full = log1p(max(*shown, 1.2 * unit) / unit)

    def at(value: float) -> float:
        return log1p(max(value, 0.0) / unit) / full

    if own.low is not None and own.high is not None:
        left = at(own.low)
        ax.barh(k, max(at(own.high) - left, 0.004), left=left, height=0.55, color=LINE, zorder=2)
    if own.value is not None:
        ax.plot([at(own.value)] * 2, [k - 0.28, k + 0.28], color=QUIET, linewidth=1.6, zorder=3)
    for kind, limit in limits.items():
        ax.plot([at(limit)], [k], BOUNDS[kind], color=QUIET, markerfacecolor="none", markersize=6, zorder=3)
    for i, v in enumerate(values):
        if v is not None:
            ax.plot([at(v)], [k], zorder=4, alpha=0.9, **_mark(i))
    first = values[0] if values else None
    ax.text(1.05, k, number(first), va="center", fontsize=8, color=SOURCES[0] if len(values) > 1 else INK)
    ax.text(1.05 + 0.13, k, f"source {number(own.value)}", va="center", fontsize=8, color=QUIET)


def _mark(i: int) -> dict[str, Any]:
    """Colour and shape of result i: no two of the first 32 look the same."""
    shape = "osD^"[i // len(SOURCES) % 4]
    return {"color": SOURCES[i % len(SOURCES)], "marker": shape, "markersize": 6, "linestyle": "none"}


def comparison_page(found: MethodComparison, path: str | Path, *, title: str = "Methods compared") -> None:
    """One page: the moving results side by side, the table, the sheet, and who is left out and why."""
    stages = tuple(
        Stage((e.clips[0],), e.name, "a baseline, nothing learned" if e.kind == "baseline" else "",
              (("skate", number(e.mean("skate"), "cm/s")), ("coverage", number(e.mean("coverage"), "%"))))
        for e in found.with_results
    )  # fmt: skip
    sheet = figure_bytes(comparison_sheet(found))
    head, rows = comparison_rows(found)
    words = [Paragraph(line) for line in problem_lines(found)]
    lead = (
        f"{len(found.sources)} source clips, seed {found.seed}: every method, and what needs no learning. "
        f"Coverage and diversities compare {found.joints} joints."
    )
    write_page(
        title,
        lead,
        (
            Section("Side by side", (PlayerBlock(stages),)),
            Section("Numbers", (TableBlock(head, tuple(rows)), *words)),
            Section("Against the source's range", (PictureBlock(sheet, "the coloured number is the first result's"),)),
        ),
        path,
    )
