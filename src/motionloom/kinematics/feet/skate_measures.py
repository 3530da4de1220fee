"""Measures of foot skate: three definitions of how much feet slide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, Skeleton
from motionloom.kinematics.feet.contacts import foot_parts, part_positions, points_of
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.resample import resample

SKATE_A_HEIGHT = 0.05  # m: (a) looks at toes below this
SKATE_B_HEIGHT = 0.025  # m: in (b) a toe counts less and less up to this height; (c) looks below it
SKATE_A_SPEED = 0.5  # m/s: (a) calls this skating
SKATE_C_SPEED = 0.2  # m/s: (c) takes a low toe for planted while it rises or falls slower than this


class Skate(NamedTuple):
    """The three measures of one clip; None where there are no toes, or none ever comes near the floor."""

    a: float | None  # share of frames, 0..1
    b: float | None  # cm/s; "skate" means this one
    c: float | None  # cm/s


def measure_skate(clip: Clip, *, ground: float | None = None) -> Skate:
    """All three measures. Heights count from each toe's own 1st percentile, or from `ground` (metres)."""
    at_20, at_30 = (_toes(clip, fps, ground) for fps in (20.0, 30.0))
    return Skate(_share(*at_20), _weighted(*at_30), _level(*at_30))


def skate_a(clip: Clip, *, ground: float | None = None) -> float | None:
    """Share of frames (of T - 1), at 20 fps, in which a toe skates.

    A toe skates from one frame to the next if it is below 5 cm on both and its horizontal speed is above 0.5 m/s,
    at once and as the mean of the five steps around it (of those that exist, at the ends).
    """
    return _share(*_toes(clip, 20.0, ground))


def skate_b(clip: Clip, *, ground: float | None = None) -> float | None:
    """Mean horizontal speed of the toes near the floor, cm/s, at 30 fps: sum w v / sum w over toes and frames.

    w = clip(2 - 2^(h / 2.5 cm), 0, 1) after Zhang et al. 2018 (MANN); v is the speed of a step from one frame to the
    next and h the mean height of the two.
    """
    return _weighted(*_toes(clip, 30.0, ground))


def skate_c(clip: Clip, *, ground: float | None = None) -> float | None:
    """Mean horizontal speed of the toes during contacts found by height and vertical speed only, cm/s, at 30 fps.

    Contact: below 2.5 cm on both frames of a step, and rising or falling slower than 0.2 m/s.
    """
    return _level(*_toes(clip, 30.0, ground))


def _share(slide: FloatArray, height: FloatArray) -> float | None:
    if not slide.size:
        return None
    wide = np.pad(slide, ((2, 2), (0, 0)))
    count = np.convolve(np.ones(len(slide)), np.ones(5))[2:-2, None]
    mean = sum(wide[k : k + len(slide)] for k in range(5)) / count
    low = np.maximum(height[1:], height[:-1]) < SKATE_A_HEIGHT
    return float((low & (slide > SKATE_A_SPEED) & (mean > SKATE_A_SPEED)).any(1).mean())


def _weighted(slide: FloatArray, height: FloatArray) -> float | None:
    above = (height[1:] + height[:-1]) / 2 / SKATE_B_HEIGHT
    weight = np.clip(2 - 2 ** np.minimum(above, 1), 0, 1)
    total = weight.sum()
    return float((weight * slide).sum() / total * 100) if total > 0 else None


def _level(slide: FloatArray, height: FloatArray) -> float | None:
    planted = (np.maximum(height[1:], height[:-1]) < SKATE_B_HEIGHT) & (
        np.abs(np.diff(height, axis=0)) * 30.0 < SKATE_C_SPEED
    )
    return float(slide[planted].mean() * 100) if planted.any() else None


def planted_speed(clip: Clip, touching: Mapping[str, BoolArray]) -> float:
    """Mean horizontal speed of heels and toes over given contacts (labels of `foot_parts`), cm/s; 0 without contacts.

    Unlike (a) to (c), it uses no height: it measures how well these contacts hold.
    """
    parts = foot_parts(clip.skeleton)
    if not parts or len(clip) < 2:
        return 0.0
    on = np.stack([touching[p.label] if p.label in touching else np.zeros(len(clip), bool) for p in parts], 1)
    both = on[1:] & on[:-1]
    speed = np.linalg.norm(np.diff(part_positions(clip)[..., [0, 2]], axis=0), axis=-1) * clip.fps
    return float(speed[both].mean() * 100) if both.any() else 0.0


def _toes(clip: Clip, fps: float, ground: float | None) -> tuple[FloatArray, FloatArray]:
    """Horizontal speeds of steps (T - 1, K) m/s and heights (T, K) m of the toes; the heel of a foot without one."""
    toes = list({p.foot.name: p for p in foot_parts(clip.skeleton)}.values())  # the last part of each foot is its toe
    legs, joints = _without_others(clip, [p.joint for p in toes])
    moved = [p._replace(joint=j) for p, j in zip(toes, joints, strict=True)]
    points = points_of(moved, *fk_rotations(resample(legs, fps)))
    slide = np.linalg.norm(np.diff(points[..., [0, 2]], axis=0), axis=-1) * fps
    floor = np.percentile(points[..., 1], 1, axis=0) if ground is None else np.full(points.shape[1], ground)
    return slide, points[..., 1] - floor


def _without_others(clip: Clip, wanted: list[int]) -> tuple[Clip, list[int]]:
    """The clip with only these joints and those they hang on, which is less to resample; and their new numbers."""
    skeleton = clip.skeleton
    kept = sorted({0, *(j for joint in wanted for j in skeleton.chain(joint))})
    place = {joint: k for k, joint in enumerate(kept)}
    parents = np.array([-1 if j == 0 else place[int(skeleton.parents[j])] for j in kept])
    less = Skeleton(tuple(skeleton.names[j] for j in kept), parents, skeleton.offsets[kept])
    slides = None if clip.slides is None else clip.slides[:, kept]
    return Clip(less, clip.root, clip.rotations[:, kept], clip.fps, slides=slides), [place[j] for j in wanted]
