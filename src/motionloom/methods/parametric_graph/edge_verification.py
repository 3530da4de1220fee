"""Test edges at the points that are used, and shrink their boxes until no pair of motions is too bad."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import FloatArray, IntArray, Progress
from motionloom.methods.parametric_graph.edge import Edge
from motionloom.methods.parametric_graph.nodes import Node, random_values
from motionloom.methods.parametric_graph.tables import ParametricGraphTables, with_edges
from motionloom.methods.space.space import ExampleWeights, Space

SHRINK = 0.85  # a box in which a pair is too bad is scaled by this
ROUNDS = 40  # of shrinking
CHANGES = 12  # clips by which a node changes into a part of it
ENOUGH, TRIES = 500, 8  # solved motions within a part of a node; draws for a box


class EdgeSettings(NamedTuple):
    """How edges are found."""

    sources: int  # n_s
    targets: int  # n_t
    region: float  # of a clip at its end, and at the beginning of the next
    epsilon: float  # of the range: how far a bad sample is kept out of a box
    neighbours: int  # k - d
    verified: int  # random pairs
    split: bool = False  # edges from a part of the source, and all at about the same point


def verified_boxes(
    tables: ParametricGraphTables, nodes: Sequence[Node], edge: Edge, anchors: FloatArray, settings: EdgeSettings,
    limit: float, rng: Generator, progress: Progress,
) -> tuple[tuple[FloatArray, FloatArray], float, int]:  # fmt: skip
    """Boxes, shrunk towards their best samples until no random pair at the point that is used exceeds the limit.

    Returns the boxes, the worst pair of the last round, and how many boxes were shrunk.
    """
    shrunk, worst, count = np.zeros(len(edge.values), bool), np.inf, settings.verified
    for turn in range(ROUNDS):
        progress(turn / ROUNDS, "verifying pairs")
        found, near = random_pairs(tables, nodes, edge, settings.neighbours, count, rng)
        worst = float(found.max(initial=0.0))
        if worst <= limit and count == settings.verified:
            break
        if worst <= limit:
            count = settings.verified
            continue
        wrong = np.unique(near[found > limit])
        shrunk[wrong] = True
        low, high = edge.low.copy(), edge.high.copy()
        low[wrong] = anchors[wrong] + SHRINK * (low[wrong] - anchors[wrong])
        high[wrong] = anchors[wrong] + SHRINK * (high[wrong] - anchors[wrong])
        edge = replace(edge, low=low, high=high)
        count = max(settings.verified // 5, 1)
    return (edge.low, edge.high), worst, int(shrunk.sum())


def random_pairs(
    tables: ParametricGraphTables, nodes: Sequence[Node], edge: Edge, neighbours: int, count: int, rng: Generator
) -> tuple[FloatArray, IntArray]:
    """(count,) m the distances of random pairs that the edge allows, at its points; and (count, k) the samples used."""
    from motionloom.methods.parametric_graph._kernels_body import verify

    a = nodes[edge.source].space
    own = with_edges(tables, nodes, [edge])
    k = min(a.size + neighbours, len(edge.values))
    found = _drawn(nodes[edge.source], edge.within, count, rng)
    asked = (found.used - a.middle) / a.ranges
    near, shares = neighbour_shares((edge.values - a.middle) / a.ranges, asked, k)
    low, high = (np.einsum("nk,nkd->nd", shares, side[near]) for side in (edge.low, edge.high))
    to = _drawn_inside(nodes[edge.target], low, high, rng)
    out = np.empty(count)
    levels = -(found.weights @ nodes[edge.source].rises)
    verify(own, 0, np.ascontiguousarray(asked), found.weights, levels, to.weights, k, out)
    return out, near[:, : max(1, k - 1)]


def _drawn(node: Node, within: FloatArray, count: int, rng: Generator) -> ExampleWeights:
    """Random motions of a node within (2, D) limits: of those that were solved once, if enough of them are."""
    known = node.solved
    inside = np.flatnonzero(((known.used >= within[0] - 1e-9) & (known.used <= within[1] + 1e-9)).all(1))
    if len(inside) < ENOUGH:
        return node.space.weights(random_values(node.space, count, rng, within))
    chosen = inside[rng.integers(len(inside), size=count)]
    return ExampleWeights(known.weights[chosen], known.used[chosen], known.outside[chosen])


def _drawn_inside(node: Node, low: FloatArray, high: FloatArray, rng: Generator) -> ExampleWeights:
    """A random motion of a node for each box (n, D).

    Of several parameters, solving takes long: solved ones in the box are used, and others where there are none.
    """
    count = len(low)
    asked = low + rng.random(low.shape) * (high - low)
    if node.space.size == 1:
        return node.space.weights(asked)
    known = node.solved
    chosen = np.full(count, -1)
    for _ in range(TRIES):
        left = np.flatnonzero(chosen < 0)
        tried = rng.integers(len(known.used), size=len(left))
        fits = ((known.used[tried] >= low[left]) & (known.used[tried] <= high[left])).all(1)
        chosen[left[fits]] = tried[fits]
    out = ExampleWeights(known.weights[chosen], known.used[chosen], known.outside[chosen])
    left = np.flatnonzero(chosen < 0)
    if len(left):
        own = node.space.weights(asked[left])
        out.weights[left], out.used[left], out.outside[left] = own
    return out


def changes_into(within: FloatArray, own: Edge, space: Space, neighbours: int) -> bool:
    """Whether every motion of a node gets into a part (2, D) of it, over the node's own edge again and again."""
    scaled = (own.values - space.middle) / space.ranges
    now = own.values.copy()
    k = min(space.size + neighbours, len(scaled))
    for _ in range(CHANGES):
        near, shares = neighbour_shares(scaled, (now - space.middle) / space.ranges, k)
        low, high = (np.einsum("nk,nkd->nd", shares, side[near]) for side in (own.low, own.high))
        now = space.weights(np.clip(np.clip(now, *within), low, high)).used
    room = 0.01 * space.ranges
    return bool(((now >= within[0] - room) & (now <= within[1] + room)).all())


def neighbour_shares(samples: FloatArray, asked: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    """(n, k) the nearest samples and their weights, HECK eqs 6.1-6.2; in units of the range."""
    apart = np.sqrt(np.maximum(((asked[:, None] - samples[None]) ** 2).sum(-1), 1e-24))
    near = np.argsort(apart, axis=1, kind="stable")[:, :k]
    inverse = 1.0 / np.take_along_axis(apart, near, 1)
    shares = inverse - inverse[:, -1:]
    total = shares.sum(1, keepdims=True)
    return near, np.where(total > 0, shares / np.maximum(total, 1e-300), 1.0 / k)
