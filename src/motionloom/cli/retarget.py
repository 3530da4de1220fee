"""`motionloom retarget`: the motion of clips on another body."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.convert import output_paths
from motionloom.cli.folder import error_report, for_each_file
from motionloom.cli.options import Clips, Fps, Json, Roles, TrimTpose, Unit, Up, columns, say, tell

if TYPE_CHECKING:
    from motionloom.core import Clip


def retarget(
    clips: Clips,
    to: Annotated[Path, typer.Option("--to", metavar="SKELETON", help="A clip file of the body to put the motion on.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="OUT", help="A file or a folder; without it, only a report.")
    ] = None,
    like: Annotated[
        Path | None,
        typer.Option("--like", metavar="CLIP", help="A clip of the source's body in which it stands (for its pose)."),
    ] = None,
    plant: Annotated[
        bool, typer.Option("--plant/--no-plant", help="Put feet and hands where the source's are; hold planted feet.")
    ] = True,
    to_roles: Annotated[
        Path | None, typer.Option("--to-roles", metavar="FILE", help="Roles file of the other body (TOML).")
    ] = None,
    unit: Unit = None,
    up: Up = None,
    fps: Fps = None,
    trim_tpose: TrimTpose = False,
    roles: Roles = None,
    json: Json = False,
) -> None:
    """Put the motion of clips on another body: joints by role, limbs pointing the same way, root scaled by leg length.

    Files in a folder OUT get the suffix of SKELETON, if that can be written, else .bvh.
    """
    from motionloom.io import FORMATS, check_target, expand_paths, load

    paths = expand_paths(clips)
    entry = FORMATS.get(to.suffix.lower())
    suffix = to.suffix if entry is not None and entry.write is not None else ".bvh"
    targets: list[Path | None] = [None] * len(paths)
    if out is not None:
        targets = list(output_paths(paths, clips, out, suffix))
        for target in filter(None, targets):
            check_target(target)
    reading = {"unit": unit, "up": up, "fps": fps, "trim_tpose": trim_tpose, "roles": roles}
    body = load(to, roles=to_roles, trim_tpose=True)
    shown = None if like is None else load(like, unit=unit, up=up, fps=fps, trim_tpose=True, roles=roles)
    work = partial(_retarget, body=body, like=shown, plant=plant, reading=reading)
    pairs = list(zip(paths, targets, strict=True))
    reports = list(for_each_file(work, pairs, "retargeting", failed=error_report, worth=6))
    tell(reports, _say, json=json)


def _retarget(
    job: tuple[Path, Path | None], body: Clip, like: Clip | None, plant: bool, reading: dict[str, Any]
) -> dict[str, Any]:
    """One clip read, retargeted and written; what happened, or what is wrong with it."""
    from dataclasses import asdict

    from motionloom.core import MotionloomError
    from motionloom.core.note import as_dicts
    from motionloom.io import load, save
    from motionloom.kinematics.capture.tpose import starts_with_tpose
    from motionloom.recipes.edits import retarget_clip

    path, target = job
    try:
        clip = load(path, **reading)
        made, report = retarget_clip(clip, body, like=like, plant=plant)
        if target is not None:
            save(made, target)
    except MotionloomError as error:
        return {"path": str(path), "error": str(error)}
    skates = {name: getattr(report, name)._asdict() for name in ("source", "turned", "result")}
    out = None if target is None else str(target)
    posed = starts_with_tpose(clip)
    return {
        "path": str(path),
        "out": out,
        **asdict(report),
        **skates,
        "notes": as_dicts(made.origin.notes),
        "begins_with_tpose": posed,
        "summary": str(report),
    }


def _say(reports: list[dict[str, Any]]) -> None:
    """One line for each clip; what has no partner, once."""
    head = ("clip", "scale", "roles", "skate source", "turned", "result", "missed")
    rows = [
        (
            r["out"] or r["path"],
            f"{r['scale']:.3f}",
            str(len(r["matched"])),
            *("no feet" if r[k]["b"] is None else f"{r[k]['b']:.1f} cm/s" for k in ("source", "turned", "result")),
            f"{1000 * r['missed']:.1f} mm",
        )
        for r in reports
    ]
    if rows:
        say("\n".join(columns(head, rows)))
    for word, key in (("ride along with their parents", "riding"), ("are not carried over", "lost")):
        names = list(dict.fromkeys(name for r in reports for name in r[key]))
        if names:
            say(f"{', '.join(names)} {word}")
    posed = sum(r["begins_with_tpose"] for r in reports)
    if posed:
        said = "the clip begins" if len(reports) == 1 else f"{posed} of {len(reports)} clips begin"
        say(f"{said} with a T-pose, and the leap out of it counts as skate: --trim-tpose drops it")
