"""Checks of files, one in memory at a time: their summaries are kept, and only likely duplicates are read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from motionloom.core import Clip, FormatError, MotionloomError, Progress, silent
from motionloom.core.progress import parts
from motionloom.evaluate.capture_checks.check import findings_of, summarise
from motionloom.evaluate.capture_checks.findings import Finding
from motionloom.evaluate.capture_checks.summary import ClipSummary
from motionloom.io import Reading, expand_paths, load
from motionloom.io.reader_settings import DEFAULT
from motionloom.io.titles import clip_titles, with_title
from motionloom.jobs import MIN_FILES, each
from motionloom.kinematics.capture.tpose import without_tpose


class CheckedFiles(NamedTuple):
    """The findings of files in their order, and the titles of files that could not be read, with the reasons."""

    findings: list[Finding]
    clips: int  # that were read
    unreadable: list[tuple[str, str]]


def check_files(
    paths: Sequence[str | Path], *, reading: Reading = DEFAULT, progress: Progress | None = None
) -> CheckedFiles:
    """Find the problems of files and folders as `check_clips` does; equal names are titled with their folders.

    Memory grows with 64 bytes for each thirtieth of a second of motion.
    """
    found = expand_paths(paths)
    one_by_one, together = parts(progress or silent(), [4, 1])
    task, failed = partial(_summarise_file, reading=reading), lambda _, error: str(error)
    names = lambda path: path.name
    results = list(
        each(task, found, failed=failed, name=names, stage="checking clips", progress=one_by_one, worth=MIN_FILES)
    )
    if len(results) == 1 and isinstance(results[0], str):
        raise FormatError(results[0])  # a single file that was named: as every other command
    own_names = [path.name if isinstance(one, str) else one.name for path, one in zip(found, results, strict=True)]
    every = list(zip(found, clip_titles(found, own_names), results, strict=True))
    read = [(path, _renamed(one, title)) for path, title, one in every if not isinstance(one, str)]
    unreadable = [(title, with_title(why, path, title)) for path, title, why in every if isinstance(why, str)]
    motion = lambda i: without_tpose(load(read[i][0], reading))
    findings = findings_of([one for _, one in read], motion, progress=together)
    return CheckedFiles(findings, len(read), unreadable)


def _summarise_file(path: Path, reading: Reading, progress: Progress | None = None) -> ClipSummary | str:
    try:
        clip: Clip = load(path, reading)
    except MotionloomError as error:
        return str(error)
    one = summarise(clip, progress)
    odd = [n.text for n in clip.origin.notes if n.level == "warning" and n.text.startswith("line ")]  # as a wrong count
    return one._replace(findings=[*(Finding(one.name, "file", text) for text in odd), *one.findings])


def _renamed(one: ClipSummary, title: str) -> ClipSummary:
    if one.name == title:
        return one
    return one._replace(name=title, findings=[replace(f, clip=title) for f in one.findings])
