"""The randomised search: seed ways at the top level, both mutations, the best is kept, new seeds are added."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import FloatArray, IntArray, Progress, silent
from motionloom.methods.hierarchical_graph.search_arrays import Hard, Material, Terms
from motionloom.methods.schedule import Net, Reachable

SEEDS, MORE = 24, 4  # seed ways in the first round, and new ones in every later round
TRIES = 48  # replaced portions of one way in a round
PAIRS = 64  # ways to put in children for edges of one way
STUCK, GAIN = 6, 0.02  # rounds without a gain of this share after which all ways are given up for new seeds


class Way(NamedTuple):
    """A way during the search: its first frame, and for each transition an edge of some level and the leaf it uses."""

    score: float
    start: int
    nodes: IntArray  # (E,) nodes of the trees
    leaves: IntArray  # (E,) transitions, each beneath its node
    parts: FloatArray  # (6,) the score by `TERMS`, weights included

    @property
    def key(self) -> tuple[int, bytes, bytes]:
        return self.start, self.nodes.tobytes(), self.leaves.tobytes()


class Found(NamedTuple):
    """The best way after a round."""

    best: Way
    evaluations: int  # ways that have been scored so far
    rounds: int


def net_of(m: Material) -> Net:
    """The nodes and where they lead, for a schedule."""
    goes_on = np.arange(1, len(m.clip) + 1) != m.clip[:, 1]
    return Net(goes_on, m.first_out, m.edge[:, 1] + m.half, 2 * m.half)


class Search:
    """One search, round by round. GUAN 2.4.3 steps 1-5; everything random comes from `rng`.

    `gap` is how many frames lie between two blends at least, where there is a choice; `kept`, `restarts` and
    `shortcuts` are those of `Options`.
    """

    def __init__(
        self,
        m: Material,
        t: Terms,
        hard: Hard,
        alive: Reachable,
        rng: Generator,
        *,
        gap: int,
        kept: int = 12,
        restarts: bool = True,
        shortcuts: bool = True,
    ) -> None:
        self.kept, self.restarts, self.shortcuts = kept, restarts, shortcuts
        self.m, self.t, self.hard, self.alive, self.gap = m, t, hard, alive.bits, gap
        self.state = rng.integers(0, 2**63, 1).astype(np.uint64)
        self.begins = np.flatnonzero(alive.at(0))
        self.room = t.frames // (2 * m.half) + 4  # more transitions do not fit into the asked length
        self.evaluations = 0
        self._refined: set[tuple[int, bytes, bytes]] = set()

    def rounds(self, budget: int, patience: int, progress: Progress | None = None) -> Iterator[Found]:
        """The best way so far after each round, until `budget` ways are scored or `patience` rounds brought no better.

        Its score never rises. A way counts as best only if it is as long as asked for. Where the ways at hand do not
        get better any more, the search begins again with new seeds: they could not hold their own against old ways.
        """
        report, ways = progress or silent(), list[Way]()
        best, still, done = None, 0, 0
        level, stuck = np.inf, 0
        while still < patience and self.evaluations < budget:
            ways += [self.seed() for _ in range(MORE if ways else SEEDS)]
            for way in tuple(ways):
                report(min(1.0, self.evaluations / budget), "searching")
                ways += self.mutations(way)
                if self.evaluations >= budget:
                    break
            ways = self._fittest(ways)
            gained = ways[0].score < (1 - GAIN) * level
            level, stuck = (ways[0].score, 0) if gained else (level, stuck + 1)
            whole = next((w for w in ways if w.parts[1] == 0.0), None)
            better = whole is not None and (best is None or whole.score < best.score - 1e-9)
            best, still, done = whole if better else best, 0 if better else still + 1, done + 1
            if self.restarts and stuck >= STUCK:
                ways, level, stuck = [], np.inf, 0
            if best is not None:
                yield Found(best, self.evaluations, done)

    def wander(self) -> Found:
        """A seed way and its smoother transitions nearby: for a request that leaves open where to go.

        Where poses are asked for, the best of some seeds: all show frames near to the poses, one shows the nearest.
        """
        way, done = min((self.seed() for _ in range(SEEDS if len(self.t.poses) else 1)), key=lambda w: w.score), 0
        while (down := self.children(way)) is not None and down.score < way.score:
            way, done = down, done + 1
        return Found(way, self.evaluations, done)

    def seed(self) -> Way:
        """Step 1: a random way at the top level that keeps what is hard."""
        from motionloom.methods.hierarchical_graph._kernels import score
        from motionloom.methods.hierarchical_graph._kernels_search import draw, walk_on

        nodes, leaves = np.empty(self.room, np.int64), np.empty(self.room, np.int64)
        start = int(self.begins[draw(self.state, len(self.begins))])
        n = walk_on(self.m, self.hard, self.alive, self.gap, self.state, 0, start, nodes, leaves, 0)
        assert n >= 0  # the first frame is alive, so there is a way
        parts = np.empty(6)
        pieces, line = np.zeros((self.room + 2, 5)), np.empty((self.t.frames // self.t.stride + 2, 2))
        value = float(score(self.m, self.t, self.hard, start, leaves, n, np.inf, pieces, line, parts)[0])
        self.evaluations += 1
        return Way(value, start, nodes[:n].copy(), leaves[:n].copy(), parts)

    def mutations(self, way: Way) -> list[Way]:
        """Step 2: the best of many replaced portions, and the best of all ways with two edges' children."""
        found = [self.portion(way)]
        if way.key not in self._refined:
            self._refined.add(way.key)
            found.append(self.children(way))
        return [f for f in found if f is not None]

    def portion(self, way: Way) -> Way | None:
        """Mutation 1, `TRIES` times: the best, or None if none was a way."""
        from motionloom.methods.hierarchical_graph._kernels_search import replace_portions

        out, parts = (np.empty(self.room, np.int64), np.empty(self.room, np.int64)), np.empty(6)
        value, start, n, looked = replace_portions(
            self.m,
            self.t,
            self.hard,
            self.alive,
            self.begins,
            self.gap,
            self.state,
            way.start,
            way.nodes,
            way.leaves,
            TRIES,
            self.shortcuts,
            *out,
            parts,
        )
        self.evaluations += looked
        return None if n < 0 else Way(float(value), int(start), out[0][:n].copy(), out[1][:n].copy(), parts)

    def children(self, way: Way) -> Way | None:
        """Mutation 2: the best way with one or two edges replaced by their children, or None if there is none."""
        from motionloom.methods.hierarchical_graph._kernels_search import take_children

        out, parts = (np.empty(self.room, np.int64), np.empty(self.room, np.int64)), np.empty(6)
        value, n, looked = take_children(
            self.m, self.t, self.hard, self.state, way.start, way.nodes, way.leaves, PAIRS, self.shortcuts, *out, parts
        )
        self.evaluations += looked
        return None if n < 0 else Way(float(value), way.start, out[0][:n].copy(), out[1][:n].copy(), parts)

    def _fittest(self, ways: list[Way]) -> list[Way]:
        """Step 3: the best ways, each once (by the transitions that it takes; of equal ones the finest)."""
        out: dict[tuple[int, bytes], Way] = {}
        for way in sorted((w for w in ways if np.isfinite(w.score)), key=lambda w: (w.score, -int(w.nodes.sum()))):
            out.setdefault((way.start, way.leaves.tobytes()), way)
        return list(out.values())[: self.kept]
