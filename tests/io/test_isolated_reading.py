"""Libraries of others in a process of their own: what they do to it becomes an error that names the file."""

from __future__ import annotations

import operator
import os
import runpy
import sys

import pytest

from motionloom.core import FormatError
from motionloom.io import isolated_reading
from motionloom.io.isolated_reading import read_in_own_process

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory and signals")


def test_a_crash_is_an_error_that_names_the_file(tmp_path):
    (tmp_path / "walk.usd").write_text("import os; os.abort()")
    with pytest.raises(FormatError, match=r"walk.usd: the USD library failed \(.* was killed by SIGABRT\)"):
        read_in_own_process(runpy.run_path, tmp_path / "walk.usd", library="USD", modules=())


def test_memory_is_limited_and_given_back(tmp_path):
    with pytest.raises(FormatError, match=r"walk.usd: needs more than 1.0 GB of memory"):
        read_in_own_process(operator.mul, tmp_path / "walk.usd", 1 << 32, library="USD", modules=())
    assert read_in_own_process(operator.mul, tmp_path / "walk.usd", 2, library="USD", modules=()) == 2 * str(
        tmp_path / "walk.usd"
    )


def test_a_file_that_takes_too_long_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(isolated_reading, "SECONDS", 0.1)
    os.mkfifo(tmp_path / "walk.usd")  # opening it waits for a writer
    with pytest.raises(FormatError, match=r"walk.usd: not read within 0 s"):
        read_in_own_process(open, tmp_path / "walk.usd", library="USD", modules=())
