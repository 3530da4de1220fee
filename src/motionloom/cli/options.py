"""Options and arguments that several commands share, and how they print."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from motionloom.constraints import MotionParameter
    from motionloom.core import Clip

T = TypeVar("T")

Clips = Annotated[list[str], typer.Argument(metavar="CLIPS", help="Files, folders or wildcards.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, for scripts.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The same seed gives the same result.")]
Unit = Annotated[
    str | None,
    typer.Option("--unit", metavar="UNIT", help="Length unit of the file: m, cm, mm, inch, cmu, or metres per unit."),
]
Up = Annotated[str | None, typer.Option("--up", metavar="AXIS", help="Up axis of the file: y, z, x, -y, -z, -x.")]
Fps = Annotated[
    float | None, typer.Option("--fps", metavar="FPS", help="Frame rate of the file, whatever it says [frames/s].")
]
SourceFps = Annotated[  # where --fps is the model's
    float | None,
    typer.Option("--source-fps", metavar="FPS", help="Frame rate of the files, whatever they say [frames/s]."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse files that are merely odd, instead of warning.")]
TrimTpose = Annotated[bool, typer.Option("--trim-tpose", help="Drop a T-pose in frame 0.")]
DropSlides = Annotated[
    bool, typer.Option("--drop-slides", help="Give every joint a fixed place; the largest deviation is printed.")
]
Roles = Annotated[
    Path | None, typer.Option("--roles", metavar="FILE", help="Which joint is which: a roles file (TOML).")
]

Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        metavar="FILE.py:FUNCTION",
        help="Measure a motion parameter with your own function: a clip to one number or three. Runs FILE; repeatable.",
    ),
]


def own_parameters(specs: Iterable[str] | None) -> list[MotionParameter]:
    """The user's own motion parameters, from the files that the command names."""
    from motionloom.constraints import load_parameter

    return [load_parameter(spec) for spec in specs or ()]


def load_all(paths: Iterable[str], doing: str = "reading", **options: Any) -> list[tuple[Path, Clip]]:
    """Every clip that the arguments stand for, with its path; the first that cannot be read ends the command."""
    from functools import partial

    from motionloom.cli.folder import for_each_file
    from motionloom.io import expand_paths, load

    found = expand_paths(paths)
    return list(zip(found, for_each_file(partial(load, **options), found, doing), strict=True))


def say(text: str = "") -> None:
    """A line for a person, on standard output; above the progress bar, if there is one."""
    print(text)


def warn(text: str) -> None:
    """A line for a person, on standard error."""
    print(f"motionloom: {text}", file=sys.stderr)


def many(count: int, thing: str) -> str:
    """So many things; one of them in the singular.

    >>> many(1, "clip"), many(0, "clip")
    ('1 clip', '0 clips')
    """
    return f"{count} {thing}" + ("" if count == 1 else "s")


def print_json(value: Any) -> None:
    """One JSON value on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def tell(reports: Sequence[dict[str, Any]], show: Callable[[list[dict[str, Any]]], None], *, json: bool) -> None:
    """What was done to many files: JSON, or `show` for those that worked; each "error" is said, and the exit is 1."""
    if json:
        print_json(reports)
    else:
        show([report for report in reports if "error" not in report])
    errors = [report["error"] for report in reports if "error" in report]
    for error in errors:
        warn(error)
    if errors:
        raise typer.Exit(1)


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> list[str]:
    """Rows as lines with aligned columns; columns listed in `left` start on the left, numbers end on the right."""
    table = [list(head), *[list(row) for row in rows]]
    widths = [max(len(row[k]) for row in table) for k in range(len(head))]
    lines = []
    for row in table:
        cells = [c.ljust(w) if k in left else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines
