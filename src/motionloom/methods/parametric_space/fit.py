"""Learning for parametric-space: cut examples, register them, measure their blends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from motionloom.constraints import MotionParameter, parameter_table
from motionloom.core import BadRequest, Clip, Progress, part, silent
from motionloom.core.errors import unknown
from motionloom.kinematics.loop import seam
from motionloom.methods.parametric_space.config import DEFAULT, Config
from motionloom.methods.parametric_space.model import ParametricSpaceModel
from motionloom.methods.space.build import build_space
from motionloom.methods.space.cutting import Cut, closed, cut_cycles, cut_events, walks, whole_clips

MOST_SEAM = 0.06  # m: a motion whose first and last poses are this near repeats


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


def chosen_parameters(config: Config, own: Sequence[MotionParameter]) -> tuple[MotionParameter, ...]:
    """The parameters that a config names; `BadRequest` for an unknown or repeated one."""
    table = parameter_table(own)
    for name in config.parameter:
        if name not in table:
            raise BadRequest(unknown(name, table, "motion parameter"), where=("parameter",))
    if not config.parameter or len(set(config.parameter)) < len(config.parameter):
        raise BadRequest(f"parameter: expected different names, found {', '.join(config.parameter) or 'none'}")
    return tuple(table[name] for name in config.parameter)


def cut_examples(clips: Sequence[Clip], config: Config) -> tuple[list[Cut], bool]:
    """The examples, and whether their motion repeats."""
    how = config.cut
    if how == "auto":
        how = "cycles" if walks(clips) else "none"
    if how == "cycles":
        ends = config.repeat == "no"
        margin = config.margin if ends else None
        return cut_cycles(clips, mirror=config.mirror != "none", margin=margin), not ends
    if how == "none":
        cuts = whole_clips(clips, margin=config.margin, mirror=config.mirror == "all")
    else:
        cuts = cut_events(
            clips,
            how,
            before=config.before,
            after=config.after,
            margin=config.margin,
            mirror=config.mirror == "all",
        )
    seams = [seam(cut.played, 0, len(cut.played) - 1) for cut in cuts]
    repeats = config.repeat == "yes" or (config.repeat == "auto" and max(seams) <= MOST_SEAM)
    if not repeats:
        return cuts, False
    return [cut._replace(clip=closed(cut.played), before=0, after=0) for cut in cuts], True
