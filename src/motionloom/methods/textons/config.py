"""Settings of learning textons, and options of synthesis with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from motionloom.methods.settings import Settings, fps_param, param, variant_of_model, variant_param


@dataclass(frozen=True)
class Config(Settings):
    """Settings of learning."""

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
    selection: str = param(
        "tolerance",
        "criterion for the number of textons",
        choices=("tolerance", "bic", "mdl"),
        advanced=True,
        formerly=("count",),
    )
    textons: int | None = param(None, "most textons; default: by `selection`", low=1, high=10_000, slider=(1.0, 100.0))
    recurring: bool = param(
        True,
        "drop textons that were seen once, where another describes their segment better than half of it describes the "
        "other half; false = keep (as LI)",
        advanced=True,
    )
    rounds: int = param(15, "most rounds of EM", low=1, high=100, advanced=True)
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
    noise_floor: float = param(
        1e-3,
        "least noise of a texton",
        unit="m",
        low=1e-6,
        high=1.0,
        slider=(1e-5, 0.1),
        scale="log",
        advanced=True,
        formerly=("floor",),
    )
    noise_weight: float = param(
        10.0,
        "frames for which `noise_floor` counts in the noise of a texton",
        low=1e-6,
        high=1e6,
        slider=(0.01, 100.0),
        scale="log",
        advanced=True,
    )
    pooled: float = param(
        6.0,
        "weight of all clips together in the fit of every texton; 0 = none (as LI)",
        unit="s",
        low=0,
        high=3600,
        slider=(0.0, 20.0),
        advanced=True,
        formerly=("common",),
    )
    variant: str = variant_param("LI")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {
        "pooled": 0,
        "recurring": False,
        "ridge": 1e-9,  # eq. 13 has neither; they keep systems solvable
        "noise_weight": 0.01,
    }


@dataclass(frozen=True)
class Options(Settings):
    """Options of synthesis."""

    drive: str = param(
        "observed",
        "what drives a texton: the input of an observed segment and noise, or noise alone (as LI)",
        choices=("observed", "noise"),
        formerly=("push",),
        renamed=(("nothing", "noise"),),
    )
    noise: float | None = param(
        None,
        "amount of noise, 1 = as learned; default: the spread of observed segments (a third of it with drive observed)",
        low=0,
        high=100,
        slider=(0.0, 3.0),
    )
    noise_time: float = param(
        0.5,
        "correlation time of the noise beside an observed drive; 0 = white noise (as LI)",
        unit="s",
        low=0,
        high=2,
        only_with=("drive", "observed"),
        advanced=True,
        formerly=("sway",),
    )
    drive_variation: float = param(
        1.0,
        "share of the slow part of an observed drive that is drawn anew, with the same spectrum (root and legs: 0.4 of "
        "it); 0 = as observed",
        low=0,
        high=1,
        only_with=("drive", "observed"),
    )
    distance_penalty: float = param(
        3.0,
        "how fast the probability of a join falls with the distance of its poses; 0 = not at all (as LI)",
        low=0,
        high=10,
        advanced=True,
        formerly=("nearness",),
    )
    unseen_limit: float = param(
        0.7,
        "largest distance of a join that was never seen, as a share of the median of all pairs; 0 = none (as LI)",
        low=0,
        high=2,
        advanced=True,
        formerly=("unseen",),
    )
    joins: str = param(
        "anywhere",
        "where segments are joined: wherever they come near to each other, or the end of one to the start of another "
        "(as LI)",
        choices=("anywhere", "ends"),
    )
    max_copy: float = param(
        1.2,
        "time after which a walk leaves the clip that it follows, where it can",
        unit="s",
        low=0.5,
        high=600,
        slider=(0.5, 5.0),
        only_with=("joins", "anywhere"),
        advanced=True,
    )
    steadiness: float = param(
        1.0,
        "how far walks avoid changes of speed at joins; 0 = not at all",
        low=0,
        high=100,
        slider=(0.0, 5.0),
        only_with=("joins", "anywhere"),
        advanced=True,
    )
    balanced: bool = param(
        True,
        "show all observed segments equally often in the long run; false = by the transition matrix (as LI)",
        advanced=True,
        formerly=("evenly",),
    )
    key_variation: float = param(
        0.035,
        "random turn of the key poses, of the joint that turns most; 0 = as observed (as LI)",
        unit="rad",
        low=0,
        high=0.5,
        formerly=("vary",),
    )
    length_factor: float = param(1.0, "length of textons, 1 = as observed", low=0.25, high=8, formerly=("length",))
    lengthening: str = param(
        "cycles",
        "how a texton is made longer than observed: by repeated cycles, or by slowing it down",
        choices=("cycles", "slowing"),
        formerly=("longer",),
        renamed=(("slower", "slowing"),),
    )
    path: tuple[str, ...] | None = param(
        None,
        "textons in order, as [3, 3, 7#1, 1=2.5]: #1 names a segment of a texton, =2.5 its seconds, and 7#1@0.5..1.2 a "
        "part of it; poses then bend these textons instead of choosing them",
    )
    route: str = param(
        "timed",
        "between two poses: the best path that lasts as long as requested, or the most probable path of any length",
        choices=("timed", "most_probable"),
        formerly=("way",),
        renamed=(("fixed", "timed"), ("cheapest", "most_probable")),
    )
    texton_count: int | None = param(
        None,
        "textons of the path from one pose to the next, both ends included; default: any number",
        low=2,
        high=1000,
        slider=(2.0, 20.0),
        only_with=("route", "most_probable"),
        advanced=True,
    )
    ends: str = param(
        "met",
        "a texton ends in the key poses of the next, or free (as LI 5.3) and the next starts from there",
        choices=("met", "free"),
    )
    stage_radius: float | None = param(
        None,
        "radius around the start within which a long motion stays; default: 3 m, or room for five segments",
        unit="m",
        low=0.1,
        high=1e6,
        slider=(0.5, 20.0),
        scale="log",
        formerly=("stage",),
    )
    clean_feet: bool = param(
        True, "feet stand, swing and stay on the ground as observed; false = no correction (as LI)", advanced=True
    )
    variant: str | None = variant_of_model("LI")

    FAITHFUL: ClassVar[Mapping[str, Any]] = {
        "drive": "noise",
        "noise": 1,
        "noise_time": 0,
        "drive_variation": 0,
        "distance_penalty": 0,
        "unseen_limit": 0,
        "joins": "ends",
        "balanced": False,
        "key_variation": "0deg",
        "stage_radius": 1e6,
        "clean_feet": False,
    }


DEFAULT = Config()
DEFAULT_OPTIONS = Options()
