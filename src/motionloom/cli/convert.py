"""`motionloom convert`: convert clips to another format, unit or frame rate."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import argument, flag, option, present_value
from motionloom.cli.options import (
    InPlace,
    Json,
    RootBone,
    Suffix,
    file_dict,
    plural,
    print_line,
    print_reports,
    with_reading,
)
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.recipes.folders import EditedFile


@with_reading(trim_tpose=True)
def convert(
    paths: Annotated[list[str], argument("IN... OUT", "Clips (files, folders, wildcards), then a file or a folder.")],
    to: Suffix = ".bvh",
    result_fps: Annotated[float | None, option("--result-fps", "FPS", "Frame rate to write [frames/s].")] = None,
    resample: Annotated[float | None, typer.Option("--resample", hidden=True)] = None,
    stand: Annotated[bool, flag("--stand", "Give the skeleton a standing rest pose, where its own is not.")] = False,
    in_place: InPlace = False,
    root_bone: RootBone = False,
    to_unit: Annotated[
        str | None, option("--to-unit", "UNIT", "Length unit to write; by default that of the source.")
    ] = None,
    to_up: Annotated[str | None, option("--to-up", "AXIS", "Up axis to write; by default that of the source.")] = None,
    force: Annotated[bool, flag("--force", "Replace a source, or files that motionloom did not write.")] = False,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Read clips and write them in another format, unit, up axis or frame rate; folders on all cores.

    Notes that concern many files are printed once, at the end. A broken file does not stop the others.
    """
    from motionloom.recipes.folders import convert_files

    if len(paths) < 2:
        raise typer.BadParameter("give clips to read and a file or folder to write: motionloom convert IN OUT")
    *sources, out = paths
    start = time.perf_counter()
    files: list[EditedFile] = []
    with busy("converting") as report:
        for file in convert_files(
            sources,
            out,
            to=to,
            reading=reading,
            unit=to_unit,
            up=to_up,
            resample=present_value("--resample", resample, "--result-fps", result_fps),
            stand=stand,
            in_place=in_place,
            root_bone=root_bone,
            overwrite=force,
            progress=report,
        ):
            files.append(file)
            if not json and not file.error:
                print_line(f"{file.out}: {plural(file.frames, 'frame')} at {file.fps:g} fps")
    print_reports(
        files, lambda good: _print_summary(good, len(files), time.perf_counter() - start), file_dict, json=json
    )


def _print_summary(good: Sequence[EditedFile], total: int, seconds: float) -> None:
    """Print each note once, without its details, with the files that it concerns."""
    if total == 1:
        for note in (note for file in good for note in file.notes if not note.earlier):
            print_line(f"  {note}")
        return
    names: dict[Any, list[str]] = {}
    for file in good:
        own = (dataclasses.replace(note, detail="", frame=None) for note in file.notes if not note.earlier)
        for note in dict.fromkeys(own):
            names.setdefault(note, []).append(Path(file.path).name)
    failed = f", {total - len(good)} failed" if len(good) < total else ""
    frames = plural(sum(file.frames for file in good), "frame")
    print_line(f"{plural(len(good), 'clip')}, {frames} in {seconds:.1f} s{failed}")
    for note, found in sorted(names.items(), key=lambda item: -len(item[1])):
        files = "all" if len(found) == len(good) else found[0] if len(found) == 1 else f"{len(found)} clips"
        print_line(f"  {files}: {note}")
