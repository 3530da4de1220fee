"""Settings of a hierarchical motion graph: for learning and for synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.methods.graph.config import GraphConfig
from motionloom.methods.settings import Settings, cleaning_param, param, variant_of_model, variant_param


@dataclass(frozen=True)
class Config(GraphConfig):
    """What learning needs."""

    contacts: bool = param(False, "join only frames in which the same heels and toes stand")
    most: int = param(
        100_000,
        "most transitions; of more, the best of each square of frames is kept",
        low=100,
        high=10**9,
        slider=(1e3, 1e6),
        scale="log",
        advanced=True,
    )
    cluster: float = param(
        0.5,
        "widest cluster of transitions at the top level",
        unit="s",
        low=0,
        high=60,
        slider=(0.0, 5.0),
        advanced=True,
    )
    variant: str = variant_param("GUAN 2.4.3")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {**GraphConfig.FAITHFUL, "most": 10**9}


@dataclass(frozen=True)
class Options(Settings):
    """What synthesis needs. The weights say what a metre, a radian, a second or a transition counts in the score."""

    budget: int = param(100_000, "most ways that are looked at", low=1, high=10**12, slider=(1e3, 1e7), scale="log")
    patience: int = param(
        18,
        "rounds without a better way after which the search ends",
        low=1,
        high=10**9,
        slider=(1.0, 100.0),
        advanced=True,
    )
    kept: int = param(12, "ways that are kept for the next round", low=1, high=1000, slider=(1.0, 50.0), advanced=True)
    restarts: bool = param(
        True, "give up all ways for new seeds where several rounds hardly brought a better one", advanced=True
    )
    shortcuts: bool = param(
        True,
        "replace a portion also by no edge or by a transition that keeps the time, and single edges by their children",
        advanced=True,
    )
    smoothness: float = param(
        0.05,
        "weight of each transition; the worst of the graph counts as 1",
        symbol="w_c",
        low=0,
        high=1e6,
        slider=(0.0, 1.0),
        advanced=True,
    )
    length: float = param(
        10.0,
        "weight of each second that a way is too short",
        symbol="w_f",
        low=0.01,
        high=1e6,
        slider=(0.01, 100.0),
        scale="log",
        advanced=True,
    )
    body: float = param(
        1.0,
        "weight of place and heading: root_at, reach, root_path",
        symbol="w_b",
        low=0,
        high=1e6,
        slider=(0.0, 10.0),
        advanced=True,
    )
    joints: float = param(
        1.0,
        "weight of joints and poses: position_at, pose_at",
        symbol="w_j",
        low=0,
        high=1e6,
        slider=(0.0, 10.0),
        advanced=True,
    )
    style: float = param(
        1.0,
        "weight of the share of a span that is not in its style",
        low=0,
        high=1e6,
        slider=(0.0, 10.0),
        advanced=True,
    )
    obstacles: float = param(
        4.0,
        "weight of how deep the way lies in an obstacle, and for how long",
        low=0,
        high=1e6,
        slider=(0.0, 20.0),
        advanced=True,
    )
    shortest: float = param(
        0.3,
        "shortest time between two transitions, where there is a choice",
        unit="s",
        low=0,
        high=600,
        slider=(0.0, 5.0),
    )
    bend: float = param(
        0.5,
        "farthest that the way found is bent (and turned, rad) to keep what is hard",
        unit="m",
        low=0,
        high=100,
        slider=(0.0, 2.0),
    )
    bend_pose: float = param(
        1.0,
        "largest turn of a joint from a frame that can be shown to a hard pose",
        unit="rad",
        low=0,
        high=3.2,
    )
    clean_feet: bool = cleaning_param()
    variant: str | None = variant_of_model("GUAN 2.4.3")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {
        "kept": 1,
        "restarts": False,
        "shortcuts": False,
        "shortest": 0,
        "clean_feet": False,
    }
