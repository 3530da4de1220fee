"""`motionloom align`: align two clips in time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.bars import busy
from motionloom.cli.options import Json, print_json, print_line, with_reading
from motionloom.cli.pairs import (
    ClipA,
    ClipB,
    MeasureName,
    OutFolder,
    WeightSet,
    clip_dict,
    read_weights,
    report_rates,
    write_csv,
    write_json,
)

if TYPE_CHECKING:
    from motionloom.recipes import Aligned

ENDS = ("fixed", "free", "free-start", "free-end", "either")


@with_reading(trim_tpose=True, two=True)
def align(
    a: ClipA,
    b: ClipB,
    out: OutFolder,
    measure: MeasureName = "point-cloud",
    weights: WeightSet = None,
    window: Annotated[
        float | None,
        typer.Option("--window", metavar="S", help="Window length of the measure; default 3 frames at 60 fps [s]."),
    ] = None,
    limit: Annotated[
        int,
        typer.Option("--limit", metavar="N", min=0, help="Steps in a row that one clip may wait; 0 for no limit."),
    ] = 3,
    ends: Annotated[
        str,
        typer.Option(
            "--ends",
            metavar="HOW",
            help="fixed; free, free-start, free-end: find A within B; either: until one clip ends.",
        ),
    ] = "fixed",
    knots: Annotated[float, typer.Option("--knots", metavar="S", help="Distance of the curve's knots [s].")] = 0.25,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Align B to A in time: warped.bvh (B timed as A), curve.csv, alignment.png, before_after.png, alignment.json.

    Clips of different frame rates are aligned at the lower one.
    """
    from motionloom.core import BadRequest
    from motionloom.io import load
    from motionloom.recipes import align as align_clips

    if ends not in ENDS:
        raise BadRequest(f"--ends: expected fixed, free, free-start, free-end or either, found {ends!r}")
    first, second = load(a, reading[0]), load(b, reading[1])
    options: dict[str, Any] = {"weights": read_weights(weights), "limit": limit, "ends": ends, "knots": knots}
    options |= {} if window is None else {"window": window}
    with busy("aligning") as report:
        done = align_clips(first, second, measure=measure, **options, progress=report)
    one, other = done.a, done.b
    report_rates((first, one), (second, other))
    summary = write_alignment(done, out)
    if json:
        print_json(summary)
        return
    (a0, a1), (b0, b1) = summary["spans"]
    print_line(f"{out}: {one.name} {a0:.2f} to {a1:.2f} s corresponds to {other.name} {b0:.2f} to {b1:.2f} s")
    pace = ", ".join(f"{p:g}" for p in summary["pace"])
    print_line(
        f"  mean cost {summary['mean_cost']:.3g} {summary['unit']}; pace of B relative to A (min, mean, max) {pace}"
    )


def write_alignment(done: Aligned, folder: Path) -> dict[str, Any]:
    """Write all files of `motionloom align`; returns the content of alignment.json."""
    import numpy as np

    from motionloom.analysis.similarity import readable
    from motionloom.io import save
    from motionloom.plot.figures import save_figure
    from motionloom.plot.filmstrip import save_filmstrip
    from motionloom.plot.transitions import alignment_picture

    warped, a, b, found = done
    save(warped, folder / "warped.bvh")
    spans = found.curve.spans
    times = np.arange(len(warped)) / a.fps + spans[0, 0]
    matching = found.curve.matching(times)
    rows = [(f"{t:.4f}", f"{s:.4f}") for t, s in zip(times, matching, strict=True)]
    write_csv("seconds_a,seconds_b", rows, folder / "curve.csv")
    names = (a.name or "A", b.name or "B")
    save_figure(alignment_picture(found, names, (a.fps, b.fps)).figure, folder / "alignment.png")
    start = round(float(spans[0, 0]) * a.fps)
    part = a[start : start + len(warped)]
    titles = [names[0], names[1], f"{names[1]}, timed as {names[0]}"]
    save_filmstrip([part, b, warped], folder / "before_after.png", titles=titles)
    value, unit = readable(found.unit, np.array([found.mean_cost]))
    pace = np.diff(matching) / np.diff(times)
    summary = {
        "a": clip_dict(a),
        "b": clip_dict(b),
        "spans": [[round(float(t), 4) for t in row] for row in spans],
        "mean_cost": float(f"{value[0]:.6g}"),
        "unit": unit,
        "pace": [round(float(p), 3) for p in (pace.min(), pace.mean(), pace.max())],
        "degree": found.curve.degree,
        "knots": found.curve.knots.tolist(),
        "control_points": found.curve.control.tolist(),
        "path": found.path.tolist(),
        "files": [
            "warped.bvh",
            "warped.origin.json",
            "curve.csv",
            "alignment.png",
            "before_after.png",
            "alignment.json",
        ],
    }
    write_json(summary, folder / "alignment.json")
    return summary
