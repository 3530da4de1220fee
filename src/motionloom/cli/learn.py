"""`motionloom learn METHOD`: learn a model from clips."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from motionloom.cli.flags import LazyGroup, added_options, flag, option, with_fields
from motionloom.cli.options import (
    Clips,
    Json,
    Measures,
    Seed,
    load_all,
    own_parameters,
    plural,
    print_json,
    print_line,
    with_reading,
)
from motionloom.cli.progress_bars import busy

HELP = """Learn a model from clips: `motionloom learn cuts walks/ -o walks.loom`.

Each method has its own options: `motionloom learn cuts --help`. `motionloom methods` lists the methods.
"""


class Learn(LazyGroup):
    """One command for each method, with the fields of its Config as options."""

    what = "method"

    def rows(self) -> dict[str, str]:
        from motionloom.methods import METHODS

        return {name: method.summary for name, method in METHODS.items()}

    def build(self, name: str) -> Callable[..., None]:
        from motionloom.methods import METHODS, describe

        @with_reading(omit=("trim_tpose",), plain_fps=False)
        def learn_model(
            clips: Clips,
            out: Annotated[Path, option("-o --out", "MODEL.loom", "Where to write the model.")],
            seed: Seed = 0,
            keep_tpose: Annotated[bool, flag("--keep-tpose", "Keep a T-pose in frame 0.")] = False,
            measure: Measures = None,
            json: Json = False,
            *,
            given: Any = None,
            reading: Any = None,
            others: Any = None,
        ) -> None:
            from motionloom.core import Clip
            from motionloom.core.note import as_dicts
            from motionloom.evaluate.capture_checks.frame_rate import rate_notes
            from motionloom.io.titles import with_distinct_names
            from motionloom.methods import learn, load_model, save_model
            from motionloom.methods.store import check_model_target

            check_model_target(out)
            optical = "markers" in METHODS[name].learns_from
            if optical:
                from motionloom.cli.methods.gaze import takes_and_targets

                clips, given = takes_and_targets(clips, given)
            own = own_parameters(measure)
            graph = _graph_file(name, clips)
            others = {**({} if graph is None else graph.models), **{k: v for k, v in others.items() if v is not None}}
            models = {key: load_model(path) for key, path in others.items()}
            made = [] if graph is None else list(graph.made)
            wanted = clips if graph is None else [str(pattern) for pattern in graph.patterns]
            loaded = load_all(wanted, reading, markers=optical) if wanted or not made else []
            loaded = with_distinct_names(loaded)
            if graph is not None:
                given = {**given, **graph.config}
                loaded = [(path, graph.named(clip, path)) for path, clip in loaded]
            paths = [path for path, _ in loaded]
            with busy("learning") as report:
                model = learn(
                    name,
                    [*(c for _, c in loaded), *made],
                    given,
                    seed=seed,
                    files=None if made else paths,
                    trim_tpose=not keep_tpose,
                    parameters=own,
                    models=models,
                    progress=report,
                )
            save_model(model, out)
            notes = [*model.notes, *rate_notes([clip for _, clip in loaded if isinstance(clip, Clip)])]
            facts = {"path": str(out), "method": name, "seed": seed, "fps": model.fps, "notes": as_dicts(notes)}
            facts["measured"] = {m.name: {"unit": m.unit, "values": m.values.tolist()} for m in model.measured}
            if json:
                print_json({**facts, "sources": [source._asdict() for source in model.sources]})
                return
            used, every = sum(source.frames > 0 for source in model.sources), len(model.sources)
            what = f"{used} of " * (used < every) + plural(every, "take" if optical else "clip")
            print_line(f"{out}: {name} from {what} at {model.fps:g} fps, seed {seed}")
            for note in notes:
                print_line(f"  {note}")

        return with_fields(with_models(learn_model, name), describe(name).config, fps="model_fps")


def _graph_file(method: str, clips: list[str]) -> Any:
    """The graph file that is given instead of clips, for the method that has one; else None."""
    if method != "parametric-graph" or not any(text.lower().endswith(".toml") for text in clips):
        return None
    from motionloom.core import BadRequest
    from motionloom.methods.parametric_graph.graph_file import read_graph_file

    if len(clips) > 1:
        raise BadRequest(f"expected one graph file and no clips beside it, found {len(clips)} arguments")
    return read_graph_file(clips[0])


def with_models(run: Callable[..., None], method: str) -> Callable[..., None]:
    """`run` with an option for each model that a method can learn with; `others` are their files by name."""
    from motionloom.methods import METHODS

    options = {
        name: (Annotated[Path | None, typer.Option(f"--{name}", metavar="MODEL.loom", help=text)], None)
        for name, text in METHODS[method].models.items()
    }
    return added_options(run, options, "others")


learn = typer.Typer(cls=Learn, no_args_is_help=True, help=HELP, add_completion=False, rich_markup_mode=None)


@learn.callback()
def start() -> None:
    """Does nothing: a method is a command of its own."""
