"""Control of one worker process: start, messages, and the end of it and of all its children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, cast

from motionloom.jobs.messages import read_message, write_message

COMMAND = ("-P", "-m", "motionloom.jobs.worker")  # -P: nothing is imported from the current folder


class WorkerProcess:
    """One running worker. It leads a process group of its own, so that Ctrl-C in a terminal reaches its owner only."""

    def __init__(self) -> None:
        group: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self._process = subprocess.Popen(
            [sys.executable, *COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment(), **group
        )
        self._inbound, self._outbound = cast(BinaryIO, self._process.stdin), cast(BinaryIO, self._process.stdout)
        self._writing = Lock()

    @property
    def running(self) -> bool:
        """Whether the process has not ended yet."""
        return self._process.poll() is None

    def send(self, kind: str, content: Any = None) -> None:
        """Send one message; `OSError` if the process has ended."""
        with self._writing:
            write_message(self._inbound, kind, content)

    def receive(self) -> tuple[str, Any]:
        """Wait for the next message; `EOFError` if the process has ended."""
        return read_message(self._outbound)

    def kill(self) -> None:
        """Kill the process and everything that it has started; it still has to be waited for with `end`."""
        if self._process.returncode is None:  # once waited for, the number may belong to another process
            kill_tree(self._process.pid)

    def end(self) -> int:
        """Kill what is left of the process and of its children, and return the exit code."""
        self.kill()
        code = self._process.wait()
        for pipe in (self._inbound, self._outbound):
            try:
                pipe.close()
            except OSError:  # what was still to be written has no reader
                continue
        return code


def kill_tree(pid: int) -> None:
    """Kill a process that leads its group, its group, and its descendants in whatever group they are."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(pid)], capture_output=True, check=False)
        return
    for number in (*_descendants(pid), pid):  # itself last: it may be this process
        for kill in (os.killpg, os.kill):
            try:
                if kill is os.kill or os.getpgid(number) == number:
                    kill(number, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue


def _descendants(pid: int) -> Iterator[int]:
    """Children, their children and so on."""
    children: dict[int, list[int]] = {}
    for child, parent in _parents():
        children.setdefault(parent, []).append(child)
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        yield from below
        waiting += below


def _parents() -> Iterator[tuple[int, int]]:
    """Every process of this machine with its parent."""
    folder = Path("/proc")
    if not (folder / "self" / "stat").exists():
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=False)
        for line in listed.stdout.splitlines():
            child, parent = line.split()
            yield int(child), int(parent)
        return
    for entry in folder.iterdir():
        if entry.name.isdigit():
            try:
                text = (entry / "stat").read_text(errors="replace")
            except OSError:  # it has ended meanwhile
                continue
            yield int(entry.name), int(text.rpartition(")")[2].split()[1])  # pid (name) state parent ...


def _environment() -> dict[str, str]:
    """The environment, without empty parts of PYTHONPATH: Python takes these as the current folder in spite of -P."""
    found = dict(os.environ)
    parts = [part for part in found.pop("PYTHONPATH", "").split(os.pathsep) if part]
    return found | ({"PYTHONPATH": os.pathsep.join(parts)} if parts else {})
