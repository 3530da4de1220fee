"""The two-level graph on CMU subject 16: what can be done now, both ways along a path, and acting out."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks.timing import MOCAP, best_seconds, figure
from motionloom.constraints import Request, RootPath
from motionloom.core import Clip
from motionloom.io import load
from motionloom.kinematics.travel import placed
from motionloom.methods import learn, load_model, save_model
from motionloom.methods.graph.render.render import render
from motionloom.methods.two_level_graph import TwoLevelGraphModel
from motionloom.methods.two_level_graph.markov import reading
from motionloom.methods.two_level_graph.performance import act_out, match_performance

HELD_OUT = ("16_16", "16_23", "16_19")  # a walk, a faster one that veers, a turn: performed, but not learned
CAMERA = np.radians(47.0)  # between two of the 18 viewpoints


def figures() -> list[dict[str, Any]]:
    takes = sorted(MOCAP.glob("cmu/16_*.bvh"))
    if not takes:
        name = "two-level graph: what can be done now"
        return [figure(name, None, "<= 50", unit="ms", note="no ../shared/mocap")]
    clips = {take.stem: load(take, trim_tpose=True) for take in takes}
    start = time.perf_counter()
    model = learn("two-level-graph", list(clips.values()))
    seconds = time.perf_counter() - start
    assert isinstance(model, TwoLevelGraphModel)
    frames = sum(s.frames for s in model.sources)
    note = f"{frames} frames, {len(model.graph.transitions)} transitions, {model.clusters.count} clusters"
    out = [figure("two-level graph of subject 16, learning", round(seconds, 2), "", unit="s", note=note)]
    return [*out, _loading(model), _now(model), *_paths(model), *_found_again(model), *_held_out(clips)]


def _loading(model: TwoLevelGraphModel) -> dict[str, Any]:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "g.loom"
        save_model(model, path)
        [took] = best_seconds([partial(load_model, path)], rounds=7)
    return figure("two-level graph of subject 16, loading", round(1000 * took, 1), "<= 50", unit="ms")


def _now(model: TwoLevelGraphModel) -> dict[str, Any]:
    """The slowest of fifty answers, each at a frame whose tree has not been grown, after one that compiles."""
    frames = np.random.default_rng(0).permutation(np.flatnonzero(model.walkable))[:51].tolist()
    worst, offered = [], []
    for _ in range(3):
        model._forest.clear()
        took = []
        for frame in frames:
            start = time.perf_counter()
            offered.append(len(model.choices(frame)))
            took.append(time.perf_counter() - start)
        worst.append(max(took[1:]))
    note = f"slowest of 50 frames, 1.5 s ahead; {np.mean(offered):.1f} choices on average"
    return figure("two-level graph: what can be done now", round(1000 * min(worst), 1), "<= 50", unit="ms", note=note)


def drawn() -> dict[str, Any]:
    """The paths: a circle of 2 m radius, an S and a right-angled corner."""
    a, z = np.linspace(0, 1.9 * np.pi, 60), np.linspace(0, 8, 41)
    return {
        "circle": np.stack([2 - 2 * np.cos(a), 2 * np.sin(a)], 1),
        "S": np.stack([0.8 * np.sin(z * np.pi / 4), z], 1),
        "corner": np.array([[0, 0], [0, 3.5], [3.5, 3.5]]),
    }


def _paths(model: TwoLevelGraphModel) -> list[dict[str, Any]]:
    out = []
    for name, points in drawn().items():
        path = RootPath(points=points, weight=1.0)
        plans: dict[str, Any] = {}
        jobs = {s: Request(constraints=(path,), options={"search": s}) for s in ("frames", "clusters")}
        times = best_seconds([partial(_plan, model, jobs[s], plans, s) for s in jobs], rounds=3)
        for search, took in zip(jobs, times, strict=True):
            clip = placed(render(model.graph, plans[search].route))
            off = path.residual(clip)
            note = f"worst {100 * off.max():.1f} cm; {took:.2f} s for {clip.seconds:.1f} s of motion"
            title = f"two-level graph, {name} by {search}, mean deviation"
            out.append(figure(title, round(100 * float(off.mean()), 1), "", unit="cm", note=note))
            pace = round(clip.seconds / took, 1)
            out.append(figure(f"two-level graph, {name} by {search}, times real time", pace, ">= 10", unit="x"))
    return out


def _plan(model: TwoLevelGraphModel, request: Request, plans: dict[str, Any], name: str) -> None:
    model._forest.clear()
    plans[name] = model.plan(request, np.random.default_rng(0))


def _found_again(model: TwoLevelGraphModel) -> list[dict[str, Any]]:
    """Each clip of the graph performed: the share of frames that are found at the same frame, 0.1 s more or less."""
    shares: dict[str, list[Any]] = {"poses": [], "silhouettes": []}
    graph, views, took = model.graph, [], 0.0
    for k, clip in enumerate(graph.clips):
        truth = graph.starts[k] + np.arange(len(clip))
        for how, camera in (("poses", None), ("silhouettes", CAMERA)):
            start = time.perf_counter()
            found = match_performance(model, clip, camera=camera)
            took += time.perf_counter() - start if camera else 0.0
            shares[how].append(np.abs(_shown(model, found.route) - truth) <= 0.1 * model.fps)
            if found.view is not None:
                views.append(abs((found.view - CAMERA + np.pi) % (2 * np.pi) - np.pi))
    name = "acting out a clip of the graph, frames found"
    near = f"viewpoint right to 20 degrees in {np.mean(np.degrees(views) <= 20):.0%} of {len(views)} clips"
    values = {how: round(100 * float(np.concatenate(x).mean()), 1) for how, x in shares.items()}
    pace = f"; {took:.1f} s for {graph.count / model.fps:.0f} s performed, silhouettes of the graph included"
    return [
        figure(f"{name}, by poses", values["poses"], ">= 95", unit="%"),
        figure(f"{name}, by silhouettes", values["silhouettes"], ">= 80", unit="%", note=near + pace),
    ]


def _held_out(clips: dict[str, Clip]) -> list[dict[str, Any]]:
    """Takes that were not learned, performed: how far the joints are, seen from the hips."""
    model = learn("two-level-graph", [clip for name, clip in clips.items() if name not in HELD_OUT])
    assert isinstance(model, TwoLevelGraphModel)
    out = []
    for how, camera in (("poses", None), ("silhouettes", CAMERA)):
        apart = [act_out(model, clips[name], camera=camera).apart or 0.0 for name in HELD_OUT]
        note = ", ".join(f"{name} {100 * a:.1f}" for name, a in zip(HELD_OUT, apart, strict=True))
        title = f"acting out takes that were not learned, by {how}"
        out.append(figure(title, round(100 * float(np.mean(apart)), 1), "", unit="cm", note=note))
    return out


def _shown(model: TwoLevelGraphModel, route: Any) -> Any:
    """The frame of the graph that stands for each frame of a route."""
    graph, out, at = model.graph, [], route.start
    for t in route.taken:
        out += [*range(at, int(graph.leave[t]) + 1), *reading(graph, t)[:-1].tolist()]
        at = int(graph.enter[t])
    out += range(at, at + route.frames - len(out))
    return np.array(out[: route.frames])


if __name__ == "__main__":
    for entry in figures():
        print(entry)
