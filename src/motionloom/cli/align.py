"""`motionloom align`: align clips in time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from motionloom.cli.flags import argument, option
from motionloom.cli.options import Json, for_each, print_json, print_line, read_clip, with_reading
from motionloom.cli.pairs import (
    RATES_OF_TWO,
    ClipA,
    ClipB,
    MeasureName,
    OutFolder,
    clip_dict,
    report_rates,
    with_measure,
    write_csv,
    write_json,
)
from motionloom.cli.progress_bars import busy, write_clip

if TYPE_CHECKING:
    from motionloom.core import Clip
    from motionloom.recipes import Aligned

ENDS = ("fixed", "free", "free-start", "free-end", "either")


@with_reading(trim_tpose=True, rates=RATES_OF_TWO)
@with_measure
def align(
    a: ClipA,
    b: ClipB,
    out: OutFolder,
    more: Annotated[list[Path] | None, argument("C ...", "More clips to align to A.")] = None,
    measure: MeasureName = "point-cloud",
    window: Annotated[
        float | None, option("--window", "S", "Window length of the measure; default 3 frames at 60 fps [s].")
    ] = None,
    limit: Annotated[
        int, option("--limit", "N", "Neither clip runs more than N + 1 times as fast; 0 for no limit.", min=0)
    ] = 3,
    ends: Annotated[
        str, option("--ends", "HOW", "fixed; free, free-start, free-end: find A within B; either: until one clip ends.")
    ] = "fixed",
    knots: Annotated[float, option("--knots", "S", "Distance of the curve's knots [s].")] = 0.25,
    keys: Annotated[
        str | None,
        option("--keys", "S,S;S,S", "Align by key times: those of A; of B; ... [s], instead of by similarity."),
    ] = None,
    cycles: Annotated[
        str | None, option("--cycles", "FOOT", "Align by cycles: from one step of left_foot to its next.")
    ] = None,
    json: Json = False,
    *,
    reading: Any = None,
    measuring: Any = None,
) -> None:
    """Align B to A in time: warped.bvh (B timed as A), curve.csv, alignment.png, before_after.png, alignment.json.

    Clips of different frame rates are aligned at the lower one. With more clips, each is aligned to A, in a folder of
    its own, and curves.csv has the times of all.
    """
    from motionloom.core import BadRequest
    from motionloom.core.progress import parts
    from motionloom.recipes import align as align_clips

    if ends not in ENDS:
        raise BadRequest(f"--ends: expected fixed, free, free-start, free-end or either, found {ends!r}")
    of_a, of_b = for_each(reading, 2)
    first, others = read_clip(a, of_a), [read_clip(path, of_b) for path in (b, *(more or ()))]
    events = _key_times(keys, 1 + len(others))
    options: dict[str, Any] = {"limit": limit, "ends": ends, "knots": knots, "cycles": cycles, **measuring}
    options |= {} if window is None else {"window": window}
    folders = [out] if len(others) == 1 else [out / title for title in _folder_names(others)]
    found, summaries = [], []
    with busy("aligning") as report:
        for k, (second, step) in enumerate(zip(others, parts(report, [1] * len(others)), strict=True)):
            own = None if events is None else [events[0], events[k + 1]]
            found.append(align_clips(first, second, measure=measure, keys=own, **options, progress=step))
    for done, second, folder in zip(found, others, folders, strict=True):
        report_rates((first, done.a), (second, done.b))
        summaries.append(write_alignment(done, folder))
    if len(others) > 1:
        _write_curves(found, out / "curves.csv")
    if json:
        print_json(summaries[0] if len(others) == 1 else summaries)
        return
    for done, folder, summary in zip(found, folders, summaries, strict=True):
        (a0, a1), (b0, b1) = summary["spans"]
        spans = f"{done.a.name} {a0:.2f} to {a1:.2f} s corresponds to {done.b.name} {b0:.2f} to {b1:.2f} s"
        print_line(f"{folder}: {spans}")
        pace = ", ".join(f"{p:g}" for p in summary["pace"])
        cost = f"{summary['mean_cost']:.3g} {summary['unit']}"
        print_line(f"  mean cost {cost}; pace of B relative to A (min, mean, max) {pace}")


def _key_times(text: str | None, clips: int) -> list[list[float]] | None:
    """The value of `--keys`: seconds of the same events, for each clip."""
    from motionloom.core import BadRequest

    if text is None:
        return None
    try:
        times = [[float(part) for part in own.split(",")] for own in text.split(";")]
    except ValueError:
        raise BadRequest(f"--keys: expected times in seconds, as 0.5,1.2;0.4,1.3, found {text!r}") from None
    if len(times) != clips:
        raise BadRequest(f"--keys: expected times for {clips} clips, separated by semicolons, found {len(times)}")
    return times


def _folder_names(clips: list[Clip]) -> list[str]:
    """A folder for each clip; equal names are numbered."""
    names = [Path(clip.name or "clip").stem for clip in clips]
    return [name if names.count(name) == 1 else f"{name}_{k}" for k, name in enumerate(names)]


def _write_curves(found: list[Aligned], path: Path) -> None:
    """The times of all clips, at the times of the first that all of them share."""
    import numpy as np

    start = max(float(done.alignment.curve.spans[0, 0]) for done in found)
    stop = min(float(done.alignment.curve.spans[0, 1]) for done in found)
    fps = min(done.a.fps for done in found)
    times = start + np.arange(int(np.floor((stop - start) * fps + 1e-6)) + 1) / fps
    columns = [times, *(done.alignment.curve.matching(times) for done in found)]
    names = [found[0].a.name, *(done.b.name for done in found)]
    write_csv(",".join(names), [[f"{t:.4f}" for t in row] for row in zip(*columns, strict=True)], path)


def write_alignment(done: Aligned, folder: Path) -> dict[str, Any]:
    """Write all files of `motionloom align`; returns the content of alignment.json."""
    import numpy as np

    from motionloom.analysis.similarity import readable
    from motionloom.plot.figures import save_figure
    from motionloom.plot.filmstrip import save_filmstrip
    from motionloom.plot.transitions import alignment_picture

    warped, a, b, found = done
    write_clip(warped, folder / "warped.bvh")
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
