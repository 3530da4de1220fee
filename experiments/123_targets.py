"""Places with headings: what a walking character can reach, and what greedy, planned control and motion matching do.

    python experiments/123_targets.py

Writes docs/experiments/graph_targets.md and its picture. Takes about two minutes.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from graph_material import NEAR, TICK, clips, drive_to, graph, random_headings, start
from pictures import make_smaller
from similarity_material import PAGES

from motionloom.constraints import PARAMETERS
from motionloom.core.poses import commands
from motionloom.kinematics.travel import root_headings
from motionloom.methods import learn
from motionloom.methods.parametric_graph.config import DEFAULT_LIVE
from motionloom.methods.parametric_graph.hubs import with_hubs
from motionloom.methods.parametric_graph.reachability import reachability
from motionloom.methods.space.measure import measure_blend
from motionloom.plot.parametric_graph import draw_reachability

RINGS, BEARINGS, FACINGS = (2.0, 4.0, 6.0, 8.0), 24, 8  # m
LIMIT, LONGER = 8.0, 16.0  # s
DRIVES, DRIVE = 2000, 5.0  # random drives, s
PUNCHES = 60


def ring() -> tuple[np.ndarray, np.ndarray]:
    """Goals (N, 2) and headings (N,): every distance with every bearing and every heading."""
    far, bearing, facing = (
        a.ravel()
        for a in np.meshgrid(
            RINGS, np.arange(BEARINGS) * 2 * np.pi / BEARINGS, np.arange(FACINGS) * 2 * np.pi / FACINGS, indexing="ij"
        )
    )
    return np.stack([far * np.sin(bearing), far * np.cos(bearing)], 1), facing


def slowest_decision(live, goal, facing) -> tuple[float, float]:
    """ms of processor time: the 99.9th percentile and the largest of single steps of a character that plans."""
    times = []
    for i in range(0, len(goal), 16):
        state, given = start(live, 1), commands(place=goal[i][None], facing=facing[i][None])
        for _ in range(90):
            begin = time.thread_time_ns()
            state, _ = live.step(state, given, TICK)
            times.append((time.thread_time_ns() - begin) / 1e6)
    return float(np.percentile(times[30:], 99.9)), float(np.max(times[30:]))


def agreement(model, picture) -> tuple[float, float, float]:
    """Share of random drives whose last place and heading the picture allows: that cell, or one next to it; and the
    share of all cells within 4 m that it allows, which chance would give."""
    live, rng = model.live, np.random.default_rng(3)
    state = start(live, DRIVES)
    for given in random_headings(DRIVES, DRIVE, rng):
        state, poses = live.step(state, given, TICK)
    place, heading = poses.root[:, [0, 2]], root_headings(poses.rotations[:, 0], live.skeleton)
    exact = picture.allows(place, heading)
    near = exact.copy()
    for x in (-NEAR, 0, NEAR):
        for z in (-NEAR, 0, NEAR):
            for turn in (-np.radians(15), 0, np.radians(15)):
                near |= picture.allows(place + [x, z], heading + turn)
    x, z, h = np.meshgrid(*(np.arange(-4, 4.1, 0.5),) * 2, np.arange(0, 2 * np.pi, np.pi / 6), indexing="ij")
    cells = picture.allows(np.stack([x.ravel(), z.ravel()], 1), h.ravel())
    return float(exact.mean()), float(near.mean()), float(cells.mean())


def circling(model, control: str) -> tuple[float, float, float]:
    """Places within 3 m, without a heading: how many the status reports as out of reach in the first step, and how many
    of these and of the others a character reaches within 10 s."""
    live, rng = model.live, np.random.default_rng(5)
    angle, far = rng.uniform(-np.pi, np.pi, 400), rng.uniform(0.6, 3.0, 400)
    goal = np.stack([far * np.sin(angle), far * np.cos(angle)], 1)
    state = start(live, 400, replace(DEFAULT_LIVE, control=control))
    given, near = commands(place=goal), np.full(400, np.inf)
    state, _ = live.step(state, given, TICK)
    flagged = live.status(state).clamped & live._out_of_reach(state)
    for _ in range(round(10 / TICK)):
        state, poses = live.step(state, given, TICK)
        near = np.minimum(near, np.linalg.norm(poses.root[:, [0, 2]] - goal, axis=1))
    hit = near <= NEAR
    return float(flagged.mean()), float(hit[flagged].mean()), float(hit[~flagged].mean())


def punches() -> list[str]:
    """Punches at targets on the faces of the box of the boxer's targets, and farther out: by how much they miss."""
    live, rng, rows = graph("boxing")[0].graph, np.random.default_rng(1), []
    action = live.actions.index("punch")
    space = live.nodes[action].space
    tables = space.rows.tables(live.skeleton)
    own = [PARAMETERS[p.name] for p in space.parameters]
    for scale in (0.5, 1.0, 1.5):
        side = rng.uniform(-1, 1, (PUNCHES, 3))
        side /= np.abs(side).max(1, keepdims=True)
        asked = (space.low + space.high) / 2 + scale * side * (space.high - space.low) / 2
        state = live.begin(np.arange(PUNCHES), options=replace(DEFAULT_LIVE, first="dance"))
        found, clamped = np.full((PUNCHES, 3), np.nan), np.zeros(PUNCHES, bool)
        for _ in range(120):
            state, _ = live.step(state, commands(action=[action], values=asked), TICK)
            for k in np.flatnonzero((state.node[:, 0] == action) & np.isnan(found[:, 0])):
                weights = state.weights[k, 0, : space.rows.size]
                found[k] = measure_blend(space.rows, live.skeleton, weights, live.fps, own, tables)
                clamped[k] = state.clamped[k]
        miss, moved = np.linalg.norm(found - asked, axis=1), np.linalg.norm(found - found.mean(0), axis=1)
        rows.append(
            f"| {scale:g} | {100 * np.median(miss):.0f} | {100 * miss.max():.0f} | {100 * (miss < 0.05).mean():.0f} "
            f"| {100 * clamped.mean():.0f} | {100 * np.median(moved):.0f} |"
        )
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    model, _ = graph("walk")
    live = model.live
    begin = time.process_time()
    picture = reachability(model, LIMIT)
    seconds = time.process_time() - begin
    draw_reachability(reachability(model, 5.0), PAGES / "graph_targets.png")
    make_smaller(PAGES / "graph_targets.png")
    goal, facing = ring()
    allowed = picture.allows(goal, facing)
    exact, near, cells = agreement(model, reachability(model, DRIVE))
    late, slowest = slowest_decision(live, goal, facing)
    matching = learn("motion-matching", clips("walk"))
    hub = with_hubs(model, 1)
    once = replace(DEFAULT_LIVE, half_life=0.0)
    rows = []
    for name, character, options in (
        ("planned", live, DEFAULT_LIVE),
        ("planned, turns set once for each clip", live, once),
        ("greedy (HECK)", live, replace(DEFAULT_LIVE, control="greedy")),
        ("greedy, turns set once for each clip (HECK)", live, replace(once, control="greedy")),
        ("planned, one hub pose", hub.live, once),
        ("motion matching", matching.live, None),
    ):
        begin = time.process_time()
        when, best = drive_to(character, goal, facing, LONGER, options)
        spent = 1e6 * (time.process_time() - begin) / (len(goal) * LONGER / TICK)
        in_time, later = when <= LIMIT, np.isfinite(when)
        rows.append(
            f"| {name} | {100 * in_time[allowed].mean():.1f} | {100 * (when <= LIMIT + 1)[allowed].mean():.1f} "
            f"| {100 * later.mean():.1f} | {np.median(when[later]):.1f} "
            f"| {25 * np.median(best[~later]) if (~later).any() else 0:.0f} | {spent:.0f} |"
        )
        print(rows[-1], flush=True)
    (share, circled, direct), (_, planned, others) = circling(model, "greedy"), circling(model, "planned")
    text = f"""# Places with headings

The [walking graph](../parametric_graphs.md) is embedded in the ground, as HECK does (fig 6.11): from each cell of
12.5 cm, 7.5 degrees and a ninth of the range of turns, courses continue with seven turns. Colours show with how many
headings each place is reached within 5 s; the search to {LIMIT:g} s took {seconds:.1f} s of processor time.
(`experiments/123_targets.py`)

![what a walking character reaches](graph_targets.png)

**The picture and random drives.** {DRIVES:,} characters follow random headings for {DRIVE:g} s. The picture allows the
cell (25 cm, 15 degrees) in which {100 * exact:.1f} % of them end (target: 95), and a cell next to it for
{100 * near:.1f} %. Of all cells within 4 m it allows {100 * cells:.0f} %.

**A ring of targets.** {len(goal)} goals: {BEARINGS} bearings with {FACINGS} headings each, at 2, 4, 6 and 8 m; reached
means within 25 cm and 15 degrees in the same frame. The picture allows {100 * allowed.mean():.1f} % of them within
{LIMIT:g} s.

| control | reached within {LIMIT:g} s of those allowed, % | within {LIMIT + 1:g} s, % | \
of all within {LONGER:g} s, % | \
median time, s | median miss of the rest, cm | processor time for a step, us |
| --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

A miss is the larger of both errors at the best frame, with 25 cm for 15 degrees. Planned control tries courses of three
segments (0.5 s each, or three clips) and adds the shortest path from their ends; a plan is made ten times a second. Of
single steps of one character that plans, 99.9 % take less than {late:.2f} ms of processor time, and the slowest
{slowest:.2f} ms (target: 5). The greedy rule of HECK turns towards the place and, near it, into the heading. Hub poses
let every turn follow every other; what that costs is on [another page](graph_latency.md).

**Places in a turning circle.** The turning radius v_min / w_max is {picture.turning_radius:.2f} m. Of 400 places within
3 m, {100 * share:.0f} % are reported as out of reach in the first step. A character that always turns towards its place
gets within 25 cm of {100 * circled:.0f} % of these within 10 s, and of {100 * direct:.0f} % of the others, which it may
circle too because turns change gradually (the status reports it when it does). Planned control walks away first: it
reaches {100 * planned:.0f} % and {100 * others:.0f} %.

**Punches at the rim** (HECK 6.2.2.3). {PUNCHES} targets each on a box with the middle of the boxer's targets, in units
of the box around all targets that blends reach, whose corners lie outside. Misses in cm, measured on the blend that is
played; moved: how far the punches that are made lie from their mean, so that the boxer reacts even where it misses.

| box | median miss | largest | within 5 cm, % | reported as out of reach, % | moved |
| --- | --- | --- | --- | --- | --- |
{chr(10).join(punches())}
"""
    (PAGES / "graph_targets.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
