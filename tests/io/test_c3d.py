"""C3D files: machines, missing parameters, gaps, long takes, and files that are broken."""

from __future__ import annotations

import importlib.util
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from motionloom.core import FormatError, Markers
from motionloom.io import load, load_markers
from motionloom.io.markers.c3d import parse_c3d
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import Reading

_spec = importlib.util.spec_from_file_location("c3d_files", Path(__file__).with_name("c3d_files.py"))
assert _spec is not None
assert _spec.loader is not None
files = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(files)
c3d_bytes, INTEL, DEC, MIPS = files.c3d_bytes, files.INTEL, files.DEC, files.MIPS

USUAL = {
    "POINT:USED": 2,
    "POINT:FRAMES": 5,
    "POINT:RATE": 100.0,
    "POINT:UNITS": "mm",
    "POINT:LABELS": ["LTOE", "HEAD"],
    "POINT:Y_SCREEN": "+Z",
}


@pytest.fixture
def points(rng: np.random.Generator) -> np.ndarray:
    """Two markers over five frames, in mm, z up: a toe and a head."""
    return rng.uniform(-50, 50, (5, 2, 3)) + [[[0, 0, 60], [0, 0, 1700]]]


def read(raw: bytes, **options: object) -> Markers:
    return parse_c3d(raw, Notes("take.c3d"), Reading(**options))


@pytest.mark.parametrize("machine", [INTEL, DEC, MIPS])
@pytest.mark.parametrize("floats", [True, False])
def test_the_numbers_of_every_machine_are_read(points, machine, floats):
    found = read(c3d_bytes(points, machine=machine, floats=floats, scale=0.1, parameters=USUAL))
    assert found.names == ("LTOE", "HEAD")
    assert found.fps == 100
    wanted = np.stack([points[..., 0], points[..., 2], -points[..., 1]], -1) / 1000
    assert np.abs(found.positions - wanted).max() < (1e-6 if floats else 6e-5)


def test_analog_samples_between_the_points_are_stepped_over(points):
    plain, mixed = (read(c3d_bytes(points, parameters=USUAL, analog=n)) for n in (0, 6))
    assert np.array_equal(plain.positions, mixed.positions)


def test_a_negative_residual_is_a_gap(points):
    seen = np.ones((5, 2), bool)
    seen[2:4, 1] = False
    assert np.array_equal(~read(c3d_bytes(points, parameters=USUAL, seen=seen)).gaps, seen)


def test_missing_parameters_are_taken_from_the_header_and_the_markers(points):
    found = read(c3d_bytes(points))
    assert found.names == ("M1", "M2")
    assert found.fps == 100
    assert len(found) == 5
    said = "\n".join(map(str, found.origin.notes))
    assert "no unit is given: mm assumed" in said
    assert "up axis z assumed" in said


@pytest.mark.parametrize(("unit", "size"), [("mm", 1.0), ("m", 0.001), ("cm", 0.1)])
def test_blank_units_are_told_by_the_size_of_the_body(points, unit, size):
    found = read(c3d_bytes(points * size, parameters=USUAL | {"POINT:UNITS": "  "}))
    assert found.positions[:, 1, 1].mean() == pytest.approx(1.7, abs=0.05)
    assert f"{unit} assumed" in "\n".join(map(str, found.origin.notes))


def test_head_and_toe_tell_the_up_axis_where_the_file_does_not(points):
    names = {k: v for k, v in USUAL.items() if k != "POINT:Y_SCREEN"}
    found = read(c3d_bytes(points[..., [0, 2, 1]], parameters=names))
    assert found.origin.up == "y"
    assert found.positions[:, 1, 1].mean() == pytest.approx(1.7, abs=0.05)


def test_names_that_repeat_or_are_missing_are_made_up(points):
    found = read(c3d_bytes(np.repeat(points, 2, 1), parameters=USUAL | {"POINT:LABELS": ["A", "A"], "POINT:USED": 4}))
    assert found.names == ("A", "A_2", "M3", "M4")


@pytest.mark.parametrize(
    "length",
    [
        {"TRIAL:ACTUAL_START_FIELD": [1, 0], "TRIAL:ACTUAL_END_FIELD": [70_000 - 65536, 1]},
        {"POINT:LONG_FRAMES": 70_000.0},
        {"POINT:FRAMES": 70_000.0},
    ],
)
def test_more_than_65535_frames_are_read(length):
    path = np.arange(70_000.0)[:, None, None] * [[[0.01, 0.0, 0.02]]] + 1
    found = read(c3d_bytes(path, parameters={"POINT:UNITS": "mm"} | length))
    assert len(found) == 70_000
    assert found.positions[-1, 0, 0] == pytest.approx((69_999 * 0.01 + 1) / 1000)


def test_a_long_file_that_does_not_say_its_length_is_measured():
    found = read(c3d_bytes(np.ones((65_536 + 128, 1, 3)), parameters={"POINT:UNITS": "mm"}))
    assert len(found) == 65_536 + 128
    assert "by the size of the file" in "\n".join(map(str, found.origin.notes))


def test_a_cut_file_gives_the_frames_it_has_and_a_strict_reader_refuses(points):
    raw = c3d_bytes(np.repeat(points, 40, 0), parameters=USUAL | {"POINT:FRAMES": 200})[:-2048]
    found = read(raw)
    assert 0 < len(found) < 200
    assert "expected 200 frames" in "\n".join(map(str, found.origin.notes))
    with pytest.raises(FormatError, match="expected 200 frames"):
        parse_c3d(raw, Notes("take.c3d", strict=True))


def test_what_is_no_c3d_file_says_what_it_is(tmp_path):
    for content, said in ((b"HIERARCHY\n" * 100, "not a C3D"), (b"PK\x03\x04" + bytes(600), "zip"), (b"", "empty")):
        (tmp_path / "x.c3d").write_bytes(content)
        with pytest.raises(FormatError, match=said):
            load_markers(tmp_path / "x.c3d")


def test_load_says_that_markers_are_no_clip(tmp_path, points):
    (tmp_path / "x.c3d").write_bytes(c3d_bytes(points))
    with pytest.raises(FormatError, match="load_markers"):
        load(tmp_path / "x.c3d")


def test_a_real_capture_agrees_with_ezc3d(mocap):
    import ezc3d

    path = mocap / "c3d" / "sample_OptiTrack_walking.c3d"
    found = load_markers(path)
    other = ezc3d.c3d(str(path))
    wanted = other["data"]["points"][:3].transpose(2, 1, 0) / 1000
    wanted = np.stack([wanted[..., 0], wanted[..., 2], -wanted[..., 1]], -1)
    assert found.names == tuple(other["parameters"]["POINT"]["LABELS"]["value"])
    assert np.array_equal(found.gaps, np.isnan(wanted[..., 0]))
    assert np.nanmax(np.abs(found.positions - wanted)) < 1e-9


@pytest.mark.parametrize("count", [1000, pytest.param(50_000, marks=pytest.mark.long)])
def test_broken_files_give_only_our_errors_and_bounded_memory(points, rng, count):
    whole = [
        c3d_bytes(points, machine=machine, floats=floats, parameters=USUAL)
        for machine in (INTEL, DEC, MIPS)
        for floats in (True, False)
    ]
    tracemalloc.start()
    for n in range(count):
        raw = bytearray(whole[n % len(whole)])
        for _ in range(int(rng.integers(1, 8))):
            raw[int(rng.integers(0, 1024))] = int(rng.choice([0, 1, 0x7F, 0x80, 0xFF, int(rng.integers(256))]))
        if n % 3 == 0:
            raw = raw[: int(rng.integers(0, len(raw) + 1))]
        try:
            found = read(bytes(raw))
            assert found.positions.size <= 3 * len(raw)
        except FormatError:
            pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
