"""How soon characters react, and what hub poses do to a steady turn (HECK 6.2.4, fig 6.17).

    python experiments/124_latency.py

Writes docs/experiments/graph_latency.md and its picture. Takes about a minute.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from graph_material import TICK, clips, graph, start, wrapped
from similarity_material import PAGES

from motionloom.control import foot_locked, record, run
from motionloom.control.overlaid import overlaid
from motionloom.core.poses import commands
from motionloom.kinematics.feet.skate_measures import measure_skate
from motionloom.kinematics.fk import positions
from motionloom.kinematics.travel import root_headings, travel
from motionloom.methods import learn
from motionloom.methods.parametric_graph.config import LiveOptions
from motionloom.methods.parametric_graph.hubs import with_hubs
from motionloom.plot.figures import new_figure, save_figure
from motionloom.samples.gaze_takes import make_take

SEEN = np.radians(3.0)  # a change of heading that can be seen
MANY, ASKED = 24, np.radians(60.0)
STEADY = 12.0  # s


def latency(live: Any, options: Any = None, head: bool = False) -> tuple[float, float]:
    """s from a command until the hips (or the head) of characters differ by SEEN from those that are not commanded:
    median and largest, over commands at different phases."""
    found = []
    quiet = commands(heading=0.0)
    state = live.begin(np.arange(MANY), options=options)
    for _ in range(60):
        state, _ = live.step(state, quiet, TICK)
    plain, turned = state, state
    when = np.full(MANY, np.nan)
    for f in range(90):
        plain, a = live.step(plain, quiet, TICK)
        turned, b = live.step(turned, commands(heading=ASKED), TICK)
        off = np.abs(wrapped(_facing(live, b, head) - _facing(live, a, head)))
        when = np.where(np.isnan(when) & (off >= SEEN), (f + 1) * TICK, when)
    found = when[~np.isnan(when)]
    return float(np.median(found)), float(found.max())


def _facing(live: Any, poses: Any, head: bool) -> np.ndarray:
    if not head:
        return np.asarray(root_headings(poses.rotations[:, 0], live.skeleton))
    from motionloom.rotation import multiply, rotate

    chain, joint = [], live.skeleton.joint("head")
    while joint >= 0:
        chain.append(joint)
        joint = live.skeleton.parents[joint]
    world = poses.rotations[:, chain[-1]]
    for j in chain[-2::-1]:
        world = multiply(world, poses.rotations[:, j])
    ahead = rotate(world, np.array([0.0, 0.0, 1.0]))
    return np.arctan2(ahead[:, 0], ahead[:, 2])


def lean(live: Any, action: int, turn: float, options: Any) -> np.ndarray:
    """(F,) degrees by which the trunk leans to the left over some seconds of a steady turn."""
    given = commands(action=[action], values=[[turn]])
    steps = list(run(live, start(live, 1, options), given, [TICK] * round(STEADY / TICK)))
    clip = record(live, steps, 30.0)[round(4 / TICK) :]
    points = positions(clip)
    skeleton = clip.skeleton
    up = points[:, skeleton.joint("neck")] - points[:, 0]
    heading = travel(clip).heading
    left = up[:, 0] * np.cos(heading) - up[:, 2] * np.sin(heading)
    return np.degrees(np.arctan2(left, up[:, 1]))


def main() -> None:
    model, _ = graph("walk")
    run_model, _ = graph("run")
    matching = learn("motion-matching", clips("walk"))
    takes = [make_take((np.radians(y), np.radians(p)), fps=30).markers for y in (-120, -50, 50, 120) for p in (-12, 12)]
    gazing = overlaid(model.live, {}, learn("gaze", takes), lead=True)
    once = LiveOptions(half_life=0.0)
    rows = []
    for name, live, options, head in (
        ("walk, turns set once for each clip (HECK)", model.live, once, False),
        ("walk, turns followed within a clip", model.live, None, False),
        ("walk, gaze leads: the head", gazing, None, True),
        ("run, once for each clip", run_model.live, once, False),
        ("run, followed", run_model.live, None, False),
        ("motion matching (walk)", matching.live, None, False),
    ):
        usual, most = latency(live, options, head)
        rows.append(f"| {name} | {usual:.2f} | {most:.2f} |")
        print(rows[-1], flush=True)
    turn = float(model.nodes[0].space.low[0] * 0.85)
    figure = new_figure(7, 2.8)
    ax = figure.add_subplot()
    leans = []
    for name, made, colour in (
        ("parametric graph", model, "C2"),
        ("one hub", with_hubs(model, 1), "C0"),
        ("three hubs", with_hubs(model, 3), "C1"),
    ):
        action = next(i for i, n in enumerate(made.nodes) if n.name in ("walk", "walk right"))
        first = LiveOptions(half_life=0.0, first=made.nodes[action].name)
        shown = lean(made.live, action, turn, first)
        ax.plot(np.arange(len(shown)) * TICK, shown, color=colour, label=name, lw=1.2)
        locked = foot_locked(made.live)
        walked = record(
            locked,
            list(run(locked, start(locked, 1, first), commands(action=[action], values=[[turn]]), [TICK] * 360)),
            30.0,
        )
        leans.append(f"| {name} | {shown.mean():.1f} | {np.ptp(shown):.1f} | {measure_skate(walked).b or 0:.1f} |")
        print(leans[-1], flush=True)
    ax.set_xlabel("time [s]")
    ax.set_ylabel("lean of the trunk to the left [deg]")
    ax.legend(fontsize=8)
    save_figure(figure, PAGES / "graph_latency.png", dpi=90)
    text = f"""# Latency, and hub poses

Time from a command (turn by 60 degrees) until the hips face 3 degrees away from those of a twin that is not
commanded, for
{MANY} characters at different phases; of the last line of the walk, until the head does. (`experiments/124_latency.py`)

| character | median, s | largest, s |
| --- | --- | --- |
{chr(10).join(rows)}

HECK's characters change their parameters once for each clip, so that they react within a clip's length; with parameters
followed within the clip (half-life 0.15 s), the target is 3 degrees within 0.2 s.

**Fig 6.17.** A steady turn of {np.degrees(turn):.0f} degrees for each clip of two steps, from the walking graph and
from fat graphs
(H. Shin and H. Oh 2006), whose clips all meet in one pose, or in three for clips to the right, straight and left
(`--hubs 1`, `--hubs 3`). The trunk's lean over the ground, with the range over which it sways, and sliding toes with
locked feet:

| graph | mean lean, deg | range, deg | skate, % |
| --- | --- | --- | --- |
{chr(10).join(leans)}

![lean of the trunk in a steady turn](graph_latency.png)
"""
    (PAGES / "graph_latency.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
