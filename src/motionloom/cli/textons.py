"""`motionloom textons`: what the textons of a model are like."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from motionloom.cli.options import Json, columns, print_json, say


def textons(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A .loom file that was learned with textons.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE.png", help="Draw the segments and the transitions.")
    ] = None,
    json: Json = False,
) -> None:
    """List textons: how many segments, how long, dimensions, fit error, and how likely each follows itself."""
    from motionloom.core import BadRequest
    from motionloom.methods import load_model
    from motionloom.methods.textons import TextonModel
    from motionloom.methods.textons.table import texton_table

    learned = load_model(model)
    if not isinstance(learned, TextonModel):
        raise BadRequest(f"{model.name} was learned with {learned.method}, not with textons")
    rows = texton_table(learned)
    if out is not None:
        from motionloom.plot.textons import save_textons

        save_textons(learned, out)
    if json:
        print_json({"textons": [r._asdict() for r in rows], "notes": list(learned.notes)})
        return
    head = ("texton", "segments", "length", "dimensions", "fit error", "radius", "repeats", "endless")
    lines = [
        (
            str(r.texton),
            str(r.segments),
            f"{r.shortest:.1f}-{r.longest:.1f} s",
            str(r.dimensions),
            f"{100 * r.fit_error:.1f} cm",
            f"{r.radius:.3f}",
            f"{r.repeats:.0%}",
            "yes" if r.endless else "no",
        )
        for r in rows
    ]
    say("\n".join(columns(head, lines)))
    for note in learned.notes:
        say(note)
    if out is not None:
        say(f"wrote {out}")
