"""`motionloom evaluate`: measure the quality of results."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import ARGUMENTS, argument, option
from motionloom.cli.options import (
    Json,
    Measures,
    columns,
    for_each,
    ground_height,
    load_all,
    plural,
    print_json,
    print_line,
    with_reading,
)
from motionloom.cli.progress_bars import busy
from motionloom.cli.requests import Root, given_request

if TYPE_CHECKING:
    from motionloom.evaluate import Evaluation


@with_reading(omit=("trim_tpose",), rates="Frame rate of the sources, or of results and of sources: 30,60 [frames/s].")
def evaluate(
    ctx: typer.Context,
    results: Annotated[list[str], argument("RESULT...", "Clips to measure.")],
    source: Annotated[
        list[str], option("--source", "CLIPS", "Clips they were made from: file, folder or wildcard; repeatable.")
    ],
    request: Annotated[
        str | None, option("-r --request", "FILE|YAML", "The request, to measure its constraints.")
    ] = None,
    ground: Annotated[
        str | None, option("--ground", "HEIGHT", "Height of the floor [m]; by default the lowest of each foot joint.")
    ] = None,
    picture: Annotated[
        Path | None, option("--picture", "FILE.png", "Draw all values relative to the source's range.")
    ] = None,
    root: Root = None,
    measure: Measures = None,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Measure clips against their source: skate, floor, smoothness, coverage, diversity, copies, physics.

    A T-pose in frame 0 is not part of the motion: it is left out of results and sources, with a note.
    """
    check_order(results, ctx.meta.get(ARGUMENTS, ()))
    from motionloom.evaluate import evaluate_clips
    from motionloom.io.titles import with_distinct_names
    from motionloom.plot.figures import save_figure
    from motionloom.plot.quality import quality_sheet

    constraints = None if request is None else given_request(request, [*results, *source], root, measure)
    given = reading if len(reading) > 1 else (dataclasses.replace(reading[0], fps=None), *reading)
    clips, sources = (
        [clip for _, clip in with_distinct_names(load_all(paths, one))]
        for paths, one in zip((results, source), for_each(given, 2), strict=True)
    )
    with busy("measuring") as report:
        found = evaluate_clips(clips, sources, request=constraints, ground=ground_height(ground), progress=report)
    if picture is not None:
        save_figure(quality_sheet(found.reports), picture)
    if json:
        print_json([{**r.as_dict(), "spread": found.spread.as_dict()} for r in found.reports])
        return
    for name in found.tposes:
        print_line(f"{name}: frame 0 is a T-pose, left out")
    _print_evaluation(found)
    if picture is not None:
        print_line(f"{picture}: all values relative to the source's range")


def check_order(results: Sequence[str], args: Sequence[str]) -> None:
    """`BadRequest` for `x.bvh --source a.bvh b.bvh`, as unquoted wildcards give: b.bvh would be taken for a result."""
    from motionloom.core import BadRequest

    given = [i for i, arg in enumerate(args) if arg == "--source"]
    for i in given:
        if set(results) & set(args[: given[0]]) and i + 2 < len(args) and args[i + 2] in results:
            raise BadRequest(
                f"{args[i + 2]} follows a source: is it a source, too? Write --source before each of them, or name a "
                "folder or a quoted wildcard; results are named before --source"
            )


def _print_evaluation(found: Evaluation) -> None:
    from motionloom.evaluate.tables import bound_rows, constraint_rows, evaluation_rows, number, reasons, roughest

    reports, spread = found.reports, found.spread
    head, rows = evaluation_rows(reports)
    frames = f"{found.source.frames} frames at 30 fps"
    print_line(f"against {plural(len(found.source), 'source clip')}, {frames}; windows compare {found.joints} joints")
    print_line("\n".join(columns(head, rows, left=(0, 1))))
    bounded = next((r for r in reports if r.bounds), None)
    if bounded is not None:
        print_line()
        print_line("\n".join(columns(*bound_rows(bounded))))
    if len(reports) > 1:
        ratio = "" if spread.ratio is None else f", x{spread.ratio:.3g} of source takes ({number(spread.source)})"
        reason = f": {spread.reason}" if spread.reason else ""
        print_line(f"\nspread between the results: {number(spread.value)}{ratio}{reason}")
    rough = [line for line in map(roughest, reports) if line]
    if rough:
        print_line("\n" + "\n".join(rough))
    for report in reports:
        if report.constraints:
            print_line(f"\n{report.name}")
            print_line("\n".join("  " + line for line in columns(*constraint_rows(report), left=(0, 1))))
    missing = reasons(reports)
    if missing:
        print_line("\nn/a:\n" + "\n".join(f"  {line}" for line in missing))
