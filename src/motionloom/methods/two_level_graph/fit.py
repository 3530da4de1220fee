"""Learning a two-level graph: the lower level by its four rules, then clusters of its frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from motionloom.blend.point import half_window
from motionloom.core import Clip, Note, Progress, part, silent
from motionloom.methods.graph import Graph, Transitions
from motionloom.methods.graph.build.blend_check import find_rough, none_rough
from motionloom.methods.graph.build.prune import facts, prune
from motionloom.methods.graph.build.transitions import ready
from motionloom.methods.graph.diagnose.connectivity import Look, connection
from motionloom.methods.graph.frame_names import with_mirrored
from motionloom.methods.graph.labels import Limits
from motionloom.methods.two_level_graph.clusters import find_clusters
from motionloom.methods.two_level_graph.config import Config
from motionloom.methods.two_level_graph.model import TwoLevelGraph
from motionloom.methods.two_level_graph.rules import lower_level

DEFAULT = Config()


def fit(
    clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None, progress: Progress | None = None
) -> TwoLevelGraph:
    """Learn from clips of one skeleton at one frame rate (see `methods.prepare`). Chance only seeds the clusters."""
    report = progress or silent()
    made = ready(with_mirrored(clips) if config.mirror else clips)
    half = half_window(config.blend, made[0].fps)
    settings = _settings(config)
    linear = config.blending == "linear"
    lower = lower_level(made, **settings, plants=not linear, progress=part(report, 0.0, 0.6))
    similar = Graph(made, lower.transitions, half, linear)
    rough = find_rough(similar) if config.drop_rough else none_rough(similar)
    whole = replace(similar, transitions=lower.transitions[~rough.marked])
    graph, removed = prune(whole)  # the connectedness rule
    said = connection(whole, graph, Look(partial(_found, settings), lower.limit, config.measure, config.blend, rough))
    report(0.7, "clustering frames")
    stay = max(1, round(config.stay * made[0].fps))
    seed = np.random.default_rng(0) if rng is None else rng
    found = find_clusters(made, config.clusters, shortest=stay, rng=seed, velocities=config.velocities)
    report(1.0, "clustering frames")
    pruned = lower.pruned._replace(connectedness=removed.transitions, rough=int(rough.marked.sum()))
    clusters = Note(f"{found.count} clusters of frames")
    notes = (pruned.note(), *removed.notes(), *said, *facts(graph).notes(), clusters)
    return TwoLevelGraph(
        skeleton=made[0].skeleton,
        config=config,
        fps=made[0].fps,
        notes=notes,
        graph=graph,
        clusters=found,
        delta=config.delta * lower.limit,
        pruned=pruned,
    )


def _settings(config: Config) -> dict[str, Any]:
    names = ("measure", "window", "blend", "limit", "limits", "apart", "shortest")
    return {name: getattr(config, name) for name in names}


def _found(settings: dict[str, Any], clips: Sequence[Clip], limit: float, limits: Limits) -> Transitions:
    """All transitions that the first three rules leave with another limit."""
    return lower_level(clips, **(settings | {"limit": limit, "limits": limits})).transitions
