"""Settings of variation: for learning and for synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.methods.settings import Settings, cleaning_param, fps_param, param, variant_of_model, variant_param

SOURCE = "LAU"
SCORES = ("one-step", "propagated", "growing", "squared")  # numbered as in `_kernels_transition`


def amount_param() -> Any:
    """The amount of variation."""
    return param(
        1.0, "amount of variation: 0 the mean motion, 1 as in the clips, more within their range", low=0, high=4,
        slider=(0.0, 2.0), symbol="sigma",
    )  # fmt: skip


def parts_param() -> Any:
    """Other amounts for parts of the body."""
    return param((), "other amounts for parts of the body, as [left_arm=0.5, head=0]", advanced=True)


def hold_param() -> Any:
    """Whether standing feet are held in place."""
    return param(True, "hold feet in place while they stand, by a vote of the clips (eq 7)")


@dataclass(frozen=True)
class Config(Settings):
    """What learning needs."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {
        "scale": "radians",
        "neighbour_count": "count",
        "score": "propagated",
        "kernel_width": 0.5,
        "least_gain": 0.0,
        "restarts": 1,
    }

    fps: float | None = fps_param(30.0, low=1, high=1000)
    variant: str = variant_param(SOURCE)
    scale: str = param(
        "reach",
        "what differences are compared in: metres at the tip of the limb, radians, or standard deviations",
        choices=("reach", "radians", "deviation"),
        advanced=True,
    )
    neighbours: int = param(
        30, "nearest instances of a regression; all, where there are fewer", low=2, high=10_000, slider=(15, 60),
        symbol="k",
    )  # fmt: skip
    kernel_width: float = param(
        0.2,
        "width of the kernel: a share of the root mean square deviation of the degrees of freedom",
        low=0.001,
        high=100,
        slider=(0.05, 2.0),
        scale="log",
        symbol="K_W",
        advanced=True,
    )
    velocity: float = param(
        1.0, "weight of the velocity in the distance of instances", low=0, high=1000, slider=(0.0, 10.0), advanced=True
    )
    neighbour_count: str = param(
        "effective",
        "n_k of eq 6: (sum w)^2 / (sum w^2), or how many weights are not zero",
        choices=("effective", "count"),
        symbol="n_k",
        advanced=True,
    )
    target: str = param(
        "delta", "what is predicted: changes from the frame before, or values", choices=("delta", "value"),
        advanced=True,
    )  # fmt: skip
    floor: float = param(
        0.01,
        "smallest variance of a prediction, as a share of that of all values",
        low=1e-6,
        high=1,
        slider=(1e-4, 0.1),
        scale="log",
        advanced=True,
    )
    pairs: int = param(
        10, "pairs of frames at the beginning of each clip that the prior network learns from", low=1, high=1000,
        slider=(1, 30), advanced=True,
    )  # fmt: skip
    score: str = param(
        "squared",
        "score of a transition network: of single frames; of re-synthesised sequences (eq 4); the same with a variance "
        "that grows with time; or squared error",
        choices=SCORES,
        advanced=True,
    )
    parents: int = param(15, "most parents of a node", low=1, high=1000, slider=(2, 30), advanced=True)
    least_gain: float = param(
        0.05, "gain per instance below which the prior network is left as it is", low=0, high=100, slider=(0.0, 1.0),
        advanced=True,
    )  # fmt: skip
    rounds: int = param(3, "rounds of updates of the transition network", low=0, high=1000, slider=(0, 10))
    candidates: int = param(
        8, "parents tried for each node in a round", low=1, high=100_000, slider=(4, 64), advanced=True
    )
    tries: int = param(
        20, "updates in a round whose full score is computed", low=1, high=100_000, slider=(10, 200), advanced=True
    )
    restarts: int = param(0, "searches from random edges, beside the one from none", low=0, high=100, slider=(0, 8))


@dataclass(frozen=True)
class Options(Settings):
    """What synthesis needs."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"hold_feet": False, "clean_feet": False}

    variant: str | None = variant_of_model(SOURCE)
    amount: float = amount_param()
    parts: tuple[str, ...] = parts_param()
    hold_feet: bool = hold_param()
    clean_feet: bool = cleaning_param()
    ease: float = param(0.15, "shortest time over which limbs move to their targets and back", unit="s", low=0, high=2)


DEFAULT = Config()
