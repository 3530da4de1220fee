"""Edits of many files, on all cores: read, edit, write; a broken file is reported and does not affect the others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.constraints import MotionParameter
from motionloom.core import BadRequest, Cancelled, Clip, FormatError, Markers, MotionloomError, Note, Progress, silent
from motionloom.core.note import info
from motionloom.core.progress import each as counted
from motionloom.core.progress import part, parts
from motionloom.io import FORMATS, Reading, check_target, expand_paths, load, load_many, save
from motionloom.io.atomic_files import finish_interrupted
from motionloom.io.formats import LARGE, format_of, holds_many, holds_markers, load_markers, save_markers
from motionloom.io.reader_settings import DEFAULT
from motionloom.io.sidecars.names import side_names
from motionloom.io.titles import clip_titles, with_title
from motionloom.jobs import MIN_FILES, JobFailed, each
from motionloom.kinematics.capture.tpose import starts_with_tpose
from motionloom.kinematics.feet.skate_removal import SkateReport
from motionloom.kinematics.retarget import RetargetReport
from motionloom.kinematics.trim import touch_downs
from motionloom.recipes.read_recipe import has_recipe
from motionloom.recipes.recorded_edits import clean, convert, loop, retarget, trim
from motionloom.recipes.repeat import again

MIN_EDITS = 6  # files from which on an edit in several processes pays
WIDE_SEAM = 0.08  # m: a seam beyond this is visible after it was closed


@dataclass(frozen=True)
class EditedFile:
    """One file that was read, edited and written, or the error."""

    path: Path
    out: Path | None = None  # None: nothing was to be written
    frames: int = 0
    fps: float = 0.0
    notes: tuple[Note, ...] = ()
    report: SkateReport | RetargetReport | None = None
    repaired: tuple[str, ...] = ()  # lines on glitches
    begins_with_tpose: bool = False
    summary: str = ""  # of the edit, in one line
    error: str = ""


Job = tuple[Path, Path | None]
Edit = Callable[[Clip, Progress], tuple[Clip, EditedFile]]


def convert_files(
    paths: Sequence[str | Path],
    out: str | Path,
    *,
    to: str = ".bvh",
    reading: Reading = DEFAULT,
    unit: str | float | None = None,
    up: str | None = None,
    resample: float | None = None,
    stand: bool = False,
    in_place: bool = False,
    root_bone: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Iterator[EditedFile]:
    """Convert files, folders and patterns to a file or folder `out`: the files in order, as they are written.

    `to` is the format of files in a folder, `unit` and `up` those to write. Sources and other files that motionloom
    did not write are replaced only with `overwrite`.
    """
    found = expand_paths(paths)
    targets = output_paths(found, paths, out, to)
    sources = {path.resolve() for path in found}
    own = next((target for target in targets if target.resolve() in sources), None)
    if own is not None and not overwrite:
        raise BadRequest(f"{own} is one of the clips to read: give another name, or --force to overwrite it")
    for target in targets:
        entry = format_of(target)
        if entry is None or entry.write_markers is None:  # whether a file contains markers is known when it is read
            check_target(target, overwrite=overwrite)
    options = {"resample": resample, "stand": stand, "in_place": in_place, "root_bone": root_bone}
    task = partial(_convert_file, reading=reading, unit=unit, up=up, options=options)
    return _for_each(task, list(zip(found, targets, strict=True)), "converting", MIN_FILES, progress)


def clean_files(
    paths: Sequence[str | Path],
    out: str | Path | None = None,
    *,
    to: str = ".bvh",
    reading: Reading = DEFAULT,
    overwrite: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Iterator[EditedFile]:
    """Clean files with the options of `clean`; without `out`, only the reports are made."""
    task = partial(_edit_file, edit=partial(_clean, options=options), reading=reading)
    jobs = planned_files(paths, out, to, overwrite=overwrite)
    if options.get("fill") and len(jobs) > 1:
        raise BadRequest(f"fill: expected one clip, whose times are meant, found {len(jobs)}")
    return _for_each(task, jobs, "cleaning", MIN_EDITS, progress)


def retarget_files(
    paths: Sequence[str | Path],
    body: Clip,
    out: str | Path | None = None,
    *,
    to: str = ".bvh",
    reading: Reading = DEFAULT,
    overwrite: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Iterator[EditedFile]:
    """Retarget files to the skeleton of `body` with the options of `retarget`; without `out`, only reports."""
    task = partial(_edit_file, edit=partial(_retarget, body=body, options=options), reading=reading)
    return _for_each(task, planned_files(paths, out, to, overwrite=overwrite), "retargeting", MIN_EDITS, progress)


def loop_files(
    paths: Sequence[str | Path],
    out: str | Path | None = None,
    *,
    to: str = ".bvh",
    reading: Reading = DEFAULT,
    overwrite: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Iterator[EditedFile]:
    """Loops of files with the options of `loop`; without `out`, they are only found."""
    task = partial(_edit_file, edit=partial(_loop, options=options), reading=reading)
    return _for_each(task, planned_files(paths, out, to, overwrite=overwrite), "finding loops", MIN_EDITS, progress)


def trim_files(
    paths: Sequence[str | Path],
    out: str | Path,
    *,
    to: str = ".bvh",
    reading: Reading = DEFAULT,
    every_stride: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Iterator[EditedFile]:
    """Trim files with the options of `trim`; `every_stride`: each stride to a file of its own, NAME_00 and so on."""
    task: Callable[..., EditedFile] = partial(_edit_file, edit=partial(_trim, options=options), reading=reading)
    if every_stride:
        task = partial(_write_strides, options=options, reading=reading, overwrite=overwrite)
    return _for_each(task, planned_files(paths, out, to, overwrite=overwrite), "trimming", MIN_EDITS, progress)


def again_files(
    folder: str | Path,
    sources: str | Path,
    out: str | Path,
    *,
    parameters: Sequence[MotionParameter] = (),
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Iterator[EditedFile]:
    """Make every result in a folder again from its recipe (see `again`); files without a recipe are left out.

    A result that cannot be made again, or has other bytes, is reported by its error.
    """
    found = [path for path in expand_paths([folder]) if has_recipe(path)]
    if not found:
        raise BadRequest(f"no clip in {folder} has a recipe")
    jobs: list[Job] = [(path, Path(out) / path.relative_to(folder)) for path in found]
    for _, target in jobs:
        check_target(target or "", overwrite=overwrite)
    task = partial(_again_file, sources=sources, parameters=parameters)
    worth = len(jobs) + 1 if parameters else MIN_EDITS  # functions of the user's stay in this process
    return _for_each(task, jobs, "making again", worth, progress)


def output_paths(inputs: Sequence[Path], arguments: Sequence[str | Path], out: str | Path, suffix: str) -> list[Path]:
    """The path that each input is written to. A folder keeps its sub-folders; one file may be written to a file.

    Files of one name from several folders keep the part of the path in which they differ.
    """
    out, suffix = Path(out), suffix if suffix.startswith(".") else f".{suffix}"
    entry = format_of(f"x{suffix}")
    if entry is None or not (entry.write or entry.write_markers):
        known = ", ".join(name for name, f in FORMATS.items() if f.write or f.write_markers)
        raise BadRequest(f"--to: no format to write {suffix!r}; there are {known}")
    alone = len(inputs) == 1 and not Path(arguments[0]).is_dir()
    if alone and out.suffix and not out.is_dir():
        return [out]
    if out.is_file() or (out.suffix.lower() in FORMATS and not out.is_dir()):
        names = ", ".join(map(str, arguments))
        raise BadRequest(f"{names} cannot be written to the one file {out}: give a folder")
    folders = [Path(a) for a in arguments if Path(a).is_dir()]
    targets = []
    for path in inputs:
        above = next((f for f in folders if f in path.parents), path.parent)
        targets.append(out / path.relative_to(above).with_suffix(suffix))
    if len(set(targets)) < len(targets):
        full = [path.resolve() for path in inputs]
        common = Path(os.path.commonpath([path.parent for path in full]))
        targets = [out / path.relative_to(common).with_suffix(suffix) for path in full]
    twice = next((t for t in targets if targets.count(t) > 1), None)
    if twice is not None:
        raise BadRequest(f"two clips would both be written to {twice}: convert their folders separately")
    return targets


def planned_files(
    paths: Sequence[str | Path], out: str | Path | None, to: str, *, overwrite: bool = False
) -> list[Job]:
    """The files to read with those to write; an error if a file cannot be read or written."""
    found = expand_paths(paths)
    if out is None:
        return [(path, None) for path in found]
    targets = output_paths(found, paths, out, to)
    for target in targets:
        check_target(target, overwrite=overwrite)
    return list(zip(found, targets, strict=True))


def _for_each(
    task: Callable[..., EditedFile], jobs: Sequence[Job], stage: str, worth: int, progress: Progress | None
) -> Iterator[EditedFile]:
    paths = [path for path, _ in jobs]
    large = any(path.stat().st_size > LARGE for path in paths)
    titles = clip_titles(paths, [path.name for path in paths])
    done = each(
        task,
        jobs,
        failed=_failed,
        name=lambda job: job[0].name,
        stage=stage,
        progress=progress,
        worth=1 if large else worth,
    )
    try:
        for file, path, title in zip(done, paths, titles, strict=True):
            yield replace(file, error=with_title(file.error, path, title)) if file.error else file
    finally:
        for target in filter(None, (target for _, target in jobs)):  # a process may have been killed while it wrote
            with suppress(FormatError):
                finish_interrupted(target, side_names(target))


def _failed(job: Job, error: JobFailed) -> EditedFile:
    """The report on a file whose process died."""
    return EditedFile(job[0], error=str(error))


def _edit_file(job: Job, edit: Edit, reading: Reading, progress: Progress | None = None) -> EditedFile:
    """Read, edit and write one file."""
    path, target = job
    loading, editing, saving = parts(progress or silent(), [1, 8, 1])
    try:
        clip = load(path, reading, progress=loading)
        made, report = edit(clip, editing)
        saving(0.0, "writing")
        if target is not None:
            save(made, target, progress=saving)
    except Cancelled:
        raise
    except MotionloomError as error:
        return EditedFile(path, error=str(error))
    saving(1.0, "writing")
    return replace(
        report,
        path=path,
        out=target,
        frames=len(made),
        fps=made.fps,
        notes=made.origin.notes,
        begins_with_tpose=starts_with_tpose(clip),
    )


def _again_file(
    job: tuple[Path, Path], sources: str | Path, parameters: Sequence[MotionParameter], progress: Progress | None = None
) -> EditedFile:
    path, target = job
    try:
        done = again(path, sources, target, parameters=parameters, progress=progress)
    except Cancelled:
        raise
    except MotionloomError as error:
        return EditedFile(path, error=str(error))
    return EditedFile(
        path, target, len(done.clip), done.clip.fps, summary=done.describe(), error=done.why_different(path, target)
    )


def _clean(clip: Clip, progress: Progress, options: Mapping[str, Any]) -> tuple[Clip, EditedFile]:
    done = clean(clip, progress=progress, **options)
    return done.clip, EditedFile(Path(), report=done.report, repaired=tuple(done.repaired))


def _retarget(clip: Clip, progress: Progress, body: Clip, options: Mapping[str, Any]) -> tuple[Clip, EditedFile]:
    done = retarget(clip, body, progress=progress, **options)
    return done.clip, EditedFile(Path(), report=done.report)


def _loop(clip: Clip, progress: Progress, options: Mapping[str, Any]) -> tuple[Clip, EditedFile]:
    made, found, is_period = loop(clip, progress=progress, **options)
    first, last = found.start / clip.fps, found.end / clip.fps
    seam = f"{100 * found.seam:.1f} cm apart at the seam before it was closed"
    text = f"{first:.2f} to {last:.2f} s ({last - first:.2f} s), {seam}"
    if not is_period and options.get("longest") is None and options.get("end") is None:
        text += "; no period found: the longest stretch that repeats was taken (--longest limits it)"
    if found.seam > WIDE_SEAM:
        text += f"; warning: more than {100 * WIDE_SEAM:.0f} cm is visible (--start and --end choose another part)"
    return made, EditedFile(Path(), summary=text)


def _trim(clip: Clip, progress: Progress, options: Mapping[str, Any]) -> tuple[Clip, EditedFile]:
    made = trim(clip, **options)
    first = int(np.abs(clip.origin.main()[1] - made.origin.main()[1][0]).argmin())  # of the file, not of its source
    return made, EditedFile(Path(), summary=f"frames {first} to {first + len(made) - 1} of {len(clip)}")


def _write_strides(
    job: tuple[Path, Path],
    options: Mapping[str, Any],
    reading: Reading,
    overwrite: bool,
    progress: Progress | None = None,
) -> EditedFile:
    """Write each stride of a file to a file of its own."""
    path, target = job
    try:
        clip = load(path, reading)
        downs = touch_downs(trim(clip, start=options["start"], end=options["end"]), options["contacts"])
        seconds = np.diff(downs) / clip.fps
        names = [target.with_stem(f"{target.stem}_{k:02d}") for k in range(len(seconds))]
        for k, name in enumerate(counted(names, progress or silent(), "writing")):
            check_target(name, overwrite=overwrite)
            save(trim(clip, **{**options, "strides": 1, "skip": k}), name)
    except Cancelled:
        raise
    except MotionloomError as error:
        return EditedFile(path, error=str(error))
    text = f"strides of {', '.join(f'{s:.2f}' for s in seconds)} s, each in a file of its own, from {names[0].name} on"
    return EditedFile(path, target.parent, int(sum(np.diff(downs))), clip.fps, clip.origin.notes, summary=text)


def _convert_file(
    job: tuple[Path, Path],
    reading: Reading,
    unit: str | float | None,
    up: str | None,
    options: Mapping[str, Any],
    progress: Progress | None = None,
) -> EditedFile:
    """Convert one file. Wrong arguments are raised, because they concern all files."""
    path, target = job
    clip: Clip | Markers
    loading, editing, saving = parts(progress or silent(), [4, 2, 4])
    try:
        if holds_many(path):
            return _convert_many(path, target, reading, unit, up, progress or silent())
        if holds_markers(path):
            clip = load_markers(path, reading, progress=loading)
            save_markers(clip, target, unit=unit, up=up, progress=saving)
        else:
            clip = load(path, reading, progress=loading)
            clip = convert(clip, **options, to_unit=unit, to_up=up, progress=editing)
            save(clip, target, unit=unit, up=up, progress=saving)
    except (BadRequest, Cancelled):
        raise
    except MotionloomError as error:
        return EditedFile(path, error=str(error))
    saving(1.0, "writing")
    return EditedFile(path, target, len(clip), clip.fps, clip.origin.notes)


def _convert_many(
    path: Path, target: Path, reading: Reading, unit: str | float | None, up: str | None, progress: Progress
) -> EditedFile:
    """Write each clip of a file that contains many under its own name; as CSV unless another format was chosen."""
    if target.stem != path.stem:
        raise BadRequest(f"{path.name} contains many clips: give a folder to write them to, not {target.name}")
    suffix = ".csv" if target.suffix == ".bvh" else target.suffix
    progress(0.0, "reading")
    clips = load_many(path, reading)
    for clip in counted(clips, part(progress, 0.5, 1.0), "writing"):
        save(clip, target.parent / f"{clip.name}{suffix}", unit=unit, up=up)
    count = "1 clip" if len(clips) == 1 else f"{len(clips)} clips"
    notes = info(f"{count}, {clips[0].name} to {clips[-1].name}")
    return EditedFile(path, target.parent, sum(map(len, clips)), clips[0].fps, tuple(notes))
