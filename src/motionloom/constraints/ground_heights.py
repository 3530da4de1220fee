"""The ground under a result: flat, or heights given at points."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import BadRequest, FloatArray, FormatError
from motionloom.core.arrays import frozen, put
from motionloom.core.files import read_regular
from motionloom.core.text import csv_rows


@dataclass(frozen=True, eq=False)
class Ground:
    """Ground heights. Without points it is flat, at height 0.

    Points that fill a grid (every x with every z) are joined by bilinear patches, others by triangles (Delaunay).
    Outside of the points the height is that of the nearest place inside.
    """

    points: FloatArray | None = None  # (N, 3) rows x, z, y in metres
    source: str = ""  # the file it was read from, as the request names it
    sha256: str = ""  # of that file

    def __post_init__(self) -> None:
        if self.points is None:
            return
        points: FloatArray = frozen(self.points, np.float64, (None, 3), "ground")
        if not len(points):
            raise BadRequest("expected rows x,z,y, found none", where=("ground",))
        if len(np.unique(points[:, :2], axis=0)) != len(points):
            raise BadRequest("two rows have the same x and z", where=("ground",))
        put(self, "points", points)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ground):
            return NotImplemented
        if self.points is None or other.points is None:
            return self.points is other.points
        return bool(np.array_equal(self.points, other.points))

    def __hash__(self) -> int:
        return hash(None if self.points is None else self.points.tobytes())

    def __reduce__(self) -> tuple[Any, ...]:
        return (Ground, (self.points, self.source, self.sha256))

    @property
    def flat(self) -> bool:
        return self.points is None

    def height_at(self, x: ArrayLike, z: ArrayLike) -> FloatArray:
        """Height of the ground in metres; x and z broadcast."""
        x, z = np.broadcast_arrays(np.asarray(x, float), np.asarray(z, float))
        if self.points is None:
            return np.zeros(x.shape)
        xs, zs = np.unique(self.points[:, 0]), np.unique(self.points[:, 1])
        if len(xs) * len(zs) == len(self.points):
            return self._on_grid(xs, zs, x, z)
        return self._on_triangles(x, z)

    def _on_grid(self, xs: FloatArray, zs: FloatArray, x: FloatArray, z: FloatArray) -> FloatArray:
        assert self.points is not None
        order = np.lexsort((self.points[:, 1], self.points[:, 0]))
        heights = self.points[order, 2].reshape(len(xs), len(zs))
        i, u = _cell(xs, x)
        k, v = _cell(zs, z)
        i1, k1 = np.minimum(i + 1, len(xs) - 1), np.minimum(k + 1, len(zs) - 1)
        near = heights[i, k] * (1 - v) + heights[i, k1] * v
        far = heights[i1, k] * (1 - v) + heights[i1, k1] * v
        return near * (1 - u) + far * u

    def _on_triangles(self, x: FloatArray, z: FloatArray) -> FloatArray:
        assert self.points is not None
        places, heights = self.points[:, :2], self.points[:, 2]
        wanted = np.stack([x, z], -1).reshape(-1, 2)
        nearest = heights[((wanted[:, None] - places[None]) ** 2).sum(-1).argmin(1)]
        spread = np.linalg.svd(places - places.mean(0), compute_uv=False)
        if len(places) < 3 or spread[-1] < 1e-9 * max(spread[0], 1.0):  # no triangle has an area
            return nearest.reshape(x.shape)
        from scipy.interpolate import LinearNDInterpolator

        inside = LinearNDInterpolator(places, heights)(wanted)
        return np.where(np.isnan(inside), nearest, inside).reshape(x.shape)


FLAT = Ground()


def _cell(grid: FloatArray, at: FloatArray) -> tuple[Any, FloatArray]:
    """Index of the grid line before `at`, and how far into the cell it lies, 0 to 1; clamped at the ends."""
    if len(grid) == 1:
        return np.zeros(at.shape, np.int64), np.zeros(at.shape)
    at = np.clip(at, grid[0], grid[-1])
    index = np.clip(np.searchsorted(grid, at, side="right") - 1, 0, len(grid) - 2)
    return index, (at - grid[index]) / (grid[index + 1] - grid[index])


def read_ground(path: Path, name: str = "") -> Ground:
    """Ground from a CSV with rows x,z,y in metres; a header line is allowed."""
    try:
        data = read_regular(path)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise BadRequest(f"cannot read {name or path}: {error.strerror}", where=("ground", "heights")) from None
    except UnicodeDecodeError:
        raise FormatError("expected text with rows x,z,y, found something else", path=path) from None
    rows: list[list[float]] = []
    for number, row in csv_rows(text, path):
        if not row or not "".join(row).strip():
            continue
        try:
            values = [float(v) for v in row]
        except ValueError:
            if not rows and [v.strip().lower() for v in row] == ["x", "z", "y"]:
                continue
            raise FormatError(
                f"expected three numbers x,z,y, found {','.join(row)[:80]!r}", path=path, line=number
            ) from None
        if len(values) != 3 or not np.isfinite(values).all():
            raise FormatError(f"expected three numbers x,z,y, found {','.join(row)[:80]!r}", path=path, line=number)
        rows.append(values)
    if not rows:
        raise FormatError("expected rows x,z,y, found none", path=path)
    return Ground(np.array(rows), name or str(path), hashlib.sha256(data).hexdigest())
