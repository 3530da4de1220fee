"""Compiled loops of the two-level graph: cluster trees. Plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel

FRAME, NODE, TIME, BEFORE, VIA, NEXT = range(6)  # columns of a label; NEXT is the next label of the same time
PARENT, CLUSTER, BEST, CHILD, SIBLING = range(5)  # columns of a node; CHILD is its first child


@kernel
def grow_tree(
    start: int,
    reach: int,
    blend: int,
    of: Any,
    go: Any,
    first_out: Any,
    take: Any,
    enter: Any,
    word_first: Any,
    words: Any,
    most: int,
) -> Any:
    """All sequences of clusters on paths of up to `reach` steps from frame `start`, each with its cheapest path.

    Labels (node of the tree, frame, time, cost) are opened in the order of their time; there is one where a path enters
    a cluster or completes a transition. From a label the clip continues frame by frame, every transition on the way
    adds a label, and a new label ends it where the cluster changes. A label is dropped if an earlier one at the same
    node and frame costs no more: exact, because time and cost only grow. Stops at `most` labels. Cost: labels times the
    length of a stay; 2,000 frames with 5,000 transitions, 60 frames ahead: 3 ms.

    Returns labels (L, 6), their costs (L,), nodes (M, 5), and the time up to which the tree is complete. The slow
    version is `every_way` in tests/methods/two_level_graph/test_cluster_trees.py.
    """
    label = np.full((most, 6), -1, np.int64)
    cost = np.zeros(most)
    node = np.full((most, 5), -1, np.int64)
    bucket = np.full(reach + 1, -1, np.int64)
    size = 1
    while size < 2 * most:
        size *= 2
    key = np.full(size, -1, np.int64)  # open addressing: (node, frame) to the least cost opened so far
    least = np.empty(size)
    frames = of.size
    label[0, FRAME], label[0, NODE], label[0, TIME] = start, 0, 0
    bucket[0] = 0
    node[0, CLUSTER], node[0, BEST] = of[start], 0
    labels, nodes = 1, 1
    for now in range(reach + 1):
        one = bucket[now]
        while one >= 0:
            at, here, spent, when = label[one, FRAME], label[one, NODE], cost[one], now
            slot = _slot(key, here * frames + at)
            worse = key[slot] >= 0 and least[slot] <= spent
            if not worse:
                key[slot], least[slot] = here * frames + at, spent
            while not worse:
                for t in range(first_out[at], first_out[at + 1]):
                    if when + blend > reach or take[t] == np.inf:
                        continue
                    if labels == most or nodes + blend > most:
                        return label[:labels], cost[:labels], node[:nodes], now
                    to = here
                    for w in range(word_first[t], word_first[t + 1]):
                        to, nodes = _child(node, to, words[w], nodes)
                    _put(label, cost, node, bucket, labels, enter[t], to, when + blend, spent + take[t], one, t)
                    labels += 1
                if when == reach or go[at] == np.inf:
                    break
                spent += go[at]
                at += 1
                when += 1
                if of[at] != of[at - 1]:
                    if labels == most or nodes == most:
                        return label[:labels], cost[:labels], node[:nodes], now
                    to, nodes = _child(node, here, of[at], nodes)
                    _put(label, cost, node, bucket, labels, at, to, when, spent, one, -1)
                    labels += 1
                    break
            one = label[one, NEXT]
    return label[:labels], cost[:labels], node[:nodes], reach


@kernel
def _put(
    label: Any,
    cost: Any,
    node: Any,
    bucket: Any,
    one: int,
    frame: int,
    to: int,
    when: int,
    price: float,
    before: int,
    via: int,
) -> None:
    """Add label number `one` to the bucket of its time; update the cheapest label of its node."""
    label[one, FRAME], label[one, NODE], label[one, TIME] = frame, to, when
    label[one, BEFORE], label[one, VIA], label[one, NEXT] = before, via, bucket[when]
    cost[one] = price
    bucket[when] = one
    if node[to, BEST] < 0 or price < cost[node[to, BEST]]:
        node[to, BEST] = one


@kernel
def _slot(key: Any, wanted: int) -> Any:
    """The slot of a key in the table, or the free slot for it (multiplicative hashing, linear probing)."""
    mask = key.size - 1
    slot = ((wanted * 0x9E3779B97F4A7C1) >> 20) & mask
    while key[slot] >= 0 and key[slot] != wanted:
        slot = (slot + 1) & mask
    return slot


@kernel
def _child(node: Any, here: int, wanted: int, nodes: int) -> tuple[int, int]:
    """The child of a node for a cluster, created if necessary, and the number of nodes."""
    at = node[here, CHILD]
    while at >= 0 and node[at, CLUSTER] != wanted:
        at = node[at, SIBLING]
    if at >= 0:
        return at, nodes
    node[nodes, PARENT], node[nodes, CLUSTER], node[nodes, SIBLING] = here, wanted, node[here, CHILD]
    node[here, CHILD] = nodes
    return nodes, nodes + 1


@kernel
def trace(label: Any, ends: Any) -> Any:
    """The transitions on the paths to some labels: offsets (E + 1,) and all of them, in order."""
    first = np.zeros(len(ends) + 1, np.int64)
    for e in range(len(ends)):
        at, count = ends[e], 0
        while at >= 0:
            count += label[at, VIA] >= 0
            at = label[at, BEFORE]
        first[e + 1] = first[e] + count
    out = np.empty(first[-1], np.int64)
    for e in range(len(ends)):
        at, k = ends[e], first[e + 1]
        while at >= 0:
            if label[at, VIA] >= 0:
                k -= 1
                out[k] = label[at, VIA]
            at = label[at, BEFORE]
    return first, out
