"""A rest pose that stands: what importers show, bind meshes to and retarget by when they get a skeleton.

In some files every bone lies along one axis at rest: such a rest pose is a heap of bones. Three cases, in this order:
the skeleton's own rest pose, if it stands; for two-legged bodies a T-pose computed from a typical frame of the clip
(hips upright, legs down, arms out, twists of the limbs as captured); otherwise the typical frame itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import Clip, End, FloatArray, Skeleton, replace
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.fk import world
from motionloom.kinematics.travel import body_axes, placed
from motionloom.rotation import IDENTITY, angle_between, average, between, inverse, multiply, rotate

UP = np.array([0.0, 1.0, 0.0])
SAMPLED_FRAMES = 48  # frames that a typical one is chosen from


class Stance(NamedTuple):
    """One pose of a skeleton, standing on the ground at the origin and facing +z, and how it was found."""

    root: FloatArray  # (3,)
    rotations: FloatArray  # (J, 4) local
    description: str


def stance(clip: Clip) -> Stance:
    """A pose that stands, for use as a rest or bind pose."""
    body = clip.skeleton
    rest = np.tile(IDENTITY, (len(body), 1))
    if stands(body):
        return _grounded(body, rest, "the skeleton's own rest pose")
    frame = typical_frame(clip)
    pose = placed(clip[frame : frame + 1]).rotations[0].copy()
    if body.find("left_front_foot", "right_front_foot") is None and len(feet(body)) == 2:
        pose[0] = inverse(body_axes(body))
        return _grounded(body, _straightened(body, pose), f"a T-pose computed from frame {frame}")
    return _grounded(body, pose, f"the pose of frame {frame}")


def stands(skeleton: Skeleton) -> bool:
    """Does the rest pose stand: feet well below thighs, head above hips?

    Without feet: do bones that branch off go in different directions, instead of all lying on one line?
    """
    places = world(skeleton, np.zeros((1, 3)), np.tile(IDENTITY, (1, len(skeleton), 1)))[0][0]
    legs = feet(skeleton)
    if not legs:
        branches = len(np.unique(skeleton.parents)) < len(skeleton)
        spread = np.linalg.svd(places - places.mean(0), compute_uv=False)
        return not branches or bool(spread[1] > 1e-3 * spread[0])
    four = len(legs) > 2
    for leg in legs:
        length = sum(np.linalg.norm(skeleton.offsets[j]) for j in skeleton.chain(leg.ankle, leg.thigh)[1:])
        if places[leg.thigh, 1] - places[leg.ankle, 1] < (0.4 if four else 0.7) * length:
            return False
    head = skeleton.find("head", "neck")
    return head is None or four or bool(places[head, 1] > places[0, 1])


def typical_frame(clip: Clip) -> int:
    """The frame whose local rotations are nearest to their average over the clip; hips no lower than usual."""
    some = np.unique(np.linspace(0, len(clip) - 1, SAMPLED_FRAMES).astype(int))
    some = some[clip.root[some, 1] >= np.median(clip.root[some, 1])]
    turns = clip.rotations[some, 1:]
    if not turns.shape[1]:
        return 0
    return int(some[angle_between(turns, average(turns)[None]).sum(1).argmin()])


def rebased(clip: Clip, pose: Stance | None = None) -> Clip:
    """The same motion on a skeleton whose rest pose (no rotations) is `pose`; `stance(clip)` if none is given.

    With the world rotations G of that pose, local rotations become G_parent L G^-1, offsets and slides G_parent o.
    """
    pose = stance(clip) if pose is None else pose
    body = clip.skeleton
    turns = world(body, pose.root[None], pose.rotations[None])[1][0]
    above = np.concatenate([IDENTITY[None], turns[body.parents[1:]]])
    ends = tuple(End(e.joint, tuple(rotate(turns[e.joint], e.offset).tolist()), e.name) for e in body.ends)
    skeleton = Skeleton(body.names, body.parents, rotate(above, body.offsets), body.roles, ends)
    return replace(
        clip,
        skeleton=skeleton,
        rotations=multiply(above, multiply(clip.rotations, inverse(turns))),
        slides=None if clip.slides is None else rotate(above, clip.slides),
    )


def _grounded(skeleton: Skeleton, pose: FloatArray, description: str) -> Stance:
    """The pose with its lowest joint or tip on the ground and its hips above the origin."""
    places, turns = world(skeleton, np.zeros((1, 3)), pose[None])
    low = [float(places[0, :, 1].min())]
    low += [float((places[0, e.joint] + rotate(turns[0, e.joint], e.offset))[1]) for e in skeleton.ends]
    return Stance(np.array([0.0, -min(low), 0.0]), pose, description)


def _straightened(skeleton: Skeleton, pose: FloatArray) -> FloatArray:
    """Spine and head up, legs down with the feet forward, arms out to their sides."""
    find = skeleton.find
    for low, high in (("spine", "neck"), ("neck", "head")):
        pose = _aimed(skeleton, pose, find(low), find(high), UP)
    for side, out in (("left", 1.0), ("right", -1.0)):
        arm = np.array([out, 0.0, 0.0])
        for low, high, direction in (
            ("thigh", "shin", -UP),
            ("shin", "foot", -UP),
            ("shoulder", "upper_arm", arm),
            ("upper_arm", "forearm", arm),
            ("forearm", "hand", arm),
        ):
            pose = _aimed(skeleton, pose, find(f"{side}_{low}"), find(f"{side}_{high}"), direction)
        pose = _aimed(skeleton, pose, find(f"{side}_foot"), find(f"{side}_toe"), None)
    return pose


def _aimed(
    skeleton: Skeleton, pose: FloatArray, joint: int | None, to: int | None, direction: FloatArray | None
) -> FloatArray:
    """The pose with `joint` turned by the shortest arc so that `to` lies in direction `direction`.

    Without a direction: forward, as steep as it is now, within what a foot can do.
    """
    if joint is None or to is None or joint not in skeleton.chain(to)[:-1]:
        return pose
    places, turns = world(skeleton, np.zeros((1, 3)), pose[None])
    line = places[0, to] - places[0, joint]
    length = float(np.linalg.norm(line))
    if length < 1e-6:
        return pose
    if direction is None:
        steep = float(np.clip(line[1] / length, -0.7, 0.0))
        direction = np.array([0.0, steep, np.sqrt(1 - steep**2)])
    parent = int(skeleton.parents[joint])
    above = IDENTITY if parent < 0 else turns[0, parent]
    out = pose.copy()
    out[joint] = multiply(inverse(above), multiply(between(line, direction), turns[0, joint]))
    return out
