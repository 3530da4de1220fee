"""How soon characters react, and what hub poses do to a steady turn (HECK 6.2.4, fig 6.17).

    python experiments/124_latency.py

Writes docs/experiments/graph_latency.md and its picture. Takes about a minute.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from graph_material import TICK, clips, graph, start, wrapped
from pictures import make_smaller
from similarity_material import PAGES

from motionloom.control import foot_locked, record, run
from motionloom.control.overlaid import overlaid
from motionloom.core.poses import commands
from motionloom.kinematics.feet.skate_measures import measure_skate
from motionloom.kinematics.fk import fk, world
from motionloom.kinematics.travel import root_headings, travel
from motionloom.methods import learn
from motionloom.methods.parametric_graph.config import DEFAULT_LIVE, LiveOptions
from motionloom.methods.parametric_graph.hubs import with_hubs
from motionloom.plot.figures import new_figure, save_figure
from motionloom.rotation import rotate
from motionloom.samples.gaze_takes import make_take

SEEN = np.radians(3.0)  # a change of heading that can be seen
MANY, ASKED, LONGEST = 24, np.radians(60.0), 30.0
BEGUN = np.linspace(2.0, 9.0, MANY)  # s at which characters are commanded, so that their phases differ
ACTIONS = {
    "everyday": [("walk", a) for a in ("faster", "sit", "up", "down", "leap")]
    + [("run", "slower"), ("sit", "rise"), ("rise", "walk")],
    "boxing": [("dance", "punch"), ("dance", "duck"), ("punch", "duck"), ("duck", "punch"), ("punch", "dance")],
}
STEADY = 12.0  # s


def turning(live: Any, options: Any, head: bool = False) -> str:
    """s from a command to turn until the hips (or the head) of characters differ by SEEN from those of twins that are
    not commanded: median and largest, over commands at different phases."""
    plain = turned = live.begin(np.arange(MANY), options=options)
    wait, when = np.round(BEGUN / TICK), np.full(MANY, np.inf)
    for f in range(round((BEGUN[-1] + LONGEST) / TICK)):
        plain, a = live.step(plain, commands(heading=0.0), TICK)
        turned, b = live.step(turned, commands(heading=np.where(f >= wait, ASKED, 0.0)), TICK)
        off = np.abs(wrapped(_facing(live, b, head) - _facing(live, a, head)))
        when = np.where(np.isinf(when) & (off >= SEEN), (f + 1 - wait) * TICK, when)
    return _shown(when)


def acting(live: Any, first: str, action: str) -> str:
    """s from a command until an action begins to be shown: median and largest, over characters of another node at
    different phases."""
    state = live.begin(np.arange(MANY), options=LiveOptions(first=first))
    wait = np.random.default_rng(2).integers(15, 90, MANY)
    at, when = live.actions.index(action), np.full(MANY, np.inf)
    for f in range(90 + round(LONGEST / TICK)):
        given = np.where(f >= wait, at, live.actions.index(first))
        state, _ = live.step(state, commands(action=given), TICK)
        shown = (live.status(state).action == at) & (f >= wait)
        when = np.where(np.isinf(when) & shown, (f + 1 - wait) * TICK, when)
    return _shown(when)


def _shown(when: np.ndarray) -> str:
    return f"{np.median(when):.2f}, {when.max():.2f}"


def _facing(live: Any, poses: Any, head: bool) -> np.ndarray:
    if not head:
        return np.asarray(root_headings(poses.rotations[:, 0], live.skeleton))
    turns = world(live.skeleton, poses.root, poses.rotations)[1]
    ahead = rotate(turns[:, live.skeleton.joint("head")], np.array([0.0, 0.0, 1.0]))
    return np.arctan2(ahead[:, 0], ahead[:, 2])


def lean(live: Any, action: int, turn: float, options: Any) -> np.ndarray:
    """(F,) degrees by which the trunk leans to the left over some seconds of a steady turn."""
    given = commands(action=[action], values=[[turn]])
    steps = list(run(live, start(live, 1, options), given, [TICK] * round(STEADY / TICK)))
    clip = record(live, steps, 30.0)[round(4 / TICK) :]
    points = fk(clip)
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
    gaze = learn("gaze", takes)
    rows = []
    for name, made in (
        ("walk", model), ("run", run_model), ("dance", graph("boxing")[0]), ("cartwheel", graph("cartwheel")[0])
    ):  # fmt: skip
        cells = [turning(made.live, LiveOptions(half_life=h, first=name)) for h in (0.0, DEFAULT_LIVE.half_life)]
        if name in ("walk", "run"):
            cells.append(turning(overlaid(made.live, {}, gaze, lead=True), LiveOptions(first=name), head=True))
        cells += ["-"] * (3 - len(cells))
        rows.append(f"| {name} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    rows.append(f"| motion matching of the walks | - | {turning(matching.live, None)} | - |")
    print(rows[-1], flush=True)
    acts = [
        f"| {name} | {first} | {action} | {acting(graph(name)[0].live, first, action)} |"
        for name, pairs in ACTIONS.items()
        for first, action in pairs
    ]
    print("\n".join(acts), flush=True)
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
    make_smaller(PAGES / "graph_latency.png")
    text = f"""# Latency, and hub poses

Seconds from a command (turn by 60 degrees) until the hips face 3 degrees away from those of a twin that is not
commanded, median and largest of {MANY} characters at different phases. Once: turns are set once for each clip, as HECK
does. Followed: within clips, with a half-life of {DEFAULT_LIVE.half_life:g} s (target: 3 degrees within 0.2 s). Gaze:
the head of a character whose gaze leads (HECK 6.2.4), turns followed. (`experiments/124_latency.py`)

| node | once | followed | gaze |
| --- | --- | --- | --- |
{chr(10).join(rows)}

A cartwheel takes 6.8 s, and its turn lies in the steps on the spot at its end. Set once, a command waits for the end of
the cartwheel that is shown and for the wheel of the next, before steps differ; where both twins have to turn right by
more than a cartwheel can (a turn of 60 degrees to the left is made as two to the right, 158 and 142 degrees, which
takes fewer clips than five of 12 to the left), the next cartwheel is the same for both, and they differ in the one
after it. Followed, a command alters the steps of the cartwheel that is shown. The dance, too, turns with its steps.

Seconds from a command until an action begins, median and largest of {MANY} characters that show another node. They wait
for the end of the clip that is shown, and of those between; so long actions and actions after them take longest (HECK:
a clip's length at most).

| graph | shown | commanded | s |
| --- | --- | --- | --- |
{chr(10).join(acts)}

**Fig 6.17.** A steady turn of {np.degrees(turn):.0f} degrees for each clip of two steps, from the walking graph and
from fat graphs (H. Shin and H. Oh 2006), whose clips all meet in one pose, or in three for clips to the right, straight
and left (`--hubs 1`, `--hubs 3`). The trunk's lean over the ground, with the range over which it sways, and sliding
toes with locked feet:

| graph | mean lean, deg | range, deg | skate, cm/s |
| --- | --- | --- | --- |
{chr(10).join(leans)}

![lean of the trunk in a steady turn](graph_latency.png)
"""
    (PAGES / "graph_latency.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
