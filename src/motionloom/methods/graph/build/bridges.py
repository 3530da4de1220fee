"""Bridges between labels: where no transition joins two of them (a walk and a run), long ones in step are added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from motionloom.analysis.point_cloud import PointCloud
from motionloom.blend.gait_change import GAIT_SECONDS, gait_change, window_frames
from motionloom.blend.transition_point import Point
from motionloom.core import BoolArray, Clip, Progress, silent
from motionloom.core import replace as clip_with
from motionloom.core.progress import each
from motionloom.kinematics.feet.skate_removal import remove_skate
from motionloom.kinematics.gait import PREFIX
from motionloom.kinematics.resample import resample
from motionloom.methods.graph.build.distance_limits import Limits
from motionloom.methods.graph.labels import label_sets

COARSE_RATE = 15.0  # fps at which clips are compared first
MAX_APART = 0.25  # m, root mean square: clips farther apart are not joined
MAX_BRIDGES = 2  # from one label to another
MARGIN = 1.0  # s of captured motion before and after the blend, in which the graph finds its transitions
LEAST_MARGIN = 0.25  # s of it at least


class Bridges(NamedTuple):
    """Clips that lead from one label to another, and the pair of labels that each of them joins."""

    clips: tuple[Clip, ...]
    pairs: tuple[tuple[str, str], ...]


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
    for i, j in each(ordered, progress or silent(), "joining labels"):
        both = [(a, b) for a, b in permutations(range(len(clips)), 2) if on[i][a].any() and on[j][b].any()]
        near = [_nearest(clips[a], clips[b], on[i][a], on[j][b], window) for a, b in both]
        good = sorted((n for n in near if n.point.distance <= MAX_APART), key=lambda n: n.point.distance)
        if good and good[0].point.distance > limit:
            out += [_bridge(n) for n in good[:MAX_BRIDGES]]
            joined += [(names[i], names[j])] * len(good[:MAX_BRIDGES])
    return Bridges(tuple(out), tuple(joined))


def _nearest(a: Clip, b: Clip, on_a: BoolArray, on_b: BoolArray, window: float) -> _Near:
    """The nearest frames of two clips, one with each label, with room for a blend; at an infinite distance if none."""
    step = max(1.0, a.fps / COARSE_RATE)
    slow_a, slow_b = (resample(clip, clip.fps / step) for clip in (a, b))
    radius = max(1, round(window * slow_a.fps / 2))
    nowhere = _Near(a, b, Point(0, 0, np.inf))
    if min(len(slow_a), len(slow_b)) < 2 * radius + 1:
        return nowhere
    least, (part_a, part_b) = LEAST_MARGIN * a.fps, window_frames(a, b, Point(0, 0, 0.0), GAIT_SECONDS)
    cost = np.sqrt(np.maximum(PointCloud(radius=radius).matrix(slow_a, slow_b), 0.0))
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
    first, last = max(0, int(at_a[0]) - margin), min(len(near.b), int(np.ceil(at_b[-1])) + margin)
    clean, _ = remove_skate(gait_change(near.a, near.b[:last], near.point, GAIT_SECONDS)[first:])
    name = f"{near.a.name} > {near.b.name}" if near.a.name and near.b.name else ""
    return clip_with(clean, origin=replace(clean.origin, name=name))
