"""Out and in again: the same motion, the same names, order, channels and conventions."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, End, FormatError, Skeleton, replace
from motionloom.io import load, save
from motionloom.io.units_and_axes import UPS
from motionloom.kinematics.fk import end_positions, fk
from motionloom.rotation import exp, to_euler_continuous


def stature(clip: Clip) -> float:
    return float(np.ptp(fk(clip)[..., 1], axis=1).max())


def assert_survives(clip: Clip, path) -> Clip:
    save(clip, path)
    back = load(path)
    assert back.skeleton.names == clip.skeleton.names
    assert back.fps == clip.fps
    assert np.abs(fk(back) - fk(clip)).max() <= 1e-4 * stature(clip)
    assert np.abs(end_positions(back) - end_positions(clip)).max(initial=0) <= 1e-4 * stature(clip)
    assert back.origin.header["bvh"]["names"] == clip.origin.header["bvh"]["names"]
    assert [e.name for e in back.skeleton.ends] == [e.name for e in clip.skeleton.ends]
    assert (back.origin.unit, back.origin.up) == (clip.origin.unit, clip.origin.up)
    return back


def test_load_save_load_keeps_joint_positions_on_a_third_of_the_real_clips(mocap, tmp_path):
    for path in sorted(mocap.rglob("*.bvh"))[::3]:
        assert_survives(load(path), tmp_path / path.name)


@pytest.mark.long
def test_load_save_load_keeps_joint_positions_on_all_real_clips(mocap, tmp_path):
    paths = sorted(mocap.rglob("*.bvh"))
    assert len(paths) == 156
    for path in paths:
        assert_survives(load(path), tmp_path / path.name)


def test_a_person_goes_out_and_in(bvh, person, tmp_path):
    clip = load(bvh(person))
    back = assert_survives(clip, tmp_path / "out.bvh")
    assert back.origin.header["bvh"]["channels"] == clip.origin.header["bvh"]["channels"]
    save(back, tmp_path / "twice.bvh")
    assert (tmp_path / "twice.bvh").read_bytes() == (tmp_path / "out.bvh").read_bytes()


def test_the_root_is_written_with_offset_zero_and_six_decimals(read, two, written):
    lines = written(read(two.replace("OFFSET 0 0 0", "OFFSET 7 8 9"))).decode().splitlines()
    assert lines[3].strip() == "OFFSET 0.000000 0.000000 0.000000"
    assert all(len(word.partition(".")[2]) >= 6 for word in lines[-1].split())


def test_a_root_without_position_channels_stays_at_its_offset(read, two, written, again):
    text = two.replace("OFFSET 0 0 0", "OFFSET 7 8 9").replace("6 Xposition Yposition Zposition", "3")
    clip = read(text.replace("0 1 0 0", "0").replace("0 1 1 0", "0"))
    assert clip.root.tolist() == [[7, 8, 9], [7, 8, 9]]
    assert again(clip).root.tolist() == [[7, 8, 9], [7, 8, 9]]


def test_angles_are_unwrapped(tmp_path, tiny):
    turns = tiny.rotations.copy()
    turns[:, 0] = exp(np.outer(np.arange(10) * 0.9, [0, 1, 0]))  # more than one whole turn
    clip = replace(tiny, rotations=turns)
    save(clip, tmp_path / "turn.bvh")
    rows = np.loadtxt((tmp_path / "turn.bvh").read_text().splitlines()[-10:])
    assert np.allclose(np.diff(rows[:, 5]), np.degrees(0.9), atol=1e-5)
    assert np.allclose(rows[:, 3:6], np.degrees(to_euler_continuous(turns[:, 0], "zxy")), atol=1e-6)


@pytest.mark.parametrize("up", UPS)
def test_any_up_axis_goes_out_and_is_recognised_again(mocap, tmp_path, up):
    for name in ("cmu/16_15", "cmu/126_11", "dog/D1_007_KAN01_001", "bandai/dataset-1_punch_normal_001"):
        clip = load(mocap / f"{name}.bvh")[:200]
        save(clip, tmp_path / "out.bvh", up=up, unit="m")
        back = load(tmp_path / "out.bvh")
        assert (back.origin.up, back.origin.unit) == (up, 1.0), name
        assert np.abs(fk(back) - fk(clip)).max() < 1e-5
        assert np.abs(back.skeleton.offsets - clip.skeleton.offsets).max() < 1e-5  # the rest pose is turned as well
        save(back, tmp_path / "again.bvh")
        assert load(tmp_path / "again.bvh").origin.up == up


@pytest.mark.parametrize("unit", ["m", "cm", "mm", "inch", "cmu"])
def test_any_unit_goes_out_and_is_recognised_again(mocap, tmp_path, unit):
    people = [*sorted((mocap / "cmu").glob("*.bvh"))[::12], *sorted((mocap / "bandai").glob("*.bvh"))[::6]]
    dogs = sorted((mocap / "dog").glob("*.bvh"))[::3] if unit in ("m", "cm", "mm") else []
    for path in people + dogs:
        clip = load(path)[:50]
        save(clip, tmp_path / "out.bvh", unit=unit)
        back = load(tmp_path / "out.bvh")
        assert np.abs(fk(back) - fk(clip)).max() < 1e-5, path.name


def test_a_clip_of_our_own_is_written_in_metres_with_y_up(tiny, tmp_path):
    save(tiny, tmp_path / "tiny.bvh")
    back = load(tmp_path / "tiny.bvh", unit="m")
    assert np.abs(fk(back) - fk(tiny)).max() < 1e-5
    assert back.fps == tiny.fps
    assert back.skeleton.ends == tiny.skeleton.ends


def test_an_edited_joint_gets_the_channels_it_needs(read, chain, again):
    hinge = chain("Hips|0 0 0|6 Xposition Yposition Zposition Zrotation Xrotation Yrotation", "Knee|0 1 0|1 Xrotation",
                  "Fixed|0 1 0|0", rows="0 0 0 0 0 0 30\n0 0 0 0 0 0 60")  # fmt: skip
    clip = read(hinge)
    assert again(clip).origin.header["bvh"]["channels"][1:] == [["Xrotation"], []]
    turns = clip.rotations.copy()
    turns[:, 1:] = exp([0.1, 0.2, 0.3])
    bent = replace(clip, rotations=turns)
    back = again(bent)
    assert [len(c) for c in back.origin.header["bvh"]["channels"]] == [6, 3, 3]
    assert np.allclose(fk(back), fk(bent), atol=1e-5)


def test_joints_in_any_order_are_written_depth_first(tmp_path):
    skeleton = Skeleton(
        ("a", "b", "c", "b2"), [-1, 0, 0, 1], [[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0]], (), (End(2, (0, 1, 0)),)
    )
    turns = np.tile(exp(np.arange(12).reshape(4, 3) / 10), (3, 1, 1))
    clip = Clip(skeleton, np.zeros((3, 3)), turns, 30)
    save(clip, tmp_path / "out.bvh")
    back = load(tmp_path / "out.bvh", unit="m", up="y")
    assert back.skeleton.names == ("a", "b", "b2", "c")
    assert np.allclose(fk(back)[:, [0, 1, 3, 2]], fk(clip), atol=1e-5)


def test_what_cannot_be_written_says_so(tiny, tmp_path):
    named = replace(tiny, skeleton=Skeleton(("a{b", "c", "d"), tiny.skeleton.parents, tiny.skeleton.offsets))
    with pytest.raises(FormatError, match=r"joint 'a\{b' cannot be written"):
        save(named, tmp_path / "out.bvh")
    with pytest.raises(FormatError, match="too large"):
        save(replace(tiny, root=tiny.root + 1e15), tmp_path / "out.bvh")
    assert list(tmp_path.iterdir()) == []  # nothing half-written is left behind


def test_missing_folders_are_made_and_a_file_in_the_way_is_said(tiny, tmp_path):
    save(tiny, tmp_path / "a" / "b" / "tiny.bvh")
    (tmp_path / "file").write_text("x")
    with pytest.raises(FormatError, match="cannot be written"):
        save(tiny, tmp_path / "file" / "tiny.bvh")
