"""`motionloom variation` and `motionloom select`: what a model of takes has learned, and which takes fit together."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from motionloom.cli.flags import argument, option, present_value
from motionloom.cli.options import (
    Clips,
    Json,
    Seed,
    columns,
    load_all,
    plural,
    print_json,
    print_line,
    unique_names,
    with_reading,
)
from motionloom.cli.progress_bars import busy, progress

if TYPE_CHECKING:
    from motionloom.core import BoolArray, Clip
    from motionloom.methods.variation import VariationModel
    from motionloom.methods.variation.selection import Dropped

FEWEST = 2  # takes that `compress` keeps
MOST = 6  # parents listed in a cell
LATER = ("", "'", "''")  # after the name of a parent: at t, at t + 1, at t + 2


class ShowOrCommand(TyperGroup):
    """`variation MODEL` is short for `variation show MODEL`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        short = args and args[0] not in self.commands and args[0] not in ctx.help_option_names
        return super().parse_args(ctx, ["show", *args] if short else args)


variation = typer.Typer(
    cls=ShowOrCommand, no_args_is_help=True, add_completion=False, rich_markup_mode=None,
    help="List what a model of takes has learned (`motionloom variation MODEL.loom`), or find takes to leave out.",
)  # fmt: skip


@variation.command()
def show(
    model: Annotated[Path, argument("MODEL", "A .loom file that was learned with variation.")],
    out: Annotated[Path | None, option("-o --out", "DIR", "Folder for pictures: curves, bodies, networks.")] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """List degrees of freedom with their range and their parents in the transition network; scores, settings.

    A parent is marked ' at the frame before, '' within the frame; unmarked it is two frames before. JSON lists the
    parents in the first and in the second frame of the prior network too (' is in the second).
    """
    from motionloom.methods.store import load_model_of
    from motionloom.methods.variation import VariationModel

    learned = load_model_of(VariationModel, model)
    written = [] if out is None else _draw(learned, out, seed, quiet=json)
    nodes = [_node(learned, i) for i in range(learned.dofs.count)]
    if json:
        from motionloom.core.note import as_dicts

        print_json(
            {
                "nodes": nodes,
                "takes": [{"name": clip.name, "seconds": clip.seconds} for clip in learned.clips],
                "repeats": learned.loop is not None,
                "edges": {key: int(getattr(learned.networks, key).sum()) for key in ("prior", "transition")},
                "scores": {"prior": learned.networks.prior_score, "transition": learned.networks.transition_score},
                "settings": asdict(learned.config),
                "notes": as_dicts(learned.notes),
                "pictures": [str(path) for path in written],
            }
        )
        return
    cells = [(n["name"], f"{n['low']:.3f} to {n['high']:.3f}", n["unit"], _few(n["parents"])) for n in nodes]
    print_line("\n".join(columns(("degree of freedom", "range", "unit", "parents"), cells, left=(0, 2, 3))))
    print_line("settings: " + ", ".join(f"{name} {value}" for name, value in asdict(learned.config).items()))
    for note in learned.notes:
        print_line(str(note))
    for picture in written:
        print_line(f"wrote {picture}")


def _node(model: VariationModel, i: int) -> dict[str, Any]:
    import numpy as np

    names, count = model.dofs.names, model.dofs.count

    def parents(edges: BoolArray, own: tuple[int, ...] = ()) -> list[str]:
        return [f"{names[p % count]}{LATER[p // count]}" for p in map(int, np.flatnonzero(edges)) if p not in own]

    return {
        "name": names[i],
        "unit": model.dofs.layout.units[model.dofs.moving[i]],
        "low": float(model.takes.low[i]),
        "high": float(model.takes.high[i]),
        "parents": parents(model.networks.transition[i], (i, count + i)),
        "prior_parents": [parents(model.networks.prior[node]) for node in (i, count + i)],
    }


def _few(parents: list[str]) -> str:
    shown = " ".join(parents[:MOST])
    return f"{shown} and {len(parents) - MOST} more" if len(parents) > MOST else shown or "-"


def _draw(model: VariationModel, folder: Path, seed: int, *, quiet: bool) -> list[Path]:
    from motionloom.plot.figures import save_figure
    from motionloom.plot.variation import PICTURES

    for name in list(PICTURES) if quiet else progress(list(PICTURES), "drawing"):
        save_figure(PICTURES[name](model, seed), folder / f"{name}.png", dpi=110)
    return [folder / f"{name}.png" for name in PICTURES]


RATE = 30.0  # frames per second at which takes are compared
Rate = Annotated[
    float | None, option("--model-fps", "FPS", f"Frame rate of the comparison, {RATE:g} by default.", min=1, max=1000)
]
PlainRate = Annotated[float | None, typer.Option("--fps", min=1, max=1000, hidden=True)]


@variation.command("compress")
@with_reading(omit=("trim_tpose",), plain_fps=False)
def compress(
    clips: Clips,
    tolerance: Annotated[
        float, option("--tolerance", "M", "Largest error: root mean square at the tips of limbs [m].", min=0)
    ] = 0.02,
    rate: Rate = None,
    plain_fps: PlainRate = None,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """List the takes that the others re-synthesise within a tolerance: they can be left out."""
    from motionloom.methods.variation.selection import compress_clips

    _, takes = _takes(clips, reading, present_value("--fps", plain_fps, "--model-fps", rate))
    with busy("re-synthesising clips") as report:
        found = compress_clips(takes, tolerance, progress=report)
    if json:
        rows = {key: [item._asdict() for item in getattr(found, key)] for key in ("superfluous", "kept")}
        print_json({**rows, "tolerance": tolerance})
        return
    cells = [(item.name, f"{item.error * 100:.1f}", "leave out") for item in found.superfluous]
    few = len(found.kept) == FEWEST
    cells += [
        (item.name, f"{item.error * 100:.1f}", "keep: two at least" if few and item.error <= tolerance else "keep")
        for item in found.kept
    ]
    print_line("\n".join(columns(("clip", "error cm", ""), cells, left=(0, 2))))
    print_line(
        f"{len(found.superfluous)} of {plural(len(takes), 'clip')} can be left out: mixtures of the ones that are kept "
        f"come within {tolerance * 100:g} cm of them"
    )


@with_reading(omit=("trim_tpose",), plain_fps=False)
def select(
    clips: Clips,
    trusted: Annotated[
        list[str], option("--trusted", "SET", "Clips that are known to be alike: files, folders, wildcards.")
    ],
    rate: Rate = None,
    plain_fps: PlainRate = None,
    seed: Seed = 0,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Drop takes that are unlike the others, judged by how likely a trusted set makes its own.

    Clips judge each other: how likely is each one if up to six others re-synthesise it? The least likely one is dropped
    until all are above the tenth percentile of the trusted set. Clips that `learn variation` would call unlike the
    others are dropped first. What to type to learn from those that are kept is printed.
    """
    import numpy as np

    from motionloom.methods.variation.config import Config
    from motionloom.methods.variation.selection import select_clips

    fps = present_value("--fps", plain_fps, "--model-fps", rate)
    (paths, takes), (_, known) = _takes(clips, reading, fps), _takes(trusted, reading, fps)
    with busy("selecting clips") as report:
        found = select_clips(takes, known, Config(fps=fps or RATE), rng=np.random.default_rng([seed]), progress=report)
    if json:
        print_json({**found._asdict(), "dropped": [item._asdict() for item in found.dropped]})
        return
    cells = [
        (
            d.name,
            f"{d.likelihood:.2f}",
            f"dropped in round {d.round} ({_reason(d)}): unlike the others in {', '.join(d.worst)}",
        )
        for d in found.dropped
    ]
    cells += [(name, f"{x:.2f}", "kept") for name, x in zip(found.kept, found.likelihoods, strict=True)]
    print_line("\n".join(columns(("clip", "likelihood", ""), cells, left=(0, 2))))
    print_line(
        f"kept {len(found.kept)} of {plural(len(takes), 'clip')}; log likelihoods per frame and degree of freedom, "
        f"threshold {found.threshold:.2f} (tenth percentile of {plural(len(known), 'trusted clip')})"
    )
    if min(found.likelihoods) < found.threshold:
        print_line(
            "the clips that are left are too few to judge each other, and below the threshold: they are not alike"
        )
        return
    kept = [quote(str(path)) for path, clip in zip(paths, takes, strict=True) if clip.name in found.kept]
    print_line(f"learn from them: motionloom learn variation {' '.join(kept)} -o MODEL.loom")


def _reason(dropped: Dropped) -> str:
    if dropped.times:
        return f"{dropped.times:.1f} times as far from them as they are from each other"
    return f"threshold {dropped.threshold:.2f}"


def _takes(paths: list[str], reading: Any, fps: float | None) -> tuple[list[Path], list[Clip]]:
    """Files, and their clips of one skeleton at one frame rate, prepared as for learning."""
    from motionloom.methods import prepare

    loaded = load_all(paths, reading)
    return [path for path, _ in loaded], list(prepare(unique_names(loaded), fps or RATE, broken="mend").clips)
