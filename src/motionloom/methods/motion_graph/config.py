"""Settings of a one-level motion graph: for learning and for synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.methods.graph.config import GraphConfig, RouteOptions
from motionloom.methods.settings import param, variant_of_model, variant_param


@dataclass(frozen=True)
class Config(GraphConfig):
    """Settings for learning."""

    apart: float = param(
        0.1,
        "transitions closer in time than this to a better one are left out",
        unit="s",
        low=0,
        high=60,
        slider=(0.0, 1.0),
        advanced=True,
    )
    contacts: bool = param(False, "join only frames in which the same heels and toes are in contact")
    variant: str = variant_param("GUAN 2.4.1")


@dataclass(frozen=True)
class Options(RouteOptions):
    """Options for synthesis."""

    search: str = param(
        "beam",
        "path search: a beam over the whole path, or incremental branch and bound (GUAN 2.4.1), for untimed paths only",
        choices=("beam", "branch-and-bound"),
    )
    beam_width: int = param(
        500,
        "candidates that the beam keeps side by side",
        low=1,
        high=100_000,
        slider=(10.0, 5000.0),
        scale="log",
        only_with=("search", "beam"),
        formerly=("width",),
        advanced=True,
    )
    transition_cost: float = param(
        1.0,
        "factor on the cost of transitions in the beam search; 0: transitions are free",
        low=0,
        high=1000,
        slider=(0.0, 10.0),
        only_with=("search", "beam"),
        formerly=("calm",),
    )
    lookahead: float = param(
        3.0,
        "time that branch and bound searches ahead",
        unit="s",
        symbol="n",
        low=0.1,
        high=20,
        only_with=("search", "branch-and-bound"),
        formerly=("ahead",),
        advanced=True,
    )
    step: float = param(
        1.0,
        "part of each search ahead that is kept",
        unit="s",
        symbol="m",
        low=0.03,
        high=20,
        only_with=("search", "branch-and-bound"),
        formerly=("keep",),
        advanced=True,
    )
    variant: str | None = variant_of_model("GUAN 2.4.1")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {
        "search": "branch-and-bound",
        "sampling": "uniform",
        "avoid_repeats": False,
        "shortest": 0.0,
        "steadiness": 0.0,
        "variety": 0.0,
        "clean_feet": False,
    }
