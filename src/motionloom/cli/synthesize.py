"""`motionloom synthesize`: make new clips from a model and a request."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import argument, flag, option
from motionloom.cli.options import Force, Json, Measures, Seed, Suffix, columns, plural, print_json, print_line, warn
from motionloom.cli.progress_bars import busy
from motionloom.cli.requests import RequestOption, Root, given_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from motionloom.constraints import Row
    from motionloom.core import Clip
    from motionloom.methods import Attempt


def synthesize(
    model: Annotated[Path, argument("MODEL.loom", "A model from `motionloom learn`.")],
    out: Annotated[Path, option("-o --out", "FILE", "File to write; a folder with --count.")],
    request: RequestOption = "{}",
    seed: Seed = 0,
    count: Annotated[
        int | None,
        option(
            "--count", "N", "Make N takes: take_000.bvh and so on; the first is the best found, later ones vary.", min=1
        ),
    ] = None,
    fps: Annotated[
        float | None,
        option("--result-fps", "FPS", "Frame rate of the result (`fps:` in the request); else the model's."),
    ] = None,
    best: Annotated[bool, flag("--best", "Write the best clip even if a hard constraint is not met.")] = False,
    to: Suffix = ".bvh",
    root: Root = None,
    measure: Measures = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Make new clips. If hard constraints are not met, the residuals are printed and the exit code is 1."""
    from dataclasses import replace

    from motionloom.core.progress import parts
    from motionloom.io import check_target, save
    from motionloom.methods import attempt, load_model

    targets = [_target(out, take, to) for take in ([None] if count is None else range(count))]
    for target in targets:
        check_target(target, overwrite=force)
    learned = load_model(model)
    constraints = given_request(request, root=root, measure=measure)
    if fps is not None:
        constraints = replace(constraints, fps=fps)
    reports: list[dict[str, Any]] = []
    made: list[Clip] = []
    repeated: list[int] = []
    with busy("making") as report:
        for take, (target, own) in enumerate(zip(targets, parts(report, [1] * len(targets)), strict=True)):
            found = attempt(learned, constraints, seed=seed, take=take, progress=own)
            written = found.clip is not None and (found.met or best)
            if found.clip is not None and written:
                save(found.clip, target, progress=own)
            reports.append(take_report(target if written else None, seed, take, found))
            if found.clip is not None and any(_same_motion(found.clip, other) for other in made):
                repeated.append(take)
            made += [found.clip] if found.clip is not None and count is not None else []
            if not json:
                print_take(reports[-1], found.residuals)
    if repeated:
        takes = ", ".join(map(str, repeated))
        warn(f"takes that repeat the motion of an earlier one, for lack of other ways through the clips: {takes}")
    if json:
        print_json(reports)
    if any(report["error"] for report in reports):
        raise typer.Exit(1)


def _target(out: Path, take: int | None, to: str) -> Path:
    """The path of a take: the file, or `take_000.bvh` in the folder of several."""
    return out if take is None else out / f"take_{take:03d}.{to.lstrip('.')}"


def _same_motion(a: Clip, b: Clip) -> bool:
    import numpy as np

    return np.array_equal(a.root, b.root) and np.array_equal(a.rotations, b.rotations)


def take_report(path: Path | None, seed: int, take: int, found: Attempt) -> dict[str, Any]:
    from motionloom.core.note import as_dicts

    return {
        "path": None if path is None else str(path),
        "seed": seed,
        "take": take,
        "frames": 0 if found.clip is None else len(found.clip),
        "seconds": 0.0 if found.clip is None else found.clip.seconds,
        "error": None if found.met else found.reason,
        "notes": [] if found.clip is None else as_dicts(found.clip.origin.notes),
        "residuals": [row._asdict() for row in found.residuals],
    }


def print_take(report: dict[str, Any], rows: Sequence[Row]) -> None:
    from motionloom.core import Note

    if report["error"]:
        warn(report["error"])
    if report["path"]:
        length = f"{plural(report['frames'], 'frame')}, {report['seconds']:.2f} s"
        print_line(f"{report['path']}: {length}, seed {report['seed']}, take {report['take']}")
        for note in report["notes"]:
            print_line(f"  {Note(**note)}")
    elif report["error"]:
        print_line("nothing written" + ("; --best writes the best clip found" if report["frames"] else ""))
    if rows:
        table = [
            (
                r.constraint,
                "hard" if r.hard else "soft",
                r.text or "not checked",
                r.allowed,
                "?" if r.met is None else "yes" if r.met else "no",
            )
            for r in rows
        ]
        print_line(
            "\n".join(
                "  " + line for line in columns(("constraint", "", "residual", "tolerance", "met"), table, left=(0, 1))
            )
        )
        for reason in dict.fromkeys(r.reason for r in rows if r.reason):
            warn(reason)
        if not report["error"] and any(r.missed for r in rows):
            missed = ", ".join(dict.fromkeys(r.constraint for r in rows if r.missed))
            warn(f"soft constraints beyond their tolerance: {missed} (the clip is as near to them as was found)")
