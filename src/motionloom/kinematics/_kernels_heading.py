"""The heading of a body in compiled code: the same definition as `travel.root_headings`. Plain arrays, no checks."""

from __future__ import annotations

import math
from typing import Any

from motionloom.core._jit import kernel
from motionloom.core._kernels_rotation import turned_left

UPRIGHT = 0.5  # cosine of `travel.OVER`: a body that leans farther loses its heading, and has none upside down


@kernel
def body_rotation(q: Any, axes: Any) -> Any:
    """q axes: the rotation (w, x, y, z) of the body's own axes (`travel.body_axes`) for a rotation q of the hips."""
    return (
        q[0] * axes[0] - q[1] * axes[1] - q[2] * axes[2] - q[3] * axes[3],
        q[0] * axes[1] + q[1] * axes[0] + q[2] * axes[3] - q[3] * axes[2],
        q[0] * axes[2] - q[1] * axes[3] + q[2] * axes[0] + q[3] * axes[1],
        q[0] * axes[3] + q[1] * axes[2] - q[2] * axes[1] + q[3] * axes[0],
    )


@kernel
def face(q: Any, axes: Any, heading: float) -> None:
    """Turn the hips' rotation q (4,) about the vertical to a heading, in place; less while they are upside down."""
    w, x, y, z = body_rotation(q, axes)
    own = 2.0 * math.atan2(-y if w < 0 else y, abs(w))
    up = 1.0 - 2.0 * (x * x + z * z)
    p = min(1.0, max(0.0, 0.5 + up / (2.0 * UPRIGHT)))
    turned_left(heading - p * p * (3.0 - 2.0 * p) * own, q, q)
