"""ASF/AMC: an arm worked out by hand, odd files, and CMU's own takes against their BVH versions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motionloom.core import FormatError
from motionloom.io import load
from motionloom.kinematics import fk, positions

ASF = """# two bones, one above the other
:version 1.10
:name ARM
:units
  mass 1.0
  length 1.0
  angle deg
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name upper
     direction 0 1 0
     length 2
     axis 0 0 90 XYZ
     dof rx
     limits (-10 10)
  end
  begin
     id 2
     name lower
     direction 0 1 0
     length 1
     axis 0 0 0 XYZ
     dof rx rz
  end
:hierarchy
  begin
    root upper
    upper lower
  end
"""
AMC = """#!OML:ASF arm.asf
:FULLY-SPECIFIED
:DEGREES
1
root 0 0 0 0 0 0
upper 0
lower 0 0
2
root 1 2 3 0 90 0
upper 90
lower 0 90
"""


@pytest.fixture
def arm_file(tmp_path: Path):
    """Writes the two files and returns the AMC's path."""

    def write(amc: str = AMC, asf: str = ASF) -> Path:
        (tmp_path / "arm.asf").write_text(asf)
        path = tmp_path / "arm_01.amc"
        path.write_text(amc)
        return path

    return write


def read(path: Path, **options):
    return load(path, **({"unit": "m", "up": "y"} | options))


def test_a_bone_starts_at_the_tip_of_its_parent(arm_file):
    clip = read(arm_file())
    assert clip.skeleton.names == ("root", "upper", "lower")
    assert fk(clip)[0].tolist() == [[0, 0, 0], [0, 0, 0], [0, 2, 0]]
    assert clip.skeleton.ends == ((2, (0.0, 1.0, 0.0), ""),)


def test_a_bone_turns_about_its_own_axis(arm_file):
    # the axis of `upper` is turned by 90 degrees about z, so its rx turns about y: the bone along y stays
    clip = read(arm_file())
    places = fk(clip)[1]
    assert np.allclose(places[1], [1, 2, 3])
    assert np.allclose(places[2], [1, 4, 3])


def test_a_degree_of_freedom_subset_fills_only_its_own_axes(arm_file):
    clip = read(arm_file())
    tip = clip.skeleton.ends[0].offset
    turned = np.abs(clip.rotations[1, 2])
    assert np.allclose(turned, [0.5**0.5, 0, 0, 0.5**0.5])
    assert tip == (0.0, 1.0, 0.0)


def test_radians_are_read(arm_file):
    degrees = read(arm_file())
    radians = AMC.replace(":DEGREES", ":RADIANS").replace("90", "1.5707963267948966")
    assert np.allclose(read(arm_file(radians)).rotations, degrees.rotations)


def test_angles_of_the_skeleton_may_be_radians_too(arm_file):
    asf = ASF.replace("angle deg", "angle rad").replace("axis 0 0 90", "axis 0 0 1.5707963267948966")
    assert np.allclose(read(arm_file(asf=asf)).rotations, read(arm_file()).rotations)


def test_the_first_degree_of_freedom_is_applied_first(arm_file):
    clip = read(arm_file(AMC.replace("lower 0 90", "lower 90 90")))
    # x first: y goes to z; then z: z stays
    from motionloom.rotation import rotate

    assert np.allclose(rotate(clip.rotations[1, 2], [0, 1, 0]), [0, 0, 1])


def test_a_joint_missing_in_a_frame_is_held_and_said(arm_file):
    clip = read(arm_file(AMC + "3\nroot 1 2 3 0 90 0\nlower 0 45\n"))
    assert np.array_equal(clip.rotations[2, 1], clip.rotations[1, 1])
    assert "upper is missing in 1 of 3 frames (first: 2): held" in [note.text for note in clip.origin.notes]
    with pytest.raises(FormatError, match="upper is missing"):
        read(arm_file(AMC + "3\nroot 1 2 3 0 90 0\nlower 0 45\n"), strict=True)


def test_a_joint_missing_at_the_start_takes_its_first_value(arm_file):
    clip = read(arm_file(AMC.replace("upper 0\n", "", 1)))
    assert np.array_equal(clip.rotations[0, 1], clip.rotations[1, 1])


def test_length_scales_say_the_unit(arm_file):
    asf = ASF.replace("length 1.0", "length 0.45", 1)
    clip = load(arm_file(asf=asf), up="y")
    assert clip.origin.unit in (1.0, 0.0254 / 0.45)  # stated, unless it would make a body of impossible size
    assert any("unit" in str(note) for note in clip.origin.notes)


def test_stretching_bones_become_slides(arm_file):
    asf = ASF.replace("dof rx\n", "dof rx l\n")
    clip = read(arm_file(AMC.replace("upper 0\n", "upper 0 0\n").replace("upper 90\n", "upper 90 0.5\n"), asf))
    assert np.allclose(fk(clip)[1, 2] - fk(clip)[1, 1], [0, 2.5, 0])
    held = read(
        arm_file(AMC.replace("upper 0\n", "upper 0 0\n").replace("upper 90\n", "upper 90 0.5\n"), asf), drop_slides=True
    )
    assert held.slides is None


def test_a_frame_rate_is_assumed_and_said(arm_file):
    clip = read(arm_file())
    assert clip.fps == 120
    assert any("no frame rate" in str(note) for note in clip.origin.notes)
    assert read(arm_file(), fps=60).fps == 60


@pytest.mark.parametrize(
    ("amc", "message"),
    [
        (AMC.replace("lower 0 90", "lower 0"), r"arm_01.amc:11: lower: expected 2 values \(dof rx rz\), found 1"),
        (AMC.replace("lower 0 90", "elbow 0"), "arm_01.amc:11: no bone 'elbow' in the skeleton"),
        (AMC.replace("lower 0 90", "upper 0"), "arm_01.amc:11: upper occurs twice in frame 2"),
        (AMC.replace("lower 0 90", "lower 0 9,5"), "arm_01.amc:11: '9,5' has a decimal comma"),
        (AMC.replace("lower 0 90", "lower 0 1e300"), "beyond any place"),
        ("upper 0\n", "arm_01.amc:1: expected a frame number, found 'upper'"),
        (":DEGREES\n", "no frames"),
        ("<html><body>404", "HTML page"),
    ],
)
def test_errors_say_where_and_what(arm_file, amc, message):
    with pytest.raises(FormatError, match=message):
        read(arm_file(amc))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("upper lower", "upper upper", "arm.asf:34: bone 'upper' hangs on two others, or on itself"),
        ("upper lower", "upper elbow", "arm.asf:34: no bone 'elbow'"),
        ("direction 0 1 0", "direction 0 1", "arm.asf:17: expected 3 numbers, found 2"),
        ("axis 0 0 90 XYZ", "axis 0 0 90 XXZ", "arm.asf:19: 'xxz' is not an order of axes"),
        ("dof rx rz", "dof rx rw", "'rw' is not a degree of freedom"),
        (":hierarchy", ":other", "no section ':hierarchy'"),
    ],
)
def test_errors_of_the_skeleton_name_its_file(arm_file, old, new, message):
    with pytest.raises(FormatError, match=message):
        read(arm_file(asf=ASF.replace(old, new, 1)))


def test_without_a_skeleton_the_message_says_which_file_is_needed(arm_file):
    path = arm_file()
    (path.parent / "arm.asf").unlink()
    with pytest.raises(FormatError, match=r"needs its skeleton, arm_01.asf: there is no ASF file beside it"):
        read(path)


@pytest.mark.parametrize("take", ["16_15", "16_29"])
def test_the_same_take_has_the_same_joint_positions_as_its_bvh(mocap, take):
    """CMU's BVH files came from these files, with one loss: the conversion left out bones with several children (thorax
    and wrists), so neck and shoulders sit 12 cm lower there. Up to those bones all joints agree; with the BVH's own
    offsets, all of them do.
    """
    ours = load(mocap / "asfamc" / f"{take}.amc")
    bvh = load(mocap / "cmu" / f"{take}.bvh")[1:]  # its frame 0 is an added T-pose
    assert len(ours) == len(bvh)
    assert ours.origin.unit == pytest.approx(bvh.origin.unit)
    assert ours.skeleton.roles == bvh.skeleton.roles
    same = np.linalg.norm(fk(ours) - fk(bvh), axis=-1).max(0) < 1e-3
    assert {n for n, s in zip(ours.skeleton.names, same, strict=True) if s} >= {
        *("root", "lowerback", "upperback", "thorax"),
        *(side + bone for side in "lr" for bone in ("hipjoint", "femur", "tibia", "foot", "toes")),
    }
    apart = np.linalg.norm(positions(bvh.skeleton, ours.root, ours.rotations) - fk(bvh), axis=-1)
    assert apart.max() < 1e-3
    shorter = {
        n
        for n, d in zip(ours.skeleton.names, ours.skeleton.offsets - bvh.skeleton.offsets, strict=True)
        if np.abs(d).max() > 1e-5
    }
    assert shorter == {"lowerneck", "lclavicle", "rclavicle", "lhand", "lthumb", "rhand", "rthumb"}
