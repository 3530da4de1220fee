"""Learning for parametric-space: cut examples, register them, measure their blends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from motionloom.constraints import MotionParameter
from motionloom.core import Clip, Progress, part, silent
from motionloom.methods.parametric_space.config import DEFAULT, Config
from motionloom.methods.parametric_space.model import ParametricSpaceModel
from motionloom.methods.space.build import build_space
from motionloom.methods.space.examples import chosen_parameters, cut_examples


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
    chosen = chosen_parameters(config, parameters)
    report(0.0, "cutting examples")
    cuts, cyclic = cut_examples(clips, config)
    built = build_space(
        cuts,
        chosen,
        cyclic=cyclic,
        registration=config.registration,
        most_cost=config.most_cost,
        merge=config.merge if len(cuts) > len(clips) else 0.0,
        margin=config.margin,
        samples=config.samples,
        together=config.together,
        smoothness=config.smoothness,
        rng=rng,
        progress=part(report, 0.05, 1.0),
    )
    return ParametricSpaceModel(
        skeleton=clips[0].skeleton,
        config=config,
        fps=clips[0].fps,
        notes=built.notes,
        examples=tuple(cut.clip for cut in built.cuts),
        space=built.space,
    )
