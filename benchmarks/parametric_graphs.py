"""Parametric graphs: an edge, the build of two graphs, one live character, a batch with locked feet."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import best_seconds, figure
from motionloom.control import foot_locked
from motionloom.control.layered import Layered, LayeredState
from motionloom.core import Skeleton
from motionloom.core.poses import Commands, commands
from motionloom.methods import learn
from motionloom.methods.parametric_graph.edge_search import build_edge, propose_limits
from motionloom.methods.parametric_graph.edge_verification import EdgeSettings
from motionloom.methods.parametric_graph.graph_file import read_graph_file
from motionloom.methods.parametric_graph.model import ParametricGraphModel
from motionloom.samples import make

GRAPHS = Path(__file__).resolve().parents[1] / "examples" / "graphs"
JOINTS, CROWD, SECONDS, STEPS = 31, 3000, 4, 300
ACT, SPREAD = 5.0, 8.0  # s from one commanded action to the next, on average; s in which characters go to the nodes
GOALS = (("boxing", "<= 10"), ("everyday", "<= 15"))  # s


def figures() -> list[dict[str, Any]]:
    model, _ = _built("walk")
    nodes, tables = model.nodes, model.tables
    limits = propose_limits(tables, nodes, 0, 0, model.config.region, model.fps)
    settings = EdgeSettings(50, 1000, model.config.region, 0.01, 2, 10_000, True)
    edge = best_seconds([lambda: build_edge(tables, nodes, 0, 0, settings, limits, np.random.default_rng(0))], rounds=3)
    live, locked = model.live, foot_locked(_with_joints("everyday", JOINTS).live)
    ahead = commands(heading=0.5)

    def alone() -> None:
        state = live.begin([1])
        for _ in range(STEPS):
            state, _ = live.step(state, ahead, 1 / 60)

    groups = np.array_split(np.arange(CROWD), 2)
    orders = [_orders(len(group), len(locked.actions), SECONDS) for group in groups]
    states = [
        _stepped(locked, locked.begin(group), _orders(len(group), len(locked.actions), SPREAD)) for group in groups
    ]

    def half(which: int) -> None:
        states[which] = _stepped(locked, states[which], orders[which])

    def transitions() -> int:
        return sum(int(state.below.clips.sum()) for state in states)

    def together() -> None:
        with ThreadPoolExecutor(2) as pool:  # kernels release the interpreter lock
            list(pool.map(half, (0, 1)))

    alone()
    together()
    before = transitions()
    one, many = best_seconds([alone, together], rounds=3)
    rate, per_second = SECONDS * 60 * CROWD / many, (transitions() - before) / (3 * SECONDS * CROWD)
    graphs = [_turns_and_speeds(3, 3), _turns_and_speeds(16, 16)]
    sizes = [graph.nodes[0].space.rows.size for graph in graphs]
    few, more = best_seconds([partial(_driven, graph.live) for graph in graphs], rounds=5)
    builds = [(name, goal, _built(name)[1], _built_in_threads(name)) for name, goal in GOALS]
    return [
        figure("edge of 50 x 1,000 samples, verified", round(edge[0], 2), "<= 1", unit="s"),
        *(
            figure(
                *(f"{name} graph, built from samples", round(threads, 1), goal),
                unit="s",
                note=f"in as many threads as cores, as the command builds it; {one_thread:.1f} s in one thread",
            )
            for name, goal, one_thread, threads in builds
        ),
        figure(
            f"a step of one character with {sizes[1]} examples, over one with {sizes[0]}",
            round(more / few, 2),
            "<= 1.2",
            note="of turns and speeds; another heading every second, another speed every 1.5 s",
        ),
        figure("one character, a step", round(one / STEPS * 1e6, 1), "<= 50", unit="us"),
        figure(
            f"character steps per second of {JOINTS} joints, feet locked, {CROWD} characters in two threads",
            round(rate),
            ">= 180000",
            note=f"{rate / 60:.0f} characters at 60 Hz; new headings every second and other actions about every "
            f"{ACT:g} s: {per_second:.2f} transitions between clips a second and character",
        ),
    ]


def _driven(live: Any) -> None:
    """Ten seconds of one character that turns and changes its speed, so that its parameters are always on their way."""
    state = live.begin([1])
    for i in range(600):
        given = commands(heading=(0.5, -1.0)[i // 60 % 2], speed=(1.0, 1.5)[i // 90 % 2])
        state, _ = live.step(state, given, 1 / 60)


def _orders(count: int, actions: int, seconds: float) -> list[Commands]:
    """Commands of so many characters at 60 Hz: each gets a new heading every second and an action about every `ACT` s,
    at times of its own."""
    rng, out = np.random.default_rng(0), []
    heading, action = rng.uniform(-np.pi, np.pi, count), rng.integers(actions, size=count)
    for _ in range(round(seconds * 60)):
        turned, acts = rng.random(count) < 1 / 60, rng.random(count) < 1 / (60 * ACT)
        heading = np.where(turned, rng.uniform(-np.pi, np.pi, count), heading)
        action = np.where(acts, rng.integers(actions, size=count), action)
        out.append(commands(heading=heading, action=action))
    return out


def _stepped(live: Layered, state: LayeredState, orders: Sequence[Commands]) -> LayeredState:
    """The state after following commands at 60 Hz."""
    for given in orders:
        state, _ = live.step(state, given, 1 / 60)
    return state


def _with_joints(name: str, count: int) -> ParametricGraphModel:
    """A graph of the examples for a body of so many joints: a chain is added on the head of its samples."""
    graph = read_graph_file(GRAPHS / f"{name}.toml")
    body = graph.made[0].skeleton
    more = count - len(body)
    larger = Skeleton(
        (*body.names, *(f"Plume{i}" for i in range(more))),
        np.concatenate([body.parents, [body.roles.index("head")], np.arange(len(body), count - 1)]),
        np.concatenate([body.offsets, np.tile([0.0, 0.02, 0.0], (more, 1))]),
        (*body.roles, *("",) * more),
        body.ends,
    )
    clips = []
    for clip in graph.made:
        still = np.tile([1.0, 0.0, 0.0, 0.0], (len(clip), more, 1))
        clips.append(replace(clip, skeleton=larger, rotations=np.concatenate([clip.rotations, still], 1)))
    model = learn("parametric-graph", clips, graph.config)
    assert isinstance(model, ParametricGraphModel)
    return model


def _turns_and_speeds(turns: int, speeds: int) -> ParametricGraphModel:
    """A graph of walks that differ in turn and speed; every example takes part in some blends."""
    clips = [
        make("walk", turn=turn, speed=speed, seconds=4, fps=30, seed=1)
        for turn in np.radians(np.linspace(-80, 80, turns))
        for speed in np.linspace(0.9, 1.6, speeds)
    ]
    model = learn("parametric-graph", clips, {"node": ("walk parameter=turn|speed cut=cycles",)})
    assert isinstance(model, ParametricGraphModel)
    return model


def _built_in_threads(name: str) -> float:
    """The seconds that learning a graph takes in a process of its own with the threads of the command line."""
    code = f"from benchmarks.parametric_graphs import _built; print(_built({name!r})[1])"
    variables = {k: v for k, v in os.environ.items() if k != "NUMBA_NUM_THREADS"}  # BLAS keeps to one
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True)
    return float(done.stdout)


def _built(name: str) -> tuple[ParametricGraphModel, float]:
    """A graph of the examples, and the seconds that learning it takes."""
    graph = read_graph_file(GRAPHS / f"{name}.toml")
    begin = time.perf_counter()
    model = learn("parametric-graph", graph.made, graph.config)
    assert isinstance(model, ParametricGraphModel)
    return model, time.perf_counter() - begin
