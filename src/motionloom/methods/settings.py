"""Config and Options: frozen dataclasses of `param`s, from which flags, sliders and `motionloom methods` are made."""

from __future__ import annotations

from dataclasses import dataclass

from motionloom.core.fields import Described, Field, fields_of, param

__all__ = ["Field", "Settings", "fields_of", "param"]


@dataclass(frozen=True)
class Settings(Described):
    """What `Config` (for learning) and `Options` (for synthesis) are made of; values are checked when built."""
