"""Settings of gaze: for learning and for synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from typing import Any, ClassVar

from motionloom.methods.settings import Settings, fps_param, param, variant_of_model, variant_param

SOURCE = "HECK 5.2"


@dataclass(frozen=True)
class Config(Settings):
    """Settings of learning."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"extraction": "thresholds"}
    FILES: ClassVar[tuple[str, ...]] = ("targets", "markers")

    fps: float | None = fps_param(60.0)
    variant: str = variant_param(SOURCE)
    targets: str | None = param(
        None, "CSV of the takes' targets: file, yaw, pitch (deg), and to crop by hand start, end (s); none: from names"
    )
    markers: str | None = param(None, "TOML with the names of the markers, if they are others")
    extraction: str = param(
        "fitted",
        "how numbers are taken from a take: fitted (the curve, to all frames), or thresholds (on velocities, HECK)",
        choices=("fitted", "thresholds"),
    )


@dataclass(frozen=True)
class Options(Settings):
    """Settings of synthesis."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"weights": "nearest"}

    variant: str | None = variant_of_model(SOURCE)
    weights: str = param(
        "continuous", "how examples are weighted: continuous, or nearest (HECK)", choices=("continuous", "nearest")
    )
    neighbours: int = param(4, "examples that nearest uses", low=2, high=100, slider=(2, 10), symbol="k", advanced=True)
    along: float | None = param(
        None, "where nothing else is asked, look at the path so far ahead; none: as the base motion does", unit="m",
        low=0.3, high=100, slider=(0.5, 10.0),
    )  # fmt: skip
    along_height: float = param(
        0.0, "height above the ground of the point on the path ahead", unit="m", low=-10, high=10, slider=(0.0, 2.0),
        only_with=("along",), advanced=True,
    )  # fmt: skip
    relative: bool = param(
        False, "yaw and pitch of look_at are changes of the base motion's own gaze (HECK), not seen from the hips"
    )
    strength: float = param(
        1.0, "how far spine and neck turn, times the performer's; the eyes do the rest", low=0, high=3,
        slider=(0.0, 2.0),
    )  # fmt: skip
    speed: float = param(1.0, "speed of shifts, times the performer's", low=0.1, high=10, slider=(0.3, 3.0))
    shares: tuple[float, ...] = param(
        (1.0, 1.0, 1.0, 1.0), "factors of pelvis, lower spine, upper spine and neck", low=0, high=5, advanced=True
    )
    cone: float = param(
        pi, "a target farther than this from ahead is let go, until it is 20 degrees nearer", unit="rad",
        low=0.5, high=pi, slider=(0.8, pi), advanced=True,
    )  # fmt: skip
    bob: str = param(
        "compensated",
        "the head's movements within a step while a point is looked at: compensated by eyes and neck, or kept",
        choices=("compensated", "kept"), advanced=True,
    )  # fmt: skip
    reaim: str = param(
        "auto", "whether the base motion's own looking around is taken out: auto (if it looks around), yes, no",
        choices=("auto", "yes", "no"), advanced=True,
    )  # fmt: skip
    eyes: bool = param(False, "add eye joints to a body without; otherwise its head does their part")
    clean_feet: bool = param(False, "pin planted feet, which otherwise keep the bits of the base motion", advanced=True)


DEFAULT = Config()
