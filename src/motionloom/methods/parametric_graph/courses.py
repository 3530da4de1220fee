"""How clips of each node lead over the ground, by their turn: the table that plans and reachability use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import FloatArray
from motionloom.methods.parametric_graph.edge import Edge
from motionloom.methods.parametric_graph.edge_verification import neighbour_shares
from motionloom.methods.parametric_graph.nodes import Node

TURNS = 33  # values of the turn


def course_curves(nodes: Sequence[Node], edges: Sequence[Edge], neighbours: int) -> FloatArray:
    """(N, TURNS, 6) of all nodes, at even values of the turn, the other parameters in the middle.

    Columns: turn (rad), speed (m/s), turning rate (rad/s) and seconds of a clip; least and largest turn that may
    follow it over the node's own edge (without one, the turn itself). Zero for nodes that do not turn.
    """
    out = np.zeros((len(nodes), TURNS, 6))
    own = {e.source: e for e in edges if e.source == e.target}
    for n, node in enumerate(nodes):
        column, factor = node.turn_column
        if column < 0:
            continue
        left, ahead, by, seconds = node.moves(TURNS).T
        half = np.where(np.abs(by) > 1e-6, 0.5 * by, 1e-6)
        arc = np.hypot(left, ahead) * half / np.sin(half)  # of an arc with this chord
        turn = np.linspace(node.space.low[column], node.space.high[column], TURNS) / factor
        out[n, :, :4] = np.stack([turn, arc / seconds, by / seconds, seconds], 1)
        out[n, :, 4:] = turn[:, None]
        if n in own:
            out[n, :, 4:] = _following(node, own[n], neighbours)
    return out


def _following(node: Node, edge: Edge, neighbours: int) -> FloatArray:
    """(TURNS, 2) rad: least and largest turn of the box at even values of the turn."""
    space = node.space
    column, factor = node.turn_column
    asked = np.repeat(space.middle[None], TURNS, axis=0)
    asked[:, column] = np.linspace(space.low[column], space.high[column], TURNS)
    k = min(space.size + neighbours, len(edge.values))
    near, shares = neighbour_shares(
        (edge.values - space.middle) / space.ranges, (asked - space.middle) / space.ranges, k
    )  # fmt: skip
    boxes = [np.einsum("nk,nk->n", shares, side[near, column]) for side in (edge.low, edge.high)]
    return np.stack(boxes, 1) / factor
