"""`motionloom append`: one clip, then another, joined by a transition."""

from __future__ import annotations

import json as text
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.options import Fps, Json, Roles, Unit, Up, many, print_json, say, warn
from motionloom.cli.similar import ClipA, ClipB, KeepTpose, MeasureName, report_rates

if TYPE_CHECKING:
    from motionloom.blend import Point
    from motionloom.core import Clip

FAR = 25.0  # cm: root mean square distance of the joints beyond which a transition is warned of


def append(
    a: ClipA,
    b: ClipB,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The clip to write, as out.bvh.")],
    method: Annotated[str, typer.Option("--method", metavar="NAME", help="blend, stitch or spacetime.")] = "blend",
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="S,S", help="Seconds in A and in B where they meet; found by likeness otherwise."),
    ] = None,
    window: Annotated[float, typer.Option("--window", metavar="S", help="Length of the transition [s].")] = 0.4,
    search: Annotated[
        float, typer.Option("--search", metavar="S", help="Look for it in so much of A's end and B's start [s].")
    ] = 1.5,
    measure: MeasureName = "point-cloud",
    ease: Annotated[str, typer.Option("--ease", metavar="HOW", help="Of blend: smooth or linear.")] = "smooth",
    plants: Annotated[bool, typer.Option(help="Keep standing feet where they stand.")] = True,
    json: Json = False,
    unit: Unit = None,
    up: Up = None,
    fps: Fps = None,
    trim_tpose: KeepTpose = True,
    roles: Roles = None,
) -> None:
    """Write A, then B, joined where they look most alike; beside the clip its trails (.png) and facts (.json).

    Clips of different frame rates are joined at the lower one.
    """
    from motionloom.io import check_target, load, save
    from motionloom.recipes.edits import append_clips

    check_target(out)
    first, second = (load(path, unit=unit, up=up, fps=fps, trim_tpose=trim_tpose, roles=roles) for path in (a, b))
    times = None if at is None else _two_times(at)
    how: dict[str, Any] = {"method": method, "at": times, "window": window, "search": search, "measure": measure}
    joined, one, other, point, half = append_clips(first, second, **how, ease=ease, plants=plants)
    report_rates((first, one), (second, other))
    out.parent.mkdir(parents=True, exist_ok=True)
    save(joined, out)
    summary = describe(one, other, joined, point, half, method, out)
    if json:
        print_json(summary)
        return
    say(f"{out}: {many(len(joined), 'frame')}, {joined.seconds:.2f} s, joined by {method}")
    apart = summary["apart_cm"]
    places = (f"{clip.name} at {at / clip.fps:.2f} s" for clip, at in ((one, point.a), (other, point.b)))
    say(f"  {' meets '.join(places)}, {apart:.1f} cm apart")
    if apart > FAR:
        warn(f"the clips are {apart:.0f} cm apart where they meet: the transition has far to go (other moments: --at)")
    slide = summary["slide_cm_per_s"]
    if slide["joined"] is not None:
        say(f"  standing feet slide at {slide['joined']:.1f} cm/s in the transition, {slide['clips']:.1f} in the clips")


def describe(a: Clip, b: Clip, joined: Clip, point: Point, half: int, method: str, out: Path) -> dict[str, Any]:
    """The trails picture and the facts beside the clip; the facts are returned."""
    import numpy as np

    from motionloom.blend.quality import window_quality
    from motionloom.plot.figures import save_figure
    from motionloom.plot.transitions import trails

    quality = window_quality(a, b, joined, point, half)
    span = (max(0.0, (point.a - 6 * half) / a.fps), min(joined.seconds, (point.a + 6 * half) / a.fps))
    cut = quality.cut
    titles = [f"before: {a.name or 'A'}, then {b.name or 'B'}, cut", f"after: {method}"]
    figure = trails([cut, joined], titles, span=span)
    save_figure(figure, out.with_suffix(".png"))
    summary = {
        "method": method,
        "a": {"name": a.name, "frame": point.a, "seconds": round(point.a / a.fps, 4)},
        "b": {"name": b.name, "frame": point.b, "seconds": round(point.b / b.fps, 4)},
        "distance": None if np.isnan(point.distance) else float(f"{point.distance:.6g}"),
        "apart_cm": quality.apart,
        "window": {"first_frame": point.a - half + 1, "frames": 2 * half - 1, "seconds": round(2 * half / a.fps, 4)},
        "frames": len(joined),
        "fps": joined.fps,
        "jump_cm": {"cut": quality.jump_cut, "joined": quality.jump},
        "slide_cm_per_s": {"clips": quality.slide_source, "joined": quality.slide},
        "files": [out.name, out.with_suffix(".png").name, out.with_suffix(".json").name],
    }
    out.with_suffix(".json").write_text(text.dumps(summary, indent=2) + "\n")
    return summary


def _two_times(said: str) -> tuple[float, float]:
    from motionloom.core import BadRequest

    try:
        first, second = (float(part) for part in said.split(","))
    except ValueError:
        raise BadRequest(f"--at: expected two times in seconds, as 3.2,0.8, found {said!r}") from None
    return first, second
