"""The fat graph of H. Shin and H. Oh (2006), with which HECK 6.2.3 compares: motions that meet in hub poses.

All clips of a space begin and end in a common pose, the mean of their own poses there, so that any of them can follow
any other. The price is that every clip returns to that pose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, FloatArray
from motionloom.core.numbers import smoothstep
from motionloom.methods.parametric_graph.edge import Edge, Report
from motionloom.methods.parametric_graph.model import ParametricGraphModel
from motionloom.methods.parametric_graph.nodes import Node
from motionloom.rotation import average, exp, inverse, log, multiply

FADE = 0.25  # of a clip: how far from a hub its poses are changed
SIDES = ("right", "straight", "left")


class _Hub(NamedTuple):
    """A pose in which clips of a node meet, and the range of their parameters."""

    name: str
    turns: FloatArray  # (J, 4) local rotations, the hips' without their heading
    level: float  # m, height of the hips
    low: FloatArray  # (D,)
    high: FloatArray


def with_hubs(model: ParametricGraphModel, hubs: int = 1) -> ParametricGraphModel:
    """The nodes of a graph that repeat and turn, as a fat graph with one hub each, or three: right, straight, left.

    With three hubs, a node `walk` becomes nodes from hub to hub (`walk right`, `walk right straight` ...), without
    those between right and left; a clip from one hub to another may have the turns of both.
    """
    if hubs not in (1, 3):
        raise BadRequest(f"hubs: expected 1 or 3, found {hubs}")
    cyclic = [n for n in model.nodes if n.space.rows.cyclic and n.turn_column[0] >= 0]
    if not cyclic:
        raise BadRequest("hubs: expected a node that repeats and turns, found none")
    made: list[tuple[Node, _Hub, _Hub]] = []  # with the hubs at both ends
    for node in cyclic:
        found = _hubs(node, hubs)
        for a in found:
            for b in found:
                if {a.name, b.name} != {"right", "left"}:
                    words = [node.name, a.name, "" if a is b else b.name]
                    made.append((_ended(node, " ".join(w for w in words if w), a, b), a, b))
    edges = [
        _edge(i, j, made) for i, (_, _, end) in enumerate(made) for j, (_, begin, _) in enumerate(made) if end is begin
    ]
    return replace(model, nodes=tuple(node for node, _, _ in made), edges=tuple(edges), refused=())


def _hubs(node: Node, count: int) -> list[_Hub]:
    """The hubs of a node: of all examples, or of each third of the range of turns."""
    space, rows = node.space, node.space.rows
    column = node.turn_column[0]
    ends = np.linspace(space.low[column], space.high[column], count + 1)
    out = []
    for i in range(count):
        asked = np.repeat(space.middle[None], 9, axis=0)
        asked[:, column] = np.linspace(ends[i], ends[i + 1], 9)
        weights = space.weights(asked).weights.mean(0)
        turns = average(rows.turns[rows.lead], weights, axis=0)
        low, high = space.low.copy(), space.high.copy()
        low[column], high[column] = ends[i], ends[i + 1]
        out.append(
            _Hub("" if count == 1 else SIDES[i], turns, float(rows.levels[rows.lead] @ weights), low, high)
        )  # fmt: skip
    return out


def _ended(node: Node, name: str, first: _Hub, last: _Hub) -> Node:
    """The examples of a node, changed near their ends so that they begin and end in hub poses."""
    rows = node.space.rows
    u = (np.arange(len(rows.turns)) - rows.lead) / rows.count
    turns, levels = rows.turns, rows.levels
    for at, hub in ((0, first), (1, last)):
        fade = smoothstep(1.0 - np.abs(u - at) / FADE)
        row = rows.lead + at * rows.count
        off = log(multiply(hub.turns[None], inverse(rows.turns[row])))  # (K, J, 3)
        turns = multiply(exp(fade[:, None, None, None] * off[None]), turns)
        levels = levels + fade[:, None] * (hub.level - rows.levels[row])
    return replace(node, name=name, space=replace(node.space, rows=replace(rows, turns=turns, levels=levels)))


def _edge(source: int, target: int, made: Sequence[tuple[Node, _Hub, _Hub]]) -> Edge:
    """Any clip of one node after any of another, from hub to hub."""
    (a, first, last), (b, begin, end) = made[source], made[target]
    values = np.stack([np.minimum(first.low, last.low), np.maximum(first.high, last.high)])
    low, high = np.minimum(begin.low, end.low), np.maximum(begin.high, end.high)
    report = Report(a.name, b.name, 0, 0, 0, 0, 0, 0, 1.0, 0.0, 0.0, 1.0, 1.0, "")
    whole = np.stack([a.space.low, a.space.high])
    points = np.array([[1.0, 0.0]] * 2)
    return Edge(source, target, values, np.stack([low, low]), np.stack([high, high]), points, whole, report)
