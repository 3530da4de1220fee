"""Random walks through motion graphs: time to render 30 s, and how good 60 s are beside their source."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.timing import MOCAP, best_seconds, figure
from motionloom.core import Clip
from motionloom.evaluate.jumps import transition_jumps
from motionloom.io import load
from motionloom.kinematics.skate_measures import measure_skate
from motionloom.methods import learn
from motionloom.methods.graph.prune import facts
from motionloom.methods.graph.render import render
from motionloom.methods.graph.takes import graph_of, random_walk
from motionloom.methods.graph.walk import random_route

SUBJECTS = {"60": "salsa", "16": "walks and jogs with turns"}
TAKES = 5  # walks of 60 s that are judged
NAMES = (
    "30 s random walk, rendered to a clip",
    "30 s random walk, rendered and plants cleaned",
    "skate of 60 s walks, by the source's",
    "skate of 60 s walks before cleaning, by the source's",
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
    return out


def _measured(clips: list[Clip]) -> list[tuple[float | None, str]]:
    """Value and note of each of NAMES."""
    model = learn("motion-graph", clips)
    graph = graph_of(model)
    known = facts(graph)

    def plain(seed: int) -> Clip:
        return render(graph, random_route(graph, round(30 * model.fps), np.random.default_rng([seed, 0])))

    plain(0), random_walk(model, 30)  # compiled before
    render_time, clean_time = best_seconds([partial(plain, 1), partial(random_walk, model, 30, seed=1)])
    walks = [random_walk(model, 60, seed=seed) for seed in range(TAKES)]
    before = [_skate(render(graph, walk.route)) for walk in walks]
    own = sum(_skate(clip) * len(clip) for clip in graph.clips) / graph.count
    after = [_skate(walk.clip) for walk in walks]
    jumps = [transition_jumps(walk.clip, graph.clips) for walk in walks]
    worst = max(jumps, key=lambda jump: jump.own_largest)
    before_cleaning = max(transition_jumps(render(graph, walk.route), graph.clips).own_largest for walk in walks)
    rare, own_rare = (100 * float(np.mean([getattr(jump, name) for jump in jumps])) for name in ("rare", "own_rare"))
    variety = [walk.variety for walk in walks]
    size = f"{graph.count} frames, {'; '.join(known.lines())}"
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
