"""Trajectories of one texton's states: a free run driven by noise, or one that passes through given frames."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
from numpy.random import Generator

from motionloom.core import FloatArray
from motionloom.methods.textons.learn.lds import Dynamics, spectral_radius

MAX_RADIUS = 0.995  # the largest |eigenvalue| of a free run: a deviation halves in 138 frames


def free_run(dynamics: Dynamics, first: FloatArray, push: FloatArray) -> FloatArray:
    """(l, d) states from the first two (2, d), driven by `push` (l, d) alone: the v of LI fig. 4 and eq. 10.

    Many fits to one segment alone grow without bound (spectral radius above 1). So all eigenvalues are scaled to stay
    below `MAX_RADIUS`; where they had to be, the drift is left out, and the run settles around the texton's mean.
    """
    shrink = min(1.0, MAX_RADIUS / spectral_radius(dynamics))
    a1, a2 = dynamics.a1 * shrink, dynamics.a2 * shrink**2
    drift = dynamics.drift if shrink == 1.0 else 0.0 * dynamics.drift
    x = np.empty_like(push)
    x[:2] = first[: len(push)]
    force = push @ dynamics.noise.T + drift
    for t in range(1, len(push) - 1):
        x[t + 1] = a1 @ x[t] + a2 @ x[t - 1] + force[t]
    return x


def constrained_run(dynamics: Dynamics, fixed: Mapping[int, FloatArray], push: FloatArray) -> FloatArray:
    """(l, d) states that pass exactly through the fixed frames, driven by `push` (l, d): the v of LI eqs. 6-9.

    Eq. 8 has more equations than unknowns; whitened by B^-1 and solved as banded least squares, with white noise as
    the push, its solution is an exact sample of the free runs that happen to pass there. A push of zeros gives their
    mean; the push that an observed segment had (`push_of`) and its own ends give back that segment.
    """
    from motionloom.methods.textons.render._kernels_banded import factor_banded, fill_bands, solve_banded

    length, size = push.shape
    x = np.zeros((length, size))
    known = np.zeros(length, bool)
    for t, value in fixed.items():
        x[t], known[t] = value, True
    w = np.linalg.inv(dynamics.noise)
    row = np.concatenate([-w @ dynamics.a2, -w @ dynamics.a1, w], 1)
    bands, right = np.empty((length * size, 3 * size)), np.empty(length * size)
    fill_bands(row.T @ row, (w @ dynamics.drift + push) @ row, known, x, bands, right)
    factor_banded(bands)
    solve_banded(bands, right)
    return right.reshape(length, size)


def push_of(dynamics: Dynamics, x: FloatArray) -> FloatArray:
    """(l, d) the noise that produces these states: v[t] = B^-1 (x[t+1] - A1 x[t] - A2 x[t-1] - D)."""
    left = x[2:] - x[1:-1] @ dynamics.a1.T - x[:-2] @ dynamics.a2.T - dynamics.drift
    out = np.zeros_like(x)
    out[1:-1] = np.linalg.solve(dynamics.noise, left.T).T
    return out


def eased(ends: Mapping[int, FloatArray], length: int, *, reach: int = 12) -> FloatArray:
    """(length, D) a smooth curve through the given frames, for the residual outside the basis.

    Values ease from one to the next (3p^2 - 2p^3). Frames that are given side by side also give their slope, which
    dies out within `reach` frames: followed to the end, a small one would lead far off.
    """
    known = sorted(ends)
    out = np.empty((length, len(next(iter(ends.values())))))
    out[: known[0]] = ends[known[0]]
    out[known[-1] :] = ends[known[-1]]
    for a, b in itertools.pairwise(known):
        p = ((np.arange(a, b) - a) / (b - a))[:, None]
        out[a:b] = ends[a] + (3 * p**2 - 2 * p**3) * (ends[b] - ends[a])
    for a, b in itertools.pairwise(known):
        if b == a + 1:
            continue
        near = min(reach, (b - a) // 2)
        t = np.arange(near)[:, None]
        fade = t * (1 - t / max(near, 1)) ** 2
        if a - 1 in ends:
            out[a : a + near] += fade * (ends[a] - ends[a - 1])
        if b + 1 in ends:
            out[b - near + 1 : b + 1] -= (fade * (ends[b + 1] - ends[b]))[::-1]
    return out


def slow_noise(shape: tuple[int, int], deviation: float, rng: Generator) -> FloatArray:
    """(F, d) noise of unit variance that changes over about `deviation` frames; below one it is white.

    White noise under three running means, which together are nearly a Gaussian of that deviation: three of width w
    have a variance of (w^2 - 1) / 4.
    """
    frames, size = shape
    width = round(np.sqrt(4 * deviation**2 + 1)) if deviation >= 1 else 1
    out = rng.standard_normal((frames + 3 * (width - 1), size))
    if width == 1:
        return out
    for _ in range(3):
        sums = np.zeros((len(out) + 1, size))
        np.cumsum(out, axis=0, out=sums[1:])
        out = sums[width:] - sums[:-width]
    box = np.ones(width)
    return np.asarray(out / np.linalg.norm(np.convolve(np.convolve(box, box), box)))


def varied_drive(push: FloatArray, share: float, highest: float, rng: Generator) -> FloatArray:
    """(l, d) a drive with a `share` (0 to 1) of the power below `highest` (cycles a frame) drawn anew.

    The new part has the amplitudes of the observed drive and random phases, the same for all channels at a frequency,
    so that their correlations stay (phase-randomised surrogates: Theiler et al. 1992). White noise of that power would
    shake the body.
    """
    if share <= 0 or len(push) < 4:
        return push
    spectrum = np.fft.rfft(push, axis=0)
    count = min(int(highest * len(push)) + 1, len(spectrum) - 1)  # without that of every other frame, which is real
    turn = np.exp(1j * rng.uniform(0, 2 * np.pi, count))
    spectrum[1 : 1 + count] *= (np.sqrt(1.0 - share) + np.sqrt(share) * turn[:, None])[: len(spectrum) - 1]
    return np.asarray(np.fft.irfft(spectrum, len(push), axis=0))
