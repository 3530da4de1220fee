"""Learning for multilinear: cut examples, register them, resample them to a grid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from motionloom.constraints import MotionParameter
from motionloom.core import Clip, FloatArray, Progress, part, silent
from motionloom.core.note import info, warning
from motionloom.methods.multilinear.config import DEFAULT, Config
from motionloom.methods.multilinear.grid import blended_rows, grid_points
from motionloom.methods.multilinear.model import MultilinearModel
from motionloom.methods.space.learning import learn_space, model_fields
from motionloom.methods.space.measure import measure_blend
from motionloom.methods.space.space import Space

CORRECTIONS = 3  # of the blend at a point of the grid, by what is measured on it


def fit(
    clips: Sequence[Clip],
    config: Config = DEFAULT,
    *,
    parameters: Sequence[MotionParameter] = (),
    rng: Generator | None = None,
    progress: Progress | None = None,
) -> MultilinearModel:
    """A regular grid of blends of some clips of one action; `parameters` are the user's own."""
    report, rng = progress or silent(), rng or np.random.default_rng(0)
    built = learn_space(clips, config, parameters, samples=config.samples, rng=rng, progress=part(report, 0.0, 0.7))
    space = built.space
    points = grid_points(space, config.grid)
    weights, values = _resampled(space, built.cuts[0].clip, points, built.parameters, part(report, 0.7, 0.9))
    rows = blended_rows(space.rows, clips[0].skeleton, weights, part(report, 0.9, 1.0))
    missed = int((np.abs(values - points) > 0.02 * space.ranges).any(1).sum())
    notes = [*built.notes, *info(f"resampled to a grid of {len(points)} points, {config.grid} along each parameter")]
    if missed:
        notes.append(warning(f"{missed} points of the grid lie outside what blends reach: those hold the nearest"))
    report(1.0, "resampling to the grid")
    return MultilinearModel(
        **model_fields(clips, config, built.cuts, notes),
        space=space,
        grid=rows,
        grid_values=values,
        grid_weights=weights,
    )


def _resampled(
    space: Space, clip: Clip, points: FloatArray, parameters: Sequence[MotionParameter], progress: Progress
) -> tuple[FloatArray, FloatArray]:
    """(G, K) weights of the blends at the points, and (G, D) what is measured on them."""
    tables = space.rows.tables(clip.skeleton)

    def measured(weights: FloatArray) -> FloatArray:
        return np.stack([measure_blend(space.rows, clip.skeleton, w, clip.fps, parameters, tables) for w in weights])

    asked = points.copy()
    best = space.weights(asked).weights
    values = measured(best)
    for n in range(CORRECTIONS):
        progress(n / CORRECTIONS, "resampling to the grid")
        asked += points - values
        trial = space.weights(np.clip(asked, space.low - space.ranges, space.high + space.ranges)).weights
        found = measured(trial)
        nearer = np.abs((found - points) / space.ranges).max(1) < np.abs((values - points) / space.ranges).max(1)
        best, values = np.where(nearer[:, None], trial, best), np.where(nearer[:, None], found, values)
    return best, values
