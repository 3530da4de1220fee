"""Plans: the parameters and weights of a result, corrected by what is measured on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from motionloom.constraints import Parameters
from motionloom.core import FloatArray, Progress
from motionloom.methods.base import Band
from motionloom.methods.space.space import Space

PROBE = 0.05  # of the range: step of the first differences
CLOSE_ENOUGH = 0.1  # of the tolerance: corrections end
LOCKED_ENOUGH = 0.3  # of the tolerance: likewise after the feet are locked
GRID, HALVINGS = 9, 16  # points of a space that are tried where corrections fail, and halvings between two of them


class SpacePlan(NamedTuple):
    """Parameters, and how their motion is played."""

    length: int
    values: FloatArray  # (D,) parameters given to the space
    weights: FloatArray  # (K,) shares of the examples
    stretch: float  # how much faster than the shared clock
    begin: float  # u of the first frame
    cycle: float  # frames of one cycle
    title: str
    wanted: tuple[tuple[str, tuple[float, ...], tuple[float, ...], str], ...] = ()  # name, requested, achieved, unit
    outside: bool = False
    reason: str = ""
    lock: bool = True  # feet are locked; not where that would break a hard parameter

    @property
    def frames(self) -> int:
        return self.length

    def bands(self) -> list[Band]:
        starts = np.unique(np.round(np.arange(0, self.length, max(self.cycle, 1.0))).astype(int))
        ends = [*starts[1:], self.length]
        return [Band(int(a), int(b - a), self.title, "blend") for a, b in zip(starts, ends, strict=True) if b > a]


class RequestedValues(NamedTuple):
    """The values that a request sets for the columns of a space."""

    values: FloatArray  # (D,) NaN where none is requested
    tolerance: FloatArray  # (D,)
    hard: bool


def requested_values(constraints: Sequence[Parameters], space: Space) -> RequestedValues:
    """The values that constraints request, by column."""
    values, tolerance = np.full(space.size, np.nan), np.full(space.size, np.inf)
    for c in constraints:
        for one in c.parts():
            name = one.values[0][0]
            at = space.column(name)
            values[at] = one.requested(name)
            tolerance[at] = max(one.limit, 1e-9)
    return RequestedValues(values, tolerance, any(c.hard for c in constraints))


def solve_values(
    space: Space,
    requested: RequestedValues,
    start: FloatArray,
    measure: Callable[[FloatArray], FloatArray],
    nearest: Callable[[FloatArray], FloatArray],
    *,
    direct: bool,
    rounds: int,
    progress: Progress,
) -> tuple[FloatArray, FloatArray]:
    """Parameters (D,) to give to the space so that `measure` of them is what is requested; and the measured ones.

    `nearest` gives the parameters that can be reached for some that may lie outside.
    `direct`: the result is played once, so that what is asked is given to the space at first; else first differences
    tell how the measured values follow. Then the request is corrected by what is missed (Broyden's rule), at most
    `rounds` times. The best is returned.
    """
    asked = ~np.isnan(requested.values)
    columns, scale = np.flatnonzero(asked), space.ranges

    def inside(values: FloatArray) -> FloatArray:
        reach = 1.5 * scale
        return np.clip(values, space.low - reach, space.high + reach)

    now = start.copy()
    slope = np.eye(len(columns))
    if direct:
        now[asked] = requested.values[asked]
    now = inside(now)
    progress(0.0, "planning")
    found = measure(now)
    best, best_found, least = now, found, missed(found, requested)
    if not direct and rounds:
        for n, c in enumerate(columns):
            step = PROBE * scale[c] * (1 if now[c] < (space.low[c] + space.high[c]) / 2 else -1)
            probe = now.copy()
            probe[c] += step
            slope[:, n] = (measure(probe) - found)[columns] / step
        slope = slope + 1e-6 * np.eye(len(columns))
    for n in range(rounds if len(columns) else 0):
        progress((n + 1) / (rounds + 1), "planning")
        if least <= CLOSE_ENOUGH:
            break
        off = (requested.values - found)[columns]
        step = np.linalg.lstsq(slope, off, rcond=None)[0]
        step = np.clip(step, -scale[columns], scale[columns])
        after = now.copy()
        after[columns] += step
        reached = nearest(inside(after))
        after = np.where(np.abs(reached - after) > 0.02 * scale, reached, after)
        moved = (after - now)[columns]
        then = measure(after)
        change = (then - found)[columns]
        if moved @ moved > 1e-18:
            slope = slope + np.outer(change - slope @ moved, moved) / (moved @ moved)
        now, found = after, then
        off_by = missed(found, requested)
        if off_by < least:
            best, best_found, least = now, found, off_by
    if least > CLOSE_ENOUGH and len(columns) == 1 and rounds:
        best, best_found, least = _bracketed(space, requested, best, best_found, int(columns[0]), measure)
    progress(1.0, "planning")
    return best, best_found


class LockShift:
    """What to add to requested values so that they hold after the feet are locked, which may change them abruptly.

    By column: the gap that is left is added, until gaps of both signs are known; then their root is interpolated.
    """

    def __init__(self, requested: RequestedValues) -> None:
        self.shift = np.zeros(len(requested.values))
        self._requested = requested
        self._below: dict[int, tuple[float, float]] = {}  # shift and gap where the result is too small
        self._above: dict[int, tuple[float, float]] = {}
        self._best: tuple[float, FloatArray, FloatArray] | None = None

    @property
    def holds(self) -> bool:
        """Whether the best result is within the tolerance."""
        return self._best is not None and self._best[0] <= 1.0

    @property
    def best(self) -> tuple[FloatArray, FloatArray]:
        """The values of the best result, and what it measures."""
        assert self._best is not None
        return self._best[1:]

    def note(self, values: FloatArray, locked: FloatArray) -> bool:
        """Take in a result; whether it is near enough."""
        off = missed(locked, self._requested)
        if self._best is None or off < self._best[0]:
            self._best = off, values, locked
        for c in map(int, np.flatnonzero(~np.isnan(self._requested.values))):
            gap = float(self._requested.values[c] - locked[c])
            (self._below if gap > 0 else self._above)[c] = float(self.shift[c]), gap
            if c in self._below and c in self._above:
                (a, up), (b, down) = self._below[c], self._above[c]
                self.shift[c] = a + (b - a) * up / (up - down)
            else:
                self.shift[c] += gap
        return off <= LOCKED_ENOUGH


def _bracketed(
    space: Space,
    requested: RequestedValues,
    best: FloatArray,
    found: FloatArray,
    column: int,
    measure: Callable[[FloatArray], FloatArray],
) -> tuple[FloatArray, FloatArray, float]:
    """The root of one column between two points of the space whose results lie on both sides of the target, by halving.

    What is measured on a repeated motion need not follow the parameter of a cycle evenly. Of several such pairs, the
    one nearest to the best values so far is halved; without any, the best point is returned.
    """
    least = missed(found, requested)

    def at(value: float) -> tuple[FloatArray, FloatArray, float]:
        values = best.copy()
        values[column] = value
        got = measure(values)
        return values, got, float(got[column] - requested.values[column])

    grid = [at(value) for value in np.linspace(space.low[column], space.high[column], GRID)]
    tried = [(values, got) for values, got, _ in grid]
    pairs = [(a, b) for a, b in pairwise(grid) if a[2] * b[2] <= 0]
    if pairs:
        low, high = min(pairs, key=lambda pair: abs(pair[0][0][column] + pair[1][0][column] - 2 * best[column]))
        for _ in range(HALVINGS):
            middle = at((low[0][column] + high[0][column]) / 2)
            tried.append(middle[:2])
            if missed(middle[1], requested) <= CLOSE_ENOUGH:
                break
            low, high = (middle, high) if middle[2] * low[2] > 0 else (low, middle)
    for values, got in tried:
        if missed(got, requested) < least:
            best, found, least = values, got, missed(got, requested)
    return best, found, least


def missed(found: FloatArray, requested: RequestedValues) -> float:
    """The largest error of measured values, in tolerances."""
    asked = ~np.isnan(requested.values)
    return float((np.abs(found - requested.values)[asked] / requested.tolerance[asked]).max(initial=0.0))
