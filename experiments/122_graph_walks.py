"""Random walks through parametric motion graphs: transitions, sliding feet, jumps, heights; constant turns.

    python experiments/122_graph_walks.py

Writes docs/experiments/graph_random_walks.md and its picture. Takes about three minutes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from graph_material import GRAPHS, LEVEL_CHANGES, TICK, clips, graph, largest_turn, level_parts, skate, wrapped
from pictures import make_smaller
from similarity_material import PAGES

from motionloom.control import foot_locked
from motionloom.core import FloatArray
from motionloom.core.poses import commands
from motionloom.kinematics.fk import positions
from motionloom.methods.parametric_graph.config import LiveOptions
from motionloom.plot.figures import new_figure, save_figure

CLIPS, CROWD = 10_000, 100
MINUTE, SEEDS = 60.0, (4, 5)  # s of the motions whose feet and jumps are measured
TURNED = 50  # clips of a constant turn
SHARES = (-0.4, 0.1, 0.4)  # turns that are requested, in ranges from the middle


def random_walks(model: Any, clip_count: int) -> tuple[int, int, float]:
    """Clips walked, transitions above T_bad of their edge, and the worst in units of it."""
    live = model.graph
    limits = {(e.source, e.target): e.report.bad_limit for e in model.edges}
    state = live.begin(np.arange(CROWD))
    total, above, worst = 0, 0, 0.0
    while total < clip_count:
        before = state
        state, _ = live.step(state, commands(), TICK)
        for k in np.flatnonzero(state.clips > before.clips):
            share = state.gap[k] / limits[int(before.node[k, 0]), int(state.node[k, 0])]
            total, above, worst = total + 1, above + (share > 1), max(worst, share)
    return total, above, worst


def quality(model: Any, sources: list[Any]) -> tuple[float, float, float, float]:
    """Skate of walks with locked feet and of the clips, cm/s; the largest turn of a joint in a frame of both, deg."""
    live = foot_locked(model.live)
    walked = [part for seed in SEEDS for part in level_parts(live, seed, MINUTE, commands())]
    level = [clip for clip in sources if not _climbs(clip)]
    return skate(walked), skate(level), largest_turn(walked), largest_turn(sources)


def _climbs(clip: Any) -> bool:
    return any(name in clip.origin.name for name in ("steps", *LEVEL_CHANGES))


def constant_turn(model: Any, action: int, asked: float) -> FloatArray:
    """(50,) degrees that the track turns from the middle of each clip to that of the next, less those requested."""
    live, course, shown = model.graph, [], -1
    first = LiveOptions(half_life=0.0, first=live.actions[action])
    state, given = live.begin([5], options=first), commands(values=[[asked]], action=[action])
    lead, count, _ = live.tables.meta[action]
    middle = int(lead + 0.5 * count)
    while len(course) < TURNED + 4:
        state, _ = live.step(state, given, TICK)
        if state.clips[0] > shown and state.place[0, 0, 0] >= middle and state.mixing[0] < 0:
            shown = int(state.clips[0])
            rows, at = live.nodes[action].space.rows, int(state.place[0, 0, 0])
            since = rows.steps[middle:at, :, 2].sum(0) @ state.weights[0, 0, : rows.size]
            course.append(state.place[0, 0, 3] - since)
    return np.degrees(wrapped(np.diff(course[3:]) - asked))


def steps_up_and_down(model: Any, count: int = 100) -> tuple[float, float]:
    """m: how far the ground is from where it began after going up and down a platform, and how far the feet are."""
    live = model.live
    up, down, walk = (live.actions.index(name) for name in ("up", "down", "walk"))
    state = live.begin([2], options=LiveOptions(first="walk"))

    def lowest(state: Any, seconds: float = 2.0) -> tuple[Any, float]:
        heights = []
        for _ in range(round(seconds / TICK)):
            state, poses = live.step(state, commands(action=[walk], heading=0.0), TICK)
            heights.append(positions(live.skeleton, poses.root, poses.rotations)[0, :, 1].min())
        return state, float(np.min(heights))

    state, begin = lowest(state)
    for _ in range(count):
        for action, value in ((up, 0.4), (down, -0.4)):
            while state.node[0, 0] != action:
                state, _ = live.step(state, commands(action=[action], values=[[value]]), TICK)
            while state.node[0, 0] == action:
                state, _ = live.step(state, commands(action=[walk]), TICK)
    level = float(state.level[0, 0])
    return level, lowest(state)[1] - begin


def main() -> None:
    rows, floor, drawn = [], (float("nan"), float("nan")), {}
    for name in GRAPHS:
        model, _ = graph(name)
        total, above, worst = random_walks(model, CLIPS)
        slid, own, jump, own_jump = quality(model, clips(name))
        action = next(i for i, n in enumerate(model.nodes) if n.turn_column[0] == 0)
        space = model.nodes[action].space
        asked = [float(space.middle[0] + s * space.ranges[0]) for s in SHARES]
        found = [constant_turn(model, action, a) for a in asked]
        if name not in ("walk_and_run", "everyday"):  # they have the same walks
            drawn[name] = list(zip(np.degrees(asked), found, strict=True))
        turn = ", ".join(f"{abs(f.mean()):.2f} ({np.abs(f).max():.2f})" for f in found)
        if name == "everyday":
            floor = steps_up_and_down(model)
        rows.append(
            f"| {name.replace('_', ' ')} | {total:,} | {above} | {100 * worst:.0f} | {slid:.1f}, {own:.1f} "
            f"| {jump:.1f}, {own_jump:.1f}: {jump / own_jump:.2f} | {turn} |"
        )
        print(rows[-1], flush=True)
    figure = new_figure(7, 2.8)
    axes = figure.subplots(1, len(drawn))
    for ax, (name, found) in zip(np.atleast_1d(axes), drawn.items(), strict=True):
        for asked_degrees, off in found:
            ax.plot(off, lw=1, label=f"{asked_degrees:.0f} deg")
        ax.set_title(name, fontsize=8)
        ax.set_xlabel("clip", fontsize=8)
        ax.tick_params(labelsize=7)
        ax.legend(fontsize=6)
    np.atleast_1d(axes)[0].set_ylabel("turn achieved less requested [deg]", fontsize=8)
    save_figure(figure, PAGES / "graph_random_walks.png", dpi=110)
    make_smaller(PAGES / "graph_random_walks.png")
    text = f"""# Random walks through parametric graphs

{CROWD} characters of each graph of `examples/graphs` walk at random until they have begun {CLIPS:,} clips. Above:
transitions whose distance exceeds T_bad of their edge (target: none); worst: the largest distance, in % of T_bad.
Skate: speed of toes near the floor (the published measure), in two minutes of characters with locked feet, and in the
clips, of the everyday graph without platforms. Feet of samples stand still, so the target, 0.6 of the clips' own, is
missed here; with [captured walks](graphs_of_captures.md) it can be compared. Jump: the largest turn of a joint in a
thirtieth of a second, and in the clips (target: at most 1.0). Turn: three turns, -0.4, 0.1 and 0.4 of the range from
its middle, each requested for {TURNED} clips and set once for each clip: by how many degrees clips miss them on
average, and at most (target 1; of the boxer the dance). (`experiments/122_graph_walks.py`)

| graph | clips | above | worst, % | skate, cm/s | jump, deg | turn missed by, deg |
| --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

![turn of each clip](graph_random_walks.png)

A character of the everyday graph goes up a platform of 0.4 m and down again 100 times. The ground is then
{100 * floor[0]:.2f} cm from where it began, and the lowest joint of its walk {100 * floor[1]:.2f} cm (target 1).
"""
    (PAGES / "graph_random_walks.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
