"""The score of a prior network (LAU eq 3): every instance judged by all others. Plain arrays, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods.variation._kernels_regression import log_normal, regress


@kernel
def node_score(instances: Any, node: int, parents: Any, scales: Any, floors: Any, rules: Any) -> float:
    """The part of one node in eq 3: the sum over instances (2 D, N) of its log likelihood under the others."""
    count = instances.shape[1]
    room, chosen = np.empty((2, count)), np.empty(count, np.int64)
    total = 0.0
    for held_out in range(count):
        mean, variance = predict(instances, node, parents, instances[:, held_out], held_out, scales, floors, rules,
                                 room, chosen)  # fmt: skip
        total += log_normal(instances[node, held_out], mean, variance)
    return total


@kernel
def predict(
    instances: Any, node: int, parents: Any, given: Any, held_out: int, scales: Any, floors: Any, rules: Any,
    room: Any, chosen: Any,
) -> Any:  # fmt: skip
    """Mean and variance of a node given all nodes (2 D,), of which its parents are used; without parents, of all."""
    count = instances.shape[1]
    if len(parents) == 0:
        return plain_moments(instances[node], held_out, floors[node])
    squared, space = room[0], room[1]
    squared[:] = 0.0
    for p in parents:
        row, value, scale = instances[p], given[p], scales[p]
        for m in range(count):
            d = value - row[m]
            squared[m] += scale * d * d
    if held_out >= 0:
        squared[held_out] = np.inf
    return regress(squared, count, instances[node], floors[node], rules, space, chosen)


@kernel
def plain_moments(values: Any, held_out: int, floor: float) -> Any:
    """Mean and variance of all values but one; at least `floor`."""
    count, total = 0, 0.0
    for m in range(len(values)):
        if m != held_out:
            total += values[m]
            count += 1
    mean = total / count
    if count < 2:
        return mean, floor
    spread = 0.0
    for m in range(len(values)):
        if m != held_out:
            spread += (values[m] - mean) ** 2
    return mean, max(spread / (count - 1), floor)


@kernel
def score_updates(
    instances: Any, nodes: Any, first: Any, parents: Any, scales: Any, floors: Any, rules: Any, out: Any, stop: Any,
    done: Any,
) -> None:  # fmt: skip
    """out[u] = `node_score` of node nodes[u] with the parents parents[first[u] : first[u + 1]]."""
    for u in range(len(nodes)):
        if stop[0]:
            return
        out[u] = node_score(instances, nodes[u], parents[first[u] : first[u + 1]], scales, floors, rules)
        done[0] += 1


@kernel
def score_toggled(
    instances: Any, nodes: Any, edges: Any, scales: Any, floors: Any, rules: Any, out: Any, stop: Any, done: Any
) -> None:  # fmt: skip
    """out[n, j] = `node_score` of node nodes[n] with j as one more parent, or without it where it is one (N, N).

    Squared distances by the present parents are summed up once, and each further parent is added to them. `done` (1,)
    counts the nodes.
    """
    count, size = len(edges), instances.shape[1]
    room, chosen = np.empty((2, size)), np.empty(size, np.int64)
    base, parents = np.zeros((size, size)), np.empty(count, np.int64)
    for n in range(len(nodes)):
        i = nodes[n]
        base[:] = 0.0
        for p in range(count):
            if edges[i, p]:
                _add_differences(instances[p], scales[p], base)
        for j in range(count):
            if stop[0]:
                return
            if j == i:
                out[n, j] = -np.inf
            elif edges[i, j]:
                kept = 0
                for p in range(count):
                    if edges[i, p] and p != j:
                        parents[kept] = p
                        kept += 1
                out[n, j] = node_score(instances, i, parents[:kept], scales, floors, rules)
            else:
                out[n, j] = _with_parent(instances, i, j, base, scales, floors, rules, room, chosen)
        done[0] += 1


@kernel
def _add_differences(row: Any, scale: float, base: Any) -> None:
    for a in range(len(row)):
        for b in range(len(row)):
            d = row[a] - row[b]
            base[a, b] += scale * d * d


@kernel
def _with_parent(
    instances: Any, node: int, parent: int, base: Any, scales: Any, floors: Any, rules: Any, room: Any, chosen: Any
) -> float:  # fmt: skip
    """The part of a node in eq 3 with one parent beside those whose squared distances are in `base` (N, N)."""
    row, scale, total = instances[parent], scales[parent], 0.0
    squared, space = room[0], room[1]
    for held_out in range(len(row)):
        for m in range(len(row)):
            d = row[held_out] - row[m]
            squared[m] = base[held_out, m] + scale * d * d
        squared[held_out] = np.inf
        mean, variance = regress(squared, len(row), instances[node], floors[node], rules, space, chosen)
        total += log_normal(instances[node, held_out], mean, variance)
    return total
