"""Learning shared by the graph methods: build a graph, prune it, and describe its connections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from motionloom.core import Clip, NoPath, Note, Progress, part, silent
from motionloom.kinematics.gait_recognition import GAITS, PREFIX, with_gait_labels
from motionloom.methods.graph.build.bridges import build_bridges
from motionloom.methods.graph.build.distance_limits import DEFAULT_LIMIT, Limits, effective_limit, read_limits
from motionloom.methods.graph.build.prune import MIN_CONNECTED_SHARE, PruneReport, graph_facts, prune
from motionloom.methods.graph.build.transitions import BuiltGraph, build_with_report, find_transitions
from motionloom.methods.graph.config import GraphConfig
from motionloom.methods.graph.diagnose.connectivity import TransitionFinder, connection_notes
from motionloom.methods.graph.frame_names import with_mirrored
from motionloom.methods.graph.graph import Graph, Transitions
from motionloom.methods.graph.model import GraphModel

RAISED_LIMITS = (0.11, 0.14)  # m: tried in turn where the default limit leaves most frames unconnected
NEARLY = 0.9  # a smaller limit is preferred if it connects this share of what a larger one does
M = TypeVar("M", bound=GraphModel[Any])
C = TypeVar("C", bound=GraphConfig)


class LearnedGraph(NamedTuple):
    """A pruned graph, the graph before pruning, the report of pruning, and notes about all of it."""

    graph: Graph
    whole: Graph
    removed: PruneReport
    notes: tuple[Note, ...]


def with_connecting_limit(learn: Callable[[C, Progress], M], config: C, progress: Progress | None = None) -> M:
    """`learn(config, progress)`; where the default limit leaves most frames unconnected, with a larger one.

    Quick motion differs more from frame to frame: five runs of CMU's subject 127 share 2 % of their frames within 8 cm,
    35 % within 11 cm and 47 % within 14 cm. A limit that is given stays as it is, and so does that of `faithful`.
    """
    report = progress or silent()
    if config.limit is not None or config.limits or config.measure != "point-cloud" or config.variant == "faithful":
        return learn(config, report)
    models: dict[float, M] = {}
    failures: list[NoPath] = []
    for limit in (DEFAULT_LIMIT, *RAISED_LIMITS):
        try:
            models[limit] = learn(replace(config, limit=limit), part(report, float(limit > DEFAULT_LIMIT), 1.0))
        except NoPath as error:
            failures.append(error)
            continue
        if connected_share(models[limit]) >= MIN_CONNECTED_SHARE:
            break
    if not models:
        raise failures[0]
    shares = {limit: connected_share(model) for limit, model in models.items()}
    chosen = min(limit for limit, share in shares.items() if share >= NEARLY * max(shares.values()))
    model = models[chosen]
    if chosen == DEFAULT_LIMIT:
        return replace(model, config=config)
    raised = f"limit raised from {100 * DEFAULT_LIMIT:g}cm to {100 * chosen:g}cm (--limit)"
    before = f"{100 * shares.get(DEFAULT_LIMIT, 0.0):.0f} % of the frames were connected"
    return replace(model, config=config, notes=(Note(f"{raised}: {before}"), *model.notes))


def connected_share(model: GraphModel[Any]) -> float:
    """The share of the frames that are strongly connected."""
    return graph_facts(model.graph).connected


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
    """The clips of a graph and notes: those given, with the gaits found in them as labels; mirror images and bridges
    between labels, as `config` says.
    """
    whole = with_gait_labels(with_mirrored(clips) if config.mirror else clips)
    gaits = {name.removeprefix(PREFIX) for clip in whole for name in clip.label_names if name.startswith(PREFIX)}
    found = (
        (Note(f"gaits found, which `style` can name: {', '.join(g for g in GAITS if g in gaits)}"),) if gaits else ()
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
    return LearnedGraph(graph, built.graph, removed, (*removed.notes(), *connections, *graph_facts(graph).notes()))
