"""Settings of a two-level motion graph: for learning and for synthesis."""

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
        "transitions closer in time than this to a more probable one are left out",
        unit="s",
        low=0,
        high=60,
        slider=(0.0, 1.0),
        advanced=True,
    )
    delta: float = param(
        0.3,
        "distance scale of transition probabilities, as a share of the limit; small values favour smooth ones",
        symbol="delta",
        low=0.01,
        high=100,
        slider=(0.01, 3.0),
        scale="log",
    )
    clusters: int = param(24, "clusters of frames at the upper level", low=1, high=1000, slider=(1.0, 100.0))
    stay: float = param(0.2, "shortest stay in a cluster", unit="s", low=0, high=60, slider=(0.0, 2.0), advanced=True)
    velocities: bool = param(True, "cluster frames by pose and velocity; false: by pose only", advanced=True)
    variant: str = variant_param("GUAN 2.4.2")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {**GraphConfig.FAITHFUL, "stay": 0.0, "velocities": False}


@dataclass(frozen=True)
class Options(RouteOptions):
    """Options for synthesis."""

    search: str = param(
        "frames",
        "path search: through the lower graph, or by cluster paths (GUAN 2.4.2), without times and places",
        choices=("frames", "clusters"),
    )
    beam_width: int | None = param(
        None,
        "candidates that a search keeps side by side; default: 500, or 6 with search: clusters (1 in the source)",
        low=1,
        high=100_000,
        slider=(1.0, 5000.0),
        scale="log",
        formerly=("width", "few"),
        advanced=True,
    )
    reach: float = param(
        1.5,
        "time that cluster trees cover",
        unit="s",
        low=0.2,
        high=10,
        only_with=("search", "clusters"),
        advanced=True,
    )
    step: float = param(
        0.6,
        "part of each search ahead that is kept",
        unit="s",
        symbol="m",
        low=0.03,
        high=20,
        only_with=("search", "clusters"),
        formerly=("keep",),
        advanced=True,
    )
    outlook: float = param(
        0.5,
        "time beyond the end of a motion that is judged, extrapolated in a straight line",
        unit="s",
        low=0,
        high=5,
        only_with=("search", "clusters"),
        advanced=True,
    )
    sampling: str = param(
        "markov",
        "probability of the transitions of a random walk: by eq. 2.16 with `delta`, by similarity alone, or uniform",
        choices=("markov", "similarity", "uniform"),
        formerly=("pick",),
        renamed=(("alike", "similarity"),),
    )
    delta: float | None = param(
        None,
        "distance scale of transition probabilities, as a share of the limit; default: the model's",
        symbol="delta",
        low=0.01,
        high=100,
        slider=(0.01, 3.0),
        scale="log",
        only_with=("sampling", "markov"),
    )
    start: str = param("", "first frame: walk.bvh#120")
    choices: tuple[str, ...] = param((), "choices to follow, by their numbers, one after the other: [0, 3, 1]")
    max_choices: int = param(
        12, "choices offered at each frame", low=1, high=10_000, slider=(1.0, 50.0), formerly=("most",)
    )
    variant: str | None = variant_of_model("GUAN 2.4.2")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {
        "search": "clusters",
        "beam_width": 1,
        "outlook": 0.0,
        "avoid_repeats": False,
        "shortest": 0.0,
        "steadiness": 0.0,
        "variety": 0.0,
        "clean_feet": False,
    }
