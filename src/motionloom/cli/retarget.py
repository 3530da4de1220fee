"""`motionloom retarget`: transfer the motion of clips to another skeleton."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from motionloom.cli.flags import flag, option
from motionloom.cli.options import (
    Clips,
    Force,
    Json,
    columns,
    file_dict,
    print_found,
    print_line,
    print_reports,
    read_clip,
    with_reading,
)
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.recipes.folders import EditedFile


@with_reading(trim_tpose=True)
def retarget(
    clips: Clips,
    to: Annotated[Path, option("--to", "SKELETON", "A clip file with the other skeleton.")],
    out: Annotated[Path | None, option("-o --out", "OUT", "A file or a folder; without it, only a report.")] = None,
    like: Annotated[
        Path | None, option("--like", "CLIP", "A clip in which the source's body stands, to find its pose.")
    ] = None,
    plant: Annotated[
        bool, flag("--plant/--no-plant", "Put feet and hands where the source's are; hold planted feet.")
    ] = True,
    axes: Annotated[
        str,
        option(
            "--axes",
            "AXES",
            "Joint axes in BVH for a glTF SKELETON: of the rig, or along the world's axes at rest (rig, world).",
        ),
    ] = "rig",
    to_roles: Annotated[Path | None, option("--to-roles", "FILE", "Roles file of the other skeleton (TOML).")] = None,
    force: Force = False,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Transfer motion to another skeleton: joints by role, limbs in the same directions, root scaled by leg length.

    A glTF file as SKELETON is the rig: a GLB file as OUT is that file, with its mesh, skin and materials, and the
    motion as its animation; a BVH file has the rig's joint axes. Files in a folder OUT have the suffix of SKELETON if
    that format can be written without other programs, otherwise .bvh.
    """
    from dataclasses import replace

    from motionloom.io import FORMATS
    from motionloom.recipes.folders import planned_files, retarget_files

    entry = FORMATS.get(to.suffix.lower())
    suffix = to.suffix if entry is not None and entry.write is not None else ".bvh"
    suffix = {".gltf": ".glb", ".fbx": ".bvh"}.get(to.suffix.lower(), suffix)
    planned_files(clips, out, suffix, overwrite=force)  # before anything is read
    body = read_clip(to, roles=to_roles, trim_tpose=True)
    guide = None if like is None else read_clip(like, replace(reading, trim_tpose=True))
    with busy("retargeting") as report:
        options: dict[str, Any] = {"like": guide, "plant": plant, "axes": axes, "overwrite": force, "progress": report}
        files = list(retarget_files(clips, body, out, to=suffix, reading=reading, **options))
    print_reports(files, _print_table, _as_dict, json=json)


def _as_dict(file: EditedFile) -> dict[str, Any]:
    report: Any = file.report
    return {
        **file_dict(file),
        **asdict(report),
        **{name: getattr(report, name)._asdict() for name in ("source", "turned", "result")},
        "begins_with_tpose": file.begins_with_tpose,
        "summary": str(report),
    }


def _print_table(files: Sequence[EditedFile]) -> None:
    """One line for each clip; joints without a partner are listed once.

    "rotations alone": before feet are pinned; "farthest from plant": how far an ankle stays from its plant at most.
    """
    head = ("clip", "scale", "roles", "planted feet slide: source", "rotations alone", "result", "farthest from plant")
    reports: list[Any] = [file.report for file in files]
    rows = [
        (
            str(file.out or file.path),
            f"{r.scale:.3f}",
            str(len(r.matched)),
            *(f"{speed:.1f} cm/s" if r.result.b is not None else "no feet" for speed in r.slid),
            f"{1000 * r.missed:.1f} mm",
        )
        for file, r in zip(files, reports, strict=True)
    ]
    if rows:
        print_line("\n".join(columns(head, rows)))
    for text, key in (("keep their angle to the parent joint", "riding"), ("are not transferred", "lost")):
        names = list(dict.fromkeys(name for r in reports for name in getattr(r, key)))
        if names:
            print_line(f"{', '.join(names)} {text}")
    print_found([file.notes for file in files])
    posed = sum(file.begins_with_tpose for file in files)
    if posed:
        clips = "the clip begins" if len(files) == 1 else f"{posed} of {len(files)} clips begin"
        print_line(f"{clips} with a T-pose, which was kept")
