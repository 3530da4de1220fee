"""The functions of `numbers` and angles for use inside kernels: on one number, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def smoothstep(x: Any) -> Any:
    """`core.numbers.smoothstep`."""
    u = min(max(x, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)


@kernel
def wrap_angle(angle: Any) -> Any:
    """`rotation.wrap_angle`."""
    return (angle + np.pi) % (2 * np.pi) - np.pi
