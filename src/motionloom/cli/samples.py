"""`motionloom samples`: the clips we compute ourselves, listed and made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from motionloom.cli.bars import progress
from motionloom.cli.flags import Table, flagged
from motionloom.cli.options import Json, Seed, columns, many, print_json, say

HELP = """Clips without a download: people, a dog, pen strokes, computed here.

`motionloom samples` lists them, `motionloom samples walk --speed 1.2 -o walk.bvh` makes one.
"""


class Samples(Table):
    """One command for each sample, with its parameters as flags."""

    what = "sample"

    def rows(self) -> dict[str, str]:
        from motionloom.samples import SAMPLES

        return {name: sample.what for name, sample in SAMPLES.items()}

    def build(self, name: str) -> Callable[..., None]:
        from motionloom.samples import SAMPLES

        def make_sample(
            out: Annotated[Path | None, typer.Option("-o", "--out", metavar="FILE", help="Where to write it.")] = None,
            seed: Seed = 0,
            json: Json = False,
            *,
            given: Any = None,
        ) -> None:
            _make(name, given, seed, out, Path(), json)

        return flagged(make_sample, list(SAMPLES[name].parameters.values()))


def list_samples(
    ctx: typer.Context,
    json: Json = False,
    everything: Annotated[bool, typer.Option("--all", help="Make every sample, into the folder of -o.")] = False,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder for --all.")] = Path("samples"),
    seed: Seed = 0,
) -> None:
    """List the samples, or make all of them."""
    if ctx.invoked_subcommand is not None:
        return
    from motionloom.samples import SAMPLES

    if everything:
        for name in progress(list(SAMPLES), "making"):
            _make(name, {}, seed, None, out, False)
    elif json:
        print_json(
            [
                {"name": s.name, "what": s.what, "parameters": {n: p.as_dict() for n, p in s.parameters.items()}}
                for s in SAMPLES.values()
            ]
        )
    else:
        rows = [(s.name, s.what, ", ".join(s.parameters)) for s in SAMPLES.values()]
        say("\n".join(columns(("sample", "what it does", "parameters"), rows, left=(0, 1, 2))))
        say("\nMake one: motionloom samples walk --speed 1.2 -o walk.bvh")
        say("What it takes: motionloom samples walk --help")


def _make(name: str, given: dict[str, Any], seed: int, out: Path | None, folder: Path, json: bool) -> None:
    """Make one sample and write it: to `out`, or by its own name into `folder`."""
    from motionloom.io import check_target, save
    from motionloom.kinematics.summary import facts
    from motionloom.samples import SAMPLES, make

    if out is not None:
        check_target(out)
    parameters = SAMPLES[name].parameters
    clip = make(name, seed, **{n: parameters[n].read(text, (n,)) for n, text in given.items()})
    out = out or folder / f"{name}{'.csv' if len(clip.skeleton) == 1 else '.bvh'}"  # a pen stroke is a table
    save(clip, out)
    if json:
        print_json({"path": str(out), **facts(clip).as_dict()})
    else:
        say(f"{out}: {many(len(clip), 'frame')} at {clip.fps:g} fps, {clip.seconds:.2f} s, seed {seed}")


samples = typer.Typer(
    cls=Samples,
    callback=list_samples,
    invoke_without_command=True,
    help=HELP,
    add_completion=False,
    rich_markup_mode=None,
)
