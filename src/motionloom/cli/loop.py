"""`motionloom loop`: find the stretch of a clip that repeats, close its seam, and repeat it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from motionloom.cli.flags import option
from motionloom.cli.options import (
    Clips,
    Force,
    InPlace,
    Json,
    RootBone,
    Suffix,
    file_dict,
    plural,
    print_found,
    print_line,
    print_reports,
    with_reading,
)
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.recipes.folders import EditedFile


@with_reading(trim_tpose=True)
def loop(
    clips: Clips,
    out: Annotated[
        Path | None, option("-o --out", "OUT", "A file or a folder; without it, the loop is only found.")
    ] = None,
    times: Annotated[int, option("--times", "N", "Cycles to write.", min=1)] = 1,
    start: Annotated[
        float | None, option("--start --from", "S", "Start of the loop [s]; by default it is found.")
    ] = None,
    end: Annotated[float | None, option("--end", "S", "End of the loop [s].")] = None,
    shortest: Annotated[float, option("--shortest", "S", "Shortest loop to look for [s].", min=0.1)] = 0.4,
    longest: Annotated[
        float | None,
        option("--longest", "S", "Take the stretch of at most S that covers most, not one period.", min=0.1),
    ] = None,
    blend: Annotated[float, option("--blend", "S", "Time over which the seam fades [s].", min=0.0)] = 0.5,
    in_place: InPlace = False,
    root_bone: RootBone = False,
    to: Suffix = ".bvh",
    force: Force = False,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Write one cycle of a motion as a loop: its last frame is its first again, carried on by its travel."""
    from motionloom.recipes.folders import loop_files

    options: dict[str, Any] = {"times": times, "start": start, "end": end, "shortest": shortest, "longest": longest}
    options |= {"blend": blend, "in_place": in_place, "root_bone": root_bone}
    with busy("finding loops") as report:
        files = list(loop_files(clips, out, to=to, reading=reading, overwrite=force, progress=report, **options))
    print_reports(files, print_edits, edit_dict, json=json)


def print_edits(files: Sequence[EditedFile]) -> None:
    """One line for each file: what was done, and what was written."""
    for file in files:
        wrote = f": {plural(file.frames, 'frame')} at {file.fps:g} fps" if file.out is not None else ""
        print_line(f"{file.out or file.path}{wrote}; {file.summary}" if wrote else f"{file.path}: {file.summary}")
    print_found([file.notes for file in files])


def edit_dict(file: EditedFile) -> dict[str, Any]:
    """Plain values for JSON."""
    return {**file_dict(file), "summary": file.summary}
