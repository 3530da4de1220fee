"""The label sets of a graph and their connections."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.methods.graph.build.prune import walkable_frames
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.labels import label_sets


class LabelSetRow(NamedTuple):
    """One set of labels."""

    name: str  # walk + carry; "no label" for frames without any
    frames: int
    walked: int  # of these, frames that are not dead ends
    within: int  # transitions from the set to itself
    out: int  # transitions to other sets


def label_rows(graph: Graph) -> list[LabelSetRow]:
    """One row for each set of labels that occurs, in the order of their first frames."""
    found, use = label_sets(graph.clips), walkable_frames(graph)
    a, b = found.of[graph.transitions.a], found.of[graph.transitions.b]
    out = []
    for k, labels in enumerate(found.sets):
        own = found.of == k
        counts = (int(own.sum()), int((own & use).sum()), int(((a == k) & (b == k)).sum()))
        out.append(LabelSetRow(" + ".join(sorted(labels)) or "no label", *counts, int(np.sum((a == k) & (b != k)))))
    return out
