"""Laws of rotations; scipy's Rotation is the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from motionloom import rotation as r


@pytest.fixture
def q(rng):
    return r.normalize(rng.normal(size=(40, 3, 4)))


def oracle(q):
    return Rotation.from_quat(q.reshape(-1, 4), scalar_first=True)


def same(a, b, atol=1e-9):
    assert r.angle_between(a, b).max() < atol


def test_multiply_is_associative_has_an_identity_and_inverses(q):
    a, b, c = q[0], q[1], q[2]
    same(r.multiply(a, r.multiply(b, c)), r.multiply(r.multiply(a, b), c))
    same(r.multiply(q, r.IDENTITY), q)
    same(r.multiply(q, r.inverse(q)), np.broadcast_to(r.IDENTITY, q.shape))


def test_multiply_agrees_with_matrices(q):
    assert_allclose(r.to_matrix(r.multiply(q[:20], q[20:])), r.to_matrix(q[:20]) @ r.to_matrix(q[20:]), atol=1e-12)


def test_rotate_is_the_sandwich_product(q, rng):
    v = rng.normal(size=(40, 3, 3))
    assert_allclose(r.rotate(q, v).reshape(-1, 3), oracle(q).apply(v.reshape(-1, 3)), atol=1e-12)


def test_any_leading_shape_broadcasts(q, rng):
    assert r.multiply(q[0, 0], q).shape == (40, 3, 4)
    assert r.rotate(q[0, 0], rng.normal(size=(5, 7, 3))).shape == (5, 7, 3)
    assert r.slerp(q[0], q[1], 0.3).shape == (3, 4)
    assert r.exp(np.zeros(3)).shape == (4,)


def test_angle_between_covers_the_antipode_and_small_angles():
    assert r.angle_between(r.yaw(0.3), -r.yaw(0.3)) == 0
    assert_allclose(r.angle_between(r.yaw(0.3), r.yaw(0.3 + 1e-9)), 1e-9, rtol=1e-6)
    assert_allclose(r.angle_between(r.yaw(0), r.yaw(np.pi)), np.pi)


def test_between_takes_one_direction_to_the_other(rng):
    a, b = rng.normal(size=(2, 50, 3))
    b[0] = -a[0]  # opposite
    b[1] = a[1]
    got = r.rotate(r.between(a, b), a)
    unit = lambda v: v / np.linalg.norm(v, axis=1, keepdims=True)
    assert_allclose(unit(got), unit(b), atol=1e-9)


def test_slerp_has_constant_speed_and_takes_the_shorter_arc(q):
    a, b = q[0], -q[1]
    steps = np.stack([r.slerp(a, b, t) for t in np.linspace(0, 1, 11)])
    same(steps[0], a)
    same(steps[-1], b)
    assert_allclose(r.angle_between(steps[1:], steps[:-1]), np.tile(r.angle_between(a, b) / 10, (10, 1)), atol=1e-9)


def test_slerp_of_equal_and_of_nearly_opposite_rotations(q):
    same(r.slerp(q, q, 0.5), q)
    half = r.slerp(r.yaw(0.0), r.yaw(np.pi - 1e-7), 0.5)
    assert_allclose(r.angle_between(half, r.yaw(0.0)), np.pi / 2, atol=1e-6)


def test_average_ignores_signs_and_order_and_follows_weights(q):
    flipped = q.copy()
    flipped[::2] *= -1
    same(r.average(q[:5]), r.average(flipped[:5][::-1]))
    same(r.average(np.stack([r.yaw(0.2), r.yaw(0.6)])), r.yaw(0.4))
    same(r.average(np.stack([r.yaw(0.2), r.yaw(0.6)]), [1, 0]), r.yaw(0.2))


def test_average_minimises_chordal_distance(q, rng):
    mean = r.average(q[:7, 0])
    cost = lambda m: sum(np.linalg.norm(r.to_matrix(m) - r.to_matrix(x)) ** 2 for x in q[:7, 0])
    best = cost(mean)
    assert all(cost(r.multiply(mean, r.exp(0.05 * rng.normal(size=3)))) >= best for _ in range(20))


def test_continuous_keeps_neighbours_on_one_hemisphere(rng):
    path = r.exp(np.cumsum(0.3 * rng.normal(size=(100, 4, 3)), axis=0))
    path[rng.random((100, 4)) < 0.5] *= -1
    out = r.continuous(path)
    assert (np.einsum("tji,tji->tj", out[1:], out[:-1]) >= 0).all()
    same(out, path)


def test_exp_and_log_undo_each_other(rng):
    v = rng.normal(size=(200, 3))
    v *= (rng.uniform(0, np.pi - 1e-6, 200) / np.linalg.norm(v, axis=1))[:, None]
    v[0] = 0
    v[1] = 1e-12
    assert_allclose(r.log(r.exp(v)), v, atol=1e-9)
    assert_allclose(r.exp(v), Rotation.from_rotvec(v).as_quat(scalar_first=True), atol=1e-12)


def test_log_is_the_same_for_both_signs(q):
    assert_allclose(r.log(q), r.log(-q), atol=1e-12)


def test_continuous_log_runs_past_pi_without_a_jump():
    angle = np.linspace(0, 3 * np.pi, 200)
    v = r.continuous_log(r.from_axis_angle([0.0, 0.6, 0.8], angle))
    assert_allclose(np.linalg.norm(v, axis=1), angle, atol=1e-9)


def test_twist_is_the_turn_about_one_axis(rng):
    swing = r.from_axis_angle([1.0, 0, 0], 0.7)
    for angle in (-3.0, -0.5, 0.0, 2.0, 3.1):
        assert_allclose(r.twist(r.multiply(r.yaw(angle), swing), [0, 1, 0]), angle, atol=1e-12)


def test_yaw_takes_z_towards_x():
    assert_allclose(r.rotate(r.yaw(np.pi / 2), [0.0, 0, 1]), [1, 0, 0], atol=1e-12)


def test_matrices_and_6d_both_ways(q):
    assert_allclose(r.to_matrix(q).reshape(-1, 3, 3), oracle(q).as_matrix(), atol=1e-12)
    same(r.from_matrix(r.to_matrix(q)), q)
    same(r.from_6d(r.to_6d(q) * 1.7), q)


def test_half_turns_survive_the_matrix():
    for axis in np.eye(3):
        half = r.from_axis_angle(axis, np.pi)
        same(r.from_matrix(r.to_matrix(half)), half)


def test_there_are_twelve_euler_orders():
    assert len(set(r.ORDERS)) == 12
    with pytest.raises(ValueError, match="no Euler order 'xxy'"):
        r.from_euler([0, 0, 0], "xxy")


@pytest.mark.parametrize("order", r.ORDERS)
class TestEuler:
    def test_agrees_with_scipy(self, order, rng):
        angles = rng.uniform(-np.pi, np.pi, (100, 3))
        same(r.from_euler(angles, order), Rotation.from_euler(order.upper(), angles).as_quat(scalar_first=True))

    def test_both_ways(self, order, q):
        same(r.from_euler(r.to_euler(q, order), order), q)

    def test_both_ways_in_gimbal_lock(self, order, rng):
        for middle in (0.0, np.pi) if order[0] == order[2] else (np.pi / 2, -np.pi / 2):
            angles = rng.uniform(-3, 3, (50, 3))
            angles[:, 1] = middle
            q = r.from_euler(angles, order)
            same(r.from_euler(r.to_euler(q, order), order), q, 1e-6)

    def test_a_smooth_motion_gives_angles_without_jumps(self, order, rng):
        angles = np.cumsum(0.05 * rng.normal(size=(2000, 2, 3)), axis=0)
        out = r.to_euler_continuous(r.from_euler(angles, order), order)
        same(r.from_euler(out, order), r.from_euler(angles, order))
        assert np.abs(np.diff(out, axis=0)).max() < 0.5

    def test_a_motion_through_gimbal_lock_gives_angles_without_jumps(self, order):
        lock = 0.0 if order[0] == order[2] else np.pi / 2
        swing = np.concatenate([np.linspace(-1, 0, 90), np.zeros(5), np.linspace(0, 1, 90)])  # five frames locked
        angles = np.stack([np.full(185, 0.7), lock + swing, np.full(185, 0.9)], 1)
        q = r.from_euler(np.stack([angles, angles[::-1]], 1), order)
        out = r.to_euler_continuous(q, order)
        same(r.from_euler(out, order), q, 1e-6)
        assert np.abs(np.diff(out, axis=0)).max() < 0.02

    def test_a_motion_that_stays_in_gimbal_lock_has_no_third_angle(self, order):
        lock = 0.0 if order[0] == order[2] else -np.pi / 2
        t = np.linspace(0, 9, 200)
        q = r.from_euler(np.stack([t, np.full(200, lock), 0.2 * t], 1), order)
        out = r.to_euler_continuous(q, order)
        same(r.from_euler(out, order), q, 1e-6)
        assert np.abs(out[:, 2]).max() == 0
        assert np.abs(np.diff(out, axis=0)).max() < 0.1


@given(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), st.sampled_from(r.ORDERS))
@settings(max_examples=200, deadline=None)
def test_any_angles_at_all_come_back_as_the_same_rotation(angles, order):
    q = r.from_euler(angles, order)
    assert r.angle_between(r.from_euler(r.to_euler(q, order), order), q) < 1e-6
