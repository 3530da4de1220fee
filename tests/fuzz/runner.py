"""Fuzzing in processes of its own, which may crash or hang; counts are kept in a file, so that a run goes on later.

python tests/fuzz/runner.py out/fuzz --cases 20000 [--kind x.bvh] [--minutes 30] [--bounds]
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
MEMORY_DISK = Path("/dev/shm")  # the files of cases are written here, if it exists: a disk costs milliseconds for each
SECONDS, MEGABYTES = 10, 1000  # limits for one file (all are below 1 MB)
PATIENCE = 600.0  # s that a case may take by the clock, for processes that wait; the machine may be busy
PREPARATION = (
    7200.0  # s by the clock for what comes before the first case of a kind: models are learned, kernels compiled
)
ROUND = 50_000  # cases of all kinds before the first kind has its next turn; counts are written after each kind
PREPARING = struct.pack("<q", -1)  # number of the case while a kind is prepared


@dataclass
class Tally:
    """Cases of one kind so far."""

    done: int = 0
    read: int = 0  # that were read, and did not end in one of our errors
    bad: dict[str, str] = field(default_factory=dict)  # number of the case: what happened
    fixed: dict[str, str] = field(default_factory=dict)  # what happened in an earlier run, and does not any longer


class Runner:
    """A worker, started again whenever it dies."""

    def __init__(self, folder: Path, *, bounds: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.bounds = folder, bounds
        self._scratch = tempfile.TemporaryDirectory(dir=MEMORY_DISK if MEMORY_DISK.is_dir() else None)
        self._case = Path(self._scratch.name) / "case"
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, kind: str, first: int, count: int) -> Tally:
        """Run cases `first` ... of a kind."""
        tally, end = Tally(), first + count
        while first < end:
            self._case.write_bytes(PREPARING)
            process = self._worker()
            assert process.stdin is not None
            process.stdin.write(f"{kind} {first} {end - first}\n".encode())
            process.stdin.flush()
            for line in self._lines(process):
                word, _, rest = line.partition(" ")
                if word == "bad":
                    number, _, reason = rest.partition(" ")
                    tally.bad[number] = reason
                elif word == "done":
                    tally.read += int(rest)
                    first = end
                    break
            else:  # it died
                code = process.wait()
                self._process = None
                current = struct.unpack("<q", self._case.read_bytes())[0]
                if current < 0:
                    raise RuntimeError(f"{kind}: the worker ended with code {code} before its first case")
                hung = {-signal.SIGPROF: f"more than {SECONDS} s", -signal.SIGKILL: f"waited for {PATIENCE:g} s"}
                tally.bad[str(current)] = hung.get(code, f"the process ended with code {code}")
                first = current + 1
        tally.done = count
        return tally

    def _lines(self, process: subprocess.Popen[bytes]) -> Iterator[str]:
        """What the worker prints, until it ends; it is killed if one case lasts too long."""
        assert process.stdout is not None
        held, case, since = b"", b"", time.monotonic()
        while True:
            if select.select([process.stdout], [], [], 5.0)[0]:
                data = os.read(process.stdout.fileno(), 1 << 16)
                if not data:
                    return
                *lines, held = (held + data).split(b"\n")
                yield from (line.decode() for line in lines)
            now = self._case.read_bytes()
            if now != case:
                case, since = now, time.monotonic()
            elif time.monotonic() - since > (PREPARATION if case == PREPARING else PATIENCE):
                process.kill()

    def close(self) -> None:
        """End the worker."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process = None
        self._scratch.cleanup()

    def _worker(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            variables = dict(os.environ)
            if self.bounds:  # indices out of range raise IndexError; other machine code, so another cache
                variables |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(self.folder / "bounds_cache")}
            limits = (str(SECONDS), str(MEGABYTES))
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(HERE / "worker.py"), str(self.folder), self._scratch.name, *limits],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=open(self.folder / "worker.log", "a"),  # noqa: SIM115 -- inherited by the worker
                env=variables,
            )
        return self._process


def load_tallies(path: Path) -> dict[str, Tally]:
    """The counts of earlier runs."""
    return {name: Tally(**facts) for name, facts in json.loads(path.read_text()).items()} if path.exists() else {}


def save_tallies(path: Path, tallies: dict[str, Tally]) -> None:
    """Write the counts, replacing the file."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps({name: vars(tally) for name, tally in tallies.items()}, indent=1))
    os.replace(part, path)


def continue_run(
    folder: Path, cases: int, kinds: list[str] | None = None, *, bounds: bool = False, minutes: float = float("inf")
) -> dict[str, Tally]:
    """Run so many further cases, divided among the kinds, or until the time is over; the counts of all runs."""
    from cases import BY_NAME, KINDS

    chosen = [BY_NAME[name] for name in kinds] if kinds else list(KINDS)
    path = folder / ("bounds.json" if bounds else "counts.json")
    tallies, runner = load_tallies(path), Runner(folder, bounds=bounds)
    whole, end = sum(kind.share for kind in chosen), time.monotonic() + 60 * minutes
    try:
        for kind in chosen:
            _try_again(runner, kind.name, tallies.get(kind.name, Tally()))
        left = cases
        while left > 0 and time.monotonic() < end:
            share = min(left, ROUND) / whole
            left -= ROUND
            for kind in chosen:
                if time.monotonic() > end:
                    break
                before = tallies.get(kind.name, Tally())
                new = runner.run(kind.name, before.done, max(1, round(share * kind.share)))
                done, read = before.done + new.done, before.read + new.read
                tallies[kind.name] = Tally(done, read, before.bad | new.bad, before.fixed)
                save_tallies(path, tallies)
                for number, reason in new.bad.items():
                    print(f"{kind.name} {number}: {reason}", flush=True)
            print(f"{sum(tally.done for tally in tallies.values())} cases", flush=True)
    finally:
        runner.close()
    return tallies


def _try_again(runner: Runner, kind: str, tally: Tally) -> None:
    """Run the cases that failed in earlier runs."""
    for number, reason in list(tally.bad.items()):
        del tally.bad[number]
        now = runner.run(kind, int(number), 1).bad
        tally.bad.update(now)
        if not now:
            tally.fixed[number] = reason


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--kind", action="append")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so many minutes")
    parser.add_argument("--bounds", action="store_true", help="check array bounds in compiled code")
    given = parser.parse_args()
    found = continue_run(given.folder, given.cases, given.kind, bounds=given.bounds, minutes=given.minutes)
    for name, tally in found.items():
        print(f"{name:28} {tally.done:8} cases, {tally.read} read, {len(tally.bad)} bad")
        for number, reason in tally.bad.items():
            print(f"    {number}: {reason}")
    print(f"{sum(tally.done for tally in found.values())} cases in all, {sum(len(t.bad) for t in found.values())} bad")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main()
