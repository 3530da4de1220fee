"""Segment masses and inverse dynamics, against physics that can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.blend.dynamics import BodyMasses, joint_torques, segments
from motionloom.core import End, Skeleton
from motionloom.kinematics.mass import GRAVITY
from motionloom.rotation import from_axis_angle

FPS = 500.0


def rod(length=0.6, mass=2.0):
    """A rod that hangs on a fixed point, and its body."""
    skeleton = Skeleton(("Hips", "Rod"), [-1, 0], np.zeros((2, 3)), ends=(End(1, (0.0, -length, 0.0)),))
    size = mass * length**2 / 12
    body = BodyMasses(
        np.array([0.0, mass]),
        np.array([[0.0, 0, 0], [0, -length / 2, 0]]),
        np.stack([np.zeros((3, 3)), np.diag([size, 0.0, size])]),
    )
    return skeleton, body


def turned(angles):
    rotations = np.zeros((len(angles), 2, 4))
    rotations[..., 0] = 1
    rotations[:, 1] = from_axis_angle([1.0, 0, 0], angles)
    return rotations


def test_a_rod_held_level_needs_half_its_length_times_its_weight():
    skeleton, body = rod()
    torque = joint_torques(skeleton, body, np.zeros((5, 3)), turned(np.full(5, np.pi / 2)), FPS)
    assert np.linalg.norm(torque[:, 1], axis=-1) == pytest.approx(np.full(3, 2.0 * GRAVITY * 0.3), rel=1e-9)
    assert torque[:, 0] == pytest.approx(torque[:, 1])


def test_a_falling_pendulum_needs_no_torque():
    """Theta'' = -(3 g / 2 L) sin theta for a rod, integrated in small steps."""
    skeleton, body = rod()
    fine, angle, speed, angles = 20, 1.2, 0.0, []
    for _ in range(200):
        angles.append(angle)
        for _ in range(fine):
            speed -= 3 * GRAVITY / (2 * 0.6) * np.sin(angle) / (FPS * fine)
            angle += speed / (FPS * fine)
    torque = joint_torques(skeleton, body, np.zeros((200, 3)), turned(np.array(angles)), FPS)
    assert np.abs(torque[:, 1]).max() < 0.01 * 2.0 * GRAVITY * 0.3


def test_a_body_in_free_fall_needs_no_torque():
    skeleton, body = rod()
    t = np.arange(50) / FPS
    root = np.stack([t, -GRAVITY * t**2 / 2, 0 * t], 1)
    torque = joint_torques(skeleton, body, root, turned(np.full(50, 0.7)), FPS)
    assert np.abs(torque).max() < 1e-6


def test_a_steady_spin_about_a_principal_axis_needs_no_torque():
    skeleton, body = rod()
    body = body._replace(centre=np.zeros((2, 3)))
    torque = joint_torques(skeleton, body, np.zeros((50, 3)), turned(8 * np.arange(50) / FPS), FPS)
    assert np.abs(torque).max() < 1e-6


def test_many_trials_give_what_each_gives_alone(rng):
    skeleton, body = rod()
    trials = np.stack([turned(rng.normal() + np.sin(np.arange(6) * rng.normal())) for _ in range(4)])
    together = joint_torques(skeleton, body, np.zeros((4, 6, 3)), trials, FPS)
    for trial, torque in zip(trials, together, strict=True):
        assert torque == pytest.approx(joint_torques(skeleton, body, np.zeros((6, 3)), trial, FPS))


def test_a_persons_segments_weigh_what_de_leva_says(person):
    body = segments(person, 100.0)
    assert body.mass.sum() == pytest.approx(100.0)
    assert body.mass[person.joint("left_thigh")] == pytest.approx(14.47, abs=0.05)  # mean of 14.16 and 14.78
    assert body.mass[person.joint("right_forearm")] == pytest.approx(1.5, abs=0.02)
    assert body.centre[person.joint("left_shin")] == pytest.approx([0, -0.4 * 0.43735, 0], abs=1e-4)
    assert (np.linalg.eigvalsh(body.inertia) >= -1e-12).all()


def test_a_body_without_roles_is_made_of_rods(arm):
    bare = Skeleton(arm.names, arm.parents, arm.offsets, ends=arm.ends)
    body = segments(bare, 10.0)
    assert body.mass == pytest.approx(np.array([1.0, 1.0, 0.5]) * 4)
    assert body.centre[2] == pytest.approx([0, 0.25, 0])
