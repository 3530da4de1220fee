"""A pool of its own for each test, whose workers can import the tasks of the tests."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from motionloom.jobs import Pool

HERE = Path(__file__).parent


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module `job_tasks`, importable here and in workers."""
    monkeypatch.syspath_prepend(str(HERE))
    paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    return importlib.import_module("job_tasks")


@pytest.fixture
def pool(tasks: ModuleType) -> Iterator[Pool]:
    made = Pool(2)
    yield made
    made.close()


@pytest.fixture
def appears() -> Callable[[Path], str]:
    """Wait until a file is there, and give back its text."""

    def wait(path: Path) -> str:
        for _ in range(3000):
            if path.exists() and (text := path.read_text()):
                return text
            time.sleep(0.01)
        raise AssertionError(f"{path.name} did not appear")

    return wait


@pytest.fixture
def ended() -> Callable[[int], bool]:
    """Whether a process has ended; one that is about to is waited for."""

    def check(pid: int) -> bool:
        for _ in range(500):
            try:
                os.kill(pid, 0)
                stat = Path(f"/proc/{pid}/stat")
                if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
                    return True  # killed; whoever has inherited it will remove it from the list
            except (ProcessLookupError, FileNotFoundError):
                return True
            time.sleep(0.01)
        return False

    return check
