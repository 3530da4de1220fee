"""Costs of a walk over links: what a request prefers at each time, and how much of it can still be had later.

A walk is sampled from p(next link) exp(-cost) V(next), where V is the mean of exp(-cost) over all that may follow
(Todorov 2009, linearly solvable Markov decision processes). So the choice at one link takes into account what
it leads to: a walk reaches a label in time instead of noticing it too late.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.constraints import Constraint, Pace, Style
from motionloom.core import FloatArray, IntArray, Progress
from motionloom.methods.textons.plan.joins import Joins
from motionloom.methods.textons.plan.links import SegmentLinks, SegmentPaths, find_links, ranges, segment_paths
from motionloom.methods.textons.plan.log_sums import RangeSums
from motionloom.methods.textons.plan.shortest_paths import probabilities
from motionloom.methods.textons.segments import Segments

GRID = 0.1  # s: times at which the outlook is computed
DISCOUNT = 0.9  # of what is farther ahead, for every segment, where a walk has no end
ROUNDS = 25  # of the outlook without an end
REFRESH_ROUNDS = 4  # of the outlook after each segment
HARD_RATE = 60.0  # nats for every second without a label that is required
SOFT_RATE = 6.0  # nats for every second without a label that is requested with weight 1
PACE_RATE = 2.0  # nats for every second at a pace outside of the range by `PACE_UNIT`, with weight 1
PACE_UNIT = 0.1  # m/s
STAY_RATE = 12.0  # nats for every second beyond the option `max_copy`


class Preference(NamedTuple):
    """What one constraint costs: in frames [first, stop) of the result, the sum of `rates` over the frames shown."""

    first: int
    stop: int
    sums: FloatArray  # (F + 1,) nats, cumulated over all frames of all segments


class LinkPairs(NamedTuple):
    """P pairs of a link and one that can follow it: the part of the segment between them is played."""

    rows: IntArray  # (L,) first pair of each link
    link: IntArray  # (P,) the first of the pair,
    then: IntArray  # (P,) the second
    at: IntArray  # (P,) row of the first frame that is played,
    frames: IntArray  # (P,) and how many


class LinkNetwork(NamedTuple):
    """The links of a model, the paths of its segments, and every pair of links."""

    links: SegmentLinks
    track: SegmentPaths
    pairs: LinkPairs


def find_network(
    segments: Segments, joins: Joins, counts: FloatArray, steadiness: float, progress: Progress
) -> LinkNetwork:
    """`find_links` with its pairs; counts (N, N) are of textons."""
    track = segment_paths(segments)
    links = find_links(segments, joins, probabilities(counts), track, steadiness, progress)
    return LinkNetwork(links, track, link_pairs(links, track.first))


def link_pairs(links: SegmentLinks, first: IntArray) -> LinkPairs:
    """Every pair; `first` (n,) are the rows of segments, as in `SegmentPaths`."""
    widths = links.stop - links.start
    link = np.repeat(np.arange(len(widths)), widths)
    then = ranges(links.start, widths)
    rows = np.concatenate([[0], np.cumsum(widths)[:-1]]).astype(np.int64)
    at = first[links.target[link]] + links.entry[link]
    return LinkPairs(rows, link, then, at, links.exit[then] - links.entry[link])


def preferences(
    constraints: Sequence[Constraint], segments: Segments, track: SegmentPaths, frames: int, length_factor: float = 1.0
) -> list[Preference]:
    """The styles and paces of a request."""
    out = []
    for c in constraints:
        if isinstance(c, Style):
            rate = HARD_RATE if c.weight is None else SOFT_RATE * c.weight * c.importance
            has = np.concatenate([o.labels[:, segments.label_names.index(c.label)] for o in segments.observed])
            missing = (~has).astype(float)
        elif isinstance(c, Pace):
            rate = PACE_RATE * (1.0 if c.weight is None else c.weight)
            missing = (c.deviation(track.speed / length_factor) / PACE_UNIT) ** 2
        else:
            continue
        at = c.frames(frames, segments.fps)
        sums = np.concatenate([[0.0], np.cumsum(rate * length_factor * missing / segments.fps)])
        out.append(Preference(at.start, at.stop, sums))
    return out


class Outlook:
    """Costs of the pairs of links at each time, and the log of V."""

    def __init__(
        self,
        links: SegmentLinks,
        pairs: LinkPairs,
        fps: float,
        *,
        frames: int | None = None,
        wanted: Sequence[Preference] = (),
        length_factor: float = 1.0,
        max_copy: float = np.inf,
    ) -> None:
        self.links, self.pairs, self.wanted, self.factor, self.fps = links, pairs, wanted, length_factor, fps
        played = pairs.frames / fps
        score = links.score[pairs.then]
        top = np.maximum.reduceat(score, pairs.rows)
        total = np.log(np.add.reduceat(np.exp(score - top[pairs.link]), pairs.rows)) + top
        late = np.where(played >= max_copy, played, np.inf)
        free = np.minimum.reduceat(late, pairs.rows)  # s: until the first link after `max_copy`, staying is free
        self.chance = score - total[pairs.link] - STAY_RATE * np.maximum(played - free[pairs.link], 0.0)
        self.step = max(1, round(GRID * fps))
        self._entered, self._left = pairs.at[pairs.rows], np.zeros(len(links.source), np.int64)  # (L,) rows of frames
        self._left[pairs.then] = pairs.at + pairs.frames
        self.shown: FloatArray = np.zeros(int(self._left.max()) + 1)  # see `show_again`
        staying = links.start + np.add.reduceat(played <= free[pairs.link], pairs.rows, dtype=np.int64)
        self._before, self._after = RangeSums(links.start, staying), RangeSums(staying, links.stop)
        self._stay = STAY_RATE * links.exit / fps
        self._paid = np.where(staying < links.stop, STAY_RATE * (links.entry / fps + free), 0.0)
        self._total = total
        self._unshown = self._shown = self._endless(ROUNDS)
        self.values = self._until(frames) if frames is not None and wanted else self._unshown

    def _endless(self, rounds: int, value: FloatArray | None = None) -> FloatArray:
        """(1, L) log V of an endless walk, discounted.

        All pairs of a link with those that can follow it are many, but a pair's cost is that of its second link (score,
        frames shown before it is left, V) and that of its first, apart from staying beyond `max_copy`, which is a sum
        of both as well. So the weights of the second are summed over ranges.
        """
        value = np.zeros(len(self._left)) if value is None else value
        first, second = self.shown[self._entered] - self._total, self.links.score - self.shown[self._left]
        for _ in range(rounds):
            then = second + DISCOUNT * value
            value = first + np.logaddexp(self._before(then), self._after(then - self._stay) + self._paid)
        return value[None]

    def show_again(self, shown: FloatArray) -> None:
        """Set the cost of frames that were shown before: `shown` (F + 1,) nats, cumulated over all frames.

        The outlook at times of a request leaves them out: `value` adds what they change in that without an end.
        """
        self.shown = shown
        self._shown = self._endless(REFRESH_ROUNDS, self._shown[0])
        if len(self.values) == 1:
            self.values = self._shown

    def _until(self, frames: int) -> FloatArray:
        """(T, L) log V at times of the grid, from the end of the result backwards."""
        count = -(-frames // self.step) + 1
        values = np.zeros((count, len(self.links.source)))
        ahead = np.maximum(1, np.round(self.pairs.frames * self.factor / self.step)).astype(np.int64)
        for k in range(count - 2, -1, -1):
            later = values[np.minimum(k + ahead, count - 1), self.pairs.then]
            values[k] = self._expected(self.chance - self.cost(k * self.step) + later)
        return values

    def _expected(self, logs: FloatArray) -> FloatArray:
        top = np.maximum.reduceat(logs, self.pairs.rows)
        total = np.add.reduceat(np.exp(logs - top[self.pairs.link]), self.pairs.rows)
        return np.asarray(np.log(total) + top)

    def wanted_share(self, time: int) -> FloatArray:
        """(F,) or (1,) exp(-nats) of a second of each frame at a time of the result: 1 where it costs nothing."""
        rates = [np.diff(some.sums) for some in self.wanted if some.first <= time < some.stop]
        return np.exp(-self.fps / self.factor * np.sum(rates, axis=0)) if rates else np.ones(1)

    def cost(self, time: int, at: slice = slice(None)) -> FloatArray:
        """(P,) nats of pairs whose first frame is frame `time` of the result."""
        first, frames = self.pairs.at[at], self.pairs.frames[at]
        out = np.zeros(len(first))
        for some in self.wanted:
            low, high = (
                np.clip(np.round((edge - time) / self.factor), 0, frames).astype(np.int64)
                for edge in (some.first, some.stop)
            )
            out += some.sums[first + high] - some.sums[first + low]
        return out

    def value(self, time: FloatArray, links: IntArray) -> FloatArray:
        """Log V of links that are entered at these times (frames)."""
        row = np.clip(np.round(time / self.step), 0, len(self.values) - 1).astype(np.int64)
        again = 0.0 if len(self.values) == 1 else (self._shown - self._unshown)[0, links]
        return np.asarray(self.values[row, links] + again)

    def choices(self, link: int, time: int) -> tuple[IntArray, FloatArray]:
        """The links that can follow one that is entered at a time; and the log of their weights."""
        pairs = self.pairs
        first = int(pairs.rows[link])
        at = slice(first, first + int(self.links.stop[link] - self.links.start[link]))
        then, first_frame = pairs.then[at], pairs.at[at]
        again = self.shown[first_frame + pairs.frames[at]] - self.shown[first_frame]
        after = np.asarray(time + pairs.frames[at] * self.factor, float)
        return then, self.chance[at] - again - self.cost(time, at) + self.value(after, then)
