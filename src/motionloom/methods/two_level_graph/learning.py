"""Learning a two-level graph: the lower level by its four rules, then clusters of its frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from motionloom.blend.point import half_window
from motionloom.core import Clip, NoPath
from motionloom.kinematics.mirror import mirror
from motionloom.methods.graph import Graph
from motionloom.methods.graph.build import ready
from motionloom.methods.graph.prune import facts
from motionloom.methods.graph.rough import rough
from motionloom.methods.two_level_graph.clusters import find_clusters
from motionloom.methods.two_level_graph.config import Config
from motionloom.methods.two_level_graph.model import TwoLevelGraph
from motionloom.methods.two_level_graph.rules import Lower, connected, lower_level

DEFAULT = Config()


def fit(clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None) -> TwoLevelGraph:
    """Learn from clips of one skeleton at `config.fps` (see `methods.prepare`). Chance only seeds the clusters."""
    made = ready([*clips, *(mirror(clip) for clip in clips)] if config.mirror else clips)
    half = half_window(config.blend, config.fps)
    lower = lower_level(made, **_settings(config))
    whole = Graph(made, lower.transitions, half)
    bad = rough(whole)
    graph, gone = connected(Graph(made, lower.transitions[~bad], half))
    if not len(graph.transitions):
        raise NoPath(_unconnected(made, config, lower, half))
    stay = max(1, round(config.stay * config.fps))
    seed = np.random.default_rng(0) if rng is None else rng
    found = find_clusters(made, config.clusters, shortest=stay, rng=seed)
    pruned = lower.pruned._replace(connectedness=gone, rough=int(bad.sum()))
    notes = (*pruned.lines(), *facts(graph).lines(), f"{found.count} clusters of frames")
    return TwoLevelGraph(
        skeleton=made[0].skeleton,
        config=config,
        fps=config.fps,
        notes=notes,
        graph=graph,
        clusters=found,
        delta=config.delta * lower.limit,
        pruned=pruned,
    )


def _settings(config: Config) -> dict[str, Any]:
    names = ("measure", "window", "blend", "limit", "limits", "apart", "shortest")
    return {name: getattr(config, name) for name in names}


def _unconnected(clips: Sequence[Clip], config: Config, lower: Lower, half: int) -> str:
    """Why there is no way round, and the limit with which there would be one."""
    said = f"these clips cannot be connected: {len(lower.transitions)} transitions, but no way leads round"
    if max(len(c) for c in clips) <= 2 * half + 2:
        return f"{said}; the longest clip lasts {max(c.seconds for c in clips):.2f} s, a transition {config.blend:g} s"
    for factor in (1.25, 1.5, 2.0, 3.0, 4.0):
        wider = lower_level(clips, **(_settings(config) | {"limit": factor * lower.limit, "limits": ""}))
        if len(connected(Graph(tuple(clips), wider.transitions, half))[0].transitions):
            return f"{said} with a limit of {lower.limit:.3g}; with --limit {factor * lower.limit:.3g} there is one"
    return f"{said}, not even with four times the limit ({4 * lower.limit:.3g}): give clips that do more alike things"
