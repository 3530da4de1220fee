"""Writing commands in forked processes that are killed, stopped at a file event, or have a full disk.

A kill leaves what the file system has at that moment: buffers of the process are lost, its locks are released. So the
files at every file event of one run, copied from outside the process, are what kills at those events leave; that makes
a kill cost one run (the second, which must finish) instead of two. `run(kill=...)` sends a real SIGKILL.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import NamedTuple

from motionloom.cli.app import app
from motionloom.io import save
from motionloom.io.atomic_files import STAGING
from motionloom.methods import learn, save_model
from motionloom.samples import make

EVENTS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink")
TRACEBACK = 4  # exit code of a process that ended in an error that is not ours

COMMANDS = {  # each replaces what an earlier version of itself wrote
    "samples": ["samples", "walk", "--seconds", "1", "--seed", "{n}", "-o", "s.bvh"],
    "convert": ["convert", "in{n}.bvh", "c.glb", "--force"],
    "clean": ["clean", "in{n}.bvh", "-o", "k.bvh", "--force"],
    "learn": ["learn", "cuts", "in{n}.bvh", "-o", "m.loom"],
    "synthesize": ["synthesize", "cuts.loom", "-r", "{{seconds: 2}}", "--seed", "{n}", "-o", "y.bvh"],
    "view": ["view", "in{n}.bvh", "-o", "v.html"],
    "filmstrip": ["view", "in{n}.bvh", "-o", "v.png"],
    "trim": ["trim", "in{n}.bvh", "-o", "t.npz", "--start", "0.2"],
    "loop": ["loop", "in{n}.bvh", "-o", "l.bvh"],
    "label": ["label", "add", "in{n}.bvh", "step", "--end", "0.5"],
    "retarget": ["retarget", "in{n}.bvh", "--to", "base.bvh", "-o", "r.bvh"],
    "append": ["append", "in{n}.bvh", "base.bvh", "-o", "a.bvh"],
    "blend": ["blend", "in{n}.bvh", "base.bvh", "--weights", "0.5,0.5", "-o", "e.bvh"],
    "bands": ["bands", "in{n}.bvh", "--gains", "1,0.{n}", "-o", "f.bvh"],
    "fourier": ["fourier", "in{n}.bvh", "-o", "g.bvh"],
    "again": ["again", "made{n}.bvh", "--sources", ".", "-o", "h.bvh"],
    "find": ["find", "in{n}.bvh", ".", "--web", "w.npz", "--threshold", "0.1{n}"],
    "folder": ["convert", "in{n}.bvh", "base.bvh", "out", "--to", "npz", "--resample", "1{n}", "--force"],
}


class Stage(NamedTuple):
    """A command, a folder after an earlier run of it, and what a complete run makes of that folder."""

    folder: Path
    new: dict[str, bytes]
    command: list[str]
    events: int


def run(
    command: list[str], folder: Path, *, kill: int = -1, full: int = -1, refuse: int = -1, copies: Path | None = None
) -> tuple[int, int]:
    """Run a command in a forked process: its exit code, and how many file events there were.

    It is killed at file event `kill`; may write no file above `full` bytes; has no space left from event `refuse` on;
    the folder is copied into `copies` before every event.
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
            state = {"count": 0, "on": 1}

            def event() -> None:
                if not state["on"]:
                    return
                here = state["count"]
                state["count"] += 1
                if here == kill:
                    os.kill(os.getpid(), signal.SIGKILL)
                if 0 <= refuse <= here:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                if copies is not None:
                    state["on"] = 0
                    shutil.copytree(folder, copies / f"{here:04d}")
                    state["on"] = 1

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
            code = 3
            try:
                app(command, standalone_mode=True)
            except SystemExit as end:
                code = int(end.code or 0)
            os.write(outward, state["count"].to_bytes(4, "little"))
            os._exit(code)
        except BaseException:
            os._exit(TRACEBACK)
    os.close(outward)
    with os.fdopen(inward, "rb") as pipe:
        events = int.from_bytes(pipe.read(4), "little")
    status = os.waitpid(child, 0)[1]
    return (os.waitstatus_to_exitcode(status), events)


def content(folder: Path) -> dict[str, bytes]:
    """All files that are not in staging folders."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and STAGING not in str(path))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def prepare(name: str, folder: Path, round: int = 0) -> Stage:
    """The folder after a first run of a command, and what the second makes of it; other clips in each round."""
    words = COMMANDS[name]
    folder.mkdir(parents=True, exist_ok=True)
    numbers = (2 * round, 2 * round + 1)
    save(make("walk", seconds=2, fps=30), folder / "base.bvh")
    for n in numbers:
        save(make("walk", seconds=2, seed=n + 1, fps=30), folder / f"in{n}.bvh")
    if "cuts.loom" in words or name == "again":
        save_model(learn("cuts", [make("walk", seconds=3, fps=30)]), folder / "cuts.loom")
    if name == "again":
        for n in numbers:
            made = ["synthesize", "cuts.loom", "-r", "{seconds: 1}", "--seed", str(n), "-o", f"made{n}.bvh"]
            assert run(made, folder)[0] == 0
    first, second = ([word.format(n=n) for word in words] for n in numbers)
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
    return Stage(folder, found, second, events)


def _import_all(command: list[str], folder: Path) -> None:
    """Run a command in this process, so that forked ones have its modules and kernels."""
    scratch, before = folder.parent / f"{folder.name}_scratch", Path.cwd()
    shutil.copytree(folder, scratch)
    os.chdir(scratch)
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(SystemExit):
            app(command, standalone_mode=True)
    finally:
        os.chdir(before)
        shutil.rmtree(scratch)


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
    code = run(stage.command, here)[0]
    assert code == 0, f"the same command ends with {code}"
    assert content(here) == stage.new
    rest = [p for p in here.rglob("*") if STAGING in p.name or p.name.endswith((".part", ".tmp"))]
    assert not rest, "leftovers"


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


def all_kills(stage: Stage, here: Path) -> int:
    """Check the files at every file event of one run; how many events there were."""
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(stage.folder, here / "run")
    old = content(here / "run")
    (here / "copies").mkdir()
    code, events = run(stage.command, here / "run", copies=here / "copies")
    assert code == 0
    assert content(here / "run") == stage.new
    seen: set[int] = set()
    for copy in sorted((here / "copies").iterdir()):
        files = tuple(
            (p.relative_to(copy).as_posix(), p.read_bytes() if p.is_file() else b"/") for p in copy.rglob("*")
        )
        if hash(files) not in seen:  # equal files need no second rerun
            seen.add(hash(files))
            check_left(stage, copy, old)
    return events
