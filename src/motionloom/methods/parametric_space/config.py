"""Settings of parametric-space: for learning and for synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.methods.settings import Settings, cleaning_param, fps_param, param, variant_of_model, variant_param

SOURCE = "HECK 3.5"
REGISTRATIONS = ("auto", "uniform", "key-times", "time-warp")


@dataclass(frozen=True)
class Config(Settings):
    """Settings of learning."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"registration": "time-warp"}

    fps: float | None = fps_param(30.0)
    variant: str = variant_param(SOURCE)
    parameter: tuple[str, ...] = param(
        ("travel_turn",), "motion parameters of the space, from the table or given with --measure"
    )
    cut: str = param(
        "auto",
        "how examples are cut from clips: auto, cycles (a step of a foot to its next), none (whole clips), or a label, "
        "around whose runs they are cut",
    )
    before: float = param(0.6, "time before the middle of a label's run", unit="s", low=0.05, high=30, advanced=True)
    after: float = param(0.6, "time after the middle of a label's run", unit="s", low=0.05, high=30, advanced=True)
    margin: float = param(
        0.25,
        "motion before and after the part that is played, for transitions: half a window and the radius of a cloud",
        unit="s",
        low=0,
        high=2,
        advanced=True,
    )
    mirror: str = param(
        "cycles", "mirrored copies: of cycles (those of the other foot), of all examples, or none",
        choices=("cycles", "all", "none"),
    )  # fmt: skip
    repeat: str = param(
        "auto", "whether the motion repeats: auto (cycles do, and clips that end as they begin), yes, or no",
        choices=("auto", "yes", "no"),
    )  # fmt: skip
    registration: str = param(
        "auto",
        "how examples are registered in time: auto (key times of steps where examples have the same, or time warping)",
        choices=REGISTRATIONS,
    )
    most_cost: float = param(
        0.25, "an example whose poses are farther than this from the reference's is too dissimilar", unit="m",
        low=0.001, high=10, slider=(0.05, 1.0), advanced=True,
    )  # fmt: skip
    merge: float = param(
        0.04, "of cuts whose parameters differ by less than this share of the range, one is kept", low=0, high=0.5,
        slider=(0.0, 0.2), advanced=True,
    )  # fmt: skip
    samples: int = param(
        1000, "most blends that are measured; fewer if parameters can be predicted earlier", low=0, high=100_000,
        slider=(100, 4000), scale="log",
    )  # fmt: skip
    together: int | None = param(
        None, "most examples in a measured blend; none: two more than parameters", low=2, high=64, symbol="m",
        advanced=True,
    )  # fmt: skip
    smoothness: float = param(
        1.0, "how far weights spread over neighbouring examples: 0.01 is a triangulation", low=0.001, high=100,
        slider=(0.01, 10.0), scale="log", advanced=True,
    )  # fmt: skip


@dataclass(frozen=True)
class Options(Settings):
    """Settings of synthesis."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"weights": "nearest", "corrections": 0, "clean_feet": False}

    variant: str | None = variant_of_model(SOURCE)
    weights: str = param(
        "smooth", "how weights follow from parameters: smooth, or nearest (HECK eqs 6.1-6.2)",
        choices=("smooth", "nearest"),
    )  # fmt: skip
    neighbours: int | None = param(
        None, "samples that nearest uses; none: two more than parameters", low=2, high=1000, symbol="k", advanced=True
    )
    corrections: int = param(
        6, "most times that the request is corrected by the parameters measured on the result", low=0, high=50,
        slider=(0, 10), advanced=True,
    )  # fmt: skip
    clean_feet: bool = cleaning_param()


@dataclass(frozen=True)
class LiveOptions(Settings):
    """Settings of live characters."""

    half_life: float = param(0.15, "time in which weights go half of the way to new ones", unit="s", low=0.01, high=5)
    response: float = param(0.8, "time in which a commanded heading is to be reached", unit="s", low=0.1, high=10)


DEFAULT, DEFAULT_LIVE = Config(), LiveOptions()
