"""Bridges between labels: where no transition joins two of them (a walk and a run), long ones in step are added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from motionloom.analysis.point_cloud import PointCloud
from motionloom.analysis.weights import joint_weights
from motionloom.blend.gait_change import GAIT_SECONDS, gait_change, step_rate, window_frames
from motionloom.blend.transition_point import Point
from motionloom.core import BoolArray, Clip, FloatArray, Progress, silent
from motionloom.core import replace as clip_with
from motionloom.core.progress import check_stop, each, parts
from motionloom.kinematics.feet.skate_removal import remove_skate
from motionloom.kinematics.fk import fk
from motionloom.kinematics.gait_recognition import PREFIX
from motionloom.kinematics.resample import resample
from motionloom.methods.graph.build.distance_limits import Limits
from motionloom.methods.graph.labels import label_sets

COARSE_RATE = 15.0  # fps at which clips are compared first
MAX_COARSE_FRAMES = 15_000  # of all clips, 17 minutes: longer material is compared at a lower rate,
LEAST_COARSE_RATE = 5.0  # but not below this one, fps,
REFINED = 8  # and the nearest pairs of clips at `COARSE_RATE` again
MAX_APART = 0.25  # m, root mean square: clips farther apart are not joined
MAX_BRIDGES = 2  # from one label to another
MARGIN = 1.0  # s of captured motion before and after the blend, in which the graph finds its transitions
LEAST_MARGIN = 0.25  # s of it at least


class Bridges(NamedTuple):
    """Clips that lead from one label to another, and the pair of labels that each of them joins."""

    clips: tuple[Clip, ...]
    pairs: tuple[tuple[str, str], ...]


class _Compared(NamedTuple):
    """A clip as it is compared with others: every `step`th frame of it."""

    clip: Clip
    step: float
    points: FloatArray  # (F / step, J, 3)
    fps: float  # of the points
    step_rate: float


class _Near(NamedTuple):
    a: Clip
    b: Clip
    point: Point  # its distance in metres


def build_bridges(
    clips: Sequence[Clip],
    limit: float,
    *,
    window: float = 0.35,
    given: Limits | None = None,
    progress: Progress | None = None,
) -> Bridges:
    """Changes of gait from each label to each other whose frames are all farther apart than `limit` m.

    Clips are compared as point clouds over `window` seconds. The nearest pairs of clips are joined by `gait_change`,
    with up to a second of each clip around it, and their feet are cleaned. Pairs of labels with a limit of their own
    (`given`) are left to the graph. Clips of one label are joined by the walks and runs that were found in them.
    """
    found = label_sets(clips)
    if len(found.sets) == 1:  # no labels, or the same everywhere
        found = label_sets(clips, [PREFIX + gait for gait in ("walk", "run")])
    starts = np.cumsum([0, *map(len, clips)])
    on = [[found.of[starts[c] : starts[c + 1]] == k for c in range(len(clips))] for k in range(len(found.sets))]
    names = [" + ".join(sorted(labels)).replace(PREFIX, "") for labels in found.sets]
    own = {(x, y) for pair in given or () for x, y in (pair, pair[::-1])}
    ordered = [(i, j) for i, j in permutations(range(len(found.sets)), 2) if found.sets[i] and found.sets[j]]
    ordered = [(i, j) for i, j in ordered if not own & set(product(found.sets[i], found.sets[j]))]
    out: list[Clip] = []
    joined: list[tuple[str, str]] = []
    preparing, joining = parts(progress or silent(), [1, 4])
    rate = COARSE_RATE * min(1.0, MAX_COARSE_FRAMES / (COARSE_RATE * sum(clip.seconds for clip in clips)))
    coarse = [_compared(clip, rate) for clip in each(clips if ordered else [], preparing, "joining labels")]
    for i, j in each(ordered, joining, "joining labels"):
        both = [(a, b) for a, b in permutations(range(len(clips)), 2) if on[i][a].any() and on[j][b].any()]
        near = []
        for a, b in both:
            near.append(_nearest(coarse[a], coarse[b], on[i][a], on[j][b], window))
            check_stop(joining)
        if rate < COARSE_RATE:
            best = sorted(range(len(both)), key=lambda k: near[k].point.distance)[:REFINED]
            pairs = [both[k] for k in best]
            fine = {k: _compared(clips[k], COARSE_RATE) for k in {k for pair in pairs for k in pair}}
            near = [_nearest(fine[a], fine[b], on[i][a], on[j][b], window) for a, b in pairs]
        good = sorted((n for n in near if n.point.distance <= MAX_APART), key=lambda n: n.point.distance)
        if good and good[0].point.distance > limit:
            out += [_bridge(n) for n in good[:MAX_BRIDGES]]
            joined += [(names[i], names[j])] * len(good[:MAX_BRIDGES])
    return Bridges(tuple(out), tuple(joined))


def _compared(clip: Clip, rate: float) -> _Compared:
    step = max(1.0, clip.fps / max(rate, LEAST_COARSE_RATE))
    slow = resample(clip, clip.fps / step)
    return _Compared(clip, step, fk(slow), slow.fps, step_rate(clip))


def _nearest(one: _Compared, other: _Compared, on_a: BoolArray, on_b: BoolArray, window: float) -> _Near:
    """The nearest frames of two clips, one with each label, with room for a blend; at an infinite distance if none."""
    a, b, step = one.clip, other.clip, one.step
    radius = max(1, round(window * one.fps / 2))
    nowhere = _Near(a, b, Point(0, 0, np.inf))
    if min(len(one.points), len(other.points)) < 2 * radius + 1:
        return nowhere
    rates = (one.step_rate, other.step_rate)
    least, (part_a, part_b) = LEAST_MARGIN * a.fps, window_frames(a, b, Point(0, 0, 0.0), GAIT_SECONDS, rates)
    measure, weights = PointCloud(radius=radius), joint_weights(a.skeleton, "uniform")
    cost = np.sqrt(np.maximum(measure.between(one.points, other.points, weights).matrix(), 0.0))
    rows, columns = (np.rint((np.arange(n) + radius) * step).astype(int) for n in cost.shape)
    rows, columns = np.minimum(rows, len(a) - 1), np.minimum(columns, len(b) - 1)
    fits_a = on_a[rows] & (rows + part_a[0] >= least) & (rows + part_a[-1] < len(a) - 1)
    fits_b = on_b[columns] & (columns + part_b[0] >= 1) & (columns + part_b[-1] <= len(b) - 1 - least)
    cost = np.where(fits_a[:, None] & fits_b, cost, np.inf)
    row, column = np.unravel_index(int(cost.argmin()), cost.shape)
    return _Near(a, b, Point(int(rows[row]), int(columns[column]), float(cost[row, column])))


def _bridge(near: _Near) -> Clip:
    """The change of gait between two clips, with its margins and clean feet."""
    at_a, at_b = window_frames(near.a, near.b, near.point, GAIT_SECONDS)
    margin = round(MARGIN * near.a.fps)
    start, stop = int(at_a[0]), int(at_a[0]) + len(at_a)  # of the window, in the joined clip
    after = min(len(near.b), int(np.ceil(at_b[-1])) + margin) - 1 - int(at_b[-1])
    joined = gait_change(near.a, near.b, near.point, GAIT_SECONDS)  # of whole clips: a part has another step rate
    clean, _ = remove_skate(joined[max(0, start - margin) : stop + after])
    name = f"{near.a.name} > {near.b.name}" if near.a.name and near.b.name else ""
    return clip_with(clean, origin=replace(clean.origin, name=name))
