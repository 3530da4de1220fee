"""The two networks of LAU (fig 2): which degrees of freedom depend on which.

The prior network models the first two frames: its 2 D nodes are X[0] (0 to D - 1) and X[1] (D to 2 D - 1). The
transition network predicts X[t + 2] from X[t] and X[t + 1]: the parents of a node are counted 0 to D - 1 at t, then D
more at t + 1, then D more at t + 2 itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FormatError, IntArray
from motionloom.methods.array_checks import check_array, check_number


class Lists(NamedTuple):
    """Parents of each node as kernels take them, and an order in which no node comes before its parents."""

    first: IntArray  # (N + 1,) the parents of node i are parents[first[i] : first[i + 1]]
    parents: IntArray
    order: IntArray  # (N,)


@dataclass(frozen=True, eq=False)
class Networks:
    """Learned edges: `prior[i, j]` and `transition[i, j]` are true where j is a parent of i."""

    prior: BoolArray  # (2 D, 2 D)
    transition: BoolArray  # (D, 3 D); a node's own values at t and t + 1 are always among its parents
    prior_score: float  # log likelihood per instance and node (eq 3)
    transition_score: float  # log likelihood per frame and node (eq 4)

    def check(self, count: int) -> None:
        """`FormatError` unless these are acyclic networks of so many degrees of freedom."""
        check_array(self.prior, "networks.prior", "b", (2 * count, 2 * count))
        check_array(self.transition, "networks.transition", "b", (count, 3 * count))
        check_number(self.prior_score, "networks.prior_score", low=-np.inf)
        check_number(self.transition_score, "networks.transition_score", low=-np.inf)
        if sorted_nodes(self.prior) is None:
            raise FormatError("networks.prior: expected no cycles")
        if sorted_nodes(self.transition[:, 2 * count :]) is None:
            raise FormatError("networks.transition: expected no cycles within a frame")
        if not self.transition[own_edges(count)].all():
            raise FormatError("networks.transition: expected every node's own two frames among its parents")

    @property
    def count(self) -> int:
        """How many degrees of freedom there are."""
        return len(self.transition)

    @property
    def prior_lists(self) -> Lists:
        return lists(self.prior, self.prior)

    @property
    def transition_lists(self) -> Lists:
        return lists(self.transition, self.transition[:, 2 * self.count :])


def own_edges(count: int) -> BoolArray:
    """(D, 3 D) the edges that every transition network has: from X_i[t] and X_i[t + 1] to X_i[t + 2]."""
    return np.hstack([np.eye(count, dtype=bool), np.eye(count, dtype=bool), np.zeros((count, count), bool)])


def lists(edges: BoolArray, within: BoolArray) -> Lists:
    """The parents of each node, and an order for the acyclic edges `within` (N, N)."""
    order = sorted_nodes(within)
    assert order is not None
    return Lists(*parent_lists(edges), order)


def parent_lists(rows: BoolArray) -> tuple[IntArray, IntArray]:
    """Where the parents of each row (n, N) begin in the list of all (n + 1,), and that list."""
    first = np.concatenate([[0], np.cumsum(rows.sum(1))]).astype(np.int64)
    return first, np.nonzero(rows)[1].astype(np.int64)


def sorted_nodes(edges: BoolArray) -> IntArray | None:
    """(N,) an order in which parents come first, the smallest number first where there is a choice; None if cyclic."""
    waiting = edges.sum(1)
    done = np.zeros(len(edges), bool)
    out = np.empty(len(edges), np.int64)
    for k in range(len(edges)):
        ready = np.flatnonzero((waiting == 0) & ~done)
        if not len(ready):
            return None
        out[k] = ready[0]
        done[out[k]] = True
        waiting = waiting - edges[:, out[k]]
    return out


def ancestors(edges: BoolArray) -> BoolArray:
    """(N, N) whether j is an ancestor of i: an edge from i to j would then close a cycle."""
    from motionloom.methods.variation._kernels_networks import ancestors_of

    return np.asarray(ancestors_of(np.ascontiguousarray(edges)))


def reversible(edges: BoolArray) -> BoolArray:
    """(N, N) the edges that can be turned round without closing a cycle: there is no other path along them."""
    from motionloom.methods.variation._kernels_networks import ancestors_of, reversible_of

    plain = np.ascontiguousarray(edges)
    return np.asarray(reversible_of(plain, ancestors_of(plain)))


def downstream(transition: BoolArray, nodes: Sequence[int]) -> BoolArray:
    """(D,) the degrees of freedom whose trajectories depend on those of some nodes, at once or later; and these."""
    count = len(transition)
    depends = ancestors(np.asarray(transition.reshape(count, 3, count).any(1)))
    out = np.asarray(depends[:, list(nodes)].any(1))
    out[list(nodes)] = True
    return out


def extended(networks: Networks, known: IntArray, count: int) -> Networks:
    """The same edges for more degrees of freedom: old ones are number `known[i]` of `count`; new ones are alone."""
    old = networks.count
    rows = np.concatenate([known, known + count])
    prior = np.zeros((2 * count, 2 * count), bool)
    prior[np.ix_(rows, rows)] = networks.prior
    transition = own_edges(count)
    columns = np.concatenate([known, known + count, known + 2 * count])
    transition[np.ix_(known, columns)] = networks.transition
    assert len(columns) == 3 * old
    return Networks(prior, transition, networks.prior_score, networks.transition_score)
