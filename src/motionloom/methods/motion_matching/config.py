"""What learning and synthesis with motion matching can be set to."""

from __future__ import annotations

from dataclasses import dataclass

from motionloom.methods.settings import Settings, fps_param, param


@dataclass(frozen=True)
class Config(Settings):
    """What learning needs."""

    fps: float | None = fps_param(30.0)
    horizon: float = param(1.0, "how far ahead trajectories are compared", unit="s", low=0.2, high=3)
    trajectory_position: float = param(
        1.0, "weight of where the body will be", low=0, high=100, slider=(0.0, 5.0), advanced=True
    )
    trajectory_direction: float = param(
        1.5, "weight of which way it will face", low=0, high=100, slider=(0.0, 5.0), advanced=True
    )
    foot_position: float = param(
        0.75, "weight of where the feet are", low=0, high=100, slider=(0.0, 5.0), advanced=True
    )
    foot_velocity: float = param(1.0, "weight of how the feet move", low=0, high=100, slider=(0.0, 5.0), advanced=True)
    hip_velocity: float = param(1.0, "weight of how the hips move", low=0, high=100, slider=(0.0, 5.0), advanced=True)
    mirror: bool = param(False, "learn every clip's mirror image too")


@dataclass(frozen=True)
class Options(Settings):
    """What synthesis and live characters need."""

    interval: float = param(
        0.1, "time between searches; a changed command starts one at once", unit="s", low=0.01, high=2
    )
    half_life: float = param(0.1, "time in which half of a jump between frames fades out", unit="s", low=0.01, high=1)
    response: float = param(0.25, "time in which half of a commanded change should be made", unit="s", low=0.02, high=2)
    steering: float = param(0.2, "fastest turn added to the clips' own, to keep a heading", unit="rad/s", low=0, high=3)
    persistence: float = param(
        0.1, "a frame is jumped to if its cost is lower than going on, by this share", low=0, high=0.9
    )


DEFAULT_OPTIONS = Options()
