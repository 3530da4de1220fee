"""Forward kinematics against the obvious version, and its laws."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from motionloom.core import Clip, Skeleton, replace
from motionloom.kinematics.fk import (
    accelerations,
    end_positions,
    fk,
    fk_rotations,
    local_rotations,
    velocities,
)
from motionloom.rotation import angle_between, multiply, normalize, rotate


def fk_slow(clip: Clip) -> np.ndarray:
    """One joint at a time, one frame at a time, with matrices."""
    from scipy.spatial.transform import Rotation

    out = np.zeros((len(clip), len(clip.skeleton), 3))
    for f in range(len(clip)):
        turns = []
        for j, p in enumerate(clip.skeleton.parents):
            local = Rotation.from_quat(clip.rotations[f, j], scalar_first=True).as_matrix()
            if p < 0:
                out[f, j], turn = clip.root[f], local
            else:
                slide = 0 if clip.slides is None else clip.slides[f, j]
                out[f, j], turn = out[f, p] + turns[p] @ (clip.skeleton.offsets[j] + slide), turns[p] @ local
            turns.append(turn)
    return out


def random_clip(rng, frames=6, joints=12, slides=False) -> Clip:
    parents = [-1, *(int(rng.integers(0, j)) for j in range(1, joints))]
    skeleton = Skeleton(tuple(f"j{j}" for j in range(joints)), parents, rng.normal(size=(joints, 3)))
    rotations = normalize(rng.normal(size=(frames, joints, 4)))
    moves = rng.normal(size=(frames, joints, 3)) if slides else None
    return Clip(skeleton, rng.normal(size=(frames, 3)), rotations, 30, slides=moves)


def test_fk_agrees_with_the_slow_version(rng):
    for slides in (False, True):
        clip = random_clip(rng, slides=slides)
        assert_allclose(fk(clip), fk_slow(clip), atol=1e-12)


def test_one_frame_alone_stands_where_it_stood_among_others(rng):
    clip = random_clip(rng, slides=True)
    assert_allclose(fk(clip[3:4])[0], fk(clip)[3], atol=1e-12)


def test_bones_never_change_length(rng):
    clip = random_clip(rng)
    places = fk(clip)
    bones = places[:, 1:] - places[:, clip.skeleton.parents[1:]]
    assert_allclose(np.linalg.norm(bones, axis=-1), np.tile(np.linalg.norm(clip.skeleton.offsets[1:], axis=1), (6, 1)))


def test_turning_the_root_turns_everything(rng):
    clip = random_clip(rng)
    turn = normalize(rng.normal(size=4))
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    there = replace(clip, rotations=rotations, root=rotate(turn, clip.root))
    assert_allclose(fk(there), rotate(turn, fk(clip)), atol=1e-12)


def test_world_rotations_and_local_ones_undo_each_other(rng):
    clip = random_clip(rng)
    turns = fk_rotations(clip)[1]
    assert angle_between(local_rotations(clip.skeleton, turns), clip.rotations).max() < 1e-12


def test_end_sites_hang_on_their_joint(tiny):
    ends = end_positions(tiny)
    assert ends.shape == (10, 1, 3)
    assert_allclose(np.linalg.norm(ends[:, 0] - fk(tiny)[:, 2], axis=1), 0.5)


def test_velocity_and_acceleration_of_a_fall():
    t = np.arange(20) / 50
    height = np.stack([0 * t, -4.905 * t**2, 0 * t], 1)[:, None]
    assert_allclose(velocities(height, 50)[1:-1, 0, 1], -9.81 * t[1:-1], atol=1e-9)
    assert_allclose(accelerations(height, 50)[:, 0, 1], -9.81, atol=1e-9)
