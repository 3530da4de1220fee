"""Judging a measure by the pairs it chooses: how far apart are they really (GUAN 4.2.1)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionloom.analysis.comparison import Measure, frame_weights, require_comparable, squared_differences, windows
from motionloom.analysis.pairs import Pairs, best_share
from motionloom.analysis.root_frame import joint_accelerations, joint_velocities
from motionloom.analysis.weights import Weights, joint_weights
from motionloom.core import BadRequest, Clip, FloatArray, IntArray, Progress, silent
from motionloom.core.progress import parts
from motionloom.core.watched import watched
from motionloom.kinematics.fk import fk
from motionloom.rotation import inverse, rotate


@dataclass(frozen=True)
class Verdict:
    """D_p, D_v and D_a over chosen pairs: smaller is better. Weights sum to 1, so these are mean squares per pair.

    D_p is the one that counts (GUAN 4.2.1); D_v and D_a cannot stand alone, as pairs of still frames have none.
    """

    pairs: int
    position: float  # m^2, mean over the pairs (GUAN's sum is this times `pairs`)
    velocity: float  # (m/s)^2
    acceleration: float  # (m/s^2)^2
    seconds: float  # run time of the measure, 0 where it was not measured

    @property
    def position_rms(self) -> float:
        """D_p as a distance: root mean square metres between the joints of a pair, laid onto each other."""
        return float(np.sqrt(self.position))


@dataclass(frozen=True)
class Judge:
    """What pairs are judged by: GUAN eqs. 4.1-4.3.

    D_p lays frame j onto frame i with the full 3-D transform M_i0 M_j0^-1 of the hips and compares all joints over a
    window; D_v and D_a compare joint velocities and accelerations after the same turn. As M is rigid, each side can be
    seen from its own hips instead: every criterion is a squared difference of features, and for all pairs at once a
    matrix product.
    """

    radius: int = 5
    weights: Weights = "lee"
    taper: str = "triangle"

    def positions(self, clip: Clip) -> FloatArray:
        """Windows of joints seen from the hips of the middle frame, (F - 2 radius, D), weighted."""
        w = joint_weights(clip.skeleton, self.weights)
        used = np.flatnonzero(w)
        inner = slice(self.radius, len(clip) - self.radius)
        near = windows(fk(clip)[:, used], self.radius)  # (rows, N, K, 3)
        centred = near - clip.root[inner, None, None]
        seen = rotate(inverse(clip.rotations[inner, 0])[:, None, None], centred)
        scale = np.sqrt(np.outer(frame_weights(self.radius, self.taper), w[used] / w.sum()))
        return (seen * scale[..., None]).reshape(len(seen), -1)

    def matrix(self, a: Clip, b: Clip) -> FloatArray:
        """D_p of every pair, (F_a - 2 radius, F_b - 2 radius) m^2: the best any measure could choose from."""
        self._check(a, b)
        block = squared_differences(self.positions(a), self.positions(b), "single")
        return block(slice(0, len(a) - 2 * self.radius), slice(0, len(b) - 2 * self.radius))

    def pairs(self, a: Clip, b: Clip, pairs: Pairs, *, seconds: float = 0.0) -> Verdict:
        """D_p, D_v and D_a of chosen pairs; those too near a clip's end for the window are left out of all three."""
        self._check(a, b)
        ends = np.array([len(a), len(b)]) - self.radius
        inside = ((pairs.frames >= self.radius) & (pairs.frames < ends)).all(1)
        frames = pairs.frames[inside]
        if not len(frames):
            raise BadRequest(
                f"judge: none of the {len(pairs)} pairs is {self.radius} frames or more from the ends of both clips"
            )
        w = joint_weights(a.skeleton, self.weights)
        w = w / w.sum()
        at = _apart(self.positions(a), self.positions(b), frames - self.radius)
        v, acc = (_apart(_flat(of(a), w), _flat(of(b), w), frames) for of in (joint_velocities, joint_accelerations))
        return Verdict(len(frames), at, v, acc, seconds)

    def _check(self, a: Clip, b: Clip) -> None:
        n = max(2 * self.radius + 1, 3)
        require_comparable(a, b, shortest=n, why=f"a window of {n} frames")


@watched
def judge(
    measures: Sequence[Measure],
    a: Clip,
    b: Clip,
    *,
    share: float = 0.01,
    by: Judge | None = None,
    rounds: int = 1,
    progress: Progress | None = None,
) -> dict[str, tuple[Verdict, Pairs]]:
    """Each measure's best `share` of pairs and how good they really are, by the measure's name, with run times.

    All get the same number of pairs, chosen among the frames that every measure and the judge can see (GUAN 4.2.1).
    The run time is the best of `rounds`.
    """
    by = by or Judge()
    margin = max([by.radius, *(m.radius for m in measures)])
    out = {}
    report = progress or silent()
    for measure, step in zip(measures, parts(report, [1] * len(measures)), strict=True):
        measure.matrix(a[: 2 * margin + 5], b[: 2 * margin + 5])  # compiled before the clock starts
        first, *others = parts(step, [1] * rounds)
        matrix, seconds = _timed(measure, a, b, first)
        for other in others:
            seconds = min(seconds, _timed(measure, a, b, other)[1])
        cut = margin - measure.radius
        seen = matrix[cut : matrix.shape[0] - cut, cut : matrix.shape[1] - cut]
        chosen = best_share(seen, share, first=(margin, margin))
        out[measure.name] = (by.pairs(a, b, chosen, seconds=seconds), chosen)
    report(1.0, "judging")
    return out


def _timed(measure: Measure, a: Clip, b: Clip, progress: Progress) -> tuple[FloatArray, float]:
    start = time.perf_counter()
    matrix = measure.matrix(a, b, progress)
    return matrix, time.perf_counter() - start


def _flat(vectors: FloatArray, w: FloatArray) -> FloatArray:
    return (vectors * np.sqrt(w)[:, None]).reshape(len(vectors), -1)


def _apart(x: FloatArray, y: FloatArray, at: IntArray, chunk: int = 20_000) -> float:
    """Mean over pairs `at` (N, 2) of |x_i - y_j|^2, some pairs at a time."""
    total = 0.0
    for start in range(0, len(at), chunk):
        some = at[start : start + chunk]
        gap = x[some[:, 0]] - y[some[:, 1]]
        total += float(np.einsum("nd,nd->", gap, gap))
    return total / len(at)
