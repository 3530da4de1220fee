"""Curvature of the paths that joints draw in space (GUAN 3.2.2), by the B-spline or by sharper schemes."""

from __future__ import annotations

from typing import Literal

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, IntArray, InvalidClip
from motionloom.kinematics.fk import fk

Scheme = Literal["bspline", "central4", "eno"]
SCHEMES = ("bspline", "central4", "eno")
REST = 0.05
"""Speed floor in m/s: a joint slower than this is treated as moving at this speed (see `curvature`)."""


def joint_curvatures(clip: Clip, *, scheme: Scheme = "bspline", sigma: float = 2.0, floor: float = REST) -> FloatArray:
    """Curvature of every joint's path in the world, (F, J) 1/m; no rigid move of the clip changes it."""
    return curvature(fk(clip), clip.fps, scheme=scheme, sigma=sigma, floor=floor)


def curvature(
    points: FloatArray, fps: float, *, scheme: Scheme = "bspline", sigma: float = 2.0, floor: float = REST
) -> FloatArray:
    """Curvature 1/m of paths sampled at `fps`: points (F, ..., 3) metres to (F, ...).

    GUAN eq. 3.5: |r' x r''| / |r'|^3, after Gaussian smoothing over frames (`sigma` frames, 9 taps for sigma 2 as in
    eq. 3.10; 0: none). Where a point rests |r'| goes to 0 and the quotient explodes, so |r'| in the denominator is
    never taken below `floor` m/s: curvature then falls smoothly to 0 with the speed.

    Schemes: "bspline" is the source's, eqs. 3.8-3.9 (second order, and the spline does not pass through its points);
    "central4" takes both derivatives from the polynomial through the five nearest points (fourth order); "eno" chooses
    among the five-point stencils the smoothest one (Harten et al. 1987), which stays sharp beside a sudden bend.
    """
    points = np.asarray(points, float)
    if scheme not in SCHEMES:
        raise BadRequest(f"curvature scheme: expected one of {', '.join(SCHEMES)}, found {scheme!r}")
    if floor <= 0:
        raise BadRequest(f"curvature floor: expected a speed above 0 m/s, found {floor}")
    least = 3 if scheme == "bspline" else 5
    if len(points) < least:
        raise InvalidClip(f"curvature by {scheme} needs at least {least} frames, found {len(points)}")
    if not np.isfinite(points).all():
        raise InvalidClip("curvature: the points hold NaN or infinite values")
    smoothed = smooth(points, sigma) if sigma else points
    first, second = derivatives(smoothed, fps, scheme)
    (a, b, c), (u, v, w) = np.moveaxis(first, -1, 0), np.moveaxis(second, -1, 0)
    speed = np.maximum(np.sqrt(a * a + b * b + c * c), floor)
    bent = np.sqrt((b * w - c * v) ** 2 + (c * u - a * w) ** 2 + (a * v - b * u) ** 2)  # |r' x r''|
    return np.asarray(bent / (speed * speed * speed))


def smooth(points: FloatArray, sigma: float) -> FloatArray:
    """Gaussian smoothing along axis 0 (frames), GUAN eq. 3.10; taps reach 2 sigma on each side and sum to 1.

    The ends are continued by point reflection, which keeps their place and direction (zeros would bend them).
    """
    radius = max(1, round(2 * sigma))
    x = np.arange(-radius, radius + 1)
    taps = np.exp(-(x**2) / (2 * sigma**2))
    taps /= taps.sum()
    frames = len(points)
    if frames > radius:
        before, after = 2 * points[0] - points[radius:0:-1], 2 * points[-1] - points[-2 : -radius - 2 : -1]
        long = np.concatenate([before, points, after])
    else:  # so short that it is reflected more than once
        pad = [(radius, radius)] + [(0, 0)] * (points.ndim - 1)
        long = np.pad(points, pad, mode="reflect", reflect_type="odd") if frames > 1 else np.pad(points, pad, "edge")
    out, part = taps[0] * long[:frames], np.empty_like(points)
    for tap, at in zip(taps[1:], range(1, 2 * radius + 1), strict=True):
        np.multiply(long[at : at + frames], tap, out=part)
        out += part
    return out


def derivatives(points: FloatArray, fps: float, scheme: Scheme) -> tuple[FloatArray, FloatArray]:
    """First and second time derivatives (per s, per s^2) of points (F, ..., 3) at every frame."""
    if scheme == "bspline":
        first, second = np.empty_like(points), np.empty_like(points)
        first[1:-1] = (points[2:] - points[:-2]) / 2  # GUAN 3.8
        second[1:-1] = points[:-2] - 2 * points[1:-1] + points[2:]  # GUAN 3.9
        for d in (first, second):
            d[0], d[-1] = d[1], d[-2]  # no knot there: the nearest one that has both neighbours
        return first * fps, second * fps**2
    flat = points.reshape(len(points), -1, 3)
    place = _central(flat) if scheme == "central4" else _smoothest(flat)
    frames = np.arange(len(flat))[:, None]
    around = flat[(frames - place)[..., None] + np.arange(5), np.arange(flat.shape[1])[:, None]]  # (F, P, 5, 3)
    first = np.einsum("fps,fpsc->fpc", _FIRST[place], around) * fps
    second = np.einsum("fps,fpsc->fpc", _SECOND[place], around) * fps**2
    return first.reshape(points.shape), second.reshape(points.shape)


def _stencils(order: int) -> FloatArray:
    """Row o: weights of the five points at -o ... 4 - o that give the derivative of their polynomial at 0."""
    rows = []
    for o in range(5):
        x = np.arange(5) - o
        powers = np.vander(x, increasing=True).T.astype(float)
        rows.append(np.linalg.solve(powers, np.eye(5)[order] * (1 if order == 1 else 2)))
    return np.array(rows)


_FIRST, _SECOND = _stencils(1), _stencils(2)


def _central(points: FloatArray) -> IntArray:
    """Place of each frame within its five points: the middle, except near the ends."""
    frames = np.arange(len(points))
    left = np.clip(frames - 2, 0, len(points) - 5)
    return np.repeat((frames - left)[:, None], points.shape[1], 1)


def _smoothest(points: FloatArray) -> IntArray:
    """Place (F, P) of each frame within the five points that ENO chooses for it.

    The stencil grows from the frame itself, one point at a time, to the side where the next divided difference is
    smaller; a stencil that leans away from the middle must win by a factor of two (Shu 1990), which keeps the centred,
    more exact stencil wherever the path is smooth.
    """
    frames = np.arange(len(points))
    left = np.repeat(frames[:, None], points.shape[1], 1)
    difference = points
    for order in range(1, 5):
        difference = np.diff(difference, axis=0)
        size = np.linalg.norm(difference, axis=-1)  # (F - order, P): starting at each frame
        size = np.concatenate([np.full((1, size.shape[1]), np.inf), size, np.full((order, size.shape[1]), np.inf)])
        paths = np.arange(points.shape[1])
        to_left, to_right = size[left, paths], size[left + 1, paths]  # index shifted by the row of inf in front
        reached = frames[:, None] - left  # points already taken on the left
        leaning_left = 2 * reached >= order
        left = left - np.where(leaning_left, 2 * to_left < to_right, to_left <= 2 * to_right)
    return frames[:, None] - left
