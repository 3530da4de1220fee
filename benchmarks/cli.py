"""Command line figures: how long a person waits for `--help`, and for `info` on a library of clips."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.timing import MOCAP, figure

HELP, INFO = "command line: --help", "command line: info on the mocap folder"
COMMAND = Path(sys.executable).with_name("motionloom")


def figures() -> list[dict[str, Any]]:
    """Seconds from pressing return to the last line, in new processes: the best of several."""
    helped = best_of(7, "--help")
    out = [figure(HELP, helped, "< 0.4", unit="s", note="best of 7 new processes")]
    if not MOCAP.is_dir():
        return [*out, figure(INFO, None, "< 5", unit="s", note="not measured: ../shared/mocap is not here")]
    seconds = best_of(3, "info", str(MOCAP))
    return [*out, figure(INFO, seconds, "< 5", unit="s", note="156 clips, 80 MB; best of 3, compiled code cached")]


def best_of(times: int, *arguments: str) -> float:
    """The shortest of several runs of the command."""
    return min(_run(arguments) for _ in range(times))


def _run(arguments: tuple[str, ...]) -> float:
    start = time.perf_counter()
    subprocess.run([str(COMMAND), *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start
