"""USD out and in: what it states, what comes back, and what other programs write."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionloom.core import Clip, FormatError, MissingExtra, Skeleton, replace
from motionloom.io import load, save
from motionloom.kinematics import fk
from motionloom.rotation import angle_between
from motionloom.samples import make

pxr: Any = pytest.importorskip("pxr", reason="needs the extra usd")
from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt  # noqa: E402


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make("walk", seconds=1, fps=30)


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd"])
@pytest.mark.parametrize(("unit", "up"), [(None, None), ("cm", "z")])
def test_a_clip_comes_back_as_it_was(walk, tmp_path, suffix, unit, up):
    path = tmp_path / f"walk{suffix}"
    save(walk, path, unit=unit, up=up)
    again = load(path)
    assert np.abs(fk(again) - fk(walk)).max() < 1e-6
    assert angle_between(again.rotations, walk.rotations).max() < 1e-5
    assert again.fps == walk.fps
    assert again.skeleton.names == walk.skeleton.names
    assert again.skeleton.roles == walk.skeleton.roles
    assert len(again.skeleton.ends) == len(walk.skeleton.ends)


def test_a_dog_and_its_tail_come_back(tmp_path):
    dog = make("dog_walk", seconds=1, fps=30)
    save(dog, tmp_path / "dog.usdc")
    assert np.abs(fk(load(tmp_path / "dog.usdc")) - fk(dog)).max() < 1e-6


def test_joints_that_slide_come_back(walk, tmp_path):
    slides = np.zeros((len(walk), len(walk.skeleton), 3))
    slides[:, 5, 1] = np.linspace(0, 0.1, len(walk))
    sliding = replace(walk, slides=slides)
    save(sliding, tmp_path / "s.usdc")
    again = load(tmp_path / "s.usdc")
    assert again.slides is not None
    assert np.abs(fk(again) - fk(sliding)).max() < 1e-6
    assert load(tmp_path / "s.usdc", drop_slides=True).slides is None


def test_the_file_states_unit_axis_rate_rest_and_bind(walk, tmp_path):
    save(walk, tmp_path / "w.usda", unit="cm", up="z")
    stage = Usd.Stage.Open(str(tmp_path / "w.usda"))
    assert UsdGeom.GetStageMetersPerUnit(stage) == pytest.approx(0.01)
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    assert (stage.GetTimeCodesPerSecond(), stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (30, 0, 29)
    skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath("/Body/Skeleton"))
    bind = np.array(skeleton.GetBindTransformsAttr().Get())
    foot, head = walk.skeleton.joint("left_foot"), walk.skeleton.joint("head")
    assert bind[head, 3, 2] - bind[foot, 3, 2] > 120  # cm: it stands
    assert len(skeleton.GetRestTransformsAttr().Get()) == len(walk.skeleton)
    motion = UsdSkel.Animation(stage.GetPrimAtPath("/Body/Skeleton/Motion"))
    assert np.allclose(np.array(motion.GetScalesAttr().Get()), 1)


def test_usd_itself_puts_the_joints_where_we_have_them(walk, tmp_path):
    save(walk, tmp_path / "w.usdc")
    stage = Usd.Stage.Open(str(tmp_path / "w.usdc"))
    cache = UsdSkel.Cache()
    root = UsdSkel.Root(stage.GetDefaultPrim())
    cache.Populate(root, Usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath("/Body/Skeleton")))
    for frame in (0, 7, 29):
        placed = np.array(query.ComputeJointSkelTransforms(frame, False))[:, 3, :3]
        assert np.abs(placed - fk(walk)[frame]).max() < 1e-5


def test_names_that_usd_does_not_allow_are_kept(tmp_path):
    body = Skeleton(
        ("Hips 1", "é:Spine", "Spine.001"), np.array([-1, 0, 0]), np.array([[0, 0, 0], [0, 1.0, 0], [1.0, 0, 0]])
    )
    turns = np.tile([1.0, 0, 0, 0], (2, 3, 1))
    save(Clip(body, np.zeros((2, 3)), turns, 24.0), tmp_path / "n.usda")
    assert load(tmp_path / "n.usda").skeleton.names == body.names


def foreign(path: Path, *, samples: list[float], scale: float = 1.0) -> None:
    """A file as another program may write it: centimetres, an armature joint, bones along x with turned rests."""
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    UsdGeom.SetStageUpAxis(stage, "Y")
    stage.SetTimeCodesPerSecond(24)
    stage.SetFramesPerSecond(24)
    root = UsdSkel.Root.Define(stage, "/World")
    root.AddScaleOp().Set(Gf.Vec3f(scale))
    skeleton = UsdSkel.Skeleton.Define(stage, "/World/Rig")
    joints = ["root", "root/hips", "root/hips/spine", "root/hips/spine/head"]
    skeleton.CreateJointsAttr(joints)
    turn = Gf.Matrix4d().SetRotate(Gf.Rotation(Gf.Vec3d(0, 0, 1), 90))  # x to y
    up = Gf.Matrix4d().SetTranslate(Gf.Vec3d(50, 0, 0))
    hips = turn * Gf.Matrix4d().SetTranslate(Gf.Vec3d(0, 100, 0))
    skeleton.CreateRestTransformsAttr([Gf.Matrix4d(1), hips, up, up])
    skeleton.CreateBindTransformsAttr([Gf.Matrix4d(1), hips, up * hips, up * up * hips])
    motion = UsdSkel.Animation.Define(stage, "/World/Move")
    motion.CreateJointsAttr(["root/hips"])
    motion.CreateScalesAttr([Gf.Vec3h(1)])
    for t in samples:
        motion.CreateTranslationsAttr().Set([Gf.Vec3f(0, 100, 10 * t)], t)
        motion.CreateRotationsAttr().Set(Vt.QuatfArray([Gf.Quatf(0.5**0.5, 0, 0, 0.5**0.5)]), t)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([motion.GetPath()])
    stage.Save()


def test_a_foreign_file_is_read_at_its_size_and_with_its_rest_pose(tmp_path):
    foreign(tmp_path / "f.usda", samples=[0, 1, 2, 3], scale=2.0)
    clip = load(tmp_path / "f.usda")
    assert clip.skeleton.names == ("hips", "spine", "head")
    assert clip.fps == 24
    assert fk(clip)[2] == pytest.approx(np.array([[0, 2, 0.4], [0, 3, 0.4], [0, 4, 0.4]]), abs=1e-6)
    assert clip.skeleton.offsets[1] == pytest.approx([0, 1, 0])  # the rest pose stands, axes along the world's
    assert "root" in "\n".join(map(str, clip.origin.notes))


def test_uneven_time_samples_are_put_on_even_frames(tmp_path):
    foreign(tmp_path / "f.usda", samples=[0, 1, 4])
    clip = load(tmp_path / "f.usda")
    assert len(clip) == 5
    assert clip.root[:, 2] == pytest.approx([0, 0.1, 0.2, 0.3, 0.4], abs=1e-6)
    assert "uneven" in "\n".join(map(str, clip.origin.notes))


def test_what_is_no_usd_or_has_no_skeleton_says_so(tmp_path):
    (tmp_path / "x.usda").write_text("HIERARCHY")
    with pytest.raises(FormatError, match="not a USD file"):
        load(tmp_path / "x.usda")
    Usd.Stage.CreateNew(str(tmp_path / "y.usda")).Save()
    with pytest.raises(FormatError, match="no skeleton"):
        load(tmp_path / "y.usda")
    with pytest.raises(FormatError, match="No such file"):
        load(tmp_path / "z.usdc")


def test_without_the_extra_the_line_to_type_is_said(walk, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(MissingExtra, match=r"pip install 'motionloom\[usd\]'"):
        save(walk, tmp_path / "w.usdc")


def test_the_licence_travels_with_the_file(walk, tmp_path):
    save(replace(walk, origin=walk.origin.__class__(licence="CC BY 4.0")), tmp_path / "w.usdc")
    assert load(tmp_path / "w.usdc").origin.licence == "CC BY 4.0"


def test_real_bodies_come_back_to_a_hundredth_of_a_millimetre(mocap, tmp_path):
    for name in ("cmu/16_35.bvh", "bandai/dataset-2_walk-turn-left_normal_001.bvh", "dog/D1_007_KAN01_001.bvh"):
        clip = load(mocap / name)[:60]
        save(clip, tmp_path / "t.usdc", unit="m", up="y")
        assert np.abs(fk(load(tmp_path / "t.usdc")) - fk(clip)).max() < 1e-5
