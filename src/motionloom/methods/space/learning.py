"""Learning that the methods of spaces share: from clips and settings to a space and the fields of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.random import Generator

from motionloom.constraints import MotionParameter
from motionloom.core import Clip, Note, Progress, part
from motionloom.core.note import info
from motionloom.methods.space.build import Built, build_space
from motionloom.methods.space.choose_examples import stand_ins
from motionloom.methods.space.cutting import ExampleCut
from motionloom.methods.space.examples import chosen_parameters, cut_examples
from motionloom.methods.space.settings import SpaceConfig

CUTTING = 0.7  # of the work of learning


def learn_space(
    clips: Sequence[Clip],
    config: SpaceConfig,
    parameters: Sequence[MotionParameter],
    *,
    samples: int,
    together: int | None = None,
    smoothness: float | None = None,
    rng: Generator,
    progress: Progress,
) -> Built:
    """The space of some clips of one action; `parameters` are the user's own, in addition to the table."""
    chosen = chosen_parameters(config, parameters)
    cuts, cyclic = cut_examples(clips, config, part(progress, 0.0, CUTTING))
    added = stand_ins(cuts, chosen) if cyclic and config.mirror == "cycles" else []
    cuts += added
    built = build_space(
        cuts, chosen, cyclic=cyclic, registration=config.registration, most_cost=config.most_cost,
        merge=least_distance(config, clips, cuts), margin=config.margin, samples=samples, together=together,
        smoothness=smoothness, rng=rng, progress=part(progress, CUTTING, 1.0),
    )  # fmt: skip
    if not cyclic and any(cut.after and cut.last + cut.after == len(clips[cut.source]) - 1 for cut in built.cuts):
        text = f"{config.margin:g} s at both ends of the clips are kept for transitions and are not played"
        built = built._replace(notes=(*built.notes, *info(f"{text}; `--margin 0` plays whole clips")))
    if not added:
        return built
    names = ", ".join(cut.name for cut in added)
    note = info(f"in place of cycles that cannot repeat, others are used for the other side, mirrored: {names}")
    return built._replace(notes=(*note, *built.notes))


def least_distance(config: SpaceConfig, clips: Sequence[Clip], cuts: Sequence[ExampleCut]) -> float:
    """The share of the range below which two cuts are equal: 0 for whole clips, which were chosen one by one."""
    return config.merge if len(cuts) > len(clips) else 0.0


def model_fields(
    clips: Sequence[Clip], config: SpaceConfig, cuts: Sequence[ExampleCut], notes: Sequence[Note]
) -> dict[str, Any]:
    """What every model of a space holds besides the space itself."""
    return {
        "skeleton": clips[0].skeleton, "config": config, "fps": clips[0].fps, "notes": tuple(notes),
        "examples": tuple(cut.clip for cut in cuts),
    }  # fmt: skip
