"""What learning and asking need in every motion graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.methods.settings import Settings, cleaning_param, fps_param, param


@dataclass(frozen=True)
class GraphConfig(Settings):
    """What learning needs."""

    fps: float | None = fps_param(30.0)
    measure: str = param(
        "point-cloud",
        "how alike two frames are",
        symbol="D",
        choices=("point-cloud", "joint-positions", "joint-angles", "curvature"),
        advanced=True,
    )
    window: float = param(
        0.35, "motion around a frame that point-cloud and curvature look at", unit="s", low=0, high=2, advanced=True
    )
    blend: float = param(0.4, "length of a transition", unit="s", low=0.05, high=2)
    limit: float | None = param(
        None,
        "how unlike joined frames may be, in the measure's unit; default: 0.08 m; of other measures than point-cloud, "
        "what 0.5 % of all pairs do not exceed",
        low=0,
        high=1e6,
        slider=(0.01, 0.5),
        scale="log",
    )
    limits: str = param("", "limits for pairs of labels: 'walk jog 9cm, jog jog 0.08'", advanced=True)
    shortest: float = param(
        0.5,
        "frames of one clip nearer than this are not joined",
        unit="s",
        low=0,
        high=60,
        slider=(0.0, 5.0),
        advanced=True,
    )
    mirror: bool = param(False, "learn every clip's mirror image too")
    blending: str = param(
        "held",
        "how clips are blended: with eased weights and planted feet held, or with linear weights alone (GUAN 2.5.4)",
        choices=("held", "linear"),
        advanced=True,
    )
    drop_rough: bool = param(True, "leave out transitions in which a joint flips over or turns too fast", advanced=True)

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"blending": "linear", "drop_rough": False}


@dataclass(frozen=True)
class WayOptions(Settings):
    """What random walks and ways along paths need."""

    ahead: float = param(3.0, "how far branch and bound looks", unit="s", symbol="n", low=0.1, high=20, advanced=True)
    progress: float = param(
        0.1,
        "a path goes by at least this fast, so that standing costs",
        unit="m/s",
        low=0.01,
        high=10,
        slider=(0.01, 2.0),
        advanced=True,
    )
    budget: int = param(
        30_000_000,
        "frames that a search looks at, about; four bodies go on in any case",
        low=1000,
        high=10**12,
        slider=(1e5, 1e9),
        scale="log",
        advanced=True,
    )
    arrival: float = param(
        0.25, "a path's end farther away than this is said to be missed", unit="m", low=0, high=100, slider=(0.0, 2.0)
    )
    bend: float = param(
        0.3, "farthest that the way found is bent to keep what is hard", unit="m", low=0, high=100, slider=(0.0, 2.0)
    )
    bend_pose: float = param(
        1.0, "largest turn of a joint from a frame that can be shown to a hard pose", unit="rad", low=0, high=3.2
    )
    shortest: float = param(
        0.5, "shortest time between transitions of a random walk", unit="s", low=0, high=600, slider=(0.0, 5.0)
    )
    pick: str = param(
        "alike",
        "transitions of a random walk: like (or probable) ones more often, or any",
        choices=("alike", "uniform"),
    )
    fresh: bool = param(True, "a random walk avoids what it has shown lately")
    clean_feet: bool = cleaning_param()
