"""The hierarchical graph's search on CMU subject 16: it never gets worse, how fast it is, how near it comes."""

from __future__ import annotations

import time
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.timing import MOCAP, best_seconds, figure
from motionloom.constraints import Avoid, Pose, PoseAt, PositionAt, Reach, Request, RootAt, RootPath, residuals
from motionloom.core import Clip
from motionloom.evaluate.measures.jumps import transition_jumps
from motionloom.io import load
from motionloom.kinematics.feet.skate_measures import measure_skate
from motionloom.methods import learn, load_model, save_model, synthesize
from motionloom.methods.hierarchical_graph import HierarchicalGraphModel, HierarchicalPlan
from motionloom.methods.hierarchical_graph.hard_constraints import hard_requirements
from motionloom.methods.hierarchical_graph.objective import score_terms
from motionloom.methods.hierarchical_graph.search import RandomSearch

SEEDS = 5


def wishes(clip: Clip) -> dict[str, Request]:
    """The sets of constraints; `clip` gives a pose."""
    right, back = np.pi / 2, np.pi
    return {
        "a place and heading": Request(
            seconds=8, constraints=(RootAt(time=4, position=(2, 3), heading=right, weight=1),)
        ),
        "two places and headings": Request(
            seconds=10,
            constraints=(
                RootAt(time=4, position=(2, 3), heading=right, weight=1),
                RootAt(time=9, position=(2, -2), heading=back, weight=1),
            ),
        ),
        "a goal behind a pillar": Request(
            seconds=10,
            constraints=(
                Reach(position=(-3, 3), heading=back, by=8, weight=1),
                Avoid(center=(-1.5, 2), radius=1, weight=1),
            ),
        ),
        "an S": Request(
            seconds=10, constraints=(RootPath(points=((0, 0), (1, 2), (0, 4), (-1, 6), (0, 8)), weight=1),)
        ),
        "a hand at a point": Request(
            seconds=8, constraints=(PositionAt(joint="left_hand", time=5, target=(1.0, 0.9, 4.0), weight=1),)
        ),
        "a frame of a clip, then a place": Request(
            seconds=8,
            constraints=(PoseAt(time=3, pose=Pose(clip[60:61])), RootAt(time=7, position=(-1, 6), weight=1)),
        ),
    }


def figures() -> list[dict[str, Any]]:
    takes = sorted(MOCAP.glob("cmu/16_*.bvh"))
    if not takes:
        return [figure("hierarchical search, rounds in which the score rose", None, "<= 0", note="no ../shared/mocap")]
    clips = [load(path) for path in takes]
    learn("hierarchical-graph", clips[:3])  # compiled before
    start = time.perf_counter()
    model = learn("hierarchical-graph", clips)
    took = time.perf_counter() - start
    assert isinstance(model, HierarchicalGraphModel)
    said = f"CMU 16 at 30 fps, {model.graph.count} frames, {model.notes[-1]}"
    out = [figure("hierarchical graph, learning (CMU 16)", round(took, 2), "", unit="s", note=said), _loading(model)]
    asked = wishes(model.graph.clips[0])
    for name in ("a place and heading", "an S"):
        out.append(_speed(model, name, asked[name]))
    rose, made = 0, []
    for name, request in asked.items():
        entry, risen, results = _quality(model, name, request)
        out.append(entry)
        rose += risen
        made += results
    note = f"{len(asked)} sets of constraints, {SEEDS} seeds each"
    return [
        figure("hierarchical search, rounds in which the score rose", rose, "<= 0", note=note),
        *out,
        *_feet(model, made),
    ]


def _loading(model: HierarchicalGraphModel) -> dict[str, Any]:
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "g.loom"
        save_model(model, path)
        [seconds] = best_seconds([partial(load_model, path)])
        size = path.stat().st_size / 1e6
    name = "hierarchical graph, loading (CMU 16)"
    return figure(name, round(1000 * seconds, 1), "< 100", unit="ms", note=f"one file of {size:.1f} MB")


def _speed(model: HierarchicalGraphModel, name: str, request: Request) -> dict[str, Any]:
    """Milliseconds for a thousand ways, mutations and seeds together."""
    inner, options = request.at_fps(model.fps), model.options(request)
    hard, alive = hard_requirements(model.graph, model.material, inner)
    terms = score_terms(model.graph, inner, options)

    def run() -> int:
        search = RandomSearch(model.material, terms, hard, alive, np.random.default_rng(0), gap=9)
        for _ in search.rounds(20_000, 10**9):
            pass
        return search.evaluations

    count = run()
    [seconds] = best_seconds([run], rounds=3)
    value = round(1e6 * seconds / count, 2)
    note = f"{request.seconds:g} s asked for, {count} ways scored"
    return figure(f"hierarchical search, 1,000 ways: {name}", value, "", unit="ms", note=note)


def _quality(model: HierarchicalGraphModel, name: str, request: Request) -> tuple[dict[str, Any], int, list[Clip]]:
    """The median miss of what is asked for over the seeds, how often a score rose, and the clips."""
    rose, misses, scores, times, clips = 0, [], [], [], []
    for seed in range(SEEDS):
        start = time.perf_counter()
        plan = model.plan(request, np.random.default_rng([seed, 0]))
        times.append(time.perf_counter() - start)
        assert isinstance(plan, HierarchicalPlan)
        rose += sum(b[1] > a[1] for a, b in pairwise(plan.history))
        scores.append((plan.history[0][1], plan.score))
        clips.append(synthesize(model, request, seed=seed))
        misses.append(max(r.worst or 0.0 for r in residuals(clips[-1], request) if not r.hard))
    first, last = np.median(scores, axis=0)
    note = (
        f"median of {SEEDS} seeds, worst {max(misses):.2f}; score {first:.2f} after the first round, {last:.2f} at the "
        f"end; search {np.median(times):.2f} s"
    )
    value = round(float(np.median(misses)), 3)
    return figure(f"hierarchical search, missed by: {name}", value, "", unit="m (1 rad = 1 m)", note=note), rose, clips


def _feet(model: HierarchicalGraphModel, made: list[Clip]) -> list[dict[str, Any]]:
    """Skate and jumps of the results beside the source."""
    own = sum(_skate(clip) * len(clip) for clip in model.graph.clips) / model.graph.count
    skate = float(np.mean([_skate(clip) for clip in made]))
    jumps = [transition_jumps(clip, model.graph.clips) for clip in made]
    rare = 100 * float(np.mean([jump.rare for jump in jumps]))
    many = f"{len(made)} results"
    return [
        figure(
            "hierarchical graph, skate of results by the source's",
            round(skate / own, 3),
            "<= 1.2",
            unit="times",
            note=f"{skate:.1f} against {own:.1f} cm/s, {many}",
        ),
        figure(
            "hierarchical graph, largest joint jump inside transitions by the source's largest",
            round(max(jump.largest for jump in jumps), 3),
            "<= 1.0",
            unit="times",
            note=f"any joint but fingers, {many}",
        ),
        figure(
            "hierarchical graph, frames inside transitions above the source's 99.9th percentile",
            round(rare, 4),
            "<= 0.2",
            unit="%",
            note=many,
        ),
    ]


def _skate(clip: Clip) -> float:
    found = measure_skate(clip).b
    assert found is not None  # people on their feet
    return found
