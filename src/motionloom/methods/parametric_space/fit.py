"""Learning for parametric-space: cut examples, register them, measure their blends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from motionloom.constraints import MotionParameter
from motionloom.core import Clip, Progress, silent
from motionloom.methods.parametric_space.config import DEFAULT, Config
from motionloom.methods.parametric_space.model import ParametricSpaceModel
from motionloom.methods.space.learning import learn_space, model_fields


def fit(
    clips: Sequence[Clip],
    config: Config = DEFAULT,
    *,
    parameters: Sequence[MotionParameter] = (),
    rng: Generator | None = None,
    progress: Progress | None = None,
) -> ParametricSpaceModel:
    """The space of some clips of one action; `parameters` are the user's own, in addition to the table."""
    report, rng = progress or silent(), rng or np.random.default_rng(0)
    built = learn_space(
        clips, config, parameters, samples=config.samples, together=config.together, smoothness=config.smoothness,
        rng=rng, progress=report,
    )  # fmt: skip
    return ParametricSpaceModel(**model_fields(clips, config, built.cuts, built.notes), space=built.space)
