"""`motionloom trim`: cut the ends of clips, at times or at contacts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from motionloom.cli.flags import flag, option
from motionloom.cli.loop import edit_dict, print_edits
from motionloom.cli.options import Clips, Force, Json, Suffix, print_reports, with_reading
from motionloom.cli.progress_bars import busy


@with_reading()
def trim(
    clips: Clips,
    out: Annotated[Path, option("-o --out", "OUT", "A file or a folder.")],
    start: Annotated[str, option("--start --from", "TIME", "First time kept: 1.5, 45f, end-3.")] = "0",
    end: Annotated[str | None, option("--end", "TIME", "Time of the end: 4, end-0.5; by default the clip's.")] = None,
    contacts: Annotated[
        str | None, option("--contacts", "FOOT", "Keep whole strides, between touch-downs of: left, right_toe ...")
    ] = None,
    strides: Annotated[
        int | None, option("--strides", "N", "With --contacts: only the first N strides.", min=1)
    ] = None,
    each: Annotated[
        bool, flag("--each", "With --contacts: every stride in a file of its own, NAME_00, NAME_01 ...")
    ] = False,
    to: Suffix = ".bvh",
    force: Force = False,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Keep the part of each clip between two times, or whole strides; labels and the source of every frame stay."""
    from motionloom.core.units import moment
    from motionloom.recipes.folders import trim_files

    options: dict[str, Any] = {"start": moment(start, ("--start",)), "contacts": contacts, "strides": strides}
    options["end"] = None if end is None else moment(end, ("--end",))
    if to.lstrip(".").isdigit():
        raise typer.BadParameter(
            f"it is the format of files in a folder; the end of the part is --end {to}", param_hint="--to"
        )
    if each and (contacts is None or strides is not None):
        raise typer.BadParameter("it needs --contacts, and no --strides", param_hint="--each")
    options |= {"every_stride": each, "overwrite": force}
    with busy("trimming") as report:
        files = list(trim_files(clips, out, to=to, reading=reading, progress=report, **options))
    print_reports(files, print_edits, edit_dict, json=json)
