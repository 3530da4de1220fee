"""`motionloom graph`: how a motion graph is connected, and what its clips can do."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from motionloom.cli.bars import busy
from motionloom.cli.options import Json, columns, print_json, say


def graph(
    model: Annotated[Path, typer.Argument(metavar="MODEL.loom", help="A model with a motion graph.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE.png", help="Draw speed against turn for every second.")
    ] = None,
    json: Json = False,
) -> None:
    """Tell transitions, what is connected, label sets, and what the clips can do: speeds, turns, what is missing."""
    from motionloom.methods import load_model
    from motionloom.methods.graph.build.prune import facts
    from motionloom.methods.graph.diagnose.coverage import COLUMNS, coverage
    from motionloom.methods.graph.diagnose.label_sets import label_rows
    from motionloom.methods.graph.walk_clip import graph_of

    known = graph_of(load_model(model))
    with busy("measuring") as report:
        found = coverage(known, progress=report)
    rows = label_rows(known)
    if out is not None:
        from motionloom.plot.graph import save_coverage

        save_coverage(found, out)
    if json:
        table = {row[0]: row[1:] for row in found.rows()}
        said = {"columns": COLUMNS, "speeds": table, "sentences": found.sentences()}
        print_json({**asdict(facts(known)), "labels": [r._asdict() for r in rows], "coverage": said})
        return
    say("\n".join(map(str, facts(known).notes())))
    say("")
    head = ("labels", "frames", "can be walked", "transitions within", "to others")
    lines = [(r.name, str(r.frames), f"{r.walked / r.frames:.0%}", str(r.within), str(r.out)) for r in rows]
    say("\n".join(columns(head, lines, left=(0,))))
    say("")
    say("\n".join(columns(("speed", *COLUMNS), found.rows(), left=(0,))))
    say("\n".join(found.sentences()))
    if out is not None:
        say(f"wrote {out}")
