"""Cluster trees: sequences of clusters that can follow a frame, each with its most probable motion (GUAN 2.4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from motionloom.core import FloatArray, IntArray
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.graph import Graph, Route
from motionloom.methods.graph.render.root_tracks import tracks
from motionloom.methods.two_level_graph.clusters import Clusters
from motionloom.methods.two_level_graph.markov import Chain, words
from motionloom.rotation import wrap_angle

MAX_LABELS = 200_000  # of one tree: a budget far above the need of two seconds of common material
FIRST_LABELS = 4096  # allocated first
SAME_PLACE, SAME_HEADING = 0.3, np.radians(20.0)  # m, rad: choices with ends this close are equivalent


@dataclass(frozen=True, eq=False)
class Tree:
    """The cluster tree of one frame. Node 0 is the root, the frame's own cluster; a parent comes before its children.

    A cluster may be passed within a blend only; its node then has no frame (`frame` and `after` are -1).
    """

    start: int  # the frame, counted through all clips
    cluster: IntArray  # (M,)
    parent: IntArray  # (M,) -1 for the root
    frame: IntArray  # (M,) where the most probable path enters the node's cluster
    after: IntArray  # (M,) frames after the start
    log_probability: FloatArray  # (M,) of that path: the log of the product along it
    first: IntArray  # (M + 1,) its transitions are taken[first[k] : first[k + 1]]
    taken: IntArray
    seen: int  # frames ahead up to which the tree is complete

    @cached_property
    def leaves(self) -> IntArray:
        """The nodes without children, one for each cluster path."""
        inner = np.zeros(len(self.cluster), bool)
        inner[self.parent[1:]] = True
        return np.flatnonzero(~inner)

    def path(self, node: int) -> tuple[int, ...]:
        """The clusters from the root to a node."""
        out = []
        while node >= 0:
            out.append(int(self.cluster[node]))
            node = int(self.parent[node])
        return tuple(reversed(out))

    def route(self, node: int) -> Route:
        """The most probable route to a node's cluster."""
        taken = self.taken[self.first[node] : self.first[node + 1]]
        return Route(self.start, tuple(taken.tolist()), int(self.after[node]) + 1)


class ClusterWords(NamedTuple):
    """The clusters that each transition passes into: `all[first[t]:first[t + 1]]`."""

    first: IntArray
    all: IntArray


def transition_words(chain: Chain, clusters: Clusters) -> ClusterWords:
    """The clusters of all transitions; computed once for all trees of a graph."""
    return ClusterWords(*words(chain.graph, clusters.of))


def cluster_tree(
    chain: Chain,
    clusters: Clusters,
    start: int,
    reach: int,
    *,
    passed: ClusterWords | None = None,
    most: int = MAX_LABELS,
) -> Tree:
    """The cluster tree of frame `start`: every sequence of clusters on paths of at most `reach` steps.

    GUAN 2.4.2: the frame's cluster is the root; a cluster that can be reached within a threshold of frames is a child
    of the one before it; and so on from there. The threshold counts from `start`. Of all paths through the same
    clusters the one with the largest product of probabilities is kept (errata: product, not sum); the source continues
    only one transition per child, which may miss it. A blend counts as its first clip up to a and as its second from b
    + 1 on, and is never cut off.
    """
    from motionloom.methods.two_level_graph._kernels import BEST, CLUSTER, FRAME, PARENT, TIME, grow_tree, trace

    graph = chain.graph
    word = transition_words(chain, clusters) if passed is None else passed
    room = min(FIRST_LABELS, most)
    while True:  # most trees are small, and allocating large ones takes longer than growing them
        label, cost, node, seen = grow_tree(
            start,
            reach,
            graph.blend,
            clusters.of,
            chain.go,
            graph.first_out,
            chain.take,
            graph.enter,
            word.first,
            word.all,
            max(room, 2 * graph.blend + 2),
        )
        if seen == reach or room == most:
            break
        room = min(8 * room, most)
    best = node[:, BEST]
    there = best >= 0
    first, taken = trace(label, best)
    return Tree(
        start=start,
        cluster=node[:, CLUSTER],
        parent=node[:, PARENT],
        frame=np.where(there, label[best, FRAME], -1),
        after=np.where(there, label[best, TIME], -1),
        log_probability=np.where(there, -cost[best], -np.inf),
        first=first,
        taken=taken,
        seen=int(seen),
    )


class Choice(NamedTuple):
    """A choice at a frame: a cluster path and the most probable motion along it."""

    clusters: tuple[int, ...]  # from the present one to the last
    log_probability: float
    route: Route  # from the present frame to the first one in the last cluster
    end: int  # that frame, where the next choices start


def tree_choices(tree: Tree, chain: Chain, reach: int) -> list[Choice]:
    """The cluster paths of a tree, the most probable first; if no other cluster is in reach, a continuation."""
    out = []
    for leaf in tree.leaves:
        if leaf == 0 or tree.frame[leaf] < 0:
            continue
        log_p, end = float(tree.log_probability[leaf]), int(tree.frame[leaf])
        out.append(Choice(tree.path(int(leaf)), log_p, tree.route(int(leaf)), end))
    if not out:
        stay = likeliest_continuation(chain, tree.start, reach)
        return [] if stay is None else [stay._replace(clusters=(int(tree.cluster[0]),))]
    return sorted(out, key=lambda c: (-c.log_probability, c.clusters))


class CandidateMotions(NamedTuple):
    """The motions of many cluster paths from one frame: motion c takes taken[first[c] : first[c + 1]]."""

    first: IntArray  # (C + 1,)
    taken: IntArray
    frames: IntArray  # (C,) length of each, the present frame included


def tree_motions(tree: Tree, chain: Chain, reach: int) -> CandidateMotions:
    """The motions of `tree_choices` as arrays, in the order of the leaves."""
    leaves = tree.leaves[(tree.leaves > 0) & (tree.frame[tree.leaves] >= 0)]
    if not len(leaves):
        stay = [c.route for c in tree_choices(tree, chain, reach)]
        taken = np.array([t for r in stay for t in r.taken], np.int64)
        first = np.cumsum([0, *(len(r.taken) for r in stay)])
        return CandidateMotions(first, taken, np.array([r.frames for r in stay], np.int64))
    counts = np.diff(tree.first)[leaves]
    first = np.concatenate([[0], np.cumsum(counts)])
    at = np.repeat(tree.first[leaves] - first[:-1], counts) + np.arange(first[-1])
    return CandidateMotions(first, tree.taken[at], tree.after[leaves] + 1)


def likeliest_continuation(chain: Chain, start: int, reach: int) -> Choice | None:
    """The clip continued for `reach` steps, over the likeliest transition at its end; None if there is none."""
    graph, taken, at, gone, log_p = chain.graph, [], start, 0, 0.0
    while gone < reach:
        if np.isfinite(chain.go[at]):
            log_p -= float(chain.go[at])
            at, gone = at + 1, gone + 1
            continue
        out = slice(int(graph.first_out[at]), int(graph.first_out[at + 1]))
        if not np.isfinite(chain.take[out]).any():
            break
        t = out.start + int(chain.take[out].argmin())
        log_p -= float(chain.take[t])
        taken.append(t)
        at, gone = int(graph.enter[t]), gone + graph.blend
    return Choice((), log_p, Route(start, tuple(taken), gone + 1), at) if gone else None


def distinct_choices(graph: Graph, choices: list[Choice], most: int) -> list[Choice]:
    """The first `most` choices that differ: in their last cluster, or by 0.3 m or 20 degrees at their ends."""
    out: list[Choice] = []
    ends: list[tuple[int, FloatArray, float]] = []
    for choice in choices:
        place, turn = arrival(graph, choice)
        if any(
            last == choice.clusters[-1]
            and np.linalg.norm(place - there) < SAME_PLACE
            and abs(turn - other) < SAME_HEADING
            for last, there, other in ends
        ):
            continue
        out.append(choice)
        ends.append((choice.clusters[-1], place, turn))
        if len(out) == most:
            break
    return out


def arrival(graph: Graph, choice: Choice) -> tuple[FloatArray, float]:
    """The end of a choice relative to the body now: metres to its left and ahead (2,), and turn, rad."""
    known, turn, shift = tracks(graph), 0.0, np.zeros(2)
    for t in choice.route.taken:
        shift = ground_turn(turn, graph.transitions.shift[t]) + shift
        turn += float(graph.transitions.turn[t])
    start = choice.route.start
    there = ground_turn(turn, known.place[choice.end]) + shift - known.place[start]
    heading = float(known.heading[choice.end] + turn - known.heading[start])
    return ground_turn(-known.heading[start], there), float(wrap_angle(heading))
