"""Learning shared by the graph methods: build a graph, prune it, and describe its connections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from motionloom.core import Clip, Note, Progress, part, silent
from motionloom.kinematics.gait_recognition import GAITS, PREFIX, with_gait_labels
from motionloom.methods.graph.build.bridges import build_bridges
from motionloom.methods.graph.build.distance_limits import DEFAULT_LIMIT, Limits, effective_limit, read_limits
from motionloom.methods.graph.build.prune import PruneReport, graph_facts, prune
from motionloom.methods.graph.build.transitions import BuiltGraph, build_with_report, find_transitions
from motionloom.methods.graph.clip_order import in_fixed_order
from motionloom.methods.graph.config import GraphConfig
from motionloom.methods.graph.diagnose.connectivity import TransitionFinder, connection_notes, limit_notes
from motionloom.methods.graph.frame_names import with_mirrored
from motionloom.methods.graph.graph import Graph, Transitions


class LearnedGraph(NamedTuple):
    """A pruned graph, the graph before pruning, the report of pruning, and notes about all of it."""

    graph: Graph
    whole: Graph
    removed: PruneReport
    notes: tuple[Note, ...]


def learn_graph(
    clips: Sequence[Clip], config: GraphConfig, settings: dict[str, Any], progress: Progress | None = None
) -> LearnedGraph:
    """The graph of clips without dead ends; `settings` are those of `find_transitions`."""
    report = progress or silent()
    clips, bridged = graph_material(clips, config, part(report, 0.0, 0.1))
    own = {"linear": config.blending == "linear", "drop_rough": config.drop_rough}
    built = build_with_report(clips, **settings, **own, progress=part(report, 0.1, 0.6))
    report(0.6, "pruning")
    limit = effective_limit(config.measure, config.limit, built.graph.transitions.distance)
    rest = settings | {"progress": part(report, 0.6, 1.0)}
    found = pruned_graph(built, config, limit, lambda clips, **given: find_transitions(clips, **(rest | given)))
    report(1.0, "pruning")
    return found._replace(notes=(*bridged, *found.notes))


def graph_material(
    clips: Sequence[Clip], config: GraphConfig, progress: Progress | None = None
) -> tuple[list[Clip], tuple[Note, ...]]:
    """The clips of a graph and notes: those given, in a fixed order, with the gaits found in them as labels; mirror
    images and bridges between labels, as `config` says.
    """
    ordered = in_fixed_order(clips)
    whole = with_gait_labels(with_mirrored(ordered) if config.mirror else ordered)
    gaits = {name.removeprefix(PREFIX) for clip in whole for name in clip.label_names if name.startswith(PREFIX)}
    found = (
        (Note(f"gaits found, for `style: {{label: walk}}` in requests: {', '.join(g for g in GAITS if g in gaits)}"),)
        if gaits
        else ()
    )
    if not config.bridges or config.measure != "point-cloud":
        return whole, found
    limit = DEFAULT_LIMIT if config.limit is None else config.limit
    made = build_bridges(whole, limit, window=config.window, given=read_limits(config.limits), progress=progress)
    counts = Counter(made.pairs)
    notes = [
        Note(f"{a} to {b}: {n} changes of gait of 1 s added, for lack of transitions") for (a, b), n in counts.items()
    ]
    return [*whole, *made.clips], (*found, *notes)


def pruned_graph(
    built: BuiltGraph, config: GraphConfig, limit: float, find: Callable[..., Transitions]
) -> LearnedGraph:
    """A graph without dead ends; `find(clips, limit=, limits=)` searches transitions with other limits."""
    graph, removed = prune(built.graph)

    def find_again(clips: Sequence[Clip], limit: float, limits: Limits) -> Transitions:
        return find(clips, limit=limit, limits=limits)

    finder = TransitionFinder(find_again, limit, config.measure, config.blend, built.rough)
    connections = connection_notes(built.graph, graph, finder)
    notes = (*limit_notes(config.measure, limit), *removed.notes(), *connections, *graph_facts(graph).notes())
    return LearnedGraph(graph, built.graph, removed, notes)
