"""Files beside a clip: each belongs to one clip, and all of them are replaced together with it or not at all."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
from dataclasses import replace as with_changes
from pathlib import Path

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip, FormatError, made_here, replace, with_labels
from motionloom.io import FORMATS, check_target, expand_paths, load, save
from motionloom.io.atomic_files import replacing, staging_folder, write_file, write_whole
from motionloom.io.sidecars.names import CLIP_SUFFIXES, side_path

LABELS = "start,end,label\n0,0.5,{}\n"


def with_facts(clip: Clip, *, label: str = "", licence: str = "", command: str = "") -> Clip:
    clip = with_labels(clip, {label: np.ones(len(clip), bool)}) if label else clip
    made = (made_here(command),) if command else ()
    return replace(clip, origin=with_changes(clip.origin, licence=licence, made=made))


def facts(path: Path) -> tuple[object, ...]:
    """Everything that belongs together: the motion, labels, licence and recipe of a clip file."""
    clip = load(path)
    return len(clip), clip.label_names, clip.origin.licence, tuple(step.command for step in clip.origin.made)


def content(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_table_of_formats_and_the_suffixes_of_clips_agree():
    single = {suffix for suffix, f in FORMATS.items() if f.read or f.write}
    assert {f".{suffix.rpartition('.')[2]}" for suffix in single} == set(CLIP_SUFFIXES)


def test_the_side_file_with_the_whole_name_is_read_first(tiny, tmp_path):
    save(tiny, tmp_path / "walk.bvh")
    (tmp_path / "walk.labels.csv").write_text(LABELS.format("short"))
    assert load(tmp_path / "walk.bvh").label_names == ("short",)
    (tmp_path / "walk.bvh.labels.csv").write_text(LABELS.format("whole"))
    assert load(tmp_path / "walk.bvh").label_names == ("whole",)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("walk.labels.csv", LABELS.format("walk")),
        ("walk.licence.txt", "CC BY 4.0\n"),
        ("walk.roles.toml", '[roles]\njaw = "Top"\n'),
        ("walk.origin.json", "{}"),
    ],
)
def test_a_short_name_belongs_to_none_of_two_clips_with_that_stem(tiny, tmp_path, name, text):
    for suffix in ("bvh", "glb"):
        save(tiny, tmp_path / f"walk.{suffix}")
    (tmp_path / name).write_text(text)
    for path in (tmp_path / "walk.bvh", tmp_path / "walk.glb"):
        clip = load(path)
        assert (clip.label_names, clip.origin.licence, "jaw" in clip.skeleton.roles) == ((), "", False)
        assert f"{name} is not read: it could belong to" in " ".join(map(str, clip.origin.notes))


def test_saving_under_another_name_changes_no_file_of_the_source(tiny, tmp_path):
    save(with_facts(tiny, label="walk", licence="CC BY 4.0", command="synthesize"), tmp_path / "walk.bvh")
    (tmp_path / "walk.roles.toml").write_text('[roles]\nhead = ""\n')
    before = content(tmp_path)
    assert set(before) == {"walk.bvh", "walk.labels.csv", "walk.licence.txt", "walk.origin.json", "walk.roles.toml"}
    save(tiny[:5], tmp_path / "walk.glb")  # without labels, licence and recipe: its own side files state that
    assert facts(tmp_path / "walk.glb") == (5, (), "", ())
    assert facts(tmp_path / "walk.bvh") == (10, ("walk",), "CC BY 4.0", ("synthesize",))
    save(with_facts(tiny, label="run", licence="CC0"), tmp_path / "walk.glb")
    after = content(tmp_path)
    assert {name: after[name] for name in before} == before
    assert facts(tmp_path / "walk.bvh") == (10, ("walk",), "CC BY 4.0", ("synthesize",))
    assert "head" not in load(tmp_path / "walk.bvh").skeleton.roles
    assert facts(tmp_path / "walk.glb") == (10, ("run",), "CC0", ())


def test_a_side_file_that_was_there_before_its_clip_is_not_replaced(tiny, tmp_path):
    (tmp_path / "walk.labels.csv").write_text(LABELS.format("by hand"))
    save(with_facts(tiny, label="run"), tmp_path / "walk.bvh")
    assert (tmp_path / "walk.labels.csv").read_text() == LABELS.format("by hand")
    assert load(tmp_path / "walk.bvh").label_names == ("run",)
    assert side_path(tmp_path / "walk.bvh", "labels").name == "walk.bvh.labels.csv"


def test_only_our_own_unchanged_output_is_replaced_without_force(tiny, tmp_path):
    path = tmp_path / "walk.bvh"
    check_target(path)
    save(with_facts(tiny, label="walk", command="synthesize"), path)
    check_target(path)
    labels = (tmp_path / "walk.labels.csv").read_text()
    (tmp_path / "walk.labels.csv").write_text(labels.replace("walk", "stroll"))
    with pytest.raises(BadRequest, match=r"motionloom did not write it as it is now.*--force"):
        check_target(path)
    (tmp_path / "walk.labels.csv").write_text(labels)
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(BadRequest, match="--force"):
        check_target(path)
    save(tiny, tmp_path / "capture.bvh")  # a clip without a recipe
    with pytest.raises(BadRequest, match="--force"):
        check_target(tmp_path / "capture.bvh")
    check_target(tmp_path / "capture.bvh", overwrite=True)


OLD = (10, ("old",), "CC BY 4.0", ("synthesize",))
NEW = (6, ("new",), "", ("clean",))


@pytest.fixture
def old_and_new(tiny: Clip, tmp_path: Path) -> tuple[Path, Clip]:
    path = tmp_path / "walk.bvh"
    save(with_facts(tiny, label="old", licence="CC BY 4.0", command="synthesize"), path)
    assert facts(path) == OLD
    return path, with_facts(tiny[:6], label="new", command="clean")


def killed_at(event: int, clip: Clip, path: Path) -> bool:
    """Save in a process of its own that is killed at a file event; False if it ended before."""
    child = os.fork()
    if child == 0:
        count = 0

        def hook(name: str, arguments: tuple[object, ...]) -> None:
            nonlocal count
            writes = name == "open" and arguments[1] is not None and "w" in str(arguments[1])
            if writes or name in ("os.rename", "os.remove", "os.mkdir", "os.rmdir"):
                if count == event:
                    os.kill(os.getpid(), signal.SIGKILL)
                count += 1

        sys.addaudithook(hook)
        save(clip, path)
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked process")
def test_a_kill_at_any_file_event_leaves_the_old_files_or_the_new_ones(old_and_new, tmp_path):
    path, clip = old_and_new
    kept = tmp_path.parent / f"{tmp_path.name}_kept"
    shutil.copytree(tmp_path, kept)
    seen, event = [], 0
    while killed_at(event, clip, path):
        assert len(expand_paths([tmp_path])) == 1
        seen.append(facts(path))
        save(clip, path)  # the same command again finishes, and removes what was left behind
        assert facts(path) == NEW
        assert set(content(tmp_path)) == {"walk.bvh", "walk.labels.csv", "walk.origin.json"}
        assert sorted(os.listdir(tmp_path)) == sorted(content(tmp_path))
        shutil.rmtree(tmp_path)
        shutil.copytree(kept, tmp_path)
        event += 1
    assert facts(path) == NEW
    assert len(seen) >= 10
    assert set(seen) == {OLD, NEW}
    assert seen == sorted(seen, key=(OLD, NEW).index)  # once complete, the new files stay


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_files(old_and_new, tmp_path, monkeypatch, failing):
    path, clip = old_and_new
    before = content(tmp_path)
    own, calls = getattr(os, failing), []

    def full(*arguments: object) -> object:
        calls.append(arguments)
        if failing == "fsync" and len(calls) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        if failing == "replace" and str(arguments[1]).endswith("journal.json"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return own(*arguments)

    monkeypatch.setattr(os, failing, full)
    with pytest.raises(FormatError, match="No space left on device"):
        save(clip, path)
    monkeypatch.undo()
    assert content(tmp_path) == before
    assert sorted(os.listdir(tmp_path)) == sorted(before)


def test_a_writer_waits_for_another_one_and_removes_what_a_killed_one_left(tmp_path, monkeypatch):
    monkeypatch.setattr("motionloom.io.atomic_files.WAIT", 0.1)
    path = tmp_path / "model.loom"
    with replacing(path) as staged:
        write_file(staged / path.name, [b"first"])
        with pytest.raises(FormatError, match="another process is writing it"):
            write_whole(path, [b"second"])
    assert path.read_bytes() == b"first"
    staging_folder(path).mkdir()
    (staging_folder(path) / path.name).write_bytes(b"half of")
    write_whole(path, [b"second"])
    assert content(tmp_path) == {"model.loom": b"second"}


@pytest.mark.parametrize(
    ("journal", "staged"),
    [
        ({"remove": ["../victim.txt"]}, ()),
        ({"remove": ["victim.txt"]}, ()),
        ({"remove": []}, ("victim.txt",)),
        ({"remove": 3}, ()),
        ([], ()),
    ],
)
def test_a_journal_from_elsewhere_touches_no_other_file(tiny, tmp_path, journal, staged):
    path = tmp_path / "walk.bvh"
    save(tiny, path)
    (tmp_path / "victim.txt").write_text("mine")
    folder = staging_folder(path)
    folder.mkdir()
    (folder / "journal.json").write_text(json.dumps(journal))
    for name in staged:
        (folder / name).write_text("yours")
    before = content(tmp_path)
    with pytest.raises(FormatError, match=r"journal of an interrupted save is invalid.*delete \.walk\.bvh\.saving"):
        load(path)
    assert content(tmp_path) == before
