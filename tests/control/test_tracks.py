"""Tracks of crowds: CSV rows, with or without a header, and limits on the size of a crowd."""

from __future__ import annotations

import pytest

from motionloom.control.crowd_clips import crowd_clips
from motionloom.control.tracks import read_tracks
from motionloom.core import BadRequest, FormatError


@pytest.mark.parametrize("head", ["", "id,t,x,z\n", "\ufeffid,t,x,z\n"])
def test_rows_are_read(tmp_path, head):
    (tmp_path / "t.csv").write_text(head + "0,0,1,2\n\n1,0.5,-3,4e-1\n", encoding="utf-8")
    assert read_tracks(tmp_path / "t.csv") == [[0, 0, 1, 2], [1, 0.5, -3, 0.4]]


@pytest.mark.parametrize("row", ["0,0,1", "0,0,1,2,3", "0,0,x,1", "0,0," + "1" * 200_000 + ",1"])
def test_wrong_rows_are_named(tmp_path, row):
    (tmp_path / "t.csv").write_text(f"id,t,x,z\n0,0,0,0\n{row}\n")
    with pytest.raises(FormatError) as error:
        read_tracks(tmp_path / "t.csv")
    assert error.value.line == 3
    assert len(str(error.value)) < 300


def test_a_crowd_that_would_fill_the_memory_is_refused_before_it_begins():
    with pytest.raises(BadRequest, match="more than the limit"):
        crowd_clips(None, 100_000, 60.0)
