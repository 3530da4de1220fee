"""Clips, their side files and models: only regular files, within the limits, and no links that lead elsewhere."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

import motionloom
from motionloom import samples
from motionloom.constraints import Request, read_ground
from motionloom.control.tracks import read_tracks
from motionloom.core import BadRequest, FormatError, MotionloomError, replace
from motionloom.evaluate.study import read_ratings
from motionloom.io import FORMATS, load, load_many, load_markers, read_labels, read_roles, save
from motionloom.methods import load_model
from motionloom.methods.gaze.fit import read_marking, read_targets
from motionloom.methods.parametric_graph.graph_file import read_graph_file
from motionloom.recipes.gazing import read_objects
from motionloom.recipes.matching import load_decisions, load_library

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are POSIX")


@pytest.fixture
def walk(tmp_path) -> Path:
    """A clip without labels, in a folder of its own; beside the folder lies a file that is none of its business."""
    path = tmp_path / "clips" / "walk.bvh"
    clip = samples.make("walk", seconds=1, fps=30)
    save(replace(clip, labels=None, label_names=()), path)
    (tmp_path / "secret.txt").write_text("the secret\n")
    return path


@pytest.mark.parametrize("suffix", [s for s, f in FORMATS.items() if f.read or f.read_markers or f.read_many])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_no_reader_waits_for_a_pipe_or_a_device(tmp_path, suffix, kind):
    path = tmp_path / f"walk{suffix}"
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    entry = FORMATS[suffix]
    for read in (load, load_many, load_markers):
        if read is load_markers and entry.read_markers is None:
            continue
        with pytest.raises(MotionloomError, match=r"regular file|load_many|markers|pip install"):
            read(path)


READERS = [load_model, Request.from_file, read_ground, read_roles, lambda p: read_labels(p, 9, 30), read_graph_file]


@pytest.mark.parametrize(
    "read",
    [*READERS, read_tracks, read_targets, read_marking, read_ratings, load_library, load_decisions, read_objects],
)
def test_all_other_files_are_regular_files(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name, kind in (("pipe", "a named pipe"), ("zero", "a device")):
        with pytest.raises(MotionloomError, match=f"expected a regular file, found {kind}"):
            read(tmp_path / name)


OWN_FILES = {  # modules that open files without `open_regular`: parts of the package, of the system, or just written
    "cli/demo.py", "core/_jit.py", "core/files.py", "evaluate/compare/cost.py", "io/atomic_files.py",
    "io/download/datasets.py", "io/download/fetch.py", "io/isolated_reading.py", "io/usd.py", "io/usd_scene.py",
    "jobs/worker.py", "jobs/worker_handle.py", "plot/browse.py", "plot/encode.py", "plot/page.py", "plot/player.py",
    "plot/study.py",
}  # fmt: skip


def test_files_of_users_are_opened_in_one_place():
    """`open_regular` refuses pipes and devices; `Image.open` is given a file that it opened."""
    source = Path(motionloom.__file__).parent
    opening = re.compile(
        r"(?<![\w.])(?<!def )(os\.|io\.)?open\(|\bpath\.open\(|\.read_text\(|\.read_bytes\(|Image\.open\((?!file)"
    )
    found = {p.relative_to(source).as_posix() for p in source.rglob("*.py") if opening.search(p.read_text())}
    assert found == OWN_FILES


SIDE_FILES = ["walk.labels.csv", "walk.roles.toml", "roles.toml", "walk.licence.txt", "licence.txt", "walk.origin.json"]


@pytest.mark.parametrize("name", SIDE_FILES)
def test_a_side_file_that_is_a_link_to_elsewhere_is_refused_and_not_printed(walk, name):
    (walk.parent / name).unlink(missing_ok=True)
    (walk.parent / name).symlink_to(walk.parent.parent / "secret.txt")
    with pytest.raises(FormatError, match="a link that leads outside the folder of its clip") as caught:
        load(walk)
    assert "the secret" not in str(caught.value)


@pytest.mark.parametrize("name", SIDE_FILES)
def test_a_side_file_that_is_a_pipe_is_refused(walk, name):
    (walk.parent / name).unlink(missing_ok=True)
    os.mkfifo(walk.parent / name)
    with pytest.raises(FormatError, match=f"{name}: .*a named pipe"):
        load(walk)


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ("frames=29", "walk.bvh: 30 frames are more than the limit of 29"),
        ("seconds=0.5", "walk.bvh: 1 seconds are more than the limit of 0.5"),
        ("joints=3", "joints are more than the limit of 3"),
        ("bytes=1000", "bytes are more than the limit of 1000"),
    ],
)
def test_clips_above_the_limits_are_refused(walk, limits, text, monkeypatch):
    assert len(load(walk)) == 30
    monkeypatch.setenv("MOTIONLOOM_LIMITS", limits)
    with pytest.raises(FormatError, match=text):
        load(walk)


def test_a_link_to_a_clip_is_read_with_its_labels(walk, tmp_path):
    (walk.parent / "walk.labels.csv").write_text("start,end,label\n0,1,walk\n")
    (tmp_path / "links").mkdir()
    for name in ("walk.bvh", "walk.labels.csv"):
        (tmp_path / "links" / name).symlink_to(walk.parent / name)
    assert load(tmp_path / "links" / "walk.bvh").label_names == ("walk",)


def test_an_environment_that_makes_no_sense_is_named(walk, monkeypatch):
    monkeypatch.setenv("MOTIONLOOM_LIMITS", "frames=lots")
    with pytest.raises(BadRequest, match="MOTIONLOOM_LIMITS"):
        load(walk)
