"""The terms of a clip travel with it."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import FormatError, Origin, concatenate, replace
from motionloom.io import load, save
from motionloom.io.arrays.npz import clip_arrays

FREE, BOUND = "free for all uses", "CC BY-NC 4.0"


def under(clip, licence):
    return replace(clip, origin=Origin(licence=licence))


@pytest.mark.parametrize("name", ["LICENSE", "LICENSE.txt", "licence.txt"])
def test_the_licence_of_a_folder_is_that_of_its_clips(tiny, tmp_path, name):
    save(tiny, tmp_path / "a.bvh", unit="m")
    (tmp_path / name).write_text(f"{BOUND}\n\n=====\n")
    assert load(tmp_path / "a.bvh").origin.licence == BOUND


def test_clips_laid_one_after_the_other_are_under_the_terms_of_all(tiny):
    both = concatenate([under(tiny, FREE), under(tiny, BOUND), tiny])
    assert both.origin.licence == f"{FREE} | {BOUND}"
    assert concatenate([both, under(tiny, BOUND)]).origin.licence == f"{FREE} | {BOUND}"
    assert concatenate([tiny, tiny]).origin.licence == ""


def test_an_npz_file_holds_the_licence_itself(tiny, tmp_path):
    save(under(tiny, BOUND), tmp_path / "a.npz")
    (tmp_path / "a.licence.txt").unlink()
    assert load(tmp_path / "a.npz").origin.licence == BOUND
    assert "licence" not in clip_arrays(tiny)


def test_a_licence_that_is_no_text_is_refused(tiny, tmp_path):
    np.savez(tmp_path / "a.npz", **clip_arrays(tiny), licence=np.arange(3))
    with pytest.raises(FormatError, match="expected one text"):
        load(tmp_path / "a.npz")
