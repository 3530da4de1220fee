"""The common part of all similarity measures: two clips prepared, compared whole or tile by tile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, InvalidClip, Progress, require_same_hierarchy, silent
from motionloom.core.progress import slices

Precision = Literal["single", "double"]

ROWS, CELLS = 1024, 8_000_000  # rows and cells of a matrix that are computed at a time, at most


class Tile(NamedTuple):
    """A part of a large matrix; `values` reaches `halo` cells beyond `rows` and `columns` where there are any."""

    rows: slice  # of the whole matrix
    columns: slice
    values: FloatArray
    inner: tuple[slice, slice]  # where `rows` and `columns` lie inside `values`


@dataclass(frozen=True, eq=False)
class ClipComparison:
    """Two clips made ready by a measure. Row r stands for frame `first[0] + r` of A, column c for `first[1] + c` of B.

    `block(rows, columns)` computes any part of the matrix; memory is bounded by the part requested.
    """

    shape: tuple[int, int]
    first: tuple[int, int]
    block: Callable[[slice, slice], FloatArray]
    rejected: float = np.inf  # the value of pairs that the measure excludes, whatever the limit

    def matrix(self, progress: Progress | None = None) -> FloatArray:
        """All of it, (rows, columns)."""
        rows, columns = self.shape
        size = max(1, min(ROWS, CELLS // max(columns, 1)))
        whole = slice(0, columns)
        found = [self.block(some, whole) for some in slices(rows, size, progress or silent(), "comparing frames")]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def tiles(self, size: int = 1024, halo: int = 0) -> Iterator[Tile]:
        """The matrix tile by tile, row of tiles after row of tiles: for clips too long for one matrix.

        A tile of 1024 x 1024 cells takes some 15 MB while it is computed, however long the clips; the features of both
        clips stay in memory (point clouds of 31 joints: 0.6 kB a frame, so 62 MB for twice 50,000 frames).
        """
        for top in range(0, self.shape[0], size):
            for left in range(0, self.shape[1], size):
                rows, columns = (slice(at, min(at + size, n)) for at, n in zip((top, left), self.shape, strict=True))
                wide = [
                    slice(max(0, s.start - halo), min(n, s.stop + halo))
                    for s, n in zip((rows, columns), self.shape, strict=True)
                ]
                inner = tuple(
                    slice(s.start - w.start, s.stop - w.start) for s, w in zip((rows, columns), wide, strict=True)
                )
                yield Tile(rows, columns, self.block(*wide), (inner[0], inner[1]))


class FrameCosts(Protocol):
    """How unlike the frames of two clips are, as a matrix: what time alignment needs of a measure."""

    @property
    def unit(self) -> str:
        """Of the matrix."""

    @property
    def radius(self) -> int:
        """Frames that a frame needs on each side of it: row r of the matrix stands for frame r + radius."""

    def matrix(self, a: Clip, b: Clip, progress: Progress | None = None) -> FloatArray:
        """(F_a - 2 radius, F_b - 2 radius): how unlike each frame of A is to each frame of B; 0 is alike."""


class Measure(FrameCosts, Protocol):
    """How unlike two frames are; small frozen classes that can be exchanged for one another."""

    @property
    def name(self) -> str: ...
    def prepare(self, a: Clip, b: Clip) -> ClipComparison: ...


def require_comparable(a: Clip, b: Clip, *, shortest: int, why: str) -> None:
    """Raise unless both clips have one hierarchy, one frame rate and at least `shortest` frames.

    Clips of different frame rates are refused, not resampled: velocities and windows would mean different things, and
    only the caller knows which rate to keep (`resample(clip, fps)`).
    """
    require_same_hierarchy(a.skeleton, b.skeleton, names=(a.name or "A", b.name or "B"))
    if abs(a.fps - b.fps) > 1e-3 * a.fps:
        raise BadRequest(
            f"clips {a.name or 'A'!r} and {b.name or 'B'!r} differ in frame rate: {a.fps:g} and {b.fps:g} fps; "
            f"resample one of them first"
        )
    for clip, letter in ((a, "A"), (b, "B")):
        if len(clip) < shortest:
            raise InvalidClip(
                f"clip {clip.name or letter!r} is too short: {why} needs at least {shortest} frames, found {len(clip)}"
            )


def frame_weights(radius: int, taper: str) -> FloatArray:
    """Weights (2 radius + 1,) of the frames in a window, summing to 1.

    "flat", or "triangle": falling off evenly towards the ends (GUAN 2.6.2: tapered off; 1/(radius+1) of the middle at
    the ends, so that no frame of the window counts nothing).
    """
    if radius < 0:
        raise BadRequest(f"window radius: expected 0 or more frames, found {radius}")
    if taper not in ("flat", "triangle"):
        raise BadRequest(f"window taper: expected flat or triangle, found {taper!r}")
    away = np.abs(np.arange(-radius, radius + 1))
    w = np.ones(2 * radius + 1) if taper == "flat" else 1 - away / (radius + 1)
    return w / w.sum()


def windows(values: FloatArray, radius: int) -> FloatArray:
    """(F, ...) to (F - 2 radius, 2 radius + 1, ...): each frame with its neighbours, a view."""
    view = np.lib.stride_tricks.sliding_window_view(values, 2 * radius + 1, axis=0)
    return np.moveaxis(view, -1, 1)


def squared_differences(x: FloatArray, y: FloatArray, precision: Precision) -> Callable[[slice, slice], FloatArray]:
    """A block function for |x_i - y_j|^2 of plain features (F, D): one matrix product per block.

    |x|^2 + |y|^2 - 2 x.y with the squares carried along as two more columns; both sides are shifted by their common
    mean first, so that single precision loses little; what rounding makes negative is set to 0.
    """
    dtype: Any = np.float32 if precision == "single" else np.float64
    middle = (x.sum(0) + y.sum(0)) / (len(x) + len(y))
    x, y = x - middle, y - middle
    left = np.concatenate([-2 * x, np.einsum("fd,fd->f", x, x)[:, None], np.ones((len(x), 1))], 1).astype(dtype)
    right = np.concatenate([y, np.ones((len(y), 1)), np.einsum("fd,fd->f", y, y)[:, None]], 1).astype(dtype)

    def block(rows: slice, columns: slice) -> FloatArray:
        out = left[rows] @ right[columns].T
        return np.maximum(out, 0, out=out)

    return block
