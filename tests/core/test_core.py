"""Skeleton, Clip, Markers: valid when they exist, read-only, sliced, joined, and with their provenance."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from motionloom.core import (
    Clip,
    InvalidClip,
    Markers,
    Note,
    Skeleton,
    SkeletonMismatch,
    UnknownJoint,
    concatenate,
    replace,
    require_same_hierarchy,
    with_labels,
)
from motionloom.core.origin import from_file
from motionloom.core.testing import assert_same_motion
from motionloom.kinematics.fk import fk


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("left_elbow", "left_forearm"),
        ("left_wrist", "left_hand"),
        ("right_knee", "right_shin"),
        ("right_ankle", "right_foot"),
        ("left_hip", "left_thigh"),
        ("right_collar", "right_shoulder"),
    ],
)
def test_the_other_word_for_a_joint_is_understood_in_the_hint(said, meant):
    known = [f"{s}_{p}" for s in ("left", "right") for p in ("shoulder", "forearm", "hand", "thigh", "shin", "foot")]
    assert str(UnknownJoint(said, known)) == f"no joint {said!r} in this skeleton; did you mean {meant!r}?"


def test_arrays_are_read_only_and_do_not_follow_the_caller(arm):
    root = np.zeros((4, 3))
    rotations = np.tile([1.0, 0, 0, 0], (4, 3, 1))
    clip = Clip(arm, root, rotations, 30)
    root[:] = 9
    assert clip.root.max() == 0
    with pytest.raises(ValueError, match="read-only"):
        clip.rotations[0] = 0


def test_a_read_only_view_of_a_writable_array_is_copied(arm):
    base = np.zeros((4, 3))
    view = base[:]
    view.flags.writeable = False
    clip = Clip(arm, view, np.tile([1.0, 0, 0, 0], (4, 3, 1)), 30)
    base[:] = 5
    assert clip.root.max() == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"root": np.zeros((3, 3))}, r"root: expected shape \(10, 3\), found \(3, 3\)"),
        ({"fps": 0}, "fps must be positive"),
        ({"rotations": np.ones((10, 3, 4))}, "frame 0, joint 'Hips': length 2.0"),
        ({"root": np.full((10, 3), np.nan)}, r"root: nan at index \(0, 0\)"),
        ({"label_names": ("a", "a"), "labels": np.zeros((10, 2), bool)}, "label names repeat"),
        ({"slides": np.zeros((10, 2, 3))}, "slides: expected shape"),
    ],
)
def test_construction_validates_once(tiny, change, message):
    with pytest.raises(InvalidClip, match=message):
        replace(tiny, **change)


@pytest.mark.parametrize(
    ("names", "parents", "message"),
    [
        (("a", "a"), [-1, 0], "'a' occurs twice"),
        (("a", "b"), [-1, 1], "its parent must come before it"),
        (("a", "b"), [0, 0], "joint 0 must be the root"),
        ((), [], "at least one joint"),
    ],
)
def test_a_skeleton_that_is_none_is_refused(names, parents, message):
    with pytest.raises(InvalidClip, match=message):
        Skeleton(names, parents, np.zeros((len(names), 3)))


def test_slices_are_clips_and_edits_are_new_clips(tiny):
    part = tiny[2:8:2]
    assert len(part) == 3
    assert_array_equal(part.root, tiny.root[2:8:2])
    assert replace(tiny, fps=20).seconds == 0.5
    assert tiny.seconds == 1.0
    assert_array_equal(tiny[[3, 1]].root, tiny.root[[3, 1]])
    with pytest.raises(TypeError, match="sliced, not indexed"):
        tiny[3]
    with pytest.raises(InvalidClip, match="no frames"):
        tiny[10:]


def test_a_mask_keeps_the_frames_where_it_is_on(tiny):
    clip = replace(tiny, origin=from_file("a.bvh", 10))
    odd = np.arange(10) % 2 == 1
    assert_array_equal(clip[odd].root, clip.root[odd])
    assert clip[odd].origin.main()[1].tolist() == [1, 3, 5, 7, 9]
    with pytest.raises(InvalidClip, match="no frames"):
        clip[np.zeros(10, bool)]
    with pytest.raises(InvalidClip, match=r"a mask of frames: expected shape \(10,\), found \(4,\)"):
        clip[np.ones(4, bool)]


def test_pickling_keeps_clips_valid_and_read_only(tiny):
    again = pickle.loads(pickle.dumps(tiny))
    assert_same_motion(again, tiny)
    assert not again.root.flags.writeable
    assert not again.skeleton.offsets.flags.writeable


def test_a_joint_is_found_by_role_or_name(arm):
    assert arm.joint("head") == arm.joint("Top") == 2
    assert arm.find("tail", "spine") == 1
    with pytest.raises(UnknownJoint, match="no joint 'Topp' in this skeleton; did you mean 'Top'"):
        arm.joint("Topp")


def test_mismatched_skeletons_name_both_joints(arm):
    other = Skeleton(("Hips", "Chest", "Top"), arm.parents, arm.offsets)
    with pytest.raises(SkeletonMismatch, match="joint 1 is 'Mid' in one, 'Chest' in the other"):
        require_same_hierarchy(arm, other, names=("walk", "run"))


def test_concatenating_keeps_every_frame_and_its_provenance(tiny):
    a = replace(tiny, origin=from_file("a.bvh", 10))
    b = replace(with_labels(tiny, {"jump": np.arange(10) > 5}), origin=from_file("b.bvh", 10))
    both = concatenate([a[5:], b[:3], a[:2]])
    assert len(both) == 10
    assert [(s.sources[0].name, *s.first, s.start, s.frames) for s in both.origin.spans()] == [
        ("a.bvh", 5, 0, 5),
        ("b.bvh", 0, 5, 3),
        ("a.bvh", 0, 8, 2),
    ]
    assert both.label_names == ("jump",)
    assert not both.label("jump").any()
    with pytest.raises(InvalidClip, match="resample one of them"):
        concatenate([a, replace(b, fps=12)])


def test_concatenating_bodies_of_other_size_leaves_every_joint_where_it_was(tiny, arm):
    tall = replace(tiny, skeleton=Skeleton(arm.names, arm.parents, arm.offsets * 1.2, arm.roles, arm.ends))
    both = concatenate([tiny, tall])
    assert_allclose(fk(both), np.concatenate([fk(tiny), fk(tall)]), atol=1e-12)
    same = replace(tiny, skeleton=Skeleton(arm.names, arm.parents, arm.offsets + 1e-6, arm.roles, arm.ends))
    assert concatenate([tiny, same]).slides is None


def test_labels_are_set_by_name_and_missing_ones_are_off(tiny):
    clip = with_labels(tiny, {"walk": np.arange(10) < 4})
    assert clip.label("walk").sum() == 4
    assert not clip.label("run").any()


def test_markers_have_gaps_that_are_nan():
    positions = np.zeros((5, 2, 3))
    positions[2, 1] = np.nan
    markers = Markers(("LASI", "RASI"), positions, 100)
    assert markers.gaps.sum() == 1
    assert_allclose(markers[1:3].marker("LASI"), 0)
    positions[3, 0, 1] = np.nan
    with pytest.raises(InvalidClip, match="'LASI', frame 3"):
        Markers(("LASI", "RASI"), positions, 100)
    with pytest.raises(UnknownJoint):
        markers.marker("RASY")


def test_a_note_is_written_with_its_level_and_detail():
    assert str(Note("the budget was spent", "warning")) == "warning: the budget was spent"
    assert str(Note("unit cm, estimated", detail="stature 1.69 m")) == "unit cm, estimated (stature 1.69 m)"
    found = Note("bent", "warning", frame=30, constraint="pose_at 1 s")
    assert Note(**found.as_dict()) == found
    with pytest.raises(ValueError, match="level: expected info or warning, found 'loud'"):
        Note("bent", "loud")
