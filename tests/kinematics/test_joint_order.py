"""Siblings in another order: the same body, so clips are put in one order, not rejected."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.analysis import same_rate
from motionloom.constraints import PoseAt
from motionloom.core import Clip, Skeleton, SkeletonMismatch, replace
from motionloom.core.testing import assert_same_motion
from motionloom.evaluate import evaluate_clips
from motionloom.io import load, save
from motionloom.kinematics import fk
from motionloom.kinematics.body.proportions import in_joint_order
from motionloom.methods.learning import learn
from motionloom.methods.prepare_clips import prepare
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make("walk", seconds=2, fps=30)


def siblings_reversed(clip: Clip) -> Clip:
    """The same motion with the children of every joint written in reverse order."""
    body, order = clip.skeleton, [0]

    def visit(joint: int) -> None:
        for child in reversed(body.children(joint)):
            order.append(child)
            visit(child)

    visit(0)
    place = {j: k for k, j in enumerate(order)}
    parents = [-1 if body.parents[j] < 0 else place[int(body.parents[j])] for j in order]
    names, roles = (tuple(t[j] for j in order) for t in (body.names, body.roles))
    skeleton = Skeleton(names, parents, body.offsets[order], roles)
    return replace(clip, skeleton=skeleton, rotations=clip.rotations[:, order])


def test_joints_are_put_in_the_order_of_another_skeleton(walk):
    other = siblings_reversed(walk)
    assert other.skeleton.names != walk.skeleton.names
    assert_same_motion(in_joint_order(other, walk.skeleton), replace(walk, skeleton=other_ends(walk)))


def other_ends(clip: Clip) -> Skeleton:
    body = clip.skeleton
    return Skeleton(body.names, body.parents, body.offsets, body.roles)


def test_learning_compares_and_evaluates_bodies_in_another_order(walk, tmp_path):
    save(walk, tmp_path / "a.bvh")
    save(siblings_reversed(make("walk", seconds=2, fps=30, seed=1)), tmp_path / "b.bvh")
    a, b = load(tmp_path / "a.bvh"), load(tmp_path / "b.bvh")
    assert a.skeleton.names != b.skeleton.names
    ready = prepare([a, b], 30.0)
    assert ready.clips[1].skeleton is ready.clips[0].skeleton
    assert any("another order" in note.text for note in ready.notes)
    assert np.abs(fk(same_rate(a, b)[1])[:, 0] - fk(b)[:, 0]).max() < 1e-9
    model = learn("cuts", [a, b])
    assert model.skeleton.names == a.skeleton.names
    values = evaluate_clips([a], [b]).reports[0]
    assert "other skeletons" not in str(values)
    pose = PoseAt(time=0.0, pose=b[10:11])
    assert pose.target(a.skeleton).rotations.shape[0] == len(a.skeleton)


def test_another_hierarchy_is_still_refused(walk):
    body = walk.skeleton
    names = ("Elsewhere", *body.names[1:])
    other = replace(walk, skeleton=Skeleton(names, body.parents, body.offsets, body.roles))
    with pytest.raises(SkeletonMismatch):
        prepare([walk, other], 30.0)
