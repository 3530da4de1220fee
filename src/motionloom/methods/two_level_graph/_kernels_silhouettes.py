"""Compiled loops that draw silhouettes: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def draw(points: Any, limbs: Any, radii: Any, azimuth: float, pixel: float, mask: Any) -> None:
    """One body (K, 3), hips over the origin and facing +z, as a mask (rows, columns) of 0 and 1; row 0 is the floor.

    Limb k runs from point limbs[k, 0] to limbs[k, 1] and is as thick as radii[k, 0] and radii[k, 1] there. A pixel is
    lit if its middle is nearer to the line than the radius at that place. 31 joints on 60 x 50 pixels: 15 us. The slow
    version is `slow_mask` in tests/methods/two_level_graph/test_silhouettes.py.
    """
    rows, columns = mask.shape
    mask[:] = 0
    c, s = np.cos(azimuth), np.sin(azimuth)
    for k in range(len(limbs)):
        i, j = limbs[k, 0], limbs[k, 1]
        ax, ay = (points[i, 0] * c - points[i, 2] * s) / pixel + columns / 2, points[i, 1] / pixel
        bx, by = (points[j, 0] * c - points[j, 2] * s) / pixel + columns / 2, points[j, 1] / pixel
        r, q = radii[k, 0] / pixel, radii[k, 1] / pixel
        most = max(r, q)
        left, right = int(np.floor(min(ax, bx) - most - 0.5)), int(np.ceil(max(ax, bx) + most - 0.5))
        low, high = int(np.floor(min(ay, by) - most - 0.5)), int(np.ceil(max(ay, by) + most - 0.5))
        dx, dy = bx - ax, by - ay
        long = max(dx * dx + dy * dy, 1e-12)
        for row in range(max(low, 0), min(high + 1, rows)):
            py = row + 0.5 - ay
            for column in range(max(left, 0), min(right + 1, columns)):
                px = column + 0.5 - ax
                u = min(max((px * dx + py * dy) / long, 0.0), 1.0)
                near = r + u * (q - r)
                ex, ey = px - u * dx, py - u * dy
                if ex * ex + ey * ey < near * near:
                    mask[row, column] = 1


@kernel
def cells(mask: Any, size: int, out: Any) -> None:
    """A mask as shares of lit pixels in cells (rows, columns) of size x size pixels, about its own middle column.

    The middle of the lit pixels falls on the middle of `out`; each pixel is shared by the two cells it lies on. What
    lies outside is lost.
    """
    rows, columns = mask.shape
    out[:] = 0
    lit, total = 0, 0.0
    for row in range(rows):
        for column in range(columns):
            if mask[row, column]:
                lit += 1
                total += column + 0.5
    if lit == 0:
        return
    shift = out.shape[1] / 2 - total / lit / size  # in cells
    for row in range(min(rows, out.shape[0] * size)):
        for column in range(columns):
            if mask[row, column]:
                left = column / size + shift
                cell = int(np.floor(left))
                over = max(left + 1 / size - (cell + 1), 0.0) * size  # share of the pixel in the next cell
                if 0 <= cell < out.shape[1]:
                    out[row // size, cell] += 1 - over
                if over > 0 and 0 <= cell + 1 < out.shape[1]:
                    out[row // size, cell + 1] += over
    for row in range(out.shape[0]):
        for cell in range(out.shape[1]):
            out[row, cell] /= size * size


@kernel
def all_cells(
    points: Any, limbs: Any, radii: Any, azimuths: Any, pixel: float, shape: Any, size: int, out: Any
) -> None:
    """Cells of every frame (F, K, 3) from every azimuth (V,) into out (F, V, rows, columns); masks are not kept."""
    mask = np.zeros(shape, np.uint8)
    for f in range(len(points)):
        for v in range(len(azimuths)):
            draw(points[f], limbs, radii, azimuths[v], pixel, mask)
            cells(mask, size, out[f, v])
