"""The parametric gaze map: a gaze displacement motion for every change of yaw and pitch (HECK 5.2.2.2)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from motionloom.core import BadRequest, FloatArray, FormatError
from motionloom.core.arrays import frozen, put
from motionloom.methods.gaze.displacement import GazeMotion, progress_at
from motionloom.rotation import angle_between, exp, multiply, rotate

FORMAT = "motionloom gaze map 1"
MIN_EXAMPLES = 3
Weights = Literal["continuous", "nearest"]


@dataclass(frozen=True, eq=False)
class GazeMap:
    """Examples of gaze shifts, blended by yaw and pitch.

    "continuous" interpolates on the grid of the examples (bilinear), or on their triangulation where they form no
    grid; "nearest" is HECK's: the k nearest examples with weights 1/d_i - 1/d_k.
    """

    examples: FloatArray  # (E, 24) rows of `GazeMotion`
    weights: Weights = "continuous"
    neighbours: int = 4  # k of "nearest"

    def __post_init__(self) -> None:
        put(self, "examples", frozen(self.examples, np.float64, (None, 24), "gaze examples"))
        if len(self.examples) < MIN_EXAMPLES:
            raise BadRequest(f"a gaze map needs at least {MIN_EXAMPLES} examples, found {len(self.examples)}")
        if self.weights not in ("continuous", "nearest"):
            raise BadRequest(f"weights: expected continuous or nearest, found {self.weights!r}")
        if not np.isfinite(self.examples).all():
            raise FormatError("gaze map: expected finite numbers")
        if (self.examples[:, 17] <= 0).any():
            raise FormatError("gaze map: expected positive lengths of shifts")

    @staticmethod
    def of(motions: Sequence[GazeMotion], **options: Any) -> GazeMap:
        """The map of these motions."""
        return GazeMap(np.stack([m.row() for m in motions]) if motions else np.zeros((0, 24)), **options)

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """(2,) least and greatest yaw and pitch of the examples, rad."""
        return self.examples[:, :2].min(0), self.examples[:, :2].max(0)

    @property
    def fastest(self) -> float:
        """rad/s: the fastest head of the examples, with overshoot."""
        time = np.linspace(0, 1, 200)
        best = 0.0
        for motion in map(GazeMotion.of, self.examples):
            share = progress_at(time[:, None], motion.starts, np.array(motion.peak), np.array(motion.overshoot))
            head = np.tile([1.0, 0.0, 0.0, 0.0], (len(time), 1))
            for j in range(4):
                head = multiply(head, exp(share[:, j, None] * motion.turns[j]))
            best = max(best, float(angle_between(head[1:], head[:-1]).max()) * (len(time) - 1) / motion.seconds)
        return best

    @cached_property
    def _grid(self) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """Columns, rows and the examples on them (columns, rows, 24), if the targets form a grid."""
        places = np.round(self.examples[:, :2], 6)
        _, first, column = np.unique(places[:, 0], return_index=True, return_inverse=True)
        _, start, row = np.unique(places[:, 1], return_index=True, return_inverse=True)
        if (
            len(first) * len(start) != len(places)
            or len(first) < 2
            or len({*zip(column, row, strict=True)}) < len(places)
        ):
            return None
        table = np.empty((len(first), len(start), 24))
        table[column, row] = self.examples
        return self.examples[first, 0], self.examples[start, 1], table

    @cached_property
    def _triangles(self) -> Any:
        from scipy.spatial import Delaunay, QhullError

        try:
            return Delaunay(self.examples[:, :2])
        except QhullError:
            raise BadRequest("gaze map: the targets lie on one line; add some above or below") from None

    def blend(self, yaw: FloatArray, pitch: FloatArray) -> FloatArray:
        """(N, 24) blended rows for requests (N,); beyond the examples, those at the border."""
        low, high = self.limits
        asked = np.stack([np.asarray(yaw, float), np.asarray(pitch, float)], -1)
        inside = np.clip(asked, low, high)
        if self.weights == "nearest":
            return self._nearest(inside)
        if self._grid is not None:
            return _bilinear(*self._grid, inside)
        return self._triangulated(inside)

    def at(self, yaw: float, pitch: float) -> GazeMotion:
        """The motion for one request."""
        return GazeMotion.of(self.blend(np.array([yaw]), np.array([pitch]))[0])

    def _nearest(self, asked: FloatArray) -> FloatArray:
        scale = np.maximum(np.ptp(self.examples[:, :2], axis=0), 1e-9)
        away = np.linalg.norm((asked[:, None] - self.examples[:, :2]) / scale, axis=2)
        k = min(self.neighbours, len(self.examples) - 1)
        order = np.argsort(away, axis=1, kind="stable")[:, : k + 1]
        near = np.take_along_axis(away, order, 1)
        weights = np.maximum(1 / np.maximum(near[:, :-1], 1e-12) - 1 / np.maximum(near[:, -1:], 1e-12), 0.0)
        exact = near[:, 0] < 1e-9
        weights[exact] = np.eye(k)[0]
        total = weights.sum(1, keepdims=True)
        weights = np.where(total > 0, weights / np.maximum(total, 1e-300), np.eye(k)[0])
        return np.einsum("nk,nkd->nd", weights, self.examples[order[:, :-1]])

    def _triangulated(self, asked: FloatArray) -> FloatArray:
        net = self._triangles
        which = net.find_simplex(asked)
        out = np.empty((len(asked), 24))
        for n, simplex in enumerate(which):
            if simplex < 0:  # outside the hull, inside the box: the nearest example
                out[n] = self.examples[np.linalg.norm(asked[n] - self.examples[:, :2], axis=1).argmin()]
                continue
            transform = net.transform[simplex]
            first = transform[:2] @ (asked[n] - transform[2])
            out[n] = np.array([*first, 1 - first.sum()]) @ self.examples[net.simplices[simplex]]
        return out

    def scaled(self, *, strength: float = 1.0, speed: float = 1.0, shares: Sequence[float] | None = None) -> GazeMap:
        """Another map: spine and neck turn `strength` times as far (the eyes make up for it), `speed` times as fast.

        `shares` multiplies pelvis, lower spine, upper spine and neck one by one.
        """
        if not speed > 0:
            raise BadRequest(f"speed: expected more than 0, found {speed}")
        rows = self.examples.copy()
        factors = strength * np.asarray([1.0] * 4 if shares is None else shares, float)
        rows[:, 2:14] *= np.repeat(factors, 3)
        rows[:, 17] /= speed
        return replace(self, examples=rows)

    def achieved(self, yaw: FloatArray, pitch: FloatArray) -> FloatArray:
        """(N, 3) the directions that the blended displacements reach from straight ahead, before any correction."""
        turns = exp(self.blend(yaw, pitch)[:, 2:17].reshape(-1, 5, 3))
        whole = turns[:, 0]
        for j in range(1, 5):
            whole = multiply(whole, turns[:, j])
        return rotate(whole, [0.0, 0.0, 1.0])

    def save(self, path: str | Path) -> None:
        """Write the map as JSON; 33 examples take about 10 KB."""
        rows = [[float(f"{v:.7g}") for v in row] for row in self.examples]
        text = json.dumps(
            {"format": FORMAT, "weights": self.weights, "neighbours": self.neighbours, "examples": rows},
            separators=(",", ":"),
        )
        Path(path).write_text(text + "\n", "utf-8")

    @staticmethod
    def load(path: str | Path) -> GazeMap:
        """Read a map; `FormatError` if the file is not one."""
        try:
            facts = json.loads(Path(path).read_text("utf-8"))
            assert facts["format"] == FORMAT
            rows = np.array(facts["examples"], float)
            return GazeMap(rows, facts["weights"], int(facts["neighbours"]))
        except (ValueError, KeyError, TypeError, AssertionError, UnicodeDecodeError):
            raise FormatError(f"{Path(path).name}: not a gaze map of motionloom") from None


def _bilinear(columns: FloatArray, rows: FloatArray, table: FloatArray, asked: FloatArray) -> FloatArray:
    i = np.clip(np.searchsorted(columns, asked[:, 0], side="right") - 1, 0, len(columns) - 2)
    s = ((asked[:, 0] - columns[i]) / (columns[i + 1] - columns[i]))[:, None]
    if len(rows) == 1:
        return np.asarray((1 - s) * table[i, 0] + s * table[i + 1, 0])
    j = np.clip(np.searchsorted(rows, asked[:, 1], side="right") - 1, 0, len(rows) - 2)
    t = ((asked[:, 1] - rows[j]) / (rows[j + 1] - rows[j]))[:, None]
    below = (1 - s) * table[i, j] + s * table[i + 1, j]
    above = (1 - s) * table[i, j + 1] + s * table[i + 1, j + 1]
    return np.asarray((1 - t) * below + t * above)
