"""Markers as TRC and CSV: gaps, units, rates, and tables that are broken."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from motionloom.core import FormatError, Markers
from motionloom.io import holds_markers, load_markers, save_markers

TRC = """PathFileType\t4\t(X/Y/Z)\twalk.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames
60.00\t60.00\t3\t2\tmm\t60.00\t1\t3
Frame#\tTime\tR.Heel\t\t\tTop.Head\t\t
\t\tX1\tY1\tZ1\tX2\tY2\tZ2

1\t0.000\t10\t50\t0\t20\t1700\t5
2\t0.017\t11\t50\t1\t\t\t
3\t0.033\t12\t50\t2\t22\t1702\t6
"""


@pytest.fixture
def write(tmp_path: Path):
    def put(text: str | bytes, name: str = "walk.trc") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return put


@pytest.fixture
def markers(rng: np.random.Generator) -> Markers:
    places = rng.normal(size=(20, 3, 3))
    places[4:9, 1] = np.nan
    return Markers(("HEAD", "LTOE", "R. Hand: 2"), places, 59.94)


def test_a_trc_file_is_read_with_its_gaps(write):
    found = load_markers(write(TRC))
    assert found.names == ("R.Heel", "Top.Head")
    assert found.fps == 60
    assert found.positions[0, 1] == pytest.approx([0.02, 1.7, 0.005])
    assert found.gaps.tolist() == [[False, False], [False, True], [False, False]]
    assert found.origin.up == "y"


@pytest.mark.parametrize("gap", ["nan\tnan\tnan", "0\t0\t0", "NaN\t1\t2"])
def test_other_ways_to_write_a_gap(write, gap):
    assert load_markers(write(TRC.replace("1\t\t\t\n", f"1\t{gap}\n"))).gaps[1].tolist() == [False, True]


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: "\ufeff" + t,
        lambda t: t.replace("\n\n", "\n"),
        lambda t: t.replace("1\t\t\t\n", "1\n"),  # a row that stops at its last seen marker
        lambda t: t.replace("\t\n", "\n"),
    ],
)
def test_line_ends_marks_and_missing_blank_lines_do_not_matter(write, change):
    assert np.array_equal(
        load_markers(write(change(TRC))).positions, load_markers(write(TRC)).positions, equal_nan=True
    )


def test_a_blank_unit_is_told_by_the_size_and_a_wrong_rate_by_the_times(write):
    found = load_markers(write(TRC.replace("\tmm\t", "\t\t").replace("60.00\t60.00\t3", "0\t60.00\t3")))
    assert found.positions[0, 1, 1] == pytest.approx(1.7)
    assert found.fps == pytest.approx(60, rel=0.05)
    said = "\n".join(map(str, found.origin.notes))
    assert "no unit is given" in said
    assert "is not a frame rate" in said


def test_a_wrong_frame_count_warns_and_a_strict_reader_refuses(write):
    path = write(TRC.replace("60.00\t60.00\t3", "60.00\t60.00\t9"))
    assert len(load_markers(path)) == 3
    with pytest.raises(FormatError, match=r"expected 9 frames .* found 3"):
        load_markers(path, strict=True)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.replace("\t1702\t", "\t17,02\t"), r"trc:9: .*decimal comma"),
        (lambda t: t.replace("\t1702\t", "\tx\t"), r"trc:9: 'x' is not a number"),
        (lambda t: t.replace("\t22\t1702\t6", "\t22\t1702\t6\t7"), "expected 8 values, found 9"),
        (lambda t: t.replace("\t1702\t", "\t1e300\t"), "too large"),
        (lambda t: t.replace("Frame#", "Frog#"), "no line that starts with 'Frame#'"),
        (lambda t: t[: t.index("\n1\t")], "no frames"),
        (lambda t: "<html>" + t, "HTML"),
    ],
)
def test_broken_tables_say_where_and_what(write, change, said):
    with pytest.raises(FormatError, match=said):
        load_markers(write(change(TRC)))


@pytest.mark.parametrize("suffix", [".trc", ".csv"])
@pytest.mark.parametrize("unit", [None, "cm"])
@pytest.mark.parametrize("up", [None, "z"])
def test_markers_come_back_as_they_were_written(markers, tmp_path, suffix, unit, up):
    path = tmp_path / f"m{suffix}"
    save_markers(markers, path, unit=unit, up=up)
    assert holds_markers(path)
    again = load_markers(path, up=up or "y")
    assert again.names == markers.names
    assert again.fps == pytest.approx(markers.fps)
    assert np.array_equal(again.gaps, markers.gaps)
    assert np.nanmax(np.abs(again.positions - markers.positions)) < 1e-6


def test_a_csv_of_another_program_is_read(write):
    text = "Frame;Time;Head_X;Head_Y;Head_Z\n0;0.00;1;1.7;0\n1;0.01;;;\n2;0.02;1;1.7;0.1\n"
    found = load_markers(write(text, "m.csv"), unit="m", up="y")
    assert found.names == ("Head",)
    assert found.fps == 100
    assert found.gaps[:, 0].tolist() == [False, True, False]


def test_a_stroke_is_no_marker_file(write):
    assert not holds_markers(write("t,x,y\n0,0,0\n1,1,1\n", "s.csv"))
    with pytest.raises(FormatError, match=r"NAME.x"):
        load_markers(write("a,b,c\n", "s.csv"))


@pytest.mark.parametrize("count", [600, pytest.param(50_000, marks=pytest.mark.long)])
def test_broken_tables_give_only_our_errors_and_bounded_memory(markers, tmp_path, rng, count):
    from motionloom.io.markers.csv import read_marker_csv
    from motionloom.io.markers.trc import read_trc

    seeds = []
    for suffix, read in ((".trc", read_trc), (".csv", read_marker_csv)):
        save_markers(markers, tmp_path / f"seed{suffix}")
        seeds.append(((tmp_path / f"seed{suffix}").read_bytes(), read))
    path = tmp_path / "broken"
    tracemalloc.start()
    for n in range(count):
        whole, read = seeds[n % 2]
        raw = bytearray(whole)
        for _ in range(int(rng.integers(1, 6))):
            at = int(rng.integers(0, len(raw)))
            piece = rng.choice([b"\t", b"\n", b",", b"9999999999", b"nan", b"-", b"\xff", b"\0", b"e9", b'"'])
            raw[at : at + int(rng.integers(0, 9))] = bytes(piece)
        path.write_bytes(bytes(raw))
        try:
            found = read(path)
            assert len(found) <= 40
        except FormatError:
            pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def test_rows_that_are_mostly_blank_do_not_fill_the_memory(write):
    names = "\t\t\t".join(f"M{k}" for k in range(20_000))
    text = TRC[: TRC.index("Frame#")] + f"Frame#\tTime\t{names}\n" + "1\t0\t1\n" * 20_000
    with pytest.raises(FormatError, match="mostly blank"):
        load_markers(write(text))
