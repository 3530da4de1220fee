"""A process that runs fuzzing cases and prints one line for each; `runner.py` starts it.

python -P worker.py FOLDER SECONDS MEGABYTES: reads lines `KIND FIRST COUNT` and prints `case N`, `bad N REASON` and
`done READ`. A case that takes too long ends the process: SECONDS of processor time (SIGPROF), or ten times as long.
"""

from __future__ import annotations

import faulthandler
import resource
import signal
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import BY_NAME, prepare, run_case


def resident() -> int:
    """The largest memory of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    folder, seconds, megabytes = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    out, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        name, first, count = line.split()
        kind = BY_NAME[name]
        here, valid = prepare(kind, folder)
        run_case(kind, here, valid, -1)  # compiles what it needs
        read = 0
        for number in range(int(first), int(first) + int(count)):
            print("case", number, file=out, flush=True)
            before = resident()
            signal.setitimer(signal.ITIMER_PROF, seconds)
            faulthandler.dump_traceback_later(10 * seconds, exit=True)
            try:
                read += run_case(kind, here, valid, number)
                if resident() - before > megabytes:
                    print("bad", number, f"{resident() - before} MB of memory", file=out, flush=True)
            except Exception as error:
                last = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{Path(last.filename).name}:{last.lineno}"
                text = " ".join(str(error).split())[:200]
                print("bad", number, f"{type(error).__name__} at {where}: {text}", file=out, flush=True)
            finally:
                faulthandler.cancel_dump_traceback_later()
                signal.setitimer(signal.ITIMER_PROF, 0)
        print("done", read, file=out, flush=True)


if __name__ == "__main__":
    main()
