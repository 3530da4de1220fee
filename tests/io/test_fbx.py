"""FBX files, written here as text: bones, takes, units, axes, and what is no FBX file."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionloom.core import FormatError, MissingExtra
from motionloom.io import load
from motionloom.kinematics import fk

pytest.importorskip("ufbx", reason="needs the extra fbx")
_spec = importlib.util.spec_from_file_location("fbx_files", Path(__file__).with_name("fbx_files.py"))
assert _spec is not None
assert _spec.loader is not None
files = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(files)

BONES = [("Hips", (0, 100, 0), (0, 0, 0)), ("Spine", (0, 50, 0), (0, 0, 0)), ("Head", (0, 25, 0), (0, 0, 0))]
KEYS: dict[Any, Any] = {
    (0, "T"): [(0, 100, 0), (0, 100, 10), (0, 100, 20)],
    (1, "R"): [(0, 0, 0), (0, 0, 45), (0, 0, 90)],
}
TIMES = [0.0, 0.1, 0.2]


@pytest.fixture
def write(tmp_path: Path):
    def put(bones: Any = BONES, times: Any = TIMES, keys: Any = KEYS, **options: Any) -> Path:
        path = tmp_path / "walk.fbx"
        path.write_text(files.fbx_text(bones, times, keys, **options))
        return path

    return put


def test_three_bones_move_as_keyed(write):
    clip = load(write())
    assert clip.skeleton.names == ("Hips", "Spine", "Head")
    assert clip.skeleton.roles == ("hips", "spine", "head") or "head" in clip.skeleton.roles
    assert (len(clip), clip.fps, clip.origin.unit) == (7, 30.0, 0.01)
    half = 0.25 * np.sqrt(0.5)
    assert fk(clip)[0] == pytest.approx(np.array([[0, 1, 0], [0, 1.5, 0], [0, 1.75, 0]]), abs=1e-6)
    assert fk(clip)[3] == pytest.approx(np.array([[0, 1, 0.1], [0, 1.5, 0.1], [-half, 1.5 + half, 0.1]]), abs=1e-6)
    assert clip.skeleton.offsets[2] == pytest.approx([0, 0.25, 0])


def test_unit_and_up_axis_are_as_stated(write):
    bones = [("Hips", (0, 0, 1), (0, 0, 0)), ("Spine", (0, 0, 0.5), (0, 0, 0)), ("Head", (0, 0, 0.25), (0, 0, 0))]
    keys = {(0, "T"): [(0, 0, 1), (0, -0.1, 1), (0, -0.2, 1)]}
    clip = load(write(bones, TIMES, keys, unit=100.0, up=2))
    assert fk(clip)[-1] == pytest.approx(np.array([[0, 1, 0.2], [0, 1.5, 0.2], [0, 1.75, 0.2]]), abs=1e-6)
    assert (clip.origin.unit, clip.origin.up) == (1.0, "z")
    assert fk(load(write(unit=1.0), unit="m"))[0, 0, 1] == pytest.approx(100)
    assert fk(load(write(), up="z", unit="cm"))[0, 0] == pytest.approx([0, 0, -1], abs=1e-6)


def test_pre_rotations_turn_bones_and_are_the_rest_pose(write):
    bones = [("Hips", (0, 100, 0), (0, 0, 90)), ("Spine", (50, 0, 0), (0, 0, 0)), ("Head", (25, 0, 0), (0, 0, 0))]
    clip = load(write(bones, TIMES, {(1, "R"): [(0, 0, 0), (0, 0, 0), (0, 0, 90)]}))
    assert fk(clip)[0] == pytest.approx(np.array([[0, 1, 0], [0, 1.5, 0], [0, 1.75, 0]]), abs=1e-6)
    assert fk(clip)[-1, 2] == pytest.approx([-0.25, 1.5, 0], abs=1e-6)
    assert clip.skeleton.offsets[1] == pytest.approx([0, 0.5, 0], abs=1e-6)  # along the world's axes


def test_another_frame_rate_reads_between_the_keys(write):
    assert len(load(write(), fps=60)) == 13
    assert load(write(rate=120.0)).fps == 120


def test_nodes_without_bones_are_taken_where_they_move(write):
    clip = load(write(kind="Null"))
    assert clip.skeleton.names[0] == "Hips"
    assert "no bones" in "\n".join(map(str, clip.origin.notes))


def test_a_file_without_keys_is_one_frame(write):
    assert len(load(write(BONES, [], {}))) == 1


def test_a_take_of_hours_is_refused(write):
    """Keys at 27,000 s would be 810,000 frames."""
    with pytest.raises(FormatError, match="27000 s"):
        load(write(times=[0.0, 0.1, 27_000.0]))


def test_what_is_no_fbx_file_says_so(tmp_path):
    for content, said in (
        (b"HIERARCHY", "not an FBX"),
        (b"Kaydara FBX Binary  \0\x1a\0" + b"\xff" * 50, "can be read"),
    ):
        (tmp_path / "x.fbx").write_bytes(content)
        with pytest.raises(FormatError, match=said):
            load(tmp_path / "x.fbx")
    with pytest.raises(FormatError, match="cannot be read"):
        load(tmp_path / "none.fbx")


def test_broken_files_give_only_our_errors(write, rng):
    path = write()
    whole = path.read_bytes()
    for _ in range(8):
        raw = bytearray(whole)
        for _ in range(20):
            raw[int(rng.integers(30, len(raw)))] = int(rng.integers(32, 127))
        path.write_bytes(bytes(raw))
        try:
            load(path)
        except FormatError:
            continue


def test_without_the_extra_the_line_to_type_is_said(write, monkeypatch):
    monkeypatch.setattr("motionloom.io.fbx.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'motionloom\[fbx\]'"):
        load(write())
