"""Another program that reads what it needs from its standard input, such as a video encoder."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable, Sequence

from motionloom.jobs.errors import JobFailed


def run_program(command: Sequence[str], pieces: Iterable[bytes]) -> None:
    """Run a program and write `pieces` to its standard input; `JobFailed` with its last words if it fails.

    If making the pieces is interrupted or fails, the program is killed.

    >>> import sys
    >>> run_program([sys.executable, "-c", "import sys; assert sys.stdin.read() == 'ab'"], [b"a", b"b"])
    """
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=messages)
        assert process.stdin is not None
        try:
            for piece in pieces:
                process.stdin.write(piece)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it has ended early: its exit code and message follow
        except BaseException:
            process.kill()
            process.wait()
            raise
        code = process.wait()
        messages.seek(0)
        lines = messages.read().decode(errors="replace").strip().splitlines()
    if code:
        raise JobFailed(f"{command[0]} failed (exit code {code}): {lines[-1] if lines else 'no message'}")
