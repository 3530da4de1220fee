"""The current folder and the environment variables of motionloom that a task runs with: those of its job's start."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import NamedTuple

PREFIX = "MOTIONLOOM_"


class Surroundings(NamedTuple):
    """A process that is kept running takes these over before each task."""

    folder: str  # "" if it does not exist any more
    variables: dict[str, str]

    def adopt(self) -> None:
        """Make them those of this process; without its folder, it stays where it is."""
        for name in [name for name in os.environ if name.startswith(PREFIX) and name not in self.variables]:
            del os.environ[name]
        os.environ.update(self.variables)
        with suppress(OSError):
            os.chdir(self.folder)


def surroundings() -> Surroundings:
    """Those of this process."""
    try:
        folder = os.getcwd()
    except OSError:  # it was deleted
        folder = ""
    return Surroundings(folder, {name: value for name, value in os.environ.items() if name.startswith(PREFIX)})


def in_worker() -> bool:
    """Whether this process runs the tasks of jobs."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return spec is not None and spec.name == "motionloom.jobs.worker"
