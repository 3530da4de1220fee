"""`motionloom samples`: list and make sample clips."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from motionloom.cli.flags import LazyGroup, flag, option, with_fields
from motionloom.cli.options import Force, Json, Seed, columns, plural, print_json, print_line
from motionloom.cli.progress_bars import progress, write_clip

HELP = """Sample clips without a download: people, a dog, pen strokes.

`motionloom samples` lists them, `motionloom samples walk --speed 1.2 -o walk.bvh` makes one.
"""
TAKES = "gaze_takes"
TAKES_HELP = "33 takes of gaze shifts as markers, a folder for `motionloom learn gaze`"


class Samples(LazyGroup):
    """One command for each sample, with its parameters as options."""

    what = "sample"

    def rows(self) -> dict[str, str]:
        from motionloom.samples import SAMPLES

        return {**{name: sample.what for name, sample in SAMPLES.items()}, TAKES: TAKES_HELP}

    def build(self, name: str) -> Callable[..., None]:
        from motionloom.samples import SAMPLES

        if name == TAKES:
            return make_takes

        def make_sample(
            out: Annotated[Path | None, option("-o --out", "FILE", "The file to write.")] = None,
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
    everything: Annotated[bool, flag("--all", "Make every sample, into the folder of -o.")] = False,
    out: Annotated[Path, option("-o --out", "DIR", "Folder for --all.")] = Path("samples"),
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
        rows.append((TAKES, TAKES_HELP, "noise"))
        print_line("\n".join(columns(("sample", "description", "parameters"), rows, left=(0, 1, 2))))
        print_line("\nMake one: motionloom samples walk --speed 1.2 -o walk.bvh")
        print_line("Its parameters: motionloom samples walk --help")


def _make(name: str, given: dict[str, Any], seed: int, out: Path | None, folder: Path, force: bool, json: bool) -> None:
    """Make one sample and write it: to `out`, or by its own name into `folder`."""
    from motionloom.io import check_target
    from motionloom.kinematics.summary import clip_facts
    from motionloom.samples import SAMPLES, make

    parameters = SAMPLES[name].parameters
    if out is not None:
        check_target(out, overwrite=force)
    clip = make(name, seed, **{n: parameters[n].read(text, (n,)) for n, text in given.items()})
    if out is None:
        out = folder / f"{name}{'.csv' if len(clip.skeleton) == 1 else '.bvh'}"  # a pen stroke is a table
        check_target(out, overwrite=force)
    write_clip(clip, out)
    if json:
        print_json({"path": str(out), **clip_facts(clip).as_dict()})
    else:
        print_line(f"{out}: {plural(len(clip), 'frame')} at {clip.fps:g} fps, {clip.seconds:.2f} s, seed {seed}")


def make_takes(
    out: Annotated[Path, option("-o --out", "DIR", "The folder to write.")] = Path("takes"),
    noise: Annotated[float, typer.Option(min=0, max=0.01, help="Noise of the markers [m].")] = 3e-4,
    seed: Seed = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Make takes of a person who looks at 33 signs all around, one after the other, with the table of their targets."""
    import math

    from motionloom.core import BadRequest
    from motionloom.io import save_markers
    from motionloom.io.atomic_files import write_whole
    from motionloom.samples.gaze_takes import make_take, targets

    chosen, table = targets(seed), out / "targets.csv"
    files = [out / f"take_{k:02d}.trc" for k in range(len(chosen))]
    there = [path for path in (*files, table) if path.exists()]
    if there and not force:
        raise BadRequest(f"{there[0]} is there already; --force replaces it")
    rows = ["file,yaw,pitch"]
    for (yaw, pitch), path in zip(progress(chosen, "making"), files, strict=True):
        save_markers(make_take((yaw, pitch), seed=seed, noise=noise).markers, path)
        rows.append(f"{path.name},{math.degrees(yaw):g},{math.degrees(pitch):g}")
    write_whole(table, ["\n".join([*rows, ""]).encode()])
    if json:
        print_json({"path": str(out), "takes": [str(path) for path in files], "targets": str(table)})
    else:
        print_line(f"{out}: {plural(len(files), 'take')} and targets.csv, seed {seed}")


samples = typer.Typer(
    cls=Samples,
    callback=list_samples,
    invoke_without_command=True,
    help=HELP,
    add_completion=False,
    rich_markup_mode=None,
)
