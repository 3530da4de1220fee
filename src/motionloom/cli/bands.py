"""`motionloom bands`: change or exchange the frequency bands of clips."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from motionloom.cli.flags import argument, flag, option
from motionloom.cli.options import Force, for_each, plural, print_line, read_clip, with_reading
from motionloom.cli.progress_bars import busy, write_clip


@with_reading(trim_tpose=True, rates="Frame rate of the files, or of CLIP and of --with: 60,120 [frames/s].")
def bands(
    clip: Annotated[Path, argument("CLIP", "A clip.")],
    out: Annotated[Path, option("-o --out", "FILE", "The clip to write, as out.bvh.")],
    other: Annotated[Path | None, option("--with", "CLIP", "A second clip, whose bands are mixed in.")] = None,
    gains: Annotated[str, option("--gains", "G,G", "A factor for each band, the highest frequencies first.")] = "",
    shares: Annotated[str, option("--shares", "S,S", "Share of the second clip in each band, 0 to 1.")] = "",
    kind: Annotated[str, option("--kind", "NAME", "pyramid, or wavelet.")] = "pyramid",
    lock: Annotated[bool, flag("--lock/--no-lock", "Lock feet in place while they stand.")] = True,
    force: Force = False,
    *,
    reading: Any = None,
) -> None:
    """Multiply the frequency bands of a clip, or mix in those of another one (GUAN 2.3.3).

    Band 0 is the fastest movement: above 1 a motion becomes nervous, below 1 it is damped.
    """
    from motionloom.blend.bands import band_count
    from motionloom.io import check_target
    from motionloom.recipes.blending import change_bands

    check_target(out, overwrite=force)
    of_first, *of_second = for_each(reading, 1 if other is None else 2)
    first = read_clip(clip, of_first)
    second = None if other is None else read_clip(other, *of_second)
    with busy("changing bands") as report:
        made = change_bands(
            first, second, gains=_numbers(gains), shares=_numbers(shares), kind=kind, lock_feet=lock, progress=report
        )
    write_clip(made, out)
    for note in made.origin.notes:
        if note not in first.origin.notes:
            named = other is not None and second is not None and note in second.origin.notes
            print_line(f"{other.name}: {note}" if named and other is not None else str(note))
    print_line(f"{out}: {plural(len(made), 'frame')}, {band_count(len(made))} bands")


def _numbers(text: str) -> list[float]:
    from motionloom.core import BadRequest

    try:
        return [float(part) for part in text.split(",")] if text else []
    except ValueError:
        raise BadRequest(f"expected numbers, as 2,1.5,1, found {text!r}") from None
