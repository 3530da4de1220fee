"""Settings of a hierarchical motion graph: for learning and for synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.methods.graph.config import GraphConfig
from motionloom.methods.settings import Settings, cleaning_param, param, variant_of_model, variant_param


@dataclass(frozen=True)
class Config(GraphConfig):
    """Settings for learning."""

    contacts: bool = param(False, "join only frames in which the same heels and toes are in contact")
    max_transitions: int = param(
        100_000,
        "largest number of transitions; of more, the best of each square of frames is kept",
        low=100,
        high=10**9,
        slider=(1e3, 1e6),
        scale="log",
        formerly=("most",),
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

    FAITHFUL: ClassVar[Mapping[str, Any]] = {**GraphConfig.FAITHFUL, "max_transitions": 10**9}


@dataclass(frozen=True)
class Options(Settings):
    """Options for synthesis. The weights are those of a metre, a radian, a second or a transition in the score."""

    budget: int = param(
        100_000, "search budget: routes that are scored", low=1, high=10**12, slider=(1e3, 1e7), scale="log"
    )
    patience: int = param(
        18,
        "rounds without improvement after which the search ends",
        low=1,
        high=10**9,
        slider=(1.0, 100.0),
        advanced=True,
    )
    population: int = param(
        12,
        "routes that are kept from round to round",
        low=1,
        high=1000,
        slider=(1.0, 50.0),
        formerly=("kept",),
        advanced=True,
    )
    restarts: bool = param(
        True, "start again from new seeds after several rounds with little improvement", advanced=True
    )
    guided_seeds: bool = param(
        True, "also start from routes at the top level that a beam search leads to the places", advanced=True
    )
    shortcuts: bool = param(
        True,
        "also replace portions by no edge or by an edge that keeps later times, single edges by their children, and "
        "edges by the best transition of their cluster",
        advanced=True,
    )
    smoothness: float = param(
        0.05,
        "weight of each transition; the worst of the graph has cost 1",
        symbol="w_c",
        low=0,
        high=1e6,
        slider=(0.0, 1.0),
        advanced=True,
    )
    length: float = param(
        10.0,
        "weight of each missing second",
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
        1.0, "weight of the share of a span without its label", low=0, high=1e6, slider=(0.0, 10.0), advanced=True
    )
    obstacles: float = param(
        4.0,
        "weight of the depth and duration of a route inside an obstacle",
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
        0.3,
        "largest displacement (and turn, rad) of a route to meet hard constraints",
        unit="m",
        low=0,
        high=100,
        slider=(0.0, 2.0),
    )
    bend_pose: float = param(0.35, "largest rotation of a joint to meet a hard pose", unit="rad", low=0, high=3.2)
    clean_feet: bool = cleaning_param()
    variant: str | None = variant_of_model("GUAN 2.4.3")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {
        "population": 1,
        "restarts": False,
        "guided_seeds": False,
        "shortcuts": False,
        "shortest": 0.0,
        "clean_feet": False,
    }
