"""Spaces of one parameter: a path of weights from its least value to its largest, measured and tabulated.

Weights along the path are those of `_kernels_weights` without a curved map, which follow a request continuously. What
is measured on the blends of the path is then inverted, so that the table gives weights by the measured parameter. An
example that differs from its neighbours in motion but hardly in the parameter may be passed over: a path through it
changes the motion abruptly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motionloom.blend.registered_clips import Registered
from motionloom.core import FloatArray, Progress, Skeleton, part
from motionloom.kinematics.fk import positions
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.space.sampling import Measure, moment_table, polynomial_size, weights_for
from motionloom.methods.space.space import NODES, Space

FINE = 257  # blends measured along a path
BEYOND = 2e-3  # of the range: a path ends at a blend that lies farther outside of all examples than this
LEG = 0.2  # of the path: how long before its end it turns off to such a blend
PATH_ROUNDS = 1  # times that the rows are corrected by what is measured on them
EVEN = 3.0  # largest change of the motion along the range, of the mean one
HALVES = 1.8  # times as large at twice the step: if it is less, the range has a place too steep for its table to show
LINES, LINE_STEPS = 6, 80  # through a space of several parameters, along which changes are measured
MOST_PASSED = 4  # examples that a path passes over
MOMENTS = 16  # of a motion, that are compared
SPREADS = (1.0, 3.0, 10.0, 30.0)  # times the spread of `smoothness: 1`, the first with which motion changes evenly
WIDEST = 100.0  # the last one of spaces of several parameters, only where motion then changes evenly


def path_of(
    values: FloatArray, spread: float, ends: tuple[FloatArray | None, FloatArray | None], passed: Sequence[int] = ()
) -> FloatArray:
    """(FINE, K) weights from the least example to the largest, without those `passed` over; values (K, 1).

    `ends` are blends beyond the examples.
    """
    low, high = float(values.min()), float(values.max())
    table = moment_table(1)
    straight = np.zeros((len(table), polynomial_size(1), 1))
    asked = np.linspace(low, high, FINE)[:, None]
    kept = np.setdiff1d(np.arange(len(values)), passed)
    inner = np.zeros((FINE, len(values)))
    inner[:, kept] = weights_for(values[kept], table, straight, spread, asked)[0]
    turn_off = round(LEG * FINE)
    for end, side in zip(ends, (-1, 1), strict=True):
        if end is not None:  # the last stretch leads to that blend instead of the last example
            path = inner[::side]
            share = np.linspace(0, 1, turn_off)[:, None]
            inner = np.concatenate([path[:-turn_off], (1 - share) * path[-turn_off] + share * end])[::side]
    return np.ascontiguousarray(inner)


def tabulated(space: Space, measure: Measure, progress: Progress, passed: Sequence[int] = ()) -> FloatArray:
    """(NODES, K + 2) rows at even steps of one parameter, in units of its range: the step, what is measured, weights.

    `measure` gives the parameter of weights (K,) in its unit; examples `passed` over have no weight, except in blends
    that lie beyond all examples.
    """
    path = path_of(space.map[0], space.spread, _ends(space), passed)
    found = np.empty(len(path))
    for n, w in enumerate(path):
        progress(0.5 * n / len(path), "measuring the range")
        found[n] = _scaled(space, measure(w))
    first, last = int(found.argmin()), int(found.argmax())
    if first >= last:  # what is measured falls along the path: no table
        return space.section
    path, found = path[first : last + 1], found[first : last + 1]
    asked = np.linspace(found[0], found[-1], NODES)
    at = _inverse(found, asked)
    weights, used = _between(path, at), np.empty(NODES)
    aim = asked.copy()
    for turn in range(PATH_ROUNDS + 1):
        for n, w in enumerate(weights):
            progress(0.5 + 0.5 * (turn * NODES + n) / ((PATH_ROUNDS + 1) * NODES), "measuring the range")
            used[n] = _scaled(space, measure(w))
        if turn < PATH_ROUNDS:
            aim[1:-1] += (asked - used)[1:-1]
            weights = _between(path, _inverse(found, np.clip(aim, asked[0], asked[-1])))
    return np.concatenate([asked[:, None], used[:, None], weights], 1)


def _scaled(space: Space, value: FloatArray) -> float:
    return float((value[0] - space.middle[0]) / space.ranges[0])


def _ends(space: Space) -> tuple[FloatArray | None, FloatArray | None]:
    """The measured blends with the least and the largest value, where these lie beyond all examples."""
    values, beyond = space.sample_values[:, 0], BEYOND * space.ranges[0]
    low, high = int(values.argmin()), int(values.argmax())
    return (
        space.sample_weights[low] if values[low] < space.values.min() - beyond else None,
        space.sample_weights[high] if values[high] > space.values.max() + beyond else None,
    )


def _inverse(found: FloatArray, asked: FloatArray) -> FloatArray:
    """Where along a path values are met; where it does not rise everywhere, the middle of what it passes counts."""
    up, down = np.maximum.accumulate(found), np.minimum.accumulate(found[::-1])[::-1]
    even = (up + down) / 2 + np.linspace(0, 1e-9, len(found))
    return np.asarray(np.interp(asked, even, np.arange(len(found), dtype=float)))


def _between(path: FloatArray, at: FloatArray) -> FloatArray:
    low = np.minimum(at.astype(np.int64), len(path) - 2)
    share = (at - low)[:, None]
    return np.asarray((1 - share) * path[low] + share * path[low + 1])


def even_space(
    space: Space, factors: Sequence[float], measure: Measure, skeleton: Skeleton, tables: tuple[Any, ...],
    progress: Progress,
) -> Space:  # fmt: skip
    """The space with the first spread of `factors` times its own with which the motion changes evenly, and its table.

    Without any such spread, a table of one parameter passes over examples; else the most even of all is returned.
    """
    best, least = space, np.inf
    share = (0.5 if space.size == 1 and len(factors) > 1 else 1.0) / len(factors)
    for n, factor in enumerate(factors):
        trial = replace(space, spread=factor * space.spread)
        if space.size == 1:
            trial = replace(trial, section=tabulated(trial, measure, part(progress, n * share, (n + 1) * share)))
        progress(n * share, "comparing motion")
        found = _unevenness(trial, skeleton, tables)
        if found < least and (found <= EVEN or factor < WIDEST):
            best, least = trial, found
        if least <= EVEN:
            return best
    if share < 1.0 / len(factors) and len(best.section):
        return _passing(space, best, least, measure, skeleton, tables, part(progress, 0.5, 1.0))
    return best


def _passing(
    space: Space, best: Space, least: float, measure: Measure, skeleton: Skeleton, tables: tuple[Any, ...],
    progress: Progress,
) -> Space:  # fmt: skip
    """The most even of tables that pass over examples: one more each time, of those where the motion changes most."""
    passed: list[int] = []
    at = best
    while len(passed) < MOST_PASSED and least > EVEN:
        candidates, trials = _in_the_way(at, passed, skeleton, tables), []
        for n, k in enumerate(candidates):
            begin, end = ((len(passed) + (n + i) / len(candidates)) / MOST_PASSED for i in (0, 1))
            report = part(progress, begin, end)
            trial = replace(space, section=tabulated(space, measure, report, [*passed, k]))
            if len(trial.section):
                trials.append((_unevenness(trial, skeleton, tables), k, trial))
        if not trials:
            break
        found, k, at = min(trials, key=lambda one: one[:2])
        passed.append(k)
        if found < least:
            best, least = at, found
    return best


def _in_the_way(space: Space, passed: Sequence[int], skeleton: Skeleton, tables: tuple[Any, ...]) -> list[int]:
    """The examples with a weight where the motion changes most, except the least and the largest one."""
    weights = space.section[:, 2:]
    worst = int(motion_changes(space.rows, skeleton, tables, np.array(weights)).argmax())
    ends = (int(space.values.argmin()), int(space.values.argmax()))
    involved = np.flatnonzero(weights[worst : worst + 2].max(0) > 0.02)
    return [int(k) for k in involved if k not in ends and k not in passed]


def _unevenness(space: Space, skeleton: Skeleton, tables: tuple[Any, ...]) -> float:
    """The largest change of the motion at even steps of the parameters, of the mean one, along the range or lines.

    Above `EVEN` too where the change of a range does not halve with the step.
    """
    values, table, curve = space.map[:3]
    if space.size == 1:
        paths = [space.weights(np.linspace(space.low, space.high, NODES)).weights]
    else:
        rng = np.random.default_rng(0)
        known = (np.concatenate([space.values, space.sample_values]) - space.middle) / space.ranges
        share = np.linspace(0, 1, LINE_STEPS)[:, None]
        ends = known[rng.integers(len(known), size=(LINES, 2))]
        lines = [np.ascontiguousarray((1 - share) * a + share * b) for a, b in ends]
        paths = [weights_for(values, table, curve, space.spread, line)[0] for line in lines]
    found = [motion_changes(space.rows, skeleton, tables, path) for path in paths]
    worst = max(float(change.max() / max(change.mean(), 1e-9)) for change in found)
    if space.size > 1:
        return worst
    twice = motion_changes(space.rows, skeleton, tables, np.ascontiguousarray(paths[0][::2]))
    return max(worst, EVEN * HALVES * float(found[0].max() / max(twice.max(), 1e-9)))


def motion_changes(rows: Registered, skeleton: Skeleton, tables: tuple[Any, ...], weights: FloatArray) -> FloatArray:
    """(N - 1,) m: how far joints move from each of N blends to the next, root mean square over joints and moments."""
    from motionloom.blend._kernels_registered import poses

    steps = np.einsum("nk,rkc->nrc", weights, rows.steps[rows.lead : rows.lead + rows.count])
    heading = np.cumsum(steps[..., 2], axis=1) - steps[..., 2]
    moved = ground_turn(heading, steps[..., :2])
    track = np.concatenate([np.cumsum(moved, axis=1) - moved, heading[..., None]], -1)
    at = np.linspace(0, rows.count - 1, min(MOMENTS, rows.count)).astype(np.int64)
    count, joints = len(weights) * len(at), len(skeleton)
    root, rotations = np.empty((count, 3)), np.empty((count, joints, 4))
    touching = np.zeros((count, rows.touches.shape[2]), bool)
    each = np.ascontiguousarray(np.repeat(weights, len(at), axis=0))
    place = np.tile(rows.lead + at.astype(float), len(weights))
    poses(tables, each, place, np.ascontiguousarray(track[:, at].reshape(-1, 3)), root, rotations, touching)
    points = positions(skeleton, root, rotations).reshape(len(weights), len(at), joints, 3)
    return np.asarray(np.sqrt((np.diff(points, axis=0) ** 2).sum(-1).mean((1, 2))))
