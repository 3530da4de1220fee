"""Config and Options: frozen dataclasses of `param`s, from which flags, sliders and `motionloom methods` are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from motionloom.core.fields import Described, Field, fields_of, param

__all__ = ["Field", "Settings", "fields_of", "fps_param", "param"]


def fps_param(default: float, low: float = 10, high: float = 240) -> Any:
    """The frame rate that a method learns at."""
    text = "frame rate of the model; none: the clips' own"
    return param(default, text, unit="fps", low=low, high=high, slider=(15.0, 120.0), advanced=True)


@dataclass(frozen=True)
class Settings(Described):
    """What `Config` (for learning) and `Options` (for synthesis) are made of; values are checked when built."""
