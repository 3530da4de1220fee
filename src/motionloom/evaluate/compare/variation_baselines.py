"""Variants of takes by noise (LAU 8): what the method `variation` should surpass. One table, `TAKE_BASELINES`.

Noise is added to the degrees of freedom of a take, which keeps its own timing. Its standard deviation is `amount` times
that of the takes at the same moment of a common clock, as in `methods.variation`, or over the whole clip where a
baseline has no moments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.core.errors import BadRequest
from motionloom.kinematics.body.roles import group
from motionloom.methods.variation.dofs import Dofs, fit_dofs
from motionloom.methods.variation.takes import cubic_at
from motionloom.methods.variation.timing import MOMENTS, common_clock

SMOOTH = 0.1  # s: standard deviation of the filter that smooths noise
LATTICE = 0.4  # s between the lattice points of Perlin noise
OCTAVES = 3  # of Perlin noise, each at half the spacing and half the size of the one before
KEPT = 0.99  # of the variance by the principal components that get noise


class TakeTable(NamedTuple):
    """Takes, as they are and on a common clock of F frames."""

    dofs: Dofs
    takes: tuple[FloatArray, ...]  # (frames, D) each
    clock: FloatArray  # (S, F) the frame of each take
    values: FloatArray  # (S, F, D) the takes there
    fps: float
    noisy: BoolArray  # (D,) the degrees of freedom that get noise


TakeBaseline = Callable[[TakeTable, float, Generator], FloatArray]
"""(takes, amount of noise, rng) -> (frames, D) the degrees of freedom of a variant."""


def take_table(takes: Sequence[Clip], parts: Sequence[str] = ("all",)) -> TakeTable:
    """Takes of one motion, skeleton and frame rate; noise goes to the joints of these parts of the body."""
    if len(takes) < 2:
        raise BadRequest(f"expected two takes or more, found {len(takes)}")
    dofs = fit_dofs(takes)
    sequences = [dofs.values(clip) for clip in takes]
    scales = dofs.scales("reach", np.concatenate(sequences))
    clock = common_clock(sequences, scales, takes[0].fps)[:, ::MOMENTS]
    values = np.stack([cubic_at(s, f) for s, f in zip(sequences, clock, strict=True)])
    joints = [j for name in parts for j in group(takes[0].skeleton, name)]
    noisy = np.isin(dofs.joints, joints) & ~dofs.displacement
    return TakeTable(dofs, tuple(sequences), clock, values, takes[0].fps, np.asarray(noisy))


def noisy_variant(name: str, table: TakeTable, amount: float, rng: Generator) -> Clip:
    """A variant by one of `TAKE_BASELINES`."""
    return table.dofs.clip(TAKE_BASELINES[name](table, amount, rng))


def warped_statistics(table: TakeTable, amount: float, rng: Generator) -> FloatArray:
    """A random take, and smoothed noise with the deviation of the takes at each moment (LAU's first method)."""
    return _with_noise(table, amount * table.values.std(0, ddof=1) * _smooth(table, rng), rng)


def perlin_noise(table: TakeTable, amount: float, rng: Generator) -> FloatArray:
    """A random take, and Perlin noise at every joint, with the deviation of the takes from each other on the whole."""
    deviation = np.sqrt(table.values.var(0, ddof=1).mean(0))
    noise = np.stack([perlin(table.values.shape[1] / table.fps, table.fps, rng) for _ in deviation], 1)
    return _with_noise(table, amount * deviation * noise, rng)


def pca_noise(table: TakeTable, amount: float, rng: Generator) -> FloatArray:
    """A random take, and smoothed noise along the principal components of the takes' deviations from their mean."""
    count = table.values.shape[2]
    off = (table.values - table.values.mean(0)).reshape(-1, count)
    _, sizes, axes = np.linalg.svd(off, full_matrices=False)
    deviation = sizes / np.sqrt(max(len(off) - 1, 1)) * np.sqrt(len(table.values) / (len(table.values) - 1))
    kept = int(np.searchsorted(np.cumsum(sizes**2) / (sizes**2).sum(), KEPT)) + 1
    noise = _smooth(table, rng, kept) * deviation[:kept]
    return _with_noise(table, amount * noise @ axes[:kept], rng)


def convex_combination(table: TakeTable, amount: float, rng: Generator) -> FloatArray:
    """A mixture of the takes and of their timing by constant random weights, and noise of half their deviation."""
    weights = rng.dirichlet(np.ones(len(table.values)))
    noise = _only(table, 0.5 * amount * table.values.std(0, ddof=1) * _smooth(table, rng))
    count = round(float(weights @ [len(take) for take in table.takes]))
    return _in_own_time(np.einsum("s,sfd->fd", weights, table.values) + noise, weights @ table.clock, count)


def replayed(table: TakeTable, amount: float, rng: Generator) -> FloatArray:
    """A random take as it is: cycle animation replays these."""
    return table.takes[int(rng.integers(len(table.takes)))]


TAKE_BASELINES: Mapping[str, TakeBaseline] = {
    "warped statistics": warped_statistics,
    "Perlin noise": perlin_noise,
    "PCA noise": pca_noise,
    "convex combination": convex_combination,
    "replayed takes": replayed,
}


def perlin(seconds: float, fps: float, rng: Generator) -> FloatArray:
    """(F,) one-dimensional gradient noise of mean square 1 on average (K. Perlin 1985), in `OCTAVES` octaves."""
    time = np.arange(round(seconds * fps)) / fps
    total, power = np.zeros(len(time)), 0.0
    for octave in range(OCTAVES):
        x = time / LATTICE * 2**octave
        slopes = rng.uniform(-1, 1, int(x[-1] if len(x) else 0) + 2)
        cell, t = x.astype(np.int64), x % 1.0
        fade = t**3 * (10 - 15 * t + 6 * t**2)
        value = (1 - fade) * slopes[cell] * t + fade * slopes[cell + 1] * (t - 1)
        total += value / 2**octave
        power += PERLIN_POWER / 4**octave
    return np.asarray(total / np.sqrt(power))


def _power() -> float:
    """The mean square of gradient noise with slopes between -1 and 1."""
    t = (np.arange(1000) + 0.5) / 1000
    fade = t**3 * (10 - 15 * t + 6 * t**2)
    return float((((1 - fade) * t) ** 2 + (fade * (t - 1)) ** 2).mean() / 3)


PERLIN_POWER = _power()


def _smooth(table: TakeTable, rng: Generator, count: int | None = None) -> FloatArray:
    """(F, D) smoothed noise of variance 1."""
    from scipy.ndimage import gaussian_filter1d

    width = SMOOTH * table.fps
    frames, degrees = table.values.shape[1], table.values.shape[2] if count is None else count
    border = int(4 * width) + 1
    noise = gaussian_filter1d(rng.normal(size=(frames + 2 * border, degrees)), width, axis=0)
    pulse = np.zeros(2 * border + 1)
    pulse[border] = 1.0
    return np.asarray(noise[border : border + frames] / np.sqrt((gaussian_filter1d(pulse, width) ** 2).sum()))


def _with_noise(table: TakeTable, noise: FloatArray, rng: Generator) -> FloatArray:
    """A random take in its own time, with noise (F, D) that runs on the common clock."""
    k = int(rng.integers(len(table.takes)))
    return table.takes[k] + _in_own_time(_only(table, noise), table.clock[k], len(table.takes[k]))


def _in_own_time(values: FloatArray, frames: FloatArray, count: int) -> FloatArray:
    """Values (F, D) at moments that belong to some `frames` (F,) of a clip, at each of its `count` frames."""
    return cubic_at(values, np.interp(np.arange(count), frames, np.arange(len(frames))))


def _only(table: TakeTable, noise: FloatArray) -> FloatArray:
    """Noise at the degrees of freedom that get some, zero at the others."""
    return np.where(table.noisy, noise, 0.0)
