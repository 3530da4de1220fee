"""`motionloom clean`: planted feet stand still; many clips at once."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from motionloom.cli.convert import output_paths
from motionloom.cli.folder import error_report, for_each_file
from motionloom.cli.options import Clips, Fps, Json, Roles, TrimTpose, Unit, Up, columns, say, tell


def clean(
    clips: Clips,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="OUT", help="A file or a folder; without it, only a report.")
    ] = None,
    to: Annotated[str, typer.Option("--to", metavar="SUFFIX", help="Format of files in a folder OUT.")] = ".bvh",
    ease: Annotated[
        float, typer.Option("--ease", metavar="S", min=0.0, help="How long a foot's path bends around a plant [s].")
    ] = 0.2,
    ground: Annotated[
        str | None,
        typer.Option("--ground", metavar="HEIGHT", help="Height of the floor [m]; each foot's own if absent."),
    ] = None,
    find: Annotated[
        bool, typer.Option("--find-contacts", help="Find contacts anew, even where the clip has them as labels.")
    ] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend short glitches by their neighbours first, and say what was done.")
    ] = False,
    unit: Unit = None,
    up: Up = None,
    fps: Fps = None,
    trim_tpose: TrimTpose = False,
    roles: Roles = None,
    json: Json = False,
) -> None:
    """Take foot skate out of clips: pinned heels and toes, bones of constant length, a report before and after.

    Contacts are the clip's labels, or found; they are written beside the clip, where they can be edited.
    """
    from motionloom.core.units import length
    from motionloom.io import check_target, expand_paths

    paths = expand_paths(clips)
    targets: list[Path | None] = [None] * len(paths)
    if out is not None:
        targets = list(output_paths(paths, clips, out, to))
        for target in filter(None, targets):
            check_target(target)
    reading = {"unit": unit, "up": up, "fps": fps, "trim_tpose": trim_tpose, "roles": roles}
    floor = None if ground is None else length(ground, ("--ground",))
    work = partial(_clean, reading=reading, find=find, mend=repair, options={"ease": ease, "ground": floor})
    pairs = list(zip(paths, targets, strict=True))
    reports = list(for_each_file(work, pairs, "cleaning", failed=error_report, worth=6))
    tell(reports, _say, json=json)


def _clean(
    job: tuple[Path, Path | None], reading: dict[str, Any], find: bool, mend: bool, options: dict[str, Any]
) -> dict[str, Any]:
    """One clip read, cleaned and written; what happened, or what is wrong with it."""
    from dataclasses import asdict

    from motionloom.core import MotionloomError
    from motionloom.io import load, save
    from motionloom.recipes.edits import clean_clip

    path, target = job
    try:
        clip = load(path, **reading)
        cleaned, report, repaired = clean_clip(clip, find_contacts=find, repair=mend, **options)
        if target is not None:
            save(cleaned, target)
    except MotionloomError as error:
        return {"path": str(path), "error": str(error)}
    facts = asdict(report) | {"before": _named(report.before), "after": _named(report.after)}
    return {
        "path": str(path),
        "out": None if target is None else str(target),
        **facts,
        "summary": str(report),
        "repaired": repaired,
    }


def _say(reports: list[dict[str, Any]]) -> None:
    """One line for each clip."""
    rows = [
        (
            r["out"] or r["path"],
            *(_speed(r[k] if r["plants"] else None) for k in ("slid_before", "slid_after")),
            str(r["plants"]),
            *(_speed(r[k]["skate_b_cm_per_s"]) for k in ("before", "after")),
            f"{100 * r['moved']:.1f} cm",
            f"{100 * r['lowered']:.1f} cm",
            f"{1000 * r['missed']:.1f} mm",
        )
        for r in reports
    ]
    head = ("clip", "planted feet slide", "after", "contacts", "skate", "after", "feet moved", "hips lowered", "missed")
    for line in (line for r in reports for line in r["repaired"]):
        say(line)
    if rows:
        say("\n".join(columns(head, rows)))


def _named(skate: Any) -> dict[str, float | None]:
    """The three measures of skate under names that say their unit."""
    return {"skate_a_share": skate.a, "skate_b_cm_per_s": skate.b, "skate_c_cm_per_s": skate.c}


def _speed(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.1f} cm/s"  # no feet, or feet that never come near the floor
