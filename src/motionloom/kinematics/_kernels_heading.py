"""The heading of a body in compiled code: the same definition as `travel.root_headings`. Plain arrays, no checks."""

from __future__ import annotations

import math
from typing import Any

from motionloom.core._jit import kernel
from motionloom.core._kernels_rotation import turned_left
from motionloom.kinematics.feet._kernels_two_bone import multiply

UPRIGHT = 0.5  # cosine of `travel.OVER`: a body that leans farther loses its heading, and has none upside down


@kernel
def face(q: Any, axes: Any, heading: float) -> None:
    """Turn the hips' rotation q (4,) about the vertical to a heading, in place; less while they are upside down."""
    w, x, y, z = multiply(q, axes)  # the rotation of the body's own axes (`travel.body_axes`)
    own = 2.0 * math.atan2(-y if w < 0 else y, abs(w))
    up = 1.0 - 2.0 * (x * x + z * z)
    p = min(1.0, max(0.0, 0.5 + up / (2.0 * UPRIGHT)))
    turned_left(heading - p * p * (3.0 - 2.0 * p) * own, q, q)
