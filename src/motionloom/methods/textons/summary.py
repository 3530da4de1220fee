"""A table of a model's textons: segments, lengths, dimensions, fit, and what may follow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.methods.textons.learn.lds import fit_error, spectral_radius
from motionloom.methods.textons.model import TextonModel
from motionloom.methods.textons.plan import shortest_paths as paths


class TextonRow(NamedTuple):
    """One texton."""

    texton: int
    segments: int
    shortest: float  # s
    longest: float  # s
    dimensions: int
    fit_error: float  # m, RMS over channels and frames
    radius: float  # largest |eigenvalue|: above 1, a free run would grow
    repeats: float  # probability of following itself
    endless: bool  # does it belong to those that can follow each other without end?
    next: tuple[int, ...]  # textons that may follow it, the likeliest first


def endless_textons(model: TextonModel) -> set[int]:
    """Textons that a walk with the default options can always return to."""
    return set(model.textons_of[model.joins(model.usual_options).inside].tolist())


def texton_table(model: TextonModel) -> list[TextonRow]:
    """A row for each texton of a model."""
    chances = paths.probabilities(model.counts)
    inside = endless_textons(model)
    rows = []
    for i, texton in enumerate(model.textons):
        seen = [model.observed[k] for k in model.of_texton(i)]
        y = [model.synthesizer.charts.unbroken(o.frames, i) for o in seen]
        errors = np.concatenate([fit_error(p, texton.dynamics)[2:] for p in y])
        lengths = [o.covers / model.fps for o in seen]
        rows.append(
            TextonRow(
                i,
                len(seen),
                min(lengths),
                max(lengths),
                texton.dynamics.size,
                float(np.sqrt((errors**2).mean())),
                spectral_radius(texton.dynamics),
                float(chances[i, i]),
                i in inside,
                tuple(int(j) for j in np.argsort(-chances[i], kind="stable") if model.may_follow[i, j]),
            )
        )
    return rows
