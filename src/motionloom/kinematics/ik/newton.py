"""Constrained Gauss-Newton over the frames of a clip: the numerics of the chain solver."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import Clip, FloatArray, IntArray
from motionloom.kinematics.ik.jacobians import Posed, Unknowns
from motionloom.kinematics.ik.targets import Target

TOLERANCE = 1e-9  # hard targets are solved to this (m, rad), where they can be met
MAX_STEP = 0.7  # radians (or metres) that one iteration may change


class Problem:
    """The stacked equations of one solve over some frames, and the steps that solve them."""

    def __init__(
        self,
        clip: Clip,
        unknowns: Unknowns,
        targets: Sequence[Target],
        active: IntArray,
        weights: FloatArray,
        smooth: float,
    ) -> None:
        self.unknowns, self.active = unknowns, active
        self.root, self.rotations = clip.root[active], clip.rotations[active]
        self.slides = None if clip.slides is None else clip.slides[active]
        self.targets = [(t, np.searchsorted(active, t.frames)) for t in targets]
        self.weights = weights  # (n,) of staying close
        self.bands = _second_differences(len(clip), active, (smooth * clip.fps) ** 4)  # (3, Fa)

    @property
    def coupled(self) -> bool:
        return bool(np.any(self.bands[1:]))

    def posed(self, values: FloatArray) -> Posed:
        return Posed(self.unknowns, self.root, self.rotations, values, self.slides)

    def merit(self, values: FloatArray, posed: Posed) -> tuple[FloatArray, FloatArray]:
        """Per frame: half the soft cost, and the squared hard residual."""
        half = 0.5 * np.einsum("fn,fn->f", values, self._pull(values))
        hard = np.zeros(len(values))
        for target, rows in self.targets:
            square = (target.residual(posed, rows) ** 2).sum(-1)
            np.add.at(hard if target.weight is None else half, rows, square * (_half(target.weight)))
        return half, hard

    def _pull(self, values: FloatArray) -> FloatArray:
        """Gradient of the stay and smoothness terms: (Fa, n)."""
        out = values * (1 + self.bands[0])[:, None]
        for k in (1, 2):
            if len(values) > k:
                band = self.bands[k, :-k, None]
                out[:-k] += band * values[k:]
                out[k:] += band * values[:-k]
        return out * self.weights

    def equations(self, values: FloatArray, posed: Posed) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Gradient (F, n) and Gauss-Newton matrix (F, n, n) of the cost; hard residuals (F, M) and Jacobian (F, M, n).

        Bands between frames are not in the matrix; rows that a frame does not use are zero.
        """
        frames, n = values.shape
        gradient = self._pull(values)
        matrix = np.zeros((frames, n, n))
        matrix[:, np.arange(n), np.arange(n)] = (1 + self.bands[0])[:, None] * self.weights
        slots = np.zeros(frames, np.int64)
        hard: list[tuple[IntArray, IntArray, FloatArray, FloatArray]] = []
        for target, rows in self.targets:
            r, jacobian = target.residual(posed, rows), target.jacobian(posed, rows)
            if target.weight is None:
                hard.append((rows, slots[rows], r, jacobian))
                np.add.at(slots, rows, r.shape[1])
            else:
                np.add.at(gradient, rows, target.weight * np.einsum("rm,rmn->rn", r, jacobian))
                np.add.at(matrix, rows, target.weight * np.swapaxes(jacobian, 1, 2) @ jacobian)
        most = int(slots.max(initial=0))
        c, a = np.zeros((frames, most)), np.zeros((frames, most, n))
        for rows, first, r, jacobian in hard:
            for i in range(r.shape[1]):
                c[rows, first + i], a[rows, first + i] = r[:, i], jacobian[:, i]
        return gradient, matrix, c, a

    def solve(self, iterations: int) -> tuple[FloatArray, int]:
        values = np.zeros((len(self.active), self.unknowns.count))
        if not self.unknowns.count:
            return values, 0
        posed = self.posed(values)
        half, hard = self.merit(values, posed)
        penalty = np.zeros(len(values))
        damping = np.full(len(values), 1e-4)
        done = np.zeros(len(values), bool)
        count = 0
        for count in range(1, iterations + 1):  # noqa: B007
            step, force = self._step(values, posed, damping)
            penalty = np.maximum(penalty, 2 * force)
            trial = values + step
            tried = self.posed(trial)
            half_new, hard_new = self.merit(trial, tried)
            gain = (half - half_new) + penalty * (np.sqrt(hard) - np.sqrt(hard_new))
            slack = 1e-12 + 1e-9 * half
            if self.coupled:  # frames hang together: one verdict for all of them
                gain, slack = np.full_like(gain, gain.sum()), np.full_like(gain, slack.sum())
            better = gain >= -slack
            if not self.coupled:
                better |= (hard_new < TOLERANCE**2) & (hard > TOLERANCE**2)
            small = np.abs(step).max(1) < 1e-7
            values = np.where(better[:, None], trial, values)
            damping = np.clip(np.where(better, damping * 0.2, damping * 6), 1e-9, 1e3)
            if better.any():
                posed = self.posed(values)
                half, hard = self.merit(values, posed)
            done = (small & better) | (damping >= 1e3)
            if done.all():
                break
        return self._restore(values), count

    def _step(self, values: FloatArray, posed: Posed, damping: FloatArray) -> tuple[FloatArray, FloatArray]:
        """One damped Gauss-Newton step (F, n), and the size of the hard targets' multipliers (F,)."""
        gradient, matrix, c, a = self.equations(values, posed)
        n = matrix.shape[1]
        scale = np.einsum("fii->f", matrix) / n
        matrix[:, np.arange(n), np.arange(n)] += (damping * scale)[:, None]
        towards, free = _onto(c, a, damping)
        bands = self.bands[1:, :, None] * self.weights
        right = -(gradient + np.einsum("fij,fj->fi", matrix, towards) + _banded(bands, towards))
        if self.coupled:
            step = towards + _solve_coupled(matrix, bands, free, right)
        else:
            inner = free @ matrix @ free + (np.eye(n) - free)
            step = towards + np.linalg.solve(inner, (free @ right[..., None]))[..., 0]
        longest = np.abs(step).max(1, keepdims=True)
        step = step * np.minimum(1.0, MAX_STEP / np.maximum(longest, 1e-12)).min(
            0 if self.coupled else 1, keepdims=True
        )
        if not c.shape[1]:
            return step, np.zeros(len(values))
        pull = gradient + np.einsum("fij,fj->fi", matrix, step) + _banded(bands, step)
        gram = a @ np.swapaxes(a, 1, 2) + 1e-8 * np.eye(c.shape[1])
        multipliers = np.linalg.solve(gram, (a @ pull[..., None]))[..., 0]
        return step, np.linalg.norm(multipliers, axis=1)

    def _restore(self, values: FloatArray) -> FloatArray:
        """A few plain Newton steps on the hard targets alone: what the last step left of their curvature."""
        for _ in range(6):
            posed = self.posed(values)
            _, hard = self.merit(values, posed)
            if hard.max() < TOLERANCE**2:
                break
            _, _, c, a = self.equations(values, posed)
            towards, _ = _onto(c, a, np.full(len(values), 1e-12))
            size = np.abs(towards).max(1, keepdims=True)
            trial = np.where(size < 0.1, values + towards, values)
            better = self.merit(trial, self.posed(trial))[1] < hard
            if not better.any():
                break
            values = np.where(better[:, None], trial, values)
        return values


def _half(weight: float | None) -> float:
    return 1.0 if weight is None else 0.5 * weight


def _onto(c: FloatArray, a: FloatArray, damping: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The damped step that takes c to zero, -A^T (A A^T + mu)^-1 c, and the projector (F, n, n) that leaves c alone.

    Directions of A that are too weak (below 1e-3: a straight arm pulled along itself) do not bind.
    """
    frames, rows, n = a.shape
    if not rows:
        return np.zeros((frames, n)), np.broadcast_to(np.eye(n), (frames, n, n)).copy()
    squares, vectors = np.linalg.eigh(a @ np.swapaxes(a, 1, 2))
    strong = squares > 1e-6
    part = np.einsum("fmk,fm->fk", vectors, c)
    along = np.einsum("fmk,fmn->fkn", vectors, a)  # each of length sqrt(squares), mutually square
    safe = np.where(strong, squares, 1.0)
    weight = np.where(strong, part / (safe + damping[:, None] * squares.max(1, keepdims=True)), 0.0)
    towards = -np.einsum("fk,fkn->fn", weight, along)
    unit = np.where(strong[..., None], along / np.sqrt(safe)[..., None], 0.0)
    return towards, np.eye(n) - np.swapaxes(unit, 1, 2) @ unit


def _second_differences(total: int, active: IntArray, weight: float) -> FloatArray:
    """Bands 0, 1, 2 (3, Fa) of weight * D^T D between active frames, D the second difference over the whole clip."""
    bands = np.zeros((3, len(active)))
    if weight == 0 or total < 3:
        return bands
    full = np.zeros((3, total))
    inner = np.arange(1, total - 1)
    for a, x in ((-1, 1.0), (0, -2.0), (1, 1.0)):
        for b, y in ((-1, 1.0), (0, -2.0), (1, 1.0)):
            if b >= a:
                np.add.at(full[b - a], inner + a, x * y)
    bands[0] = full[0, active]
    for k in (1, 2):
        if len(active) > k:
            apart = active[k:] - active[:-k]
            near = apart <= 2
            bands[k, :-k][near] = full[apart[near], active[:-k][near]]
    return weight * bands


def _banded(bands: FloatArray, x: FloatArray) -> FloatArray:
    out = np.zeros_like(x)
    for k in (1, 2):
        if len(x) > k:
            out[:-k] += bands[k - 1, :-k] * x[k:]
            out[k:] += bands[k - 1, :-k] * x[:-k]
    return out


def _solve_coupled(matrix: FloatArray, bands: FloatArray, free: FloatArray, right: FloatArray) -> FloatArray:
    """Solve P H P y + (I - P) y = P right for the block-pentadiagonal H: banded Cholesky, linear in the frames.

    LAPACK wants H[r, c] at [c, r - c] of a row per column. Seen with strides one shorter than a row, the blocks
    (f, f), (f + 1, f), (f + 2, f) of one frame lie side by side, so each is written at once.
    """
    from scipy.linalg import solveh_banded

    frames, n, _ = matrix.shape
    width = 3 * n + 1
    columns = np.zeros((frames * n + n, width))
    step = columns.itemsize
    view = np.lib.stride_tricks.as_strided(columns, (frames, n, 3 * n), (n * width * step, (width - 1) * step, step))
    view[:, :, :n] = np.triu(free @ matrix @ free + (np.eye(n) - free))
    for k in (1, 2):
        if frames > k:
            block = (free[k:] * bands[k - 1, :-k][:, None, :]) @ free[:-k]
            view[:-k, :, k * n : (k + 1) * n] = np.swapaxes(block, 1, 2)
    lower = columns[: frames * n].T
    y = solveh_banded(lower, np.einsum("fij,fj->fi", free, right).ravel(), lower=True, check_finite=False)
    return np.einsum("fij,fj->fi", free, y.reshape(frames, n))
