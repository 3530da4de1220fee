"""The default limit of a graph, raised where it leaves most frames unconnected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from motionloom.core import NoPath, Note, Progress, part, silent
from motionloom.methods.graph.build.distance_limits import DEFAULT_LIMIT
from motionloom.methods.graph.build.prune import MIN_CONNECTED_SHARE, graph_facts
from motionloom.methods.graph.config import GraphConfig
from motionloom.methods.graph.model import GraphModel

RAISED_LIMITS = (0.11, 0.14)  # m: tried in turn where the default limit leaves most frames unconnected
NEARLY = 0.9  # a smaller limit is preferred if it connects this share of what a larger one does
M = TypeVar("M", bound=GraphModel[Any])
C = TypeVar("C", bound=GraphConfig)


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
