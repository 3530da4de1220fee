"""Angles of knees, and how suddenly they change: a leg at the solver's limit snaps straight."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.fk import fk


def knee_flexion(clip: Clip, points: FloatArray | None = None) -> FloatArray:
    """(F, L) rad: how far each knee is bent, 0 for a straight leg; `points` (F, J, 3) are the clip's joints."""
    places = fk(clip) if points is None else points
    out = []
    for foot in feet(clip.skeleton):
        thigh, shin = places[:, foot.shin] - places[:, foot.thigh], places[:, foot.ankle] - places[:, foot.shin]
        lengths = np.maximum(np.linalg.norm(thigh, axis=1) * np.linalg.norm(shin, axis=1), 1e-9)
        out.append(np.arccos(np.clip(np.einsum("fi,fi->f", thigh, shin) / lengths, -1, 1)))
    return np.stack(out, 1) if out else np.zeros((len(clip), 0))


def knee_acceleration(clip: Clip, points: FloatArray | None = None) -> FloatArray:
    """(F - 2, L) rad/s^2: second differences of the angles of the knees."""
    return second_differences(knee_flexion(clip, points), clip.fps)


def second_differences(flexion: FloatArray, fps: float) -> FloatArray:
    """(F - 2, L) rad/s^2: the size of the acceleration of angles (F, L)."""
    return np.asarray(np.abs(flexion[2:] - 2 * flexion[1:-1] + flexion[:-2]) * fps**2)


def knee_change(before: Clip, after: Clip) -> float:
    """rad: the largest difference of a knee's angle between two versions of a clip."""
    a, b = knee_flexion(before), knee_flexion(after)
    return float(np.abs(a - b).max(initial=0.0))
