"""`motionloom act`: a performance picks the way through a two-level graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from motionloom.cli.bars import busy
from motionloom.cli.choices import two_level
from motionloom.cli.options import Json, Roles, Unit, Up, many, print_json, say


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
    told: Annotated[
        bool, typer.Option("--told", help="Tell where the camera stands; else all 18 viewpoints are tried.")
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
        played = act_out(learned, clip, camera=seen, told=told, smooth=smooth, progress=report)
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
        say(f"  it fits nearly as well from {there} degrees: if that is right, say --camera {there}deg --told")
    if played.apart is not None:
        say(f"  joints are {100 * played.apart:.1f} cm from the performance, seen from the hips (root mean square)")
