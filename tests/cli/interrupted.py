"""Writing commands in forked processes that are killed at a file event (SIGKILL) or have a full disk.

Forked from a process that has imported and compiled everything, a command costs its own work only. A killed command
is run again where it left the files, unless an earlier kill left exactly the same ones.

python tests/cli/interrupted.py out/kills.json --kills 1000 --full 120 [--command align]
"""

from __future__ import annotations

import argparse
import errno
import io
import json
import os
import re
import shutil
import signal
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import numpy as np

from motionloom.cli.app import app
from motionloom.cli.study_server import Refused, Study
from motionloom.evaluate.study import Rating, read_ratings, write_ratings
from motionloom.io import save
from motionloom.io.atomic_files import STAGING
from motionloom.methods import METHODS, learn, save_model
from motionloom.samples import make
from motionloom.samples.gaze_takes import make_take

LOOK = "{constraints: [look_at: {target: [2, 1.5, 3], span: [1.0, 1.4]}]}"
EVENTS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink")
TRACEBACK = 4  # exit code of a process that ended in an error that is not ours

COMMANDS = {  # each replaces what an earlier version of itself wrote
    "samples": ["samples", "walk", "--seconds", "1", "--seed", "{n}", "-o", "s.bvh"],
    "convert": ["convert", "in{n}.bvh", "c.glb", "--force"],
    "folder": ["convert", "in{n}.bvh", "base.bvh", "out", "--to", "npz", "--result-fps", "1{n}", "--force"],
    "fetch": ["fetch", "cmu", "99_0{n}", "-o", "fetched", "--from", "{server}"],
    "remember": ["info", "in{n}.bvh", "--unit", "cm", "--remember"],
    "clean": ["clean", "in{n}.bvh", "-o", "k.bvh", "--force"],
    "view": ["view", "in{n}.bvh", "-o", "v.html"],
    "page": ["view", ".", "-o", "pages/p.html", "--from", "0.{n}", "--browse"],
    "filmstrip": ["view", "in{n}.bvh", "-o", "v.png"],
    "trim": ["trim", "in{n}.bvh", "-o", "t.npz", "--start", "0.2"],
    "strides": ["trim", "in{n}.bvh", "-o", "t.bvh", "--contacts", "left_heel", "--strides", "1"],
    "loop": ["loop", "in{n}.bvh", "-o", "l.bvh"],
    "label": ["label", "add", "in{n}.bvh", "step", "--end", "0.5"],
    "unlabel": ["label", "remove", "in{n}.bvh", "walk", "--end", "0.5"],
    "retarget": ["retarget", "in{n}.bvh", "--to", "base.bvh", "-o", "r.bvh"],
    "append": ["append", "in{n}.bvh", "base.bvh", "-o", "a.bvh"],
    "blend": ["blend", "in{n}.bvh", "base.bvh", "--weights", "0.5,0.5", "-o", "e.bvh"],
    "bands": ["bands", "in{n}.bvh", "--gains", "1,0.{n}", "-o", "f.bvh"],
    "fourier": ["fourier", "in{n}.bvh", "-o", "g.bvh"],
    "splice": ["splice", "in{n}.bvh", "base.bvh", "-o", "sp.bvh", "--picture"],
    "gaze": ["gaze", "gaze.loom", "in{n}.bvh", "-r", "{look}", "-o", "gz.bvh", "--best"],
    "gaze-map": ["gaze-map", "gaze.loom", "-o", "gm.loom", "--strength", "1.{n}1", "--picture", "gm.png"],
    "transfer": ["transfer", "base.bvh", "in{n}.bvh", "base.bvh", "-o", "tr.bvh"],
    "similar": ["similar", "in{n}.bvh", "base.bvh", "-o", "sim"],
    "find": ["find", "in{n}.bvh", ".", "--web", "w.npz", "--threshold", "0.1{n}"],
    "stretches": [
        "find",
        "in{n}.bvh",
        ".",
        "--web",
        "s.npz",
        "--pictures",
        "drawn",
        "--cut",
        "cut",
        "--threshold",
        "0.3",
    ],
    "judge": ["judge", "in{n}.bvh", "base.bvh", "-o", "jud"],
    "align": ["align", "base.bvh", "in{n}.bvh", "-o", "al"],
    "evaluate": ["evaluate", "in{n}.bvh", "--source", "base.bvh", "--picture", "ev.png"],
    "compare": ["compare", "in{n}.bvh", "-r", "{{seconds: 1}}", "--methods", "cuts", "--count", "1", "-o", "cmp.html"],
    "analyse": ["study", "analyse", "ratings{n}.csv", "-o", "an"],
    "rate": ["rate", "{n}", "rated.csv"],  # not a command: the answers of a participant to `study run`
    "learn": ["learn", "cuts", "in{n}.bvh", "-o", "m.loom"],
    "synthesize": ["synthesize", "cuts.loom", "-r", "{{seconds: 2}}", "--seed", "{n}", "-o", "y.bvh"],
    "takes": ["synthesize", "cuts.loom", "-r", "{{seconds: 1}}", "--seed", "{n}", "--count", "2", "-o", "takes"],
    "again": ["again", "made{n}.bvh", "--sources", ".", "-o", "h.bvh"],
    "walk": ["walk", "two-level-graph.loom", "--seconds", "2", "--seed", "{n}", "-o", "w.bvh", "--picture", "w.png"],
    "bake": ["bake", "space{n}.loom", "-o", "baked", "--to", "bvh", "--force"],
    "act": ["act", "two-level-graph.loom", "in{n}.bvh", "-o", "ac.bvh"],
    "choices": ["choices", "two-level-graph.loom", "--follow", "{n}", "-o", "ch.bvh"],
    "graph": ["graph", "{n}.loom", "-o", "gr.png"],
    "edges": ["edges", "{n}.loom", "-o", "ed.png"],
    "reachable": ["reachable", "parametric-graph.loom", "--seconds", "1.{n}", "-o", "re.png"],
    "textons": ["textons", "textons.loom", "--seed", "{n}", "-o", "tx"],
    "texture": ["texture", "texture.loom", "-r", "{{seconds: 1}}", "--seed", "{n}", "-o", "tt"],
    "variation": ["variation", "show", "variation.loom", "--seed", "{n}", "-o", "va"],
    "stream": ["stream", "motion-matching.loom", "--seconds", "1", "--seed", "{n}", "-o", "st.bvh"],
    "vary": [
        "stream",
        "motion-matching.loom",
        "--seconds",
        "1",
        "--vary",
        "variation.loom",
        "--seed",
        "{n}",
        "-o",
        "vy.bvh",
    ],
    "drive": ["drive", "motion-matching.loom", "-r", "{{seconds: 1}}", "--seed", "{n}", "-o", "dr.bvh"],
    "crowd": ["crowd", "motion-matching.loom", "--count", "2", "--seconds", "1", "--seed", "{n}", "-o", "crowd"],
    "scene": [
        "crowd",
        "motion-matching.loom",
        "--count",
        "2",
        "--seconds",
        "1",
        "--seed",
        "{n}",
        "-o",
        "crowd.usda",
        "--force",
    ],
}
TIMED = ("jud/judge.json", "cmp.html")  # files with measured times
ELSEWHERE = {  # commands with -o that are not interrupted here, and why
    "demo": "runs the commands above; the page is written last",
    "study run": "a server that ends by Ctrl-C: `rate` below does what it does with an answer",
}


class Stage(NamedTuple):
    """A command, a folder after an earlier run of it, and what a complete run makes of that folder."""

    folder: Path
    new: dict[str, bytes]
    command: list[str]
    events: int
    finished: set[str]  # digests of what interrupted runs left, and a second run finished


def run(command: list[str], folder: Path, *, kill: int = -1, full: int = -1, refuse: int = -1) -> tuple[int, int]:
    """Run a command in a forked process: its exit code, and how many file events there were.

    It is killed at file event `kill`; may write no file above `full` bytes; has no space left from event `refuse` on.
    """
    inward, outward = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(inward)
        try:
            os.chdir(folder)
            sink = os.open(os.devnull, os.O_WRONLY)
            os.dup2(sink, 1)
            os.dup2(sink, 2)
            count = 0

            def event() -> None:
                nonlocal count
                here, count = count, count + 1
                if here == kill:
                    os.kill(os.getpid(), signal.SIGKILL)
                if 0 <= refuse <= here:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

            def hook(name: str, arguments: tuple[object, ...]) -> None:
                if name == "open":
                    path, mode, flags = arguments
                    writes = set(mode) & set("wax+") if isinstance(mode, str) else flags & (os.O_WRONLY | os.O_RDWR)
                    if writes and str(path) != os.devnull and not str(path).endswith((".nbi", ".nbc", ".pyc")):
                        event()
                elif name in EVENTS:
                    event()

            sync = os.fsync
            os.fsync = lambda number: (event(), sync(number))[1]
            sys.addaudithook(hook)
            if full >= 0:
                import resource

                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (full, full))
            code = _run_here(command)
            os.write(outward, count.to_bytes(4, "little"))
            os._exit(code)
        except BaseException:
            os._exit(TRACEBACK)
    os.close(outward)
    with os.fdopen(inward, "rb") as pipe:
        events = int.from_bytes(pipe.read(4), "little")
    status = os.waitpid(child, 0)[1]
    return (os.waitstatus_to_exitcode(status), events)


def _run_here(command: list[str]) -> int:
    """The exit code of a command in this process."""
    if command[0] == "rate":
        return _rate(command[1], Path(command[2]))
    try:
        app(command, standalone_mode=True)
    except SystemExit as end:
        return int(end.code or 0)
    return 3


def _rate(name: str, out: Path) -> int:
    """What the server of `study run` does with an answer of a participant; a full disk is an answer to the browser."""
    earlier = read_ratings(out).answers if out.is_file() else ()
    study = Study(_rated_clips(), "natural", out, 0, 2, tuple(row for row in earlier if row.participant != name))
    try:
        study.rate(study.begin(name)["token"], 0, 5)
    except Refused as error:
        return 1 if error.status == 507 else TRACEBACK
    return 0


@cache
def _rated_clips() -> dict[str, Any]:
    return {"a": [make("stroke", seed=0)], "b": [make("stroke", seed=1)]}


@cache
def _server(folder: Path) -> str:
    """The address of a server of this folder."""
    handler = type("Handler", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *given: handler(*given, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


@cache
def _model(method: str) -> Any:
    if method == "gaze":
        return learn(method, [make_take(target, fps=30.0).markers for target in ((-1.2, 0.0), (1.2, 0.0), (0.4, 0.2))])
    return learn(method, [make("walk", seed=k, speed=1.2 + 0.1 * k, turn=0.2 * k, seconds=3, fps=30) for k in range(3)])


def content(folder: Path) -> dict[str, bytes]:
    """All files that are not in staging folders; without their numbers, if these are measured times.

    Partial downloads are not results either: `fetch` resumes them.
    """
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and STAGING not in str(path))
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files if path.suffix != ".part"}
    return {name: re.sub(rb"[\d.]+", b"#", data) if name in TIMED else data for name, data in found.items()}


def prepare(name: str, folder: Path, round: int = 0) -> Stage:
    """The folder after a first run of a command, and what the second makes of it; other clips in each round."""
    words = COMMANDS[name]
    folder.mkdir(parents=True, exist_ok=True)
    numbers = (2 * round, 2 * round + 1)
    save(make("walk", seconds=2, fps=30), folder / "base.bvh")
    for n in numbers:
        save(make("walk", seconds=2, seed=n + 1, fps=30), folder / f"in{n}.bvh")
        if name == "bake":
            save_model(_space(n), folder / f"space{n}.loom")
        if name == "graph":
            save_model(_model("motion-graph" if n % 2 else "two-level-graph"), folder / f"{n}.loom")
        if name == "edges":
            save_model(_parametric_graph(n), folder / f"{n}.loom")
        if name == "analyse":
            write_ratings(_ratings(n), folder / f"ratings{n}.csv")
    for method in [word.removesuffix(".loom") for word in words if word.removesuffix(".loom") in METHODS]:
        save_model(_model(method), folder / f"{method}.loom")
    if name == "again":
        save_model(_model("cuts"), folder / "cuts.loom")
        for n in numbers:
            made = ["synthesize", "cuts.loom", "-r", "{seconds: 1}", "--seed", str(n), "-o", f"made{n}.bvh"]
            assert run(made, folder)[0] == 0
    server = ""
    if name == "fetch":
        served = folder.parent / "served"
        (served / "data" / "099").mkdir(parents=True, exist_ok=True)
        for n in numbers:
            shutil.copy(folder / f"in{n}.bvh", served / "data" / "099" / f"99_0{n}.bvh")
        server = _server(served)
    first, second = ([word.format(n=n, server=server, look=LOOK) for word in words] for n in numbers)
    _import_all(first, folder)
    code = run(first, folder)[0]
    assert code == 0, (name, code)
    new = folder.parent / f"{folder.name}_new"
    shutil.copytree(folder, new)
    code, events = run(second, new)
    assert code == 0, (name, code)
    found = content(new)
    assert found != content(folder), "the second run changes something"
    shutil.rmtree(new)
    return Stage(folder, found, second, events, set())


def _import_all(command: list[str], folder: Path) -> None:
    """Run a command in this process, so that forked ones have its modules and kernels."""
    scratch, before = folder.parent / f"{folder.name}_scratch", Path.cwd()
    shutil.copytree(folder, scratch)
    os.chdir(scratch)
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            _run_here(command)
    finally:
        os.chdir(before)
        shutil.rmtree(scratch)


@cache
def _space(n: int) -> Any:
    walks = [make("walk", seed=n, speed=speed, seconds=2, fps=30) for speed in (1.2, 1.5)]
    return learn("parametric-space", walks)


@cache
def _parametric_graph(n: int) -> Any:
    walks = [make("walk", seed=k, speed=1.2, turn=(0.3 + 0.05 * n) * k, seconds=3, fps=30) for k in range(3)]
    return learn("parametric-graph", walks)


def _ratings(n: int) -> list[Rating]:
    """Answers of five participants about two groups."""
    rows = [(p, group, k) for p in range(5) for group in ("a", "b") for k in range(3)]
    return [Rating(f"p{p}", "natural", group, "x", 4 + (p + k + n + (group == "b")) % 4) for p, group, k in rows]


def _clip_of(name: str) -> str:
    """A name common to a clip and its side files; pictures and reports are files of their own."""
    alone = name.endswith((".png", ".html")) or (name.endswith(".json") and not name.endswith(".origin.json"))
    return name if alone else name.split(".")[0]


def check_left(stage: Stage, here: Path, old: dict[str, bytes]) -> None:
    """Each clip with its side files is the old one or the new one; a rerun makes all of them new, and leaves no rest.

    A staging folder with a journal is finished by the next load or save, so its clip may be half moved now.
    """
    left = content(here)
    open_moves = [p.name[1 : -len(STAGING)] for p in here.rglob(f"*{STAGING}") if (p / "journal.json").exists()]
    names = {*left, *old, *stage.new}
    for clip in {_clip_of(name) for name in names}:
        group = {name for name in names if _clip_of(name) == clip}
        if any(Path(name).name.split(".")[0] == moved.split(".")[0] for name in group for moved in open_moves):
            continue
        states = [{n: files.get(n) for n in group} for files in (left, old, stage.new)]
        assert states[0] in states[1:], f"a mix of old and new files: {sorted(group)}"
    digest = _digest(here)
    if digest in stage.finished:
        return
    code = run(stage.command, here)[0]
    assert code == 0, f"the same command ends with {code}"
    assert content(here) == stage.new
    rest = [p for p in here.rglob("*") if STAGING in p.name or p.name.endswith((".part", ".tmp"))]
    assert not rest, f"leftovers: {[str(p.relative_to(here)) for p in rest]}"
    stage.finished.add(digest)


def _digest(folder: Path) -> str:
    """Of all names and bytes in a folder."""
    whole = sha256()
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b"/"
        whole.update(f"{path.relative_to(folder).as_posix()} {len(data)} ".encode() + data)
    return whole.hexdigest()


def interrupt(stage: Stage, here: Path, **fault: int) -> bool:
    """Run the command with a fault in a copy of its folder, and check what is left; whether it failed."""
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(stage.folder, here)
    old = content(here)
    code, _ = run(stage.command, here, **fault)
    assert code != TRACEBACK, "a traceback"
    if code == 0:
        assert content(here) == stage.new
    check_left(stage, here, old)
    return code != 0


def continue_run(path: Path, kills: int, full: int, names: list[str] | None = None) -> dict[str, dict[str, int]]:
    """So many further kills at random file events, and full disks, divided among the commands; counts of all runs."""
    counts = json.loads(path.read_text()) if path.exists() else {}
    names = names or list(COMMANDS)
    for n, name in enumerate(names):
        before = counts.get(name, {"events": 0, "killed": 0, "full": 0})
        rng = np.random.default_rng([before["killed"], before["full"]])
        with tempfile.TemporaryDirectory() as top:
            stage, here = prepare(name, Path(top) / name), Path(top) / "here"
            before["events"] = stage.events
            order = np.concatenate(
                [rng.permutation(stage.events) for _ in range(kills // len(names) // stage.events + 1)]
            )
            for event in order[: (kills + n) // len(names)].tolist():
                before["killed"] += interrupt(stage, here, kill=event)
            for k in range((full + n) // len(names)):
                limit = {"refuse": int(rng.integers(stage.events))} if k % 2 else {"full": int(10 ** rng.uniform(0, 4))}
                before["full"] += interrupt(stage, here, **limit)
        counts[name] = before
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(counts, indent=1))
        print(f"{name}: {before}", flush=True)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("counts", type=Path)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--full", type=int, default=20)
    parser.add_argument("--command", action="append")
    given = parser.parse_args()
    found = continue_run(given.counts, given.kills, given.full, given.command)
    print({kind: sum(count[kind] for count in found.values()) for kind in ("killed", "full")})


if __name__ == "__main__":
    main()
