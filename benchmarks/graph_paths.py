"""Motion graphs along paths: how fast, how near, how clean, and how soon a model is loaded."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import MOCAP, best_seconds, figure
from motionloom.constraints import Request, RootPath, Start
from motionloom.core import Clip, FloatArray
from motionloom.io import load
from motionloom.kinematics import measure_skate
from motionloom.kinematics.resample import resample
from motionloom.methods import learn, load_model, save_model, synthesize
from motionloom.methods.motion_graph import MotionGraphModel

FILES = {
    "16": [11, 13, 15, 16, 17, 19, 21, 23, 25, 27, 29, 35, 37, 38, 39, 40, 41, 43, 45, 48, 49, 51, 53],
    "143": [1, 2, 3, 4, 32, 38, 41, 42],
}
SEARCHES = ("beam", "branch-and-bound")


def figures() -> list[dict[str, Any]]:
    if not MOCAP.is_dir():
        return [figure("paths on subject 16, times real time", None, ">= 10", unit="x", note="no ../shared/mocap")]
    return [f for subject in FILES for f in _subject(subject)]


def _subject(subject: str) -> list[dict[str, Any]]:
    clips = [_clip(f"{subject}_{k:02d}") for k in FILES[subject]]
    model = learn("motion-graph", clips)
    assert isinstance(model, MotionGraphModel)
    requests = {name: _request(path) for name, path in paths().items()}
    own = np.average([measure_skate(c).b or 0.0 for c in clips], weights=[len(c) for c in clips])
    out = []
    for search in SEARCHES:
        asked = [
            Request(start=r.start, options={"search": search}, constraints=r.constraints) for r in requests.values()
        ]
        made = [synthesize(model, r) for r in asked]  # compiles, too
        took = best_seconds([lambda r=r: synthesize(model, r) for r in asked], rounds=3)  # type: ignore[misc]
        ratio = min(clip.seconds / t for clip, t in zip(made, took, strict=True))
        off = [r.constraints[0].residual(clip) for r, clip in zip(asked, made, strict=True)]
        skates = [measure_skate(clip).b or 0.0 for clip in made]
        note = "; ".join(
            f"{name} {100 * d.mean():.1f} / {100 * d.max():.1f} cm" for name, d in zip(requests, off, strict=True)
        )
        name = f"paths on subject {subject}, {search}"
        faithful = search != "beam"
        out.append(figure(f"{name}, times real time", round(ratio, 1), ">= 10", unit="x", note="slowest of the paths"))
        mean = float(np.mean(np.concatenate(off)))
        out.append(figure(f"{name}, mean deviation", round(mean, 3), "" if faithful else "<= 0.1", unit="m", note=note))
        worst = max(float(d.max()) for d in off)
        out.append(figure(f"{name}, worst deviation", round(worst, 3), "" if faithful else "<= 0.5", unit="m"))
        skate = figure(
            f"{name}, skate against the clips' own",
            round(float(np.mean(skates) / own), 2),
            "<= 1.2",
            unit="ratio",
            note=f"{np.mean(skates):.1f} and {own:.1f} cm/s; the worst path {max(skates):.1f}",
        )
        out.append(skate)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.loom"
        save_model(model, path)
        [seconds] = best_seconds([lambda: load_model(path)], rounds=9)
        size = path.stat().st_size / 1e6
    note = f"{model.graph.count} frames, {len(model.graph.transitions)} transitions, {size:.1f} MB"
    out.append(
        figure(f"motion graph of subject {subject}, loading", round(1000 * seconds, 1), "< 50", unit="ms", note=note)
    )
    return out


def paths() -> dict[str, FloatArray]:
    """A circle, an S, a square, a figure eight, a spiral: all from the origin."""
    a = np.linspace(0, 2 * np.pi, 73)
    half, twice = a[:37], np.linspace(0, 4 * np.pi, 145)
    r = 3.5 - 2.3 * twice / twice[-1]
    spiral = np.stack([-r * np.cos(twice), r * np.sin(twice)], 1)
    circle = np.stack([2 - 2 * np.cos(a), 2 * np.sin(a)], 1)
    ess = [
        np.stack([2 - 2 * np.cos(half), 2 * np.sin(half)], 1),
        np.stack([6 - 2 * np.cos(half), -2 * np.sin(half)], 1),
    ]
    return {
        "circle": 1.25 * circle,
        "S": np.concatenate([ess[0], ess[1][1:]]),
        "square": np.array([[0, 0], [0, 4], [4, 4], [4, 0], [0, 0.0]]),
        "figure eight": np.concatenate([circle, circle[1:] * [-1, 1]]),
        "spiral": spiral - spiral[0],
    }


def _request(path: FloatArray) -> Request:
    ahead = path[1] - path[0]
    start = Start(position=tuple(path[0]), heading=float(np.arctan2(ahead[0], ahead[1])))
    return Request(start=start, constraints=(RootPath(points=tuple(map(tuple, path)), weight=1.0),))


def _clip(name: str) -> Clip:
    """Subject 143 was captured at 60 frames a second, whatever its files say."""
    clip = load(MOCAP / "cmu" / f"{name}.bvh", trim_tpose=True, fps=60.0 if name.startswith("143") else None)
    return resample(clip, 30.0)
