"""Where a body is cut for a splice, and the points that align both parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from motionloom.analysis.leg_swing import require_roles
from motionloom.core import BadRequest, IntArray, Skeleton
from motionloom.kinematics.body.roles import fingers

CUTS = ("upper", "left_arm", "right_arm", "head", "left_hand", "right_hand")
TIP_SIZE = 0.1  # m: points on the axes of the last joint, for parts whose joints lie on one line


@dataclass(frozen=True, eq=False)
class BodyCut:
    """The part of a body that is taken from another clip, and the joints that align it. K points of the cloud.

    HECK's cut is "upper": the first spine joint (his pelvis) and everything above it.
    """

    name: str
    joint: int  # the attachment: its rotation is the only one that is computed
    joints: IntArray  # all that is taken from the upper clip, the attachment first
    cloud: IntArray  # (K,) points of the spatial alignment, relative to the attachment
    posture: IntArray  # (2,) or more: points whose mean is the posture
    line: IntArray  # (2,) left and right: their connection is the x axis of the posture's frame; (1,) a joint: its own
    tip: int  # the joint whose axes add three points to both clouds, -1 for none


@lru_cache(maxsize=64)
def cut_named(skeleton: Skeleton, name: str = "upper") -> BodyCut:
    """The cut with this name (one of `CUTS`); `BadRequest` if the body lacks the joints for it."""
    if name not in CUTS:
        raise BadRequest(f"cut: expected one of {', '.join(CUTS)}, found {name!r}")
    if name == "upper":
        needed = ("spine", "left_upper_arm", "right_upper_arm", "left_thigh", "right_thigh")
        spine, *shoulders, left, right = require_roles(skeleton, needed)
        spines = [j for j, role in enumerate(skeleton.roles) if role.startswith("spine")]
        cloud = [j for j in [*spines, *shoulders] if j in skeleton.below(spine)]
        return _cut(skeleton, name, spine, cloud, shoulders, [left, right], -1)
    shoulders = require_roles(skeleton, ("left_upper_arm", "right_upper_arm"))
    side, _, part = name.rpartition("_")
    if part == "arm":
        top, bend, end = require_roles(skeleton, tuple(f"{side}_{p}" for p in ("upper_arm", "forearm", "hand")))
        return _cut(skeleton, name, top, [top, bend, end], [bend, end], shoulders, end)
    if part == "hand":
        hand, bend = require_roles(skeleton, (f"{side}_hand", f"{side}_forearm"))
        return _cut(skeleton, name, hand, [hand], [hand], [bend], hand)  # a hanging forearm is no x axis
    neck, head = require_roles(skeleton, ("neck", "head"))
    return _cut(skeleton, name, neck, [neck, head], [head], shoulders, head)


def _cut(
    skeleton: Skeleton, name: str, joint: int, cloud: list[int], posture: list[int], line: list[int], tip: int
) -> BodyCut:
    if joint == 0:
        raise BadRequest(f"a splice at {skeleton.names[0]!r}, the root, would replace the whole body")
    loose = set(fingers(skeleton)) if tip < 0 else set()
    part = np.array(skeleton.below(joint))
    return BodyCut(
        name,
        joint,
        part,
        np.array([j for j in sorted(set(cloud)) if j not in loose]),
        np.array(posture),
        np.array(line),
        tip,
    )
