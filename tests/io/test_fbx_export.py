"""FBX written by Blender; what needs no Blender is tested everywhere, the rest by `./run interop` too."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from rig_files import rig

from motionloom.core import BadRequest, FormatError, MissingExtra
from motionloom.io import check_target, load, save
from motionloom.io.fbx_export import PROGRAM, blender
from motionloom.kinematics.fk import fk
from motionloom.recipes import retarget
from motionloom.samples import make


@pytest.fixture
def none(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Blender anywhere."""
    monkeypatch.delenv(PROGRAM, raising=False)
    monkeypatch.setattr("motionloom.io.fbx_export.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "")


def test_without_blender_the_error_says_what_to_install_before_any_work(none, tmp_path):
    with pytest.raises(MissingExtra, match="pip install bpy"):
        check_target(tmp_path / "walk.fbx")


def test_a_blender_program_and_a_python_are_called_in_their_ways(none, monkeypatch):
    monkeypatch.setenv(PROGRAM, "/opt/blender/blender")
    assert blender()[:2] == ["/opt/blender/blender", "--background"]
    monkeypatch.setenv(PROGRAM, "/venv/bin/python3.11")
    command = blender()
    assert command[:2] == ["/venv/bin/python3.11", "-P"]
    assert Path(command[2]).name == "blender_script.py"


@pytest.mark.skipif(find_spec("bpy") is not None, reason="this Python has Blender")
def test_a_program_that_fails_leaves_no_file_and_its_message(monkeypatch, tmp_path):
    monkeypatch.setenv(PROGRAM, sys.executable)
    with pytest.raises(FormatError, match=r"Blender did not write it .*No module named"):
        save(make("walk", seconds=0.5, fps=30), tmp_path / "walk.fbx")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadRequest, match="centimetres"):
        save(make("walk", seconds=0.5, fps=30), tmp_path / "walk.fbx", unit="m")


def test_what_blender_writes_is_the_same_motion(tmp_path):
    """Here where Blender is at hand; always in `./run interop`, for each of the rigs."""
    pytest.importorskip("ufbx", reason="needs the extra fbx")
    try:
        blender()
    except MissingExtra as error:
        pytest.skip(str(error))
    clip = retarget(make("walk", seed=2, seconds=0.5, fps=24), load(rig(tmp_path / "hero.glb", "unreal"))).clip
    for name in ("walk.fbx", "again/walk.fbx"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        save(clip, tmp_path / name)
    assert (tmp_path / "walk.fbx").read_bytes() == (tmp_path / "again/walk.fbx").read_bytes()
    back = load(tmp_path / "walk.fbx")
    assert (len(back), back.fps) == (len(clip), pytest.approx(clip.fps))
    order = [back.skeleton.names.index(name) for name in clip.skeleton.names]
    np.testing.assert_allclose(fk(back)[:, order], fk(clip), atol=1e-4)
