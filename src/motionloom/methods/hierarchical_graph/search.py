"""The randomised search: seeds at the top level, two mutations, selection of the best routes (GUAN 2.4.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import FloatArray, IntArray, Progress, part, silent
from motionloom.methods.hierarchical_graph.guided_seeds import BeamGuide
from motionloom.methods.hierarchical_graph.search_arrays import HardFrames, ScoreTerms, SearchMaterial
from motionloom.methods.schedule import FrameNet, Reachable

FIRST_SEEDS, SEEDS_PER_ROUND = 24, 4  # in the first round, and in every later one
PORTIONS_PER_ROUND = 48  # replaced portions of one candidate in a round
CHILDREN_PER_ROUND = 64  # replacements of edges by their children in one candidate
RESTART_ROUNDS = 6  # rounds with little improvement after which the search restarts from new seeds
RESTART_GAIN = 0.02  # relative improvement that counts
REFINED_PER_ROUND = 2  # of the best candidates, those not yet refined get the best leaves
GUIDED_WIDTH, MAX_GUIDED_WIDTH = 100, 400  # of the beam for the first guided seed, doubled for each later one
STATES_PER_ROUTE = 30  # states of a beam that take as long as scoring a route


class Candidate(NamedTuple):
    """A route during the search: its first frame, and for each transition a node of the trees and a leaf below it."""

    score: float
    start: int
    nodes: IntArray  # (E,) nodes of the trees
    leaves: IntArray  # (E,) transitions, each beneath its node
    parts: FloatArray  # (6,) the score by `TERMS`, weights included

    @property
    def key(self) -> tuple[int, bytes, bytes]:
        return self.start, self.nodes.tobytes(), self.leaves.tobytes()

    @property
    def route(self) -> tuple[int, bytes]:
        return self.start, self.leaves.tobytes()


class RoundResult(NamedTuple):
    """The best candidate after a round."""

    best: Candidate
    evaluations: int  # candidates that have been scored so far
    rounds: int


def search_net(m: SearchMaterial) -> FrameNet:
    """The nodes and their successors, for a schedule."""
    goes_on = np.arange(1, len(m.clip) + 1) != m.clip[:, 1]
    return FrameNet(goes_on, m.first_out, m.edge[:, 1] + m.half, 2 * m.half)


class RandomSearch:
    """One search, round by round. GUAN 2.4.3 steps 1-5; all random numbers come from `rng`.

    `gap` is the least number of frames between two blends, where there is a choice; `population`, `restarts` and
    `shortcuts` are those of `Options`. With a `guide`, every start and restart also gets a guided seed.
    """

    def __init__(
        self,
        m: SearchMaterial,
        t: ScoreTerms,
        hard: HardFrames,
        alive: Reachable,
        rng: Generator,
        *,
        gap: int,
        population: int = 12,
        restarts: bool = True,
        shortcuts: bool = True,
        guide: BeamGuide | None = None,
    ) -> None:
        self.population, self.restarts, self.shortcuts = population, restarts, shortcuts
        self.m, self.t, self.hard, self.alive, self.gap = m, t, hard, alive.bits, gap
        self.state = rng.integers(0, 2**63, 1).astype(np.uint64)
        self.begins = np.flatnonzero(alive.at(0))
        self.room = t.frames // (2 * m.half) + 4  # more transitions do not fit into the length
        self.evaluations = 0
        self.guide, self.guided_width = guide, GUIDED_WIDTH
        self._descended: set[tuple[int, bytes, bytes]] = set()
        self._refined: set[tuple[int, bytes]] = set()

    def rounds(self, budget: int, patience: int, progress: Progress | None = None) -> Iterator[RoundResult]:
        """The best candidate after each round, until `budget` are scored or `patience` rounds bring no improvement.

        Its score never rises. A candidate is best only if it has the requested length. When the candidates stop
        improving, the search restarts from new seeds, which would lose against old candidates.
        """
        report, candidates = progress or silent(), list[Candidate]()
        best, stalled, done = None, 0, 0
        level, stuck = np.inf, 0
        while stalled < patience and self.evaluations < budget:
            if not candidates:
                share = min(1.0, self.evaluations / budget)
                candidates += self.guided_seed(budget - self.evaluations, part(report, share, share))
            candidates += [self.seed() for _ in range(SEEDS_PER_ROUND if candidates else FIRST_SEEDS)]
            for candidate in tuple(candidates):
                report(min(1.0, self.evaluations / budget), "searching")
                candidates += self.mutations(candidate)
                if self.evaluations >= budget:
                    break
            candidates = self._fittest(candidates)
            if self.shortcuts:
                candidates = self._fittest(candidates + self.refined(candidates[:REFINED_PER_ROUND]))
            gained = candidates[0].score < (1 - RESTART_GAIN) * level
            level, stuck = (candidates[0].score, 0) if gained else (level, stuck + 1)
            whole = next((w for w in candidates if w.parts[1] == 0.0), None)
            better = whole is not None and (best is None or whole.score < best.score - 1e-9)
            best, stalled, done = whole if better else best, 0 if better else stalled + 1, done + 1
            if self.restarts and stuck >= RESTART_ROUNDS:
                candidates, level, stuck = [], np.inf, 0
            if best is not None:
                yield RoundResult(best, self.evaluations, done)

    def unguided(self, seeds_drawn: int = 1, progress: Progress | None = None) -> RoundResult:
        """The best of some seeds, with smoother transitions nearby, for a request without a place to go.

        With poses, of more seeds: all show frames near the poses, one shows the nearest.
        """
        report, seeds = progress or silent(), list[Candidate]()
        for _ in range(FIRST_SEEDS if len(self.t.poses) else seeds_drawn):
            report(None, "drawing")
            seeds.append(self.seed())
        candidate, done = min(seeds, key=lambda c: c.score), 0
        while (down := self.children(candidate)) is not None and down.score < candidate.score:
            report(None, "drawing")
            candidate, done = down, done + 1
        return RoundResult(candidate, self.evaluations, done)

    def seed(self) -> Candidate:
        """Step 1: a random route at the top level that meets hard poses and labels."""
        from motionloom.methods.hierarchical_graph._kernels_search import continue_walk, draw

        nodes, leaves = np.empty(self.room, np.int64), np.empty(self.room, np.int64)
        start = int(self.begins[draw(self.state, len(self.begins))])
        n = continue_walk(self.m, self.hard, self.alive, self.gap, self.state, 0, start, nodes, leaves, 0)
        assert n >= 0  # the end can be reached from the first frame
        return self._scored(start, nodes[:n], leaves[:n])

    def guided_seed(self, budget: int, progress: Progress) -> list[Candidate]:
        """A route over edges of G1 that a beam search finds, continued at random to the requested length; or nothing.

        At first each edge is its medoid and the beam narrow; later each is a random leaf and the beam twice as wide. It
        takes about a quarter of `budget` at most.
        """
        from motionloom.methods.hierarchical_graph._kernels_search import continue_walk

        if self.guide is None or not len(self.m.roots):
            return []
        first, stop, medoid = self.m.node[self.m.roots, :3].T
        leaf = medoid
        if self.guided_width > GUIDED_WIDTH:
            rng = np.random.default_rng(self.state)
            self.state += np.uint64(1)
            leaf = self.m.order[rng.integers(first, stop)]
        found = self.guide.route(leaf, self.guided_width, budget * STATES_PER_ROUTE // 4, progress)
        self.guided_width = min(2 * self.guided_width, MAX_GUIDED_WIDTH)
        if found is None:
            self.guide = None
            return []
        self.evaluations += found.expanded // STATES_PER_ROUTE
        start, n = found.route.start, len(found.route.taken)
        node_of = np.empty(len(self.m.edge), np.int64)
        node_of[leaf] = self.m.roots
        nodes, leaves = np.empty(self.room, np.int64), np.empty(self.room, np.int64)
        leaves[:n] = found.route.taken
        nodes[:n] = node_of[leaves[:n]]
        if found.route.frames < self.t.frames:
            left, entered = self.m.edge[leaves[:n], 0], self.m.edge[leaves[:n], 1]
            time = int((left - np.append(start, entered[:-1])[:n]).sum()) + (self.m.half if n else 0)
            frame = int(entered[-1]) + self.m.half if n else start
            n = continue_walk(self.m, self.hard, self.alive, self.gap, self.state, time, frame, nodes, leaves, n)
        return [] if n < 0 else [self._scored(start, nodes[:n], leaves[:n])]

    def _scored(self, start: int, nodes: IntArray, leaves: IntArray) -> Candidate:
        from motionloom.methods.hierarchical_graph._kernels import score

        n, parts = len(leaves), np.empty(6)
        pieces, line = np.zeros((self.room + 2, 5)), np.empty((self.t.frames // self.t.stride + 2, 2))
        value = float(score(self.m, self.t, self.hard, start, leaves, n, np.inf, pieces, line, parts)[0])
        self.evaluations += 1
        return Candidate(value, start, nodes.copy(), leaves.copy(), parts)

    def mutations(self, candidate: Candidate) -> list[Candidate]:
        """Step 2: the best of many replaced portions, and the best of all candidates with two edges' children."""
        found = [self.portion(candidate)]
        if candidate.key not in self._descended:
            self._descended.add(candidate.key)
            found.append(self.children(candidate))
        return [f for f in found if f is not None]

    def portion(self, candidate: Candidate) -> Candidate | None:
        """Mutation 1, `PORTIONS_PER_ROUND` times: the best, or None if none was valid."""
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
            candidate.start,
            candidate.nodes,
            candidate.leaves,
            PORTIONS_PER_ROUND,
            self.shortcuts,
            *out,
            parts,
        )
        self.evaluations += looked
        return None if n < 0 else Candidate(float(value), int(start), out[0][:n].copy(), out[1][:n].copy(), parts)

    def children(self, candidate: Candidate) -> Candidate | None:
        """Mutation 2: the best candidate with one or two edges replaced by their children, or None if there is none."""
        from motionloom.methods.hierarchical_graph._kernels_search import take_children

        out, parts = (np.empty(self.room, np.int64), np.empty(self.room, np.int64)), np.empty(6)
        value, n, looked = take_children(
            self.m,
            self.t,
            self.hard,
            self.state,
            candidate.start,
            candidate.nodes,
            candidate.leaves,
            CHILDREN_PER_ROUND,
            self.shortcuts,
            *out,
            parts,
        )
        self.evaluations += looked
        return None if n < 0 else Candidate(float(value), candidate.start, out[0][:n].copy(), out[1][:n].copy(), parts)

    def refined(self, candidates: list[Candidate]) -> list[Candidate]:
        """These candidates with the best leaf below the edge of G1 of each of their edges; each is tried once."""
        from motionloom.methods.hierarchical_graph._kernels_search import take_best_leaves

        out = []
        for candidate in candidates:
            if candidate.parts[1] > 0.0 or candidate.route in self._refined:
                continue
            leaves, parts = candidate.leaves.copy(), candidate.parts.copy()
            value, n, looked = take_best_leaves(
                self.m, self.t, self.hard, candidate.start, leaves, candidate.score, parts
            )
            self.evaluations += looked
            nodes = np.where(leaves == candidate.leaves, candidate.nodes, self.m.home[leaves])[:n]
            out.append(Candidate(float(value), candidate.start, nodes, leaves[:n].copy(), parts))
            self._refined.update((candidate.route, out[-1].route))
        return out

    def _fittest(self, candidates: list[Candidate]) -> list[Candidate]:
        """Step 3: the best candidates, each once (by the transitions that it takes; of equal ones the finest)."""
        out: dict[tuple[int, bytes], Candidate] = {}
        for candidate in sorted(
            (w for w in candidates if np.isfinite(w.score)), key=lambda w: (w.score, -int(w.nodes.sum()))
        ):
            out.setdefault(candidate.route, candidate)
        return list(out.values())[: self.population]
