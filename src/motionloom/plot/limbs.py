"""How thick the limbs of a drawn body are: radii in metres by the roles of the joints, scaled to the body's size."""

from __future__ import annotations

import numpy as np

from motionloom.core import Skeleton

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
    "front_toe": (0.034, 0.030),
    "neck": (0.052, 0.048),
    "neck1": (0.048, 0.048),
    "tail": (0.030, 0.022),
}
DOG_LIMBS = {
    "thigh": (0.105, 0.062),
    "shin": (0.060, 0.036),
    "foot": (0.036, 0.032),
    "toe": (0.038, 0.034),
    "shoulder": (0.105, 0.085),
    "neck": (0.105, 0.085),
    "neck1": (0.085, 0.080),
    "tail": (0.034, 0.026),
}
TRUNK = ("hips", "spine", "spine1", "spine2", "spine3")


def is_four_legged(skeleton: Skeleton) -> bool:
    """Whether the body has front legs."""
    return any("front_" in role for role in skeleton.roles)


def body_size(skeleton: Skeleton) -> float:
    """Leg length over a person's; without legs, the longest chain over a person's reach from hips to fingers."""
    thigh, foot = skeleton.find("left_thigh", "right_thigh"), skeleton.find("left_foot", "right_foot")
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    if thigh is not None and foot is not None and thigh in skeleton.chain(foot):
        leg = float(lengths[skeleton.chain(foot, thigh)[1:]].sum())
        if leg > 0:
            return leg / (DOG_LEG if is_four_legged(skeleton) else PERSON_LEG)
    reach = np.zeros(len(skeleton))
    for j in range(1, len(skeleton)):
        reach[j] = reach[skeleton.parents[j]] + lengths[j]
    for end in skeleton.ends:
        reach[0] = max(reach[0], reach[end.joint] + float(np.linalg.norm(end.offset)))
    return float(reach.max()) / 1.3 or 1.0


def limb_radii(skeleton: Skeleton, start: int, end: int, size: float) -> tuple[float, float]:
    """Radii (m) at both ends of the bone between two joints."""
    role, next_role = skeleton.roles[start], skeleton.roles[end]
    if role in TRUNK:
        return _trunk_radii(next_role, size, four_legged=is_four_legged(skeleton))
    name = _limb_name(role)
    known = DOG_LIMBS | {n: r for n, r in LIMBS.items() if n not in DOG_LIMBS} if is_four_legged(skeleton) else LIMBS
    if name in known and (next_role or name != "hand"):
        return (known[name][0] * size, known[name][1] * size)
    length = float(np.linalg.norm(skeleton.offsets[end]))
    plain = min(0.045 * size, 0.14 * length)
    return (min(plain, 0.013 * size), min(plain, 0.011 * size)) if _under_hand(skeleton, end) else (plain, 0.8 * plain)


def _trunk_radii(next_role: str, size: float, *, four_legged: bool) -> tuple[float, float]:
    along = next_role in (*TRUNK, "neck", "head") or not next_role
    if four_legged:
        radii = {"spine": (0.135, 0.135), "spine1": (0.135, 0.150), "neck": (0.165, 0.100)}.get(next_role, (0.15, 0.17))
        return (radii[0] * size, radii[1] * size) if along else (0.12 * size, 0.085 * size)
    if not along:  # out to a hip or a shoulder
        return (0.075 * size, 0.075 * size)
    return (0.104 * size, 0.106 * size) if next_role != "neck" else (0.08 * size, 0.05 * size)


def tip_radii(skeleton: Skeleton, joint: int, size: float) -> tuple[float, float]:
    """Radii (m) of the piece from a joint to its end site."""
    name = _limb_name(skeleton.roles[joint])
    if name == "tail":
        return (0.024 * size, 0.012 * size)
    if is_four_legged(skeleton) and name.endswith(("foot", "toe")):  # a paw
        return (LIMBS["front_toe"][0] * size, 1.05 * LIMBS["front_toe"][0] * size)
    if name in LIMBS:
        return (LIMBS[name][0] * size, 0.7 * LIMBS[name][1] * size)
    return (0.011 * size, 0.009 * size) if _under_hand(skeleton, joint) else (0.03 * size, 0.02 * size)


def _limb_name(role: str) -> str:
    name = role.removeprefix("left_").removeprefix("right_")
    return "tail" if name.startswith("tail") else name


def _under_hand(skeleton: Skeleton, joint: int) -> bool:
    return any(skeleton.roles[j].endswith("_hand") for j in skeleton.chain(joint))
