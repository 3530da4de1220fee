"""Random walks through parametric motion graphs: transitions, sliding feet, jumps, heights; constant turns.

    python experiments/122_graph_walks.py

Writes docs/experiments/graph_random_walks.md. Takes about two minutes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from graph_material import GRAPHS, TICK, clips, graph
from similarity_material import PAGES

from motionloom.control import foot_locked, record, run
from motionloom.core.poses import commands
from motionloom.evaluate.measures.jumps import joint_steps
from motionloom.kinematics.feet.skate_measures import measure_skate
from motionloom.methods.parametric_graph.config import LiveOptions

CLIPS, CROWD = {"cartwheel": 2000}, 100  # clips of 7 s; of other graphs 10,000
MINUTE = 60.0  # s of the motion whose feet and jumps are measured
ONCE = LiveOptions(half_life=0.0)


def random_walks(model: Any, clip_count: int) -> tuple[int, int, float, float]:
    """Clips walked, transitions above the limit of their edge, the worst in limits, and the highest ground left, m."""
    live, limits = model.live, {}
    for e in model.edges:
        limits[e.source, e.target] = e.report.bad_limit
    state = live.begin(np.arange(CROWD))
    total, above, worst = 0, 0, 0.0
    while total < clip_count:
        before = state
        state, _ = live.step(state, commands(), TICK)
        for k in np.flatnonzero(state.clips > before.clips):
            share = state.gap[k] / limits[int(before.node[k, 0]), int(state.node[k, 0])]
            total, above, worst = total + 1, above + (share > 1), max(worst, share)
    return total, above, worst, float(np.abs(state.level[:, 0]).max())


def quality(model: Any, sources: list[Any]) -> tuple[float, float, float, float]:
    """Skate (share of toes near the floor that slide, %) of a walk with locked feet and of the clips; the largest step
    of a joint from frame to frame, m, of both."""
    live = foot_locked(model.live)
    walked = record(live, list(run(live, live.begin([4]), commands(), [TICK] * round(MINUTE / TICK))), 30.0)
    own = [x for x in (measure_skate(clip).b for clip in sources) if x is not None]
    found = measure_skate(walked).b
    jump = max(float(joint_steps(clip).max()) for clip in sources)
    return found or 0.0, float(np.mean(own)) if own else 0.0, float(joint_steps(walked).max()), jump


def constant_turn(model: Any, asked: float) -> float:
    """Degrees by which the turn of a clip differs on average from the turn requested, over 50 clips."""
    live, turns = model.live, []
    state, given = live.begin([5], options=ONCE), commands(values=[[asked]], action=[0])
    course = []  # heading of the track when each clip is at its middle
    shown = -1
    while len(course) < 54:
        state, _ = live.step(state, given, TICK)
        meta = live.tables.meta[state.node[0, 0]]
        if state.clips[0] > shown and state.place[0, 0, 0] >= meta[0] + 0.5 * meta[1]:
            shown = int(state.clips[0])
            at = state.place[0, 0, 0]
            row = int(at)
            sway = live.nodes[0].sway[row] @ state.weights[0, 0, : live.nodes[0].space.rows.size]
            turn = asked * (at - meta[0]) / meta[1] - asked * 0.5
            course.append(state.place[0, 0, 3] - sway - (turn - asked * ((at - row) / meta[1])))
    for a, b in pairwise(course[3:]):
        turns.append((b - a - asked + np.pi) % (2 * np.pi) - np.pi)
    return float(np.degrees(np.abs(turns).mean()))


def steps_up_and_down(model: Any, count: int = 100) -> float:
    """m: height of the ground after going up and down a platform again and again."""
    live = model.live
    up, down = live.actions.index("up"), live.actions.index("down")
    state = live.begin([2], options=LiveOptions(first="walk"))
    height = live.nodes[up].space.names
    assert len(height) == 1
    for _ in range(count):
        for action, value in ((up, 0.4), (down, -0.4)):
            given = commands(action=[action], values=[[value]])
            while state.node[0, 0] != action:
                state, _ = live.step(state, given, TICK)
            while state.node[0, 0] == action:
                state, _ = live.step(state, commands(action=[live.actions.index("walk")]), TICK)
    return float(state.level[0, 0])


def main() -> None:
    rows = []
    floor = float("nan")
    for name in GRAPHS:
        model, _ = graph(name)
        total, above, worst, _ = random_walks(model, CLIPS.get(name, 10_000))
        skate, own, jump, own_jump = quality(model, clips(name))
        node = model.nodes[0]
        turn = "-"
        if node.turn_column[0] == 0:
            middle, reach = node.space.middle[0], node.space.ranges[0]
            turn = " / ".join(f"{constant_turn(model, float(middle + s * reach)):.2f}" for s in (-0.3, 0.1, 0.4))
        if name == "everyday":
            floor = steps_up_and_down(model)
        rows.append(
            f"| {name.replace('_', ' ')} | {total:,} | {above} | {100 * worst:.0f} | {skate:.1f} / {own:.1f} "
            f"| {100 * jump:.1f} / {100 * own_jump:.1f} | {turn} |"
        )
        print(rows[-1], flush=True)
    text = f"""# Random walks through parametric graphs

{CROWD} characters of each graph of `examples/graphs` walk at random until they have begun 10,000 clips (2,000
cartwheels). `above`: transitions
whose distance exceeds T_bad of their edge; `worst`: the largest distance, in % of T_bad. Skate: toes near the floor
that
slide (the published measure), in a minute of one character with locked feet, and in the clips. Jump: the largest step
of a
joint in a thirtieth of a second. Turn: three turns, each requested for 50 clips, set once for each clip: by how many
degrees
a clip misses it on average. (`experiments/122_graph_walks.py`)

| graph | clips | above | worst, % | skate, % / of the clips | jump, cm / of the clips | turn missed by, deg |
| --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

A character of the everyday graph that goes up a platform and down again 100 times stands on ground that is
{100 * floor:.2f} cm from where it began.
"""
    (PAGES / "graph_random_walks.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
