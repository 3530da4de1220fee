"""Where made frames came from, beside their file."""

from __future__ import annotations

import json
from dataclasses import replace as with_changes
from pathlib import Path

import numpy as np
import pytest

from motionloom.blend import append
from motionloom.core import Clip, FormatError, Note, Origin, Source, concatenate, made_here, replace
from motionloom.core.origin import from_file
from motionloom.io import load, save
from motionloom.io.digest import file_sha256
from motionloom.io.sidecars.origin import origin_path
from motionloom.kinematics.resample import resample
from motionloom.samples import make

STEP = made_here("synthesize", method="cuts", learning_seed=3, request="seconds: 1\n", seed=7, take=0)


@pytest.fixture
def made(tiny: Clip) -> Clip:
    """Ten frames out of two clips, every second frame, then two that were computed and one more."""
    sources = (Source("a.bvh", "12ab", "CC BY 4.0"), Source("b.bvh", mirrored=True))
    which = np.array([0, 0, 0, 0, 1, 1, 1, 0, 0, 0])
    frames = np.array([3, 5, 7, 9, 0, 1, 2, -1, -1, 40])
    note = Note("bent", "warning", frame=4, constraint="pose_at 1 s")
    return replace(
        tiny, origin=Origin("made", sources=sources, which=which, frames=frames, made=(STEP,), notes=(note,))
    )


def same_rows(a: Origin, b: Origin) -> None:
    assert (a.sources, a.parts) == (b.sources, b.parts)
    for name in ("which", "weights"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    np.testing.assert_allclose(a.frames, b.frames, atol=1e-9)


@pytest.mark.parametrize("suffix", ["bvh", "glb", "npz"])
def test_sources_steps_and_notes_come_back(made: Clip, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"made.{suffix}"
    save(made, path)
    back = load(path).origin
    same_rows(back, made.origin)
    assert back.made == (with_changes(STEP, output=file_sha256(path)),)
    assert made.origin.notes[0] in back.notes
    assert back.name == path.name
    assert origin_path(path).is_file() == (suffix != "npz")  # NPZ holds it itself


def test_weights_of_blends_and_parts_come_back(tmp_path: Path) -> None:
    walks = [make("walk", seconds=2, fps=30, seed=s) for s in (0, 1)]
    walks = [replace(c, origin=from_file(f"{k}.bvh", len(c))) for k, c in enumerate(walks)]
    joined = append(*walks)
    assert joined.origin.which.shape[1:] == (1, 2)
    faster = resample(joined, 45)
    grid = np.stack([joined.origin.which[:, 0], joined.origin.which[::-1, 0]], 1)
    split = Origin(
        "parts", sources=joined.origin.sources, which=grid, frames=np.where(grid < 0, -1, 2.5), parts=("legs", "arms")
    )
    for k, clip in enumerate((joined, faster, replace(joined, origin=split))):
        save(clip, tmp_path / f"{k}.bvh")
        same_rows(load(tmp_path / f"{k}.bvh").origin, clip.origin)


def test_ten_minutes_of_transitions_take_few_bytes(tmp_path: Path) -> None:
    walks = [make("walk", seconds=2, fps=30, seed=s) for s in (0, 1)]
    walks = [replace(c, origin=from_file(f"{k}.bvh", len(c))) for k, c in enumerate(walks)]
    joined = append(*walks)
    long = concatenate([joined] * round(600 / joined.seconds))
    save(long, tmp_path / "long.npz")
    save(long[:1000], tmp_path / "long.bvh")
    assert len(json.dumps(json.loads(origin_path(tmp_path / "long.bvh").read_text()))) < 10_000
    facts = bytes(np.load(tmp_path / "long.npz")["origin"])
    assert len(facts) < 100 * (len(long) / len(joined)) * 3  # three runs for each join


def test_a_clip_as_it_was_read_leaves_no_file_and_takes_an_old_one_away(tiny: Clip, made: Clip, tmp_path: Path) -> None:
    save(made, tmp_path / "x.bvh")
    assert origin_path(tmp_path / "x.bvh").is_file()
    save(tiny, tmp_path / "x.bvh")
    save(load(tmp_path / "x.bvh"), tmp_path / "y.bvh")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.bvh", "y.bvh"]


def test_the_frames_of_a_part_of_a_clip_are_known_after_saving(tiny: Clip, tmp_path: Path) -> None:
    save(tiny, tmp_path / "x.bvh")
    save(load(tmp_path / "x.bvh")[4:], tmp_path / "part.bvh")
    back = load(tmp_path / "part.bvh").origin
    assert back.main()[1].tolist() == [4, 5, 6, 7, 8, 9]
    assert back.sources == (Source("x.bvh", file_sha256(tmp_path / "x.bvh")),)


def test_provenance_of_another_clip_is_not_used_and_that_is_noted(made: Clip, tmp_path: Path) -> None:
    save(made, tmp_path / "x.bvh")
    keep = origin_path(tmp_path / "x.bvh").read_bytes()
    save(made[:5], tmp_path / "x.bvh")
    origin_path(tmp_path / "x.bvh").write_bytes(keep)
    back = load(tmp_path / "x.bvh").origin
    assert [s.name for s in back.sources] == ["x.bvh"]
    assert Note("x.origin.json is of another clip: not used", "warning", topic="file") in back.notes


def test_a_made_file_that_was_changed_has_a_warning(made: Clip, tmp_path: Path) -> None:
    path = tmp_path / "x.bvh"
    save(made, path)
    path.write_text(path.read_text() + "\n")
    assert "warning: x.bvh was changed after it was written" in map(str, load(path).origin.notes)


def test_the_format_of_earlier_versions_is_not_used_and_that_is_noted(made: Clip, tmp_path: Path) -> None:
    save(made, tmp_path / "x.bvh")
    old = {"frames": 10, "sources": [{"clip": "a", "method": "cuts", "seed": 7}], "runs": [], "notes": []}
    origin_path(tmp_path / "x.bvh").write_text(json.dumps(old))
    assert any("written by an earlier motionloom" in note.text for note in load(tmp_path / "x.bvh").origin.notes)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 2, "sources": 3, "runs": [], "notes": []}', "[" * 100_000]
)
def test_a_damaged_file_is_a_format_error(made: Clip, tmp_path: Path, text: str) -> None:
    save(made, tmp_path / "x.bvh")
    origin_path(tmp_path / "x.bvh").write_text(text)
    with pytest.raises(FormatError, match=r"x\.origin\.json"):
        load(tmp_path / "x.bvh")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"runs": [[[10, [[5, 0.0, 1.0]], None]]]}, "points outside sources"),
        ({"runs": [[[10, [[0, 0.0, 1.0], [1, 0.0, 1.0]], 3]]]}, "IndexError"),
        ({"runs": [[[10, [[0, 0.0, 1.0], [1, 0.0, 1.0]], 0]]], "weights": [[[0.9, 0.9]] * 10]}, "a sum of 1"),
        ({"made": [{"command": "x", "unknown": 1}]}, "unknown"),
        ({"notes": [{"text": "x", "level": "loud"}]}, "level"),
    ],
)
def test_values_that_do_not_fit_are_format_errors(made: Clip, tmp_path: Path, change: dict, error: str) -> None:
    save(made, tmp_path / "x.bvh")
    beside = origin_path(tmp_path / "x.bvh")
    beside.write_text(json.dumps(json.loads(beside.read_text()) | change))
    with pytest.raises(FormatError, match=error):
        load(tmp_path / "x.bvh")


def test_huge_counts_do_not_exhaust_memory(made: Clip, tmp_path: Path) -> None:
    save(made, tmp_path / "x.bvh")
    beside = origin_path(tmp_path / "x.bvh")
    facts = json.loads(beside.read_text())
    facts["runs"] = [[[10**12, [[0, 0.0, 1.0]], None]]]
    beside.write_text(json.dumps(facts))
    assert any("of another clip" in note.text for note in load(tmp_path / "x.bvh").origin.notes)


def test_few_bytes_cannot_ask_for_billions_of_sources(made: Clip, tmp_path: Path) -> None:
    """Every frame has room for the most sources that any frame has, in every part."""
    save(made, tmp_path / "x.bvh")
    path = origin_path(tmp_path / "x.bvh")
    facts = json.loads(path.read_text())
    one, several = ([[len(made), [[0, 0, 1]] * count, None]] for count in (1, 2000))
    path.write_text(json.dumps(facts | {"parts": ["p"] * 2000, "runs": [several] + [one] * 1999}))
    with pytest.raises(FormatError, match=r"2000 parts with 2000 sources in .* frames are too many"):
        load(tmp_path / "x.bvh")


def test_edits_keep_it_current(made: Clip, tmp_path: Path) -> None:
    save(made[4:], tmp_path / "cut.bvh")
    back = load(tmp_path / "cut.bvh").origin
    assert back.main()[1].tolist() == [0, 1, 2, -1, -1, 40]
    assert [note.frame for note in back.notes if note.level == "warning"] == [0]  # it was frame 4
