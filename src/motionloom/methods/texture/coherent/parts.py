"""Parts of the body that are chosen together, and what their frames are compared by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import Clip, FloatArray, Skeleton
from motionloom.kinematics.body.roles import feet, group
from motionloom.kinematics.feet.contacts import contact_array
from motionloom.kinematics.fk import fk
from motionloom.kinematics.local_frames import observe
from motionloom.kinematics.travel import headings
from motionloom.rotation import inverse, log, multiply, rotate, to_matrix, yaw

SPEED = 0.1  # s: a velocity of the hips counts as the distance covered in this time
CONTACT = 0.04  # m: a foot that stands in one frame and swings in the other
USUAL = 1.3  # times the 95th percentile of a part's accelerations: up to here they are no noise


class JointGroup(NamedTuple):
    """Joints that always come from the same example frame."""

    name: str
    joints: tuple[int, ...]

    def describe(self) -> str:
        """What comes from one frame, for messages."""
        names = {"legs": "hips, legs and trunk", "body": "all joints"}
        return f", and {names.get(self.name, f'the joints of {self.name}')} come from one frame"


def body_parts(skeleton: Skeleton) -> tuple[JointGroup, ...]:
    """The parts in the order in which they are chosen; the first one has the root.

    It is all that stands on the ground and what carries it: hips, legs and trunk. Arms and head, of a four-legged body
    head and tail, are parts of their own. Where no feet are known, the body is one part.
    """
    everything = tuple(range(len(skeleton)))
    walking = feet(skeleton)
    if not walking:
        return (JointGroup("body", everything),)
    carrying = {0, *(j for foot in walking for j in (*skeleton.chain(foot.ankle), *skeleton.below(foot.thigh)))}
    others: list[JointGroup] = []
    taken = set(carrying)
    for name in ("left_arm", "right_arm", "head", "tail"):
        joints = tuple(j for j in _group(skeleton, name) if j not in taken)
        if joints:
            others.append(JointGroup(name, joints))
            taken.update(joints)
    rest = tuple(j for j in everything if j in carrying or j not in taken)
    return (JointGroup("legs", rest), *others)


def _group(skeleton: Skeleton, name: str) -> list[int]:
    if name == "tail":
        tail = skeleton.find("tail")
        return [] if tail is None else skeleton.below(tail)
    top = {"left_arm": ("left_shoulder", "left_upper_arm"), "right_arm": ("right_shoulder", "right_upper_arm")}
    if name in top and skeleton.find(*top[name]) is None:
        return []
    return group(skeleton, name) if name in top or skeleton.find("neck", "head") is not None else []


def features(clips: Sequence[Clip], parts: Sequence[JointGroup]) -> tuple[FloatArray, ...]:
    """For each part (N, D) metres, over all frames: squared distances of rows are mean squared distances of joints.

    The first part is seen from where the body is and faces: places of its joints, the distance that the hips cover in
    `SPEED`, and contacts, worth `CONTACT` each. Others are compared by their rotations, times the length they move.
    """
    out = [np.concatenate([_carrier(clip, parts[0]) for clip in clips])]
    for part in parts[1:]:
        reach = np.array([_reach(clips[0].skeleton, j) for j in part.joints])
        scale = reach / np.sqrt(2.0 * len(part.joints))
        rows = [to_matrix(clip.rotations[:, list(part.joints)]).reshape(len(clip), len(reach), 9) for clip in clips]
        out.append((np.concatenate(rows) * scale[:, None]).reshape(-1, 9 * len(reach)))
    return tuple(np.ascontiguousarray(x) for x in out)


def roughness(clips: Sequence[Clip], part: JointGroup) -> FloatArray:
    """(N,) 0 or more: how far the angular accelerations of a part exceed `USUAL` times their 95th percentile, squared.

    Noise of a capture turns a trunk and its arms against each other, so that hands stay where they are; joints of
    different frames show it. Legs are left out: a step is rough by itself.
    """
    skeleton = clips[0].skeleton
    legs = {j for foot in feet(skeleton) for j in skeleton.below(foot.thigh)}
    joints = [j for j in part.joints if j not in legs]
    sizes = [np.zeros(len(clip)) for clip in clips]
    for j in joints:
        reach = _reach(skeleton, j)
        for clip, total in zip(clips, sizes, strict=True):
            if len(clip) > 2:
                turn = log(multiply(inverse(clip.rotations[:-1, j]), clip.rotations[1:, j]))
                total[1:-1] += (reach * np.linalg.norm(np.diff(turn, axis=0), axis=1)) ** 2
    total = np.sqrt(np.concatenate(sizes))
    usual = USUAL * float(np.percentile(total, 95))
    return np.maximum(total / usual - 1.0, 0.0) ** 2 if usual > 0 else np.zeros(len(total))


def _carrier(clip: Clip, part: JointGroup) -> FloatArray:
    places = fk(clip)[:, list(part.joints)]
    hips = clip.root * [1.0, 0.0, 1.0]
    turn = yaw(-headings(clip))[:, None]
    seen = rotate(turn, places - hips[:, None]) / np.sqrt(len(part.joints))
    motion = observe(clip).root
    speed = motion[:, :3] * SPEED * [1.0, 1.0, 0.3]
    standing = contact_array(clip) * CONTACT
    return np.concatenate([seen.reshape(len(clip), -1), speed, standing], 1)


def _reach(skeleton: Skeleton, joint: int) -> float:
    """Metres: the mean distance of what hangs on a joint, its end sites included; at least a centimetre."""
    places = np.zeros((len(skeleton), 3))
    below = skeleton.below(joint)
    for j in below[1:]:
        places[j] = places[skeleton.parents[j]] + skeleton.offsets[j]
    ends = [places[e.joint] + e.offset for e in skeleton.ends if e.joint in below]
    points = [places[j] for j in below[1:]] + ends
    return max(0.01, float(np.mean(np.linalg.norm(points, axis=1))) if points else 0.0)
