"""Pen strokes: `t,x,y` in and out; a stroke is a one-joint clip."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import FormatError
from motionloom.io import load, save, stroke_clip


@pytest.fixture
def loop() -> np.ndarray:
    t = np.linspace(0, 2 * np.pi, 40)
    return np.stack([np.cos(t), np.sin(2 * t)], 1) * 0.05


def test_a_stroke_goes_out_and_in(loop, tmp_path):
    save(stroke_clip(loop, 200, "loop"), tmp_path / "loop.csv")
    clip = load(tmp_path / "loop.csv")
    assert len(clip.skeleton) == 1
    assert clip.fps == 200
    assert np.allclose(clip.root[:, :2], loop)
    assert not clip.root[:, 2].any()
    assert (clip.origin.spans()[0].first, clip.origin.spans()[0].frames) == ((0,), 40)


def test_uneven_times_are_put_on_even_ones_and_that_is_said(tmp_path):
    (tmp_path / "s.csv").write_text("t,x,y\n0,0,0\n0.1,1,0\n0.2,2,0\n0.4,4,0\n0.5,5,0\n")
    clip = load(tmp_path / "s.csv")
    assert clip.fps == 10
    assert np.allclose(clip.root[:, 0], [0, 1, 2, 3, 4, 5])
    assert "uneven times: 5 points put on 6 even ones at 10 per second" in [note.text for note in clip.origin.notes]
    with pytest.raises(FormatError, match="uneven"):
        load(tmp_path / "s.csv", strict=True)


def test_a_unit_scales_and_is_written_back(tmp_path, loop):
    (tmp_path / "s.csv").write_text("t,x,y\n0,10,0\n0.1,20,5\n")
    clip = load(tmp_path / "s.csv", unit="mm")
    assert clip.root[1].tolist() == [0.02, 0.005, 0]
    save(clip, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "t,x,y\n0,10,0\n0.1,20,5\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x,y\n0,0\n", "s.csv:1: expected 't,x,y', found 'x,y'"),
        ("start,end,label\n", "s.csv:1: this is a labels file"),
        ("t,x,y\n0,0,0\n0.1,1\n", "s.csv:3: expected 3 values (t,x,y), found 2"),
        ("t,x,y\n0,0,0\n0.1,1,nan\n", "s.csv:3: 'nan' is not a finite number"),
        ("t,x,y\n0,0,0\n0.2,0,0\n0.1,1,1\n", "s.csv:4: a stroke needs two points at least, with times that increase"),
        ("t,x,y\n0,0,0\n", "a stroke needs two points"),
        ("t,x,y\n0,0,0\n1e-9,0,0\n2e-9,0,0\n1e6,0,0\n", "the times are too uneven"),
        ("", "expected 't,x,y'"),
        ("\0\1", "expected 't,x,y'"),
    ],
)
def test_a_wrong_stroke_file_says_where_and_what(tmp_path, text, complaint):
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(FormatError) as error:
        load(tmp_path / "s.csv")
    assert complaint in str(error.value)


def test_a_body_is_not_a_stroke(tiny, tmp_path):
    with pytest.raises(FormatError, match="a stroke has one joint, this clip has 3"):
        save(tiny, tmp_path / "tiny.csv")
