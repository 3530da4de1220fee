"""`motionloom evaluate`: how good results are, beside the clips they were made from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.options import Json, Roles, Unit, Up, columns, load_all, print_json, progress, say

if TYPE_CHECKING:
    from motionloom.evaluate.report import Report


def evaluate(
    results: Annotated[list[str], typer.Argument(metavar="RESULT...", help="Clips to measure.", show_default=False)],
    source: Annotated[
        list[str],
        typer.Option(
            "--source", metavar="CLIPS", help="What they were made from: file, folder or wildcard; repeatable."
        ),
    ],
    request: Annotated[
        str | None, typer.Option("-r", "--request", metavar="FILE|YAML", help="What was asked, to measure control.")
    ] = None,
    ground: Annotated[
        str | None,
        typer.Option("--ground", metavar="HEIGHT", help="Height of the floor [m]; each foot's own if absent."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE.png", help="Draw all values against the source's range.")
    ] = None,
    unit: Unit = None,
    up: Up = None,
    roles: Roles = None,
    json: Json = False,
) -> None:
    """Measure clips against their source: skate, floor, smoothness, coverage, diversity, copies, physics."""
    from motionloom.constraints import parse_request
    from motionloom.core.units import length
    from motionloom.evaluate.reference import reference
    from motionloom.evaluate.report import evaluate as measure
    from motionloom.evaluate.report import source_values
    from motionloom.io import load

    options: dict[str, Any] = {"unit": unit, "up": up, "roles": roles}
    floor = None if ground is None else length(ground, "--ground")
    asked = None if request is None else parse_request(request, load)
    made = [clip for _, clip in load_all(results, **options)]
    against = reference([c for _, c in load_all(source, trim_tpose=True, **options)], ground=floor)
    own = source_values(against, each=lambda families: progress(families, "measuring the source"))
    reports = [measure(c, against, own=own, request=asked, ground=floor) for c in progress(made, "measuring")]
    if picture is not None:
        from motionloom.plot.quality import quality_sheet, save_sheet

        save_sheet(quality_sheet(reports), picture)
    if json:
        print_json([r.as_dict() for r in reports])
        return
    _say(reports, len(against), against.frames)
    if picture is not None:
        say(f"{picture}: all values against the source's range")


def _say(reports: list[Report], clips: int, frames: int) -> None:
    from motionloom.evaluate.tables import bound_rows, control_rows, evaluation_rows, reasons

    head, rows = evaluation_rows(reports)
    say(f"against {clips} source clips, {frames} frames at 30 fps; windows compare {reports[0].joints} joints")
    say("\n".join(columns(head, rows, left=(0, 1))))
    if reports[0].bounds:
        say()
        say("\n".join(columns(*bound_rows(reports[0]))))
    for report in reports:
        if report.control:
            say()
            say(report.name)
            say("\n".join("  " + line for line in columns(*control_rows(report), left=(0, 1))))
    missing = reasons(reports)
    if missing:
        say()
        say("n/a:")
        for line in missing:
            say(f"  {line}")
