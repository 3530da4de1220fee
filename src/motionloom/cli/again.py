"""`motionloom again`: make a result again from its recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from motionloom.cli.options import Force, Json, Measures, own_parameters, plural, print_json, print_line, warn
from motionloom.cli.progress_bars import busy


def again(
    result: Annotated[
        Path, typer.Argument(metavar="RESULT", help="A clip that motionloom made, with its .origin.json.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="Where to write it.")],
    sources: Annotated[
        Path, typer.Option("--sources", metavar="FOLDER", help="Folder with its clips, models and other files.")
    ] = Path(),
    measure: Measures = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Make a result again, with the same bytes on the same version and platform; prints what is missing or differs.

    Inputs are found by their content, whatever their names; a missing model is learned again.
    """
    from motionloom.io import check_target
    from motionloom.recipes import again as repeat

    check_target(out, overwrite=force)
    with busy("making again") as report:
        done = repeat(result, sources, out, parameters=own_parameters(measure), progress=report)
    if json:
        print_json(
            {
                "path": str(out),
                "made": done.made.as_dict(),
                "same_bytes": done.same,
                "differences": list(done.differences),
                "frames": len(done.clip),
            }
        )
    else:
        equal = {True: "the same bytes", False: "other bytes", None: "in another format"}[done.same]
        print_line(f"{out}: {done.made.describe()}, {plural(len(done.clip), 'frame')}, {equal}")
    if done.same is False:
        why = "; ".join(done.differences) or "the version and platform are the same, so it was changed"
        warn(f"{out} differs from {result} (sha256 {done.made.output[:12]}): {why}")
        raise typer.Exit(1)
