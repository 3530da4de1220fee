"""The swing of the legs: how far the left knee is ahead of the right one, and how long a cycle of it lasts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, Skeleton
from motionloom.kinematics.body.roles import SIDES
from motionloom.kinematics.fk import fk

PERIODS = (0.4, 3.0)  # s: shortest and longest cycle of a gait (two steps)
MIN_CORRELATION = 0.3  # of the swing with itself one cycle later


class Legs(NamedTuple):
    """Points of the legs of a clip, in the world."""

    points: FloatArray  # (F, 3, 3) m: hips, left knee, right knee
    thighs: FloatArray  # (F, 2, 3) m: left, right


LEG_ROLES = tuple(f"{side}_{part}" for side in SIDES for part in ("shin", "thigh"))


def require_roles(skeleton: Skeleton, roles: tuple[str, ...], name: str = "") -> list[int]:
    """The joints with these roles; `BadRequest` that lists the missing ones and how they are assigned."""
    missing = [role for role in roles if role not in skeleton.roles]
    if missing:
        free = [n for n, role in zip(skeleton.names, skeleton.roles, strict=True) if not role] or skeleton.names
        raise BadRequest(
            f"{name or 'the clip'}: no joint has the role {', '.join(missing)}; assign it in a file with a section "
            f'[roles], as {missing[0]} = "{free[0]}" (--roles FILE, or CLIP.roles.toml beside the clip)'
        )
    return [skeleton.roles.index(role) for role in roles]


def legs(clip: Clip, points: FloatArray | None = None) -> Legs:
    """Hips, knees and thighs of a clip; `points` are its joint positions (F, J, 3), if they are known already."""
    left_shin, left_thigh, right_shin, right_thigh = require_roles(clip.skeleton, LEG_ROLES, clip.name)
    points = fk(clip) if points is None else points
    return Legs(points[:, [0, left_shin, right_shin]], points[:, [left_thigh, right_thigh]])


def leg_swing(found: Legs) -> FloatArray:
    """(F, 2) m: how far the left knee is ahead of the right one, and how much higher, seen from the hips."""
    line = found.thighs[:, 0] - found.thighs[:, 1]
    ahead = np.stack([-line[:, 2], np.zeros(len(line)), line[:, 0]], 1)
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    apart = found.points[:, 1] - found.points[:, 2]
    return np.stack([np.einsum("fk,fk->f", apart, ahead), apart[:, 1]], 1)


def gait_period(swing: FloatArray, fps: float) -> float | None:
    """Seconds of one cycle (two steps): the first clear peak of the autocorrelation of `swing` (F, n); None if none.

    A peak counts if it reaches `MIN_CORRELATION` and nine tenths of the highest one within `PERIODS`.
    """
    centred = swing - swing.mean(0)
    longest = min(round(PERIODS[1] * fps), len(swing) - 2)
    shortest = max(2, round(PERIODS[0] * fps))
    if longest <= shortest or not np.abs(centred).max() > 1e-6:
        return None
    lags = np.arange(shortest - 1, longest + 1)
    like = _autocorrelation(centred)[lags]
    peaks = np.flatnonzero((like[1:-1] >= like[:-2]) & (like[1:-1] >= like[2:])) + 1
    good = [k for k in peaks if like[k] >= max(MIN_CORRELATION, 0.9 * like[peaks].max())]
    return float(lags[good[0]] / fps) if good else None


def _autocorrelation(values: FloatArray) -> FloatArray:
    """(F,) correlation of values (F, n) with themselves so many frames later, each over the frames that both have."""
    count = len(values)
    products = sum(np.correlate(column, column, "full")[count - 1 :] for column in values.T)
    energy = np.concatenate([[0.0], np.cumsum((values * values).sum(1))])
    lags = np.arange(count)
    size = np.sqrt(energy[count - lags] * np.maximum(energy[-1] - energy[lags], 0.0))
    return np.asarray(np.where(size > 0, products / np.where(size > 0, size, 1.0), 0.0))
