"""Arguments and options of commands that compare two clips: similar, judge, align, append."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.options import warn

if TYPE_CHECKING:
    from motionloom.core import Clip
    from motionloom.io import Reading

ClipA = Annotated[Path, typer.Argument(metavar="A", help="A clip.", show_default=False)]
ClipB = Annotated[Path, typer.Argument(metavar="B", help="A clip with the same joints.", show_default=False)]
OutFolder = Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder for the results.")]
MeasureName = Annotated[
    str,
    typer.Option("--measure", metavar="NAME", help="joint-angles, joint-positions, point-cloud or curvature."),
]
Share = Annotated[
    float, typer.Option("--share", metavar="PERCENT", help="Share of all pairs to keep, the best ones [%].")
]
WeightSet = Annotated[
    str | None,
    typer.Option("--weights", metavar="SET", help="Joint weights: uniform, lee, wang-bodenheimer, or role=w,role=w."),
]


def load_two(a: Path, b: Path, reading: tuple[Reading, Reading]) -> tuple[Clip, Clip]:
    """Both clips at the lower of their frame rates; resampling is reported."""
    from motionloom.analysis import same_rate
    from motionloom.io import load

    first, second = load(a, reading[0]), load(b, reading[1])
    one, other = same_rate(first, second)
    report_rates((first, one), (second, other))
    return one, other


def report_rates(*pairs: tuple[Clip, Clip]) -> None:
    """Print a warning for each clip that was resampled to the frame rate of the other one."""
    for before, after in pairs:
        if before.fps != after.fps:
            warn(f"{before.name} resampled from {before.fps:g} to {after.fps:g} fps, the rate of the other clip")


def fraction(percent: float) -> float:
    """The value of `--share` as a fraction of 1."""
    from motionloom.core import BadRequest

    if not 0 < percent <= 100:
        raise BadRequest(f"--share: expected more than 0 and at most 100 %, found {percent:g}")
    return percent / 100


def read_weights(text: str | None) -> Any:
    """The value of `--weights`, a name (`lee`) or a mapping (`left_arm=2,head=0.5`), as the library takes it."""
    if text is None or "=" not in text:
        return text
    from motionloom.core import BadRequest

    table = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            table[name.strip()] = float(value)
        except ValueError:
            raise BadRequest(f"--weights: expected role=number, found {part!r}") from None
    return table


def clip_dict(clip: Clip) -> dict[str, Any]:
    """Name, length and frame rate of a clip, for JSON."""
    return {"name": clip.name, "frames": len(clip), "fps": clip.fps}


def write_json(value: Any, path: Path) -> None:
    """Write a JSON file."""
    from motionloom.io.replacing import write_whole

    write_whole(path, [(json.dumps(value, indent=2) + "\n").encode()])


def write_csv(head: str, rows: Sequence[Sequence[object]], path: Path) -> None:
    """Write a CSV file with a line of column names."""
    from motionloom.io.replacing import write_whole

    lines = [head, *(",".join(map(str, row)) for row in rows)]
    write_whole(path, ["\n".join([*lines, ""]).encode()])
