"""Feet and the floor: penetration, and floating above the floor during contacts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray
from motionloom.evaluate.measures.prepared_clip import NotApplicable, heights


class Penetration(NamedTuple):
    """How far foot joints are below the floor, in metres."""

    deepest: float
    mean: float  # over all frames and foot joints, zero where above


def penetration(points: FloatArray, ground: float | None = None) -> Penetration:
    """Deepest and mean depth of foot joints (F, n, 3) below `ground`, or below each joint's own 1st percentile."""
    if points.shape[1] == 0:
        raise NotApplicable("this body has no feet (no joint has the role of a foot)")
    depth = np.maximum(-heights(points, ground), 0.0)
    return Penetration(float(depth.max()), float(depth.mean()))


def floating(points: FloatArray, touching: BoolArray, ground: float | None = None) -> float:
    """Mean height of foot joints (F, n, 3) above the floor while they touch it (F, n), in metres; zero where below."""
    if points.shape[1] == 0:
        raise NotApplicable("this body has no feet (no joint has the role of a foot)")
    if not touching.any():
        raise NotApplicable("no foot ever touches the floor")
    return float(np.maximum(heights(points, ground), 0.0)[touching].mean())
