"""`motionloom samples`: list and make sample clips."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from motionloom.cli.flags import LazyGroup, with_fields
from motionloom.cli.options import Force, Json, Seed, columns, plural, print_json, print_line
from motionloom.cli.progress_bars import progress

HELP = """Sample clips without a download: people, a dog, pen strokes.

`motionloom samples` lists them, `motionloom samples walk --speed 1.2 -o walk.bvh` makes one.
"""


class Samples(LazyGroup):
    """One command for each sample, with its parameters as options."""

    what = "sample"

    def rows(self) -> dict[str, str]:
        from motionloom.samples import SAMPLES

        return {name: sample.what for name, sample in SAMPLES.items()}

    def build(self, name: str) -> Callable[..., None]:
        from motionloom.samples import SAMPLES

        def make_sample(
            out: Annotated[Path | None, typer.Option("-o", "--out", metavar="FILE", help="The file to write.")] = None,
            seed: Seed = 0,
            force: Force = False,
            json: Json = False,
            *,
            given: Any = None,
        ) -> None:
            _make(name, given, seed, out, Path(), force, json)

        return with_fields(make_sample, list(SAMPLES[name].parameters.values()), fps="result_fps")


def list_samples(
    ctx: typer.Context,
    json: Json = False,
    everything: Annotated[bool, typer.Option("--all", help="Make every sample, into the folder of -o.")] = False,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder for --all.")] = Path("samples"),
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """List the samples, or make all of them."""
    if ctx.invoked_subcommand is not None:
        return
    from motionloom.samples import SAMPLES

    if everything:
        for name in progress(list(SAMPLES), "making"):
            _make(name, {}, seed, None, out, force, False)
    elif json:
        print_json(
            [
                {"name": s.name, "what": s.what, "parameters": {n: p.as_dict() for n, p in s.parameters.items()}}
                for s in SAMPLES.values()
            ]
        )
    else:
        rows = [(s.name, s.what, ", ".join(s.parameters)) for s in SAMPLES.values()]
        print_line("\n".join(columns(("sample", "description", "parameters"), rows, left=(0, 1, 2))))
        print_line("\nMake one: motionloom samples walk --speed 1.2 -o walk.bvh")
        print_line("Its parameters: motionloom samples walk --help")


def _make(name: str, given: dict[str, Any], seed: int, out: Path | None, folder: Path, force: bool, json: bool) -> None:
    """Make one sample and write it: to `out`, or by its own name into `folder`."""
    from motionloom.io import check_target, save
    from motionloom.kinematics.summary import clip_facts
    from motionloom.samples import SAMPLES, make

    parameters = SAMPLES[name].parameters
    if out is not None:
        check_target(out, overwrite=force)
    clip = make(name, seed, **{n: parameters[n].read(text, (n,)) for n, text in given.items()})
    if out is None:
        out = folder / f"{name}{'.csv' if len(clip.skeleton) == 1 else '.bvh'}"  # a pen stroke is a table
        check_target(out, overwrite=force)
    save(clip, out)
    if json:
        print_json({"path": str(out), **clip_facts(clip).as_dict()})
    else:
        print_line(f"{out}: {plural(len(clip), 'frame')} at {clip.fps:g} fps, {clip.seconds:.2f} s, seed {seed}")


samples = typer.Typer(
    cls=Samples,
    callback=list_samples,
    invoke_without_command=True,
    help=HELP,
    add_completion=False,
    rich_markup_mode=None,
)
