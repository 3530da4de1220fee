"""Graphs and drives that the experiments on parametric motion graphs share.

`MOTIONLOOM_GRAPHS=folder` keeps the learned graphs there, with the processor time of learning, for the next script.
"""

from __future__ import annotations

import os
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from similarity_material import ROOT

from motionloom.control import foot_locked, record, run
from motionloom.core import Clip, FloatArray
from motionloom.core.poses import Commands, commands
from motionloom.evaluate.measures.jumps import joint_steps
from motionloom.kinematics.feet.skate_measures import skate_b
from motionloom.kinematics.travel import Travel, root_headings
from motionloom.methods import learn, load_model, save_model
from motionloom.methods.parametric_graph.graph_file import read_graph_file

GRAPHS = ("walk", "run", "cartwheel", "walk_and_run", "everyday", "boxing")
NEAR, NEAR_TURN = 0.25, np.radians(15.0)  # m and rad: a goal is reached
TICK = 1 / 30
LEVEL_CHANGES = ("up", "down")  # nodes of the everyday graph that change the height of the ground
TURN, CHARACTERS, SECONDS = np.radians(60.0), 12, 6.0  # the command by which characters are compared
MOTION = 20.0  # s of one character with locked feet, whose joints are measured
SEGMENT = 1.0  # s: shorter parts of a walk on one level are not measured


@cache
def graph(name: str) -> tuple[Any, float]:
    """A graph of examples/graphs, and the seconds of processor time that learning took."""
    kept = os.environ.get("MOTIONLOOM_GRAPHS")
    path, spent = Path(kept or ".") / f"{name}.loom", Path(kept or ".") / f"{name}.seconds"
    if kept and path.exists():
        return load_model(path), float(spent.read_text())
    asked = read_graph_file(ROOT / "examples" / "graphs" / f"{name}.toml")
    begin = time.process_time()
    model = learn("parametric-graph", asked.made, asked.config)
    seconds = time.process_time() - begin
    if kept:
        save_model(model, path)
        spent.write_text(f"{seconds:.2f}")
    return model, seconds


@cache
def clips(name: str) -> list[Clip]:
    """The clips that a graph of examples/graphs is learned from."""
    return list(read_graph_file(ROOT / "examples" / "graphs" / f"{name}.toml").made)


def straight_seed(live: Any) -> int:
    """A seed with which a character begins about straight ahead."""
    state = live.begin(np.arange(200))
    turn = getattr(state, "used", np.zeros((200, 1)))[:, 0]
    return int(np.abs(turn).argmin())


def start(live: Any, count: int, options: Any = None) -> Any:
    """Characters at the origin, heading 0, straight ahead."""
    at = Travel(np.zeros((count, 2)), np.zeros(count))
    return live.begin(np.full(count, straight_seed(live)), at, options)


def wrapped(angle: FloatArray) -> FloatArray:
    """Angles between -pi and pi."""
    return np.asarray((angle + np.pi) % (2 * np.pi) - np.pi)


def missed(place: FloatArray, heading: FloatArray, goal: FloatArray, facing: FloatArray) -> FloatArray:
    """(N,) the larger of both errors, in units of what counts as reached."""
    off = np.linalg.norm(place - goal, axis=1) / NEAR
    return np.maximum(off, np.abs(wrapped(heading - facing)) / NEAR_TURN)


def drive_to(
    live: Any, goal: FloatArray, facing: FloatArray, seconds: float, options: Any = None
) -> tuple[FloatArray, FloatArray]:
    """(N,) s at which characters first reach goals with headings (infinite: not), and the least miss of each."""
    state, given = start(live, len(goal), options), commands(place=goal, facing=facing)
    when, best = np.full(len(goal), np.inf), np.full(len(goal), np.inf)
    for f in range(round(seconds / TICK)):
        state, poses = live.step(state, given, TICK)
        off = missed(poses.root[:, [0, 2]], root_headings(poses.rotations[:, 0], live.skeleton), goal, facing)
        when = np.where((off <= 1) & np.isinf(when), (f + 1) * TICK, when)
        best = np.minimum(best, off)
    return when, best


def random_headings(count: int, seconds: float, rng: np.random.Generator) -> list[Commands]:
    """Commands of random drives, one for each tick: a new heading every half to two seconds."""
    heading, left, out = np.zeros(count), np.zeros(count), []
    for _ in range(round(seconds / TICK)):
        new = left <= 0
        heading = np.where(new, heading + rng.uniform(-np.pi, np.pi, count), heading)
        left = np.where(new, rng.uniform(0.5, 2.0, count), left) - TICK
        out.append(commands(heading=wrapped(heading)))
    return out


def level_parts(live: Any, seed: int, seconds: float, given: Commands) -> list[Clip]:
    """A drive of one character, cut where the ground rises or falls, so that feet can be measured against it."""
    steps = list(run(live, live.begin([seed]), given, [TICK] * round(seconds / TICK)))
    clip = record(live, steps, 30.0)
    names = getattr(live, "actions", ())
    changes = [names.index(name) for name in LEVEL_CHANGES if name in names]
    if not changes:
        return [clip]
    shown = np.array([live.status(state).action[0] for state, _ in steps])
    level = ~np.isin(shown, changes)
    ends = np.flatnonzero(np.diff(level.astype(int), prepend=0, append=0))
    return [clip[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True) if b - a >= SEGMENT / TICK]


def skate(parts: list[Clip]) -> float:
    """cm/s: how fast toes slide near the floor, the published measure, over all clips by their lengths."""
    found = [(skate_b(clip), len(clip)) for clip in parts]
    known = [(value, count) for value, count in found if value is not None]
    return float(np.average([v for v, _ in known], weights=[n for _, n in known])) if known else float("nan")


def largest_turn(parts: list[Clip]) -> float:
    """Degrees: the largest turn of a joint from frame to frame."""
    return float(np.degrees(max(joint_steps(clip).max() for clip in parts)))


def criteria(name: str, live: Any, size: float, seconds: float, sources: list[Any]) -> str:
    """A row: learning, step, size, latency and error of a turn by 60 degrees, joints and feet of a drive."""
    turns = "heading" in live.accepts
    plain, turned = (commands(heading=h) if turns else commands() for h in (0.0, TURN))
    quiet = live.begin(np.arange(CHARACTERS))
    for _ in range(60):
        quiet, _ = live.step(quiet, plain, TICK)
    state, before = quiet, np.zeros((CHARACTERS, 3))
    when, times = np.full(CHARACTERS, np.nan), []
    for f in range(round(SECONDS / TICK)):
        quiet, a = live.step(quiet, plain, TICK)
        begin = time.process_time()
        state, b = live.step(state, turned, TICK)
        times.append((time.process_time() - begin) / CHARACTERS)
        off = wrapped(root_headings(b.rotations[:, 0], live.skeleton) - root_headings(a.rotations[:, 0], live.skeleton))
        when = np.where(np.isnan(when) & (np.abs(off) >= np.radians(3)), (f + 1) * TICK, when)
        before = b.root if f == round((SECONDS - 2) / TICK) else before
    gone = b.root - before
    error = np.abs(np.degrees(wrapped(np.arctan2(gone[:, 0], gone[:, 2]) - TURN)))
    late = np.where(np.isnan(when), np.inf, when)
    latency = f"{np.median(late):.2f} / {late.max():.2f}" if turns else "no headings"
    moved = level_parts(foot_locked(live), 4, MOTION, commands(heading=0.4) if turns else commands())
    return (
        f"| {name} | {seconds:.1f} | {1e6 * np.mean(times):.0f} | {size / 1024:.0f} | {latency} "
        f"| {f'{np.median(error):.1f}' if turns else '-'} | "
        f"{largest_turn(moved) / largest_turn(sources):.2f} | {skate(moved):.1f} |"
    )
