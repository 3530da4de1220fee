"""Live characters on one core: steps in a second, their longest times, the foot lock, and the size of a state."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.timing import best_seconds, figure
from motionloom.control import foot_locked, queued
from motionloom.core.poses import Commands, commands
from motionloom.kinematics.feet.live_lock import foot_lock, lock_feet
from motionloom.kinematics.trim import trim_contacts
from motionloom.methods import learn
from motionloom.methods.live import Live, state_bytes
from motionloom.samples import make

FRAMES = 20_000  # example frames of motion matching
CROWD = 1_000
STEPS = 600  # timed at once for one character
DT = 1 / 60
PACED_STEPS = 3000
GRAPHS = ("motion-graph", "two-level-graph", "hierarchical-graph")
GRAPH = {"sources": 6, "targets": 40, "verified": 200, "samples": 30}  # edges need not be good here
TEXTONS = {"shortest": 0.5, "tolerance": 0.5}  # so that walks have several


def figures() -> list[dict[str, Any]]:
    turns = np.linspace(-0.9, 0.9, 9)
    short = [make("walk", seed=i, turn=float(t), seconds=8) for i, t in enumerate(turns)]
    long = [make("walk", seed=i, turn=float(t), seconds=FRAMES / 30 / 27) for i, t in enumerate(np.tile(turns, 3))]
    matching = learn("motion-matching", long).live  # type: ignore[attr-defined]
    out = _speeds("motion matching, 20,000 frames", matching, 10_000, 100_000)
    for method in GRAPHS:
        out += _speeds(f"{method}, {len(short)} walks", learn(method, short).live, 20_000, None)  # type: ignore[attr-defined]
    out += _speeds(f"textons, {len(short)} walks", learn("textons", short, TEXTONS).live, None, None)  # type: ignore[attr-defined]
    takes = [trim_contacts(make("walk", seed=i, seconds=4), "left_heel", strides=1) for i in range(4)]
    out += _speeds("variation, 4 takes", learn("variation", takes).live, None, 6_000)  # type: ignore[attr-defined]
    space = learn("parametric-space", short[2:7])
    out += _speeds("parametric space, 5 walks", space.live, None, None)  # type: ignore[attr-defined]
    graph = learn("parametric-graph", short[2:7], GRAPH)
    out += _speeds("parametric graph, 5 walks", graph.live, None, None)  # type: ignore[attr-defined]
    out += _speeds("texture, 5 walks", learn("texture", short[2:7]).live, None, None)  # type: ignore[attr-defined]
    out += _queued("cuts, queued, 5 walks", queued(learn("cuts", short[2:7])))
    return [*out, *_lock(matching)]


def _speeds(name: str, live: Live, alone: float | None, crowd: float | None) -> list[dict[str, Any]]:
    """Steps of one character and of a crowd, the 99.9th percentile of step times, and bytes of a state."""
    steps, batch = (_run(live, count) for count in (1, CROWD))
    one, many = best_seconds([lambda: steps(STEPS), lambda: batch(12)], rounds=5)
    times = np.array(steps(20_000))
    (median, own), (late, busy) = np.median(times, axis=0), np.percentile(times, 99.9, axis=0)
    note = f"steps of 1/60 s, a new heading or action every 2 s; foot lock included: {1 / _locked(live):,.0f} steps/s"
    limit = max(5 * median, 5e-4)
    return [
        figure(f"steps of one character ({name})", round(STEPS / one), _least(alone), unit="steps/s", note=note),
        figure(
            f"steps of {CROWD} characters at once ({name})",
            round(12 * CROWD / many),
            _least(crowd),
            unit="character steps/s",
        ),
        figure(
            f"99.9th percentile of step times, as a share of the limit ({name})",
            round(float(late / limit), 2),
            "<= 1",
            note=f"median {1e6 * median:.0f} us, 99.9 % below {1e6 * late:.0f} us; without the time of other "
            f"programs: median {1e6 * own:.0f} us, 99.9 % below {1e6 * busy:.0f} us",
        ),
        figure(f"state of one character ({name})", round(state_bytes(live.begin([1])) / 1000, 1), "<= 100", unit="KB"),
    ]


def _queued(name: str, live: Live) -> list[dict[str, Any]]:
    """Step times of one character at four times real time: its blocks are made by another thread meanwhile."""
    state, none, times = live.begin([1]), commands(), []
    for step in range(PACED_STEPS):
        start = time.perf_counter()
        state, _ = live.step(state, none, DT)
        taken = time.perf_counter() - start
        if step >= 30:  # compiled
            times.append(taken)
        time.sleep(max(0.0, DT / 4 - taken))
    median, late = float(np.median(times)), float(np.percentile(times, 99.9))
    note = f"{PACED_STEPS} steps, four times real time: median {1e6 * median:.0f} us, 99.9 % below {1e6 * late:.0f} us"
    what = f"99.9th percentile of step times, as a share of the limit ({name})"
    return [figure(what, round(late / max(5 * median, 5e-4), 2), "<= 1", note=note)]


def _least(limit: float | None) -> str:
    return "" if limit is None else f">= {limit}"


def _orders(live: Live, count: int, rng: np.random.Generator) -> Commands:
    """A heading for each character, or, if the method has none, an action."""
    if "heading" in live.accepts:
        return commands(heading=rng.uniform(-3, 3, count))
    return commands(action=rng.integers(0, len(live.actions), count))


def _run(live: Live, count: int) -> Any:
    """A function that makes so many steps, and gives the times of each (s): by the clock, and its own."""
    rng, held = np.random.default_rng(0), {"state": live.begin(np.arange(count)), "time": 0.0}
    given = _orders(live, count, rng)

    def go(steps: int) -> list[tuple[float, float]]:
        nonlocal given
        out = []
        for _ in range(steps):
            if held["time"] >= 2.0:
                given, held["time"] = _orders(live, count, rng), 0.0
            start, work = time.perf_counter(), time.thread_time()
            held["state"], _ = live.step(held["state"], given, DT)
            out.append((time.perf_counter() - start, time.thread_time() - work))
            held["time"] += DT
        return out

    go(30)  # compile
    return go


def _locked(live: Live) -> float:
    """s for a step of one character with the foot lock on top."""
    go = _run(foot_locked(live), 1)
    return best_seconds([lambda: go(STEPS)], rounds=3)[0] / STEPS


def _lock(live: Live) -> list[dict[str, Any]]:
    """us for one character in a batch."""
    lock = foot_lock(live.skeleton)
    state, poses = live.step(live.begin(np.arange(CROWD)), commands(heading=0.5), 0.1)
    held = lock.begin(CROWD)

    def go() -> None:
        for _ in range(10):
            lock_feet(lock, held, poses.root, poses.rotations, poses.contacts, DT)

    go()
    value = best_seconds([go])[0] / 10 / CROWD * 1e6
    assert state is not None
    return [figure(f"foot lock, for each of {CROWD} characters", round(value, 2), "<= 3", unit="us")]
