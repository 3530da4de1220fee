"""The page of formats lists what the table has, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from motionloom.io import FORMATS
from motionloom.io.arrays.npz import clip_arrays
from motionloom.samples import make

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text()


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_has_its_row_and_says_which_ways_it_goes(suffix):
    row = next(line for line in PAGE.splitlines() if line.startswith("| `.") and f"`{suffix}`" in line.split("|")[1])
    entry = FORMATS[suffix]
    _, _, comes_in, goes_out, *_ = (cell.strip() for cell in row.split("|"))
    assert comes_in == ("yes" if entry.read or entry.read_markers or entry.read_many else "")
    assert goes_out == ("yes" if entry.write or entry.write_markers else "")


def test_every_array_of_an_npz_file_is_documented():
    listed = set(re.findall(r"`(\w+)`", PAGE[PAGE.index("## NPZ") : PAGE.index("## SMPL")]))
    assert set(clip_arrays(make("walk", seconds=1))) <= listed


def test_the_numpy_lines_of_the_coming_and_going_page_work(tmp_path):
    import numpy as np

    from motionloom.io import load, save
    from motionloom.kinematics import fk

    walk = make("walk", seconds=1)
    save(walk, tmp_path / "walk.npz")
    with np.load(tmp_path / "walk.npz") as there:
        assert there["rotations"].shape == (len(walk), len(walk.skeleton), 4)
        needed = {name: there[name] for name in ("names", "parents", "offsets", "root", "rotations")}
    np.savez(tmp_path / "mine.npz", **needed, fps=30.0)
    assert fk(load(tmp_path / "mine.npz")).shape == (len(walk), len(walk.skeleton), 3)
