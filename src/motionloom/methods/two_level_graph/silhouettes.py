"""Silhouettes of a body of capsules, and features to compare them (GUAN 2.4.2)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, IntArray, Skeleton
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.travel import travel
from motionloom.methods.graph import Graph
from motionloom.rotation import rotate, yaw

VIEWS = 18  # viewpoints around the body, 20 degrees apart, as in the source
PIXEL = 0.04  # leg lengths
SIZE = (64, 56)  # rows and columns of a mask: 2.6 leg lengths high, 2.2 wide
CELL = 4  # pixels on each side of a cell
GRID = (16, 14)  # rows and columns of cells

# Radii in leg lengths of the limb that starts at a joint with this role; everything else is as thin as a forearm.
RADII = {
    "hips": 0.13,
    "spine": 0.13,
    "spine1": 0.13,
    "spine2": 0.13,
    "spine3": 0.12,
    "neck": 0.065,
    "head": 0.11,
    "thigh": 0.085,
    "shin": 0.055,
    "foot": 0.045,
    "toe": 0.035,
    "shoulder": 0.07,
    "upper_arm": 0.055,
    "forearm": 0.042,
    "hand": 0.035,
}
THIN = 0.04


class Stick(NamedTuple):
    """A body of capsules: points are its joints, then its end sites."""

    limbs: IntArray  # (L, 2) points
    radii: FloatArray  # (L, 2) metres


@lru_cache(maxsize=16)
def stick(skeleton: Skeleton) -> Stick:
    """The capsules of a skeleton: one for each bone and end site, with radii by the role of the joint."""
    leg = leg_length(skeleton)
    names = [role.removeprefix("left_").removeprefix("right_") for role in skeleton.roles]
    thick = np.array([RADII.get(name, THIN) for name in names]) * leg
    bones = [(int(p), j) for j, p in enumerate(skeleton.parents) if p >= 0]
    tips = [(end.joint, len(skeleton) + e) for e, end in enumerate(skeleton.ends)]
    radii = [(thick[p], min(thick[p], thick[j])) for p, j in bones] + [(thick[j], 0.8 * thick[j]) for j, _ in tips]
    if not bones and not tips:
        raise BadRequest("silhouettes: expected a body with bones, found a single point")
    return Stick(np.array(bones + tips, np.int64), np.array(radii))


def facing_points(clip: Clip) -> FloatArray:
    """(F, K, 3) joints and end sites of every frame, hips over the origin and facing +z, the clip's floor at 0.

    The floor is where the lowest point of the body is in its lowest frames (5 % of them are lower).
    """
    skeleton = clip.skeleton
    places, turns = fk_rotations(clip)
    ends = [e.joint for e in skeleton.ends]
    tips = rotate(turns[:, ends], np.array([e.offset for e in skeleton.ends]).reshape(-1, 3))
    points = np.concatenate([places, places[:, ends] + tips], 1)
    floor = float(np.percentile(points[..., 1].min(1), 5))
    path = travel(clip)
    here = np.stack([path.place[:, 0], np.full(len(clip), floor), path.place[:, 1]], 1)
    return rotate(yaw(-path.heading)[:, None], points - here[:, None])


def view_angles(count: int = VIEWS) -> FloatArray:
    """(V,) rad: camera directions relative to the body: 0 in front of it, positive to its left."""
    return np.linspace(0.0, 2 * np.pi, count, endpoint=False)


def silhouettes(clip: Clip, azimuth: float | FloatArray) -> Any:
    """(F, rows, columns) masks of 0 and 1: the clip from far away, level, with the hips in the middle column.

    `azimuth` (radians, or one per frame) is the camera direction relative to the body; row 0 is on the floor. A pixel
    is 0.04 leg lengths, so that tall and small bodies have the same size.
    """
    from motionloom.methods.two_level_graph._kernels_silhouettes import draw

    body, pixel = stick(clip.skeleton), PIXEL * leg_length(clip.skeleton)
    points = facing_points(clip)
    out = np.zeros((len(clip), *SIZE), np.uint8)
    for f, angle in enumerate(np.broadcast_to(np.asarray(azimuth, float), len(clip))):
        draw(points[f], body.limbs, body.radii, float(angle), pixel, out[f])
    return out


def mask_features(masks: Any) -> Any:
    """(F, D) of masks (F, rows, columns): shares of lit pixels in cells of 0.16 leg lengths, about the middle column.

    The horizontal position of the body in the picture is ignored, its height above the floor is not. Masks of a video,
    scaled so that a leg is 25 pixels long and row 0 is the floor, can be given too.
    """
    from motionloom.methods.two_level_graph._kernels_silhouettes import cells

    out = np.zeros((len(masks), *GRID), np.float32)
    for f, mask in enumerate(masks):
        cells(np.ascontiguousarray(mask), CELL, out[f])
    return out.reshape(len(masks), -1)


def view_features(clip: Clip, views: int = VIEWS) -> Any:
    """(F, V / 2, D) `mask_features` from the first half of the viewpoints; the others are their mirror images."""
    from motionloom.methods.two_level_graph._kernels_silhouettes import all_cells

    if views % 2:
        raise BadRequest(f"views: expected an even number of viewpoints, found {views}")
    body, pixel = stick(clip.skeleton), PIXEL * leg_length(clip.skeleton)
    out = np.zeros((len(clip), views // 2, *GRID), np.float32)
    half = view_angles(views)[: views // 2]
    all_cells(facing_points(clip), body.limbs, body.radii, half, pixel, SIZE, CELL, out)
    return out.reshape(len(clip), views // 2, -1)


def silhouette_views(graph: Graph) -> Any:
    """(N, V / 2, D) silhouettes of every frame from half of the viewpoints; the other half are their mirror images."""
    return np.concatenate([view_features(clip) for clip in graph.clips])


def mirrored(features: Any) -> Any:
    """Features (..., D) of the mirror image, seen from the other side of the body."""
    grid = features.reshape(*features.shape[:-1], *GRID)
    return np.ascontiguousarray(grid[..., ::-1]).reshape(features.shape)
