"""Coverage, global and local diversity: how much of the source a result contains, and how far it departs from it.

After Li et al., GANimator (SIGGRAPH 2022), section 5.1 and its published evaluation code. What we changed: windows
and matched pieces never cross the end of a clip, and the last window of a clip counts too. The heading is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from motionloom.core import FloatArray, IntArray, Progress, silent
from motionloom.core.progress import each, parts
from motionloom.evaluate.measures.prepared_clip import NotApplicable

WIDE = 30  # frames of a window for coverage, and the shortest piece of the global match: 1 s
NARROW = 15  # frames of a window for local diversity: 0.5 s
NEAR = 2.0  # published mean cost below which a source window counts as covered; depends on the number of joints
CHANCE = 0.05  # share of the source windows that its own frames in random order may cover
MAX_SAMPLES = 3000  # frames that tell how far takes differ
_BLOCK = 64  # result rows per block, at most: the whole cost matrix is never in memory
_CELLS = 4_000_000  # of the cost matrix in a block, which take about 0.1 s
_ROUNDING = 1e-9  # squared distances below this are rounding of |a|^2 + |b|^2 - 2ab


@dataclass(frozen=True)
class WindowScores:
    """Coverage 0..1 and both diversities (mean cost per frame, Euclidean distance of features).

    Global diversity is None where the result cannot be cut into pieces that fit into source clips: 40 frames and one
    source clip of 35.
    """

    coverage: float
    global_diversity: float | None
    local_diversity: float
    costs: FloatArray = field(default_factory=lambda: np.zeros(0), compare=False, repr=False)
    """Mean cost of the best result window for each source window."""

    def covered(self, near: float) -> float:
        """The share of source windows with a cost below `near`, 0..1."""
        return float((self.costs < near).mean())

    def chance_cost(self) -> float:
        """The cost below which only `CHANCE` of the source windows lie, at most the published one.

        Of the scores of shuffled frames, this is the threshold at which coverage distinguishes motion from poses.
        """
        found = float(np.quantile(self.costs, CHANCE))
        return min(NEAR, found) if found > 0 else NEAR


def window_scores(
    result: FloatArray, sources: Sequence[FloatArray], *, progress: Progress | None = None
) -> WindowScores:
    """All three in one pass over the costs C[i, j] = |result[i] - source[j]| of features (F, D) and [(N_k, D), ...].

    coverage: share of 30-frame source windows whose best result window has a mean cost below 2.0.
    global diversity: G[last] / F, where A[i,j] = min(A[i-1,j-1] + C[i,j], G[i-30] + the last 30 diagonal costs) and
    G[i] = min_j A[i,j]: the least cost of building the result from source pieces of 30 frames or more.
    local diversity: mean over 15-frame result windows of the best source window's mean cost.
    """
    _require_windows(len(result), [len(s) for s in sources])
    source = _joined(sources)
    place = np.concatenate([np.arange(len(s)) for s in sources])
    whole, seen, near = _pass(result, source, place, progress or silent())
    costs = seen[place >= WIDE - 1] / WIDE
    pieces = float(whole[-1] / len(result)) if whole[-1] < 1e299 else None
    return WindowScores(float((costs < NEAR).mean()), pieces, float(near[NARROW - 1 :].mean() / NARROW), costs)


def loose_run(
    result: FloatArray, sources: Sequence[FloatArray], near: float, *, progress: Progress | None = None
) -> int:
    """The longest run of result frames that stays within `near` of consecutive source frames; features (F, D).

    With the usual distance of takes (`usual_distance`) as `near`, it counts copies that were varied no more than
    takes vary.
    """
    source = _joined(sources)
    first = np.concatenate([np.arange(len(s)) for s in sources]) == 0
    squares = np.einsum("nd,nd->n", source, source)
    run, longest = np.zeros(len(source), np.int64), 0
    for row in each(range(len(result)), progress or silent(), "searching for loose copies"):
        cost = squares - 2.0 * (source @ result[row]) + result[row] @ result[row]
        before = np.concatenate([[0], run[:-1]])
        run = np.where(cost <= near**2 + _ROUNDING, np.where(first, 0, before) + 1, 0)
        longest = max(longest, int(run.max()))
    return longest


def _pass(
    result: FloatArray, source: FloatArray, place: IntArray, progress: Progress, narrow: int = NARROW
) -> tuple[FloatArray, FloatArray, FloatArray]:
    from motionloom.evaluate.measures._kernels import window_rows

    frames, count = len(result), len(source)
    ring, chain = np.zeros((WIDE + 1, count)), np.full((2, count), 1e300)
    whole, seen, near = np.full(frames + 1, 1e300), np.full(count, 1e300), np.full(frames, 1e300)
    whole[0] = 0.0
    squares = np.einsum("nd,nd->n", source, source)
    rows = max(1, min(_BLOCK, _CELLS // count))
    for first in each(range(0, frames, rows), progress, "comparing windows"):
        block = result[first : first + rows]
        cost = block @ source.T
        cost *= -2.0
        cost += squares
        cost += np.einsum("nd,nd->n", block, block)[:, None]
        cost[cost < _ROUNDING] = 0.0
        np.sqrt(cost, out=cost)
        window_rows(cost, first, place, WIDE, narrow, ring, chain, whole, seen, near)
    return whole, seen, near


def take_distance(a: FloatArray, b: FloatArray, progress: Progress | None = None) -> float:
    """Distance of two takes: mean local diversity of each against the other. Features (F, D) of both."""
    _require_windows(min(len(a), len(b)), [min(len(a), len(b))])
    steps = parts(progress or silent(), [0.5, 0.5])
    near = [_pass(x, y, np.arange(len(y)), step)[2] for (x, y), step in zip(((a, b), (b, a)), steps, strict=True)]
    return float(np.mean([n[NARROW - 1 :].mean() / NARROW for n in near]))


def spread(
    results: Sequence[FloatArray], sources: Sequence[FloatArray], progress: Progress | None = None
) -> tuple[float, float | None]:
    """Mean distance between results of different seeds, and between source takes (None if there is only one).

    Each argument holds features (F, D) per clip; the distance of two clips is `take_distance`.
    """
    if len(results) < 2:
        raise NotApplicable("needs several results of different seeds (--count)")
    long = [s for s in sources if len(s) >= WIDE]
    pairs = [spread_pairs([len(x) for x in some]) for some in (results, long)]
    own, other = parts(progress or silent(), pairs)
    return _mean_distance(results, own), _mean_distance(long, other) if len(long) > 1 else None


def usual_distance(sources: Sequence[FloatArray], progress: Progress | None = None) -> float:
    """Median distance of a frame to the nearest frame of the other takes, over takes of 30 frames or more.

    At most `MAX_SAMPLES` frames are compared, evenly chosen. `NotApplicable` if there are fewer than two takes.
    """
    long = [s for s in sources if len(s) >= WIDE]
    if len(long) < 2:
        raise NotApplicable("there are fewer than two source takes of 30 frames, so how far takes differ is unknown")
    everything, owner = np.concatenate(long), np.repeat(np.arange(len(long)), [len(s) for s in long])
    squares = np.einsum("nd,nd->n", everything, everything)
    chosen = np.unique(np.linspace(0, len(owner) - 1, min(len(owner), MAX_SAMPLES)).astype(int))
    found = []
    for row in each(chosen.tolist(), progress or silent(), "comparing takes"):
        cost = squares - 2.0 * (everything @ everything[row]) + squares[row]
        found.append(cost[owner != owner[row]].min())
    return float(np.sqrt(np.maximum(np.median(found), 0.0)))


def window_distance(result: FloatArray, sources: Sequence[FloatArray], *, progress: Progress | None = None) -> float:
    """Mean over 1-s result windows of the mean cost of the best source window; features (F, D)."""
    _require_windows(len(result), [len(s) for s in sources])
    place = np.concatenate([np.arange(len(s)) for s in sources])
    near = _pass(result, _joined(sources), place, progress or silent(), WIDE)[2]
    return float(near[WIDE - 1 :].mean() / WIDE)


MAX_PAIRS = 12
"""Pairs of takes that `spread` compares, evenly chosen: with more the mean hardly changes, but the time does."""


def spread_pairs(sizes: Sequence[int]) -> int:
    """Pairs of frames that `spread` compares for takes of these frames, each in both orders."""
    return 2 * sum(sizes[i] * sizes[j] for i, j in _chosen_pairs(len(sizes)))


def _chosen_pairs(count: int) -> list[tuple[int, int]]:
    pairs = [(i, j) for i in range(count) for j in range(i)]
    chosen = np.unique(np.linspace(0, len(pairs) - 1, min(MAX_PAIRS, len(pairs))).astype(int))
    return [pairs[k] for k in chosen]


def _mean_distance(clips: Sequence[FloatArray], progress: Progress) -> float:
    both = [(clips[i], clips[j]) for i, j in _chosen_pairs(len(clips))]
    steps = parts(progress, [len(a) * len(b) for a, b in both])
    return float(np.mean([take_distance(a, b, step) for (a, b), step in zip(both, steps, strict=True)]))


def _joined(sources: Sequence[FloatArray]) -> FloatArray:
    """All features in a row; not copied if there is one source."""
    return sources[0] if len(sources) == 1 else np.concatenate(sources)


def _require_windows(frames: int, sources: Sequence[int]) -> None:
    if frames < WIDE:
        raise NotApplicable(f"the result has {frames} frames at 30 fps, a window needs {WIDE}")
    if max(sources, default=0) < WIDE:
        raise NotApplicable(f"the longest source clip has {max(sources, default=0)} frames at 30 fps, a window {WIDE}")
