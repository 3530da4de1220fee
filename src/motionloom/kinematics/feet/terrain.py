"""Uneven ground: a clip that was made for flat ground stands on heights, foot by foot."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, replace
from motionloom.core.numbers import gaussian_smoothed, smoothstep
from motionloom.kinematics.body.roles import Foot, feet
from motionloom.kinematics.feet.contacts import contacts, foot_parts, points_of, runs
from motionloom.kinematics.feet.leg_reach import SOFT_REACH, soft_reach
from motionloom.kinematics.feet.smoothing import away_from, envelope
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.ik.limb import limb_rotations
from motionloom.rotation import from_axis_angle, multiply, rotate

Heights = Callable[[FloatArray, FloatArray], FloatArray]
"""The height of the ground (m) at x and z."""

HIPS_SMOOTHING = 0.2  # s: deviation of the Gaussian over the height of the hips
CLEARING = 0.1  # s: how long before and after an edge a swinging foot is lifted over it
MAX_PITCH = np.radians(30.0)  # a foot turns by at most this to lie on the ground


def on_ground(clip: Clip, height_at: Heights) -> Clip:
    """A clip for flat ground (height 0) that stands on these heights instead.

    While a foot touches, its heel and toe keep their height over the ground where they stand: it rises by one height
    for as long as it stands, and turns to lie on the slope. In between it passes from one height to the next, lifted
    over what is in its way. The hips rise by the mean of the feet, smoothed, and less where a leg would be too short.
    """
    legs = feet(clip.skeleton)
    if not legs:
        root = clip.root.copy()
        root[:, 1] += height_at(root[:, 0], root[:, 2])
        return replace(clip, root=root)
    places, turns = fk_rotations(clip)
    touching = contacts(clip)
    moved = [_moved_foot(clip, foot, places, turns, touching, height_at) for foot in legs]
    rise = gaussian_smoothed(np.mean([shift[:, 1] for shift, _ in moved], axis=0), HIPS_SMOOTHING * clip.fps)
    width = max(1, round(2 * HIPS_SMOOTHING * clip.fps))
    lack = np.zeros(len(clip))
    for foot, (shift, _) in zip(legs, moved, strict=True):
        lack = np.maximum(lack, _lack(foot, places, places[:, foot.ankle] + shift, rise))
    root = clip.root.copy()
    root[:, 1] += rise - envelope(lack, width)
    rotations = clip.rotations.copy()
    for foot, (shift, turn) in zip(legs, moved, strict=True):
        limb, target = (foot.thigh, foot.shin, foot.ankle), places[:, foot.ankle] + shift
        wanted = multiply(turn, turns[:, foot.ankle])
        solved, _ = limb_rotations(
            clip.skeleton, root, rotations, limb, target, orientation=wanted, soft=soft_reach(foot, places),
            slides=clip.slides,
        )  # fmt: skip
        rotations[:, list(limb)] = solved[:, list(limb)]
    return replace(clip, root=root, rotations=rotations)


def _moved_foot(
    clip: Clip, foot: Foot, places: FloatArray, turns: FloatArray, touching: dict[str, BoolArray], height_at: Heights
) -> tuple[FloatArray, FloatArray]:
    """How far the ankle of a foot moves (F, 3), and how the foot turns (F, 4)."""
    parts = [p for p in foot_parts(clip.skeleton) if p.foot.name == foot.name]
    points = points_of(parts, places, turns)
    toe = next((i for i, p in enumerate(parts) if p.name.endswith("toe")), None)
    frames, ankle = len(clip), places[:, foot.ankle]
    never = np.zeros(frames, bool)
    heel_on = next((touching[p.label] for p in parts if p.name.endswith("heel")), never)
    toe_on = touching[parts[toe].label] if toe is not None else never
    tip = points[:, toe] if toe is not None else ankle
    bone = tip - ankle
    across = np.stack([bone[:, 2], np.zeros(frames), -bone[:, 0]], 1)  # a turn about it lowers the toe
    across[np.linalg.norm(across, axis=1) < 1e-6] = [1.0, 0.0, 0.0]
    shift, pitch = np.zeros((frames, 3)), np.zeros(frames)
    for a, b in runs(heel_on | toe_on):
        on_toe, on_heel = toe_on[a:b], heel_on[a:b]
        under = [height_at(*_mean_place(p[a:b], on)) for p, on in ((ankle, on_heel), (tip, on_toe))]
        heel, level = (float(under[0]), float(under[1])) if on_heel.any() and on_toe.any() else (
            (float(under[0]),) * 2 if on_heel.any() else (float(under[1]),) * 2
        )  # fmt: skip
        middle = bone[a:b][on_toe & on_heel] if (on_toe & on_heel).any() else bone[a:b]
        pitch[a:b] = _pitch(middle.mean(0), level - heel)
        turned = rotate(from_axis_angle(across[a:b], pitch[a:b]), bone[a:b])
        up = np.array([0.0, 1.0, 0.0])
        shift[a:b] = heel * up
        if on_toe.any():
            over = bone[a:b] + level * up - turned  # the toe stays where it is on the ground
            held = np.flatnonzero(on_toe)
            nearest = held[np.abs(np.arange(b - a)[:, None] - held).argmin(1)]
            shift[a:b] = np.where(on_toe[:, None], over, over[nearest])
    standing = heel_on | toe_on
    if not standing.any():
        shift[:, 1] = height_at(ankle[:, 0], ankle[:, 2])
        return shift, from_axis_angle(across, pitch)
    shift, pitch = _bridged(shift, standing), _bridged(pitch[:, None], standing)[:, 0]
    need = np.maximum(*(height_at(p[:, 0], p[:, 2]) for p in (ankle, tip))) - shift[:, 1]
    width = max(1, round(CLEARING * clip.fps))
    lift = envelope(np.where(standing, 0.0, np.maximum(need, 0.0)), width)
    shift[:, 1] += lift * away_from(np.flatnonzero(standing), frames, width)
    return shift, from_axis_angle(across, pitch)


def _mean_place(points: FloatArray, on: BoolArray) -> tuple[FloatArray, FloatArray]:
    """x and z of the mean of points (n, 3) over some frames; over all if there are none."""
    mean = (points[on] if on.any() else points).mean(0)
    return np.asarray(mean[0]), np.asarray(mean[2])


def _pitch(bone: FloatArray, higher: float) -> float:
    """rad: the turn of the foot that brings the toe `higher` over the ankle than it is; raising it is negative."""
    length = float(np.linalg.norm(bone))
    if length < 1e-6:
        return 0.0
    now = np.arcsin(np.clip(bone[1] / length, -1, 1))
    then = np.arcsin(np.clip((bone[1] + higher) / length, -1, 1))
    return float(np.clip(now - then, -MAX_PITCH, MAX_PITCH))


def _bridged(values: FloatArray, known: BoolArray) -> FloatArray:
    """Values (F, D) of the frames between known ones: a smooth step from one to the next; constant beyond the ends."""
    at, frames = np.flatnonzero(known), np.arange(len(values))
    after = np.clip(np.searchsorted(at, frames), 0, len(at) - 1)
    left, right = at[np.maximum(after - 1, 0)], at[after]
    left, right = np.where(known, frames, left), np.where(known, frames, right)
    left = np.where(frames < at[0], at[0], left)
    left, right = np.where(frames > at[-1], at[-1], left), np.where(frames > at[-1], at[-1], right)
    share = smoothstep(np.divide(frames - left, right - left, out=np.zeros(len(frames)), where=right > left))
    return np.asarray(values[left] + share[:, None] * (values[right] - values[left]))


def _lack(foot: Foot, places: FloatArray, ankle: FloatArray, rise: FloatArray) -> FloatArray:
    """(F,) m that the hips have to go down for the leg to reach its ankle as easily as it did."""
    hip, knee, old = (places[:, j] for j in (foot.thigh, foot.shin, foot.ankle))
    full = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(old - knee, axis=1)
    reach = np.maximum((1 - SOFT_REACH) * full, np.linalg.norm(old - hip, axis=1))
    away = ankle - hip
    away[:, 1] -= rise
    across = np.linalg.norm(away[:, [0, 2]], axis=1)
    return np.asarray(np.maximum(-away[:, 1] - np.sqrt(np.maximum(reach**2 - across**2, 0.0)), 0.0))
