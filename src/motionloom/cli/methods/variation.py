"""`motionloom variation`: what a model of takes has learned, as a table, as JSON and as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.bars import progress
from motionloom.cli.options import Json, Seed, columns, print_json, print_line

if TYPE_CHECKING:
    from motionloom.methods.variation import VariationModel

MOST = 6  # parents listed in a cell
LATER = ("", "'", "''")  # after the name of a parent: at t, at t + 1, at t + 2


def variation(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A .loom file that was learned with variation.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="DIR", help="Folder for pictures: curves, networks.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """List degrees of freedom with their range and their parents in the transition network; scores and settings.

    A parent is marked ' at the frame before, '' within the frame; unmarked it is two frames before.
    """
    from motionloom.core import BadRequest
    from motionloom.methods import load_model
    from motionloom.methods.variation import VariationModel

    learned = load_model(model)
    if not isinstance(learned, VariationModel):
        raise BadRequest(f"{model.name} was learned with {learned.method}, not with variation")
    written = [] if out is None else _draw(learned, out, seed, quiet=json)
    nodes = [_node(learned, i) for i in range(learned.dofs.count)]
    if json:
        from motionloom.core.note import as_dicts

        print_json(
            {
                "nodes": nodes,
                "takes": [{"name": clip.name, "seconds": clip.seconds} for clip in learned.clips],
                "repeats": learned.loop is not None,
                "scores": {"prior": learned.networks.prior_score, "transition": learned.networks.transition_score},
                "settings": learned.config.to_plain(),
                "notes": as_dicts(learned.notes),
                "pictures": [str(path) for path in written],
            }
        )
        return
    cells = [(n["name"], f"{n['low']:.3f} to {n['high']:.3f}", n["unit"], _few(n["parents"])) for n in nodes]
    print_line("\n".join(columns(("degree of freedom", "range", "unit", "parents"), cells, left=(0, 2, 3))))
    for note in learned.notes:
        print_line(str(note))
    for picture in written:
        print_line(f"wrote {picture}")


def _node(model: VariationModel, i: int) -> dict[str, Any]:
    names, count = model.dofs.names, model.dofs.count
    parents = [p for p in range(3 * count) if model.networks.transition[i, p] and p not in (i, count + i)]
    return {
        "name": names[i],
        "unit": model.dofs.layout.units[model.dofs.moving[i]],
        "low": float(model.takes.low[i]),
        "high": float(model.takes.high[i]),
        "parents": [f"{names[p % count]}{LATER[p // count]}" for p in parents],
    }


def _few(parents: list[str]) -> str:
    shown = " ".join(parents[:MOST])
    return f"{shown} and {len(parents) - MOST} more" if len(parents) > MOST else shown or "-"


def _draw(model: VariationModel, folder: Path, seed: int, *, quiet: bool) -> list[Path]:
    from motionloom.plot.variation import PICTURES

    folder.mkdir(parents=True, exist_ok=True)
    for name in list(PICTURES) if quiet else progress(list(PICTURES), "drawing"):
        PICTURES[name](model, seed).savefig(folder / f"{name}.png", dpi=110)
    return [folder / f"{name}.png" for name in PICTURES]
