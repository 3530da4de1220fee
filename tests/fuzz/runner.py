"""Fuzzing in processes of its own, which may crash or hang; counts are kept in a file, so that a run goes on later.

python tests/fuzz/runner.py out/fuzz --cases 20000 [--kind x.bvh] [--bounds]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS, MEGABYTES = 10, 1000  # limits for one file (all are below 1 MB)


@dataclass
class Tally:
    """Cases of one kind so far."""

    done: int = 0
    read: int = 0  # that were read, and did not end in one of our errors
    bad: dict[str, str] = field(default_factory=dict)  # number of the case: what happened


class Runner:
    """A worker, started again whenever it dies."""

    def __init__(self, folder: Path, *, bounds: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.bounds = folder, bounds
        self._process: subprocess.Popen[str] | None = None

    def run(self, kind: str, first: int, count: int) -> Tally:
        """Run cases `first` ... of a kind."""
        tally, end = Tally(), first + count
        while first < end:
            process = self._worker()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{kind} {first} {end - first}\n")
            process.stdin.flush()
            current = None
            for line in process.stdout:
                word, _, rest = line.rstrip("\n").partition(" ")
                if word == "case":
                    current = int(rest)
                elif word == "bad":
                    number, _, reason = rest.partition(" ")
                    tally.bad[number] = reason
                elif word == "done":
                    tally.read += int(rest)
                    first = end
                    break
            else:  # it died
                code = process.wait()
                self._process = None
                if current is None:
                    raise RuntimeError(f"{kind}: the worker ended with code {code} before its first case")
                hung = code in (1, -signal.SIGPROF)
                tally.bad[str(current)] = f"more than {SECONDS} s" if hung else f"the process ended with code {code}"
                first = current + 1
        tally.done = count
        return tally

    def close(self) -> None:
        """End the worker."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process = None

    def _worker(self) -> subprocess.Popen[str]:
        if self._process is None:
            variables = dict(os.environ)
            if self.bounds:  # indices out of range raise IndexError; other machine code, so another cache
                variables |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(self.folder / "bounds_cache")}
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(HERE / "worker.py"), str(self.folder), str(SECONDS), str(MEGABYTES)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=open(self.folder / "worker.log", "a"),  # noqa: SIM115 -- inherited by the worker
                text=True,
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


def continue_run(folder: Path, cases: int, kinds: list[str] | None = None, *, bounds: bool = False) -> dict[str, Tally]:
    """Run so many further cases, divided among the kinds, and return the counts of all runs."""
    from cases import BY_NAME, KINDS

    chosen = [BY_NAME[name] for name in kinds] if kinds else list(KINDS)
    path = folder / ("bounds.json" if bounds else "counts.json")
    tallies, runner = load_tallies(path), Runner(folder, bounds=bounds)
    shares = [0.01 if kind.slow else 1.0 for kind in chosen]
    try:
        for kind, share in zip(chosen, shares, strict=True):
            before = tallies.get(kind.name, Tally())
            new = runner.run(kind.name, before.done, max(1, round(cases * share / sum(shares))))
            tallies[kind.name] = Tally(before.done + new.done, before.read + new.read, before.bad | new.bad)
            save_tallies(path, tallies)
            print(f"{kind.name:28} {tallies[kind.name].done:8} cases, {len(new.bad)} bad", flush=True)
    finally:
        runner.close()
    return tallies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--kind", action="append")
    parser.add_argument("--bounds", action="store_true", help="check array bounds in compiled code")
    given = parser.parse_args()
    found = continue_run(given.folder, given.cases, given.kind, bounds=given.bounds)
    for name, tally in found.items():
        for number, reason in tally.bad.items():
            print(f"{name} {number}: {reason}")
    print(f"{sum(tally.done for tally in found.values())} cases in all, {sum(len(t.bad) for t in found.values())} bad")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main()
