"""Settings of verbs: for learning and for synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.methods.settings import param, variant_of_model, variant_param
from motionloom.methods.space.settings import SpaceConfig, SpaceOptions

SOURCE = "GUAN 2.3.2"


@dataclass(frozen=True)
class Config(SpaceConfig):
    """Settings of learning."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"registration": "key-times", "spacing": 0.1}

    variant: str = variant_param(SOURCE)
    adverbs: str = param(
        "", "adverbs given by hand instead of measured parameters, a table in YAML by clip: {walk_1: {happy: 0.7}, ...}"
    )
    keys: str = param(
        "", "key times of whole clips in seconds, a table in YAML by clip: {walk_1: [0.4, 0.9], ...}; by default "
        "those at which feet come down and leave the ground", advanced=True,
    )  # fmt: skip
    spacing: float = param(
        0.05, "time between the control points of the B-splines", unit="s", low=0.005, high=1, slider=(0.02, 0.3),
        scale="log", advanced=True,
    )  # fmt: skip


@dataclass(frozen=True)
class Options(SpaceOptions):
    """Settings of synthesis."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"extrapolation": 10.0, "corrections": 0, "clean_feet": False}

    variant: str | None = variant_of_model(SOURCE)
    extrapolation: float = param(
        0.25, "how far adverbs may lie outside those of the examples, of their range", low=0, high=10,
        slider=(0.0, 1.0),
    )  # fmt: skip


DEFAULT = Config()
