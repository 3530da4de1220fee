"""The feet of a drawn body: heels, which skeletons do not have, and paws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from motionloom.core import FloatArray, IntArray
from motionloom.plot.limbs import LIMBS
from motionloom.plot.shape import DrawnBody, DrawnFoot, SolidPart, attach
from motionloom.rotation import inverse, rotate


def with_heel(shape: DrawnBody, foot: DrawnFoot, places: FloatArray, turns: FloatArray) -> DrawnBody:
    """The body with one foot as a wedge of heel, ankle and toe.

    The heel is under the ankle when the foot is flat, that is where ankle and toe are lowest together: rest poses
    differ too much between files to derive it from them. `places` (F, J, 3) and `turns` (F, J, 4) are world joints.
    """
    ankle, last = foot.points[0], foot.points[-1]
    if last == ankle or last >= shape.joints:
        return shape
    flat = _lowest(places[:, ankle, 1] + places[:, last, 1])
    drop = float(np.median(places[flat, ankle, 1] - places[flat, last, 1]))
    if not 0 < drop < 0.2 * shape.size:
        return shape
    back = _level_direction(places[flat, ankle] - places[flat, last])
    heel = back * (0.045 * shape.size) + [0.0, -drop, 0.0]
    shape, (point,) = attach(shape, ankle, [np.median(rotate(inverse(turns[flat, ankle]), heel), axis=0)])
    shape = _extend_part(shape, (ankle, last), point, LIMBS["foot"][1] * shape.size)
    return _with_foot(shape, foot, (point, last))


def with_paw(shape: DrawnBody, foot: DrawnFoot, places: FloatArray, turns: FloatArray) -> DrawnBody:
    """The body with toes in front of one leg that ends in an end site: towards the head while the leg stands.

    The joint 0 is taken for the hips, and the paws point away from them for front legs and like them for hind legs;
    `places` (F, J, 3) and `turns` (F, J, 4) are world joints.
    """
    ankle, last = foot.points[0], foot.points[-1]
    if last == ankle or last < shape.joints:
        return shape
    offset = np.array(shape.extras[last - shape.joints][1])
    tips = places[:, ankle] + rotate(turns[:, ankle], offset)
    flat = _lowest(tips[:, 1])
    ahead = _level_direction(_forward(shape, places)[flat])
    local = rotate(inverse(turns[flat, ankle]), ahead * (0.075 * shape.size))
    shape, (point,) = attach(shape, ankle, [offset + np.median(local, axis=0)])
    radius = LIMBS["front_toe"][1] * shape.size
    paw = SolidPart((last, point), (1.1 * radius, radius), foot.side)
    return _with_foot(replace(shape, parts=(*shape.parts, paw)), foot, (last, point))


def _forward(shape: DrawnBody, places: FloatArray) -> FloatArray:
    """(F, 3) from the hind legs to the front legs."""
    front = [foot.points[0] for foot in shape.feet if "front" in foot.name]
    rest = [foot.points[0] for foot in shape.feet if "front" not in foot.name]
    return places[:, [_joint(shape, p) for p in front]].mean(axis=1) - places[:, [_joint(shape, p) for p in rest]].mean(
        axis=1
    )


def _joint(shape: DrawnBody, point: int) -> int:
    return point if point < shape.joints else shape.extras[point - shape.joints][0]


def _lowest(heights: FloatArray) -> IntArray:
    """The tenth of the frames with the lowest heights."""
    return np.argsort(heights)[: max(1, len(heights) // 10)]


def _level_direction(v: FloatArray) -> FloatArray:
    flat = v * [1.0, 0.0, 1.0]
    return flat / (np.linalg.norm(flat, axis=1, keepdims=True) + 1e-9)


def _extend_part(shape: DrawnBody, points: tuple[int, ...], point: int, radius: float) -> DrawnBody:
    """The body with another ball in the part that has these points."""
    parts = (
        replace(part, points=(*points, point), radii=(*part.radii, radius)) if part.points == points else part
        for part in shape.parts
    )
    return replace(shape, parts=tuple(parts))


def _with_foot(shape: DrawnBody, foot: DrawnFoot, points: tuple[int, ...]) -> DrawnBody:
    return replace(shape, feet=tuple(DrawnFoot(f.name, points) if f == foot else f for f in shape.feet))
