"""Programs that are fed through their standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from motionloom.jobs import JobFailed
from motionloom.jobs.other_program import run_program


def test_a_program_reads_the_pieces_in_order(tmp_path: Path) -> None:
    copy = "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())"
    run_program([sys.executable, "-c", copy, str(tmp_path / "out")], [b"ab", b"", b"c" * 100_000])
    assert (tmp_path / "out").read_bytes() == b"ab" + b"c" * 100_000


def test_a_program_that_fails_is_reported_with_its_last_line() -> None:
    with pytest.raises(JobFailed, match=r"exit code 3\): no such codec"):
        run_program([sys.executable, "-c", "import sys; print('no such codec', file=sys.stderr); sys.exit(3)"], [])


def test_a_program_that_stops_reading_is_reported_too() -> None:
    with pytest.raises(JobFailed, match="exit code 1"):
        run_program([sys.executable, "-c", "raise SystemExit(1)"], [b"x" * 1_000_000] * 3)


def test_an_error_while_making_the_pieces_ends_the_program() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"x"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_program([sys.executable, "-c", "import time; time.sleep(60)"], pieces())
