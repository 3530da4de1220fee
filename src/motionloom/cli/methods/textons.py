"""Command for textons: `textons` lists the textons of a model, and checks or edits a path of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from motionloom.cli.flags import argument, flag, option
from motionloom.cli.options import Json, Seed, columns, print_json, print_line
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.methods.textons import TextonModel
    from motionloom.methods.textons.plan.edit import EditChoices
    from motionloom.methods.textons.summary import TextonRow

MAX_LISTED = 8  # textons in a cell


def textons(
    model: Annotated[Path, argument("MODEL", "A .loom file that was learned with textons.")],
    path: Annotated[
        str | None, option("--path", "PATH", "A path, as '3 3 7#1 1': check it, and list possible changes.")
    ] = None,
    segments: Annotated[
        bool, flag("--segments", "List each texton's segments, as 7#1: clip, frame and length.")
    ] = False,
    out: Annotated[
        Path | None, option("-o --out", "DIR", "Folder for pictures: segments, transitions, graph, curves, spectra.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """List textons: number and length of segments, dimensions, fit error, probability of a repetition.

    A path can be part of a request: -r '{options: {path: [3, 3, 7#1, 1]}}'.
    """
    from motionloom.methods.store import load_model_of
    from motionloom.methods.textons import TextonModel
    from motionloom.methods.textons.plan.edit import edit_choices
    from motionloom.methods.textons.plan.notation import read_path
    from motionloom.methods.textons.summary import texton_table

    learned = load_model_of(TextonModel, model)
    steps = [] if path is None else read_path(learned.segments, path.replace(",", " ").split(), learned.may_follow)
    edits = edit_choices([s.texton for s in steps], learned.may_follow, learned.counts) if steps else []
    rows = texton_table(learned) if path is None else []
    written = [] if out is None else _draw(learned, out, seed)
    if json:
        from motionloom.core.note import as_dicts

        report: dict[str, Any] = {"notes": as_dicts(learned.notes), "pictures": [str(p) for p in written]}
        report |= {"path": [e._asdict() for e in edits]} if steps else {"textons": [r._asdict() for r in rows]}
        report |= {"segments": _segments(learned)} if segments else {}
        print_json(report)
        return
    print_line("\n".join(_edit_lines([str(s) for s in steps], edits) if steps else _lines(rows)))
    if segments:
        found = _segments(learned)
        cells = [(f["name"], f["clip"], str(f["frame"]), f"{f['seconds']:.2f} s") for f in found]
        print_line("\n" + "\n".join(columns(("segment", "clip", "frame", "length"), cells, left=(0, 1))))
    for note in learned.notes if path is None else ():
        print_line(str(note))
    for picture in written:
        print_line(f"wrote {picture}")


def _lines(rows: Sequence[TextonRow]) -> list[str]:
    head = ("texton", "segments", "length", "dimensions", "fit error", "radius", "repeats", "endless", "next")
    cells = [
        (
            str(r.texton),
            str(r.segments),
            f"{r.shortest:.1f}-{r.longest:.1f} s",
            str(r.dimensions),
            f"{100 * r.fit_error:.1f} cm" if r.fit_error >= 0.001 else f"{1000 * r.fit_error:.2g} mm",  # pen strokes
            f"{r.radius:.3f}",
            f"{r.repeats:.0%}",
            "yes" if r.endless else "no",
            _few(r.next),
        )
        for r in rows
    ]
    return columns(head, cells, left=(0, 8))


def _edit_lines(written: Sequence[str], edits: Sequence[EditChoices]) -> list[str]:
    """A row for each place; a transition has its observed probability, or is "near" if it was not observed."""
    head = ("place", "texton", "to the next", "may be deleted", "may be swapped for", "may follow it here")
    cells = [
        (
            str(k),
            word,
            "" if e.chance is None else f"{e.chance:.0%}" if e.chance else "near",
            "yes" if e.delete else "no",
            _few(e.swap),
            _few(e.insert),
        )
        for k, (word, e) in enumerate(zip(written, edits, strict=True))
    ]
    return columns(head, cells, left=(0, 1, 4, 5))


def _few(textons: Sequence[int]) -> str:
    shown = " ".join(str(t) for t in textons[:MAX_LISTED])
    return f"{shown} and {len(textons) - MAX_LISTED} more" if len(textons) > MAX_LISTED else shown or "-"


def _segments(model: TextonModel) -> list[dict[str, Any]]:
    return [
        {
            "name": f"{texton}#{k}",
            "texton": texton,
            "segment": k,
            "clip": model.observed[o].source,
            "frame": model.observed[o].frame,
            "seconds": model.observed[o].covers / model.fps,
        }
        for texton in range(len(model.textons))
        for k, o in enumerate(model.of_texton(texton))
    ]


def _draw(model: TextonModel, folder: Path, seed: int) -> list[Path]:
    from motionloom.core.progress import each
    from motionloom.plot.figures import save_figure
    from motionloom.plot.textons_pictures import PICTURES, pictures

    with busy("drawing") as report:
        for name in each(pictures(model), report, ""):
            save_figure(PICTURES[name](model, seed), folder / f"{name}.png", dpi=110)
    return [folder / f"{name}.png" for name in pictures(model)]
