"""How a clip is laid on the ground in a transition: alignments of two clouds of joints. No checks.

A cloud is (points (3 J, 3), feet (P, 3), contacts (P,)), see `_kernels_body`. An alignment is a turn and a shift x, z
of the second cloud.
"""

from __future__ import annotations

import math
from typing import Any

from motionloom.core._jit import kernel

FRAMES = 3  # of a cloud


@kernel
def cloud_distance(a: Any, b: Any, frame_weights: Any) -> Any:
    """Root mean square distance (m) of points under the best turn and shift of b on the ground; and these.

    GUAN eqs 2.28-2.31 with weights that sum to 1 (see errata): (distance, turn, x, z).
    """
    joints = len(a) // FRAMES
    ax, az, bx, bz = 0.0, 0.0, 0.0, 0.0
    for f in range(FRAMES):
        for j in range(f * joints, (f + 1) * joints):
            w = frame_weights[f] / joints
            ax += w * a[j, 0]
            az += w * a[j, 2]
            bx += w * b[j, 0]
            bz += w * b[j, 2]
    along, across, total = 0.0, 0.0, 0.0
    for f in range(FRAMES):
        for j in range(f * joints, (f + 1) * joints):
            w = frame_weights[f] / joints
            px, pz, qx, qz = a[j, 0] - ax, a[j, 2] - az, b[j, 0] - bx, b[j, 2] - bz
            along += w * (px * qx + pz * qz)
            across += w * (px * qz - pz * qx)
            total += w * (px * px + pz * pz + qx * qx + qz * qz + (a[j, 1] - b[j, 1]) ** 2)
    size = math.hypot(along, across)
    turn = math.atan2(across, along)
    c, s = math.cos(turn), math.sin(turn)
    return math.sqrt(max(total - 2.0 * size, 0.0)), turn, ax - (c * bx + s * bz), az - (c * bz - s * bx)


@kernel
def feet_alignment(turn: float, a: Any, b: Any, on_a: Any, on_b: Any, x: float, z: float) -> Any:
    """The shift (x, z) that brings feet which stand in both poses together, after b is turned; else the given one."""
    c, s = math.cos(turn), math.sin(turn)
    count, dx, dz = 0, 0.0, 0.0
    for p in range(len(a)):
        if on_a[p] and on_b[p]:
            count += 1
            dx += a[p, 0] - (c * b[p, 0] + s * b[p, 2])
            dz += a[p, 2] - (c * b[p, 2] - s * b[p, 0])
    if count == 0:
        return x, z
    return dx / count, dz / count


@kernel
def laid(a: Any, b: Any, frame_weights: Any, limit: float) -> Any:
    """The alignment of cloud b to cloud a by the feet that stand in both: distance (m), turn, x and z.

    The turn is the best one. A shift d from the best one adds |d|^2 to the mean square, as the weights sum to 1: feet
    stay where they are unless the distance would exceed `limit`, else the shift goes as far towards that as it allows.
    """
    distance, turn, x, z = cloud_distance(a[0], b[0], frame_weights)
    left, ahead = feet_alignment(turn, a[1], b[1], a[2], b[2], x, z)
    far = math.hypot(left - x, ahead - z)
    share = min(1.0, math.sqrt(max(limit * limit - distance * distance, 0.0)) / max(far, 1e-12))
    laid_at = max(distance, min(math.hypot(distance, share * far), limit))
    return laid_at, turn, x + share * (left - x), z + share * (ahead - z)
