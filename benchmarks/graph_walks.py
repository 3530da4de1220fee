"""Random walks through motion graphs: time to render 30 s, and how good 60 s are beside their source.

Also, for walks and paths that keep to one label, how much they skate beside the clips of that label alone.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.timing import MOCAP, best_seconds, figure
from motionloom.constraints import Request, RootPath, Style
from motionloom.control.graph_walks import random_walk
from motionloom.core import Clip, with_labels
from motionloom.evaluate.measures.jumps import transition_jumps
from motionloom.io import load
from motionloom.kinematics.feet.skate_measures import measure_skate
from motionloom.kinematics.resample import resample
from motionloom.methods import learn, synthesize
from motionloom.methods.base import Model
from motionloom.methods.graph.build.prune import graph_facts
from motionloom.methods.graph.model import graph_model
from motionloom.methods.graph.render.render import join_route, render
from motionloom.methods.graph.search.random_walk import random_route

METHODS = ("motion-graph", "two-level-graph", "hierarchical-graph")
LABELS = {
    "16": {
        "walk": (11, 13, 15, 16, 17, 19, 21, 23, 25, 27, 29),
        "jog": (35, 37, 38, 39, 40, 41, 43),
        "run": (45, 48, 49, 51, 53),
    },
    "143": {"run": (1, 2, 3, 4, 42), "walk": (32, 38), "sneak": (41,)},
}
SUBJECTS = {"60": "salsa", "16": "walks and jogs with turns"}
TAKES = 5  # walks of 60 s that are judged
NAMES = (
    "30 s random walk, rendered to a clip",
    "30 s random walk, rendered and plants cleaned",
    "skate of 60 s walks, by the source's",
    "skate of 60 s walks before feet are lifted and plants cleaned, by the source's",
    "largest joint jump inside transitions, by the source's largest",
    "frames inside transitions above the source's 99.9th percentile",
    "largest jump of a joint inside transitions, by its own largest in the source",
    "joint frames inside transitions above the joint's own 99.9th percentile",
    "variety of a 60 s walk",
)
TARGETS = ("< 0.1", "< 0.1", "<= 1.2", "", "<= 1.0", "<= 0.2", "", "", "")
UNITS = ("s", "s", "times", "times", "times", "%", "times", "%", "frames")


def figures() -> list[dict[str, Any]]:
    out = []
    for subject, what in SUBJECTS.items():
        takes = sorted(MOCAP.glob(f"cmu/{subject}_*.bvh"))
        measured = _measured([load(path) for path in takes]) if takes else [(None, "no ../shared/mocap")] * len(NAMES)
        for name, (value, note), target, unit in zip(NAMES, measured, TARGETS, UNITS, strict=True):
            said = f"CMU {subject} ({what}): {note}" if takes else note
            out.append(figure(f"{name} (CMU {subject})", value, target if takes else "", unit=unit, note=said))
    return out + [f for subject in LABELS for f in _by_label(subject)] if MOCAP.is_dir() else out


def _by_label(subject: str) -> list[dict[str, Any]]:
    """For each label the skate of walks and of paths that keep to it, by that of its own clips: the worst method's."""
    clips = {label: [_take(subject, k, label) for k in numbers] for label, numbers in LABELS[subject].items()}
    models = [learn(method, [clip for some in clips.values() for clip in some]) for method in METHODS]
    out = []
    for label, sources in clips.items():
        own = float(np.average([_skate(clip) for clip in sources], weights=[len(clip) for clip in sources]))
        for what, made in (("walks", _walks), ("circles", _circles)):
            skates = {model.method: [_skate(clip) / own for clip in made(model, label)] for model in models}
            worst = max(float(np.mean(ratios)) for ratios in skates.values())
            said = ", ".join(f"{method} {np.mean(r):.2f} (at most {max(r):.2f})" for method, r in skates.items())
            name = f"skate of {what} that keep to one label, by its clips' own: {label} (CMU {subject})"
            note = f"the worst method's mean; {own:.1f} cm/s; {said}"
            out.append(figure(name, round(worst, 2), "<= 1.2", unit="times", note=note))
    return out


def _walks(model: Model[Any], label: str) -> list[Clip]:
    return [random_walk(model, 60, style=label, seed=seed).clip for seed in range(TAKES)]


def _circles(model: Model[Any], label: str) -> list[Clip]:
    """To the left and to the right, as tight as clips turn and twice as wide; the hierarchical search wants a time."""
    a = np.linspace(0, 2 * np.pi, 73)
    out = []
    for radius in (2.5, -2.5, 5.0, -5.0):
        points = np.stack([radius * (1 - np.cos(a)), abs(radius) * np.sin(a)], 1)
        wishes = (RootPath(points=tuple(map(tuple, points)), weight=1.0), Style(label=label))
        seconds = 10.0 if model.method == "hierarchical-graph" else None
        out.append(synthesize(model, Request(seconds=seconds, constraints=wishes)))
    return out


def _take(subject: str, number: int, label: str) -> Clip:
    """A take at 30 frames a second with its label; 143 was captured at 60, whatever its files say."""
    path = MOCAP / "cmu" / f"{subject}_{number:02d}.bvh"
    clip = resample(load(path, trim_tpose=True, fps=60.0 if subject == "143" else None), 30.0)
    return with_labels(clip, {label: np.ones(len(clip), bool)})


def _measured(clips: list[Clip]) -> list[tuple[float | None, str]]:
    """Value and note of each of NAMES."""
    model = learn("motion-graph", clips)
    graph = graph_model(model).graph
    known = graph_facts(graph)

    def plain(seed: int) -> Clip:
        return render(graph, random_route(graph, round(30 * model.fps), np.random.default_rng([seed, 0])))

    plain(0), random_walk(model, 30)  # compiled before
    render_time, clean_time = best_seconds([partial(plain, 1), partial(random_walk, model, 30, seed=1)])
    walks = [random_walk(model, 60, seed=seed) for seed in range(TAKES)]
    before = [_skate(join_route(graph, walk.route)) for walk in walks]
    own = sum(_skate(clip) * len(clip) for clip in graph.clips) / graph.count
    after = [_skate(walk.clip) for walk in walks]
    jumps = [transition_jumps(walk.clip, graph.clips) for walk in walks]
    worst = max(jumps, key=lambda jump: jump.own_largest)
    before_cleaning = max(transition_jumps(join_route(graph, walk.route), graph.clips).own_largest for walk in walks)
    rare, own_rare = (100 * float(np.mean([getattr(jump, name) for jump in jumps])) for name in ("rare", "own_rare"))
    variety = [walk.variety for walk in walks]
    size = f"{graph.count} frames, {'; '.join(map(str, known.notes()))}"
    taken = f"{len(walks[0].route.taken)} transitions in the first of {TAKES}"
    return [
        (round(render_time, 4), f"{size}; route and render, {len(plain(1))} frames, best of 7"),
        (round(clean_time, 4), "as `motionloom walk` and `synthesize` make it, best of 7"),
        (round(float(np.mean(after)) / own, 3), f"{np.mean(after):.1f} against {own:.1f} cm/s; {taken}"),
        (round(float(np.mean(before)) / own, 3), f"{np.mean(before):.1f} against {own:.1f} cm/s"),
        (round(max(jump.largest for jump in jumps), 3), f"any joint but fingers; {TAKES} walks of 60 s, cleaned"),
        (round(rare, 4), "0.1 is what the source has"),
        (round(worst.own_largest, 3), f"{worst.joint}; {before_cleaning:.3f} before cleaning"),
        (round(own_rare, 4), "0.1 is what the source has"),
        (float(np.median(variety)), f"median of {TAKES}, of {walks[0].route.frames}; {min(variety)} at least"),
    ]


def _skate(clip: Clip) -> float:
    found = measure_skate(clip).b
    assert found is not None  # people on their feet
    return found
