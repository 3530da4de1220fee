"""Settings of motion matching: for learning, for synthesis and for live characters."""

from __future__ import annotations

from dataclasses import dataclass

from motionloom.methods.settings import Settings, fps_param, param


@dataclass(frozen=True)
class Config(Settings):
    """Settings for learning."""

    fps: float | None = fps_param(30.0)
    horizon: float = param(1.0, "length of the future trajectories that are compared", unit="s", low=0.2, high=3)
    trajectory_position: float = param(
        1.0, "weight of future positions", low=0, high=100, slider=(0.0, 5.0), advanced=True
    )
    trajectory_direction: float = param(
        1.5, "weight of future facing directions", low=0, high=100, slider=(0.0, 5.0), advanced=True
    )
    foot_position: float = param(0.75, "weight of foot positions", low=0, high=100, slider=(0.0, 5.0), advanced=True)
    foot_velocity: float = param(1.0, "weight of foot velocities", low=0, high=100, slider=(0.0, 5.0), advanced=True)
    hip_velocity: float = param(1.0, "weight of the hip velocity", low=0, high=100, slider=(0.0, 5.0), advanced=True)
    mirror: bool = param(False, "learn the mirror image of every clip too")


@dataclass(frozen=True)
class Options(Settings):
    """Options for synthesis and live characters."""

    interval: float = param(
        0.1, "time between searches; a changed command starts one at once", unit="s", low=0.01, high=2
    )
    half_life: float = param(0.1, "half-life of the offset after a jump between frames", unit="s", low=0.01, high=1)
    response: float = param(0.25, "half-life of the change to a new command", unit="s", low=0.02, high=2)
    steering: float = param(
        0.2, "largest turn rate added to the clips' own to keep a heading", unit="rad/s", low=0, high=3
    )
    persistence: float = param(0.1, "relative cost reduction that a jump to another frame needs", low=0, high=0.9)


DEFAULT_OPTIONS = Options()
