"""Channels: clips to plain arrays and back (exponential maps, root displacement in the heading frame)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motionloom import samples
from motionloom.core import BadRequest, Clip, Skeleton, replace
from motionloom.io import load
from motionloom.kinematics.channels import Channels, Layout, fit_layout, from_channels, to_channels
from motionloom.kinematics.channels.metric import ROOT_SCALE, fit_metric_space, from_coordinates, to_coordinates
from motionloom.kinematics.fk import fk
from motionloom.kinematics.local_frames import observe
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import turned
from motionloom.rotation import angle_between, exp, from_axis_angle, inverse, log, multiply, yaw


def assert_same_motion(a: Clip, b: Clip, tolerance: float = 1e-9) -> None:
    assert a.root == pytest.approx(b.root, abs=tolerance)
    assert angle_between(a.rotations, b.rotations).max() < tolerance
    assert fk(a) == pytest.approx(fk(b), abs=tolerance)


@pytest.fixture
def lively(walker: Clip, rng: np.random.Generator) -> Clip:
    """Turns left through more than a whole turn, leans, and swings an arm round and round."""
    t = np.arange(180) / 60
    rotations = multiply(walker.rotations, exp(0.3 * np.sin(t[:, None, None] + rng.uniform(0, 6, (18, 3)))))
    rotations[:, 0] = multiply(yaw(3 * t), rotations[:, 0])
    arm = walker.skeleton.joint("left_upper_arm")
    rotations[:, arm] = from_axis_angle([1.0, 0.2, 0], 5 * t)
    return replace(walker, rotations=rotations)


@pytest.mark.parametrize("root", ["motion", "place"])
def test_channels_round_trip_is_exact(lively: Clip, root: str) -> None:
    assert_same_motion(from_channels(to_channels(lively)), lively)
    layout = fit_layout([lively], root=root)
    assert_same_motion(from_channels(to_channels(lively, layout)), lively)


def test_channels_of_a_body_that_turns_over_are_exact_and_its_heading_stays_calm() -> None:
    clip = samples.make("cartwheel", seed=0)
    channels = to_channels(clip)
    assert_same_motion(from_channels(channels), clip)
    column = channels.layout.names.index
    assert np.abs(channels.values[:, column("root.turn")]).max() * clip.fps < 2
    assert np.abs(channels.values[:, column("root.tilt.y")]).max() > 0.1  # zero for a body that stays upright
    upright = to_channels(samples.make("walk", seconds=2))
    assert np.abs(upright.values[:, column("root.tilt.y")]).max() < 1e-12


def test_coordinates_in_metres_are_scaled_exponential_maps_and_give_the_frames_back(lively: Clip) -> None:
    """The compiled chart against the same formulas in numpy."""
    frames = observe(lively)
    space = fit_metric_space(frames, lively.skeleton)
    turns = log(multiply(inverse(space.base), frames.turns)) * space.scale[:, None]
    plain = np.concatenate([turns.reshape(len(lively), -1), frames.root * ROOT_SCALE], 1)[:, space.moving]
    assert to_coordinates(frames, space) == pytest.approx(plain, abs=1e-12)
    back = from_coordinates(to_coordinates(frames, space), space)
    moving = space.moving[: 3 * len(space.base)].reshape(-1, 3).all(1)
    assert angle_between(back.turns, frames.turns)[:, moving].max() < 1e-7
    assert back.root == pytest.approx(frames.root, abs=1e-3)  # channels that hardly vary keep their mean


@pytest.mark.parametrize(
    "name", ["cmu/49_06.bvh", "bandai/dataset-2_walk-turn-left_normal_001.bvh", "dog/D1_010_KAN01_004.bvh"]
)
def test_channels_round_trip_of_real_clips(mocap: Path, name: str) -> None:
    clip = load(mocap / name)
    assert_same_motion(from_channels(to_channels(clip)), clip)
    assert_same_motion(
        from_channels(to_channels(clip, fit_layout([clip]))), clip, 1e-3 if clip.slides is not None else 1e-9
    )


def test_a_pen_stroke_goes_through_channels_too(rng: np.random.Generator) -> None:
    pen = Skeleton(("Pen",), np.array([-1]), np.zeros((1, 3)))
    line = np.cumsum(rng.normal(size=(40, 3)) * [0.01, 0.01, 0], axis=0)
    stroke = Clip(pen, line, np.tile([1.0, 0, 0, 0], (40, 1, 1)), 100)
    assert_same_motion(from_channels(to_channels(stroke)), stroke)
    placed = to_channels(stroke, Layout(pen, 100, "place"))
    assert placed.values[:, 0] == pytest.approx(line[:, 0])
    assert placed.values[:, placed.layout.names.index("root.height")] == pytest.approx(line[:, 1])
    assert_same_motion(from_channels(placed), stroke)


def test_root_displacement_is_in_the_heading_frame(lively: Clip) -> None:
    """Moved and turned on the ground, a clip has the same channels and another start."""
    there = turned(lively, 1.0, about=(3, -2))
    assert to_channels(there).values == pytest.approx(to_channels(lively).values, abs=1e-9)
    assert to_channels(there).start != pytest.approx(to_channels(lively).start)


def test_a_straight_walk_reads_as_steps_forward(walker: Clip) -> None:
    channels = to_channels(walker)
    column = channels.layout.names.index
    assert channels.values[:, column("root.forward")] == pytest.approx(np.full(180, 1 / 60))
    assert channels.values[:, column("root.left")] == pytest.approx(np.zeros(180), abs=1e-12)
    assert channels.values[:, column("root.height")] == pytest.approx(walker.root[:, 1])


def test_exponential_maps_are_continuous_past_a_half_turn(lively: Clip) -> None:
    channels = to_channels(lively)
    assert np.abs(np.diff(channels.values, axis=0)).max() < 0.15
    arm = channels.layout.columns(lively.skeleton.joint("left_upper_arm"))
    assert np.linalg.norm(channels.values[:, arm], axis=1).max() > 2 * np.pi


def test_every_column_has_a_name_and_a_unit(lively: Clip) -> None:
    layout = to_channels(lively).layout
    assert len(layout.names) == len(layout.units) == layout.count == 7 + 3 * 17
    assert len(set(layout.names)) == layout.count
    assert dict(zip(layout.names, layout.units, strict=True))["LeftLeg.x"] == "rad"
    assert layout.names[layout.columns(lively.skeleton.joint("left_shin"))] == ("LeftLeg.x", "LeftLeg.y", "LeftLeg.z")


def test_a_layout_of_some_joints_keeps_the_others_at_the_mean_pose(lively: Clip) -> None:
    layout = fit_layout([lively], joints=[1, 2])
    back = from_channels(to_channels(lively, layout))
    assert angle_between(back.rotations[:, [0, 1, 2]], lively.rotations[:, [0, 1, 2]]).max() < 1e-9
    assert np.ptp(back.rotations[:, 3:], axis=0).max() == 0


def test_sliding_joints_keep_their_slides(lively: Clip, rng: np.random.Generator) -> None:
    slides = np.zeros((180, 18, 3))
    slides[:, 5] = 0.02 * rng.normal(size=(180, 3))
    slides[:, 7] = [0.1, 0, 0]
    clip = replace(lively, slides=slides)
    layout = fit_layout([clip])
    assert layout.sliding == (5,)
    assert_same_motion(from_channels(to_channels(clip, layout)), clip)


def test_wrong_channels_are_refused(lively: Clip) -> None:
    layout = fit_layout([lively])
    with pytest.raises(BadRequest, match=r"expected \(frames, 58\) channels, found \(4, 9\)"):
        from_channels(Channels(np.zeros((4, 9)), layout))
    with pytest.raises(BadRequest, match="60 fps, the clip at 30"):
        to_channels(resample(lively, 30), layout)
    with pytest.raises(BadRequest, match="not 'speed'"):
        Layout(lively.skeleton, 60, "speed")
