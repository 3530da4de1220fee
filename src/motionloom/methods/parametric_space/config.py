"""Settings of parametric-space: for learning and for synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.methods.settings import Settings, param, variant_of_model, variant_param
from motionloom.methods.space.settings import SpaceConfig, SpaceOptions, samples_param

SOURCE = "HECK 3.5"


@dataclass(frozen=True)
class Config(SpaceConfig):
    """Settings of learning."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"registration": "time-warp"}

    variant: str = variant_param(SOURCE)
    samples: int = samples_param(1000, "most blends that are measured; fewer if parameters can be predicted earlier")
    together: int | None = param(
        None, "most examples in a measured blend; none: two more than parameters", low=2, high=64, symbol="m",
        advanced=True,
    )  # fmt: skip
    smoothness: float | None = param(
        None, "how far weights spread over neighbouring examples: 0.01 is a triangulation; none: the least from 1 on "
        "with which the motion changes evenly", low=0.001, high=100, slider=(0.01, 30.0), scale="log", advanced=True,
    )  # fmt: skip


@dataclass(frozen=True)
class Options(SpaceOptions):
    """Settings of synthesis."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"weights": "nearest", "corrections": 0, "clean_feet": False}

    variant: str | None = variant_of_model(SOURCE)
    weights: str = param(
        "smooth", "how weights follow from parameters: smooth, or nearest (HECK eqs 6.1-6.2)",
        choices=("smooth", "nearest"),
    )  # fmt: skip
    neighbours: int | None = param(
        None, "samples that nearest uses; none: two more than parameters", low=2, high=1000, symbol="k", advanced=True
    )


@dataclass(frozen=True)
class LiveOptions(Settings):
    """Settings of live characters."""

    half_life: float = param(0.15, "time in which weights go half of the way to new ones", unit="s", low=0.01, high=5)
    response: float = param(0.8, "time in which a commanded heading is to be reached", unit="s", low=0.1, high=10)


DEFAULT, DEFAULT_LIVE = Config(), LiveOptions()
