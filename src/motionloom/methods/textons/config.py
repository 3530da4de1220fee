"""What learning textons is told, and what making motion with them is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.methods.settings import Settings, fps_param, param, variant_of_model, variant_param


@dataclass(frozen=True)
class Config(Settings):
    """What learning needs."""

    fps: float | None = fps_param(60.0)
    tolerance: float = param(
        0.65,
        "fit error that opens a new texton, as a share of the clips' deviation",
        low=0.01,
        high=100,
        slider=(0.05, 2.0),
        scale="log",
    )
    shortest: float = param(1.0, "shortest segment", unit="s", symbol="T_min", low=0.1, high=600, slider=(0.1, 5.0))
    variance: float = param(0.99, "share of variance that a texton's basis keeps", low=0.5, high=1.0, advanced=True)
    dimensions: int = param(25, "most dimensions of a texton's state", low=1, high=60, advanced=True)
    count: str = param("tolerance", "what decides how many textons", choices=("tolerance", "bic", "mdl"), advanced=True)
    textons: int | None = param(
        None, "most textons; default: as many as `count` decides", low=1, high=10_000, slider=(1.0, 100.0)
    )
    rounds: int = param(15, "most rounds of expectation and maximisation", low=1, high=100, advanced=True)
    smoothing: float = param(
        0.1,
        "pseudo-count of transitions while learning",
        low=1e-6,
        high=1e6,
        slider=(1e-3, 10.0),
        scale="log",
        advanced=True,
    )
    ridge: float = param(
        1e-3,
        "weight of the pull towards constant velocity",
        unit="m^2",
        low=0,
        high=1e6,
        slider=(1e-6, 1.0),
        scale="log",
        advanced=True,
    )
    floor: float = param(
        1e-3,
        "noise that every texton has at least",
        unit="m",
        low=1e-6,
        high=1.0,
        slider=(1e-5, 0.1),
        scale="log",
        advanced=True,
    )
    common: float = param(
        3.0,
        "how much of all the material every texton is fitted to, besides its own; 0 = none (as LI)",
        unit="s",
        low=0,
        high=3600,
        slider=(0.0, 20.0),
        advanced=True,
    )
    variant: str = variant_param("LI")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {"common": 0, "ridge": 1e-9}  # eq. 13 has none; it keeps systems solvable


@dataclass(frozen=True)
class Options(Settings):
    """What synthesis needs."""

    push: str = param(
        "observed",
        "what drives a texton besides noise: what drove an observed segment, or nothing (as LI)",
        choices=("observed", "nothing"),
    )
    noise: float | None = param(
        None,
        "amount of noise, 1 = as learnt; default: by the spread of observed segments (a sixth of that if pushed)",
        low=0,
        high=100,
        slider=(0.0, 3.0),
    )
    sway: float = param(
        0.2,
        "how long the noise beside an observed push takes to change; 0 = anew in every frame (as LI)",
        unit="s",
        low=0,
        high=2,
        only_with=("push", "observed"),
        advanced=True,
    )
    nearness: float = param(
        3.0, "preference for key poses that follow closely, 0 = any (as LI)", low=0, high=10, advanced=True
    )
    unseen: float = param(
        0.7,
        "largest distance of a join never seen, as a share of the median of all pairs; 0 = none (as LI)",
        low=0,
        high=2,
        advanced=True,
    )
    evenly: bool = param(
        True, "show all observed segments equally often in the long run; false = as M says (as LI)", advanced=True
    )
    vary: float = param(
        0.035,
        "how far the joint that turns most is turned from an observed key pose; 0 = not at all (as LI)",
        unit="rad",
        low=0,
        high=0.5,
    )
    length: float = param(1.0, "how long textons are made, 1 = as observed", low=0.25, high=8)
    longer: str = param(
        "cycles", "how a texton lasts longer than observed: cycles said again, or slower", choices=("cycles", "slower")
    )
    path: tuple[str, ...] | None = param(
        None,
        "textons in order, as [3, 3, 7#1, 1=2.5]: #1 names a segment of a texton, =2.5 its seconds, and 7#1@0.5..1.2 a "
        "part of it; poses then bend these textons instead of choosing them",
    )
    way: str = param(
        "fixed",
        "between two poses: the best path of as many textons as fit, or the most probable one of all, textons repeated",
        choices=("fixed", "cheapest"),
    )
    ends: str = param(
        "met",
        "a texton ends in the key poses of the next, or anywhere (as LI 5.3) and the next goes on from there",
        choices=("met", "free"),
    )
    stage: float | None = param(
        None,
        "radius around the start that a long motion turns back to; default: 3 m, or as far as five segments lead",
        unit="m",
        low=0.1,
        high=1e6,
        slider=(0.5, 20.0),
        scale="log",
    )
    clean_feet: bool = param(True, "feet stand, swing and stay on the ground as observed; false = as LI", advanced=True)
    variant: str | None = variant_of_model("LI")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {
        "push": "nothing",
        "noise": 1,
        "sway": 0,
        "nearness": 0,
        "unseen": 0,
        "evenly": False,
        "vary": "0deg",
        "stage": 1e6,
        "clean_feet": False,
    }


DEFAULT = Config()
DEFAULT_OPTIONS = Options()
