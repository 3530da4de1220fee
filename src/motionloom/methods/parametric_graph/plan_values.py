"""Parameters that a request gives, as the values of the node that a character is commanded to show."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from motionloom.constraints import Act, Parameters, Style
from motionloom.core import BadRequest, BoolArray, FloatArray
from motionloom.methods.parametric_graph.live import ParametricGraphLive
from motionloom.methods.parametric_graph.nodes import Node

ADDED_UP = ("turn", "travel_turn")  # parameters of a span that are the sum of those of its clips


def has_parameter(node: Node, name: str) -> bool:
    """Whether a node can vary a parameter."""
    return node.space.rows.size > 1 and any(p.name == name for p in node.space.parameters)


class RequestedValues:
    """The values that `parameters` of a request give to nodes, each to those that have the parameter."""

    def __init__(
        self, given: Sequence[Parameters], live: ParametricGraphLive, labels: dict[str, BoolArray], frames: int,
        asked: Sequence[Act | Style],
    ) -> None:  # fmt: skip
        self.live = live
        self.parts = [(c, c.values[0][0], c.frames(frames, live.fps)) for all_of in given for c in all_of.parts()]
        for c, name, span in self.parts if asked else ():
            meant = [a for a in asked if _overlap(a.frames(frames, live.fps), span)]
            named = [a.label if isinstance(a, Style) else a.action for a in meant]
            if c.span is not None and meant and not any(self._any_has(labels[label], name) for label in named):
                can = ", ".join(n.name for n in live.nodes if has_parameter(n, name))
                raise BadRequest(
                    f"parameters: {', '.join(dict.fromkeys(named))}, which is asked for at the time of {name!r}, does "
                    f"not have it (nodes with it: {can})"
                )

    def _any_has(self, nodes: BoolArray, name: str) -> bool:
        return any(has_parameter(self.live.nodes[n], name) for n in np.flatnonzero(nodes))

    def node(self, frame: int, soon: int, now: int) -> int:
        """The node that has a parameter of this time: the present one if it does, or the nearest; -1 for any."""
        names = [name for _, name, span in self.parts if span.start <= soon and frame < span.stop]
        can = [n for n, node in enumerate(self.live.nodes) if any(has_parameter(node, name) for name in names)]
        return min(can, key=lambda n: self._clips_to(now, n), default=-1)

    def measured_within(self, span: range, action: int, least: int) -> range:
        """The part of the span of an action in which its parameters are measured, if it has room for `least` frames."""
        for _, name, own in self.parts:
            both = range(max(span.start, own.start), min(span.stop, own.stop))
            if has_parameter(self.live.nodes[action], name) and len(both) >= least:
                span = both
        return span

    def _clips_to(self, a: int, b: int) -> float:
        """How many clips lie between two nodes; 0 for a node itself."""
        tables = self.live.tables
        for count in range(len(self.live.nodes)):
            if a == b:
                return count
            if tables.hop[a, b] < 0:
                return math.inf
            a = int(tables.edge_target[tables.hop[a, b]])
        return math.inf

    def values(self, frame: int, soon: int, action: int, *, named: bool) -> FloatArray:
        """(D,) the values of a node, NaN where none is given.

        Of a node that is named by an action they are those of its clip. Otherwise they are measured over their span:
        each clip turns by its share.
        """
        out = np.full(len(self.live.names), np.nan)
        node = self.live.nodes[action]
        for c, name, span in self.parts:
            if action < 0 or not (span.start <= soon and frame < span.stop) or not has_parameter(node, name):
                continue
            value = c.requested(name)
            if name in ADDED_UP and not named:
                value = value * min(1.0, float(node.space.rows.durations.mean()) * self.live.fps / len(span))
            out[node.space.column(name)] = value
        return out


def _overlap(a: range, b: range) -> bool:
    return a.start < b.stop and b.start < a.stop
