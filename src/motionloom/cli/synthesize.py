"""`motionloom synthesize`: new clips from a model and a request."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.options import Json, Measures, Seed, columns, many, print_json, progress, say, warn
from motionloom.cli.requests import Root, given_request

if TYPE_CHECKING:
    from motionloom.constraints import Request, Row
    from motionloom.core import Clip
    from motionloom.methods import Model


def synthesize(
    model: Annotated[Path, typer.Argument(metavar="MODEL.loom", help="A model from `motionloom learn`.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="Where to write; a folder with --count.")],
    request: Annotated[
        str, typer.Option("-r", "--request", metavar="FILE|YAML", help="A request file, or YAML: '{seconds: 12}'.")
    ] = "{}",
    seed: Seed = 0,
    count: Annotated[
        int | None, typer.Option("--count", metavar="N", min=1, help="Make N takes: take_000.bvh and so on.")
    ] = None,
    best: Annotated[
        bool, typer.Option("--best", help="Where a hard constraint cannot be met, write the best clip all the same.")
    ] = False,
    to: Annotated[str, typer.Option("--to", metavar="SUFFIX", help="Format of the takes in a folder.")] = ".bvh",
    root: Root = None,
    measure: Measures = None,
    json: Json = False,
) -> None:
    """Make new clips. Hard constraints are met, or the command says by how much they are not and exits with 1."""
    from motionloom.io import check_target, save
    from motionloom.methods import load_model

    check_target(_target(out, None if count is None else 0, to))
    learned = load_model(model)
    asked = given_request(request, root=root, measure=measure)
    reports: list[dict[str, Any]] = []
    for take in progress(range(count or 1), "making"):
        clip, rows, error = _take(learned, asked, seed, take)
        target = _target(out, None if count is None else take, to)
        written = clip is not None and (error is None or best)
        if clip is not None and written:
            save(clip, target)
        reports.append(_report(target if written else None, seed, take, clip, rows, error))
        if not json:
            _say(reports[-1], rows)
    if json:
        print_json(reports)
    if any(report["error"] for report in reports):
        raise typer.Exit(1)


def _target(out: Path, take: int | None, to: str) -> Path:
    """Where a take goes: the file, or `take_000.bvh` in the folder of several."""
    return out if take is None else out / f"take_{take:03d}.{to.lstrip('.')}"


def _take(model: Model[Any], request: Request, seed: int, take: int) -> tuple[Clip | None, list[Row], str | None]:
    """One take: the clip, its residual table, and what is not met."""
    from motionloom.methods import attempt

    found = attempt(model, request, seed=seed, take=take)
    return found.clip, list(found.residuals), None if found.met else found.reason


def _report(
    path: Path | None, seed: int, take: int, clip: Clip | None, rows: list[Row], error: str | None
) -> dict[str, Any]:
    from motionloom.core.note import as_dicts

    return {
        "path": None if path is None else str(path),
        "seed": seed,
        "take": take,
        "frames": 0 if clip is None else len(clip),
        "seconds": 0.0 if clip is None else clip.seconds,
        "error": error,
        "notes": [] if clip is None else as_dicts(clip.origin.notes),
        "residuals": [row._asdict() for row in rows],
    }


def _say(report: dict[str, Any], rows: list[Row]) -> None:
    from motionloom.core import Note

    if report["error"]:
        warn(report["error"])
    if report["path"]:
        length = f"{many(report['frames'], 'frame')}, {report['seconds']:.2f} s"
        say(f"{report['path']}: {length}, seed {report['seed']}, take {report['take']}")
        for note in report["notes"]:
            say(f"  {Note(**note)}")
    elif report["error"]:
        say("nothing was written" + ("; --best writes the best clip found" if report["frames"] else ""))
    if rows:
        table = [
            (
                r.constraint,
                "hard" if r.hard else "soft",
                "not checked" if r.worst is None else f"{_shown(r.worst)} {r.unit}",
                f"{r.tolerance:.4g} {r.unit}",
                "?" if r.met is None else "yes" if r.met else "no",
            )
            for r in rows
        ]
        say("\n".join("  " + line for line in columns(("asked", "", "off by", "allowed", "met"), table, left=(0, 1))))
        for reason in dict.fromkeys(r.reason for r in rows if r.reason):
            warn(reason)
        if not report["error"] and any(r.missed for r in rows):
            warn("soft constraints are not all met: this is the best clip found")


def _shown(value: float) -> str:
    """Four digits; what is left of a zero after rounding is a zero."""
    return "0" if abs(value) < 1e-9 else f"{value:.4g}"
