"""Mirror: twice is the identity; labels swap too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip, Skeleton, replace, with_labels
from motionloom.io import load
from motionloom.kinematics.fk import fk, local_rotations, world
from motionloom.kinematics.mirror import mirror, other_side, partners
from motionloom.kinematics.travel import travel, turned
from motionloom.rotation import angle_between, average, exp, multiply, to_matrix, yaw

REAL = ["cmu/16_17.bvh", "cmu/143_23.bvh", "bandai/dataset-1_punch_normal_001.bvh", "dog/D1_010_KAN01_004.bvh"]


@pytest.fixture
def dancer(walker: Clip, rng: np.random.Generator) -> Clip:
    """The walker turning left while every joint moves in its own way."""
    t = np.arange(60) / 60
    wave = np.sin(2 * np.pi * (t[:, None, None] + rng.uniform(size=(18, 3)))) * 0.5
    rotations = multiply(walker.rotations[:60], exp(wave))
    return turned(replace(walker[:60], rotations=rotations), 0.4, about=(1, 2))


def test_mirror_twice_is_the_identity(dancer: Clip) -> None:
    again = mirror(mirror(dancer))
    assert np.array_equal(again.root, dancer.root)
    assert again.rotations == pytest.approx(dancer.rotations, abs=1e-12)


def test_mirror_reflects_every_joint_onto_its_partner(dancer: Clip) -> None:
    partner = partners(dancer.skeleton)
    assert dancer.skeleton.names[partner[dancer.skeleton.joint("left_hand")]] == "RightHand"
    assert fk(mirror(dancer))[:, partner] == pytest.approx(fk(dancer) * [-1, 1, 1], abs=1e-12)
    assert travel(mirror(dancer)).heading == pytest.approx(-travel(dancer).heading)


def test_mirror_works_whatever_axes_the_joints_have(dancer: Clip, rng: np.random.Generator) -> None:
    """The same motion on a body whose left bones lie along +x and right ones along -x at rest, as in Bandai's files."""
    body = dancer.skeleton
    frames = np.stack([_along_x(body, j, -1.0 if body.names[j].startswith("Right") else 1.0) for j in range(len(body))])
    parents = body.parents
    offsets = np.stack([body.offsets[0], *(to_matrix_inv(frames[parents[j]]) @ body.offsets[j] for j in range(1, 18))])
    odd = Skeleton(body.names, parents, offsets, body.roles)
    turns = multiply(world(body, dancer.root, dancer.rotations)[1], frames)
    same = Clip(odd, dancer.root, local_rotations(odd, turns), dancer.fps)
    assert fk(same) == pytest.approx(fk(dancer), abs=1e-9)
    assert fk(mirror(same)) == pytest.approx(fk(mirror(dancer)), abs=1e-6)
    assert angle_between(mirror(mirror(same)).rotations, same.rotations).max() < 1e-9


def _along_x(body: Skeleton, j: int, sign: float) -> np.ndarray:
    """A frame for joint j with its bone along x, twisted by a quarter turn, the same on both sides of the mirror."""
    from motionloom.rotation import about, between

    children = body.children(j)
    if j == 0 or len(children) != 1:
        return np.array([1.0, 0, 0, 0])
    bone = body.offsets[children[0]]
    return multiply(between([sign, 0, 0], bone), about(0, np.pi / 2))


def to_matrix_inv(q: np.ndarray) -> np.ndarray:
    return to_matrix(q).T


def test_mirror_swaps_labels_too(dancer: Clip) -> None:
    on = np.arange(60) < 20
    labels = {"contact:left_toe": on, "contact:right_toe": ~on, "Left punch": on, "turn": on}
    got = mirror(with_labels(dancer, labels))
    assert np.array_equal(got.label("contact:right_toe"), on)
    assert np.array_equal(got.label("contact:left_toe"), ~on)
    assert np.array_equal(got.label("Right punch"), on)
    assert np.array_equal(got.label("turn"), on)
    assert mirror(got).label_names == ("contact:left_toe", "contact:right_toe", "Left punch", "turn")
    assert other_side("RIGHT upright") == "LEFT upleft"


def test_mirror_of_a_pen_stroke_is_mirror_writing() -> None:
    pen = Clip(Skeleton(("Pen",), np.array([-1]), np.zeros((1, 3))), np.eye(3), np.tile([1.0, 0, 0, 0], (3, 1, 1)), 60)
    assert mirror(pen).root.tolist() == [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert angle_between(mirror(pen).rotations, pen.rotations).max() == 0


def test_mirror_refuses_a_body_with_one_arm(dancer: Clip) -> None:
    keep = [j for j, n in enumerate(dancer.skeleton.names) if n not in ("RightUpArm", "RightForeArm", "RightHand")]
    body = dancer.skeleton
    parents = np.array([-1, *(keep.index(body.parents[j]) for j in keep[1:])])
    one = Skeleton(tuple(body.names[j] for j in keep), parents, body.offsets[keep], tuple(body.roles[j] for j in keep))
    with pytest.raises(BadRequest, match="'left_upper_arm' has no 'right_upper_arm'"):
        mirror(Clip(one, dancer.root, dancer.rotations[:, keep], 60))


@pytest.mark.parametrize("name", REAL)
def test_mirror_of_real_clips(mocap: Path, name: str) -> None:
    clip = load(mocap / name)
    partner = partners(clip.skeleton)
    got = mirror(clip)
    lengths = np.linalg.norm(clip.skeleton.offsets, axis=1)
    uneven = sum(abs(lengths - lengths[partner])) / 2 + 0.02  # sides differ by so much bone
    assert np.abs(fk(got)[:, partner] - fk(clip) * [-1, 1, 1]).max() < uneven
    assert angle_between(mirror(got).rotations, clip.rotations).max() < 1e-9
    big = [j for j, r in enumerate(clip.skeleton.roles) if r.endswith(("arm", "thigh", "shin", "shoulder", "head"))]
    twisted = angle_between(average(got.rotations), average(clip.rotations))[big]
    assert twisted.max() < np.radians(60)  # no limb comes out spun about itself


def test_mirror_leaves_symmetric_poses_alone(body: Skeleton) -> None:
    rotations = np.zeros((1, 18, 4))
    rotations[..., 0] = 1
    rotations[:, 0] = yaw(0.0)
    rest = Clip(body, np.array([[0.0, 1, 0]]), rotations, 30)
    assert angle_between(mirror(rest).rotations, rest.rotations).max() < 1e-12
