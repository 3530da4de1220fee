"""The table of formats, options of `load`, and the files that patterns and folders stand for."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields

import pytest

from motionloom.core import BadRequest, FormatError
from motionloom.io import FORMATS, Format, Reading, expand_paths, load, save
from motionloom.io.formats import FORMATS as TABLE
from motionloom.io.reader_settings import ReadingSettings


def test_an_unknown_suffix_names_the_known_ones(tiny, tmp_path):
    with pytest.raises(FormatError, match=r"walk.xyz: no reader for .xyz; there are .bvh, .*.glb, .*.csv"):
        load(tmp_path / "walk.xyz")
    with pytest.raises(FormatError, match=r"walk: no writer for a file without a suffix"):
        save(tiny, tmp_path / "walk")


def test_a_suffix_counts_in_any_case(tiny, tmp_path):
    save(tiny, tmp_path / "TINY.BVH")
    assert len(load(tmp_path / "TINY.BVH")) == 10


def test_a_new_format_is_one_entry_in_the_table(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(TABLE, ".one", Format("a test", lambda path, reading: tiny, None))
    (tmp_path / "x.one").write_bytes(b"1")
    assert load(tmp_path / "x.one").root is tiny.root
    with pytest.raises(FormatError, match="no writer"):
        save(tiny, tmp_path / "x.one")
    assert FORMATS is TABLE


def test_settings_of_a_reader_are_keyword_arguments_or_one_value(bvh, person):
    assert set(ReadingSettings.__annotations__) == {f.name for f in fields(Reading)}
    path, reading = bvh(person), Reading(unit="mm", fps=60)
    assert load(path, reading).root.tolist() == load(path, unit="mm", fps=60).root.tolist()
    assert load(path, reading, fps=30).fps == 30
    assert load(path, reading).origin.read.settings == {"unit": "mm", "fps": 60}
    with pytest.raises(TypeError, match="colour"):
        load(path, colour="red")


def test_unit_up_and_fps_override_what_is_estimated(bvh, person):
    clip = load(bvh(person), unit="mm", up="z", fps=60)
    assert clip.fps == 60
    assert clip.root[0].tolist() == [0, 0, -0.0945]
    assert [str(note) for note in clip.origin.notes] == ["60 frames per second, as given; the file states 30"]
    assert load(bvh(person), unit=0.3).origin.unit == load(bvh(person), unit="0.3").origin.unit == 0.3


@pytest.mark.parametrize(
    "options",
    [
        {"unit": "furlong"},
        {"unit": -1.0},
        {"unit": "-1"},
        {"unit": "nan"},
        {"up": "w"},
        {"fps": 0},
        {"fps": float("nan")},
    ],
)
def test_options_that_make_no_sense_are_refused(bvh, person, options):
    with pytest.raises(BadRequest):
        load(bvh(person), **options)


def test_the_estimate_of_unit_and_up_axis_is_said(bvh, person):
    notes = [str(note) for note in load(bvh(person)).origin.notes]
    assert "up axis y (from the posture)" in notes
    assert "unit cm, estimated (stature 1.69 m)" in notes


def test_a_body_whose_posture_tells_nothing_is_taken_to_be_y_up(bvh, two):
    clip = load(bvh(two))
    assert "up axis y (assumed, without evidence)" in [str(note) for note in clip.origin.notes]
    assert clip.origin.unit == 1.0


def test_every_frame_knows_its_file_and_number(bvh, person):
    clip = load(bvh(person))
    assert clip.origin.name == "walk.bvh"
    assert [(s.sources[0].name, *s.first, s.start, s.frames) for s in clip.origin.spans()] == [("walk.bvh", 0, 0, 4)]
    assert clip[2:].origin.main()[1].tolist() == [2, 3]


def test_folders_wildcards_and_names_are_expanded(tmp_path, bvh, two):
    (tmp_path / "sub").mkdir()
    for name in ("b.bvh", "a.bvh", "sub/c.BVH"):
        bvh(two, name)
    (tmp_path / "a.labels.csv").write_text("start,end,label\n")
    (tmp_path / "stroke.csv").write_text("t,x,y\n0,0,0\n1,1,1\n")
    (tmp_path / "readme.txt").write_text("no clip")
    names = lambda *patterns, **o: [p.relative_to(tmp_path).as_posix() for p in expand_paths(patterns, **o)]
    assert names(tmp_path) == ["a.bvh", "b.bvh", "stroke.csv", "sub/c.BVH"]
    assert names(tmp_path, suffixes=[".bvh"]) == ["a.bvh", "b.bvh", "sub/c.BVH"]
    assert names(str(tmp_path / "*.bvh")) == ["a.bvh", "b.bvh"]
    assert names(str(tmp_path / "**" / "*.[bB]*")) == ["a.bvh", "b.bvh", "sub/c.BVH"]
    assert names(tmp_path / "b.bvh", tmp_path) == ["b.bvh", "a.bvh", "stroke.csv", "sub/c.BVH"]
    assert names(str(tmp_path / "su*")) == ["sub/c.BVH"]
    (tmp_path / "stroke.labels.csv").write_text("start,end,label\n")
    assert names(str(tmp_path / "stroke*.csv")) == ["stroke.csv"]
    assert names(*sorted(tmp_path.glob("stroke*"))) == ["stroke.csv"]


def test_a_pattern_that_stands_for_nothing_is_said(tmp_path):
    with pytest.raises(FormatError, match="no such file"):
        expand_paths([tmp_path / "nothing.bvh"])
    with pytest.raises(FormatError, match="no clip in folder"):
        expand_paths([tmp_path])


def test_importing_the_readers_loads_no_compiler():
    code = "import motionloom.io, sys; print([m for m in ('numba', 'scipy', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
