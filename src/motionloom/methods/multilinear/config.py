"""Settings of multilinear: for learning and for synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.methods.settings import param, variant_of_model, variant_param
from motionloom.methods.space.settings import SpaceConfig, SpaceOptions, samples_param

SOURCE = "GUAN 2.3.1"


@dataclass(frozen=True)
class Config(SpaceConfig):
    """Settings of learning."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"registration": "uniform"}

    variant: str = variant_param(SOURCE)
    grid: int = param(5, "points of the grid along each parameter", low=2, high=50, slider=(2, 12))
    samples: int = samples_param(300, "most blends that are measured to find those at the points of the grid")


@dataclass(frozen=True)
class Options(SpaceOptions):
    """Settings of synthesis."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"order": "axes", "corrections": 0, "clean_feet": False}

    variant: str | None = variant_of_model(SOURCE)
    order: str = param(
        "none", "how the 2^p neighbours are interpolated: axes (along one parameter after the other, 2^p - 1 times), "
        "or none (all at once, independent of the order)", choices=("none", "axes"),
    )  # fmt: skip


DEFAULT = Config()
