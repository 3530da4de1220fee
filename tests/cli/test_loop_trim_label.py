"""`loop`, `trim`, `label`, and clips in place or with a root bone, on the command line."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.blend.splice.timing import leg_period
from motionloom.core import Clip, replace, with_labels
from motionloom.io import load, save
from motionloom.kinematics.capture.tpose import starts_with_tpose
from motionloom.kinematics.feet.contacts import contacts, runs
from motionloom.kinematics.fk import fk
from motionloom.kinematics.loop import seam
from motionloom.kinematics.root_bone import with_root_bone
from motionloom.kinematics.travel import travel
from motionloom.kinematics.trim import trim_contacts
from motionloom.recipes import again
from motionloom.samples import make


@pytest.fixture(scope="module")
def walks(tmp_path_factory):
    path = tmp_path_factory.mktemp("walks")
    for seed in (1, 2):
        save(make("walk", seed=seed, seconds=3.5), path / f"walk_{seed}.bvh")
    return path


def test_a_loop_closes_and_goes_on(run, walks, tmp_path):
    done = run("loop", walks / "walk_1.bvh", "-o", tmp_path / "cycle.bvh", "--times", "3", "--json")
    (found,) = done.json
    cycles = load(tmp_path / "cycle.bvh")
    assert found["frames"] == len(cycles)
    period = (len(cycles) - 1) // 3
    assert seam(cycles, period, 2 * period) < 1e-3
    path = travel(cycles).place
    np.testing.assert_allclose(
        np.linalg.norm(path[period] - path[0]), np.linalg.norm(path[-1] - path[-1 - period]), atol=1e-3
    )
    again(tmp_path / "cycle.bvh", walks, tmp_path / "same.bvh")
    assert (tmp_path / "same.bvh").read_bytes() == (tmp_path / "cycle.bvh").read_bytes()


def test_a_loop_in_place_does_not_travel(run, walks, tmp_path):
    run("loop", walks / "walk_1.bvh", "-o", tmp_path / "cycle.bvh", "--in-place")
    cycle = load(tmp_path / "cycle.bvh")
    assert np.abs(travel(cycle).place).max() < 1e-4
    assert np.ptp(fk(cycle)[:, cycle.skeleton.joint("left_foot")], axis=0).max() > 0.2


@pytest.mark.parametrize("suffix", [".bvh", ".glb"])
def test_a_root_bone_carries_the_travel(run, walks, tmp_path, suffix):
    run("convert", walks / "walk_2.bvh", tmp_path / f"root{suffix}", "--root-bone")
    walk, back = load(walks / "walk_2.bvh"), load(tmp_path / f"root{suffix}")
    text = (tmp_path / f"root{suffix}").read_bytes()
    assert b"ROOT root" in text or b'"root"' in text
    joints = [back.skeleton.names.index(n) for n in walk.skeleton.names]
    np.testing.assert_allclose(fk(back)[:, joints], fk(walk), atol=1e-4)  # the body is where it was
    bone = with_root_bone(walk)
    assert bone.skeleton.names[0] == "root"
    np.testing.assert_allclose(bone.root[:, 1], 0)
    np.testing.assert_allclose(bone.root[:, [0, 2]], walk.root[:, [0, 2]])
    hips = fk(bone)[:, 1]
    np.testing.assert_allclose(hips, walk.root, atol=1e-9)


def test_in_place_and_root_bone_exclude_each_other(run, walks, tmp_path):
    done = run("convert", walks / "walk_1.bvh", tmp_path / "x.bvh", "--root-bone", "--in-place")
    assert done.code == 2
    assert "no travel to put on a bone" in done.err


def test_the_end_of_a_part_is_no_format(run, walks, tmp_path):
    done = run("trim", walks / "walk_1.bvh", "-o", tmp_path / "part.bvh", "--to", "3")
    assert done.code == 2
    assert "the end of the part is --end 3" in done.err
    done = run("clean", walks / "walk_1.bvh", "-o", tmp_path / "part.bvh", "--to", "bhv")
    assert done.code == 2
    assert "no format to write '.bhv'; there are .bvh" in done.err
    done = run("trim", walks / "walk_1.bvh", "-o", tmp_path / "part.bvh", "--end", "30")
    assert "expected a time in the clip, which lasts 3.5 s" in done.err
    assert not (tmp_path / "part.bvh").exists()


def test_a_loop_is_one_stride_unless_a_longer_one_is_wanted(run, walks, tmp_path):
    stride = leg_period(load(walks / "walk_1.bvh"))
    (cycle,) = run("loop", walks / "walk_1.bvh", "-o", tmp_path / "one.bvh", "--json").json
    assert cycle["frames"] / cycle["fps"] == pytest.approx(stride, rel=0.1)
    (strides,) = run("loop", walks / "walk_1.bvh", "-o", tmp_path / "more.bvh", "--longest", "10", "--json").json
    assert strides["frames"] > 1.8 * cycle["frames"]


def test_a_wide_seam_is_a_warning(run, mocap):
    assert "cm is visible" in run("loop", mocap / "cmu/127_06.bvh").out
    assert "visible" not in run("loop", mocap / "cmu/16_15.bvh").out


def test_a_dance_without_a_period_says_so(run, mocap):
    assert "no period found" in run("loop", mocap / "cmu/60_10.bvh").out


def test_trim_by_time(run, walks, tmp_path):
    run("trim", walks / "walk_1.bvh", "-o", tmp_path / "part.bvh", "--start", "0.5", "--end", "end-1")
    walk, part = load(walks / "walk_1.bvh"), load(tmp_path / "part.bvh")
    first = round(0.5 * walk.fps)
    np.testing.assert_allclose(part.root, walk.root[first : first + len(part)], atol=1e-5)
    assert abs(part.seconds - (walk.seconds - 1.5)) < 0.1
    np.testing.assert_array_equal(part.origin.main()[1][:2], [first, first + 1])  # frames count as in the source
    again = run("trim", tmp_path / "part.bvh", "-o", tmp_path / "begin.bvh", "--end", "2f")
    assert f"frames 0 to 1 of {len(part)}" in again.out  # of the file


def test_a_foot_that_stands_after_a_t_pose_does_not_touch_down():
    """Frame 0 of many captures is a T-pose: the foot that stands in frame 1 would begin half a stride."""
    walk = make("walk", seed=1, seconds=4)
    stride = trim_contacts(walk, "left_heel", strides=1)
    standing = walk[int(stride.origin.main()[1][0]) + 5 :]  # the left heel is down
    pose = np.zeros_like(standing.rotations[:1])
    pose[..., 0] = 1.0
    root, rotations = standing.root[[0]], np.concatenate([pose, standing.rotations])
    posed = Clip(standing.skeleton, np.concatenate([root, standing.root]), rotations, standing.fps)
    assert starts_with_tpose(posed)
    assert len(trim_contacts(posed, "left_heel", strides=1)) == len(trim_contacts(standing, "left_heel", strides=1))


def test_a_foot_touches_down_with_its_heel_or_its_toe(walks):
    """Runners land on either: with the heel alone, a step on the toe is missed and two strides are taken for one."""
    walk = load(walks / "walk_1.bvh")
    heel, toe = (contacts(walk)[f"contact:left_{name}"] for name in ("heel", "toe"))
    (first, _), (second, end), *_ = [run for run in runs(heel) if run[0] > 0]
    on_toe = heel.copy()
    on_toe[second:end] = False
    labelled = with_labels(walk, {"contact:left_heel": on_toe, "contact:left_toe": toe})
    assert len(trim_contacts(labelled, "left", strides=1)) < 1.2 * (second - first)
    assert len(trim_contacts(labelled, "left_heel", strides=1)) > 1.8 * (second - first)


def test_every_stride_of_a_long_walk_becomes_a_take(run, tmp_path):
    save(make("walk", seed=3, seconds=6), tmp_path / "long.bvh")
    run("trim", tmp_path / "long.bvh", "-o", tmp_path / "takes", "--contacts", "left", "--each")
    whole = trim_contacts(load(tmp_path / "long.bvh"), "left")
    takes = [load(path) for path in sorted((tmp_path / "takes").glob("*.bvh"))]
    assert [take.name for take in takes[:2]] == ["long_00.bvh", "long_01.bvh"]
    np.testing.assert_allclose(np.concatenate([take.root for take in takes]), whole.root, atol=1e-5)
    again(tmp_path / "takes/long_01.bvh", tmp_path, tmp_path / "same.bvh")
    assert (tmp_path / "same.bvh").read_bytes() == (tmp_path / "takes/long_01.bvh").read_bytes()
    done = run("trim", tmp_path / "long.bvh", "-o", tmp_path / "x", "--each")
    assert (done.code, "needs --contacts" in done.err) == (2, True)


def test_trim_by_contacts_keeps_whole_strides(run, walks, tmp_path):
    run("trim", walks, "-o", tmp_path / "out", "--contacts", "left_heel")
    for name in ("walk_1", "walk_2"):
        walk, part = load(walks / f"{name}.bvh"), load(tmp_path / "out" / f"{name}.bvh")
        touch = contacts(walk)["contact:left_heel"]
        first = int(part.origin.main()[1][0])
        stop = first + len(part)
        assert list(touch[[first - 1, first, stop - 1, stop]]) == [False, True, False, True]
    run("trim", walks / "walk_1.bvh", "-o", tmp_path / "one.bvh", "--contacts", "left_heel", "--strides", "1")
    walk, part = load(walks / "walk_1.bvh"), load(tmp_path / "one.bvh")
    touch = contacts(walk)["contact:left_heel"]
    first = int(part.origin.main()[1][0])
    inside = touch[first : first + len(part) + 1]
    assert np.diff(inside.astype(int)).tolist().count(1) == 1  # the next touch-down is the one that ends the stride
    done = run("trim", walks / "walk_1.bvh", "-o", tmp_path / "x.bvh", "--strides", "1")
    assert (done.code, "needs `contacts`" in done.err) == (1, True)
    done = run("trim", walks / "walk_1.bvh", "-o", tmp_path / "x.bvh", "--contacts", "left_front")
    assert done.code == 1
    assert "no foot part 'left_front'; this body has left, left_heel" in done.err


def test_labels_are_set_removed_and_listed(run, tmp_path):
    for seed in (1, 2):
        save(make("walk", seed=seed, seconds=2)[:60], tmp_path / f"walk_{seed}.npz")
    before = (tmp_path / "walk_1.npz").read_bytes()
    run("label", "add", f"{tmp_path}/walk_*.npz", "stroll")
    run("label", "add", tmp_path / "walk_1.npz", "turn", "--start", "0.5", "--end", "1")
    clip = load(tmp_path / "walk_1.npz")
    assert clip.label("stroll").all()
    assert load(tmp_path / "walk_2.npz").label("stroll").all()
    on = np.flatnonzero(clip.label("turn"))
    assert (on[0], on[-1] + 1) == (round(0.5 * clip.fps), round(clip.fps))
    assert (tmp_path / "walk_1.npz").read_bytes() == before  # only the labels file was written
    listed = run("label", "list", tmp_path / "walk_1.npz", "--json").json
    assert listed[0]["labels"]["turn"] == [[0.5, 1.0]]
    run("label", "remove", tmp_path / "walk_1.npz", "stroll", "--start", "1")
    clip = load(tmp_path / "walk_1.npz")
    assert clip.label("stroll")[: round(clip.fps)].all()
    assert not clip.label("stroll")[round(clip.fps) :].any()
    assert "turn 0.50-1.00 s" in run("label", "list", tmp_path / "walk_1.npz").out
    done = run("label", "add", "walk")
    assert done.code == 2
    assert "give clips and then a label" in done.err


def test_a_label_covers_a_clip_that_is_read_at_another_frame_rate(run, tmp_path):
    save(make("walk", seed=1, seconds=2.0, fps=60), tmp_path / "walk.bvh")
    run("label", "add", tmp_path / "walk.bvh", "walk", "--source-fps", "30")
    assert load(tmp_path / "walk.bvh", fps=30).label("walk").all()  # 4 s at 30 fps


def test_a_part_may_begin_from_or_at_a_start_in_every_command(run, walks, tmp_path):
    for option in ("--from", "--start"):
        run("trim", walks / "walk_1.bvh", "-o", tmp_path / "part.bvh", option, "1", "--force")
        assert len(load(tmp_path / "part.bvh")) == len(load(walks / "walk_1.bvh")[60:])
        run("view", walks / "walk_1.bvh", "-o", tmp_path / "part.svg", option, "1")
        assert "1.00 s" in (tmp_path / "part.svg").read_text()


def test_a_clip_without_its_last_label_can_still_be_read(run, tmp_path):
    walk = tmp_path / "walk.bvh"
    save(replace(make("walk", seconds=2), label_names=(), labels=None), walk)
    assert "none of these clips has the label 'sneak'" in run("label", "remove", walk, "sneak").err
    assert not (tmp_path / "walk.labels.csv").exists()  # it never had this label
    run("label", "add", walk, "sneak")
    assert "no labels" in run("label", "remove", walk, "sneak").out
    assert load(walk).label_names == ()
