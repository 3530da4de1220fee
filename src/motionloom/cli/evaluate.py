"""`motionloom evaluate`: how good results are, beside the clips they were made from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.bars import busy
from motionloom.cli.options import Json, Measures, Roles, Unit, Up, columns, load_all, print_json, say
from motionloom.cli.requests import Root, given_request

if TYPE_CHECKING:
    from motionloom.evaluate.reference import Reference
    from motionloom.evaluate.report import Report, Spread


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
        typer.Option(
            "--ground",
            metavar="HEIGHT",
            help="Height of the floor [m], where foot joints stand; each one's own if absent.",
        ),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE.png", help="Draw all values against the source's range.")
    ] = None,
    unit: Unit = None,
    up: Up = None,
    roles: Roles = None,
    root: Root = None,
    measure: Measures = None,
    json: Json = False,
) -> None:
    """Measure clips against their source: skate, floor, smoothness, coverage, diversity, copies, physics.

    A T-pose in frame 0 is no part of the motion: it is left out, of results and of sources, and said.
    """
    from dataclasses import replace

    from motionloom.core.progress import parts
    from motionloom.core.units import length
    from motionloom.evaluate.control import control
    from motionloom.evaluate.measures.take import take
    from motionloom.evaluate.reference import reference
    from motionloom.evaluate.report import evaluate as report_on
    from motionloom.evaluate.report import source_values, spread_of
    from motionloom.kinematics.capture.tpose import starts_with_tpose

    options: dict[str, Any] = {"unit": unit, "up": up, "roles": roles}
    floor = None if ground is None else length(ground, ("--ground",))
    asked = None if request is None else given_request(request, [*results, *source], root, measure)
    given = [clip for _, clip in load_all(results, **options)]
    posed = [starts_with_tpose(clip) for clip in given]
    made = [take(clip[1:] if t else clip, ground=floor) for clip, t in zip(given, posed, strict=True)]
    sources = [c for _, c in load_all(source, trim_tpose=True, **options)]
    with busy("measuring") as report:
        frames = sum(len(c) for c in sources)
        prepared, owned, *each, last = parts(report, [frames, frames, *(len(t) for t in made), frames])
        against = reference(sources, ground=floor, progress=prepared)
        own = source_values(against, progress=owned)
        reports = [report_on(t, against, own=own, progress=step) for t, step in zip(made, each, strict=True)]
        between = spread_of(made, against, progress=last)
    if asked is not None:  # times of a request count from the file's first frame
        reports = [replace(r, control=tuple(control(c, asked))) for r, c in zip(reports, given, strict=True)]
    if picture is not None:
        from motionloom.plot.figures import save_figure
        from motionloom.plot.quality import quality_sheet

        save_figure(quality_sheet(reports), picture)
    if json:
        print_json([{**r.as_dict(), "spread": between.as_dict()} for r in reports])
        return
    for clip in (clip for clip, t in zip(given, posed, strict=True) if t):
        say(f"{clip.name}: frame 0 is a T-pose, left out")
    _say(reports, against, between)
    if picture is not None:
        say(f"{picture}: all values against the source's range")


def _say(reports: list[Report], against: Reference, between: Spread) -> None:
    from motionloom.evaluate.measures.take import feature_joints
    from motionloom.evaluate.tables import bound_rows, control_rows, evaluation_rows, number, reasons, roughest

    head, rows = evaluation_rows(reports)
    clips, joints = len(against), len(feature_joints(against.takes[0].skeleton))
    many = "" if clips == 1 else "s"
    say(f"against {clips} source clip{many}, {against.frames} frames at 30 fps; windows compare {joints} joints")
    say("\n".join(columns(head, rows, left=(0, 1))))
    bounded = next((r for r in reports if r.bounds), None)
    if bounded is not None:
        say()
        say("\n".join(columns(*bound_rows(bounded))))
    if len(reports) > 1:
        beside = "" if between.ratio is None else f", x{between.ratio:.3g} of source takes ({number(between.source)})"
        say(
            f"\nspread between the results: {number(between.value)}{beside}"
            + (between.reason and f": {between.reason}")
        )
    rough = [line for line in map(roughest, reports) if line]
    if rough:
        say("\n" + "\n".join(rough))
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
