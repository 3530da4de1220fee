"""Learning a two-level graph: the lower level by its four rules, then clusters of its frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from motionloom.blend.transition_point import half_window
from motionloom.core import Clip, Note, Progress, part
from motionloom.methods.graph import Graph
from motionloom.methods.graph.build.blend_check import find_rough_transitions, no_rough_transitions
from motionloom.methods.graph.build.transitions import BuiltGraph, graph_clips
from motionloom.methods.graph.connecting_limit import with_connecting_limit
from motionloom.methods.graph.fit import graph_material, pruned_graph
from motionloom.methods.two_level_graph.clusters import find_clusters
from motionloom.methods.two_level_graph.config import Config
from motionloom.methods.two_level_graph.model import TwoLevelGraphModel
from motionloom.methods.two_level_graph.rules import lower_level

DEFAULT = Config()


def fit(
    clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None, progress: Progress | None = None
) -> TwoLevelGraphModel:
    """Learn from clips of one skeleton at one frame rate (see `methods.prepare`). Only the clusters are random."""
    return with_connecting_limit(partial(_fit, clips, rng or np.random.default_rng(0)), config, progress)


def _fit(clips: Sequence[Clip], rng: Generator, config: Config, report: Progress) -> TwoLevelGraphModel:
    material, bridged = graph_material(clips, config, part(report, 0.0, 0.1))
    made = graph_clips(material)
    half = half_window(config.blend, made[0].fps)
    settings = _settings(config)
    linear = config.blending == "linear"
    lower = lower_level(made, **settings, plants=not linear, progress=part(report, 0.1, 0.5))
    similar = Graph(made, lower.transitions, half, linear)
    checking = part(report, 0.5, 0.6)
    rough = find_rough_transitions(similar, progress=checking) if config.drop_rough else no_rough_transitions(similar)
    built = BuiltGraph(replace(similar, transitions=lower.transitions[~rough.marked]), rough)
    learned = pruned_graph(  # the connectedness rule
        built, config, lower.limit, lambda clips, **given: lower_level(clips, **(settings | given)).transitions
    )
    report(0.7, "clustering frames")
    stay = max(1, round(config.stay * made[0].fps))
    found = find_clusters(made, config.clusters, shortest=stay, rng=rng, velocities=config.velocities)
    report(1.0, "clustering frames")
    pruned = lower.pruned._replace(connectedness=learned.removed.transitions, rough=int(rough.marked.sum()))
    clusters = Note(f"{found.count} clusters of frames")
    notes = (pruned.note(), *bridged, *learned.notes, clusters)
    return TwoLevelGraphModel(
        skeleton=made[0].skeleton,
        config=config,
        fps=made[0].fps,
        notes=notes,
        graph=learned.graph,
        clusters=found,
        delta=config.delta * lower.limit,
        pruned=pruned,
    )


def _settings(config: Config) -> dict[str, Any]:
    names = ("measure", "window", "blend", "limit", "limits", "apart", "shortest")
    return {name: getattr(config, name) for name in names}
