"""Crowds of a walking graph: cost of a step, identical frames, collisions.

    python experiments/125_crowds.py

Writes docs/experiments/graph_crowds.md. Takes about a minute.
"""

from __future__ import annotations

import time

import numpy as np
from graph_material import TICK, graph
from scipy.spatial import cKDTree
from similarity_material import PAGES

from motionloom.control import foot_locked
from motionloom.control.crowd import keep_apart
from motionloom.control.crowd_clips import NEIGHBOUR, SPACING, grid_places
from motionloom.core.poses import commands
from motionloom.kinematics.travel import Travel

SIZES, SECONDS = (10, 100, 1000, 10_000), 4.0
LONG = 6.0  # s of the walks in which collisions are counted; of 10,000 characters 2 s
BODY = 0.5  # m: hips that are nearer collide
CROSS = 40  # characters that walk towards each other


def walk(live, count: int, seconds: float) -> tuple[float, float]:
    """Processor time for a step of one character, us, and the share of frames that equal another character's, %."""
    state = live.begin(np.arange(count), Travel(grid_places(count), np.zeros(count)))
    state, _ = live.step(state, commands(), TICK)
    spent, equal, steps = 0.0, [], max(8, min(round(seconds / TICK), 200_000 // count))
    for f in range(steps):
        begin = time.process_time()
        state, poses = live.step(state, commands(), TICK)
        spent += time.process_time() - begin
        if f % max(1, steps // 4) == 0:
            flat = np.round(poses.rotations.reshape(count, -1), 9)
            _, which, many = np.unique(flat, axis=0, return_inverse=True, return_counts=True)
            equal.append((many[which.ravel()] > 1).mean())
    return 1e6 * spent / (steps * count), 100 * float(np.mean(equal))


def collisions(live, count: int, apart: bool) -> float:
    """% of the time that a character spends nearer than BODY to another, in a crowd that begins on a grid and in which
    each keeps a random heading."""
    place, heading = grid_places(count), np.random.default_rng(1).uniform(-np.pi, np.pi, count)
    state = live.begin(np.arange(count), Travel(place, heading))
    steps, hit, given = round((LONG if count < 10_000 else 2.0) / TICK), 0, commands(heading=heading)
    for _ in range(steps):
        state, poses = live.step(state, keep_apart(given, place, radius=NEIGHBOUR) if apart else given, TICK)
        place = poses.root[:, [0, 2]]
        hit += int((cKDTree(place).query(place, k=2)[0][:, 1] < BODY).sum())
    return 100 * hit / (steps * count)


def crossing(live, apart: bool) -> tuple[float, float]:
    """Two groups that walk through each other: seconds that a character spends in collisions, least distance in m."""
    side = np.repeat([-1.0, 1.0], CROSS // 2)
    place = np.stack([np.tile(np.arange(CROSS // 2) * 0.9 - 9, 2), 5.0 * side], 1)
    heading = np.where(side < 0, 0.0, np.pi)
    state = live.begin(np.arange(CROSS), Travel(place, heading))
    hit, least = 0, np.inf
    for _ in range(round(8.0 / TICK)):
        given = commands(heading=heading)
        state, poses = live.step(state, keep_apart(given, place, radius=NEIGHBOUR) if apart else given, TICK)
        place = poses.root[:, [0, 2]]
        near = cKDTree(place).query(place, k=2)[0][:, 1]
        hit, least = hit + int((near < BODY).sum()), min(least, float(near.min()))
    return hit * TICK / CROSS, least


def main() -> None:
    model, _ = graph("walk")
    live = foot_locked(model.live)
    rows = []
    for count in SIZES:
        cost, equal = walk(live, count, SECONDS)
        hits = [collisions(model.live, count, apart) for apart in (False, True)]
        rows.append(f"| {count:,} | {cost:.1f} | {equal:.2f} | {hits[0]:.2f} | {hits[1]:.2f} |")
        print(rows[-1], flush=True)
    free, least = crossing(model.live, False)
    apart, least_apart = crossing(model.live, True)
    text = f"""# Crowds

Characters of the walking graph that walk at random with locked feet, each with its own seed: processor time for a step
of one character, the share of frames whose pose another character has in the same instant, and the share of the time
that characters with random headings, which begin on a grid of {SPACING:g} m, spend with hips nearer than {BODY:g} m to
another's (collisions), without and with `keep_apart` (`crowd --apart`). (`experiments/125_crowds.py`)

| characters | step, us | identical frames, % | collisions, % | with `--apart`, % |
| --- | --- | --- | --- | --- |
{chr(10).join(rows)}

Identical frames come from the beginning: seeds choose one of about 6,000 pairs of parameters and row, and characters go
apart with their first transition (10,000 characters are measured over 0.7 s, fewer over up to 4 s).

Two groups of {CROSS // 2}, 0.9 m from each other, walk through one another for 8 s: a character spends {free:.2f} s in
collisions on average (least distance {least:.2f} m); when characters turn away from neighbours, {apart:.2f} s
({least_apart:.2f} m).
"""
    (PAGES / "graph_crowds.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
