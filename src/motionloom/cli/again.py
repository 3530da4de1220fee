"""`motionloom again`: make a result again from its recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from motionloom.cli.flags import argument, option
from motionloom.cli.loop import edit_dict, print_edits
from motionloom.cli.options import (
    Force,
    Json,
    Measures,
    own_parameters,
    plural,
    print_json,
    print_line,
    print_reports,
    warn,
)
from motionloom.cli.progress_bars import busy


def again(
    result: Annotated[Path, argument("RESULT", "A clip that motionloom made, with its .origin.json, or a folder.")],
    out: Annotated[Path, option("-o --out", "FILE", "Where to write it: a file, or a folder.")],
    sources: Annotated[Path, option("--sources", "FOLDER", "Folder with its clips, models and other files.")] = Path(),
    measure: Measures = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Make a result, or all results in a folder, again: with the same bytes on the same version and platform.

    Prints what is missing or differs. Inputs are found by their content, whatever their names; a missing model is
    learned again. Files in a folder that have no recipe are left out.
    """
    from motionloom.io import check_target
    from motionloom.recipes import again as repeat
    from motionloom.recipes.folders import again_files

    parameters = own_parameters(measure)
    if result.is_dir():
        with busy("making again") as report:
            files = list(again_files(result, sources, out, parameters=parameters, overwrite=force, progress=report))
        print_reports(files, print_edits, edit_dict, json=json)
        return
    check_target(out, overwrite=force)
    with busy("making again") as report:
        done = repeat(result, sources, out, parameters=parameters, progress=report)
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
        print_line(f"{out}: {plural(len(done.clip), 'frame')}; {done.describe()}")
    if why := done.why_different(result, out):
        warn(why)
        raise typer.Exit(1)
