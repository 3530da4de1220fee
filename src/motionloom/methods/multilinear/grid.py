"""A regular grid of parameters: blends at its points, and interpolation between the 2^p points around a request."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from motionloom.blend.registered_clips import Registered, one_sign
from motionloom.core import BadRequest, FloatArray, IntArray, Progress, Skeleton
from motionloom.methods.space.space import Space
from motionloom.rotation import slerp

MOST_POINTS = 4096


class Cell(NamedTuple):
    """The points of the grid around parameters, and how far the parameters are between them."""

    corners: IntArray  # (2^p,) points, the first parameter slowest
    shares: FloatArray  # (p,) 0 to 1 along each parameter


def grid_points(space: Space, count: int) -> FloatArray:
    """(G, D) the points of a grid over all that blends reach, `count` along each parameter, the first one slowest."""
    if count**space.size > MOST_POINTS:
        raise BadRequest(
            f"a grid of {count} points along {space.size} parameters has {count**space.size} points, more than "
            f"{MOST_POINTS}: set `grid` lower"
        )
    axes = [np.linspace(low, high, count) for low, high in zip(space.low, space.high, strict=True)]
    return np.array(list(product(*axes)))


def cell_of(low: FloatArray, high: FloatArray, count: int, values: FloatArray) -> Cell:
    """The cell around parameters (D,); those outside the grid count as on its border (GUAN eq 2.3)."""
    at = np.clip((values - low) / np.maximum(high - low, 1e-12), 0.0, 1.0) * (count - 1)
    below = np.minimum(at.astype(np.int64), count - 2)
    strides = count ** np.arange(len(values) - 1, -1, -1)
    corners = [int(((below + np.array(up)) * strides).sum()) for up in product((0, 1), repeat=len(values))]
    return Cell(np.array(corners, np.int64), at - below)


def corner_weights(shares: FloatArray) -> FloatArray:
    """(2^p,) the products of the shares along all parameters."""
    out = np.ones(1)
    for share in shares:
        out = np.concatenate([out[:, None] * (1 - share), out[:, None] * share], 1).ravel()
    return out


def blended_rows(rows: Registered, skeleton: Skeleton, weights: FloatArray, progress: Progress) -> Registered:
    """Blends (G, K) of registered clips as registered clips themselves."""
    from motionloom.blend._kernels_registered import poses

    tables, total, joints = rows.tables(skeleton), len(rows.levels), rows.turns.shape[2]
    at = np.arange(total, dtype=float)
    turns, levels = np.empty((total, len(weights), joints, 4)), np.empty((total, len(weights)))
    contacts = np.zeros((total, rows.touches.shape[2]), bool)
    for g, w in enumerate(weights):
        progress(g / len(weights), "resampling to the grid")
        root, rotations = np.empty((total, 3)), np.empty((total, joints, 4))
        poses(tables, np.ascontiguousarray(w[None]), at, np.zeros((total, 3)), root, rotations, contacts)
        turns[:, g], levels[:, g] = rotations, root[:, 1]
    return replace(
        rows,
        turns=one_sign(turns),
        levels=levels,
        steps=np.einsum("gk,rkc->rgc", weights, rows.steps),
        paces=rows.paces @ weights.T,
        touches=np.clip(np.einsum("gk,rkp->rgp", weights, rows.touches), 0.0, 1.0),
        times=rows.times @ weights.T,
    )


def successively(rows: Registered, cell: Cell) -> Registered:
    """One clip: the corners of a cell interpolated along one parameter after the other, the first one first.

    2^p - 1 interpolations (GUAN eq 2.2); rotations along the shorter arc, so that the result depends on the order.
    """
    part = rows.only(cell.corners)
    for share in cell.shares:
        half = part.size // 2
        a, b = part.only(np.arange(half)), part.only(np.arange(half, 2 * half))
        names = ("levels", "steps", "paces", "touches", "times")
        mixed = {name: (1 - share) * getattr(a, name) + share * getattr(b, name) for name in names}
        part = replace(part, turns=one_sign(slerp(a.turns, b.turns, np.full(a.turns.shape[:-1], share))), **mixed)
    return part
