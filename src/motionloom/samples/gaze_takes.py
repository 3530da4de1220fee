"""Takes of gaze shifts as optical markers, with known truth (HECK 5.2.1): a person looks ahead, then at a sign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import FloatArray, Markers
from motionloom.core.numbers import smootherstep
from motionloom.core.origin import from_file
from motionloom.rotation import exp, from_axis_angle, inverse, log, multiply, rotate, yaw
from motionloom.samples.noise import Nature

TRIANGLES = ("lower_back", "upper_back", "neck_base")
HAT = ("hat_front", "hat_left", "hat_back", "hat_right", "hat_top")
MARKERS = ("base", *(f"{name}_{k}" for name in TRIANGLES for k in (1, 2, 3)), *HAT, "between_eyes")
JOINTS = ("pelvis", "lower_spine", "upper_spine", "neck", "eyes")
HEIGHTS = (0.14, 0.34, 0.48, 0.62)  # m above the base: lower back, upper back, neck base, head
YAWS = tuple(np.radians(36.0 * k) for k in range(-5, 6))
PITCHES = tuple(np.radians(12.0 * k) for k in (-1, 0, 1))


class GazeTruth(NamedTuple):
    """The shift that a take shows."""

    yaw: float  # rad, left
    pitch: float  # rad, up
    turns: FloatArray  # (5, 4) pelvis, lower spine, upper spine, neck, eyes: each from its parent
    seconds: float  # length
    starts: FloatArray  # (4,) 0..1: when pelvis, lower spine, upper spine and neck start
    peak: float  # 0..1: when the overshoot is greatest
    overshoot: float  # beta


class GazeTake(NamedTuple):
    """A take and its truth."""

    markers: Markers
    truth: GazeTruth


def targets(seed: int = 0) -> list[tuple[float, float]]:
    """The 33 targets (yaw, pitch) rad in random order: 11 columns of 36 degrees, 3 rows of 12 degrees."""
    grid = [(float(y), float(p)) for y in YAWS for p in PITCHES]
    return [grid[k] for k in np.random.default_rng([seed, 33]).permutation(len(grid))]


def direction_turn(yaw_angle: float, pitch: float) -> FloatArray:
    """The rotation (4,) that takes straight ahead to a direction: pitch up first, then yaw to the left."""
    return multiply(yaw(yaw_angle), from_axis_angle([1.0, 0.0, 0.0], -pitch))


def truth_of(target: tuple[float, float], nature: Nature) -> GazeTruth:
    """How our performer looks at a target: spine more to the right, eyes and neck more to the left."""
    angle, pitch = target
    side = 1.0 if angle < 0 else 0.55  # stiffer to the left
    amount = abs(angle)
    spine = side * amount * min(1.0, amount / np.radians(120))
    shares = np.array([0.10, 0.13, 0.15]) * spine / max(amount, 1e-9)
    eye = min(0.25 * amount, np.radians(35.0))
    neck = 1.0 - shares.sum() - eye / max(amount, 1e-9) if amount > 0 else 0.0
    tilt = 0.04 * np.sign(angle)
    turns = [exp(np.array([0.0, s * angle, tilt * s])) for s in (*shares, neck)]
    head = turns[0]
    for turn in turns[1:]:
        head = multiply(head, turn)
    part = multiply(from_axis_angle([1.0, 0.0, 0.0], -0.6 * pitch), [1.0, 0.0, 0.0, 0.0])
    turns[3] = multiply(turns[3], part)
    head = multiply(head, part)
    eyes = multiply(inverse(head), direction_turn(angle, pitch))
    seconds = 0.5 + 0.5 * amount / np.pi + float(nature.trait(f"length {angle:.2f} {pitch:.2f}", 0.03))
    starts = np.array([0.24, 0.18, 0.12, 0.05]) + float(nature.trait(f"start {angle:.2f}", 0.01))
    return GazeTruth(angle, pitch, np.stack([*turns, eyes]), seconds, starts, 0.68, 0.02 + 0.04 * amount / np.pi)


def scaled_turn(turn: FloatArray, factor: FloatArray) -> FloatArray:
    """(F, 4) a rotation (4,) with its angle scaled by (F,)."""
    return exp(np.asarray(factor)[:, None] * log(turn))


def progress_of(truth: GazeTruth, joint: int, time: FloatArray) -> FloatArray:
    """(F,) the share of its displacement that a joint has reached at normalized times (HECK 5.2.3, smootherstep)."""
    start = truth.starts[joint] if joint < 4 else 0.0
    up = smootherstep((time - start) / (truth.peak - start)) * (1 + truth.overshoot)
    down = (1 + truth.overshoot) - truth.overshoot * smootherstep((time - truth.peak) / (1 - truth.peak))
    return np.where(time <= truth.peak, up, down)


def make_take(
    target: tuple[float, float],
    *,
    seed: int = 0,
    noise: float = 0.0003,
    drops: float = 0.01,
    sway: float = 0.004,
    fps: float = 60.0,
    before: float = 1.0,
    after: float = 1.2,
) -> GazeTake:
    """One take: rest, the shift, rest. `noise` is the standard deviation of a marker (m), `drops` the share of gaps."""
    nature = Nature(seed)
    truth = truth_of(target, nature)
    rng = np.random.default_rng([seed, 7, round(1e3 * (target[0] + 10)), round(1e3 * (target[1] + 10))])
    count = round((before + truth.seconds + after) * fps)
    clock = np.arange(count) / fps
    time = (clock - before) / truth.seconds
    turns = [scaled_turn(truth.turns[j], progress_of(truth, j, time)) for j in range(4)]
    world, turn = [], turns[0]
    for j in range(4):
        turn = turns[j] if j == 0 else multiply(turn, turns[j])
        world.append(turn)
    base = np.zeros((count, 3))
    base[:, 1] = 1.0
    base[:, 0] += sway * np.sin(2 * np.pi * 0.23 * clock + 1.0)
    base[:, 2] += sway * np.sin(2 * np.pi * 0.17 * clock)
    places, below = [base], base
    heights = np.diff([0.0, *HEIGHTS])
    for j, rise in enumerate(heights):
        above = np.zeros(3) + [0.0, rise, 0.0]
        below = below + rotate(world[max(j - 1, 0)] if j else np.tile([1.0, 0, 0, 0], (count, 1)), above)
        places.append(below)
    points = [base]
    for j in range(3):
        for k in range(3):
            angle = 2 * np.pi * k / 3 + 0.3
            local = [0.05 * np.sin(angle), 0.05 * np.cos(angle), -0.10]
            points.append(places[j + 1] + rotate(world[j], local))
    head = places[4]
    for local in ([0.0, 0.12, 0.11], [0.10, 0.12, 0.0], [0.0, 0.12, -0.10], [-0.10, 0.12, 0.0], [0.0, 0.2, 0.0]):
        points.append(head + rotate(world[3], local))
    points.append(head + rotate(world[3], [0.0, 0.05, 0.11]))
    table = np.stack(points, 1) + rng.normal(0, noise, (count, len(MARKERS), 3))
    _drop(table, drops, rng)
    name = f"gaze_{np.degrees(target[0]):.4g}_{np.degrees(target[1]):.4g}.trc"
    return GazeTake(Markers(MARKERS, table, fps, from_file(name, count)), truth)


def _drop(table: FloatArray, share: float, rng: np.random.Generator) -> None:
    """Markers vanish for up to a tenth of a second, never at the ends, and never the base."""
    count = len(table)
    for m in range(1, table.shape[1]):
        for _ in range(rng.poisson(share * count / 4)):
            at = int(rng.integers(2, count - 8))
            table[at : at + int(rng.integers(1, 6)), m] = np.nan


def make_takes(seed: int = 0, which: Sequence[tuple[float, float]] | None = None, **options: float) -> list[GazeTake]:
    """Takes of all 33 targets, or of some, in random order; options as for `make_take`."""
    chosen = targets(seed) if which is None else which
    return [make_take(target, seed=seed, **options) for target in chosen]
