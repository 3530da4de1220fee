"""`motionloom blend`: blend clips of one action."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from motionloom.cli.flags import flag, option
from motionloom.cli.options import RATES_OF_EACH, Clips, Force, load_with, plural, print_line, with_reading
from motionloom.cli.progress_bars import busy, write_clip


@with_reading(trim_tpose=True, rates=RATES_OF_EACH)
def blend(
    clips: Clips,
    out: Annotated[Path, option("-o --out", "FILE", "The clip to write, as out.bvh.")],
    weights: Annotated[
        str | None,
        option(
            "--weights",
            "W,W",
            "A weight for each clip, divided by their sum, as 0.3,0.7; slightly negative ones exaggerate, as -0.2,1.2; "
            "several sets vary in time, as 1,0:0,1.",
        ),
    ] = None,
    registration: Annotated[
        str, option("--registration", "RULE", "In time: uniform, cycles, key-times or time-warp.")
    ] = "time-warp",
    lock: Annotated[bool, flag("--lock/--no-lock", "Lock feet in place while they stand.")] = True,
    force: Force = False,
    *,
    reading: Any = None,
) -> None:
    """Blend clips of one action: durations, paths and poses are averaged by weights."""
    from motionloom.io import check_target
    from motionloom.recipes.blending import blend_clips

    check_target(out, overwrite=force)
    loaded = [clip for _, clip in load_with(clips, reading)]
    given = numbers(weights) if weights is not None else [[1.0] * len(loaded)]
    with busy("blending") as report:
        made = blend_clips(loaded, given, registration=registration, lock_feet=lock, progress=report)
    write_clip(made, out)
    for note in made.origin.notes:
        print_line(str(note))
    print_line(f"{out}: {plural(len(made), 'frame')}, {made.seconds:.2f} s, from {plural(len(loaded), 'clip')}")


def numbers(text: str) -> list[list[float]]:
    """Sets of numbers: `1,0:0,1` is [[1, 0], [0, 1]]."""
    from motionloom.core import BadRequest

    try:
        return [[float(part) for part in one.split(",")] for one in text.split(":")]
    except ValueError:
        raise BadRequest(f"--weights: expected numbers, as 0.3,0.7, found {text!r}") from None
