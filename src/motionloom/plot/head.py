"""The head of a drawn body: skull, face and ears, so that a picture shows which direction it faces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from motionloom.constraints.gaze import NEAR_AXIS, SOMETIMES
from motionloom.core import FloatArray, Skeleton
from motionloom.kinematics.travel import body_axes
from motionloom.plot.limbs import is_four_legged
from motionloom.plot.shape import DrawnBody, SolidPart, attach
from motionloom.rotation import inverse, multiply, rotate

UPRIGHT = 0.94  # cosine between neck and head at rest and on average, in a rest pose that stands
AGREES = 0.6  # cosine between two estimates of the forward direction that count as the same


def with_head(shape: DrawnBody, skeleton: Skeleton, turns: FloatArray) -> DrawnBody:
    """The body with its head. `turns` (F, J, 4) are the world rotations of some frames of the clip."""
    head = skeleton.find("head")
    if head is None or skeleton.roles[head] != "head":
        return shape
    end = next((np.array(e.offset) for e in skeleton.ends if e.joint == head and np.linalg.norm(e.offset) > 1e-6), None)
    along = _from_neck(skeleton, head, turns) if end is None else end
    if is_four_legged(skeleton):
        length = 0.28 * shape.size if end is None else float(np.linalg.norm(end))
        axes = _axes(skeleton, head, turns, along, towards=(0.0, 1.0, 0.0))
        return shape if axes is None else _dog_head(shape, head, axes, length)
    axes = _axes(skeleton, head, turns, along, towards=(0.0, 0.0, 1.0))
    if axes is None:
        return shape
    eyes = all(skeleton.find(f"{side}_eye") is not None for side in ("left", "right"))
    return _person_head(shape, head, axes[:, [0, 2, 1]] * [-1, 1, 1], own_eyes=eyes)


def _from_neck(skeleton: Skeleton, head: int, turns: FloatArray) -> FloatArray:
    """The line from the neck to the head, in the head's frame: at rest, if that is near the mean over the frames."""
    line, neck = skeleton.offsets[head], int(skeleton.parents[head])
    mean = rotate(multiply(inverse(turns[:, head]), turns[:, neck]), line).mean(axis=0) if neck >= 0 else line
    return line if mean @ line >= UPRIGHT * (line @ line) else mean


def _axes(
    skeleton: Skeleton, head: int, turns: FloatArray, along: FloatArray, towards: tuple[float, float, float]
) -> FloatArray | None:
    """Axes of the head as columns, in the head's frame: across, the body's direction `towards`, and `along`.

    `towards` is in the body's axes (x left, y up, z forward). In a rest pose in which the person stands, the frames of
    head and hips are parallel, so the hips' axes are the head's too. Other rest poses (all bones along x) give another
    direction than the mean over the frames in which the head faces as the spine does, which is then used.
    """
    length = float(np.linalg.norm(along))
    if length < 1e-9:
        return None
    line = along / length
    in_hips = rotate(body_axes(skeleton), np.array(towards))
    hips = skeleton.find("hips") or 0  # a joint on the floor may carry the hips
    in_world = rotate(multiply(turns[:, hips], body_axes(skeleton)), np.array(towards))
    spine = skeleton.find("spine") or hips
    ahead, seen_by_head = (
        rotate(inverse(turns[:, spine]), in_world).mean(axis=0),
        rotate(inverse(turns[:, head]), in_world),
    )
    alike = seen_by_head @ ahead > NEAR_AXIS * np.linalg.norm(ahead)  # a look to the side that lasts is left out
    mean = seen_by_head[alike if alike.mean() >= SOMETIMES else slice(None)].mean(axis=0)
    at_rest, seen = (_across(v, line) for v in (in_hips, mean))
    if seen is None:
        return None
    aim = at_rest if at_rest is not None and at_rest @ seen > AGREES else seen
    return np.stack([np.cross(aim, line), aim, line], -1)


def _across(v: FloatArray, line: FloatArray) -> FloatArray | None:
    """The direction of `v` at right angles to `line`."""
    flat = v - (v @ line) * line
    length = float(np.linalg.norm(flat))
    return flat / length if length > 0.05 else None


def _person_head(shape: DrawnBody, head: int, axes: FloatArray, *, own_eyes: bool) -> DrawnBody:
    """Skull, jaw and nose, and eyes where the skeleton has none. `axes` columns: left, up, forward."""
    size = shape.size
    spots = np.array(
        [
            [0.0, 0.045, -0.002],  # neck end of the skull
            [0.0, 0.115, -0.006],  # crown
            [0.0, 0.028, 0.032],  # jaw
            [0.0, 0.072, 0.070],  # bridge of the nose
            [0.0, 0.058, 0.089],  # tip of the nose
            [0.036, 0.092, 0.066],
            [-0.036, 0.092, 0.066],  # eyes
        ]
    )
    shape, points = attach(shape, head, spots @ axes.T * size)
    base, crown, jaw, bridge, tip, *eyes = points
    parts = [
        SolidPart((base, crown, jaw), (0.070 * size, 0.092 * size, 0.052 * size), "middle"),
        SolidPart((bridge, tip), (0.014 * size, 0.017 * size), "middle", 0.02 * size),
    ]
    if not own_eyes:
        parts += [SolidPart((eye,), (0.014 * size,), "eye", 0.02 * size) for eye in eyes]
    return replace(shape, parts=(*shape.parts, *parts))


def _dog_head(shape: DrawnBody, head: int, axes: FloatArray, length: float) -> DrawnBody:
    """Skull, muzzle, nose, eyes and ears. `axes` columns: left, up, forward; `length` (m) reaches the nose."""
    size = shape.size
    skull = min(0.12 * size, 0.42 * length)  # radius
    spots = np.array(
        [
            [0.0, 0.25, 0.35],  # skull
            [0.0, 0.10, 1.15],  # stop, between the eyes
            [0.0, -0.12, 2.05],  # end of the muzzle
            [0.0, 0.06, 2.32],  # nose
            [0.50, 0.62, 1.05],
            [-0.50, 0.62, 1.05],  # eyes
            [0.62, 0.95, 0.10],
            [-0.62, 0.95, 0.10],  # roots of the ears
            [0.98, 1.75, -0.10],
            [-0.98, 1.75, -0.10],  # tips of the ears
        ]
    )
    spots[:, 2] *= length / (2.35 * skull)
    shape, points = attach(shape, head, spots @ axes.T * skull)
    middle, stop, muzzle, nose, *rest = points
    eyes, roots, tips = rest[:2], rest[2:4], rest[4:]
    parts = [
        SolidPart((head, middle, stop), (0.80 * skull, 0.95 * skull, 0.66 * skull), "middle"),
        SolidPart((stop, muzzle), (0.56 * skull, 0.40 * skull), "middle", 0.1 * skull),
        SolidPart((nose,), (0.20 * skull,), "eye", 0.4 * skull),
        *(SolidPart((eye,), (0.13 * skull,), "eye", 0.35 * skull) for eye in eyes),
        *(SolidPart(ear, (0.36 * skull, 0.10 * skull), "middle") for ear in zip(roots, tips, strict=True)),
    ]
    return replace(shape, parts=(*shape.parts, *parts))
