"""Settings that all methods of spaces share: parameters, cutting, registration; corrections of results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from motionloom.methods.settings import Settings, cleaning_param, fps_param, param

REGISTRATIONS = ("auto", "uniform", "key-times", "time-warp")


@dataclass(frozen=True)
class SpaceConfig(Settings):
    """Settings of learning."""

    fps: float | None = fps_param(30.0)
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
        "cycles",
        "mirrored copies: of cycles of the right foot, which then begin with the left; of all examples, so that "
        "one that turns to the left also turns to the right; none",
        choices=("cycles", "all", "none"),
    )
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


def samples_param(default: int, help: str) -> Any:
    """The setting for the number of blends that learning measures."""
    return param(default, help, low=0, high=100_000, slider=(100, 4000), scale="log")


@dataclass(frozen=True)
class SpaceOptions(Settings):
    """Settings of synthesis."""

    corrections: int = param(
        6, "most times that the request is corrected by the parameters measured on the result", low=0, high=50,
        slider=(0, 10), advanced=True,
    )  # fmt: skip
    clean_feet: bool = cleaning_param()
