"""`motionloom again`: a result made again from its recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from motionloom.cli.bars import busy
from motionloom.cli.options import Json, Measures, many, own_parameters, print_json, say, warn


def again(
    result: Annotated[
        Path, typer.Argument(metavar="RESULT", help="A clip that motionloom made, with its .origin.json.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="Where to write it.")],
    sources: Annotated[
        Path, typer.Option("--sources", metavar="FOLDER", help="Where its clips, models and other files are.")
    ] = Path(),
    measure: Measures = None,
    json: Json = False,
) -> None:
    """Make a result again: the same bytes on the same version and platform, or a report of what is missing or differs.

    Inputs are found by their content, whatever their names; a model that is not there is learned again.
    """
    from motionloom.io import check_target
    from motionloom.recipes.again import again as repeat

    check_target(out)
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
        say(f"{out}: {done.made.describe()}, {many(len(done.clip), 'frame')}, {equal}")
    if done.same is False:
        why = "; ".join(done.differences) or "the version and platform are the same, so it was changed"
        warn(f"{out} differs from {result} (sha256 {done.made.output[:12]}): {why}")
        raise typer.Exit(1)
