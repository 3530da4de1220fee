"""GUAN's own similarity: relative positions choose candidates, then curvature decides (GUAN 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from motionloom.analysis.comparison import ClipComparison, Precision, require_comparable, squared_differences, windows
from motionloom.analysis.path_curvature import REST, Scheme, curvature
from motionloom.analysis.weights import Weights, joint_weights
from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, IntArray, Progress
from motionloom.kinematics.fk import fk
from motionloom.rotation import rotate

REST_CURVATURE = 1e-9  # 1/m^2: a clip whose curvature varies by less in every window is at rest
_SAMPLE = 500  # rows and columns, evenly spaced, from which the candidates' threshold is read


@dataclass(frozen=True)
class Curvature:
    """How unlike two frames are in pose (where joints sit on their parents) and in how their paths bend.

    Stage 1, GUAN eqs. 3.2-3.3: D_rp, squared differences of `relative_positions`; the `share` of pairs with the
    smallest (5 %; read off at most 500 x 500 evenly spaced cells) are candidates. Stage 2, eq. 3.11: for candidates the
    cross-correlation of curvature over a window (9 frames), each joint's mean over the window taken off.

    The matrix is unlikeness, so that small is alike as in the other measures: `most` - correlation, where `most` is
    the largest value any pair of windows could reach; pairs that are no candidates get 2 `most` (1 if both clips rest;
    if only one does, all candidates get the other's largest square). With `normalised`, each window is divided by its
    length: correlation lies in -1 ... 1, `most` is 1, and a window without any change of curvature (a resting body)
    correlates 0 with everything. With `per_joint`, each joint's part of a window is divided by its own length, and the
    correlation is the weighted mean of the joints': curvature is unbounded, and otherwise one joint that turns sharply
    decides alone. No rigid move of a clip changes any of this.
    """

    radius: int = 4  # frames on each side
    weights: Weights = "lee"
    share: float = 0.05
    normalised: bool = False
    per_joint: bool = False
    scheme: Scheme = "bspline"
    sigma: float = 2.0  # frames, of the Gaussian that smooths the paths
    floor: float = REST  # m/s
    precision: Precision = "single"
    name: ClassVar[str] = "curvature"

    @property
    def unit(self) -> str:
        return "1 - correlation" if self.normalised or self.per_joint else "1/m^2"

    def prepare(self, a: Clip, b: Clip) -> ClipComparison:
        """Both clips ready to be compared, whole or by tiles."""
        if not 0 < self.share <= 1:
            raise BadRequest(f"share of candidates: expected more than 0 and at most 1, found {self.share}")
        n = max(2 * self.radius + 1, 5)
        require_comparable(a, b, shortest=n, why=f"a curvature window of {n} frames")
        w = joint_weights(a.skeleton, self.weights)
        inner = slice(self.radius, -self.radius or None)
        apart = squared_differences(_poses(a, w)[inner], _poses(b, w)[inner], self.precision)
        one, other = (self.windows(c, w) for c in (a, b))
        most = 1.0 if self.normalised or self.per_joint else _most(_largest(one), _largest(other))
        sample = tuple(_evenly(len(windows)) for windows in (one, other))
        return self._compared(one, other, apart, most, _threshold(apart, sample, self.share))

    def prepare_clips(self, clips: Sequence[Clip], counts: BoolArray) -> ClipComparison:
        """All frames of several clips, counted through them, ready to be compared with each other.

        Windows stay inside their clip, and scale and candidates are those of the frames that `counts` (N,), so the
        result does not depend on the order of the clips. Values of other frames have no meaning.
        """
        if not 0 < self.share <= 1:
            raise BadRequest(f"share of candidates: expected more than 0 and at most 1, found {self.share}")
        w, total = joint_weights(clips[0].skeleton, self.weights), sum(map(len, clips))
        inner = slice(self.radius, -self.radius or None)
        poses = np.concatenate([_poses(clip, w) for clip in clips])[inner]
        starts = np.cumsum([0, *map(len, clips)])
        seen = np.zeros((max(total - 2 * self.radius, 0), (2 * self.radius + 1) * np.count_nonzero(w)))
        for start, clip in zip(starts, clips, strict=False):
            if len(clip) >= max(2 * self.radius + 1, 5):
                seen[start : start + len(clip) - 2 * self.radius] = self.windows(clip, w)
        used = np.flatnonzero(counts[inner])
        step = max(1, -(-len(used) // _SAMPLE))
        of = np.searchsorted(starts, used + self.radius, side="right")
        sample = np.concatenate([used[of == k][::step] for k in np.unique(of)])
        apart = squared_differences(poses, poses, self.precision)
        most = 1.0 if self.normalised or self.per_joint else _largest(seen[used])
        return self._compared(seen, seen, apart, most, _threshold(apart, (sample, sample), self.share))

    def _compared(
        self, one: FloatArray, other: FloatArray, apart: Any, most: float, threshold: float
    ) -> ClipComparison:
        """The matrix of windows; `apart` gives D_rp of any rows and columns."""
        dtype: Any = np.float32 if self.precision == "single" else np.float64
        worst = 2 * most or 1.0  # two clips at rest: only the pose is compared
        left, right = one.astype(dtype), other.astype(dtype)

        def block(rows: slice, columns: slice) -> FloatArray:
            from motionloom.analysis._kernels import correlate_chosen

            poses = apart(rows, columns)
            out = np.empty(poses.shape, dtype)
            correlate_chosen(left[rows], right[columns], poses, threshold, most, worst, out)
            return out

        return ClipComparison((len(one), len(other)), (self.radius, self.radius), block, worst)

    def matrix(self, a: Clip, b: Clip, progress: Progress | None = None) -> FloatArray:
        """(F_a - 2 radius, F_b - 2 radius); row r stands for frame r + radius of `a`, columns likewise for `b`."""
        return self.prepare(a, b).matrix(progress)

    def windows(self, clip: Clip, weights: FloatArray) -> FloatArray:
        """Mean-free windows of curvature (F - 2 radius, N K), so that eq. 3.11 is their plain scalar product."""
        used = np.flatnonzero(weights)
        kappa = curvature(fk(clip)[:, used], clip.fps, scheme=self.scheme, sigma=self.sigma, floor=self.floor)
        form = {"normalised": self.normalised, "per_joint": self.per_joint}
        return curvature_windows(kappa, weights[used], self.radius, **form)


def relative_positions(clip: Clip, weights: FloatArray | None = None) -> tuple[FloatArray, list[int]]:
    """Where joints and end sites sit on their parents, (F, K, 3) metres, and the joint whose weight each one takes.

    GUAN eq. 3.2: rp = R v, the offset v turned by the parent's local rotation R. The root and its children are left
    out: the root's rotation is relative to the world, so they would turn with it. End sites are included. With
    `weights` (J,) those that count nothing are left out.
    """
    body = clip.skeleton
    counts = np.ones(len(body), bool) if weights is None else weights > 0
    joints = [j for j in range(len(body)) if body.parents[j] > 0 and counts[j]]
    offsets = body.offsets[joints] if clip.slides is None else body.offsets[joints] + clip.slides[:, joints]
    ends = [e for e in body.ends if e.joint > 0 and counts[e.joint]]
    parts = [rotate(clip.rotations[:, body.parents[joints]], offsets)]
    if ends:
        parts.append(rotate(clip.rotations[:, [e.joint for e in ends]], np.array([e.offset for e in ends])))
    return np.concatenate(parts, 1), joints + [e.joint for e in ends]


def _poses(clip: Clip, weights: FloatArray) -> FloatArray:
    places, owners = relative_positions(clip, weights)
    if not owners:
        raise BadRequest("relative positions: no joint below the root's children has a weight, so poses look all alike")
    return (places * np.sqrt(weights[owners])[:, None]).reshape(len(clip), -1)


def curvature_windows(
    kappa: FloatArray, weights: FloatArray, radius: int, *, normalised: bool, per_joint: bool = False
) -> FloatArray:
    """Curvature (F, K) to mean-free windows (F - 2 radius, N K), joints multiplied by the root of their weight."""
    if per_joint:
        seen = windows(kappa, radius)
        seen = seen - seen.mean(1, keepdims=True)
        length = np.linalg.norm(seen, axis=1, keepdims=True)
        share = np.sqrt(weights / weights.sum())
        return np.asarray(seen / np.where(length > 1e-9, length, np.inf) * share).reshape(len(seen), -1)
    seen = windows(kappa * np.sqrt(weights), radius)
    total = np.cumsum(np.concatenate([np.zeros((1, kappa.shape[1])), kappa * np.sqrt(weights)]), 0)
    mean = (total[2 * radius + 1 :] - total[: -2 * radius - 1]) / (2 * radius + 1)
    flat = (seen - mean[:, None]).reshape(len(seen), -1)
    if not normalised:
        return flat
    length = np.linalg.norm(flat, axis=1, keepdims=True)
    return flat / np.where(length > 1e-9, length, np.inf)


def correlation(
    kappa_a: FloatArray, kappa_b: FloatArray, weights: FloatArray, *, radius: int = 4, normalised: bool = False
) -> FloatArray:
    """GUAN eq. 3.11 for all pairs of frames, in the spatial domain: one matrix product. kappa (F, K), 1/m.

    Returns (F_a - 2 radius, F_b - 2 radius), 1/m^2, or -1 ... 1 when `normalised`.
    """
    one, other = (curvature_windows(k, weights, radius, normalised=normalised) for k in (kappa_a, kappa_b))
    return one @ other.T


def correlation_fft(
    kappa_a: FloatArray, kappa_b: FloatArray, weights: FloatArray, *, radius: int = 4, normalised: bool = False
) -> FloatArray:
    """`correlation` in the Fourier domain (GUAN 5.2): each mask slides over clip B by a product of spectra.

    A mask is mean-free, so B's mean over the window drops out by itself. One inverse transform per frame of A. It is
    here because GUAN proposes it: clips of 300 to 2,000 frames took 7 to 100 times as long as with the matrix product
    for masks of 9 frames (experiments/51_run_time.py), 2 to 10 times for 61, and 0.9 to 7 times for 241.
    """
    masks = windows(kappa_a, radius)
    masks = (masks - masks.mean(1, keepdims=True)) * weights
    size = len(kappa_b) + 2 * radius
    spectrum = np.fft.rfft(kappa_b, size, axis=0)
    mask_spectra = np.fft.rfft(masks, size, axis=1)
    product = np.einsum("ifk,fk->if", mask_spectra.conj(), spectrum)
    out = np.fft.irfft(product, size, axis=1)[:, : len(kappa_b) - 2 * radius]
    if not normalised:
        return out
    lengths = [
        np.linalg.norm(curvature_windows(k, weights, radius, normalised=False), axis=1) for k in (kappa_a, kappa_b)
    ]
    safe = [np.where(x > 1e-9, x, np.inf) for x in lengths]
    return out / safe[0][:, None] / safe[1]


def _most(one: float, other: float) -> float:
    """The largest correlation that could be, from the largest squares on both sides.

    Where one clip never changes its curvature (a body at rest) nothing correlates: then the other's own largest, so
    that a statue is not alike to everything that moves.
    """
    one, other = (x if x > REST_CURVATURE else 0.0 for x in (one, other))
    return float(np.sqrt(one * other)) or max(one, other)


def _largest(flat: FloatArray) -> float:
    return float(np.einsum("fd,fd->f", flat, flat).max())


def _evenly(count: int) -> IntArray:
    """At most `_SAMPLE` evenly spaced rows."""
    return np.arange(0, count, max(1, -(-count // _SAMPLE)))


def _threshold(apart: Any, sample: tuple[IntArray, ...], share: float) -> float:
    """The D_rp that `share` of the pairs of sampled rows and columns do not exceed."""
    flat = apart(*sample).ravel()
    at = max(int(np.ceil(share * flat.size)) - 1, 0)
    return float(np.partition(flat, at)[at])
