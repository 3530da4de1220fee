"""Commands for two-level graphs: `choices` (list and follow the next moves) and `act` (imitate a performance)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import argument, flag, option, present_value
from motionloom.cli.options import Force, Json, columns, plural, print_json, print_line, read_clip, with_reading
from motionloom.cli.progress_bars import busy, write_clip

if TYPE_CHECKING:
    from motionloom.methods.two_level_graph import TwoLevelGraphModel
    from motionloom.methods.two_level_graph.choices import DescribedChoice


def choices(
    model: Annotated[Path, argument("MODEL.loom", "A model of two-level-graph.")],
    at: Annotated[
        str | None, option("--at", "CLIP#FRAME", "Frame to begin at: walk.bvh#120; by default the first.")
    ] = None,
    follow: Annotated[str, option("--follow", "N,N,...", "Choices to take first, one after the other: 0,3,1.")] = "",
    reach: Annotated[float, option("--reach", "S", "Duration of a choice, at most [s].", min=0.2, max=10)] = 1.5,
    most: Annotated[int, option("--most", "N", "Maximal number of choices.", min=1)] = 12,
    picture: Annotated[
        Path | None, option("--picture", "FILE", "Draw poses, paths and footprints of the choices.")
    ] = None,
    out: Annotated[Path | None, option("-o --out", "FILE", "Write the motion of the choices followed.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """List the next moves in a two-level graph, the most probable first, each with its number.

    With --follow, the list is that after the given choices, and -o writes the motion so far.
    """
    from motionloom.core import BadRequest
    from motionloom.io import check_target
    from motionloom.methods.graph.frame_names import frame_name
    from motionloom.methods.graph.search.scheduled_walk import route_end
    from motionloom.methods.two_level_graph.choices import describe_choices
    from motionloom.methods.two_level_graph.model import follow_choices

    if out is not None:
        check_target(out, overwrite=force)
    learned = two_level(model)
    start = first_frame(learned, at)
    numbers = [n.strip() for n in follow.split(",") if n.strip()]
    if out is not None and not numbers:
        raise BadRequest("-o writes the motion of the choices of --follow: give them, as --follow 0,2")
    route = follow_choices(learned, start, numbers, reach=reach, most=most)
    now = route_end(learned.graph, route)[0]
    found = describe_choices(learned, now, reach=reach, most=most)
    here = frame_name(learned.graph, now)
    if out is not None:
        _write(learned, start, numbers, reach, most, out)
    if picture is not None:
        from motionloom.plot.choices import save_choices

        save_choices(learned, now, picture, reach=reach, most=most)
    if json:
        print_json({"at": here, "followed": numbers, "choices": [offer.facts() for offer in found]})
        return
    print_line(f"{model}: from {here}, {reach:g} s ahead")
    print_line("\n".join("  " + line for line in _table(found)))
    for path in (out, picture):
        if path is not None:
            print_line(f"wrote {path}")


def two_level(path: Path) -> TwoLevelGraphModel:
    """A model of this method; `BadRequest` for other methods, which have no clusters."""
    from motionloom.methods.store import load_model_of
    from motionloom.methods.two_level_graph import TwoLevelGraphModel

    return load_model_of(TwoLevelGraphModel, path)


def first_frame(model: TwoLevelGraphModel, at: str | None) -> int:
    """The named frame, or the first one that is not a dead end."""
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


def _write(model: TwoLevelGraphModel, start: int, numbers: list[str], reach: float, most: int, out: Path) -> None:
    """Write the motion of the choices so far."""
    from motionloom.control.graph_walks import chosen_moves

    with busy("making") as report:
        clip = chosen_moves(model, start, numbers, reach=reach, most=most, progress=report)
    write_clip(clip, out)


@with_reading(trim_tpose=True)
def act(
    model: Annotated[Path, argument("MODEL.loom", "A model of two-level-graph.")],
    performed: Annotated[Path, argument("CLIP", "The performance, or a folder of masks.")],
    out: Annotated[Path, option("-o --out", "FILE", "The clip to write.")],
    silhouettes: Annotated[
        bool, flag("--silhouettes", "Compare silhouettes seen by a camera instead of poses.")
    ] = False,
    masks: Annotated[
        float | None,
        option(
            "--masks",
            "FPS",
            "CLIP is a folder of images, one for each frame, with the performer cut out: their frame rate.",
            min=1e-3,
        ),
    ] = None,
    camera: Annotated[
        str,
        option(
            "--camera",
            "ANGLE",
            "Direction of the camera at the start: 0deg in front of the performer, 90deg to the left.",
        ),
    ] = "50deg",
    camera_known: Annotated[
        bool, flag("--camera-known", "Use --camera as given; otherwise all 18 viewpoints are tried.")
    ] = False,
    smooth: Annotated[float, option("--smooth", "X", "Cost of transitions, relative to similarity.", min=0)] = 0.3,
    force: Force = False,
    json: Json = False,
    told: Annotated[bool | None, typer.Option("--told", hidden=True)] = None,
    *,
    reading: Any = None,
) -> None:
    """Imitate a performance with the clips of a model: the most similar of all routes through its graph."""
    import math

    from motionloom.core.units import angle
    from motionloom.io import check_target
    from motionloom.methods.two_level_graph.masks import mask_files, read_masks
    from motionloom.methods.two_level_graph.performance import act_out, act_out_masks, ambiguity

    check_target(out, overwrite=force)
    learned = two_level(model)
    known = bool(present_value("--told", told, "--camera-known", camera_known or None))
    seen = angle(camera, ("--camera",))
    clip = None if masks is not None else read_clip(performed, reading)
    with busy("acting") as report:
        if masks is not None:
            images, fixed = read_masks(mask_files(performed)), seen if known else None
            played = act_out_masks(learned, images, masks, camera=fixed, smooth=smooth, progress=report)
        else:
            assert clip is not None
            view = seen if silhouettes else None
            played = act_out(learned, clip, camera=view, camera_known=known, smooth=smooth, progress=report)
    write_clip(played.clip, out)
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
    print_line(f"{out}: {plural(len(played.clip), 'frame')}, {facts['seconds']:.2f} s, {plural(taken, 'transition')}")
    if view is not None:
        print_line(f"  the camera is at {math.degrees(view):.0f} degrees, seen from the body at the start")
    if (doubt := ambiguity(played.acted)) is not None:
        print_line(f"  {doubt}")
    if played.apart is not None:
        print_line(
            f"  joints are {100 * played.apart:.1f} cm from the performance, seen from the hips (root mean square)"
        )
