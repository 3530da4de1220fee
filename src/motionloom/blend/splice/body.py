"""Where a body is cut for a splice, and the points that align both parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from motionloom.analysis.leg_swing import require_roles
from motionloom.core import BadRequest, Clip, IntArray, Skeleton
from motionloom.kinematics.body.roles import fingers

CUTS = ("upper", "left_arm", "right_arm", "head", "left_hand", "right_hand")
PAIRS = {"arms": ("left_arm", "right_arm"), "hands": ("left_hand", "right_hand")}
TRUNK = ("left_thigh", "right_thigh", "left_upper_arm", "right_upper_arm")  # roles at the ends of the trunk
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
    far: int  # a joint far from the attachment, which shows its tremor: of the trunk, the head


def cuts_named(skeleton: Skeleton, text: str = "upper", clip: str = "") -> tuple[BodyCut, ...]:
    """The cuts of a list with commas: names of `CUTS`, `PAIRS` of them, or joints by role or name.

    `clip` is the name of a clip with this body, for messages.
    """
    given = [name.strip() for name in text.split(",")]
    cuts = [(name, cut_named(skeleton, part, clip)) for name in given for part in PAIRS.get(name, (name,))]
    for k, (name, cut) in enumerate(cuts):
        for before, other in cuts[:k]:
            if np.intersect1d(cut.joints, other.joints).size:
                raise BadRequest(f"cut: {before} and {name} overlap; give one of them")
    return tuple(cut for _, cut in cuts)


def require_part(action: Clip, like: Clip, text: str = "upper") -> None:
    """`BadRequest` with the roles of the cuts that an action lacks on its way to another body: they would not move."""
    for cut in cuts_named(like.skeleton, text, like.name):
        roles = [like.skeleton.roles[j] for j in cut.joints]
        own = "spine" if roles[0].startswith("spine") else roles[0]
        require_roles(action.skeleton, tuple(r for r in (own, *TRUNK[2:]) if r in (own, *roles) and r), action.name)


@lru_cache(maxsize=64)
def cut_named(skeleton: Skeleton, name: str = "upper", clip: str = "") -> BodyCut:
    """The cut with this name (of `CUTS`), or at a joint, by role or name; `BadRequest` if the body lacks joints."""
    if name == "upper":
        return _trunk(skeleton, name, require_roles(skeleton, ("spine", *TRUNK), clip)[0])
    if name not in CUTS:
        return _at_joint(skeleton, name)
    shoulders = require_roles(skeleton, ("left_upper_arm", "right_upper_arm"), clip)
    side, _, part = name.rpartition("_")
    if part == "arm":
        top, bend, end = require_roles(skeleton, tuple(f"{side}_{p}" for p in ("upper_arm", "forearm", "hand")), clip)
        return _cut(skeleton, name, top, [top, bend, end], [bend, end], shoulders, end)
    if part == "hand":
        require_roles(skeleton, (name, f"{side}_forearm"), clip)
        return _at_joint(skeleton, name)  # a hanging forearm has no direction on the ground
    neck, head = require_roles(skeleton, ("neck", "head"), clip)
    return _cut(skeleton, name, neck, [neck, head], [head], shoulders, head)


def _trunk(skeleton: Skeleton, name: str, joint: int) -> BodyCut:
    """A cut through the trunk, below both shoulders: HECK's points, as far as they lie above the cut."""
    left, right, *shoulders = require_roles(skeleton, TRUNK)
    spines = [j for j, role in enumerate(skeleton.roles) if role.startswith("spine")]
    cloud = [j for j in [*spines, *shoulders] if j in skeleton.below(joint)]
    return _cut(skeleton, name, joint, cloud, shoulders, [left, right], -1)


def _at_joint(skeleton: Skeleton, name: str) -> BodyCut:
    """A cut at any joint: its own axes, seen from its parent, or the trunk's points if both shoulders hang on it."""
    joint = skeleton.find(name) if name else None
    if joint is None:
        known = ", ".join([*CUTS, *PAIRS])
        raise BadRequest(f"cut: expected one of {known}, or a joint by role or name; found {name!r}")
    part = skeleton.below(joint)
    if any(joint in skeleton.below(thigh) for thigh in map(skeleton.find, TRUNK[:2]) if thigh is not None):
        raise BadRequest(f"cut: {name} is part of a leg, and hips and legs are always those of the walk")
    shoulders = [j for j in map(skeleton.find, ("left_upper_arm", "right_upper_arm")) if j is not None]
    if joint and len(shoulders) == 2 and set(shoulders) <= set(part):
        return _trunk(skeleton, name, joint)
    return _cut(skeleton, name, joint, [joint], [joint], [int(skeleton.parents[joint])], joint)


def _cut(
    skeleton: Skeleton, name: str, joint: int, cloud: list[int], posture: list[int], line: list[int], tip: int
) -> BodyCut:
    if joint == 0:
        raise BadRequest(f"a splice at {skeleton.names[0]!r}, the root, would replace the whole body")
    loose = set(fingers(skeleton)) if tip < 0 else set()
    kept = [j for j in sorted(set(cloud)) if j not in loose]
    if not kept:
        raise BadRequest(f"cut {name!r}: spine and shoulders count as fingers; check the roles of hands")
    part = np.array(skeleton.below(joint))
    far = tip if tip >= 0 else skeleton.find("head")
    return BodyCut(
        name,
        joint,
        part,
        np.array(kept),
        np.array(posture),
        np.array(line),
        tip,
        far if far is not None and far in part else int(part[-1]),
    )
