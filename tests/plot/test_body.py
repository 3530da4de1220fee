"""Drawn bodies: which parts they have, and which direction their heads face."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, FloatArray, Skeleton, replace
from motionloom.kinematics import fk
from motionloom.kinematics.root_bone import with_root_bone
from motionloom.kinematics.travel import headings
from motionloom.plot.body import body, body_points
from motionloom.plot.shape import DrawnBody, SolidPart
from motionloom.rotation import IDENTITY, from_axis_angle, inverse, multiply, rotate
from motionloom.samples import make


def eyes(shape: DrawnBody, joints: int) -> list[SolidPart]:
    return [part for part in shape.parts if part.tone == "eye" and part.points[0] >= joints]


def facing(clip: Clip) -> FloatArray:
    """(F,) cosine between the direction of the face (from the head joint to the eyes) and the heading of the body."""
    clip = without_eyes(clip)
    shape = body(clip)
    points = body_points(clip, shape)
    face = np.mean([points[:, part.points[0]] for part in eyes(shape, len(clip.skeleton))], axis=0)
    crown = points[:, clip.skeleton.joint("head")]
    ahead = (face - crown)[:, [0, 2]]
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    heading = headings(clip)
    return ahead[:, 0] * np.sin(heading) + ahead[:, 1] * np.cos(heading)


def without_eyes(clip: Clip) -> Clip:
    roles = tuple("" if role.endswith("_eye") else role for role in clip.skeleton.roles)
    return replace(clip, skeleton=replace(clip.skeleton, roles=roles))


def turned_rest(clip: Clip) -> Clip:
    """The same motion on a skeleton whose rest pose is curled up: every joint's own frame is turned."""
    skeleton = clip.skeleton
    turns = np.array([from_axis_angle(np.array([1.0, 0.3 * j, 0.5]), 0.7 + j) for j in range(len(skeleton))])
    turns[0] = IDENTITY
    above = turns[np.maximum(skeleton.parents, 0)]
    rotations = multiply(multiply(inverse(above), clip.rotations), turns)
    rotations[:, 0] = multiply(clip.rotations[:, 0], turns[0])
    offsets = rotate(inverse(above), skeleton.offsets)
    offsets[0] = skeleton.offsets[0]
    ends = tuple(
        end._replace(offset=tuple(rotate(inverse(turns[end.joint]), np.array(end.offset)))) for end in skeleton.ends
    )
    other = Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.roles, ends=ends)
    return replace(clip, skeleton=other, rotations=rotations)


@pytest.mark.parametrize("name", ["walk", "dog_walk"])
def test_a_walker_faces_where_it_walks(name: str) -> None:
    assert facing(make(name, seconds=2)).min() > 0.9


def test_a_root_bone_is_no_part_of_the_drawn_body() -> None:
    walk = make("walk", seconds=2, turn=0.8)
    carried = with_root_bone(walk)
    assert np.allclose(facing(carried), facing(walk))
    assert np.allclose(headings(carried), headings(walk))
    assert len(body(carried).parts) == len(body(walk).parts)


def test_the_face_does_not_depend_on_the_rest_pose() -> None:
    walk = make("walk", seconds=2)
    other = turned_rest(walk)
    assert np.allclose(fk(other), fk(walk))
    assert facing(other).min() > 0.8


def test_a_head_without_an_end_site_is_upright_whatever_the_rest_pose() -> None:
    walk = make("walk", seconds=2)
    ends = tuple(end for end in walk.skeleton.ends if end.joint != walk.skeleton.joint("head"))
    walk = replace(walk, skeleton=replace(walk.skeleton, ends=ends))
    other = turned_rest(walk)
    tips = [body_points(clip, body(clip))[:, len(walk.skeleton) + len(ends) :] for clip in (walk, other)]
    assert np.abs(tips[0] - tips[1])[..., 1].max() < 0.02  # heights of skull and nose (0.07 before)


def test_a_dog_has_ears_a_nose_and_paws() -> None:
    dog = make("dog_walk", seconds=2)
    shape = body(dog)
    points = body_points(dog, shape)
    head = dog.skeleton.joint("head")
    on_head = [
        part
        for part in shape.parts
        if min(part.points) >= shape.joints and shape.extras[part.points[0] - shape.joints][0] == head
    ]
    ears = [
        part
        for part in on_head
        if part.tone == "middle" and points[:, part.points[-1], 1].mean() > points[:, head, 1].mean() + 0.1
    ]
    assert len(ears) == 2
    assert sum(part.tone == "eye" for part in on_head) == 3  # two eyes and the nose
    assert len(shape.feet) == 4


def test_bodies_without_a_head_are_drawn_without_a_face(tiny: Clip) -> None:
    headless = replace(tiny, skeleton=replace(tiny.skeleton, roles=("hips", "", "")))
    assert not eyes(body(headless), len(headless.skeleton))
