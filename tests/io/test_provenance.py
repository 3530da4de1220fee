"""Where made frames came from, beside their file."""

from __future__ import annotations

import json
from dataclasses import replace as with_changes
from pathlib import Path

import numpy as np
import pytest

from motionloom.core import Clip, FormatError, Note, Origin, Source, replace
from motionloom.io import load, save
from motionloom.io.provenance import origin_path


@pytest.fixture
def made(tiny: Clip) -> Clip:
    """Ten frames out of two clips, every second frame, then a blend of none."""
    sources = (Source("a.bvh", "cuts", 7), Source("b.bvh", "cuts", 7))
    which = np.array([0, 0, 0, 0, 1, 1, 1, 0, 0, 0])
    frames = np.array([3, 5, 7, 9, 0, 1, 2, -1, -1, 40])
    origin = Origin(name="made", sources=sources, which=which, frames=frames).with_notes(
        Note("made by cuts, seed 7, take 0", topic="made")
    )
    return replace(tiny, origin=origin)


def test_source_and_frame_of_every_frame_come_back(made: Clip, tmp_path: Path) -> None:
    save(made, tmp_path / "made.bvh")
    back = load(tmp_path / "made.bvh").origin
    assert back.sources == made.origin.sources
    assert np.array_equal(back.which, made.origin.which)
    assert np.array_equal(back.frames, made.origin.frames)
    assert "made by cuts, seed 7, take 0" in [note.text for note in back.notes]
    assert back.name == "made.bvh"


def test_a_clip_that_no_method_made_leaves_no_file_and_takes_an_old_one_away(
    tiny: Clip, made: Clip, tmp_path: Path
) -> None:
    save(made, tmp_path / "x.bvh")
    assert origin_path(tmp_path / "x.bvh").is_file()
    save(tiny, tmp_path / "x.bvh")
    assert [p.name for p in tmp_path.iterdir()] == ["x.bvh"]


def test_provenance_of_another_clip_is_not_used_and_that_is_said(made: Clip, tmp_path: Path) -> None:
    save(made, tmp_path / "x.bvh")
    keep = origin_path(tmp_path / "x.bvh").read_bytes()
    save(made[:5], tmp_path / "x.bvh")
    origin_path(tmp_path / "x.bvh").write_bytes(keep)
    back = load(tmp_path / "x.bvh").origin
    assert [s.clip for s in back.sources] == ["x.bvh"]
    assert any("of another clip" in str(note) for note in back.notes)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sources": 3, "runs": [], "notes": []}', "[" * 100_000])
def test_a_damaged_file_is_a_format_error(made: Clip, tmp_path: Path, text: str) -> None:
    save(made, tmp_path / "x.bvh")
    origin_path(tmp_path / "x.bvh").write_text(text)
    with pytest.raises(FormatError, match=r"x\.origin\.json"):
        load(tmp_path / "x.bvh")


def test_huge_counts_do_not_exhaust_memory(made: Clip, tmp_path: Path) -> None:
    save(made, tmp_path / "x.bvh")
    beside = origin_path(tmp_path / "x.bvh")
    facts = json.loads(beside.read_text())
    facts["runs"] = [{"source": 0, "first": 0, "step": 1, "count": 10**12}]
    beside.write_text(json.dumps(facts))
    assert any("of another clip" in str(note) for note in load(tmp_path / "x.bvh").origin.notes)


def test_edits_keep_it_current(made: Clip, tmp_path: Path) -> None:
    renamed = replace(made[4:], origin=with_changes(made[4:].origin, name="cut"))
    save(renamed, tmp_path / "cut.bvh")
    assert load(tmp_path / "cut.bvh").origin.frames.tolist() == [0, 1, 2, -1, -1, 40]
