"""`motionloom append`: join two clips with a transition."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import flag, option
from motionloom.cli.options import (
    Force,
    Json,
    for_each,
    plural,
    print_found,
    print_json,
    print_line,
    read_clip,
    two_times,
    warn,
    with_reading,
)
from motionloom.cli.pairs import (
    RATES_OF_TWO,
    ClipA,
    ClipB,
    MeasureName,
    read_threshold,
    report_rates,
    with_measure,
    write_json,
)
from motionloom.cli.progress_bars import busy, write_clip

if TYPE_CHECKING:
    from motionloom.recipes.recorded_edits import Appended

MAX_DISTANCE = 15.0  # cm: root mean square distance of the joints beyond which a warning is printed
MAX_DROPPED = 1 / 3  # of a clip: if the nearest frames leave out more of it, a warning is printed
JOIN_LIMIT = "50cm"  # beyond this the clips are not joined, unless --limit is larger
MAX_LIMIT = 5.0  # m: more than that is a number of centimetres without its unit


@with_reading(trim_tpose=True, rates=RATES_OF_TWO)
@with_measure
def append(
    a: ClipA,
    b: ClipB,
    out: Annotated[Path, option("-o --out", "FILE", "The clip to write, as out.bvh.")],
    method: Annotated[str, option("--method", "NAME", "blend, stitch or spacetime.")] = "blend",
    at: Annotated[
        str | None, option("--at", "S,S", "Times in A and in B where they meet; by default the most similar.")
    ] = None,
    window: Annotated[float, option("--window", "S", "Length of the transition [s].")] = 0.4,
    search: Annotated[float, option("--search", "S", "Part of A's end and B's start that is searched [s].")] = 1.5,
    measure: MeasureName = "point-cloud",
    ease: Annotated[str, option("--ease", "HOW", "For blend: smooth or linear.")] = "smooth",
    stiffness: Annotated[
        float | None,
        option(
            "--stiffness",
            "NM",
            "For spacetime: how strongly limbs keep to a smooth curve instead of saving torque [N m per radian]; "
            "0 as in the source, by default 25.",
            min=0.0,
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        str, option("--limit", "X", "Clips farther apart are not joined (root mean square).")
    ] = JOIN_LIMIT,
    threshold: Annotated[
        str | None,
        option(
            "--threshold",
            "X",
            "Of all pairs of frames within it, join at the one that leaves out least of both clips: 8cm (root "
            "mean square) for point-cloud; for other measures a number in their unit.",
        ),
    ] = None,
    contacts: Annotated[bool, flag("--contacts", "Join only where the same feet are on the ground.")] = False,
    plants: Annotated[bool, typer.Option(help="Hold feet that stand during the transition.")] = True,
    force: Force = False,
    json: Json = False,
    *,
    reading: Any = None,
    measuring: Any = None,
) -> None:
    """Write A, then B, joined where they are most similar; beside the clip a picture (.png) and values (.json).

    Clips of different frame rates are joined at the lower one.
    """
    from motionloom.blend.quality import window_quality
    from motionloom.core import BadRequest, NoPath
    from motionloom.io import check_target
    from motionloom.recipes.recorded_edits import append as append_clips

    most = 100 * (read_threshold(limit, "point-cloud", "--limit") or 0.0)
    if most > 100 * MAX_LIMIT:
        raise BadRequest(f"--limit: expected a length up to {MAX_LIMIT:g} m, as 50cm, found {limit!r}")
    check_target(out, overwrite=force)
    of_a, of_b = for_each(reading, 2)
    first, second = read_clip(a, of_a), read_clip(b, of_b)
    times = None if at is None else two_times(at, "--at")
    options: dict[str, Any] = {"method": method, "at": times, "window": window, "search": search, "measure": measure}
    options |= {"stiffness": stiffness, "contacts": contacts, "threshold": read_threshold(threshold, measure)}
    options |= measuring
    with busy("joining") as report:
        joined = append_clips(first, second, **options, ease=ease, plants=plants, progress=report)
    report_rates((first, joined.a), (second, joined.b))
    apart = window_quality(joined.a, joined.b, joined.clip, joined.point, joined.half).apart
    if apart > most:
        names = f"{joined.a.name or 'A'} and {joined.b.name or 'B'}"
        raise NoPath(
            f"{names} are {apart:.0f} cm apart where they meet, more than {most:g} cm: nothing written (--at chooses "
            "other times, --search a longer part, --limit a larger limit)",
            best=joined.clip,
        )
    write_clip(joined.clip, out)
    summary = write_summary(joined, method, out)
    if json:
        print_json(summary)
        return
    print_line(f"{out}: {plural(len(joined.clip), 'frame')}, {joined.clip.seconds:.2f} s, joined by {method}")
    places = (f"{summary[k]['name']} at {summary[k]['seconds']:.2f} s" for k in ("a", "b"))
    distance, slide = summary["apart_cm"], summary["slide_cm_per_s"]
    dropped = summary["dropped_seconds"]
    if dropped["a"] > 0 or dropped["b"] > 0:
        print_line(f"  the last {dropped['a']:.2f} s of A and the first {dropped['b']:.2f} s of B are left out")
        lengths = {"a": joined.a.seconds, "b": joined.b.seconds}
        for key, seconds in lengths.items() if at is None else ():
            if dropped[key] > MAX_DROPPED * seconds:
                share = f"{dropped[key] / seconds:.0%} of {summary[key]['name']} is left out"
                warn(f"{share} ({dropped[key]:.2f} of {seconds:.2f} s): --search {seconds / 4:.1g} keeps more, or --at")
    print_line(f"  {' meets '.join(places)}, {distance:.1f} cm apart")
    if distance > MAX_DISTANCE:
        warn(
            f"the clips are {distance:.0f} cm apart where they meet: look at the transition (--at chooses other times)"
        )
    if slide["joined"] is not None:
        here, clips = slide["joined"], slide["clips"]
        print_line(f"  standing feet slide at {here:.1f} cm/s in the transition, {clips:.1f} in the clips")
    print_found([first.origin.notes, second.origin.notes])


def write_summary(joined: Appended, method: str, out: Path) -> dict[str, Any]:
    """Write the picture of joint trails and the values of the transition; returns the values."""
    import numpy as np

    from motionloom.blend.quality import window_quality
    from motionloom.plot.figures import save_figure
    from motionloom.plot.transitions import trails

    clip, a, b, point, half = joined
    quality = window_quality(a, b, clip, point, half)
    span = (max(0.0, (point.a - 6 * half) / a.fps), min(clip.seconds, (point.a + 6 * half) / a.fps))
    titles = [f"before: {a.name or 'A'}, then {b.name or 'B'}, cut", f"after: {method}"]
    save_figure(trails([quality.cut, clip], titles, span=span), out.with_suffix(".png"))
    summary = {
        "method": method,
        "a": {"name": a.name, "frame": point.a, "seconds": round(point.a / a.fps, 4)},
        "b": {"name": b.name, "frame": point.b, "seconds": round(point.b / b.fps, 4)},
        "distance": None if np.isnan(point.distance) else float(f"{point.distance:.6g}"),
        "apart_cm": quality.apart,
        "window": {"first_frame": point.a - half + 1, "frames": 2 * half - 1, "seconds": round(2 * half / a.fps, 4)},
        "frames": len(clip),
        "dropped_seconds": {"a": round((len(a) - 1 - point.a) / a.fps, 4), "b": round(point.b / b.fps, 4)},
        "fps": clip.fps,
        "jump_cm": {"cut": quality.jump_cut, "joined": quality.jump},
        "slide_cm_per_s": {"clips": quality.slide_source, "joined": quality.slide},
        "files": [out.name, out.with_suffix(".png").name, out.with_suffix(".json").name],
    }
    write_json(summary, out.with_suffix(".json"))
    return summary
