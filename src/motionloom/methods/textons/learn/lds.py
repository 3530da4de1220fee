"""A texton: a second-order linear dynamic system on plain (F, D) channels (LI appendix B).

x = C^T (y - mean);  x[t+1] = A1 x[t] + A2 x[t-1] + D + B v[t], v ~ N(0, I);  y[t] = mean + C x[t] + w, w ~ N(0, s2 I).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.linalg import cholesky, eigvals, solve

from motionloom.core import FloatArray
from motionloom.methods.textons.learn.pooled_prior import PooledMoments, projected

LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, eq=False)
class Dynamics:
    """The learned values, with LI's names."""

    mean: FloatArray  # (D,)
    basis: FloatArray  # (D, d)  C, orthonormal columns
    a1: FloatArray  # (d, d)
    a2: FloatArray  # (d, d)
    drift: FloatArray  # (d,)    D of LI eq. 10
    noise: FloatArray  # (d, d)  B, lower triangular: the state's noise has covariance B B^T
    outside: float  # s2: variance per channel of the residual outside the basis

    @property
    def size(self) -> int:
        return self.basis.shape[1]


@dataclass(frozen=True, eq=False)
class Texton:
    """Dynamics, and the base rotations of the chart that their coordinates refer to."""

    dynamics: Dynamics
    base: FloatArray  # (J, 4)


@dataclass(frozen=True)
class Prior:
    """The prior of a texton, which regularises fits to short segments; every term of it is part of the objective.

    The dynamics are pulled towards constant velocity (A1 = 2 I, A2 = -I) as if by `ridge` (m^2) of extra data, the
    noise towards `floor` metres as if by `weight` extra frames, and the whole texton towards all clips together, as
    if `common` frames of these had been among its own (see `PooledMoments`).
    """

    ridge: float = 1e-3
    floor: float = 1e-3
    weight: float = 10.0
    common: float = 0.0


def fit(
    segments: Sequence[FloatArray],
    *,
    keep: float,
    largest: int,
    prior: Prior,
    pool: PooledMoments | None = None,
    like: Dynamics | None = None,
) -> Dynamics:
    """Fit to one or several segments (each (n, D)), in closed form; terms across a border are left out.

    LI eqs. 12-13 as corrected: [A1 A2] = [R01 R02] [[R11, R12], [R21, R22]]^-1 with R_ij = sum X[t-i] X[t-j]^T - Q_i
    Q_j^T / n. With the prior this is the exact maximum of likelihood + prior for a given basis; B B^T comes from the
    residuals. `keep` is the share of variance the basis retains, at most `largest` dimensions; with `like`, basis and
    mean are taken from there and only the dynamics are fitted. With a `pool`, `prior.common` frames of it count too.
    """
    everything = np.concatenate(segments)
    common = prior.common if pool is not None else 0.0
    if like is None:
        mean = everything.mean(0)
        scatter = (everything - mean).T @ (everything - mean)
        if pool is not None and common:
            apart = pool.mean[0] - mean
            share = common / (len(everything) + common)
            scatter += common * (pool.spread[0, :, 0] + (1 - share) * np.outer(apart, apart))
            mean = mean + share * apart
        values, vectors = np.linalg.eigh(scatter)
        values, vectors = np.maximum(values[::-1], 0), vectors[:, ::-1]
        share = np.cumsum(values) / max(values.sum(), 1e-300)
        size = min(int(np.searchsorted(share, keep)) + 1, largest, len(values))
        basis = vectors[:, :size]
    else:
        mean, basis, size = like.mean, like.basis, like.size
    states = [(s - mean) @ basis for s in segments if len(s) > 2]
    lags = np.concatenate([np.concatenate([s[2:], s[1:-1], s[:-2]], 1) for s in states])
    n = len(lags) + common
    q = lags.sum(0) / n
    rest = float(_outside(np.concatenate([s[2:] for s in segments if len(s) > 2]), mean, basis).sum())
    shared = np.zeros((3 * size, 3 * size))
    if pool is not None and common:
        middle, spread, beyond = projected(pool, mean, basis)
        q = q + common * middle / n
        rest += common * beyond
        shared = common * (spread + np.outer(middle - q, middle - q))
    flat = lags - q
    r = flat.T @ flat + shared  # R_ij of lags i and j in blocks
    towards = np.concatenate([2 * np.eye(size), -np.eye(size)], 1)
    a = solve(r[size:, size:] + prior.ridge * np.eye(2 * size), r[size:, :size] + prior.ridge * towards.T).T
    left = np.concatenate([np.eye(size), -a], 1)  # times three lags: the residual
    own, pull = flat @ left.T, a - towards
    scatter = own.T @ own + left @ shared @ left.T
    scatter += prior.ridge * pull @ pull.T + prior.weight * prior.floor**2 * np.eye(size)
    a1, a2 = a[:, :size], a[:, size:]
    free = everything.shape[1] - size
    s2 = (rest + prior.weight * free * prior.floor**2) / ((n + prior.weight) * max(free, 1))
    noise = cholesky(scatter / (n + prior.weight))
    drift = left @ q
    basis, a1, a2, noise = (np.ascontiguousarray(m) for m in (basis, a1, a2, noise))  # as they are read from a file
    return Dynamics(mean, basis, a1, a2, drift, noise, float(max(s2, 1e-12)))


def _outside(y: FloatArray, mean: FloatArray, basis: FloatArray) -> FloatArray:
    """(F,) squared length of the residual outside the basis."""
    c = y - mean
    x = c @ basis
    return np.maximum(np.einsum("fd,fd->f", c, c) - np.einsum("fd,fd->f", x, x), 0.0)


def log_likelihood(y: FloatArray, dynamics: Dynamics) -> FloatArray:
    """(F,) log density of each frame given the two before it; frames 0 and 1 have none and get 0."""
    out = np.zeros(len(y))
    out[2:] = log_density(y[2:], y[1:-1], y[:-2], dynamics)
    return out


def log_density(now: FloatArray, last: FloatArray, before: FloatArray, dynamics: Dynamics) -> FloatArray:
    """(F,) log density of frames `now` given the `last` and the one `before`, each (F, D).

    log N(x[t]; A1 x[t-1] + A2 x[t-2] + D, B B^T) + log N(residual outside the basis; 0, s2 I).
    """
    size = dynamics.size
    c = now - dynamics.mean
    x = c @ dynamics.basis
    rest = np.maximum(np.einsum("fd,fd->f", c, c) - np.einsum("fd,fd->f", x, x), 0.0)
    guess = (last - dynamics.mean) @ (dynamics.basis @ dynamics.a1.T)
    guess += (before - dynamics.mean) @ (dynamics.basis @ dynamics.a2.T)
    white = np.linalg.solve(dynamics.noise, (x - guess - dynamics.drift).T)
    free = now.shape[1] - size
    return np.asarray(
        -0.5 * (np.einsum("df,df->f", white, white) + size * LOG_2PI)
        - np.log(np.diag(dynamics.noise)).sum()
        - 0.5 * (rest / dynamics.outside + free * (LOG_2PI + np.log(dynamics.outside)))
    )


def log_prior(dynamics: Dynamics, prior: Prior, channels: int, pool: PooledMoments | None = None) -> float:
    """Log prior of one texton (up to constants that no fit changes)."""
    size = dynamics.size
    pull = np.concatenate([dynamics.a1 - 2 * np.eye(size), dynamics.a2 + np.eye(size)], 1)
    scatter = prior.ridge * pull @ pull.T + prior.weight * prior.floor**2 * np.eye(size)
    white = np.linalg.solve(dynamics.noise, np.linalg.solve(dynamics.noise, scatter).T)
    inside = -0.5 * np.trace(white) - prior.weight * np.log(np.diag(dynamics.noise)).sum()
    free = channels - size
    outside = -0.5 * prior.weight * free * (prior.floor**2 / dynamics.outside + np.log(dynamics.outside))
    shared = prior.common * pool_likelihood(dynamics, pool) if pool is not None and prior.common else 0.0
    return float(inside + outside) + shared


def pool_likelihood(dynamics: Dynamics, pool: PooledMoments) -> float:
    """Mean log density of a frame of the pool: the mean of `log_likelihood` over all clips."""
    size = dynamics.size
    middle, spread, beyond = projected(pool, dynamics.mean, dynamics.basis)
    left = np.concatenate([np.eye(size), -dynamics.a1, -dynamics.a2], 1)
    error = left @ middle - dynamics.drift
    scatter = left @ spread @ left.T + np.outer(error, error)
    white = np.linalg.solve(dynamics.noise, np.linalg.solve(dynamics.noise, scatter).T)
    free = len(dynamics.mean) - size
    inside = -0.5 * (np.trace(white) + size * LOG_2PI) - np.log(np.diag(dynamics.noise)).sum()
    return float(inside - 0.5 * (beyond / dynamics.outside + free * (LOG_2PI + np.log(dynamics.outside))))


def fit_error(y: FloatArray, dynamics: Dynamics) -> FloatArray:
    """(F,) metres, RMS over channels: how far each frame lies from its prediction; frames 0 and 1 from the basis."""
    c = y - dynamics.mean
    x = c @ dynamics.basis
    guess = x.copy()
    guess[2:] = x[1:-1] @ dynamics.a1.T + x[:-2] @ dynamics.a2.T + dynamics.drift
    return np.sqrt(((c - guess @ dynamics.basis.T) ** 2).mean(1))


def spectral_radius(dynamics: Dynamics) -> float:
    """The largest |eigenvalue| of the companion matrix [[A1, A2], [I, 0]]: above 1, a free run grows."""
    return float(np.abs(eigvals(companion(dynamics))).max())


def companion(dynamics: Dynamics) -> FloatArray:
    """(2d, 2d) the companion matrix [[A1, A2], [I, 0]]: one step of (x[t], x[t-1])."""
    size = dynamics.size
    top = np.concatenate([dynamics.a1, dynamics.a2], 1)
    return np.concatenate([top, np.concatenate([np.eye(size), np.zeros((size, size))], 1)])


def parameter_count(dynamics: Dynamics) -> int:
    """Free parameters of a texton: mean, basis, A1, A2, D, B and s2."""
    channels, size = dynamics.basis.shape
    return channels + channels * size - size * (size + 1) // 2 + 2 * size**2 + size + size * (size + 1) // 2 + 1
