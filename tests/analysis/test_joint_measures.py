"""Joint angles (GUAN 2.26) and joint positions (GUAN 2.27) against slow, obvious versions."""

from __future__ import annotations

from dataclasses import astuple, replace

import numpy as np
import pytest

from motionloom.analysis import JointAngles, JointPositions, joint_weights, scales
from motionloom.analysis.joint_angles import HALF_ANGLE
from motionloom.analysis.root_frame import angular_velocities
from motionloom.core import BadRequest, Clip
from motionloom.kinematics.fk import fk
from motionloom.rotation import IDENTITY, exp, inverse, log, multiply, rotate


def slow_angles(a, b, attributes, w):
    """GUAN 2.26 pair by pair; velocities by central differences, one-sided at the ends."""

    def parts(c):
        v = np.gradient(c.root, 1 / c.fps, axis=0)
        p = np.array([rotate(inverse(q), x) for q, x in zip(c.rotations[:, 0], v, strict=True)])
        steps = log(multiply(inverse(c.rotations[:-1]), c.rotations[1:])) * c.fps
        turning = [steps[0], *((steps[t - 1] + steps[t]) / 2 for t in range(1, len(steps))), steps[-1]]
        return p, c.rotations, np.array(turning)

    (pa, qa, va), (pb, qb, vb) = parts(a), parts(b)
    out = np.empty((len(a), len(b)))
    for i in range(len(a)):
        for j in range(len(b)):
            da = sum(w[k] * np.sum((log(multiply(inverse(qb[j, k]), qa[i, k])) / 2) ** 2) for k in range(1, len(w)))
            dv = sum(w[k] * np.sum((va[i, k] - vb[j, k]) ** 2) for k in range(1, len(w)))
            out[i, j] = attributes @ [np.sum((pa[i] - pb[j]) ** 2), da, dv]
    return out


@pytest.mark.parametrize("precision", ["double", "single"])
def test_joint_angles_equal_the_formula_pair_by_pair(motion, precision):
    a, b = motion(1, 9), motion(2, 8)
    w = joint_weights(a.skeleton, "lee")
    slow = slow_angles(a, b, np.array([0.3, 1.0, 0.02]), w)
    fast = JointAngles((0.3, 1.0, 0.02), precision=precision).matrix(a, b)
    np.testing.assert_allclose(fast, slow, rtol=1e-5 if precision == "single" else 3e-6)


def test_the_polynomial_is_the_squared_half_angle_everywhere():
    angles = np.linspace(1e-4, np.pi, 2000)
    u = 1 - np.cos(angles / 2)
    np.testing.assert_allclose(np.polynomial.polynomial.polyval(u, HALF_ANGLE), (angles / 2) ** 2, rtol=2.5e-6)


def test_a_rotation_and_its_antipode_are_the_same_joint_angle(motion):
    a = motion(1)
    flipped = replace(a, rotations=-a.rotations)
    np.testing.assert_allclose(JointAngles().matrix(a, flipped).diagonal(), 0, atol=1e-5)


def test_terms_add_up_to_the_measure(motion):
    a, b = motion(1), motion(2)
    np.testing.assert_allclose(
        np.tensordot([0.2, 1.0, 0.5], JointAngles().terms(a, b), 1),
        JointAngles((0.2, 1.0, 0.5)).matrix(a, b),
        rtol=1e-5,
    )
    np.testing.assert_allclose(
        np.tensordot([0.2, 1.0, 0.5, 2.0], JointPositions().terms(a, b), 1),
        JointPositions((0.2, 1.0, 0.5, 2.0)).matrix(a, b),
        rtol=1e-4,
    )


def slow_positions(a, b, attributes, w, by):
    """GUAN 2.27 pair by pair."""

    def parts(c: Clip):
        place = fk(c)
        local = np.array([[rotate(inverse(c.rotations[t, 0]), p - c.root[t]) for p in place[t]] for t in range(len(c))])
        v0 = np.gradient(c.root, 1 / c.fps, axis=0)
        a0 = np.zeros_like(c.root)
        a0[1:-1] = (c.root[2:] - 2 * c.root[1:-1] + c.root[:-2]) * c.fps**2
        a0[0], a0[-1] = a0[1], a0[-2]
        back = inverse(c.rotations[:, 0])
        w0 = angular_velocities(c.rotations[:, 0], c.fps)
        fine = np.gradient(local, 1 / c.fps, axis=0)
        return local, fine, rotate(back, v0), w0, rotate(back, a0), np.gradient(w0, 1 / c.fps, axis=0)

    one, other = parts(a), parts(b)
    out = np.zeros((len(a), len(b)))
    for i in range(len(a)):
        for j in range(len(b)):
            gaps = [np.sum((x[i] - y[j]) ** 2, -1) for x, y in zip(one, other, strict=True)]
            d = [w @ gaps[0], w @ gaps[1], *gaps[2:]] / np.array(by)
            out[i, j] = attributes @ [d[0], d[1], d[2] + d[3], d[4] + d[5]]
    return out


@pytest.mark.parametrize("precision", ["double", "single"])
def test_joint_positions_equal_the_formula_pair_by_pair(motion, precision):
    a, b = motion(1, 9), motion(2, 8)
    w = joint_weights(a.skeleton, "lee")
    by = scales([a, b])
    slow = slow_positions(a, b, np.array([1.0, 0.5, 2.0, 0.1]), w, astuple(by))
    fast = JointPositions((1.0, 0.5, 2.0, 0.1), precision=precision).matrix(a, b)
    np.testing.assert_allclose(fast, slow, rtol=1e-5 if precision == "single" else 1e-9)


def test_scales_are_the_largest_steps_of_the_whole_data_set(motion):
    clips = [motion(seed, 20) for seed in range(4)]
    each = np.array([astuple(scales([c])) for c in clips])
    np.testing.assert_allclose(astuple(scales(clips)), each.max(0))


def test_more_clips_in_the_data_set_change_the_matrix(motion):
    a, b = motion(1), motion(2)
    wide = scales([motion(seed) for seed in range(8)])
    assert not np.allclose(JointPositions(scales=wide).matrix(a, b), JointPositions().matrix(a, b), rtol=0.01)


def test_clips_that_never_move_are_compared_in_plain_units(motion):
    a, b = (motion(seed)[np.zeros(10, int)] for seed in (1, 2))
    assert astuple(scales([a, b])) == (1.0,) * 6
    both = JointPositions(precision="double").matrix(a, b)
    assert np.isfinite(both).all()
    np.testing.assert_allclose(both, both[0, 0])


def test_angular_velocity_of_a_steady_turn_is_its_rate():
    turn = exp(np.linspace(0, 2, 21)[:, None] * np.array([0, 1.0, 0]))
    np.testing.assert_allclose(angular_velocities(turn, 10.0), np.tile([0, 1.0, 0], (21, 1)), atol=1e-12)
    assert (angular_velocities(IDENTITY[None], 10.0) == 0).all()


def test_attribute_weights_must_be_as_many_as_terms_and_not_negative(motion):
    with pytest.raises(BadRequest, match=r"expected 3 numbers .*root velocity, joint angles.*found \(1.0, 2.0\)"):
        JointAngles((1.0, 2.0)).matrix(motion(1), motion(2))
    with pytest.raises(BadRequest, match="from 0 up"):
        JointPositions((1.0, -2.0, 0.0, 0.0)).matrix(motion(1), motion(2))


def test_a_weight_on_the_root_alone_leaves_no_joint_angles(motion):
    with pytest.raises(BadRequest, match="only the root"):
        JointAngles(weights={"hips": 1.0}).matrix(motion(1), motion(2))


def test_normalisation_needs_a_clip():
    with pytest.raises(BadRequest, match="at least one clip"):
        scales([])


@pytest.mark.parametrize("rows", [1, 2, 7])
def test_rows_of_the_angle_matrix_do_not_depend_on_how_many_are_computed(motion, rows):
    a, b = motion(1, 20), motion(2, 15)
    ready = JointAngles(weights="uniform", precision="double").prepare(a, b)
    some = ready.block(slice(3, 3 + rows), slice(0, 15))
    np.testing.assert_allclose(some, ready.matrix()[3 : 3 + rows], rtol=1e-12)
