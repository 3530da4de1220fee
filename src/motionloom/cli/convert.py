"""`motionloom convert`: clips in, clips out, in another format, unit or frame rate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from motionloom.cli.options import DropSlides, Fps, Roles, Strict, TrimTpose, Unit, Up, load_all, say


def convert(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="IN... OUT", help="Clips (files, folders, wildcards), then a file or a folder."),
    ],
    to: Annotated[str, typer.Option("--to", metavar="SUFFIX", help="Format of files in a folder OUT.")] = ".bvh",
    unit: Unit = None,
    up: Up = None,
    fps: Fps = None,
    strict: Strict = False,
    trim_tpose: TrimTpose = False,
    drop_slides: DropSlides = False,
    roles: Roles = None,
    resample: Annotated[
        float | None, typer.Option("--resample", metavar="FPS", help="Write at another frame rate [frames/s].")
    ] = None,
    to_unit: Annotated[
        str | None, typer.Option("--to-unit", metavar="UNIT", help="Length unit to write; the source's own otherwise.")
    ] = None,
    to_up: Annotated[
        str | None, typer.Option("--to-up", metavar="AXIS", help="Up axis to write; the source's own otherwise.")
    ] = None,
) -> None:
    """Read clips and write them again: another format, unit, up axis or frame rate; a folder at once."""
    from motionloom.io import save
    from motionloom.kinematics.edit import resample as resampled

    if len(paths) < 2:
        raise typer.BadParameter("give clips to read, and then where to write: motionloom convert IN OUT")
    *sources, out = paths
    clips = load_all(
        sources, unit=unit, up=up, fps=fps, strict=strict, trim_tpose=trim_tpose, drop_slides=drop_slides, roles=roles
    )
    targets = output_paths([path for path, _ in clips], sources, Path(out), to)
    for (_, clip), target in zip(clips, targets, strict=True):
        save(clip if resample is None else resampled(clip, resample), target, unit=to_unit, up=to_up)
        say(f"{target}: {len(clip)} frames")
        for note in clip.origin.notes:
            say(f"  {note}")


def output_paths(inputs: list[Path], arguments: list[str], out: Path, suffix: str) -> list[Path]:
    """Where each input goes. One file goes to a file, unless OUT is a folder; a folder keeps its sub-folders."""
    alone = len(inputs) == 1 and Path(arguments[0]).is_file()
    if alone and out.suffix and not out.is_dir():
        return [out]
    if out.is_file():
        raise typer.BadParameter(f"{len(inputs)} clips cannot all be written to the one file {out}: give a folder")
    folders = [Path(a) for a in arguments if Path(a).is_dir()]
    suffix = suffix if suffix.startswith(".") else f".{suffix}"
    targets = []
    for path in inputs:
        above = next((f for f in folders if f in path.parents), path.parent)
        targets.append(out / path.relative_to(above).with_suffix(suffix))
    twice = next((t for t in targets if targets.count(t) > 1), None)
    if twice is not None:
        raise typer.BadParameter(f"two clips would both be written to {twice}: convert their folders apart")
    return targets
