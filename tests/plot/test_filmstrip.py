"""Filmstrips: what is drawn, and where."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import numpy as np
import pytest

from motionloom.core import Clip, MissingExtra, Skeleton, UnknownJoint, silent
from motionloom.plot import filmstrip, save_filmstrip
from motionloom.plot.body import body, body_points
from motionloom.plot.filmstrip import _level
from motionloom.plot.filmstrip_layout import lay_out, lay_out_aligned
from motionloom.plot.shading import DIRECTIONS, outlines
from motionloom.plot.view import View, best_yaw, characteristic_frames, even_frames, vary_poses
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make("walk", seconds=3)


@pytest.fixture(scope="module")
def stroke() -> Clip:
    t = np.linspace(0, 1, 50)
    root = np.stack([0.1 * t, 0.05 * np.sin(6 * t), 0 * t], 1)
    still = np.zeros((50, 1, 4))
    still[..., 0] = 1
    return Clip(Skeleton(("pen",), [-1], [[0, 0, 0]]), root, still, 50.0)


def test_a_walk_becomes_a_png_with_seconds_and_its_name(walk: Clip, tmp_path: Path) -> None:
    save_filmstrip(walk, tmp_path / "walk.png", titles=["a walk"])
    data = (tmp_path / "walk.png").read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert width > 600
    assert height > 200
    said = [text.get_text() for text in filmstrip(walk, titles=["a walk"]).texts]
    assert "a walk" in said
    assert "0.00 s" in said
    assert "1 m" in said or "50 cm" in said


def test_axes_given_are_the_axes_returned(walk: Clip) -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert filmstrip(walk, ax=ax, poses=3) is ax
    assert len(ax.collections) == 3


def test_clips_are_stacked_as_rows(walk: Clip, tiny: Clip) -> None:
    one, two = filmstrip(walk), filmstrip([walk, tiny], titles=["walk", "arm"])
    assert two.get_ylim()[0] < one.get_ylim()[0] < 0
    assert {"walk", "arm"} <= {text.get_text() for text in two.texts}


def test_a_straight_walk_stands_where_it_stood_and_a_stroke_side_by_side(walk: Clip, stroke: Clip) -> None:
    row = lay_out(walk, "walk", None, trails=True)
    assert row.connected
    assert np.all(row.shifts == 0)
    assert len(row.trails) == 2
    assert any(trail.contact.any() for trail in row.trails)
    pen = lay_out(stroke, "pen", 4, trails=True)
    assert not pen.connected
    assert len(pen.frames) == 4
    assert np.all(np.diff(pen.stand[:, 0]) >= 0.1)


@pytest.mark.parametrize("name", ["stroke", "tiny"])
def test_bodies_without_roles_or_with_one_joint_are_drawn_too(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    save_filmstrip(request.getfixturevalue(name), tmp_path / "x.png")
    assert (tmp_path / "x.png").stat().st_size > 2000


def test_a_single_frame_is_one_pose(walk: Clip) -> None:
    assert len(filmstrip(walk[10:11]).collections) == 1


def test_without_matplotlib_the_error_holds_the_line_to_type(walk: Clip, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'motionloom\[plot\]'"):
        filmstrip(walk)


def test_left_limbs_are_left_and_right_limbs_right(walk: Clip) -> None:
    shape = body(walk)
    names = walk.skeleton.names
    for part in shape.parts:
        joints = [names[i] for i in part.points if i < len(names)]
        if part.tone in ("left", "right"):
            assert all(part.tone in name.lower() for name in joints), joints
    assert {part.tone for part in shape.parts} >= {"left", "right", "middle"}


def test_the_heel_lies_on_the_ground_while_the_foot_stands(walk: Clip) -> None:
    shape = body(walk)
    points = body_points(walk, shape)
    for foot in shape.feet:
        heel = foot.points[0]
        standing = walk.label(f"contact:{foot.side}_heel") & walk.label(f"contact:{foot.side}_toe")
        assert heel >= len(walk.skeleton)
        assert np.abs(points[standing, heel, 1]).max() < 0.06


def test_travel_runs_to_the_right_of_the_picture(walk: Clip) -> None:
    seen = View(best_yaw(walk, 1.0)).project(walk.root)
    assert seen[-1, 0] - seen[0, 0] > 0.8 * np.linalg.norm(walk.root[-1] - walk.root[0])
    assert seen[-1, 2] > seen[0, 2]  # and a little towards the viewer


def test_the_projection_keeps_lengths_and_handedness() -> None:
    view = View(0.7, 0.3)
    axes = view.project(np.eye(3))
    assert np.allclose(axes @ axes.T, np.eye(3))
    assert np.isclose(np.linalg.det(axes), 1.0)
    assert axes[1, 1] > 0.9  # up is up


def test_the_outline_of_discs_is_the_hull_of_their_borders(rng: np.random.Generator) -> None:
    from scipy.spatial import ConvexHull

    centres, radii = rng.uniform(-1, 1, (20, 4, 2)), rng.uniform(0.1, 0.6, (20, 4))
    found = outlines(centres, radii)
    for discs, sizes, outline in zip(centres, radii, found, strict=True):
        rings = (discs[:, None] + sizes[:, None, None] * DIRECTIONS).reshape(-1, 2)
        assert ConvexHull(outline).volume == pytest.approx(ConvexHull(rings).volume, rel=0.01)  # its area


def test_a_limb_is_as_thick_as_its_balls() -> None:
    outline = outlines(np.array([[0.0, 0], [2.0, 0]]), np.array([0.5, 0.25]))
    assert np.isclose(outline[:, 1].max(), 0.5, atol=0.01)
    assert np.isclose(outline[:, 0].max(), 2.25, atol=0.01)
    assert np.isclose(outline[:, 0].min(), -0.5, atol=0.01)


def test_equally_long_clips_show_the_same_times_in_columns(walk: Clip) -> None:
    rows = lay_out_aligned([walk, walk[:90]], ["before", "after"], 5, trails=True, progress=silent())
    whole, part = (row.frames / row.clip.fps for row in rows)
    assert part.tolist() == whole[whole < 1.5].tolist()
    assert rows[0].box[0] == rows[1].box[0]
    assert np.allclose(rows[0].stand[: len(part), 0], rows[1].stand[:, 0])
    times = [text.get_text() for text in filmstrip([walk, walk], poses=4).texts if text.get_text().endswith(" s")]
    assert times[:4] == times[4:]


def test_a_part_of_a_clip_keeps_its_clock(walk: Clip) -> None:
    texts = {text.get_text() for text in filmstrip(walk[60:120], start=1.0, poses=3).texts}
    assert {"1.00 s", "1.98 s"} <= texts


def test_streamers_are_the_paths_of_chosen_joints(walk: Clip) -> None:
    plain, streamed = filmstrip(walk, trails=False), filmstrip(walk, trails=False, streamers=["left_hand"])
    added = streamed.lines[len(plain.lines) - len(streamed.lines) :]
    row = lay_out(walk, "walk")
    hand = row.view.project(row.points[:, walk.skeleton.joint("left_hand")])[:, :2]
    path = next(line for line in streamed.lines if len(line.get_xdata()) == len(walk))
    assert len(added) == 1
    assert np.allclose(np.diff(path.get_xydata(), axis=0), np.diff(hand, axis=0))
    with pytest.raises(UnknownJoint, match="left_hand"):
        filmstrip(walk, streamers=["left_hnd"])


def test_poses_are_spread_from_the_first_frame_to_the_last() -> None:
    assert even_frames(10, 4).tolist() == [0, 3, 6, 9]
    assert even_frames(2, 9).tolist() == [0, 1]


def test_poses_at_the_turning_points_are_preferred() -> None:
    t = np.arange(101) / 100
    points = np.zeros((101, 2, 3))
    points[:, 1, 0] = np.sin(2 * np.pi * 2 * t)  # a hand swings twice: farthest out at 1/8, 3/8, 5/8 and 7/8
    found = characteristic_frames(points, 6)
    assert found[0] == 0
    assert found[-1] == 100
    assert np.abs(found[1:-1] - [12.5, 37.5, 62.5, 87.5]).max() < 3


def test_a_pen_beside_a_person_has_its_own_scale(walk: Clip, stroke: Clip) -> None:
    ax = filmstrip([walk, stroke], titles=["walk", "pen"])
    first, second = ax.child_axes
    assert first.get_xlim()[1] > 8 * second.get_xlim()[1]
    assert "10 cm" in {text.get_text() for text in second.texts}


def test_as_many_poses_are_drawn_as_were_asked_for() -> None:
    wheel = make("cartwheel")
    for count in (3, 5, 8, 12):
        assert len(lay_out(wheel, "wheel", count, trails=False).frames) == count


def test_stairs_are_told_side_by_side_with_prints_on_the_treads() -> None:
    row = lay_out(make("steps"), "steps", None, trails=True)
    assert not row.connected
    assert len(row.frames) >= 6
    trail = row.trails[0]
    stands = np.flatnonzero(trail.contact)
    assert _level(row, trail, int(stands[0])) == row.ground
    assert _level(row, trail, int(stands[-1])) == pytest.approx(5 * 0.17, abs=0.06)


def test_poses_do_not_fall_in_step_with_the_gait() -> None:
    t = np.arange(200)
    points = np.zeros((200, 2, 3))
    points[:, 1, 0] = np.sin(2 * np.pi * t / 20)  # even steps of 40 frames are always in the same phase
    found = vary_poses(points, np.arange(0, 200, 40), t.astype(float))
    assert np.ptp(points[found, 1, 0]) > 1.0
    assert np.abs(found - np.arange(0, 200, 40)).max() <= 0.24 * 50
