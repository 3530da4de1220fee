"""What learning a two-level graph needs, and what asking it needs."""

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
        "transitions nearer than this to a more probable one are left out",
        unit="s",
        low=0,
        high=60,
        slider=(0.0, 1.0),
        advanced=True,
    )
    delta: float = param(
        0.3,
        "how probable unlike transitions are: small is smooth, as a share of the limit",
        symbol="delta",
        low=0.01,
        high=100,
        slider=(0.01, 3.0),
        scale="log",
    )
    clusters: int = param(24, "clusters of frames at the upper level", low=1, high=1000, slider=(1.0, 100.0))
    stay: float = param(0.2, "shortest stay in a cluster", unit="s", low=0, high=60, slider=(0.0, 2.0), advanced=True)
    velocities: bool = param(
        True, "frames of a cluster are alike in pose and velocity; false = in pose alone", advanced=True
    )
    variant: str = variant_param("GUAN 2.4.2")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {**GraphConfig.FAITHFUL, "stay": 0, "velocities": False}


@dataclass(frozen=True)
class Options(WayOptions):
    """What synthesis needs."""

    search: str = param(
        "frames", "how a path is searched: through the lower graph, or by cluster paths", choices=("frames", "clusters")
    )
    width: int = param(
        400,
        "bodies that are followed side by side where seconds, times or only a place are asked for",
        low=1,
        high=100_000,
        slider=(10.0, 5000.0),
        scale="log",
        advanced=True,
    )
    few: int = param(
        6,
        "bodies that a search by cluster paths follows side by side; 1 is the source's",
        low=1,
        high=1000,
        slider=(1.0, 50.0),
        only_with=("search", "clusters"),
        advanced=True,
    )
    reach: float = param(
        1.5,
        "how far cluster trees look ahead",
        unit="s",
        low=0.2,
        high=10,
        only_with=("search", "clusters"),
        advanced=True,
    )
    keep: float = param(
        0.6,
        "how much of what was looked at is kept",
        unit="s",
        symbol="m",
        low=0.03,
        high=20,
        only_with=("search", "clusters"),
        advanced=True,
    )
    outlook: float = param(
        0.5,
        "how far beyond its end an action is judged, as if it went straight on",
        unit="s",
        low=0,
        high=5,
        only_with=("search", "clusters"),
        advanced=True,
    )
    pick: str = param(
        "alike",
        "transitions of a random walk: like ones more often, any, or as probable as eq. 2.16 makes them",
        choices=("alike", "uniform", "markov"),
    )
    start: str = param("", "the frame to begin with: walk.bvh#120")
    choices: tuple[str, ...] = param((), "choices to follow, by their numbers, one after the other: [0, 3, 1]")
    most: int = param(12, "choices that are offered at each frame", low=1, high=10_000, slider=(1.0, 50.0))
    variant: str | None = variant_of_model("GUAN 2.4.2")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {
        "search": "clusters",
        "few": 1,
        "outlook": 0,
        "pick": "markov",
        "fresh": False,
        "shortest": 0,
        "clean_feet": False,
    }
