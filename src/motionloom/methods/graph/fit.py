"""Learning that graph methods share: build a graph, prune it, and note how it is connected."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from motionloom.core import Clip, Note, Progress, part, silent
from motionloom.methods.graph.build.prune import facts, prune
from motionloom.methods.graph.build.thresholds import limit_used
from motionloom.methods.graph.build.transitions import build_told, find_transitions
from motionloom.methods.graph.config import GraphConfig
from motionloom.methods.graph.diagnose.connectivity import Look, connection
from motionloom.methods.graph.frame_names import with_mirrored
from motionloom.methods.graph.graph import Graph, Transitions
from motionloom.methods.graph.labels import Limits


class LearnedGraph(NamedTuple):
    """A pruned graph, the graph before pruning, and notes about both."""

    graph: Graph
    whole: Graph
    notes: tuple[Note, ...]


def learn_graph(
    clips: Sequence[Clip], config: GraphConfig, settings: dict[str, Any], progress: Progress | None = None
) -> LearnedGraph:
    """The graph of clips with `settings` for `find_transitions`, without dead ends."""
    report = progress or silent()
    if config.mirror:
        clips = with_mirrored(clips)
    own = {"linear": config.blending == "linear", "drop_rough": config.drop_rough}
    whole, rough = build_told(clips, **settings, **own, progress=part(report, 0.0, 0.6))
    report(0.6, "pruning")
    graph, pruned = prune(whole)
    limit = limit_used(config.measure, config.limit, whole.transitions.distance)
    rest = part(report, 0.6, 1.0)
    look = Look(partial(_found, settings | {"progress": rest}), limit, config.measure, config.blend, rough)
    joined = connection(whole, graph, look)
    notes = (*pruned.notes(), *joined, *facts(graph).notes())
    report(1.0, "pruning")
    return LearnedGraph(graph, whole, notes)


def _found(settings: dict[str, Any], clips: Sequence[Clip], limit: float, limits: Limits) -> Transitions:
    """All transitions with another limit."""
    return find_transitions(clips, **(settings | {"limit": limit, "limits": limits}))
