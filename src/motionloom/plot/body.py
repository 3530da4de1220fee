"""The drawn body of a clip: a person, a four-legged animal, or plain bones, as solid parts on its joints."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from motionloom.core import Clip, FloatArray, Skeleton
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.fk import fk_rotations
from motionloom.plot.feet import with_heel, with_paw
from motionloom.plot.head import with_head
from motionloom.plot.limbs import body_size, is_four_legged, limb_radii, tip_radii
from motionloom.plot.shape import DrawnBody, DrawnFoot, SolidPart
from motionloom.rotation import rotate

LOOKED_AT = 600  # frames of a clip, at most, from which heels, paws and the direction of the face are derived


def body(clip: Clip) -> DrawnBody:
    """The parts to draw for this clip: a person, a four-legged animal, or plain bones where roles are unknown."""
    shape = _skeleton_body(clip.skeleton)
    if len(clip.skeleton) < 2:
        return shape
    places, turns = fk_rotations(clip[:: -(-len(clip) // LOOKED_AT)])
    four_legged = is_four_legged(clip.skeleton)
    if len(shape.feet) == (4 if four_legged else 2):
        for foot in shape.feet:
            shape = (with_paw if four_legged else with_heel)(shape, foot, places, turns)
    return with_head(shape, clip.skeleton, turns)


def body_points(clip: Clip, shape: DrawnBody) -> FloatArray:
    """World positions of the joints and of the body's extra points, (F, J + E, 3) metres."""
    places, turns = fk_rotations(clip)
    if not shape.extras:
        return places
    joints = [joint for joint, _ in shape.extras]
    offsets = np.array([offset for _, offset in shape.extras])
    return np.concatenate([places, places[:, joints] + rotate(turns[:, joints], offsets)], axis=1)


@lru_cache(maxsize=64)
def _skeleton_body(skeleton: Skeleton) -> DrawnBody:
    """All that the skeleton alone determines: trunk, limbs and feet, without heels and head."""
    joints, size = len(skeleton), body_size(skeleton)
    extras = tuple((end.joint, end.offset) for end in skeleton.ends)
    tip: dict[int, int] = {}  # joint -> its first end site, as a point
    for e, (joint, offset) in enumerate(extras):
        if np.linalg.norm(offset) > 0.01 * size:
            tip.setdefault(joint, joints + e)
    parts = [] if is_four_legged(skeleton) else _torso(skeleton, size)
    covered = {bone for part in parts for bone in _bones_inside(skeleton, part.points)}
    for j in range(1, joints):
        p = int(skeleton.parents[j])
        if (p, j) in covered or skeleton.roles[j] == "hips" or np.linalg.norm(skeleton.offsets[j]) < 0.01 * size:
            continue
        if skeleton.roles[j] in ("left_eye", "right_eye"):
            parts.append(SolidPart((j,), (0.015 * size,), "eye", 0.03 * size))
        elif skeleton.roles[p] != "head":
            nearer = -0.08 * size if skeleton.roles[p] == "neck" else 0.0  # the neck comes out of the chest
            parts.append(SolidPart((p, j), limb_radii(skeleton, p, j, size), _tone(skeleton, j), nearer))
    for joint, point in tip.items():
        if skeleton.roles[joint] != "head" and not skeleton.roles[joint].endswith("_eye"):
            parts.append(SolidPart((joint, point), tip_radii(skeleton, joint, size), _tone(skeleton, joint)))
    return DrawnBody(joints, tuple(parts), extras, size, _drawn_feet(skeleton, tip))


def _torso(skeleton: Skeleton, size: float) -> list[SolidPart]:
    """Pelvis and chest of a person as solid hulls between hip joints, shoulders and spine."""
    parts = []
    thighs = [skeleton.find(f"{side}_thigh") for side in ("left", "right")]
    arms = [skeleton.find(f"{side}_upper_arm") for side in ("left", "right")]
    hips = skeleton.find("hips") or 0
    if thighs[0] is not None and thighs[1] is not None:
        parts.append(SolidPart((hips, thighs[0], thighs[1]), (0.098 * size, 0.087 * size, 0.087 * size), "middle"))
    if arms[0] is not None and arms[1] is not None:
        left, right = skeleton.chain(arms[0]), skeleton.chain(arms[1])
        chest = max(set(left) & set(right))
        below = int(skeleton.parents[chest]) if chest else 0
        radii = {arms[0]: 0.058, arms[1]: 0.058, chest: 0.098, below: 0.116}
        neck = skeleton.find("neck")
        if neck is not None and skeleton.parents[neck] == chest:
            radii[neck] = 0.055
        parts.append(SolidPart(tuple(radii), tuple(r * size for r in radii.values()), "middle"))
    return parts


def _bones_inside(skeleton: Skeleton, points: tuple[int, ...]) -> list[tuple[int, int]]:
    """Bones (parent, joint) that a hull of these joints covers: those from its top joint to the others."""
    top = min(points)
    return [(int(skeleton.parents[j]), j) for p in points if p != top for j in skeleton.chain(p, top)[1:]]


def _tone(skeleton: Skeleton, joint: int) -> str:
    if skeleton.names[joint].lower() in ("box", "cup", "prop"):
        return "prop"
    for j in reversed(skeleton.chain(joint)):
        for side in ("left", "right"):
            if skeleton.roles[j].startswith(side) or (not skeleton.roles[j] and side in skeleton.names[j].lower()):
                return side
        if skeleton.roles[j]:
            break
    return "middle"


def _drawn_feet(skeleton: Skeleton, tip: dict[int, int]) -> tuple[DrawnFoot, ...]:
    found = []
    for foot in feet(skeleton):
        last = tip.get(foot.ankle) if foot.toe is None else foot.toe
        found.append(DrawnFoot(foot.name, (foot.ankle,) if last is None else (foot.ankle, last)))
    return tuple(found)
