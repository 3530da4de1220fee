"""Labels beside a clip: `start,end,label` in seconds, end excluded."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import FormatError, with_labels
from motionloom.core.numbers import runs
from motionloom.io import labels_path, load, read_labels, save


def test_labels_are_read_with_the_clip(bvh, person):
    path = bvh(person)  # four frames at 30 per second
    labels_path(path).write_text("start,end,label\n0,0.0666667,walk\n0.0333333,0.1,contact:left_heel\n")
    clip = load(path)
    assert clip.label_names == ("walk", "contact:left_heel")
    assert clip.label("walk").tolist() == [True, True, False, False]
    assert clip.label("contact:left_heel").tolist() == [False, True, True, False]


def test_labels_written_are_the_labels_read(tiny, tmp_path, rng):
    on = {"walk": rng.random(10) < 0.5, "contact:left_toe": rng.random(10) < 0.5, 'a, "b"': rng.random(10) < 0.5}
    for fps in (10.0, 24 / 1.001, 120.0, 59.94):
        clip = with_labels(type(tiny)(tiny.skeleton, tiny.root, tiny.rotations, fps), on)
        save(clip, tmp_path / "tiny.bvh")
        back = load(tmp_path / "tiny.bvh", fps=fps)
        assert {name: back.label(name).tolist() for name in on} == {name: v.tolist() for name, v in on.items()}


def test_a_clip_without_labels_writes_none_and_empties_old_ones(tiny, tmp_path):
    path = tmp_path / "tiny.bvh"
    save(tiny, path)
    assert not labels_path(path).exists()
    save(with_labels(tiny, {"walk": np.ones(10, bool)}), path)
    assert labels_path(path).read_text() == "start,end,label\n0,1,walk\n"
    save(tiny, path)
    assert load(path).label_names == ()


def test_labels_are_in_seconds_of_the_file_even_when_its_tpose_is_dropped(bvh, person):
    rows = ["0 94 0 " + "0 0 0 " * 15] + ["0 94 0 " + "20 30 40 " * 15] * 5
    path = bvh(person.split("MOTION")[0] + "MOTION\nFrames: 6\nFrame Time: 0.1\n" + "\n".join(rows))
    labels_path(path).write_text("start,end,label\n0.1,0.3,stand\n")
    assert load(path, trim_tpose=True).label("stand").tolist() == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("from,to,label\n", "walk.labels.csv:1: expected 'start,end,label', found 'from,to,label'"),
        ("start,end,label\n0,1\n", "walk.labels.csv:2: expected 3 values (start,end,label), found 2"),
        ("start,end,label\n\n0,x,walk\n", "walk.labels.csv:3: 'x' is not a number"),
        ("start,end,label\n0,1.5.2,walk\n", "two numbers glued together"),
        ("start,end,label\n2,1,walk\n", "walk.labels.csv:2: ends at 1 s, before it starts at 2 s"),
        ("start,end,label\n0,1, \n", "walk.labels.csv:2: expected the name of a label, found an empty cell"),
        ("", "expected 'start,end,label'"),
    ],
)
def test_a_wrong_labels_file_says_where_and_what(tmp_path, text, complaint):
    path = tmp_path / "walk.labels.csv"
    path.write_text(text)
    with pytest.raises(FormatError) as error:
        read_labels(path, 10, 10)
    assert complaint in str(error.value)


def test_spans_past_the_end_and_overlaps_are_fine(tmp_path):
    path = tmp_path / "walk.labels.csv"
    path.write_text("start,end,label\r\n0,0.2,a\r\n0.1,9,a\r\n5,6,b\r\n")
    found = read_labels(path, 4, 10)
    assert found["a"].all()
    assert not found["b"].any()


def test_spans_are_runs_of_true():
    assert runs(np.array([1, 1, 0, 1, 0, 0, 1], bool)) == [(0, 2), (3, 4), (6, 7)]
    assert runs(np.zeros(3, bool)) == []
