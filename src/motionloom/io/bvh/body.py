"""From the columns of a BVH file to a body: rotations, root, slides, and wrapper joints folded into the hips."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.core import FloatArray, IntArray
from motionloom.core.compiling import kernels_wanted
from motionloom.io.bvh.header import BvhNode, Hierarchy
from motionloom.io.reader_notes import Notes
from motionloom.kinematics.body.names import read_names
from motionloom.kinematics.body.roles import guess_roles
from motionloom.rotation import about, angle_between, inverse, multiply, rotate

MIN_SLIDE = 1e-5  # m; a joint that slides less than this around its place does not slide


class Columns(NamedTuple):
    """Columns of positions and rotations, per joint (N, 3); -1 where there is no such channel."""

    position: IntArray
    rotation: IntArray  # in the order of turning
    axes: IntArray  # axis of each rotation: 0, 1, 2
    scale: IntArray


class BvhBody(NamedTuple):
    """A body in the file's own unit and axes; joint 0 is the hips."""

    nodes: list[BvhNode]
    parents: IntArray
    root: FloatArray  # (F, 3)
    rotations: FloatArray  # (F, J, 4)
    wrappers: list[dict[str, Any]]  # joints above the hips, for the writer


def columns_of(nodes: list[BvhNode]) -> Columns:
    """Read the channel names of all joints into column numbers."""
    tables = [np.full((len(nodes), 3), -1) for _ in range(4)]
    position, rotation, axes, scale = tables
    column = 0
    for n, node in enumerate(nodes):
        turns = 0
        for channel in node.channels:
            axis = "XYZ".index(channel[0])
            if channel.endswith("rotation"):
                rotation[n, turns], axes[n, turns] = column, axis
                turns += 1
            else:
                (position if channel.endswith("position") else scale)[n, axis] = column
            column += 1
    return Columns(position, rotation, axes, scale)


def wrapper_count(nodes: list[BvhNode]) -> int:
    """The number of wrapper joints above the hips, with no other children: they move the body and are not part of it.

    The hips are the joint called so in that chain, or else where the legs meet. 0 if the file starts with the hips, or
    if their position is not given.
    """
    children = np.bincount([node.parent + 1 for node in nodes], minlength=len(nodes) + 1)[1:]
    chain = 0
    while children[chain] == 1 and chain + 1 < len(nodes):
        chain += 1
    if not chain:
        return 0
    names = [node.name for node in nodes]
    called = [n for n, read in enumerate(read_names(names)[: chain + 1]) if read.word == "hips" and not read.side]
    if called:
        return called[0]
    offsets = np.array([node.offset or (0.0, 0.0, 0.0) for node in nodes])
    roles = guess_roles(unique_names(names), [node.parent for node in nodes], offsets)
    hips = roles.index("hips") if "hips" in roles else 0
    return hips if hips <= chain else 0


def build(hierarchy: Hierarchy, values: FloatArray, columns: Columns, notes: Notes) -> BvhBody:
    """Rotations of all joints from the hips down, and where the hips are, with the wrappers' transforms put in."""
    nodes = hierarchy.nodes
    if any(nodes[0].offset or ()) and (columns.position[0] >= 0).all():
        notes.info(f"the OFFSET of {nodes[0].name!r} is not used: its position channels replace it; written as 0")
    skip = wrapper_count(nodes)
    rotations = _quaternions(values, columns.rotation[skip:], columns.axes[skip:])
    root = local_positions(nodes[skip], values, columns.position[skip])
    if skip:
        wrappers, place, turn = _wrappers(hierarchy, skip, values, columns, notes)
        root = place + rotate(turn, root)
        rotations[:, 0] = multiply(turn, rotations[:, 0])
    else:
        wrappers = []
    parents = np.array([-1] + [node.parent - skip for node in nodes[skip + 1 :]])
    return BvhBody(nodes[skip:], parents, root, rotations, wrappers)


def local_positions(node: BvhNode, values: FloatArray, columns: IntArray) -> FloatArray:
    """(F, 3) place of a joint in its parent's frame. Position channels replace OFFSET, each axis by itself."""
    out = np.empty((len(values), 3))
    for axis in range(3):
        out[:, axis] = values[:, columns[axis]] if columns[axis] >= 0 else (node.offset or (0.0, 0.0, 0.0))[axis]
    return out


def _wrappers(
    hierarchy: Hierarchy, skip: int, values: FloatArray, columns: Columns, notes: Notes
) -> tuple[list[dict[str, Any]], FloatArray, FloatArray]:
    """The joints above the hips: what the writer needs to restore them, and the world transform under them."""
    place, turn = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]])
    found: list[dict[str, Any]] = []
    for n, node in enumerate(hierarchy.nodes[:skip]):
        at = local_positions(node, values, columns.position[n])
        q = _quaternions(values, columns.rotation[n : n + 1], columns.axes[n : n + 1])[:, 0]
        size = 1e-6 * (1.0 + np.abs(at).max())
        still = bool(np.ptp(at, axis=0).max() <= size and angle_between(q, q[:1]).max() <= 1e-7)
        if still:
            at, q = at[:1], q[:1]
            notes.info(f"{node.name!r} stands still above the hips: folded away, and restored on writing")
        else:
            notes.info(
                f"{node.name!r} moves above the hips: its motion is put into the hips, and it stands still on writing"
            )
        place, turn = place + rotate(turn, at), multiply(turn, q)
        ends = [[e.name, list(e.offset or ())] for e in hierarchy.ends if e.joint == n]
        record: dict[str, Any] = {"name": node.name, "channels": list(node.channels), "ends": ends}
        record["position"] = at[0].tolist() if still else [0.0, 0.0, 0.0]
        record["rotation"] = q[0].tolist() if still else [1.0, 0.0, 0.0, 0.0]
        found.append(record)
    return found, place, turn


def _quaternions(values: FloatArray, columns: IntArray, axes: IntArray) -> FloatArray:
    """(F, J, 4) rotations of the joints whose columns and axes (J, 3) these are."""
    if not kernels_wanted():
        return quaternions_in_numpy(values, columns, axes)
    from motionloom.io.bvh._kernels import quaternions

    out = np.empty((len(values), len(columns), 4))
    quaternions(values, columns, axes, out)
    return out


def quaternions_in_numpy(values: FloatArray, columns: IntArray, axes: IntArray) -> FloatArray:
    """The kernel `quaternions` without compiled code, equal up to rounding."""
    out = np.zeros((len(values), len(columns), 4))
    out[..., 0] = 1.0
    for k in range(3):
        for axis in range(3):
            joints = np.flatnonzero((columns[:, k] >= 0) & (axes[:, k] == axis))
            if len(joints):
                out[:, joints] = multiply(out[:, joints], about(axis, np.radians(values[:, columns[joints, k]])))
    return out


def restore_wrappers(
    wrappers: list[dict[str, Any]], root: FloatArray, turn: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The hips' position (F, 3) and rotation (F, 4) in the frame of the innermost wrapper: the inverse of folding."""
    for wrapper in wrappers:
        back = inverse(np.array(wrapper["rotation"]))
        root = rotate(back, root - np.array(wrapper["position"]))
        turn = multiply(back, turn)
    return root, turn


class Sliding(NamedTuple):
    offsets: FloatArray  # (J, 3) metres
    slides: FloatArray | None  # (F, J, 3) metres


def find_slides(
    body: BvhBody, values: FloatArray, position: IntArray, unit: float, notes: Notes, *, drop: bool
) -> Sliding:
    """Offsets in metres, and slides where position channels move a joint about.

    A joint that keeps its place (within 0.01 mm) gets that place as its offset. One that moves keeps the file's OFFSET
    (its median place if that is zero) and slides; with `drop` it gets its median place and no slides, and a note
    states what is lost.
    """
    offsets = np.array([node.offset or (0.0, 0.0, 0.0) for node in body.nodes]) * unit
    offsets[0] = 0.0
    slides: FloatArray | None = None
    lost: list[tuple[float, str, int]] = []
    for j in range(1, len(body.nodes)):
        if (position[j] < 0).all():
            continue
        places = local_positions(body.nodes[j], values, position[j]) * unit
        low, high = places.min(0), places.max(0)
        if (high - low).max() <= 2 * MIN_SLIDE:
            middle = (low + high) / 2
            offsets[j] = np.where(np.abs(middle - offsets[j]) < 1e-6, offsets[j], middle)
            continue
        if drop or not offsets[j].any():
            offsets[j] = np.median(places, axis=0)
        off = places - offsets[j]
        if drop:
            away = np.linalg.norm(off, axis=1)
            lost.append((float(away.max()), body.nodes[j].name, int(away.argmax())))
            continue
        if slides is None:
            slides = np.zeros((len(values), len(body.nodes), 3))
        slides[:, j] = off
    if lost:
        worst, name, frame = max(lost)
        notes.info(
            f"slides of {len(lost)} joints dropped; the largest was {worst * 1000:.3g} mm ({name!r}, frame {frame})"
        )
    elif slides is not None:
        count = int(slides.any((0, 2)).sum())
        notes.info(f"{count} joints slide: position channels move them by up to {np.abs(slides).max() * 1000:.3g} mm")
    return Sliding(offsets, slides)


def check_scale(nodes: list[BvhNode], values: FloatArray, columns: Columns, notes: Notes) -> None:
    """Say so if a scale channel is anything but 1: bones do not change their size here."""
    for n, node in enumerate(nodes):
        used = [c for c in columns.scale[n] if c >= 0]
        if used and np.abs(values[:, used] - 1).max() > 1e-6:
            worst = values[:, used].ravel()[np.abs(values[:, used] - 1).argmax()]
            notes.warn(f"scale channels of {node.name!r} reach {worst:g}; scale is not used")


def unique_names(names: list[str]) -> list[str]:
    """Names that repeat get a number: Spine, Spine#2, Spine#3."""
    taken, out = set(names), []
    counts: dict[str, int] = {}  # the last number that each name was given
    for name in names:
        new, count = name, counts.get(name, 0)
        while count and new in taken:
            count += 1
            new = f"{name}#{count}"
        counts[name] = max(count, 1)
        taken.add(new)
        out.append(new)
    return out
