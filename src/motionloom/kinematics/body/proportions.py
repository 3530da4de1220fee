"""The size of a body, and a motion put on a body of other bone lengths or with its joints in another order."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip, End, FloatArray, Skeleton, replace, require_same_hierarchy
from motionloom.core.skeleton import same_hierarchy
from motionloom.kinematics.body.roles import SIDES, Foot, feet

MIN_BONE = 1e-6  # m: a shorter bone has no length


def leg_length(skeleton: Skeleton) -> float:
    """Metres from thigh to ankle along the bones, the mean over all legs.

    In files whose legs have two joints, the ankle is the end site of the shin.
    A body without legs is measured by its longest chain of bones, a single joint by 1: the ratio of two is a scale.
    """
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    legs = [lengths[skeleton.chain(foot.ankle, foot.thigh)[1:]].sum() for foot in feet(skeleton)]
    legs = legs or [
        float(lengths[skeleton.chain(end.joint, thigh)[1:]].sum() + np.linalg.norm(end.offset))
        for side in SIDES
        for end in skeleton.ends
        if (thigh := skeleton.find(f"{side}_thigh")) is not None and end.joint == skeleton.find(f"{side}_shin")
    ]
    if legs and np.mean(legs) > 1e-6:
        return float(np.mean(legs))
    reach = np.zeros(len(skeleton))
    for j in range(1, len(skeleton)):
        reach[j] = reach[skeleton.parents[j]] + lengths[j]
    return float(reach.max()) if reach.max() > 1e-6 else 1.0


def same_bones(a: Skeleton, b: Skeleton, *, within: float = 1e-4, names: tuple[str, str] = ("first", "second")) -> bool:
    """Is every bone equal to `within` metres? Another hierarchy is a `SkeletonMismatch` (`names` are the clips')."""
    require_same_hierarchy(a, b, names=names)
    return bool(np.abs(a.offsets[1:] - b.offsets[1:]).max(initial=0.0) <= within)


def on_skeleton(clip: Clip, skeleton: Skeleton) -> Clip:
    """The clip's rotations on a skeleton of the same hierarchy, its root scaled by the ratio of leg lengths.

    Slides are scaled with it. Strides keep their shape, so feet slide only as far as limbs differ in proportion.
    """
    require_same_hierarchy(skeleton, clip.skeleton, names=("the first", clip.name))
    scale = leg_length(skeleton) / leg_length(clip.skeleton)
    slides: FloatArray | None = None if clip.slides is None else clip.slides * scale
    return replace(clip, skeleton=skeleton, root=clip.root * scale, slides=slides)


def in_joint_order(clip: Clip, skeleton: Skeleton) -> Clip:
    """The clip with its joints in the order of a skeleton that has the same names and parents; else unchanged.

    Programs write siblings in different orders: hips, left leg, right leg, spine, or hips, spine, left leg, right leg.
    """
    body = clip.skeleton
    if same_hierarchy(body, skeleton) or _parent_names(body) != _parent_names(skeleton):
        return clip
    order = [body.names.index(name) for name in skeleton.names]
    place = {j: k for k, j in enumerate(order)}
    ends = tuple(sorted((End(place[e.joint], e.offset, e.name) for e in body.ends), key=lambda e: e.joint))
    roles = tuple(body.roles[j] for j in order)
    return replace(
        clip,
        skeleton=Skeleton(skeleton.names, skeleton.parents, body.offsets[order], roles, ends),
        rotations=clip.rotations[:, order],
        slides=None if clip.slides is None else clip.slides[:, order],
    )


def _parent_names(body: Skeleton) -> dict[str, str]:
    return {name: body.names[p] if p >= 0 else "" for name, p in zip(body.names, body.parents, strict=True)}


def can_bend(skeleton: Skeleton, foot: Foot) -> bool:
    """Whether thigh and shin of a leg have a length; in some files they have none."""
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    bones = skeleton.chain(foot.shin, foot.thigh)[1:], skeleton.chain(foot.ankle, foot.shin)[1:]
    return all(lengths[list(bone)].sum() >= MIN_BONE for bone in bones)
