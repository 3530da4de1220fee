"""Settings that all motion graphs share: for learning, and for routes along paths and random walks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from motionloom.core import BadRequest
from motionloom.core.units import unit_typed
from motionloom.methods.settings import Settings, cleaning_param, fps_param, param, variant_param

ARRIVAL = 0.25  # m: a result that ends farther from the end of its path is reported, unless an option gives the limit


@dataclass(frozen=True)
class GraphConfig(Settings):
    """Settings for learning a motion graph."""

    fps: float | None = fps_param(30.0)
    measure: str = param(
        "point-cloud",
        "distance measure between two frames",
        symbol="D",
        choices=("point-cloud", "joint-positions", "joint-angles", "curvature"),
        advanced=True,
    )
    window: float = param(
        0.35, "motion around a frame that point-cloud and curvature compare", unit="s", low=0, high=2, advanced=True
    )
    blend: float = param(0.4, "length of a transition", unit="s", low=0.05, high=2)
    limit: float | None = param(
        None,
        "largest distance of joined frames: 8cm (root mean square) for point-cloud, the default, and up to 14cm where "
        "that leaves most frames unconnected; for other measures a number in their unit, by default the distance that "
        "0.5 % of all pairs do not exceed",
        unit="m",
        low=0,
        high=1e12,
        slider=(0.01, 0.5),
        scale="log",
    )
    limits: str = param("", "limits for pairs of labels: 'walk jog 9cm, jog jog 0.08'", advanced=True)
    shortest: float = param(
        0.5,
        "frames of one clip closer in time than this are not joined",
        unit="s",
        low=0,
        high=60,
        slider=(0.0, 5.0),
        advanced=True,
    )
    bridges: bool = param(
        True,
        "join labels between which there is no transition (a walk and a run) by blends of a second, in step with each "
        "other",
        advanced=True,
    )
    mirror: bool = param(False, "learn the mirror image of every clip too")
    blending: str = param(
        "held",
        "blending of clips: eased weights with planted feet held, or linear weights only (GUAN 2.5.4)",
        choices=("held", "linear"),
        advanced=True,
    )
    drop_rough: bool = param(
        True, "leave out transitions in which a joint flips over or turns too fast, or a knee snaps", advanced=True
    )
    variant: str = variant_param("GUAN 2.4")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"blending": "linear", "drop_rough": False, "bridges": False}

    @classmethod
    def of(cls, values: object, places: Mapping[str, str] | None = None) -> Self:
        """As for all settings; a limit with a unit of length is refused for measures that are no lengths."""
        made = super().of(values, places)
        if isinstance(values, Mapping) and made.measure != "point-cloud":
            given = [("limit", values.get("limit")), *(("limits", part) for part in made.limits.split(","))]
            for name, value in given:
                if unit := unit_typed(str(value).split()[-1] if value else ""):
                    found = f"expected a number without {unit}: distances of {made.measure} are no lengths"
                    raise BadRequest(f"{found}, found {value!r}", where=(name,))
        return made


@dataclass(frozen=True)
class RouteOptions(Settings):
    """Options for routes along paths and for random walks."""

    min_progress: float | None = param(
        None,
        "least speed along a path, so that standing still has a cost; default: half the speed of slow walks in the "
        "clips, or 0.1 m/s in a beam search",
        unit="m/s",
        low=0.01,
        high=10,
        slider=(0.01, 2.0),
        formerly=("progress",),
        advanced=True,
    )
    budget: int = param(
        30_000_000,
        "search budget: states expanded (approximate; at least four candidates are kept)",
        low=1000,
        high=10**12,
        slider=(1e5, 1e9),
        scale="log",
        advanced=True,
    )
    arrival: float = param(
        ARRIVAL,
        "a result that ends farther than this from the end of its path is reported",
        unit="m",
        low=0,
        high=100,
        slider=(0.0, 2.0),
    )
    bend: float = param(
        0.3, "largest displacement of a route to meet hard constraints", unit="m", low=0, high=100, slider=(0.0, 2.0)
    )
    bend_pose: float = param(0.35, "largest rotation of a joint to meet a hard pose", unit="rad", low=0, high=3.2)
    shortest: float = param(
        0.5, "shortest time between transitions of a random walk", unit="s", low=0, high=600, slider=(0.0, 5.0)
    )
    sampling: str = param(
        "similarity",
        "probability of the transitions of a random walk: higher for similar frames, or uniform",
        choices=("similarity", "uniform"),
        formerly=("pick",),
        renamed=(("alike", "similarity"),),
    )
    avoid_repeats: bool = param(True, "random walks avoid frames that were shown recently", formerly=("fresh",))
    steadiness: float = param(
        1.0,
        "cost of transitions that change the speed more than the clips do; 0: none",
        low=0,
        high=100,
        slider=(0.0, 10.0),
    )
    variety: float | None = param(
        None,
        "how much chance changes the route along a path (0: it is the same for every seed); default: 0 for the first "
        "take, 1 for others",
        low=0,
        high=100,
        slider=(0.0, 10.0),
    )
    clean_feet: bool = cleaning_param()

    @classmethod
    def key(cls) -> str:
        return "options"

    @property
    def walk_options(self) -> dict[str, Any]:
        """The keyword arguments of `random_route`."""
        return {name: getattr(self, name) for name in ("shortest", "sampling", "avoid_repeats", "steadiness")}
