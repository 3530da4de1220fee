"""`motionloom learn METHOD`: a model from clips."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import Flag, Table, flagged
from motionloom.cli.options import Clips, Json, Roles, Seed, SourceFps, Unit, Up, busy, load_all, many, print_json, say

if TYPE_CHECKING:
    from motionloom.methods import Param

HELP = """Learn a model from clips: `motionloom learn cuts walks/ -o walks.loom`.

Each method has its own flags: `motionloom learn cuts --help`. `motionloom methods` says what each can do.
"""


class Learn(Table):
    """One command for each method, with the fields of its Config as flags."""

    what = "method"

    def rows(self) -> dict[str, str]:
        from motionloom.methods import METHODS

        return {name: method.summary for name, method in METHODS.items()}

    def build(self, name: str) -> Callable[..., None]:
        from motionloom.methods import METHODS, params

        def learn_model(
            clips: Clips,
            out: Annotated[Path, typer.Option("-o", "--out", metavar="MODEL.loom", help="Where to write the model.")],
            seed: Seed = 0,
            unit: Unit = None,
            up: Up = None,
            roles: Roles = None,
            source_fps: SourceFps = None,
            keep_tpose: Annotated[
                bool, typer.Option("--keep-tpose", help="Learn from a T-pose in frame 0 too.")
            ] = False,
            json: Json = False,
            *,
            given: Any = None,
        ) -> None:
            from motionloom.core.note import as_dicts
            from motionloom.io.files import check_place
            from motionloom.methods import learn, save_model

            check_place(out)
            loaded = load_all(clips, unit=unit, up=up, fps=source_fps, roles=roles)
            paths = [path for path, _ in loaded]
            with busy("learning"):
                model = learn(name, [c for _, c in loaded], given, seed=seed, files=paths, trim_tpose=not keep_tpose)
            save_model(model, out)
            facts = {"path": str(out), "method": name, "seed": seed, "fps": model.fps, "notes": as_dicts(model.notes)}
            if json:
                print_json({**facts, "sources": [source._asdict() for source in model.sources]})
                return
            say(f"{out}: {name} from {many(len(paths), 'clip')} at {model.fps:g} fps, seed {seed}")
            for note in model.notes:
                say(f"  {note}")

        return flagged(learn_model, [flag(p) for p in params(METHODS[name].module().Config)])


def flag(p: Param) -> Flag:
    """A Config's field as a flag. Quantities are read as text, so that 20cm and 35deg work."""
    kind = p.type if p.type in (bool, int) else str
    metavar = None if p.type is bool else (p.unit or p.type.__name__).upper()
    says = p.describe() if p.default in (None, "") else f"{p.describe()} (default {p.default})"
    return Flag(p.name, kind, says, metavar)


learn = typer.Typer(cls=Learn, no_args_is_help=True, help=HELP, add_completion=False, rich_markup_mode=None)


@learn.callback()
def start() -> None:
    """Nothing to do before a method is chosen."""
