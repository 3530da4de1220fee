"""General chain solver with hard and soft targets."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip
from motionloom.kinematics.fk import accelerations, fk, fk_rotations
from motionloom.kinematics.ik.chain import solve_chain
from motionloom.kinematics.ik.jacobians import Posed, Unknowns, inverse_right_jacobian, right_jacobian
from motionloom.kinematics.ik.targets import OrientationTarget, PoseTarget, PositionTarget, Target
from motionloom.rotation import angle_between, exp, inverse, log, multiply

FRAMES = np.array([2, 5])


def wanted(clip: Clip, weight: float | None = None) -> list[Target]:
    q = exp(np.array([0.3, -0.5, 0.2]))
    return [
        PositionTarget("left_hand", FRAMES, np.array([0.4, 1.2, 0.5]), weight),
        PositionTarget("right_hand", FRAMES, np.array([0.4, 1.2, 0.5]), weight, (0.05, 0.02, 0.1), "xz"),
        OrientationTarget("left_foot", FRAMES, q, weight),
        PoseTarget("spine", FRAMES, q, weight),
    ]


@pytest.mark.parametrize("which", range(4))
def test_jacobians_agree_with_finite_differences(walker: Clip, rng: np.random.Generator, which: int) -> None:
    unknowns = Unknowns(walker.skeleton, np.arange(len(walker.skeleton)), True)
    values = 0.4 * rng.normal(size=(8, unknowns.count))
    target = wanted(walker)[which]

    def posed(v: np.ndarray) -> Posed:
        return Posed(unknowns, walker.root[:8], walker.rotations[:8], v)

    jacobian = target.jacobian(posed(values), FRAMES)
    for column in range(unknowns.count):
        h = np.zeros_like(values)
        h[:, column] = 1e-5
        slope = (target.residual(posed(values + h), FRAMES) - target.residual(posed(values - h), FRAMES)) / 2e-5
        assert jacobian[..., column] == pytest.approx(slope, abs=2e-8)


def test_rotation_jacobians_agree_with_finite_differences(rng: np.random.Generator) -> None:
    v = np.concatenate([rng.normal(size=(20, 3)), 1e-5 * rng.normal(size=(5, 3))])
    dv = 1e-6 * rng.normal(size=v.shape)
    moved = log(multiply(inverse(exp(v)), exp(v + dv)))
    assert np.einsum("nij,nj->ni", right_jacobian(v), dv) == pytest.approx(moved, abs=1e-11)
    assert inverse_right_jacobian(v) @ right_jacobian(v) == pytest.approx(np.broadcast_to(np.eye(3), (25, 3, 3)))


def test_hard_position_target_is_met_exactly_and_bones_keep_their_length(walker: Clip) -> None:
    goal = np.array([0.3, 1.1, 0.4])
    out, left = solve_chain(walker, [PositionTarget("left_hand", np.array([10]), goal)])
    places = fk(out)
    assert places[10, walker.skeleton.joint("left_hand")] == pytest.approx(goal, abs=1e-8)
    assert left.hard < 1e-8
    others = np.arange(len(walker)) != 10
    assert np.array_equal(out.rotations[others], walker.rotations[others])
    parents = walker.skeleton.parents[1:]
    lengths = np.linalg.norm(places[10, 1:] - places[10, parents], axis=1)
    assert lengths == pytest.approx(np.linalg.norm(walker.skeleton.offsets[1:], axis=1))


def test_hard_orientation_and_pose_targets_hold_together(walker: Clip) -> None:
    targets = [t for t in wanted(walker) if not isinstance(t, PositionTarget)]
    out, left = solve_chain(walker, targets)
    assert left.hard < 1e-8
    _, turns = fk_rotations(out)
    q = exp(np.array([0.3, -0.5, 0.2]))
    assert angle_between(turns[FRAMES, walker.skeleton.joint("left_foot")], q).max() < 1e-8


def test_among_all_solutions_the_chain_takes_the_one_nearest_to_the_given_pose(walker: Clip) -> None:
    """KKT: at the solution the pull back to the given pose is a combination of the hard residual's gradients."""
    targets = [PositionTarget("left_hand", np.array([3]), np.array([0.35, 1.1, 0.3]))]
    joints = ["spine", "left_upper_arm", "left_forearm"]
    out, _ = solve_chain(walker, targets, joints=joints)
    unknowns = Unknowns(walker.skeleton, np.sort([walker.skeleton.joint(j) for j in joints]), False)
    d = log(multiply(inverse(walker.rotations[3:4]), out.rotations[3:4]))[:, unknowns.joints].reshape(1, -1)
    jacobian = targets[0].jacobian(Posed(unknowns, walker.root[3:4], walker.rotations[3:4], d), np.array([0]))[0]
    free = np.eye(9) - np.linalg.pinv(jacobian) @ jacobian
    assert np.linalg.norm(free @ d[0]) < 1e-5 * np.linalg.norm(d)


def test_soft_targets_are_traded_against_staying_close(walker: Clip) -> None:
    goal, at = np.array([0.3, 1.1, 0.4]), np.array([10])
    hand = walker.skeleton.joint("left_hand")
    missed, changed = [], []
    for weight in (0.01, 1.0, 100.0):
        out, left = solve_chain(walker, [PositionTarget("left_hand", at, goal, weight)])
        missed.append(np.linalg.norm(left.targets[0]))
        changed.append(angle_between(out.rotations[10], walker.rotations[10]).sum())
        assert np.linalg.norm(fk(out)[10, hand] - goal) == pytest.approx(missed[-1])
    assert missed[0] > missed[1] > missed[2] > 0
    assert changed[0] < changed[1] < changed[2]


def test_smoothness_spreads_an_edit_over_time_without_a_jump(walker: Clip) -> None:
    hand = walker.skeleton.joint("left_hand")
    at = np.array([90])
    goal = fk(walker)[90, hand] + [0.0, 0.1, 0.15]
    spread, left = solve_chain(walker, [PositionTarget("left_hand", at, goal)], smooth=0.1)
    assert left.hard < 1e-8
    change = np.linalg.norm(fk(spread)[:, hand] - fk(walker)[:, hand], axis=1)
    assert change.argmax() in (89, 90, 91)
    assert (change[:53] == 0).all()
    assert (change[128:] == 0).all()
    assert change[80] > 0.05
    calm = np.abs(accelerations(fk(spread)[:, hand], 60) - accelerations(fk(walker)[:, hand], 60)).max()
    lone, _ = solve_chain(walker, [PositionTarget("left_hand", at, goal)])
    shock = np.abs(accelerations(fk(lone)[:, hand], 60) - accelerations(fk(walker)[:, hand], 60)).max()
    assert calm < 0.03 * shock


def test_a_coupled_solve_is_the_optimum_of_the_stated_cost(walker: Clip) -> None:
    """The cost written out the slow way: no small random change that keeps the target lowers it."""
    at, hand = np.array([6]), walker.skeleton.joint("left_hand")
    goal = fk(walker)[6, hand] + [0.0, 0.03, 0.05]
    short = walker[:14]
    target = PositionTarget("left_hand", at, goal, 5.0)
    joints = np.sort([short.skeleton.joint(j) for j in ("left_upper_arm", "left_forearm")])
    out, _ = solve_chain(short, [target], joints=list(joints), smooth=0.05, stay=0.02)
    d = log(multiply(inverse(short.rotations), out.rotations))[:, joints].reshape(14, -1)

    def cost(v: np.ndarray) -> float:
        posed = Posed(Unknowns(short.skeleton, joints, False), short.root, short.rotations, v)
        bend = (v[2:] - 2 * v[1:-1] + v[:-2]) * 60**2
        miss = target.residual(posed, at)
        return 5.0 * (miss**2).sum() + 0.02 * ((v**2).sum() + 0.05**4 * (bend**2).sum())

    rng, best = np.random.default_rng(1), cost(d)
    assert best < cost(np.zeros_like(d))
    for _ in range(200):
        step = rng.normal(size=d.shape)
        assert cost(d + 1e-4 * step) > best - 1e-12


def test_the_root_joins_in_when_asked(walker: Clip) -> None:
    goal = fk(walker)[10, walker.skeleton.joint("left_foot")] + [0.1, -0.05, 0.6]  # too far for the leg alone
    target = PositionTarget("left_foot", np.array([10]), goal)
    _, alone = solve_chain(walker, [target], joints=["left_leg"])
    out, left = solve_chain(walker, [target], joints=["left_leg"], root=True)
    assert alone.hard > 0.01
    assert left.hard < 1e-8
    assert np.linalg.norm(out.root[10] - walker.root[10]) > 0.05


def test_out_of_reach_the_arm_points_at_the_target(walker: Clip) -> None:
    shoulder, hand = (walker.skeleton.joint(j) for j in ("left_upper_arm", "left_hand"))
    goal = np.array([3.0, 2.0, 4.0])
    arm = ["left_upper_arm", "left_forearm"]
    out, left = solve_chain(walker, [PositionTarget("left_hand", np.array([0]), goal)], joints=arm)
    start, tip = fk(out)[0, shoulder], fk(out)[0, hand]
    assert np.linalg.norm(left.targets[0]) == pytest.approx(np.linalg.norm(goal - start) - 0.54, abs=2e-3)
    assert np.dot(tip - start, goal - start) / np.linalg.norm(tip - start) / np.linalg.norm(goal - start) > 0.999


def test_only_allowed_frames_change(walker: Clip) -> None:
    allowed = np.zeros(len(walker), bool)
    allowed[85:95] = True
    target = PositionTarget("left_hand", np.array([90]), np.array([0.4, 1.1, 1.7]))
    out, left = solve_chain(walker, [target], smooth=0.2, frames=allowed)
    assert left.hard < 1e-8
    assert np.array_equal(out.rotations[~allowed], walker.rotations[~allowed])
    with pytest.raises(BadRequest, match="not allowed to change"):
        solve_chain(walker, [PositionTarget("left_hand", np.array([3]), np.zeros(3))], frames=allowed)


def test_wrong_targets_are_refused(walker: Clip) -> None:
    with pytest.raises(BadRequest, match=r"0\.\.179, found 900"):
        solve_chain(walker, [PositionTarget("left_hand", np.array([900]), np.zeros(3))])
    with pytest.raises(BadRequest, match="negative"):
        solve_chain(walker, [PositionTarget("left_hand", np.array([1]), np.zeros(3), -1.0)])


def test_many_frames_and_all_joints_are_solved_at_once(walker: Clip) -> None:
    every = np.arange(len(walker))
    goal = fk(walker)[:, walker.skeleton.joint("left_hand")] + [0.05, 0.1, 0.1]
    head = OrientationTarget("head", every, exp(np.array([0.3, -0.5, 0.2])))
    hand = PositionTarget("left_hand", every, goal)
    for smooth in (0.0, 0.1):
        _, left = solve_chain(walker, [hand, head], joints=["all"], root=True, smooth=smooth)
        assert left.hard < 1e-8
        assert left.iterations < 20


def test_edits_far_apart_do_not_disturb_each_other(walker: Clip) -> None:
    goal = fk(walker)[:, walker.skeleton.joint("left_hand")] + [0.05, 0.1, 0.1]
    ends = np.array([5, 170])
    both, _ = solve_chain(walker, [PositionTarget("left_hand", ends, goal[ends])], smooth=0.1)
    first, _ = solve_chain(walker, [PositionTarget("left_hand", ends[:1], goal[5])], smooth=0.1)
    assert np.array_equal(both.rotations[:60], first.rotations[:60])


def test_nothing_asked_changes_nothing(walker: Clip) -> None:
    same, left = solve_chain(walker, [])
    assert angle_between(same.rotations, walker.rotations).max() < 1e-12
    assert left.hard == 0
