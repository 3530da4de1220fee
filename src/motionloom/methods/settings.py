"""Config and Options: frozen dataclasses of `param`s, from which flags, sliders and `motionloom methods` are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from motionloom.core.fields import Described, Field, fields_of, param

__all__ = [
    "Field",
    "Settings",
    "cleaning_param",
    "fields_of",
    "fps_param",
    "param",
    "variant_of_model",
    "variant_param",
]

FAITHFUL = "faithful"
VARIANTS = ("improved", FAITHFUL)


def fps_param(default: float, low: float = 10, high: float = 240) -> Any:
    """The frame rate that a method learns at."""
    text = "frame rate of the model; none: the clips' own"
    return param(default, text, unit="fps", low=low, high=high, slider=(15.0, 120.0), advanced=True)


def variant_param(source: str) -> Any:
    """The variant that a method learns: with our improvements, or as its source describes it."""
    text = f"with our improvements, or as {source} describes it; settings that are given take precedence"
    return param(VARIANTS[0], text, choices=VARIANTS)


def variant_of_model(source: str) -> Any:
    """The variant of a synthesis, by default that of the model."""
    text = f"with our improvements, or as {source} describes it; default: as the model was learned"
    return param(None, text, choices=VARIANTS)


def cleaning_param() -> Any:
    """Whether feet are corrected in a result."""
    return param(True, "lift swinging feet that scrape the ground, and pin planted ones", advanced=True)


@dataclass(frozen=True)
class Settings(Described):
    """What `Config` (for learning) and `Options` (for synthesis) are made of; values are checked when built.

    `variant: faithful` stands for the values of `FAITHFUL`, those of the method's source. They are filled in by `of`,
    which sees what is given: `Config.of({"variant": "faithful"})`.
    """

    FAITHFUL: ClassVar[Mapping[str, Any]] = {}  # as a request writes them

    @classmethod
    def of(cls, values: object, places: Mapping[str, str] | None = None) -> Self:
        if isinstance(values, Mapping) and values.get("variant") == FAITHFUL:
            values = {**cls.FAITHFUL, **values}
        return super().of(values, places)
