"""The label sets of a graph, and how well each is connected."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.methods.graph.build.prune import alive
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.labels import label_sets


class Labelled(NamedTuple):
    """One set of labels."""

    name: str  # walk + carry; "no label" for frames without any
    frames: int
    walked: int  # of these, frames from which one can go on for ever
    within: int  # transitions from the set to itself
    out: int  # transitions to other sets


def label_rows(graph: Graph) -> list[Labelled]:
    """One row for each set of labels that occurs, in the order of their first frames."""
    found, use = label_sets(graph.clips), alive(graph)
    a, b = found.of[graph.transitions.a], found.of[graph.transitions.b]
    out = []
    for k, labels in enumerate(found.sets):
        own = found.of == k
        counts = (int(own.sum()), int((own & use).sum()), int(((a == k) & (b == k)).sum()))
        out.append(Labelled(" + ".join(sorted(labels)) or "no label", *counts, int(np.sum((a == k) & (b != k)))))
    return out
