"""Options and arguments that several commands share, and functions that print."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import added_options, argument, flag, option, present_value
from motionloom.core.text import printable

if TYPE_CHECKING:
    from motionloom.constraints import MotionParameter
    from motionloom.core import Clip
    from motionloom.core.note import Note
    from motionloom.io import Reading
    from motionloom.recipes.folders import EditedFile


Clips = Annotated[list[str], argument("CLIPS", "Files, folders or wildcards.")]
Json = Annotated[bool, flag("--json", "Print JSON on standard output, for scripts.")]
Seed = Annotated[int, option("--seed", "N", "Equal seeds give equal results.", min=0)]
Measures = Annotated[
    list[str] | None,
    option(
        "--measure",
        "FILE.py:FUNCTION",
        "Define a motion parameter by a function from a clip to one number or three. Runs FILE; repeatable. To learn "
        "graphs, --measure is the distance between two frames instead.",
    ),
]
Force = Annotated[bool, flag("--force", "Replace files that motionloom did not write.")]
InPlace = Annotated[bool, flag("--in-place", "Remove the travel: every frame over the origin, facing +z.")]
RootBone = Annotated[bool, flag("--root-bone", "Put the travel on a bone `root` on the floor, above the hips.")]
Suffix = Annotated[str, option("--to", "SUFFIX", "Format of files in a folder: bvh, glb, npz ...")]

RATES_OF_EACH = "Frame rate of the files, or of each: 60,120, instead of the stated one [frames/s]."
MAX_SECONDS = 1e6  # of times that are given
TPOSE_DROPPED = "frame 0 is a T-pose: dropped"  # the note of `io.load`

READING_OPTIONS: dict[str, tuple[Any, Any]] = {
    "unit": (
        str | None,
        option("--unit", "UNIT", "Length unit of the files: m, cm, mm, inch, cmu, or metres per unit."),
    ),
    "up": (str | None, option("--up", "AXIS", "Up axis of the files: y, z, x, -y, -z, -x.")),
    "fps": (
        float | None,
        option("--source-fps", "FPS", "Frame rate of the files, instead of the stated one [frames/s]."),
    ),
    "strict": (bool, flag("--strict", "Reject files with irregularities instead of warning.")),
    "trim_tpose": (bool, flag("--trim-tpose/--keep-tpose", "Drop a T-pose in frame 0.")),
    "drop_slides": (bool, flag("--drop-slides", "Give every joint a fixed offset; notes state the largest deviation.")),
    "roles": (Path | None, option("--roles", "FILE", "Roles of the joints: a roles file (TOML).")),
    "remember": (
        bool | None,
        flag(
            "--remember/--forget",
            "--unit, --up and --roles are stored beside each file (NAME.roles.toml) for later commands; "
            "--remember: --source-fps too, also in a file of your own; --forget: nothing.",
            show_default=False,
        ),
    ),
}
"""The fields of `io.Reading` as options: type and declaration."""


def with_reading(
    *, omit: Sequence[str] = (), trim_tpose: bool = False, rates: str = "", plain_fps: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of readers; their values are passed as the argument `reading`.

    `omit` names options that the command does not have, and `trim_tpose` is the default of that option. With
    `rates`, the help text of `--source-fps`, several frame rates may be given: a tuple is passed, one for each.
    `plain_fps`: `--fps`, the earlier name of `--source-fps`, is accepted with a note.
    """
    defaults = {"strict": False, "trim_tpose": trim_tpose, "drop_slides": False}
    options: dict[str, tuple[Any, Any]] = {}
    for name, (type_, declared) in READING_OPTIONS.items():
        if name == "fps" and rates:
            type_, declared = str | None, option("--source-fps", "FPS", rates)
        if name not in omit:
            options[name] = (Annotated[type_, declared], defaults.get(name))
    if plain_fps:
        options["plain_fps"] = (Annotated[str | None, typer.Option("--fps", hidden=True)], None)

    def decorate(run: Callable[..., None]) -> Callable[..., None]:
        return added_options(run, options, "reading", _readings if rates else _reading)

    return decorate


def _reading(settings: dict[str, Any]) -> Reading:
    from motionloom.io import Reading

    old = settings.pop("plain_fps", None)
    given = None if settings["fps"] is None else str(settings["fps"])
    rate = present_value("--fps", old, "--source-fps", given)
    return Reading(**{**_stored(settings), "fps": None if rate is None else _rate(rate)})


def _stored(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings, with what is stored beside the files."""
    kinds = {None: "facts", True: "all", False: ""}
    return settings | ({"remember": kinds[settings["remember"]]} if "remember" in settings else {})


def _readings(settings: dict[str, Any]) -> tuple[Reading, ...]:
    from motionloom.io import Reading

    rate = present_value("--fps", settings.pop("plain_fps", None), "--source-fps", settings["fps"])
    rates = [None] if rate is None else [_rate(part) for part in rate.split(",")]
    return tuple(Reading(**{**_stored(settings), "fps": fps}) for fps in rates)


def for_each(readings: Sequence[Reading], count: int) -> list[Reading]:
    """A reading for each of `count` files (or patterns), from one for all or one for each."""
    from motionloom.core.errors import BadRequest

    if len(readings) not in (1, count):
        raise BadRequest(f"--source-fps: expected one frame rate or {count}, one for each file, found {len(readings)}")
    return list(readings) * (count if len(readings) == 1 else 1)


def _rate(text: str) -> float:
    from motionloom.core.errors import BadRequest

    try:
        return float(text)
    except ValueError:
        raise BadRequest(f"--source-fps: expected a frame rate, found {text!r}") from None


def read_clip(path: str | Path, *reading: Reading, **settings: Any) -> Clip:
    """One clip, with progress."""
    from motionloom.cli.progress_bars import busy
    from motionloom.io import load

    with busy(f"reading {Path(path).name}") as report:
        return load(path, *reading, progress=report, **settings)


def load_all(paths: Iterable[str], reading: Reading, *, markers: bool = False) -> list[tuple[Path, Any]]:
    """All clips of the arguments, with their paths; the first one that cannot be read ends the command.

    With `markers`, files of markers too.
    """
    from functools import partial

    from motionloom.cli.progress_bars import busy
    from motionloom.io import expand_paths, load, load_take
    from motionloom.io.formats import LARGE
    from motionloom.jobs import MIN_FILES, each

    found = expand_paths(paths, markers=markers)
    large = any(path.stat().st_size > LARGE for path in found)
    worth = 1 if large else MIN_FILES
    with busy("reading") as report:
        clips = each(
            partial(load_take if markers else load, reading=reading),
            found,
            name=lambda p: p.name,
            progress=report,
            worth=worth,
        )
        return list(zip(found, clips, strict=True))


def load_with(patterns: Sequence[str], readings: Sequence[Reading]) -> list[tuple[Path, Clip]]:
    """All clips of the arguments, with their paths; one reading for all, or one for each argument."""
    if len(readings) == 1:
        return load_all(patterns, readings[0])
    each = zip(patterns, for_each(readings, len(patterns)), strict=True)
    return [pair for pattern, reading in each for pair in load_all([pattern], reading)]


def unique_names(loaded: Sequence[tuple[Path, Clip]]) -> list[Clip]:
    """The clips; equal names are distinguished by folders."""
    from dataclasses import replace

    from motionloom.io.titles import clip_titles

    titles = clip_titles([path for path, _ in loaded], [clip.name for _, clip in loaded])
    return [
        clip if clip.name == title else replace(clip, origin=replace(clip.origin, name=title))
        for (_, clip), title in zip(loaded, titles, strict=True)
    ]


def own_parameters(specs: Iterable[str] | None) -> list[MotionParameter]:
    """The user's own motion parameters, from the files of `--measure`."""
    from motionloom.constraints import load_parameter

    return [load_parameter(spec) for spec in specs or ()]


def ground_height(text: str | None) -> float | None:
    """The value of `--ground` in metres."""
    from motionloom.core.units import length

    return None if text is None else length(text, ("--ground",))


def print_line(text: str = "") -> None:
    """Print a line on standard output, above the progress bar if there is one."""
    print(printable(text))


def warn(text: str) -> None:
    """Print a line on standard error."""
    print(f"motionloom: {printable(text)}", file=sys.stderr)


def plural(count: int, thing: str) -> str:
    """A count and a noun in the singular or plural.

    >>> plural(1, "clip"), plural(0, "clip")
    ('1 clip', '0 clips')
    """
    return f"{count} {thing}" + ("" if count == 1 else "s")


def print_json(value: Any) -> None:
    """Print one JSON value on standard output."""
    print(printable(json.dumps(value, indent=2, ensure_ascii=False)))


def file_dict(file: EditedFile) -> dict[str, Any]:
    """Plain values of an edited file for JSON."""
    from motionloom.core.note import as_dicts

    out = None if file.out is None else str(file.out)
    return {"path": str(file.path), "out": out, "frames": file.frames, "fps": file.fps, "notes": as_dicts(file.notes)}


def print_reports(
    files: Sequence[EditedFile],
    show: Callable[[list[EditedFile]], None],
    as_dict: Callable[[EditedFile], dict[str, Any]],
    *,
    json: bool,
) -> None:
    """Print files as JSON, or those without an error by `show`; errors are printed as warnings, and the exit is 1."""
    if json:
        print_json([{"path": str(f.path), "error": f.error} if f.error else as_dict(f) for f in files])
    else:
        show([file for file in files if not file.error])
    errors = [file.error for file in files if file.error]
    for error in errors:
        warn(error)
    if errors:
        raise typer.Exit(1)


def print_found(notes: Sequence[Sequence[Note]]) -> None:
    """Print in how many clips, given by their notes, a T-pose in frame 0 was dropped, or feet slide under the body."""
    from motionloom.kinematics.feet.treadmill import IN_PLACE

    moving = sum(any(note.text == IN_PLACE for note in of_clip) for of_clip in notes)
    if moving:
        print_line(IN_PLACE if len(notes) == 1 else f"{moving} of {len(notes)} clips: {IN_PLACE}")
    count = sum(any(note.text == TPOSE_DROPPED for note in of_clip) for of_clip in notes)
    if count:
        clips = "" if len(notes) == 1 else f"{count} of {len(notes)} clips: "
        print_line(f"{clips}{TPOSE_DROPPED} (--keep-tpose keeps it)")


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> list[str]:
    """Rows as lines with aligned columns; those listed in `left` are aligned to the left, the others to the right."""
    table = [list(head), *[list(row) for row in rows]]
    widths = [max(len(row[k]) for row in table) for k in range(len(head))]
    lines = []
    for row in table:
        cells = [c.ljust(w) if k in left else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines


def two_times(text: str, flag: str) -> tuple[float, float]:
    """Two times in seconds, `3.2,0.8`."""
    from motionloom.core import BadRequest

    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        first = second = math.nan
    if not (abs(first) <= MAX_SECONDS and abs(second) <= MAX_SECONDS):
        raise BadRequest(f"{flag}: expected two times in seconds, as 3.2,0.8, found {text[:40]!r}")
    return first, second
