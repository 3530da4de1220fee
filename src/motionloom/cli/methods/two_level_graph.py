"""Commands for two-level graphs: `choices` (list and follow the next moves) and `act` (imitate a performance)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionloom.cli.bars import busy
from motionloom.cli.options import Json, Roles, Unit, Up, columns, many, print_json, say

if TYPE_CHECKING:
    from motionloom.methods.two_level_graph import TwoLevelGraphModel
    from motionloom.methods.two_level_graph.choices import DescribedChoice


def choices(
    model: Annotated[Path, typer.Argument(metavar="MODEL.loom", help="A model of two-level-graph.")],
    at: Annotated[
        str | None, typer.Option("--at", metavar="CLIP#FRAME", help="From here: walk.bvh#120. Else the first frame.")
    ] = None,
    follow: Annotated[
        str, typer.Option("--follow", metavar="N,N,...", help="Take these choices first, one after the other: 0,3,1.")
    ] = "",
    reach: Annotated[
        float, typer.Option("--reach", metavar="S", min=0.2, max=10, help="How far to look ahead [s].")
    ] = 1.5,
    most: Annotated[int, typer.Option("--most", metavar="N", min=1, help="How many choices to offer.")] = 12,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE", help="Draw poses, paths and footprints of the choices.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write the motion of the choices followed.")
    ] = None,
    json: Json = False,
) -> None:
    """List what can be done next, the most probable first; each choice has a number to say it by.

    With --follow you drive: the list is what can be done after those choices, and -o writes the motion so far.
    """
    from motionloom.core import BadRequest
    from motionloom.io import check_target
    from motionloom.methods.graph.frame_names import frame_name
    from motionloom.methods.graph.search.scheduled_walk import route_end
    from motionloom.methods.two_level_graph.choices import describe_choices
    from motionloom.methods.two_level_graph.model import follow_choices

    if out is not None:
        check_target(out)
    learned = two_level(model)
    start = first_frame(learned, at)
    numbers = [n.strip() for n in follow.split(",") if n.strip()]
    if out is not None and not numbers:
        raise BadRequest("-o writes the motion of the choices that were followed: say which with --follow 0,2")
    route = follow_choices(learned, start, numbers, reach=reach, most=most)
    now = route_end(learned.graph, route)[0]
    found = describe_choices(learned, now, reach=reach, most=most)
    here = frame_name(learned.graph, now)
    if out is not None:
        _write(learned, frame_name(learned.graph, start), numbers, reach, most, out)
    if picture is not None:
        from motionloom.plot.choices import save_choices

        save_choices(learned, now, picture, reach=reach, most=most)
    if json:
        print_json({"at": here, "followed": numbers, "choices": [offer.facts() for offer in found]})
        return
    say(f"{model}: from {here}, {reach:g} s ahead")
    say("\n".join("  " + line for line in _table(found)))
    for path in (out, picture):
        if path is not None:
            say(f"wrote {path}")


def two_level(path: Path) -> TwoLevelGraphModel:
    """The model, or a refusal: other methods have no clusters."""
    from motionloom.core import BadRequest
    from motionloom.methods import load_model
    from motionloom.methods.two_level_graph import TwoLevelGraphModel

    learned = load_model(path)
    if not isinstance(learned, TwoLevelGraphModel):
        raise BadRequest(f"{path.name} was learned with {learned.method}; this needs `learn two-level-graph`")
    return learned


def first_frame(model: TwoLevelGraphModel, at: str | None) -> int:
    """The frame that is named, or the first one from which one can go on."""
    from motionloom.methods.graph.frame_names import frame_named

    return int(model.walkable.argmax()) if at is None else frame_named(model.graph, at)


def _table(found: list[DescribedChoice]) -> list[str]:
    from math import degrees

    rows = []
    for offer in found:
        turn = degrees(offer.turn)
        side = "" if abs(turn) < 5 else f"{abs(turn):.0f} deg {'left' if turn > 0 else 'right'}"
        across = "" if abs(offer.left) < 0.05 else f"{abs(offer.left):.1f} m {'left' if offer.left > 0 else 'right'}"
        path = ">".join(map(str, offer.choice.clusters))
        rows.append(
            (
                str(offer.number),
                f"{offer.share:.1%}",
                f"{offer.seconds:.2f} s",
                f"{offer.ahead:.1f} m",
                across,
                side,
                path,
                offer.ends,
            )
        )
    return columns(("", "likely", "lasts", "ahead", "aside", "turns", "clusters", "ends at"), rows, left=(0, 6, 7))


def _write(model: TwoLevelGraphModel, start: str, numbers: list[str], reach: float, most: int, out: Path) -> None:
    """The motion of the choices so far, by the same request that anyone could write."""
    from motionloom.constraints import Request
    from motionloom.io import save
    from motionloom.methods import synthesize

    options = {"start": start, "choices": numbers, "reach": reach, "max_choices": most}
    with busy("making") as report:
        clip = synthesize(model, Request(options=options), progress=report)
    save(clip, out)


def act(
    model: Annotated[Path, typer.Argument(metavar="MODEL.loom", help="A model of two-level-graph.")],
    performed: Annotated[Path, typer.Argument(metavar="CLIP", help="What was performed.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="Where to write.")],
    silhouettes: Annotated[
        bool, typer.Option("--silhouettes", help="Compare only what a camera sees of it, not the poses.")
    ] = False,
    camera: Annotated[
        str,
        typer.Option(
            "--camera",
            metavar="ANGLE",
            help="Where it stands at the start: 0deg before the performer, 90deg to the left.",
        ),
    ] = "50deg",
    camera_known: Annotated[
        bool,
        typer.Option("--camera-known", "--told", help="Use --camera as given; otherwise all 18 viewpoints are tried."),
    ] = False,
    smooth: Annotated[
        float, typer.Option("--smooth", metavar="X", min=0, help="What transitions cost, against likeness.")
    ] = 0.3,
    keep_tpose: Annotated[bool, typer.Option("--keep-tpose", help="A T-pose in frame 0 was performed too.")] = False,
    unit: Unit = None,
    up: Up = None,
    roles: Roles = None,
    json: Json = False,
) -> None:
    """Play a performance with the clips of a model: of all ways through its graph, the one that looks most like it."""
    import math

    from motionloom.core.units import angle
    from motionloom.io import check_target, load, save
    from motionloom.methods.two_level_graph.performance import act_out

    check_target(out)
    learned = two_level(model)
    clip = load(performed, unit=unit, up=up, roles=roles, trim_tpose=not keep_tpose)
    seen = angle(camera, ("--camera",)) if silhouettes else None
    with busy("acting") as report:
        played = act_out(learned, clip, camera=seen, camera_known=camera_known, smooth=smooth, progress=report)
    save(played.clip, out)
    view, taken = played.acted.view, len(played.acted.route.taken)
    facts = {
        "path": str(out),
        "frames": len(played.clip),
        "seconds": played.clip.seconds,
        "transitions": taken,
        "cost": played.acted.cost,
        "view_degrees": None if view is None else math.degrees(view),
        "rival_degrees": None if played.acted.rival is None else math.degrees(played.acted.rival),
        "apart_cm": None if played.apart is None else 100 * played.apart,
    }
    if json:
        print_json(facts)
        return
    say(f"{out}: {many(len(played.clip), 'frame')}, {facts['seconds']:.2f} s, {many(taken, 'transition')}")
    if view is not None:
        say(f"  the camera stands at {math.degrees(view):.0f} degrees, seen from the body at the start")
    if (rival := played.acted.rival) is not None:
        there = f"{math.degrees(rival):.0f}"
        say(f"  it fits nearly as well from {there} degrees: if that is right, give --camera {there}deg --camera-known")
    if played.apart is not None:
        say(f"  joints are {100 * played.apart:.1f} cm from the performance, seen from the hips (root mean square)")
