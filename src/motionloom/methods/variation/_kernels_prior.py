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
    squared, room = np.empty(count), np.empty(count)
    total = 0.0
    for held_out in range(count):
        mean, variance = predict(instances, node, parents, instances[:, held_out], held_out, scales, floors, rules,
                                 squared, room)  # fmt: skip
        total += log_normal(instances[node, held_out], mean, variance)
    return total


@kernel
def predict(
    instances: Any, node: int, parents: Any, given: Any, held_out: int, scales: Any, floors: Any, rules: Any,
    squared: Any, room: Any,
) -> Any:  # fmt: skip
    """Mean and variance of a node given all nodes (2 D,), of which its parents are used; without parents, of all."""
    count = instances.shape[1]
    if len(parents) == 0:
        return plain_moments(instances[node], held_out, floors[node])
    squared[:] = 0.0
    for p in parents:
        row, value, scale = instances[p], given[p], scales[p]
        for m in range(count):
            d = value - row[m]
            squared[m] += scale * d * d
    if held_out >= 0:
        squared[held_out] = np.inf
    return regress(squared, count, instances[node], floors[node], rules, room)


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
