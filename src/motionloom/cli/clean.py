"""`motionloom clean`: remove foot skate from clips."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from motionloom.cli.flags import flag, option
from motionloom.cli.options import (
    Clips,
    Force,
    Json,
    Suffix,
    columns,
    file_dict,
    ground_height,
    load_all,
    print_found,
    print_line,
    print_reports,
    two_times,
    with_reading,
)
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.recipes.folders import EditedFile

LINES_OF_A_CLIP = 4  # on repaired glitches


@with_reading(trim_tpose=True)
def clean(
    clips: Clips,
    out: Annotated[Path | None, option("-o --out", "OUT", "A file or a folder; without it, only a report.")] = None,
    to: Suffix = ".bvh",
    ease: Annotated[
        float, option("--ease", "S", "Time over which a foot's path bends around a contact [s].", min=0.0)
    ] = 0.2,
    ground: Annotated[
        str | None, option("--ground", "HEIGHT", "Height of the floor [m]; by default the lowest of each foot joint.")
    ] = None,
    find: Annotated[bool, flag("--find-contacts", "Find contacts even where the clip has them as labels.")] = False,
    repair: Annotated[
        bool, flag("--repair", "First interpolate short glitches; prints the first ones of each clip.")
    ] = False,
    fill: Annotated[
        list[str] | None,
        option(
            "--fill",
            "S,S",
            "First replace the frames between two times, by those around them and by what similar frames do; "
            "repeatable.",
            show_default=False,
        ),
    ] = None,
    like: Annotated[
        list[str] | None,
        option(
            "--like",
            "CLIPS",
            "For --fill: other takes to learn from, a file, folder or wildcard; repeatable.",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Remove foot skate: heels and toes are pinned during contacts, bones keep their length; prints before and after.

    Contacts are the clip's labels, or found; they are written beside the clip, where they can be edited.
    """
    from motionloom.core import BadRequest
    from motionloom.recipes.folders import clean_files

    if like and not fill:
        raise BadRequest("--like: only with --fill, the times between which frames are made anew")
    spans = [two_times(text, "--fill") for text in fill or ()]
    others = [clip for _, clip in load_all(like, reading)] if like else []
    options: dict[str, Any] = {"fill": spans, "like": others}
    options |= {"ease": ease, "ground": ground_height(ground), "find_contacts": find, "repair": repair}
    with busy("cleaning") as report:
        files = list(clean_files(clips, out, to=to, reading=reading, overwrite=force, progress=report, **options))
    print_reports(files, _print_table, _as_dict, json=json)


def _as_dict(file: EditedFile) -> dict[str, Any]:
    """Plain values for JSON; the three measures of skate have names with units."""
    report: Any = file.report
    skates = {
        name: {"skate_a_share": skate.a, "skate_b_cm_per_s": skate.b, "skate_c_cm_per_s": skate.c}
        for name, skate in (("before", report.before), ("after", report.after))
    }
    return {**file_dict(file), **asdict(report), **skates, "summary": str(report), "repaired": list(file.repaired)}


def _print_table(files: Sequence[EditedFile]) -> None:
    """One line for each clip."""
    rows = []
    for file in files:
        r: Any = file.report
        rows.append(
            (
                str(file.out or file.path),
                *(_speed(speed if r.plants else None) for speed in (r.slid_before, r.slid_after)),
                str(r.plants),
                f"{100 * r.moved:.1f} cm",
                f"{100 * r.shifted:.1f} cm",
                f"{100 * r.lowered:.1f} cm",
                f"{math.degrees(r.knees):.1f} deg",
                f"{1000 * r.missed:.1f} mm",
            )
        )
    head = (
        "clip",
        "planted feet slide",
        "after",
        "contacts",
        "feet moved",
        "hips moved",
        "hips lowered",
        "knees",
        "missed",
    )
    for file in files:
        lines = file.repaired
        shown = lines if len(lines) <= LINES_OF_A_CLIP else lines[: LINES_OF_A_CLIP - 1]
        for line in shown:
            print_line(line)
        if len(shown) < len(lines):
            print_line(f"{file.path.name}: {len(lines) - len(shown)} more (--json lists all)")
    if rows:
        print_line("\n".join(columns(head, rows)))
    if unpinned := [row[0] for row in rows if row[3] == "0"]:
        print_line(f"no foot was found to rest on the floor, so none was pinned: {', '.join(unpinned)}")
    print_found([file.notes for file in files])


def _speed(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.1f} cm/s"  # no feet, or feet that are never near the floor
