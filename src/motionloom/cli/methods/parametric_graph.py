"""Commands for parametric graphs: `drive` (by a request, or by hand in the terminal), `crowd`, `edges`, `reachable`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

from motionloom.cli.flags import argument, flag, option
from motionloom.cli.layer_options import OverlayRate, Overlays, load_overlays
from motionloom.cli.options import Force, Seed, Suffix, columns, plural, print_line, warn
from motionloom.cli.progress_bars import busy
from motionloom.cli.requests import RequestOption, Root
from motionloom.core.progress import parts

RATE = 30.0  # Hz, of the view in the terminal


def drive(
    model: Annotated[Path, argument("MODEL.loom", "A model with live characters.")],
    out: Annotated[
        Path | None, option("-o --out", "FILE", "Write the clip of a request; by default, drive by hand.")
    ] = None,
    request: RequestOption = "{}",
    seed: Seed = 0,
    best: Annotated[bool, flag("--best", "Write the best clip even if a hard constraint is not met.")] = False,
    overlay: Overlays = None,
    source_fps: OverlayRate = None,
    gaze: Annotated[Path | None, option("--gaze", "MAP.loom", "By hand: a gaze map; the gaze leads turns.")] = None,
    root: Root = None,
    force: Force = False,
) -> None:
    """Drive a character: by a request (`head_for`, `act`, `reach`, `root_path`) to a file, or by the arrow keys.

    Without -o the ground is shown from above in the terminal: arrow keys change heading and speed, digits act,
    o puts the next action of --overlay on top.
    """
    from motionloom.core import BadRequest

    if out is not None:
        from motionloom.cli.synthesize import synthesize

        if overlay or gaze is not None:
            raise BadRequest(
                "--overlay and --gaze are for driving by hand; for a file use `stream --overlay --gaze`, or `splice` "
                "and `gaze` on the clip"
            )
        synthesize(model=model, out=out, request=request, seed=seed, best=best, root=root, force=force)
        return
    if request != "{}":
        raise BadRequest("a request needs --out; without both, the character is driven by hand")
    import sys

    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise BadRequest("driving by hand needs a terminal; give --request and --out")
    import curses

    from motionloom.control import foot_locked, live_characters
    from motionloom.control.overlaid import overlaid
    from motionloom.methods import load_model
    from motionloom.recipes.gazing import gaze_model

    noted = list[str]()
    with busy("preparing"):  # and compiling, before the screen is taken
        look = None if gaze is None else gaze_model(gaze)
        actions = load_overlays(overlay or [], source_fps)
        live = foot_locked(overlaid(live_characters(load_model(model)), actions, look, lead=True, warn=noted.append))
        live.step(live.begin([seed]), _none(), 1.0 / RATE)
    curses.wrapper(lambda screen: by_hand(screen, live, seed))
    for text in noted:
        warn(text)


def _none() -> Any:
    from motionloom.core.poses import commands

    return commands()


def by_hand(screen: Any, live: Any, seed: int, steps: int | None = None) -> None:
    """The loop of driving by hand on a curses screen, until q is pressed or after so many steps."""
    import numpy as np

    from motionloom.control.keyboard import Pilot, help_line, top_view
    from motionloom.kinematics.travel import root_headings

    keys = {260: "left", 261: "right", 259: "up", 258: "down", 32: "space"}
    screen.nodelay(True)
    pilot, state = Pilot(), live.begin([seed])
    trail: list[Any] = []
    begin, done = time.monotonic(), 0
    facing = 0.0
    while steps is None or done < steps:
        while (code := screen.getch()) != -1:
            key = keys.get(code, chr(code) if 0 < code < 256 else "")
            if key == "q":
                return
            pilot = pilot.pressed(key, live, facing)
        state, poses = live.step(state, pilot.commands, 1.0 / RATE)
        trail = [*trail[-400:], poses.root[0, [0, 2]]]
        facing = float(root_headings(poses.rotations[:, 0], live.skeleton)[0])
        rows, columns = screen.getmaxyx()
        status = live.status(state)
        shown = live.actions[int(status.action[0])] if status.action[0] >= 0 else "-"
        lines = top_view(
            np.array(trail), facing, pilot.heading, width=max(columns - 1, 20), height=max(rows - 3, 5)
        )  # fmt: skip
        shown += f" + {live.overlays[pilot.overlay]}" if pilot.overlay >= 0 else ""
        wait = float(status.until_choice[0])
        shown += f", {wait:.0f} s to its end" if pilot != Pilot() and wait >= 1.0 else ""
        clamped = "  out of reach" if status.clamped[0] else ""
        screen.erase()  # a window that was made smaller would keep lines
        digits = " ".join(f"{i} {name}" for i, name in enumerate(live.actions[:10]))
        for i, line in enumerate([*lines, f"{shown}{clamped}   ({digits})", help_line(live)]):
            screen.addstr(i, 0, line[: columns - 1])
        screen.refresh()
        done += 1
        time.sleep(max(0.0, begin + done / RATE - time.monotonic()))


def crowd(
    model: Annotated[Path, argument("MODEL.loom", "A model with live characters.")],
    out: Annotated[
        Path, option("-o --out", "FOLDER", "Folder for member_0000.bvh and so on, or one file (.usd) with all.")
    ],
    count: Annotated[int, option("--count", "N", "How many characters.", min=0)] = 10,
    seconds: Annotated[float, option("--seconds", "S", "Duration [s].", min=0.1)] = 10.0,
    rate: Annotated[float, option("--result-fps --rate", "FPS", "Frame rate of the clips.", min=1, max=240)] = 30.0,
    seed: Seed = 0,
    apart: Annotated[bool, flag("--apart", "Characters turn away from their neighbours.")] = False,
    avoid: Annotated[
        list[str] | None, option("--avoid", "X,Z,R", "A circle on the ground to walk around [m]; repeatable.")
    ] = None,
    tracks: Annotated[
        Path | None, option("--tracks", "FILE.csv", "Rows id,t,x,z: where each character is, and when.")
    ] = None,
    member: Annotated[list[int] | None, option("--member", "I", "Only these members, numbered from 0.")] = None,
    to: Suffix = ".bvh",
    force: Force = False,
) -> None:
    """Make the clips of a crowd: each character has its own seed, and is the same whoever the others are."""
    from motionloom.control.crowd_clips import check_crowd, crowd_clips
    from motionloom.control.tracks import off_tracks, read_tracks
    from motionloom.core.units import length
    from motionloom.io import check_target, save
    from motionloom.io.usd import write_usd_crowd
    from motionloom.methods import load_model

    learned = load_model(model)
    check_crowd(learned, count, seconds, rate=rate, apart=apart, members=member)
    chosen = list(range(count)) if member is None else member
    scene = out.suffix.lower() in (".usd", ".usda", ".usdc")
    targets = [out] if scene else [out / f"member_{i:04d}.{to.lstrip('.')}" for i in chosen]
    for target in targets:
        check_target(target, overwrite=force)
    regions = [[length(part, ("avoid",)) for part in text.split(",")] for text in avoid or []]
    table = None if tracks is None else read_tracks(tracks)
    with busy("recording") as report:
        clips = crowd_clips(
            learned, count, seconds, rate=rate, seed=seed, apart=apart, avoid=regions, tracks=table, members=chosen,
            progress=report,
        )  # fmt: skip
    with busy("writing") as report:
        if scene:
            write_usd_crowd(clips, out, progress=report)
        else:
            out.mkdir(parents=True, exist_ok=True)
            for clip, target, own in zip(clips, targets, parts(report, [1] * len(targets)), strict=True):
                save(clip, target, progress=own)
    print_line(f"{out}: {plural(len(clips), 'character')}, {seconds:.2f} s at {rate:g} fps, seed {seed}")
    if table is not None and (off := off_tracks(table, dict(zip(chosen, clips, strict=True)))):
        print_line(f"  {off}")


GraphModel = Annotated[Path, argument("MODEL.loom", "A model of parametric-graph.")]


def edges(
    model: GraphModel,
    every: Annotated[
        bool, flag("--all", "Also try all pairs of nodes without an edge, and list what each needs.")
    ] = False,
    out: Annotated[Path | None, option("-o --out", "FILE.png", "Draw how far each edge reaches, by its limit.")] = None,
) -> None:
    """List the edges of a graph: good, neutral and bad pairs, reach, worst pair; refused ones with the reason.

    trimmed: samples whose parameters that can follow were limited by a bad pair; shrunk: by a pair at the averaged
    moment; good and bad: the limits; best: of all pairs; worst: of the pairs that were verified.

    The picture shows, for each edge, the share of the target that can follow and the distance of transitions, by the
    limit of good ones: larger limits let a character react faster, with transitions that look worse.
    """
    from motionloom.io.atomic_files import check_place
    from motionloom.methods.parametric_graph.edge import COLUMNS
    from motionloom.methods.parametric_graph.proposals import propose_edges, trade_offs

    learned = _graph(model)
    if out is not None:
        check_place(out)
    rows = [report.cells for report in (*(e.report for e in learned.edges), *learned.refused)]
    print_line("\n".join(columns(COLUMNS, rows, left=(0, len(COLUMNS) - 1))))
    made = {(e.source, e.target) for e in learned.edges}
    count = range(len(learned.nodes))
    others = [(a, b) for a in count for b in count if (a, b) not in made] if every else []
    with busy("comparing") as progress:
        found = propose_edges(learned.tables, learned.nodes, others, learned.config.region, progress)
    for proposal in found:
        print_line(proposal.text)
    if out is not None:
        from motionloom.plot.parametric_graph import draw_trade_offs

        with busy("comparing") as progress:
            draw_trade_offs(
                trade_offs(learned.tables, learned.nodes, learned.edges, learned.config.region, progress), out
            )


def reachable(
    model: GraphModel,
    out: Annotated[Path, option("-o --out", "FILE.png", "The picture.")],
    seconds: Annotated[float, option("--seconds", "S", "Within this time [s].")] = 5.0,
    node: Annotated[str, option("--node", "NAME", "The node; by default the first that turns.")] = "",
    once: Annotated[bool, flag("--once", "Turns are set once for each clip, as HECK does.")] = False,
) -> None:
    """Draw which places a character reaches within a time, and with how many headings (HECK fig 6.11).

    It begins at the origin, walking straight ahead (up in the picture).
    """
    from motionloom.io.atomic_files import check_place
    from motionloom.methods.parametric_graph.config import LiveOptions
    from motionloom.methods.parametric_graph.reachability import reachability
    from motionloom.plot.parametric_graph import draw_reachability

    check_place(out)
    learned = _graph(model)
    with busy("following courses") as progress:
        options = LiveOptions(half_life=0.0) if once else LiveOptions()
        found = reachability(learned, seconds, node=node, options=options, progress=progress)
    draw_reachability(found, out)
    reached = found.headings[found.headings > 0]
    area = f"{len(reached) * 0.25**2:.1f} m^2 within {seconds:g} s"
    area += f", with {reached.mean():.0f} degrees of headings on average" if len(reached) else ""
    print_line(f"{out}: {area}; turning radius {found.turning_radius:.2f} m")


def _graph(path: Path) -> Any:
    from motionloom.methods.parametric_graph.model import ParametricGraphModel
    from motionloom.methods.store import load_model_of

    return load_model_of(ParametricGraphModel, path)
