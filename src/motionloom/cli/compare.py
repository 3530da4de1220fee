"""`motionloom compare`: every method on the same clips, by the same measures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from motionloom.cli.bars import busy
from motionloom.cli.options import Clips, Json, Roles, Seed, Unit, Up, columns, load_all, many, print_json, say
from motionloom.cli.requests import Root, given_request


def compare(
    clips: Clips,
    request: Annotated[
        str, typer.Option("-r", "--request", metavar="FILE|YAML", help="A request file, or YAML: '{seconds: 12}'.")
    ],
    methods: Annotated[
        str, typer.Option("--methods", metavar="NAMES", help="`all`, or names with commas: cuts,motion_graph.")
    ] = "all",
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, help="Takes of each method.")] = 2,
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget", metavar="S", min=0.1, help="Most time for each method to learn and make its takes [s]."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE.html", help="Write a page with the moving results.")
    ] = None,
    seed: Seed = 0,
    unit: Unit = None,
    up: Up = None,
    roles: Roles = None,
    root: Root = None,
    json: Json = False,
) -> None:
    """Learn every method that honours the request on the same clips with the same seeds; one table, one page."""
    from motionloom.evaluate.compare.compare import compare as run
    from motionloom.evaluate.tables import comparison_dict, comparison_rows, left_out

    loaded = [clip for _, clip in load_all(clips, unit=unit, up=up, roles=roles)]
    asked = given_request(request, clips, root)
    names = None if methods == "all" else [name.strip() for name in methods.split(",") if name.strip()]
    with busy("comparing") as report:
        found = run(loaded, asked, methods=names, seed=seed, count=count, budget=budget, progress=report)
    if out is not None:
        from motionloom.plot.quality import comparison_page

        comparison_page(found, out)
    if json:
        print_json(comparison_dict(found))
        return
    takes = f"seed {seed}, {many(count, 'take')} of each"
    say(f"{many(len(loaded), 'source clip')}, {takes}; windows compare {found.joints} joints")
    for note in found.notes:
        say(f"  {note}")
    say("\n".join(columns(*comparison_rows(found))))
    for line in left_out(found):
        say(f"  {line}")
    if out is not None:
        say(f"{out}: the moving results side by side")
