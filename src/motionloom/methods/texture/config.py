"""Settings of motion texture: for learning and for synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.core import BadRequest
from motionloom.core.errors import Problems
from motionloom.methods.settings import Settings, cleaning_param, fps_param, param, variant_of_model, variant_param

ORDERS = ("file", "breadth-first", "depth-first")
FAITHFUL_ONLY = ("variant", "faithful")
IMPROVED_ONLY = ("variant", "improved")


@dataclass(frozen=True)
class Config(Settings):
    """What learning needs: the influence M of the joints on each other (EDEN 3.3.4)."""

    fps: float | None = fps_param(30.0)
    influence: str = param(
        "bones",
        "influence of one joint on another: 1 / distance along the bones, 1 / number of bones between, or constant",
        choices=("bones", "hops", "constant"),
        symbol="M",
    )
    self_weight: float = param(
        2.0, "influence of a joint on itself", low=0, high=1000, slider=(0.1, 10.0), scale="log", symbol="M(l, l)"
    )
    other_weight: float = param(
        0.1,
        "influence of any joint on any other, where it is constant",
        low=0,
        high=1000,
        slider=(0.01, 1.0),
        scale="log",
        only_with=("influence", "constant"),
        advanced=True,
    )
    influence_file: str | None = param(
        None,
        "CSV with the influence of the joint of each column on the joint of each row; takes precedence",
        advanced=True,
    )
    variant: str = variant_param("EDEN")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"influence": "hops"}
    FILES: ClassVar[tuple[str, ...]] = ("influence_file",)


def _frames_list(default: tuple[float, ...] | None, text: str, symbol: str, **facts: Any) -> Any:
    limits: dict[str, Any] = {"low": 1, "high": 301, "slider": (3.0, 61.0), "unit": "frames"} | facts
    return param(default, text, symbol=symbol, only_with=FAITHFUL_ONLY, advanced=True, **limits)


def _weights_list(text: str) -> Any:
    return param((1.0,), text, low=0, high=1e6, slider=(0.0, 10.0), only_with=FAITHFUL_ONLY, advanced=True)


@dataclass(frozen=True)
class Options(Settings):
    """What synthesis needs. Lists are by level, the finest first, or by pass; the last value counts for all others."""

    tolerance: float = param(
        2.0,
        "candidates within this multiple of the least distance are chosen from",
        low=1,
        high=100,
        slider=(1.0, 4.0),
        symbol="c",
        only_with=FAITHFUL_ONLY,
    )
    window: tuple[float, ...] = _frames_list((9.0,), "odd length of the neighbourhood, by level", "K")
    falloff: tuple[float, ...] | None = _frames_list(
        None, "deviation of the Gaussian over time, by level; default: a quarter of the window", "w_G", low=0.1
    )
    levels: int = param(1, "levels of the pyramid", low=1, high=8, slider=(1, 4), only_with=FAITHFUL_ONLY)
    passes: int = param(1, "passes over each level", low=1, high=50, slider=(1, 8), only_with=FAITHFUL_ONLY)
    joint_order: str = param(
        "file",
        "order in which the joints of a frame are synthesized",
        choices=ORDERS,
        only_with=FAITHFUL_ONLY,
        advanced=True,
    )
    padding: str = param(
        "none",
        "frames near the ends of clips are no candidates, or clips are continued by their reflection",
        choices=("none", "reflected"),
        only_with=FAITHFUL_ONLY,
        advanced=True,
    )
    point_weight: tuple[float, ...] = _weights_list("weight of the root's position, by pass")
    orientation_weight: tuple[float, ...] = _weights_list("weight of the root's orientation, by pass")
    coarse_weight: float = param(
        1.0,
        "weight of the coarser level of the pyramid",
        low=0,
        high=1000,
        slider=(0.0, 4.0),
        symbol="w_Multi",
        only_with=FAITHFUL_ONLY,
        advanced=True,
    )
    key_share: float = param(
        0.5,
        "share of the weight of a key that the next coarser level keeps",
        low=0,
        high=1,
        only_with=FAITHFUL_ONLY,
        advanced=True,
    )
    hard_key_weight: float = param(
        10.0,
        "weight of a hard key on the coarser levels, where it is soft, before the share is taken",
        low=0,
        high=1e6,
        slider=(0.1, 100.0),
        scale="log",
        only_with=FAITHFUL_ONLY,
        advanced=True,
    )
    loop: bool = param(False, "the last frame leads on to the first, so it can be repeated", only_with=IMPROVED_ONLY)
    blend: float = param(
        0.5,
        "duration of the crossfade from one stretch to the next",
        unit="s",
        low=0.0,
        high=2,
        only_with=IMPROVED_ONLY,
        advanced=True,
    )
    bend_pose: float = param(
        1.0,
        "largest turn of a joint from a frame that can be shown to a hard pose",
        unit="rad",
        low=0,
        high=3.2,
        only_with=IMPROVED_ONLY,
        advanced=True,
    )
    clean_feet: bool = cleaning_param()
    variant: str | None = variant_of_model("EDEN")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"clean_feet": False}

    def __post_init__(self) -> None:
        super().__post_init__()
        problems = Problems()
        for i, frames in enumerate(self.window):
            if frames % 2 != 1:
                with problems.collect():
                    raise BadRequest(
                        f"expected an odd number of frames, found {frames:g}", where=("options", "window", i)
                    )
        for name in ("window", "falloff", "point_weight", "orientation_weight"):
            if getattr(self, name) is not None and not getattr(self, name):
                with problems.collect():
                    raise BadRequest("expected at least one number, found none", where=("options", name))
        problems.raise_found()

    def window_at(self, level: int) -> int:
        """K of a level."""
        return int(self.window[min(level, len(self.window) - 1)])

    def falloff_at(self, level: int) -> float:
        """The deviation of w_G on a level, in frames."""
        if self.falloff is None:
            return self.window_at(level) / 4
        return self.falloff[min(level, len(self.falloff) - 1)]

    def root_weights_at(self, number: int) -> tuple[float, float]:
        """The weights of the root's position and orientation in a pass."""
        return tuple(w[min(number, len(w) - 1)] for w in (self.point_weight, self.orientation_weight))  # type: ignore[return-value]


DEFAULT = Config()
DEFAULT_OPTIONS = Options()
