"""Settings of a one-level motion graph: for learning and for synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.methods.graph.config import GraphConfig, WayOptions
from motionloom.methods.settings import param, variant_of_model, variant_param


@dataclass(frozen=True)
class Config(GraphConfig):
    """What learning needs."""

    apart: float = param(
        0.1,
        "transitions nearer than this to a better one are left out",
        unit="s",
        low=0,
        high=60,
        slider=(0.0, 1.0),
        advanced=True,
    )
    contacts: bool = param(False, "join only frames in which the same heels and toes stand")
    variant: str = variant_param("GUAN 2.4.1")


@dataclass(frozen=True)
class Options(WayOptions):
    """What synthesis needs."""

    search: str = param(
        "beam", "how a path is searched: all of it, or step by step (GUAN 2.4.1)", choices=("beam", "branch-and-bound")
    )
    width: int = param(
        500,
        "bodies that the beam follows side by side",
        low=1,
        high=100_000,
        slider=(10.0, 5000.0),
        scale="log",
        only_with=("search", "beam"),
        advanced=True,
    )
    calm: float = param(
        1.0,
        "how much the beam avoids transitions; 0: not at all",
        low=0,
        high=1000,
        slider=(0.0, 10.0),
        only_with=("search", "beam"),
    )
    keep: float = param(
        1.0,
        "how much of that it keeps",
        unit="s",
        symbol="m",
        low=0.03,
        high=20,
        only_with=("search", "branch-and-bound"),
        advanced=True,
    )
    variant: str | None = variant_of_model("GUAN 2.4.1")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {
        "search": "branch-and-bound",
        "pick": "uniform",
        "fresh": False,
        "shortest": 0,
        "clean_feet": False,
    }
