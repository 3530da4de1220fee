"""Files inside the root, regular ones only, and limits of size."""

from __future__ import annotations

import os
import sys

import pytest

from motionloom.core import BadRequest, FormatError
from motionloom.core.files import Files, open_regular, read_regular, side_file
from motionloom.core.limits import Limits

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are POSIX")


@pytest.fixture
def root(tmp_path):
    """A folder with a file and a folder in it; beside it, a file outside."""
    folder = tmp_path / "root"
    (folder / "inner").mkdir(parents=True)
    (folder / "walk.bvh").write_text("inside")
    (folder / "inner" / "run.bvh").write_text("inner")
    (tmp_path / "outside.bvh").write_text("outside")
    return folder


def test_names_inside_the_root_are_resolved(root):
    files = Files(root)
    assert files.resolve("walk.bvh") == root / "walk.bvh"
    assert files.resolve("inner/../inner/run.bvh") == root / "inner" / "run.bvh"
    assert files.resolve(str(root / "walk.bvh")) == root / "walk.bvh"
    assert files.read("walk.bvh") == b"inside"


def test_links_inside_the_root_are_followed(root):
    (root / "link.bvh").symlink_to(root / "inner" / "run.bvh")
    assert Files(root).read("link.bvh") == b"inner"


@pytest.mark.parametrize(
    "name", ["../outside.bvh", "inner/../../outside.bvh", "/etc/passwd", "link.bvh", "up/outside.bvh"]
)
def test_names_that_lead_outside_are_refused_whether_or_not_there_is_a_file(root, name):
    (root / "link.bvh").symlink_to(root.parent / "outside.bvh")
    (root / "up").symlink_to(root.parent)
    for there in (True, False):
        if not there:
            (root.parent / "outside.bvh").unlink()
        with pytest.raises(BadRequest, match=r"^ground: .* leads outside the folders that may be read"):
            Files(root).resolve(name, ("ground",))


def test_a_missing_file_names_the_folders_that_were_searched(root):
    with pytest.raises(BadRequest, match=r"no such file: 'jump.bvh' \(looked for in .*root, .*inner\)"):
        Files((root, root / "inner")).resolve("jump.bvh")


def test_folders_are_searched_in_their_order(root):
    (root / "inner" / "walk.bvh").write_text("second")
    assert Files((root, root / "inner")).read("walk.bvh") == b"inside"
    assert Files((root / "inner", root)).read("walk.bvh") == b"second"
    assert Files((root / "inner", root)).read("../walk.bvh") == b"inside"


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_names_that_no_file_can_have_are_refused(root, name):
    with pytest.raises(BadRequest, match="is not the name of a file"):
        Files(root).resolve(name)


def test_a_circle_of_links_is_refused(root):
    (root / "a").symlink_to(root / "b")
    (root / "b").symlink_to(root / "a")
    with pytest.raises(BadRequest):
        Files(root).resolve("a")


def test_pipes_devices_and_folders_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((tmp_path / "pipe", "a named pipe"), ("/dev/zero", "a device"), (tmp_path, "a folder")):
        with pytest.raises(FormatError, match=f"expected a regular file, found {kind}"):
            open_regular(path)
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "none")


def test_files_above_the_limit_are_not_read(tmp_path, monkeypatch):
    (tmp_path / "large").write_bytes(b"x" * 11)
    assert read_regular(tmp_path / "large", Limits(bytes=11)) == b"x" * 11
    monkeypatch.setenv("MOTIONLOOM_LIMITS", "bytes=10")
    with pytest.raises(FormatError, match="11 bytes are more than the limit of 10 "):
        read_regular(tmp_path / "large")


def test_a_side_file_is_beside_its_clip_or_beside_what_the_clip_links_to(root):
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "walk.bvh").symlink_to(root / "walk.bvh")
    (root / "walk.labels.csv").write_text("")
    (elsewhere / "walk.labels.csv").symlink_to(root / "walk.labels.csv")
    assert side_file(root / "walk.bvh", "walk.labels.csv") == root / "walk.labels.csv"
    assert side_file(elsewhere / "walk.bvh", "walk.labels.csv") == elsewhere / "walk.labels.csv"
    assert side_file(root / "walk.bvh", "walk.roles.toml") is None
    assert side_file(root / "walk.bvh", "inner") is None


def test_a_side_file_that_links_elsewhere_is_refused(root):
    (root / "walk.labels.csv").symlink_to(root.parent / "outside.bvh")
    with pytest.raises(FormatError, match=r"walk.labels.csv: a link that leads outside the folder of its clip"):
        side_file(root / "walk.bvh", "walk.labels.csv")


def test_limits_name_what_is_too_large_and_how_to_raise_it(monkeypatch):
    assert Limits().exceeded(seconds=7200, frames=1e6, joints=2000, bytes=1e9) == ""
    assert "7201 seconds are more than the limit of 7200 (MOTIONLOOM_LIMITS=" in Limits().exceeded(seconds=7201)
    assert Limits().exceeded(frames=float("inf")).startswith("inf frames")
    assert Limits().exceeded(frames=float("nan"))
    monkeypatch.setenv("MOTIONLOOM_LIMITS", "seconds=36000, frames=5e6")
    assert Limits.current() == Limits(seconds=36000, frames=5e6)


@pytest.mark.parametrize("text", ["frames", "frames=", "frames=many", "frames=-1", "time=3", "frames=nan"])
def test_limits_that_make_no_sense_are_refused(text, monkeypatch):
    monkeypatch.setenv("MOTIONLOOM_LIMITS", text)
    with pytest.raises(BadRequest, match=r"MOTIONLOOM_LIMITS: expected values such as seconds=7200, frames="):
        Limits.current()
