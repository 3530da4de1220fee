"""Handwritten letters from MATLAB files: velocities added up, padding left out, letters as labels."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from motionloom.core import FormatError
from motionloom.io import load, load_many


def cells(values: list[Any]) -> np.ndarray:
    out = np.empty((1, len(values)), object)
    for k, value in enumerate(values):
        out[0, k] = value
    return out


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    """Two letters: a line to the right with zeros around it, and a line up."""
    line = np.zeros((3, 8))
    line[0, 2:6] = [1, 2, 3, 2]
    up = np.zeros((3, 5))
    up[1] = 4
    path = tmp_path / "letters.mat"
    savemat(path, {"xtrain": cells([line, up]), "ytrain": np.array([[2, 1]], np.uint8), "key": cells(["a", "b"])})
    return path


def test_velocities_are_added_up_and_padding_is_left_out(letters):
    line, up = load_many(letters)
    assert line.root[:, 0] / 0.00025 == pytest.approx([1, 3, 6, 8])
    assert np.ptp(line.root[:, 1:]) == 0
    assert line.origin.main()[1].tolist() == [2, 3, 4, 5]
    assert up.root[:, 1] / 0.00025 == pytest.approx([4, 8, 12, 16, 20])
    assert line.fps == 200


def test_letters_are_names_and_labels(letters):
    line, up = load_many(letters)
    assert (line.name, up.name) == ("b_0001", "a_0001")
    assert line.label("b").all()


def test_load_says_that_there_are_many(letters):
    with pytest.raises(FormatError, match="load_many"):
        load(letters)


def test_other_and_broken_matlab_files_say_what_is_missing(tmp_path, letters, rng):
    savemat(tmp_path / "x.mat", {"a": np.ones(3)})
    with pytest.raises(FormatError, match="no xtrain"):
        load_many(tmp_path / "x.mat")
    (tmp_path / "y.mat").write_bytes(b"HIERARCHY")
    with pytest.raises(FormatError, match="not a MATLAB"):
        load_many(tmp_path / "y.mat")
    whole = letters.read_bytes()
    for _ in range(2000):
        raw = bytearray(whole)
        for _ in range(4):
            raw[int(rng.integers(128, len(raw)))] = int(rng.integers(256))
        (tmp_path / "z.mat").write_bytes(bytes(raw))
        try:
            load_many(tmp_path / "z.mat")
        except FormatError:
            continue


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        (struct.pack("<II", 2, 32 << 20) + bytes(32 << 20), "packed parts are over 64 MB"),
        (b"\x0e" + bytes(7) + bytes(1 << 20), "more than 100000 parts"),
    ],
)
def test_packed_parts_that_expand_far_beyond_the_file_are_refused(inside, message, tmp_path):
    """Three parts of 250 MB took 1.3 GB from 765 KB; parts without contents take their memory as objects."""
    packed = zlib.compress(inside, 9)
    part = struct.pack("<II", 15, len(packed)) + packed
    (tmp_path / "x.mat").write_bytes(b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM" + 3 * part)
    with pytest.raises(FormatError, match=message):
        load_many(tmp_path / "x.mat")


@pytest.mark.parametrize("packed", [False, True])
def test_the_reader_agrees_with_scipy(tmp_path, packed, rng):
    from motionloom.io.reader_notes import Notes
    from motionloom.io.strokes.mat5 import read_mat5

    numbers = {k: (rng.normal(size=(3, 4)) * 50).astype(k) for k in ("f8", "f4", "u1", "i4", "i2")}
    savemat(tmp_path / "n.mat", {**numbers, "word": "abc", "c": cells(["x", np.eye(2)])}, do_compression=packed)
    found = read_mat5((tmp_path / "n.mat").read_bytes(), Notes("n.mat"))
    for name, value in numbers.items():
        assert np.array_equal(found[name], value)
    assert found["word"] == "abc"
    assert found["c"][0] == "x"
    assert np.array_equal(found["c"][1], np.eye(2))


def test_the_real_set_gives_letters_of_about_a_centimetre(mocap):
    clips = load_many(mocap / "handwriting" / "trajectories_train.mat")
    assert len(clips) == 1429
    sizes = np.median([np.ptp(c.root[:, :2], axis=0) for c in clips], axis=0)
    assert sizes.min() > 0.005
    assert sizes.max() < 0.02
    assert len({c.label_names[0] for c in clips}) == 20
