"""Loop finder (gate on the seam, speed floor) and loop closing with the root's displacement carried."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip, NoPath, Skeleton, concatenate, replace
from motionloom.io import load
from motionloom.kinematics.fk import accelerations, fk
from motionloom.kinematics.loop import Loop, close_loop, find_cycle, find_loop, repeat, seam
from motionloom.kinematics.travel import root_motion, travel, turned
from motionloom.rotation import angle_between, from_axis_angle, multiply, yaw


def circling(walker: Clip, rate: float = 0.5) -> Clip:
    """The walker carried round a circle at `rate` radians a second."""
    from motionloom.kinematics.travel import along, from_root_motion

    motion = root_motion(walker)
    motion[:, 2] = rate / walker.fps
    return along(walker, from_root_motion(motion))


def test_seam_is_free_of_place_and_heading_and_in_metres(walker: Clip) -> None:
    assert seam(walker, 30, 90) < 1e-3  # one cycle of 1 s later: the same pose and velocity
    there = turned(circling(walker), 1.3, about=(4, 2))
    assert seam(there, 30, 90) == pytest.approx(seam(circling(walker), 30, 90))
    up = replace(walker, root=walker.root + np.where(np.arange(180) >= 100, 0.05, 0.0)[:, None] * [0, 1.0, 0])
    assert seam(up, 60, 120) == pytest.approx(0.05, abs=2e-3)  # every joint 5 cm higher, same velocity


def test_loop_finder_finds_whole_cycles(walker: Clip) -> None:
    loop = find_loop(walker[:170], longest=1.5)
    assert loop.end - loop.start == 60
    assert loop.seam < 0.01
    assert loop.speed == pytest.approx(1.0, rel=0.3)
    long = find_loop(walker[:170])
    assert long.end - long.start == 120  # covers more
    assert long.covered > loop.covered


def test_loop_finder_is_not_fooled_by_a_held_pose(walker: Clip) -> None:
    held = np.zeros(90, np.int64) + 40
    clip = concatenate([walker[:40], walker[held], walker[40:]])
    rise = np.cumsum(np.concatenate([np.ones(40), np.zeros(90), np.ones(140)])) * 1e-4  # no two cycles are equal
    clip = replace(clip, root=clip.root + rise[:, None] * [0, 1.0, 0])
    loop = find_loop(clip, longest=2.0)
    assert not (loop.start >= 40 and loop.end <= 130)
    assert loop.speed > 0.4
    still = find_loop(clip, longest=1.2, slowest=0.0, gate=1e-6)  # the smallest seam alone picks the held pose
    assert still.speed < 0.1
    with pytest.raises(NoPath, match="nothing moves in it"):
        find_loop(walker[held])


def test_loop_finder_gates_on_the_seam(walker: Clip) -> None:
    with pytest.raises(NoPath, match="the gate is 1e-09 m"):
        find_loop(circling(walker[:50]), gate=1e-9)
    with pytest.raises(NoPath, match="at least 9 s"):
        find_loop(walker, shortest=9)


def test_a_closed_loop_ends_as_it_began(walker: Clip) -> None:
    clip = circling(walker)
    bend = from_axis_angle([1.0, 0, 0], np.linspace(0, 0.2, 180))  # drifts, so it does not loop by itself
    rotations = np.array(clip.rotations)
    rotations[:, 1] = multiply(rotations[:, 1], bend)
    drifting = replace(clip, rotations=rotations, root=clip.root + np.linspace(0, 0.03, 180)[:, None] * [0, 1.0, 0])
    closed = close_loop(drifting, Loop(30, 90, 0, 0, 0))
    assert len(closed) == 61
    assert angle_between(closed.rotations[0, 1:], closed.rotations[-1, 1:]).max() < 1e-9
    assert closed.root[0, 1] == pytest.approx(closed.root[-1, 1])
    assert seam(closed, 0, 60) < 0.005
    middle = slice(28, 33)  # untouched far from the seam
    assert angle_between(closed.rotations[middle, 1:], drifting.rotations[30:][middle, 1:]).max() < 0.02


def test_repeating_carries_the_displacement_and_the_heading(walker: Clip) -> None:
    closed = close_loop(circling(walker), Loop(30, 90, 0, 0, 0))
    thrice = repeat(closed, 3)
    assert len(thrice) == 181
    path = travel(thrice)
    turn = path.heading[60] - path.heading[0]
    assert turn == pytest.approx(0.5, abs=0.01)
    assert path.heading[[60, 120, 180]] - path.heading[[0, 60, 120]] == pytest.approx([turn] * 3)
    motion = root_motion(thrice)
    assert motion[60:120] == pytest.approx(motion[:60])
    assert angle_between(thrice.rotations[60:120, 1:], thrice.rotations[:60, 1:]).max() < 1e-9


def test_a_closed_loop_has_no_shock_at_its_seam(mocap: Path) -> None:
    walk = load(mocap / "cmu/16_15.bvh", trim_tpose=True)
    loop = find_loop(walk)
    cycle = close_loop(walk, loop)
    shown = repeat(cycle, 2)

    def shock(clip: Clip) -> float:
        return float(np.abs(accelerations(fk(clip), clip.fps)).max())

    n = len(cycle) - 1
    assert shock(shown[n - 5 : n + 6]) <= shock(walk[loop.start : loop.end + 1])
    cut = repeat(walk[loop.start : loop.end + 1], 2)
    assert shock(cut[n - 5 : n + 6]) > 1.5 * shock(shown[n - 5 : n + 6])


def test_real_loops_cover_much_and_move(mocap: Path) -> None:
    walk = load(mocap / "cmu/35_01.bvh", trim_tpose=True)
    loop = find_loop(walk)
    assert loop.seam < 0.05
    assert loop.covered > 0.5
    assert loop.speed > 1.0


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("cmu/137_29", 1.1),
        ("cmu/35_17", 0.74),
        ("cmu/126_11", 2.25),
        ("bandai/dataset-2_walk-turn-left_normal_001", 1.12),
        ("dog/D1_007_KAN01_001", 0.61),
    ],
)
def test_a_cycle_is_one_period(mocap: Path, name: str, seconds: float) -> None:
    clip = load(mocap / f"{name}.bvh", trim_tpose=True)
    cycle = find_cycle(clip)
    assert cycle is not None
    assert (cycle.end - cycle.start) / clip.fps == pytest.approx(seconds, rel=0.05)
    assert cycle.seam < 0.035


def test_a_motion_that_never_comes_back_has_no_period(walker: Clip) -> None:
    assert find_cycle(walker[:20]) is None
    whole = find_cycle(walker, shortest=1.5)  # the first return after that: two cycles
    assert whole is not None
    assert whole.end - whole.start == 120


def test_wrong_loops_are_refused(walker: Clip) -> None:
    with pytest.raises(BadRequest, match="no loop from frame 10 to 500"):
        close_loop(walker, Loop(10, 500, 0, 0, 0))
    with pytest.raises(BadRequest, match="at least once"):
        repeat(walker, 0)
    with pytest.raises(BadRequest, match=r"times: .* frames are more than the limit"):
        repeat(walker, 10**20)


def test_a_pen_stroke_loops_too() -> None:
    t = np.arange(90) / 30 * 2 * np.pi
    pen = Skeleton(("Pen",), np.array([-1]), np.zeros((1, 3)))
    turn = np.broadcast_to(yaw(0.0), (90, 1, 4))
    circle = Clip(pen, np.stack([np.cos(t), np.sin(t), 0 * t], 1) * 0.1, turn, 30)
    loop = find_loop(circle, longest=1.5)
    assert loop.end - loop.start == 30
