"""Settings of cuts: for learning and for synthesis."""

from __future__ import annotations

from dataclasses import dataclass

from motionloom.methods.settings import Settings, fps_param, param


@dataclass(frozen=True)
class Config(Settings):
    """Settings for learning."""

    fps: float | None = fps_param(30.0, low=1, high=1000)
    largest: float = param(
        0.06,
        "largest seam: RMS over joints of pose and velocity difference",
        unit="m",
        low=0,
        high=10,
        slider=(0.005, 0.5),
        scale="log",
    )
    shortest: float = param(0.5, "shortest loop", unit="s", low=0.1, high=600, slider=(0.1, 5.0))
    apart: float = param(
        0.1,
        "cuts closer in time than this to a better one are left out",
        unit="s",
        low=0.01,
        high=60,
        slider=(0.01, 1.0),
        advanced=True,
    )


@dataclass(frozen=True)
class Options(Settings):
    """Options for synthesis."""

    eagerness: float = param(0.5, "probability of taking a cut where one is possible", low=0, high=1)
    shortest: float = param(
        0.8, "shortest piece, where there is a choice", unit="s", low=0, high=600, slider=(0.0, 5.0)
    )
    bend_pose: float = param(0.35, "largest rotation of a joint to meet a hard pose", unit="rad", low=0, high=3.2)
