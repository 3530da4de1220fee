"""Running the command line inside the test process, and clips to run it on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app
from motionloom.io import save
from motionloom.samples import make


class Answer:
    """What a command said, and its exit code."""

    def __init__(self, result: Any) -> None:
        self.code: int = result.exit_code
        self.out: str = result.stdout
        self.err: str = result.stderr

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Answer]


@pytest.fixture(scope="session")
def run() -> Run:
    """Call a command; no exception but the exit itself may come out of it."""

    def call(*arguments: object) -> Answer:
        result = CliRunner().invoke(app, [str(a) for a in arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
        answer = Answer(result)
        assert "Traceback" not in answer.out + answer.err
        return answer

    return call


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two short walks and, one folder down, a run."""
    path = tmp_path_factory.mktemp("clips")
    save(make("walk", seconds=2, fps=30), path / "walk_1.bvh")
    save(make("walk", seconds=2, fps=30, seed=1), path / "walk_2.bvh")
    save(make("run", seconds=1, fps=30), path / "fast" / "run.bvh")
    return path
