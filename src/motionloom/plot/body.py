"""What a drawn body is made of: limbs with thickness, hung on the joints and end sites of a skeleton."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from motionloom.core import Clip, FloatArray, Skeleton
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.fk import fk_rotations
from motionloom.rotation import inverse, rotate

PERSON_LEG = 0.85  # m, thigh + shin of a person 1.75 m tall: the radii below are for that person
DOG_LEG = 0.60  # m, of a dog whose limbs are as thick

# Radii in metres of the limb that starts at a joint with this role, at its two ends.
LIMBS = {
    "thigh": (0.078, 0.054),
    "shin": (0.054, 0.036),
    "foot": (0.038, 0.032),
    "toe": (0.032, 0.024),
    "shoulder": (0.055, 0.055),
    "upper_arm": (0.050, 0.038),
    "forearm": (0.039, 0.027),
    "hand": (0.032, 0.020),
    "front_upper_arm": (0.075, 0.050),
    "front_forearm": (0.050, 0.032),
    "front_foot": (0.034, 0.030),
    "front_toe": (0.030, 0.024),
    "neck": (0.052, 0.048),
    "neck1": (0.048, 0.048),
    "tail": (0.030, 0.022),
}
TRUNK = ("hips", "spine", "spine1", "spine2", "spine3")


@dataclass(frozen=True)
class Part:
    """A solid piece of a body: the hull of balls around some of its points."""

    points: tuple[int, ...]  # indices into `body_points`
    radii: tuple[float, ...]  # m
    tone: str  # "left", "right", "middle", "eye" or "prop"
    nearer: float = 0.0  # m, taken off its distance when parts are sorted from back to front


@dataclass(frozen=True)
class DrawnFoot:
    """A foot that walks: its name ("left_foot", "right_front_foot") and its points, heel (or ankle) first."""

    name: str
    points: tuple[int, ...]

    @property
    def side(self) -> str:
        return self.name.partition("_")[0]


@dataclass(frozen=True)
class Body:
    """A skeleton's drawn parts. Points are its joints, then `extras`, each fixed to a joint."""

    parts: tuple[Part, ...]
    extras: tuple[tuple[int, tuple[float, float, float]], ...]  # (joint, offset in that joint's frame, m)
    size: float  # 1 for a person 1.75 m tall
    feet: tuple[DrawnFoot, ...]


def body(clip: Clip) -> Body:
    """The parts to draw for this clip: a person, a four-legged animal, or plain bones where roles are unknown."""
    shape = _body(clip.skeleton)
    if len(shape.feet) != 2 or len(clip.skeleton) < 2:
        return shape
    places, turns = fk_rotations(clip)
    for foot in shape.feet:
        shape = _with_heel(shape, foot, len(clip.skeleton), places, turns)
    return shape


def _with_heel(shape: Body, foot: DrawnFoot, joints: int, places: FloatArray, turns: FloatArray) -> Body:
    """The foot as a wedge of heel, ankle and toe.

    Skeletons have no heel: it lies under the ankle when the foot is flat, that is where ankle and toe are lowest
    together. Rest poses differ too much between files to tell.
    """
    ankle, last = foot.points[0], foot.points[-1]
    if last in (ankle,) or last >= joints:
        return shape
    height = places[:, ankle, 1] + places[:, last, 1]
    flat = np.argsort(height)[: max(1, len(height) // 10)]
    radius = LIMBS["foot"][1] * shape.size
    drop = float(np.median(places[flat, ankle, 1] - places[flat, last, 1]))
    if not 0 < drop < 0.2 * shape.size:
        return shape
    back = places[flat, ankle] - places[flat, last]
    back[:, 1] = 0
    back /= np.linalg.norm(back, axis=1, keepdims=True) + 1e-9
    heel = back * (0.045 * shape.size) + [0.0, -drop, 0.0]
    local = np.median(rotate(inverse(turns[flat, ankle]), heel), axis=0)
    point = joints + len(shape.extras)
    parts = tuple(
        replace(part, points=(*part.points, point), radii=(*part.radii, radius))
        if part.points == (ankle, last)
        else part
        for part in shape.parts
    )
    feet = tuple(DrawnFoot(f.name, (point, last)) if f == foot else f for f in shape.feet)
    return replace(shape, parts=parts, feet=feet, extras=(*shape.extras, (ankle, _vector(local))))


@lru_cache(maxsize=64)
def _body(skeleton: Skeleton) -> Body:
    joints = len(skeleton)
    extras = [(end.joint, end.offset) for end in skeleton.ends]
    size = _size(skeleton)
    tip: dict[int, int] = {}  # joint -> its first end site, as a point
    for e, (joint, offset) in enumerate(extras):
        if np.linalg.norm(offset) > 0.01 * size:
            tip.setdefault(joint, joints + e)
    four_legged = any("front_" in role for role in skeleton.roles)
    hulls = [] if four_legged else _torso(skeleton, size)
    covered = {frozenset((a, b)) for part in hulls for a, b in _inside(skeleton, part.points)}
    parts = list(hulls)
    head = skeleton.find("head")
    for j in range(1, joints):
        p = int(skeleton.parents[j])
        if frozenset((p, j)) in covered or np.linalg.norm(skeleton.offsets[j]) < 0.01 * size:
            continue
        if skeleton.roles[j] in ("left_eye", "right_eye"):
            parts.append(Part((j,), (0.015 * size,), "eye", 0.03 * size))
        elif p != head or skeleton.roles[p] != "head":
            nearer = -0.08 * size if skeleton.roles[p] == "neck" else 0.0  # the neck comes out of the chest
            parts.append(Part((p, j), _radii(skeleton, p, j, size, four_legged), _tone(skeleton, j), nearer))
    for joint, point in tip.items():
        if (joint == head and not four_legged) or skeleton.roles[joint].endswith("_eye"):
            continue
        parts.append(Part((joint, point), _tip_radii(skeleton, joint, size), _tone(skeleton, joint)))
    if head is not None and not four_legged:
        up = _head_up(skeleton, head, tip.get(head, -1) - joints, extras)
        first = joints + len(extras)
        extras += [(head, _vector(up * 0.05 * size)), (head, _vector(up * 0.115 * size))]
        parts.append(Part((first, first + 1), (0.078 * size, 0.092 * size), "middle"))
    return Body(tuple(parts), tuple(extras), size, _feet(skeleton, tip))


def body_points(clip: Clip, shape: Body) -> FloatArray:
    """World positions of the joints and of the body's extra points, (F, J + E, 3) metres."""
    extras = shape.extras
    places, turns = fk_rotations(clip)
    if not extras:
        return places
    joints = [joint for joint, _ in extras]
    offsets = np.array([offset for _, offset in extras])
    return np.concatenate([places, places[:, joints] + rotate(turns[:, joints], offsets)], axis=1)


def _size(skeleton: Skeleton) -> float:
    """Leg length over a person's; without legs, the longest chain over a person's reach from hips to fingers."""
    thigh, foot = skeleton.find("left_thigh", "right_thigh"), skeleton.find("left_foot", "right_foot")
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    if thigh is not None and foot is not None and thigh in skeleton.chain(foot):
        leg = float(lengths[skeleton.chain(foot, thigh)[1:]].sum())
        if leg > 0:
            return leg / (DOG_LEG if "left_front_foot" in skeleton.roles else PERSON_LEG)
    reach = np.zeros(len(skeleton))
    for j in range(1, len(skeleton)):
        reach[j] = reach[skeleton.parents[j]] + lengths[j]
    for end in skeleton.ends:
        reach[0] = max(reach[0], reach[end.joint] + float(np.linalg.norm(end.offset)))
    return float(reach.max()) / 1.3 or 1.0


def _torso(skeleton: Skeleton, size: float) -> list[Part]:
    """Pelvis and chest of a person as solid hulls between hip joints, shoulders and spine."""
    parts = []
    thighs = [skeleton.find(f"{side}_thigh") for side in ("left", "right")]
    arms = [skeleton.find(f"{side}_upper_arm") for side in ("left", "right")]
    hips = skeleton.find("hips") or 0
    if thighs[0] is not None and thighs[1] is not None:
        parts.append(Part((hips, thighs[0], thighs[1]), (0.098 * size, 0.087 * size, 0.087 * size), "middle"))
    if arms[0] is not None and arms[1] is not None:
        left, right = skeleton.chain(arms[0]), skeleton.chain(arms[1])
        chest = max(set(left) & set(right))
        below = int(skeleton.parents[chest]) if chest else 0
        radii = {arms[0]: 0.058, arms[1]: 0.058, chest: 0.098, below: 0.116}
        neck = skeleton.find("neck")
        if neck is not None and skeleton.parents[neck] == chest:
            radii[neck] = 0.055
        parts.append(Part(tuple(radii), tuple(r * size for r in radii.values()), "middle"))
    return parts


def _inside(skeleton: Skeleton, points: tuple[int, ...]) -> list[tuple[int, int]]:
    """Bones (parent, joint) that a hull of these joints covers: those on the way from its top joint to the others."""
    top = min(points)
    return [(int(skeleton.parents[j]), j) for p in points if p != top for j in skeleton.chain(p, top)[1:]]


def _radii(skeleton: Skeleton, start: int, end: int, size: float, four_legged: bool) -> tuple[float, float]:
    role, next_role = skeleton.roles[start], skeleton.roles[end]
    name = role.removeprefix("left_").removeprefix("right_")
    if role in TRUNK and (next_role in (*TRUNK, "neck", "head") or not next_role):
        if four_legged:
            return (0.15 * size, 0.16 * size) if next_role in TRUNK else (0.15 * size, 0.09 * size)
        return (0.104 * size, 0.106 * size) if next_role != "neck" else (0.08 * size, 0.05 * size)
    if role in TRUNK:  # out to a hip or a shoulder
        wide = 0.12 if four_legged else 0.075
        return (wide * size, min(wide, 0.085) * size)
    if four_legged and name in ("neck", "neck1"):
        return (0.085 * size, 0.075 * size)
    if name.startswith("tail"):
        name = "tail"
    if name in LIMBS and (next_role or name not in ("hand",)):
        return (LIMBS[name][0] * size, LIMBS[name][1] * size)
    length = float(np.linalg.norm(skeleton.offsets[end]))
    plain = min(0.045 * size, 0.14 * length)
    return (min(plain, 0.013 * size), min(plain, 0.011 * size)) if _under_hand(skeleton, end) else (plain, 0.8 * plain)


def _tip_radii(skeleton: Skeleton, joint: int, size: float) -> tuple[float, float]:
    name = skeleton.roles[joint].removeprefix("left_").removeprefix("right_")
    if name == "head":
        return (0.095 * size, 0.05 * size)
    if name.startswith("tail"):
        return (0.022 * size, 0.012 * size)
    if name in LIMBS:
        return (LIMBS[name][0] * size, 0.7 * LIMBS[name][1] * size)
    return (0.011 * size, 0.009 * size) if _under_hand(skeleton, joint) else (0.03 * size, 0.02 * size)


def _under_hand(skeleton: Skeleton, joint: int) -> bool:
    return any(skeleton.roles[j].endswith("_hand") for j in skeleton.chain(joint))


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


def _head_up(
    skeleton: Skeleton, head: int, end: int, extras: list[tuple[int, tuple[float, float, float]]]
) -> FloatArray:
    """The direction from the head joint to the crown, in the head's frame (rest frames are parallel)."""
    up = np.array(extras[end][1]) if end >= 0 else skeleton.offsets[head]
    length = float(np.linalg.norm(up))
    return up / length if length > 1e-9 else np.array([0.0, 1.0, 0.0])


def _feet(skeleton: Skeleton, tip: dict[int, int]) -> tuple[DrawnFoot, ...]:
    found = []
    for foot in feet(skeleton):
        last = tip.get(foot.ankle) if foot.toe is None else foot.toe
        found.append(DrawnFoot(foot.name, (foot.ankle,) if last is None else (foot.ankle, last)))
    return tuple(found)


def _vector(v: FloatArray) -> tuple[float, float, float]:
    return (float(v[0]), float(v[1]), float(v[2]))
