"""Settings of parametric-graph: for learning, for synthesis, and of live characters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.methods.settings import Settings, cleaning_param, fps_param, param, variant_of_model, variant_param

SOURCE = "HECK 6.1"
WINDOW = 0.25  # s


@dataclass(frozen=True)
class Config(Settings):
    """Settings of learning."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"neighbours": 1, "split": False}

    fps: float | None = fps_param(30.0)
    variant: str = variant_param(SOURCE)
    node: tuple[str, ...] = param(
        (), "nodes, each as a line: `walk clips=walk*|stroll* parameter=turn cut=cycles`; none: one for each label"
    )
    edge: tuple[str, ...] = param(
        (), "edges that are wanted, each as `walk>run`, with limits as `walk>run good=0.1 bad=0.14` (m); none: all"
    )
    sources: int = param(
        30, "samples of a source node, with its extremes", low=2, high=1000, slider=(4, 200), symbol="n_s"
    )
    targets: int = param(
        1000, "random samples of a target node", low=2, high=20_000, slider=(100, 2000), scale="log", symbol="n_t"
    )
    region: float = param(
        0.3, "part of a clip at its end that transitions leave from, and at its beginning that they lead to", low=0.02,
        high=0.5,
    )  # fmt: skip
    radius: float = param(
        0.1, "time before and after a frame that the comparison of two motions covers", unit="s", low=0.01, high=1.0,
        advanced=True,
    )  # fmt: skip
    good: float | None = param(
        None, "largest distance of a good transition; none: 2 times that of consecutive frames", unit="m", low=0.001,
        high=2, slider=(0.02, 0.3), symbol="T_good",
    )  # fmt: skip
    bad: float | None = param(
        None, "transitions above this distance are never made; none: 1.4 times that of good ones", unit="m", low=0.001,
        high=3, slider=(0.02, 0.4), symbol="T_bad",
    )  # fmt: skip
    split: bool = param(
        True, "where only some motions of a node can continue with another, make the edge from these; the others first "
        "change into them",
    )  # fmt: skip
    epsilon: float = param(
        0.01, "how far bad samples are kept out of a box, of the range of a parameter", low=0, high=0.5, symbol="e",
        advanced=True,
    )  # fmt: skip
    neighbours: int = param(
        2, "samples of an edge that are interpolated, besides the number of parameters; the farthest has no weight",
        low=1, high=20, symbol="k - d", advanced=True,
    )  # fmt: skip
    verified: int = param(
        10_000, "random pairs by which an edge is tested at the transition point that is used", low=0, high=1_000_000,
        slider=(1000, 100_000), scale="log", advanced=True,
    )  # fmt: skip
    hubs: int = param(
        0, "make a fat graph for comparison, in which clips that repeat meet in 1 or 3 common poses; 0: no", low=0,
        high=3, advanced=True,
    )  # fmt: skip
    margin: float = param(
        0.25, "motion before and after the part of a clip that is played, for transitions", unit="s", low=0, high=2,
        advanced=True,
    )  # fmt: skip
    samples: int = param(
        300, "most blends of a node that are measured", low=0, high=100_000, slider=(100, 4000), scale="log",
        advanced=True,
    )  # fmt: skip


@dataclass(frozen=True)
class LiveOptions(Settings):
    """Settings of live characters."""

    half_life: float = param(
        0.12, "time in which parameters go half of the way to new ones within a clip; 0: set once for each clip",
        unit="s", low=0, high=5,
    )  # fmt: skip
    response: float = param(0.8, "time in which a commanded heading is to be reached", unit="s", low=0.1, high=10)
    window: float = param(WINDOW, "duration of a blended transition", unit="s", low=0.0, high=1.0)
    transitions: str = param(
        "blend", "how a clip goes over to the next: a blend, or a jump whose difference fades out (inertial)",
        choices=("blend", "inertial"),
    )  # fmt: skip
    blend: str = param("smooth", "course of a blend in time", choices=("smooth", "linear"), advanced=True)
    alignment: str = param(
        "feet", "how the next clip is laid: by the feet that stand, as far as `bad` allows, or by all joints",
        choices=("feet", "cloud"), advanced=True,
    )  # fmt: skip
    control: str = param(
        "planned", "how a place with a heading is approached: planned three clips ahead, or greedy (HECK 6.2.2.2)",
        choices=("planned", "greedy"),
    )  # fmt: skip
    first: str = param("", "node in which a character begins; none: one that can turn, by the seed")


@dataclass(frozen=True)
class Options(LiveOptions):
    """Settings of synthesis: those of live characters, and of the search."""

    FAITHFUL: ClassVar[Mapping[str, Any]] = {
        "half_life": 0.0,
        "blend": "linear",
        "alignment": "cloud",
        "control": "greedy",
        "clean_feet": False,
    }

    variant: str | None = variant_of_model(SOURCE)
    width: int = param(10, "characters that are tried at once by the search", low=1, high=1000, slider=(4, 100))
    clean_feet: bool = cleaning_param()


DEFAULT, DEFAULT_LIVE = Config(), LiveOptions()
