"""Learning a hierarchical motion graph: a graph with all its transitions, and trees over them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from numpy.random import Generator

from motionloom.core import Clip, Note, Progress, part
from motionloom.methods.graph.connecting_limit import with_connecting_limit
from motionloom.methods.graph.fit import learn_graph
from motionloom.methods.hierarchical_graph.config import Config
from motionloom.methods.hierarchical_graph.edge_trees import grow_trees, spacing
from motionloom.methods.hierarchical_graph.model import HierarchicalGraphModel

DEFAULT = Config()


def fit(
    clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None, progress: Progress | None = None
) -> HierarchicalGraphModel:
    """Learn from clips of one skeleton at one frame rate (see `methods.prepare`). No randomness is involved."""
    return with_connecting_limit(partial(_fit, clips), config, progress)


def _fit(clips: Sequence[Clip], config: Config, progress: Progress) -> HierarchicalGraphModel:
    graph, whole, _, notes = learn_graph(clips, config, _settings(config), part(progress, 0.0, 0.8))
    levels = grow_trees(graph, widest=config.cluster * clips[0].fps, progress=part(progress, 0.8, 1.0))
    progress(1.0, "growing trees of transitions")
    edges = f"{len(graph.transitions)} edges in {len(levels.roots)} clusters, {levels.depth} levels"
    if (side := spacing(whole)) > 1:
        edges += f"; thinned to the best of each {side} x {side} frames"
    return HierarchicalGraphModel(
        skeleton=clips[0].skeleton,
        config=config,
        fps=clips[0].fps,
        notes=(*notes, Note(edges)),
        graph=graph,
        levels=levels,
    )


def _settings(config: Config) -> dict[str, Any]:
    names = ("measure", "window", "blend", "limit", "limits", "shortest", "contacts")
    return {name: getattr(config, name) for name in names} | {"minima": False, "most": config.max_transitions}
