"""`motionloom convert`: clips in, clips out, in another format, unit or frame rate."""

from __future__ import annotations

import dataclasses
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from motionloom.cli.folder import error_report, for_each_file
from motionloom.cli.options import (
    DropSlides,
    Fps,
    Json,
    Roles,
    Strict,
    TrimTpose,
    Unit,
    Up,
    many,
    print_json,
    say,
    warn,
)


def convert(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="IN... OUT", help="Clips (files, folders, wildcards), then a file or a folder."),
    ],
    to: Annotated[
        str, typer.Option("--to", metavar="SUFFIX", help="Format of files in a folder OUT: bvh, glb, npz, usdc ...")
    ] = ".bvh",
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
    stand: Annotated[
        bool, typer.Option("--stand", help="Give the skeleton a rest pose that stands, where its own does not.")
    ] = False,
    to_unit: Annotated[
        str | None, typer.Option("--to-unit", metavar="UNIT", help="Length unit to write; the source's own otherwise.")
    ] = None,
    to_up: Annotated[
        str | None, typer.Option("--to-up", metavar="AXIS", help="Up axis to write; the source's own otherwise.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a source file.")] = False,
    json: Json = False,
) -> None:
    """Read clips and write them again: another format, unit, up axis or frame rate; folders at once, on all cores.

    What was found odd in many files is told once, at the end. A broken file does not stop the others.
    """
    from motionloom.io import check_target, expand_paths
    from motionloom.io.formats import format_of

    if len(paths) < 2:
        raise typer.BadParameter("give clips to read, and then where to write: motionloom convert IN OUT")
    *sources, out = paths
    found = expand_paths(sources)
    jobs = list(zip(found, output_paths(found, sources, Path(out), to), strict=True))
    for _, target in jobs:
        entry = format_of(target)
        if entry is None or entry.write_markers is None:  # what holds markers is known when the file is read
            check_target(target)
    sources_too = {path.resolve() for path in found}
    own = next((target for _, target in jobs if target.resolve() in sources_too), None)
    if own is not None and not force:
        raise typer.BadParameter(f"{own} is one of the clips to read: give another name, or --force to write over it")
    reading: dict[str, Any] = {"unit": unit, "up": up, "fps": fps, "strict": strict}
    bodies: dict[str, Any] = {"trim_tpose": trim_tpose, "drop_slides": drop_slides, "roles": roles}
    writing = {"unit": to_unit, "up": to_up}
    work = partial(_convert, reading=reading, bodies=bodies, rate=resample, stand=stand, writing=writing)
    reports: list[dict[str, Any]] = []
    start = time.perf_counter()
    for report in for_each_file(work, jobs, "converting", failed=error_report):
        reports.append(report)
        if not json and "error" not in report:
            say(f"{report['out']}: {many(report['frames'], 'frame')} at {report['fps']:g} fps")
    if json:
        print_json(reports)
    else:
        say("\n".join(summary(reports, time.perf_counter() - start)))
    wrong = [report["error"] for report in reports if "error" in report]
    for said in wrong:
        warn(said)
    if wrong:
        raise typer.Exit(1)


def summary(reports: list[dict[str, Any]], seconds: float) -> list[str]:
    """What was said about the files: each note once, without its details, with the files it is about."""
    from motionloom.core import Note

    good = [report for report in reports if "error" not in report]
    if len(reports) == 1:
        return [f"  {Note(**note)}" for report in good for note in report["notes"]]
    about: dict[Note, list[str]] = {}
    for report in good:
        for note in dict.fromkeys(dataclasses.replace(Note(**note), detail="", frame=None) for note in report["notes"]):
            about.setdefault(note, []).append(Path(report["path"]).name)
    failed = f", {len(reports) - len(good)} failed" if len(good) < len(reports) else ""
    frames = many(sum(r["frames"] for r in good), "frame")
    lines = [f"{many(len(good), 'clip')}, {frames} in {seconds:.1f} s{failed}"]
    for note, names in sorted(about.items(), key=lambda item: -len(item[1])):
        who = "all" if len(names) == len(good) else names[0] if len(names) == 1 else f"{len(names)} clips"
        lines.append(f"  {who}: {note}")
    return lines


def _convert(
    job: tuple[Path, Path],
    reading: dict[str, Any],
    bodies: dict[str, Any],
    rate: float | None,
    stand: bool,
    writing: dict[str, Any],
) -> dict[str, Any]:
    """One clip read and written; what was written, or what is wrong with it. Wrong usage is raised."""
    from motionloom.core import BadRequest, Clip, Markers, MotionloomError
    from motionloom.core.note import as_dicts
    from motionloom.io import load, save
    from motionloom.io.formats import holds_many, holds_markers, load_markers, save_markers
    from motionloom.recipes.edits import convert_clip

    path, target = job
    clip: Clip | Markers
    try:
        if holds_many(path):
            return _convert_many(path, target, reading, writing)
        if holds_markers(path):
            clip = load_markers(path, **reading)
            save_markers(clip, target, **writing)
        else:
            edits = {"resample": rate, "stand": stand, **{f"to_{name}": value for name, value in writing.items()}}
            clip = convert_clip(load(path, **reading, **bodies), **edits)
            save(clip, target, **writing)
    except BadRequest:
        raise
    except MotionloomError as error:
        return {"path": str(path), "error": str(error)}
    facts = {"frames": len(clip), "fps": clip.fps, "notes": as_dicts(clip.origin.notes)}
    return {"path": str(path), "out": str(target), **facts}


def _convert_many(path: Path, target: Path, reading: dict[str, Any], writing: dict[str, Any]) -> dict[str, Any]:
    """Each clip of a file that holds many, under its own name, into the folder; CSV unless told otherwise."""
    from motionloom.core import BadRequest
    from motionloom.core.note import as_dicts, info
    from motionloom.io import load_many, save

    if target.stem != path.stem:
        raise BadRequest(f"{path.name} holds many clips: give a folder to write them to, not {target.name}")
    suffix = ".csv" if target.suffix == ".bvh" else target.suffix
    clips = load_many(path, **reading)
    for clip in clips:
        save(clip, target.parent / f"{clip.name}{suffix}", **writing)
    notes = as_dicts(info(f"{many(len(clips), 'clip')}, {clips[0].name} to {clips[-1].name}"))
    facts = {"frames": sum(map(len, clips)), "fps": clips[0].fps, "notes": notes}
    return {"path": str(path), "out": str(target.parent), **facts}


def output_paths(inputs: list[Path], arguments: list[str], out: Path, suffix: str) -> list[Path]:
    """Where each input goes. One file goes to a file, unless OUT is a folder; a folder keeps its sub-folders."""
    from motionloom.io import FORMATS

    alone = len(inputs) == 1 and not Path(arguments[0]).is_dir()
    if alone and out.suffix and not out.is_dir():
        return [out]
    if out.is_file() or (out.suffix.lower() in FORMATS and not out.is_dir()):
        raise typer.BadParameter(f"{', '.join(arguments)} cannot be written to the one file {out}: give a folder")
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
