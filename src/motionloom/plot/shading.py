"""Posed bodies as filled polygons, from back to front: what every picture and animation draws."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.plot.shape import DrawnBody
from motionloom.plot.style import INK, PAPER, TONES, rgb
from motionloom.plot.view import View

LIGHT = np.array([-0.35, 1.0, 0.35])  # to the light, in picture axes: from the upper left, a little from the front
SHINE = np.array([-0.15, 0.18])  # direction, in the picture, in which the lighter layers of a part are moved
LAYERS = (
    (0.86, 0.14, 0.0),
    (0.55, 0.9, 0.16),
    (0.22, 1.25, 0.34),
)  # share of the radius, shift by SHINE, share of paper
HAZE = np.array(rgb("#aab3b8"))  # colour that distant parts approach

_ANGLES = np.linspace(0, 2 * np.pi, 32, endpoint=False)
DIRECTIONS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], -1)  # (K, 2) unit normals of an outline's corners


def outlines(centres: FloatArray, radii: FloatArray) -> FloatArray:
    """Outlines (..., K, 2) of the hulls of discs: centres (..., D, 2), radii (..., D).

    In every direction, the hull's border belongs to the disc that reaches farthest in that direction.
    """
    farthest = (centres @ DIRECTIONS.T + radii[..., None]).argmax(axis=-2)  # (..., K)
    middle = np.take_along_axis(centres, farthest[..., None], axis=-2)
    return middle + np.take_along_axis(radii, farthest, axis=-1)[..., None] * DIRECTIONS


def body_polygons(shape: DrawnBody, seen: FloatArray, *, fade: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """The polygons of one pose, from back to front: outlines (N, K, 2) and colours (N, 3) in 0..1.

    `seen` (P, 3) are its projected points: right, up, towards the viewer. `fade` 0..1 mixes the colours with the paper.
    Each part has a border in the colour of the paper, a dark rim, and three lighter layers; an eye is one dark disc.
    """
    points, radii, nearer, tones, eye, border = _part_arrays(shape)
    centres = seen[points]  # (parts, D, 3)
    counts = np.array([len(part.points) for part in shape.parts])
    depths = _mean_depths(centres[..., 2], counts) + nearer
    haze = (depths.max() - depths) / max(float(np.ptp(depths)), 0.2 * shape.size)
    paper = np.array(rgb(PAPER))
    base = tones + (HAZE - tones) * (0.30 * haze)[:, None]
    base = base + (paper - base) * fade
    shapes = [outlines(centres[..., :2], radii + border[:, None]), outlines(centres[..., :2], radii)]
    colours = [np.broadcast_to(paper, base.shape), base + (np.array(rgb(INK)) - base) * 0.30]
    for share, shift, light in LAYERS:
        shapes.append(outlines(centres[..., :2] + SHINE * shift * radii[..., None], radii * share))
        colours.append(base + (paper - base) * light)
    order = np.argsort(depths, kind="stable")
    drawn = np.ones((len(order), len(shapes)), bool)
    drawn[eye[order]] = [False, True, False, False, False]
    return np.stack(shapes, 1)[order][drawn], np.stack(colours, 1)[order][drawn]


def shadow_outlines(shape: DrawnBody, points: FloatArray, view: View, ground: float, grow: float = 0.0) -> FloatArray:
    """The shadows of all parts on level ground, (N, K, 2) in the picture; `points` (P, 3) world.

    `grow` (m) widens them. They overlap: fill them as one shape.
    """
    index, radii, _, _, eye, _ = _part_arrays(shape)
    near = np.array([-np.cos(view.yaw), 0.0, np.sin(view.yaw)])
    right = np.array([np.sin(view.yaw), 0.0, np.cos(view.yaw)])
    light = LIGHT[0] * right + LIGHT[1] * np.array([0.0, 1.0, 0.0]) + LIGHT[2] * near
    dropped = points - light * ((points[:, 1] - ground) / light[1])[:, None]
    plane = np.stack([dropped @ right, dropped @ near], -1)[index[~eye]]
    flat = outlines(plane, radii[~eye] + grow)
    return view.project(flat[..., :1] * right + flat[..., 1:] * near + [0.0, ground, 0.0])[..., :2]


def _mean_depths(depths: FloatArray, counts: IntArray) -> FloatArray:
    """Mean over the first `counts` of each row; the others are copies of the first."""
    padded = depths.shape[1] - counts
    return (depths.sum(axis=1) - padded * depths[:, 0]) / counts


@lru_cache(maxsize=64)
def _part_arrays(shape: DrawnBody) -> tuple[IntArray, FloatArray, FloatArray, FloatArray, BoolArray, FloatArray]:
    """Parts as arrays, padded to the same number of balls by repeating the first: points and radii (parts, D);

    distance taken off, colour, whether it is an eye, and width of the border (parts,).
    """
    most = max(len(part.points) for part in shape.parts)
    padded = [(*part.points, *[part.points[0]] * (most - len(part.points))) for part in shape.parts]
    radii = [(*part.radii, *[part.radii[0]] * (most - len(part.radii))) for part in shape.parts]
    return (
        np.array(padded),
        np.array(radii),
        np.array([part.nearer for part in shape.parts]),
        np.array([rgb(TONES[part.tone]) for part in shape.parts]),
        np.array([part.tone == "eye" for part in shape.parts]),
        np.array([(0.003 if part.tone in ("middle", "eye") else 0.008) * shape.size for part in shape.parts]),
    )
