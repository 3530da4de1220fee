"""The score of a transition network (LAU eq 4): every sequence re-synthesised from its first two frames by the others.

Plain arrays, no checks. `material` is a `Material`, `lists` are `Lists`, `rules` are `Rules`. The slow version that
tests this is in tests/methods/variation/slow.py. Time: frames x instances x parents.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods.variation._kernels_regression import add_squares, exclude, log_normal, regress

ONE_STEP, PROPAGATED, GROWING, SQUARED = range(4)  # scores: see `config.SCORES`


@kernel
def predict(
    material: Any, node: int, parents: Any, frames: Any, held_out: int, rules: Any, room: Any, chosen: Any
) -> Any:  # fmt: skip
    """Mean and variance of what a node does next, given two frames and, for parents within it, the third: (3, D).

    `room` (2, T - 2) holds the squared distances and space to select in, `chosen` (T - 2,) numbers of instances.
    """
    squared, space = room[0], room[1]
    count, degrees = squared.shape[0], material.values.shape[0]
    change = frames[1, node] - frames[0, node]
    own, scale = material.values[node], material.scales[node] * rules.velocity
    for m in range(count):
        d = change - (own[m + 1] - own[m])
        squared[m] = scale * d * d
    for p in parents:
        j, late = p % degrees, p // degrees
        add_squares(frames[late, j], material.values[j], late, material.scales[j], squared, count)
    exclude(material.starts, held_out, squared, count)
    return regress(squared, count, material.targets[node], material.floors[node], rules, space, chosen)


@kernel
def resynthesise(
    material: Any, lists: Any, rules: Any, kind: int, due: Any, first: int, made: Any, likelihood: Any, stop: Any
) -> bool:  # fmt: skip
    """made (D, T): each sequence from its first two frames, by the means of the others. likelihood (S, D): eq 4.

    Only nodes that are `due` (D,) are computed; `made` and `likelihood` hold those of the others already, which must
    not depend on them. With one step, every frame is predicted from observed frames. Sequences before the `first` are
    left out. False if it was stopped.
    """
    degrees, total = material.values.shape
    room, chosen = np.empty((2, total - 2)), np.empty(total - 2, np.int64)
    frames, spread = np.empty((3, degrees)), np.empty(degrees)
    for i in range(degrees):
        if due[i]:
            likelihood[:, i] = 0.0
    for s in range(first, len(material.starts) - 1):
        begin, end = material.starts[s], material.starts[s + 1]
        made[:, begin : begin + 2] = material.values[:, begin : begin + 2]
        spread[:] = 0.0
        for t in range(begin + 2, end):
            if stop[0]:
                return False
            seen = material.values if kind == ONE_STEP else made
            for i in range(degrees):
                frames[0, i], frames[1, i], frames[2, i] = seen[i, t - 2], seen[i, t - 1], seen[i, t]
            for i in lists.order:
                if not due[i]:
                    continue
                parents = lists.parents[lists.first[i] : lists.first[i + 1]]
                mean, variance = predict(material, i, parents, frames, s, rules, room, chosen)
                if not material.absolute[i]:
                    mean += frames[1, i]
                made[i, t] = mean
                frames[2, i] = material.values[i, t] if kind == ONE_STEP else mean
                spread[i] = _grown(spread[i], variance, material.absolute[i])
                likelihood[s, i] += _judged(material.values[i, t], mean, variance, spread[i], material.scales[i], kind)
    return True


@kernel
def node_score(
    material: Any, node: int, parents: Any, made: Any, rules: Any, kind: int, room: Any, chosen: Any
) -> float:  # fmt: skip
    """The part of one node in the score if it had these parents and all other trajectories stayed as in `made`."""
    degrees = material.values.shape[0]
    frames = np.empty((3, degrees))
    others = material.values if kind == ONE_STEP else made
    total = 0.0
    for s in range(len(material.starts) - 1):
        begin, end = material.starts[s], material.starts[s + 1]
        before, last, spread = material.values[node, begin], material.values[node, begin + 1], 0.0
        for t in range(begin + 2, end):
            for p in parents:
                j, late = p % degrees, p // degrees
                frames[late, j] = others[j, t - 2 + late]
            if kind == ONE_STEP:
                before, last = material.values[node, t - 2], material.values[node, t - 1]
            frames[0, node], frames[1, node] = before, last
            mean, variance = predict(material, node, parents, frames, s, rules, room, chosen)
            if not material.absolute[node]:
                mean += last
            spread = _grown(spread, variance, material.absolute[node])
            total += _judged(material.values[node, t], mean, variance, spread, material.scales[node], kind)
            before, last = last, mean
    return total


@kernel
def _grown(spread: float, variance: float, absolute: bool) -> float:
    """The variance of a value that is a sum of changes: the sum of theirs."""
    return variance if absolute else spread + variance


@kernel
def _judged(x: float, mean: float, variance: float, spread: float, scale: float, kind: int) -> float:
    """The score of one observed value: its log likelihood, or minus its squared error, scaled."""
    if kind == SQUARED:
        return -scale * (x - mean) ** 2
    return log_normal(x, mean, spread if kind == GROWING else variance)


@kernel
def score_updates(
    material: Any, nodes: Any, first: Any, parents: Any, made: Any, rules: Any, kind: int, out: Any, stop: Any,
    done: Any,
) -> None:  # fmt: skip
    """out[u] = `node_score` of node nodes[u] with the parents parents[first[u] : first[u + 1]]."""
    instances = material.values.shape[1] - 2
    room, chosen = np.empty((2, instances)), np.empty(instances, np.int64)
    for u in range(len(nodes)):
        if stop[0]:
            out[u:] = -math.inf
            return
        out[u] = node_score(material, nodes[u], parents[first[u] : first[u + 1]], made, rules, kind, room, chosen)
        done[0] += 1
