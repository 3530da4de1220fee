"""`motionloom fourier`: locomotion from Fourier series."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from motionloom.cli.options import Force, for_each, plural, print_line, read_clip, with_reading
from motionloom.cli.progress_bars import busy, write_clip


@with_reading(
    trim_tpose=True,
    rates="Frame rate of the files, or of CLIP and of --to, or of CLIP, --plain and --marked: 60,120 [frames/s].",
)
def fourier(
    clip: Annotated[Path, typer.Argument(metavar="CLIP", help="A walk or a run.", show_default=False)],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The clip to write, as out.bvh.")],
    to: Annotated[
        Path | None, typer.Option("--to", metavar="CLIP", help="A second clip, to interpolate to; with --share.")
    ] = None,
    share: Annotated[float | None, typer.Option("--share", metavar="S", help="Share of the second clip.")] = None,
    plain: Annotated[
        Path | None, typer.Option("--plain", metavar="CLIP", help="A clip without a characteristic; with --marked.")
    ] = None,
    marked: Annotated[
        Path | None, typer.Option("--marked", metavar="CLIP", help="A clip with it: brisk, tired.")
    ] = None,
    amount: Annotated[float, typer.Option("--amount", metavar="A", help="How much of the characteristic.")] = 1.0,
    domain: Annotated[
        str, typer.Option("--domain", metavar="NAME", help="frequency (eq 2.12) or time (eq 2.13).")
    ] = "frequency",
    step: Annotated[float, typer.Option("--step", metavar="X", help="Factor of the step length, 0.2 to 2.")] = 1.0,
    speed: Annotated[float, typer.Option("--speed", metavar="X", help="Factor of the tempo, 0.2 to 5.")] = 1.0,
    hips: Annotated[
        float,
        typer.Option(
            "--hips", metavar="M", help="Raise the hips by this, as far as the legs reach; below 0: lower them [m]."
        ),
    ] = 0.0,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="Length; by default the clip's.")
    ] = None,
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
