"""Commands for models that contain a motion graph: `graph` (connections and coverage) and `walk` (random walks)."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import argument, flag, option, present_value
from motionloom.cli.options import Force, Json, Seed, Suffix, columns, plural, print_json, print_line
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.control.graph_walks import WalkTake


def graph(
    model: Annotated[Path, argument("MODEL.loom", "A model with a motion graph.")],
    out: Annotated[Path | None, option("-o --out", "FILE.png", "Draw speed against turn for every second.")] = None,
    json: Json = False,
) -> None:
    """Show the transitions, connections and label sets of a motion graph, and the speeds and turns of its clips."""
    from motionloom.methods import load_model
    from motionloom.methods.graph.build.prune import graph_facts
    from motionloom.methods.graph.diagnose.coverage import COLUMNS, coverage
    from motionloom.methods.graph.diagnose.label_sets import label_rows
    from motionloom.methods.graph.model import graph_model

    known = graph_model(load_model(model)).graph
    with busy("measuring") as report:
        found = coverage(known, progress=report)
    rows = label_rows(known)
    if out is not None:
        from motionloom.plot.graph import save_coverage

        save_coverage(found, out)
    if json:
        table = {row[0]: row[1:] for row in found.rows()}
        speeds = {"columns": COLUMNS, "speeds": table, "sentences": found.sentences()}
        print_json({**asdict(graph_facts(known)), "labels": [r._asdict() for r in rows], "coverage": speeds})
        return
    print_line("\n".join(map(str, graph_facts(known).notes())))
    print_line("")
    head = ("labels", "frames", "walkable", "transitions within", "to others")
    lines = [(r.name, str(r.frames), f"{r.walked / r.frames:.0%}", str(r.within), str(r.out)) for r in rows]
    print_line("\n".join(columns(head, lines, left=(0,))))
    print_line("")
    print_line("\n".join(columns(("speed", *COLUMNS), found.rows(), left=(0,))))
    print_line("\n".join(found.sentences()))
    if out is not None:
        print_line(f"wrote {out}")


def walk(
    model: Annotated[Path, argument("MODEL.loom", "A model with a motion graph.")],
    seconds: Annotated[float, option("--seconds", "S", "Duration of the walk [s].")] = 60.0,
    out: Annotated[
        Path | None, option("-o --out", "FILE", "File to write; a folder with --count. [MODEL_walk.bvh]")
    ] = None,
    seed: Seed = 0,
    count: Annotated[int | None, option("--count", "N", "Make N takes: take_000.bvh and so on.", min=1)] = None,
    start: Annotated[
        str | None, option("--start", "CLIP#FRAME", "Frame to begin at: walk.bvh#120; by default any.")
    ] = None,
    style: Annotated[str | None, option("--style", "LABEL", "Use only frames with this label.")] = None,
    fps: Annotated[
        float | None, option("--result-fps", "FPS", "Frame rate of the result; by default the model's.", min=1.0)
    ] = None,
    shortest: Annotated[
        float | None, option("--shortest", "S", "Shortest time between transitions [s]; default: 0.5.", min=0.0)
    ] = None,
    sampling: Annotated[
        str | None,
        option(
            "--sampling",
            "HOW",
            "Probability of transitions: similarity, uniform, or markov (two-level-graph, and its default).",
        ),
    ] = None,
    avoid_repeats: Annotated[
        bool | None, flag("--avoid-repeats/--no-avoid-repeats", "Avoid frames that were shown recently (default).")
    ] = None,
    picture: Annotated[
        Path | None, option("--picture", "FILE", "Draw the source of every frame: .png, .svg or .pdf.")
    ] = None,
    to: Suffix = ".bvh",
    force: Force = False,
    json: Json = False,
    plain_fps: Annotated[float | None, typer.Option("--fps", min=1.0, hidden=True)] = None,
    pick: Annotated[str | None, typer.Option("--pick", hidden=True)] = None,
    fresh: Annotated[bool | None, typer.Option("--fresh/--no-fresh", hidden=True)] = None,
) -> None:
    """Random walks of any length through a motion graph, without dead ends."""
    from motionloom.control.graph_walks import random_walk
    from motionloom.core.progress import parts
    from motionloom.io import check_target, save
    from motionloom.methods import load_model
    from motionloom.methods.graph.build.prune import graph_facts
    from motionloom.methods.graph.model import graph_model
    from motionloom.plot.figures import picture_kind
    from motionloom.plot.source_pictures import save_provenance

    if picture is not None:
        picture_kind(picture)
    targets = [_target(model, out, take, to) for take in ([None] if count is None else range(count))]
    for path in targets:
        check_target(path, overwrite=force)
    learned = load_model(model)
    known = graph_facts(graph_model(learned).graph)
    if not json:
        first, *others = known.notes()
        print_line("\n".join([f"{model}: {first}", *(f"  {note}" for note in others)]))
    takes: list[dict[str, Any]] = []
    fps = present_value("--fps", plain_fps, "--result-fps", fps)
    given = {
        "shortest": shortest,
        "sampling": present_value("--pick", pick, "--sampling", sampling),
        "avoid_repeats": present_value("--fresh", fresh, "--avoid-repeats", avoid_repeats),
    }
    options = {name: value for name, value in given.items() if value is not None}
    with busy("walking") as report:
        for take, (path, step) in enumerate(zip(targets, parts(report, [1] * len(targets)), strict=True)):
            made = random_walk(
                learned, seconds, fps=fps, start=start, style=style, seed=seed, take=take, progress=step, **options
            )
            save(made.clip, path, progress=step)
            drawn = None if picture is None else _numbered(picture, None if count is None else take)
            if drawn is not None:
                save_provenance([made.clip], drawn, titles=[path.name])
            takes.append(_report(made, learned.fps, path, drawn, seed, take))
            if not json:
                print_line(_line(takes[-1]))
    if json:
        graph = {name: value if math.isfinite(value) else None for name, value in asdict(known).items()}
        print_json({"model": str(model), "graph": graph, "takes": takes})


def _target(model: Path, out: Path | None, take: int | None, to: str) -> Path:
    """The path of a take: `g_walk.bvh`, or `g_walks/take_000.bvh` of several."""
    if take is None:
        return out or Path(f"{model.stem}_walk.{to.lstrip('.')}")
    return (out or Path(f"{model.stem}_walks")) / f"take_{take:03d}.{to.lstrip('.')}"


def _numbered(picture: Path, take: int | None) -> Path:
    return picture if take is None else picture.with_name(f"{picture.stem}_{take:03d}{picture.suffix}")


def _report(made: WalkTake, fps: float, path: Path, picture: Path | None, seed: int, take: int) -> dict[str, Any]:
    return {
        "path": str(path),
        "picture": None if picture is None else str(picture),
        "seed": seed,
        "take": take,
        "frames": len(made.clip),
        "seconds": made.clip.seconds,
        "transitions": len(made.route.taken),
        "repeats_after": made.variety if made.variety < made.route.frames else None,
        "repeats_after_seconds": made.variety / fps if made.variety < made.route.frames else None,
    }


def _line(take: dict[str, Any]) -> str:
    length = f"{plural(take['frames'], 'frame')}, {take['seconds']:.2f} s, seed {take['seed']}, take {take['take']}"
    repeats = "no second of motion occurs twice"
    if take["repeats_after"] is not None:
        repeats = f"repeats after {plural(take['repeats_after'], 'frame')} ({take['repeats_after_seconds']:.1f} s)"
    drawn = f"; {take['picture']}" if take["picture"] else ""
    return f"{take['path']}: {length}; {plural(take['transitions'], 'transition')}, {repeats}{drawn}"
