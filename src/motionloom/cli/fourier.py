"""`motionloom fourier`: locomotion from Fourier series."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from motionloom.cli.flags import argument, option
from motionloom.cli.options import Force, for_each, plural, print_line, read_clip, with_reading
from motionloom.cli.progress_bars import busy, write_clip


@with_reading(
    trim_tpose=True,
    rates="Frame rate of the files, or of CLIP and of --to, or of CLIP, --plain and --marked: 60,120 [frames/s].",
)
def fourier(
    clip: Annotated[Path, argument("CLIP", "A walk or a run.")],
    out: Annotated[Path, option("-o --out", "FILE", "The clip to write, as out.bvh.")],
    to: Annotated[Path | None, option("--to", "CLIP", "A second clip, to interpolate to; with --share.")] = None,
    share: Annotated[float | None, option("--share", "S", "Share of the second clip.")] = None,
    plain: Annotated[Path | None, option("--plain", "CLIP", "A clip without a characteristic; with --marked.")] = None,
    marked: Annotated[Path | None, option("--marked", "CLIP", "A clip with it: brisk, tired.")] = None,
    amount: Annotated[float, option("--amount", "A", "How much of the characteristic.")] = 1.0,
    domain: Annotated[str, option("--domain", "NAME", "frequency (eq 2.12) or time (eq 2.13).")] = "frequency",
    step: Annotated[float, option("--step", "X", "Factor of the step length, 0.2 to 2.")] = 1.0,
    speed: Annotated[float, option("--speed", "X", "Factor of the tempo, 0.2 to 5.")] = 1.0,
    hips: Annotated[
        float, option("--hips", "M", "Raise the hips by this, as far as the legs reach; below 0: lower them [m].")
    ] = 0.0,
    seconds: Annotated[float | None, option("--seconds", "S", "Length; by default the clip's.")] = None,
    force: Force = False,
    *,
    reading: Any = None,
) -> None:
    """Interpolate locomotion, add what makes one walk brisk or tired to another, or change step and tempo."""
    from motionloom.core import BadRequest
    from motionloom.io import check_target
    from motionloom.recipes.blending import fourier_motion

    check_target(out, overwrite=force)
    if (plain is None) != (marked is None) or (to is not None and plain is not None):
        raise BadRequest("expected --to with --share, or --plain with --marked")
    paths = [path for path in (clip, to, plain, marked) if path is not None]
    first, *others = [read_clip(path, one) for path, one in zip(paths, for_each(reading, len(paths)), strict=True)]
    with busy("evaluating the series") as report:
        made = fourier_motion(
            first, others, share=share, domain=domain, amount=amount, step=step, speed=speed, hips=hips,
            seconds=seconds, progress=report,
        )  # fmt: skip
    write_clip(made, out)
    for note in made.origin.notes:
        print_line(str(note))
    print_line(f"{out}: {plural(len(made), 'frame')}, {made.seconds:.2f} s")
