"""`motionloom gaze`: turn the gaze of a clip with a gaze map; `gaze-map`: list a map and change it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from motionloom.cli.flags import argument, flag, option, with_fields
from motionloom.cli.options import Force, Json, columns, plural, print_json, print_line, read_clip, warn, with_reading
from motionloom.cli.progress_bars import busy, write_clip
from motionloom.cli.requests import Root, given_request

TARGETS = "targets.csv"
Map = Annotated[Path, argument("MAP.loom", "A gaze map, as `motionloom learn gaze` writes it.")]


def takes_and_targets(paths: Sequence[str], given: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """The takes that arguments name, and the settings with their table of targets.

    A table of targets stands for the takes that it lists; in a folder of takes it is called `targets.csv`.
    """
    from motionloom.io import holds_markers
    from motionloom.methods.gaze.fit import read_targets

    takes: list[str] = []
    tables = [] if given.get("targets") is None else [Path(given["targets"])]
    for path in map(Path, paths):
        if path.suffix.lower() == ".csv" and path.is_file() and not holds_markers(path):
            tables.append(path)
            takes += [str(path.parent / name) for name in read_targets(path)]
            continue
        takes.append(str(path))
        if path.is_dir() and (path / TARGETS).is_file() and not tables:
            tables.append(path / TARGETS)
    return takes, given | ({"targets": str(tables[0])} if tables else {})


@with_reading(trim_tpose=True)
def turn_clip(
    gaze_map: Map,
    clip: Annotated[Path, argument("CLIP", "The clip whose gaze is turned.")],
    out: Annotated[Path, option("-o --out", "FILE", "The clip to write.")],
    request: Annotated[
        str | None, option("-r --request", "FILE|YAML", "Constraints look_at: a request file, or YAML.")
    ] = None,
    objects: Annotated[
        Path | None, option("--objects", "FILE.csv", "Named points (name,x,y,z): look at the nearest one ahead.")
    ] = None,
    within: Annotated[
        float, option("--within", "M", "Distance within which an object is looked at [m].", min=0.1)
    ] = 4.0,
    picture: Annotated[
        bool, flag("--picture", "Write a picture (.png) beside it: directions of head, eyes and targets.")
    ] = False,
    best: Annotated[bool, flag("--best", "Write the clip even if a look_at is missed.")] = False,
    root: Root = None,
    force: Force = False,
    json: Json = False,
    *,
    given: Any = None,
    reading: Any = None,
) -> None:
    """Turn the gaze of CLIP to the targets of a request, by spine, neck, head and eyes; other joints do not change.

    A look begins so early that the gaze has arrived when the span of its look_at begins.
    """
    from dataclasses import replace

    from motionloom.cli.synthesize import print_take, take_report
    from motionloom.constraints import Request
    from motionloom.io import check_target
    from motionloom.recipes.gazing import gaze_model, looks_at_objects, read_objects, try_gaze

    check_target(out, overwrite=force)
    asked = None if request is None else given_request(request, [str(clip)], root)
    model, source = gaze_model(gaze_map), read_clip(clip, reading)
    if objects is not None:
        near = looks_at_objects(source, read_objects(objects), model.map(), distance=within)
        asked = replace(asked or Request(), constraints=(*near, *(() if asked is None else asked.constraints)))
        if not near:
            warn(f"{clip}: comes within {within:g} m of no object of {objects}")
    with busy("turning the gaze") as report:
        found = try_gaze(source, model, asked, progress=report, **given)
    written = found.clip is not None and (found.met or best)
    if found.clip is not None and written:
        write_clip(found.clip, out)
        if picture:
            _draw(found.clip, asked, out.with_suffix(".png"))
    facts = take_report(out if written else None, 0, 0, found)
    if json:
        print_json(facts)
    else:
        print_take(facts, found.residuals)
    if facts["error"]:
        raise typer.Exit(1)


def _draw(clip: Any, request: Any, path: Path) -> None:
    from motionloom.constraints import LookAt
    from motionloom.plot.gaze_strip import look_rows, save_looks

    looks = [c for c in (() if request is None else request.constraints) if isinstance(c, LookAt)]
    save_looks(look_rows(clip, path.stem, looks), path)


def _options() -> Any:
    from motionloom.core.fields import fields_of
    from motionloom.methods.gaze import Options

    return fields_of(Options)


gaze = with_fields(turn_clip, _options())


def gaze_map(
    gaze_map: Map,
    out: Annotated[Path | None, option("-o --out", "MAP.loom", "Write the map as changed by the options.")] = None,
    strength: Annotated[float, typer.Option(min=0, max=3, help="How far spine and neck turn, times as now.")] = 1.0,
    speed: Annotated[float, typer.Option(min=0.1, max=10, help="Speed of the shifts, times as now.")] = 1.0,
    shares: Annotated[
        str, typer.Option(metavar="P,L,U,N", help="Factors of pelvis, lower spine, upper spine and neck.")
    ] = "1,1,1,1",
    picture: Annotated[Path | None, option("--picture", "FILE.png", "Draw how the shares depend on the yaw.")] = None,
    json: Json = False,
) -> None:
    """List the examples of a gaze map, and what it loses of each take; with -o, write it with other factors."""
    import numpy as np

    from motionloom.core import BadRequest
    from motionloom.methods import save_model
    from motionloom.methods.gaze import GazeMotion
    from motionloom.methods.store import check_model_target
    from motionloom.recipes.gazing import gaze_model

    model = gaze_model(gaze_map)
    try:
        factors = [float(value) for value in shares.split(",")]
    except ValueError:
        factors = []
    if len(factors) != 4 or not all(0 <= f <= 5 for f in factors):
        raise BadRequest(f"--shares: expected four numbers from 0 to 5, found {shares!r}")
    if out is not None:
        check_model_target(out)
    changed = (strength, speed, factors) != (1.0, 1.0, [1.0] * 4)
    if changed and out is None:
        raise BadRequest("give -o for the changed map")
    shown = model.scaled(strength=strength, speed=speed, shares=factors) if changed else model
    if out is not None:
        save_model(shown, out)
    if picture is not None:
        from motionloom.plot.gaze import draw_map

        draw_map(shown.map(), picture)
    rows = []
    for name, lost, motion in zip(shown.names, shown.lost, map(GazeMotion.of, shown.examples), strict=True):
        sizes = np.degrees(np.linalg.norm(motion.turns, axis=1))
        rows.append(
            {
                "take": name,
                "yaw_deg": round(float(np.degrees(motion.yaw)), 3),
                "pitch_deg": round(float(np.degrees(motion.pitch)), 3),
                "turns_deg": sizes.round(2).tolist(),
                "seconds": round(motion.seconds, 4),
                "peak": round(motion.peak, 4),
                "overshoot": round(motion.overshoot, 4),
                "lost_deg": round(float(np.degrees(lost)), 3),
            }
        )
    if json:
        print_json({"out": None if out is None else str(out), "examples": rows})
        return
    head = ("take", "yaw", "pitch", "pelvis", "lower", "upper", "neck", "eyes", "length", "overshoot", "lost")
    table = [
        (
            r["take"], f"{r['yaw_deg']:g}", f"{r['pitch_deg']:g}", *(f"{v:.1f}" for v in r["turns_deg"]),
            f"{r['seconds']:.2f} s", f"{r['overshoot']:.3f}", f"{r['lost_deg']:.2f}",
        )
        for r in rows
    ]  # fmt: skip
    print_line(f"{out or gaze_map}: a gaze map of {plural(len(rows), 'example')}; angles in degrees")
    print_line("\n".join(columns(head, table)))
