"""How clips of each node lead over the ground, by their turn: the table that plans and reachability use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import FloatArray
from motionloom.methods.parametric_graph.edge import Edge
from motionloom.methods.parametric_graph.edge_verification import neighbour_shares
from motionloom.methods.parametric_graph.nodes import Node
from motionloom.methods.parametric_graph.tables import CLOUD, LOW, ParametricGraphTables
from motionloom.methods.parametric_graph.transition_points import point_clouds

TURNS = 33  # values of the turn


def course_curves(
    tables: ParametricGraphTables, nodes: Sequence[Node], edges: Sequence[Edge], neighbours: int
) -> FloatArray:
    """(N, TURNS, 8) of all nodes, at even values of the turn, the other parameters in the middle.

    Columns: turn (rad), speed (m/s), turning rate (rad/s) and seconds of a clip; least and largest turn that may
    follow it over the node's own edge (without one, the turn itself); turn of the character from this clip to an equal
    one, with the transition, where clips do not repeat as cycles; m by which hips are left of the feet that carry them,
    on average, compared with the least turn. Zero for nodes that do not turn.
    """
    out = np.zeros((len(nodes), TURNS, 8))
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
        out[n, :, 4:7] = turn[:, None]
        out[n, :, 7] = _hips_left_of_feet(node)
        if n in own:
            out[n, :, 4:6], points = _following(node, own[n], neighbours)
            if not node.space.rows.cyclic:
                out[n, :, 6] += _turn_of_transitions(tables, n, node, points, own[n].report.bad_limit)
    return out


def _following(node: Node, edge: Edge, neighbours: int) -> tuple[FloatArray, FloatArray]:
    """(TURNS, 2) rad: least and largest turn of the box at even values of the turn; (TURNS, 2) transition points."""
    space = node.space
    column, factor = node.turn_column
    asked = node.even_turns(TURNS)
    k = min(space.size + neighbours, len(edge.values))
    near, shares = neighbour_shares(
        (edge.values - space.middle) / space.ranges, (asked - space.middle) / space.ranges, k
    )  # fmt: skip
    boxes = [np.einsum("nk,nk->n", shares, side[near, column]) for side in (edge.low, edge.high)]
    return np.stack(boxes, 1) / factor, np.einsum("nk,nkc->nc", shares, edge.points[near])


def _hips_left_of_feet(node: Node) -> FloatArray:
    """(TURNS,) m: how far `hold_feet` moves the hips to the left from the least turn on, on average over a clip."""
    rows = node.space.rows
    weights, feet = node.space.weights(node.even_turns(TURNS)).weights, node.feet[rows.lead : rows.lead + rows.count]
    blended = np.einsum("nk,rkpc->nrpc", weights, feet)
    low = np.clip(2.0 - 2.0 * blended[..., 1] / LOW, 0.0, 1.0)
    low = 0.5 * (low[1:] + low[:-1])
    moved = (low * np.diff(blended[..., 0], axis=0)).sum(2) / np.maximum(low.sum(2), 1.0)
    return np.concatenate([[0.0], -np.cumsum(moved.mean(1))])


def _turn_of_transitions(
    tables: ParametricGraphTables, n: int, node: Node, points: FloatArray, limit: float
) -> FloatArray:
    """(TURNS,) rad that transitions to equal clips add to the turn of a clip: what is not played of its beginning and
    end is lost, and hips that face another way in the pose at its end turn with the alignment."""
    from motionloom.methods.parametric_graph._kernels_alignment import laid

    weights = node.space.weights(node.even_turns(TURNS)).weights
    leave, enter = (point_clouds(tables, n, weights, points[:, i].copy(), np.zeros(TURNS)) for i in (0, 1))
    pairs = zip(zip(*leave, strict=True), zip(*enter, strict=True), strict=True)
    aligned = np.array([laid(a, b, CLOUD, limit)[1] for a, b in pairs])
    played = [(node.headings_at(points[:, i]) * weights).sum(1) for i in (0, 1)]
    whole = node.headings_at(np.ones(TURNS)) * weights
    return np.asarray(aligned + played[0] - played[1] - whole.sum(1))
