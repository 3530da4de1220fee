"""`motionloom align`: which moments of two clips belong together."""

from __future__ import annotations

import json as text
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.bars import busy
from motionloom.cli.options import Fps, Json, Roles, Unit, Up, print_json, say
from motionloom.cli.similar import ClipA, ClipB, KeepTpose, MeasureName, WeightSet, read_weights, report_rates

if TYPE_CHECKING:
    from motionloom.recipes.edits import Aligned


def align(
    a: ClipA,
    b: ClipB,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder for the results.")],
    measure: MeasureName = "point-cloud",
    weights: WeightSet = None,
    window: Annotated[
        float | None,
        typer.Option("--window", metavar="S", help="Window length of the measure; 3 frames at 60 fps [s]."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=0, help="Steps in a row that one clip may wait; 0: any number.")
    ] = 3,
    ends: Annotated[
        str, typer.Option("--ends", metavar="HOW", help="fixed; or free, free-start, free-end: A is found within B.")
    ] = "fixed",
    knots: Annotated[float, typer.Option("--knots", metavar="S", help="Distance of the curve's knots [s].")] = 0.25,
    json: Json = False,
    unit: Unit = None,
    up: Up = None,
    fps: Fps = None,
    trim_tpose: KeepTpose = True,
    roles: Roles = None,
) -> None:
    """Align B to A in time: warped.bvh (B on A's clock), curve.csv, alignment.png, before_after.png, alignment.json.

    Clips of different frame rates are aligned at the lower one.
    """
    from motionloom.core import BadRequest
    from motionloom.io import Reading, load
    from motionloom.recipes.edits import align_clips

    reading = Reading(unit=unit, up=up, fps=fps, trim_tpose=trim_tpose, roles=roles)
    first, second = load(a, reading), load(b, reading)
    if ends not in ("fixed", "free", "free-start", "free-end"):
        raise BadRequest(f"--ends: expected fixed, free, free-start or free-end, found {ends!r}")
    how: dict[str, Any] = {"weights": read_weights(weights), "limit": limit, "ends": ends, "knots": knots}
    how |= {} if window is None else {"window": window}
    with busy("aligning") as report:
        done = align_clips(first, second, measure=measure, **how, progress=report)
    one, other = done.a, done.b
    report_rates((first, one), (second, other))
    summary = write_alignment(done, out)
    if json:
        print_json(summary)
        return
    (a0, a1), (b0, b1) = summary["spans"]
    say(f"{out}: {one.name} {a0:.2f} to {a1:.2f} s goes with {other.name} {b0:.2f} to {b1:.2f} s")
    say(f"  mean cost {summary['mean_cost']:.3g} {summary['unit']}; pace of B against A {summary['pace']}")


def write_alignment(done: Aligned, folder: Path) -> dict[str, Any]:
    """All files of `motionloom align`; the summary is returned."""
    import numpy as np

    from motionloom.analysis.similarity import readable
    from motionloom.io import save
    from motionloom.plot.figures import save_figure
    from motionloom.plot.filmstrip import save_filmstrip
    from motionloom.plot.transitions import alignment_picture

    warped, a, b, found = done
    folder.mkdir(parents=True, exist_ok=True)
    save(warped, folder / "warped.bvh")
    spans = found.curve.spans
    times = np.arange(len(warped)) / a.fps + spans[0, 0]
    matching = found.curve.matching(times)
    lines = [f"{t:.4f},{s:.4f}" for t, s in zip(times, matching, strict=True)]
    (folder / "curve.csv").write_text("\n".join(["seconds_a,seconds_b", *lines]) + "\n")
    names = (a.name or "A", b.name or "B")
    picture = alignment_picture(found, names, (a.fps, b.fps))
    save_figure(picture.figure, folder / "alignment.png")
    start = round(float(spans[0, 0]) * a.fps)
    part = a[start : start + len(warped)]
    titles = [names[0], names[1], f"{names[1]}, on the clock of {names[0]}"]
    save_filmstrip([part, b, warped], folder / "before_after.png", titles=titles)
    value, unit = readable(found.unit, np.array([found.mean_cost]))
    pace = np.diff(matching) / np.diff(times)
    summary = {
        "a": {"name": a.name, "frames": len(a), "fps": a.fps},
        "b": {"name": b.name, "frames": len(b), "fps": b.fps},
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
    (folder / "alignment.json").write_text(text.dumps(summary) + "\n")
    return summary
