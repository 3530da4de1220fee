"""Progress: what reporting costs, how long the callback waits at most, and how soon commands end on Ctrl-C."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.timing import MOCAP, figure, paired_ratio
from motionloom import samples
from motionloom.constraints import Request, RootPath
from motionloom.core import Clip, Progress
from motionloom.core.progress import Silent
from motionloom.evaluate import compare_methods, evaluate_clips
from motionloom.evaluate.evaluation import evaluate_take
from motionloom.evaluate.reference import reference
from motionloom.io import load, save
from motionloom.methods import attempt, learn, save_model

PATH = RootPath(points=((0, 0), (0, 3), (3, 4)), weight=1.0)
MAIN = """
import signal, sys
from motionloom.cli import progress_bars
signal.signal(signal.SIGINT, signal.default_int_handler)  # a benchmark in the background would ignore it
doing, report = sys.argv.pop(1), progress_bars.Lines.__call__
def announced(self, share, stage):
    if self._doing == doing and share:
        print("working", flush=True)
        progress_bars.Lines.__call__ = report
    report(self, share, stage)
progress_bars.Lines.__call__ = announced
from motionloom.cli import main
main()
"""  # prints a line at the first report of the work itself, after imports, reading and compilation
OVERHEAD_SECONDS = 14.0  # s of processor time that the runs of one task take together
OVERHEAD_ROUNDS = 11  # at least
LATER = 0.3  # s from the first report of the work to Ctrl-C, so that the signal arrives in the middle of it

Work = Callable[[Progress | None], Any]


class Intervals(Silent):
    """Measures the longest time between two calls."""

    def __init__(self) -> None:
        super().__init__()
        self._last, self.longest, self.stage = time.perf_counter(), 0.0, ""

    def __call__(self, share: float | None, stage: str) -> None:
        super().__call__(share, stage)
        now = time.perf_counter()
        if now - self._last > self.longest:
            self.longest, self.stage = now - self._last, stage
        self._last = now


def figures() -> list[dict[str, Any]]:
    return [*_overheads(), *_intervals(), *_interrupts()]


def _overheads() -> list[dict[str, Any]]:
    """The processor time with a callback over that without, in turns, for tasks of seconds."""
    clips = [samples.make("dance", seed=seed, seconds=20) for seed in range(2)]
    short = [samples.make("dance", seed=seed, seconds=12) for seed in range(2)]
    graph, levels = learn("motion-graph", clips), learn("hierarchical-graph", clips)
    request = Request(seconds=15, constraints=(PATH,))
    works: dict[str, Work] = {
        "learning textons": lambda p: learn("textons", short, progress=p),
        "learning a motion graph": lambda p: learn("motion-graph", short, progress=p),
        "beam search": lambda p: attempt(graph, request, progress=p),
        "hierarchical search": lambda p: attempt(levels, request, progress=p),
        "evaluating": lambda p: evaluate_clips(short[:1], short[1:], progress=p),
    }
    out = []
    for name, work in works.items():
        rounds = _rounds(work)
        ratio, error, plain = paired_ratio(partial(work, None), partial(_with_callback, work), rounds=rounds)
        note = (
            f"median of {rounds} pairs of single runs in turns, standard error {100 * error:.2f} %; {1000 * plain:.0f} "
            f"ms of processor time without a callback; {_inside(work)}"
        )
        out.append(figure(f"progress: overhead in {name}", round(100 * (ratio - 1), 2), "<= 2", unit="%", note=note))
    return out


def _rounds(work: Work) -> int:
    """How many pairs of runs take `OVERHEAD_SECONDS`: short runs in close turns meet the same state of the machine."""
    work(None)  # compiled before
    begin = time.process_time()
    work(None)
    return max(OVERHEAD_ROUNDS, math.ceil(OVERHEAD_SECONDS / (2 * (time.process_time() - begin))))


class Inside(Silent):
    """Counts the calls and the time that they take themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.calls, self.seconds = 0, 0.0

    def __call__(self, share: float | None, stage: str) -> None:
        begin = time.perf_counter()
        super().__call__(share, stage)
        self.calls += 1
        self.seconds += time.perf_counter() - begin


def _inside(work: Work) -> str:
    callback = Inside()
    begin = time.perf_counter()
    work(callback)
    return f"{callback.calls} calls take {100 * callback.seconds / (time.perf_counter() - begin):.3f} % of a run"


def _with_callback(work: Work) -> Any:
    return work(Intervals())


def _intervals() -> list[dict[str, Any]]:
    """The longest time between two calls of the callback, on captured clips."""
    works = _captured() if MOCAP.is_dir() else {}
    out = []
    for name, work in works.items():
        work(None)  # compiled before
        seen = Intervals()
        work(seen)
        note = f"before stage {seen.stage!r}"
        out.append(figure(f"progress: longest interval, {name}", round(seen.longest, 3), "<= 0.5", unit="s", note=note))
    return out


def _captured() -> dict[str, Work]:
    salsa = [load(path, trim_tpose=True) for path in sorted(MOCAP.glob("cmu/60_*.bvh"))[:2]]
    walks = [load(path, trim_tpose=True) for path in sorted(MOCAP.glob("cmu/16_*.bvh"))[:10]]
    graph = learn("motion-graph", walks)
    asked = Request(constraints=(PATH,))
    made: list[Clip] = [clip for seed in range(2) if (clip := attempt(graph, asked, seed=seed).clip) is not None]
    plain = Request(seconds=4)
    return {
        "learning textons, two salsa takes": lambda p: learn("textons", salsa, progress=p),
        "learning a motion graph, ten takes": lambda p: learn("motion-graph", walks, progress=p),
        "path search": lambda p: attempt(graph, asked, progress=p),
        "evaluate": lambda p: evaluate_take(made[0], reference(walks), progress=p),
        "compare": lambda p: compare_methods(walks[:4], plain, methods=["cuts", "motion-graph"], count=1, progress=p),
    }


def _interrupts() -> list[dict[str, Any]]:
    """Seconds from the signal to the exit of commands that take long."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        clips = [samples.make("dance", seconds=60, seed=seed) for seed in range(4)]
        for k, clip in enumerate(clips):
            save(clip, folder / "clips" / f"dance_{k}.bvh")
        for method in ("hierarchical-graph", "texture"):
            save_model(learn(method, clips[:2]), folder / f"{method}.loom")
        dances, first, second = (str(folder / "clips" / part) for part in ("", "dance_0.bvh", "dance_1.bvh"))
        graph, texture, out = (str(folder / part) for part in ("hierarchical-graph.loom", "texture.loom", "out"))
        far = "{seconds: 60, options: {budget: 1000000}, constraints: [{reach: {position: [3, 9], by: 50, weight: 1}}]}"
        long = "{seconds: 600, options: {variant: faithful}}"
        return [
            _interrupt(name, doing, arguments)
            for name, doing, *arguments in (
                ("learning textons", "learning", "learn", "textons", dances, "-o", f"{out}.loom"),
                ("learning variation", "learning", "learn", "variation", dances, "-o", f"{out}.loom"),
                ("hierarchical search", "making", "synthesize", graph, "-r", far, "--count", "20", "-o", out),
                ("texture", "making", "synthesize", texture, "-r", long, "-o", f"{out}.bvh"),
                ("transfer", "transferring", "transfer", first, second, first, "-o", f"{out}.bvh"),
                ("evaluate", "measuring", "evaluate", dances, "--source", dances),
            )
        ]


def _interrupt(work: str, doing: str, arguments: list[str]) -> dict[str, Any]:
    """The time to the exit of a command that is interrupted during its work `doing`, as its progress calls it."""
    worst, codes = 0.0, []
    for _ in range(3):
        running = subprocess.Popen(
            [sys.executable, "-P", "-c", MAIN, doing, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert running.stdout is not None
        running.stdout.readline()
        time.sleep(LATER)
        begin = time.perf_counter()
        running.send_signal(signal.SIGINT)
        running.stdout.read()
        codes.append(running.wait())
        worst = max(worst, time.perf_counter() - begin)
    note = f"worst of 3; exit codes {', '.join(map(str, codes))} (130: cancelled)"
    value = round(worst, 3) if set(codes) == {130} else None
    return figure(f"progress: Ctrl-C in {work}, to the exit", value, "<= 0.5", unit="s", note=note)
