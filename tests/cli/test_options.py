"""What the commands share: progress bars, lines, tables."""

from __future__ import annotations

import io
import sys

import pytest

from motionloom.cli.options import columns
from motionloom.cli.progress_bars import busy, progress


class Terminal(io.StringIO):
    """A stream that a person watches."""

    def isatty(self) -> bool:
        return True


def test_long_work_shows_a_progress_bar_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    watched = Terminal()
    monkeypatch.setattr(sys, "stderr", watched)
    monkeypatch.setenv("TERM", "xterm")
    assert list(progress(["a", "b", "c"], "reading")) == ["a", "b", "c"]
    with busy("learning"):
        pass
    assert "reading" in watched.getvalue()
    assert "learning" in watched.getvalue()
    assert capsys.readouterr().out == ""  # standard output stays clean for scripts


def test_a_script_sees_no_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress([1, 2], "reading")) == [1, 2]
    assert capsys.readouterr() == ("", "")


def test_columns_are_aligned_text_to_the_left_and_numbers_to_the_right() -> None:
    assert columns(("clip", "frames"), [("walk.bvh", "9"), ("a", "1200")]) == [
        "clip      frames",
        "walk.bvh       9",
        "a           1200",
    ]
