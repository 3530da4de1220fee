"""Every numbered example runs, writes its picture, and is on the page of examples as it is."""

from __future__ import annotations

import runpy
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs_and_writes_its_picture(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(path), str(tmp_path)])
    runpy.run_path(str(path), run_name="__main__")
    assert (tmp_path / f"{path.stem}.png").stat().st_size > 10_000


@pytest.fixture(scope="module")
def script() -> Any:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        return import_module("make_examples")
    finally:
        sys.path.remove(str(ROOT / "docs"))


def test_the_page_has_the_examples_as_they_are(script: Any) -> None:
    assert (ROOT / "docs" / "examples.md").read_text("utf-8") == script.page(), "run python docs/make_examples.py"
    assert len(EXAMPLES) >= 6
    for number, path in enumerate(EXAMPLES):
        assert path.stem.startswith(f"{number:02d}_")
        assert (ROOT / "docs" / "examples" / f"{path.stem}.png").stat().st_size < 150_000
