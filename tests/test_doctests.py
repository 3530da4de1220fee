"""The examples in docstrings give what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import motionloom

ROOT = Path(motionloom.__file__).parent


def _modules_with_examples() -> list[str]:
    paths = (p for p in sorted(ROOT.rglob("*.py")) if ">>> " in p.read_text("utf-8"))
    names = (".".join(["motionloom", *p.relative_to(ROOT).with_suffix("").parts]) for p in paths)
    return [name.removesuffix(".__init__") for name in names]


@pytest.mark.parametrize("name", _modules_with_examples())
def test_the_examples_of_a_module(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # examples may write files
    module = importlib.import_module(name)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    found = doctest.testmod(module, optionflags=flags)
    assert found.attempted > 0, "the examples are not in a docstring"
    assert found.failed == 0


def test_many_functions_have_examples():
    assert len(_modules_with_examples()) >= 10
