"""A process that runs fuzzing cases; `runner.py` starts it.

python -P worker.py FOLDER SCRATCH SECONDS MEGABYTES: reads lines `KIND FIRST COUNT` and prints `bad N REASON` and
`done READ`. The number of the current case is kept in the file SCRATCH/case, which outlives a crash. A case that takes
SECONDS of processor time ends the process (SIGPROF); compiling kernels is not counted.
"""

from __future__ import annotations

import faulthandler
import mmap
import os
import resource
import signal
import struct
import sys
import traceback
import warnings
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import BY_NAME, prepare, run_case

CASE = struct.Struct("<q")


def peak() -> int:
    """The largest memory of this process since `forget_peak`, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def forget_peak() -> None:
    """Measure the largest memory from here on, where the system can."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def exempt_compiling() -> None:
    """Stop the clock of a case while numba compiles: that depends on what earlier cases have used, not on the file."""
    from numba.core import event

    class Clock(event.Listener):
        depth, left = 0, 0.0

        def on_start(self, found: event.Event) -> None:
            if self.depth == 0:
                self.left = signal.setitimer(signal.ITIMER_PROF, 0)[0]
            self.depth += 1

        def on_end(self, found: event.Event) -> None:
            self.depth -= 1
            if self.depth == 0:
                signal.setitimer(signal.ITIMER_PROF, self.left)

    event.register("numba:compile", Clock())


def require_bounds_checks() -> None:
    """End here, if array bounds should be checked in compiled code and are not."""
    import numpy as np

    from motionloom.core._jit import kernel

    first_after = kernel(lambda array: array[array.size])
    with suppress(IndexError):
        first_after(np.zeros(1))
        raise SystemExit("array bounds are not checked")


def main() -> None:
    if os.environ.get("NUMBA_BOUNDSCHECK") == "1":
        require_bounds_checks()
    folder, scratch, seconds, megabytes = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    out, sys.stdout = sys.stdout, sys.stderr
    faulthandler.enable()
    exempt_compiling()
    warnings.simplefilter("ignore")  # of numpy, for numbers that overflow
    with open(scratch / "case", "r+b") as file:
        current = mmap.mmap(file.fileno(), CASE.size)
    for line in sys.stdin:
        name, first, count = line.split()
        kind = BY_NAME[name]
        here, valid = prepare(kind, folder, scratch)
        run_case(kind, here, valid, -1)  # compiles what it needs
        forget_peak()
        read, before = 0, peak()
        for number in range(int(first), int(first) + int(count)):
            CASE.pack_into(current, 0, number)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            try:
                read += run_case(kind, here, valid, number)
            except Exception as error:
                last = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{Path(last.filename).name}:{last.lineno}"
                text = " ".join(str(error).split())[:200]
                print("bad", number, f"{type(error).__name__} at {where}: {text}", file=out, flush=True)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            grown = peak() - before
            if grown > megabytes:
                print("bad", number, f"{grown} MB of memory", file=out, flush=True)
            if grown > 50:
                forget_peak()
                before = peak()
        print("done", read, file=out, flush=True)


if __name__ == "__main__":
    main()
