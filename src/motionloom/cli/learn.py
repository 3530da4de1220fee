"""`motionloom learn METHOD`: a model from clips."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from motionloom.cli.bars import busy
from motionloom.cli.flags import Table, flagged
from motionloom.cli.options import (
    Clips,
    Json,
    Measures,
    Roles,
    Seed,
    SourceFps,
    Unit,
    Up,
    load_all,
    many,
    own_parameters,
    print_json,
    say,
)

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
        from motionloom.methods import describe

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
            measure: Measures = None,
            json: Json = False,
            *,
            given: Any = None,
        ) -> None:
            from motionloom.core.note import as_dicts
            from motionloom.io.files import check_place
            from motionloom.methods import learn, save_model

            check_place(out)
            own = own_parameters(measure)
            loaded = load_all(clips, unit=unit, up=up, fps=source_fps, roles=roles)
            paths = [path for path, _ in loaded]
            with busy("learning") as report:
                model = learn(
                    name,
                    [c for _, c in loaded],
                    given,
                    seed=seed,
                    files=paths,
                    trim_tpose=not keep_tpose,
                    parameters=own,
                    progress=report,
                )
            save_model(model, out)
            facts = {"path": str(out), "method": name, "seed": seed, "fps": model.fps, "notes": as_dicts(model.notes)}
            facts["measured"] = {m.name: {"unit": m.unit, "values": m.values.tolist()} for m in model.measured}
            if json:
                print_json({**facts, "sources": [source._asdict() for source in model.sources]})
                return
            say(f"{out}: {name} from {many(len(paths), 'clip')} at {model.fps:g} fps, seed {seed}")
            for note in model.notes:
                say(f"  {note}")

        return flagged(learn_model, describe(name).config)


learn = typer.Typer(cls=Learn, no_args_is_help=True, help=HELP, add_completion=False, rich_markup_mode=None)


@learn.callback()
def start() -> None:
    """Nothing to do before a method is chosen."""
