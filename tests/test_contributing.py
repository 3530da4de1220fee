"""The method of CONTRIBUTING is taken out of it and passes the contract of all methods and its own tests."""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import motionloom.methods
from motionloom.cli.app import app
from motionloom.methods import METHODS, learn
from motionloom.methods.table import Method
from motionloom.samples import make

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def playlist(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The files of the page, in a folder of their own, with the method in the table."""
    folder = tmp_path_factory.mktemp("contributing")
    for code in blocks("python"):
        name = re.match(r"# (\S+\.py)\n", code)
        assert name, code
        target = folder / name[1]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(code, "utf-8")
    home = folder / "src" / "motionloom" / "methods"
    (readme,) = blocks("markdown")
    (home / "playlist" / "README.md").write_text(readme, "utf-8")
    (folder / "requests").mkdir()
    (folder / "requests" / "playlist.yaml").write_text(blocks("yaml")[0], "utf-8")
    (line,) = [text for text in blocks("text") if '"playlist": Method(' in text]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(motionloom.methods, "__path__", [*motionloom.methods.__path__, str(home)])
        for name, method in eval(f"{{{line}}}", {"Method": Method}).items():
            patch.setitem(METHODS, name, method)  # type: ignore[arg-type]
        yield folder
    for name in [name for name in sys.modules if name.startswith("motionloom.methods.playlist")]:
        del sys.modules[name]


def contract() -> Any:
    """The module of the contract tests."""
    return import_module("test_contract")


def names() -> list[str]:
    """The contract tests that are about one method."""
    found = inspect.getmembers(contract(), inspect.isfunction)
    return [name for name, test in found if name.startswith("test_") and "method" in inspect.signature(test).parameters]


@pytest.fixture(scope="module")
def tiny_clips() -> Any:
    return [
        make("walk", seed=s, speed=v, turn=t, seconds=4) for s, v, t in ((0, 1.3, 0.0), (1, 1.4, 0.2), (2, 1.3, -0.2))
    ]


@pytest.fixture(scope="module")
def models(playlist: Path, tiny_clips: Any) -> Any:
    return {"playlist": learn("playlist", tiny_clips)}


@pytest.mark.parametrize("name", names())
def test_the_method_keeps_the_contract(
    name: str, playlist: Path, models: Any, tiny_clips: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = contract()
    monkeypatch.setattr(module, "EXAMPLES", playlist / "requests")
    test = getattr(module, name)
    needs = inspect.signature(test).parameters
    if "kind" in needs:
        pytest.skip("it honours no constraint")
    inputs = {"playlist": tiny_clips}
    given = {"method": "playlist", "models": models, "inputs": inputs, "tiny_clips": tiny_clips, "tmp_path": tmp_path}
    test(**{key: value for key, value in (given | {"monkeypatch": monkeypatch}).items() if key in needs})


def test_its_own_tests_pass(playlist: Path) -> None:
    found: dict[str, Any] = {}
    path = playlist / "tests" / "methods" / "playlist" / "test_model.py"
    exec(compile(path.read_text("utf-8"), str(path), "exec"), found)
    tests = [value for name, value in found.items() if name.startswith("test_")]
    assert len(tests) == 2
    for test in tests:
        test()


def test_its_commands_run(playlist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (text,) = [text for text in blocks("text") if "./run motionloom" in text]
    lines = [line.removeprefix("./run motionloom ") for line in text.splitlines() if "motionloom" in line]
    assert len(lines) == 5
    for line in lines:
        result = CliRunner().invoke(app, [word.strip("'") for word in re.findall(r"'[^']*'|\S+", line)])
        assert result.exit_code == 0, f"{line}\n{result.output}"


@pytest.mark.parametrize("path", re.findall(r"`((?:src|tests|examples|docs)/[\w/.]+\.\w+)`", PAGE))
def test_files_that_the_page_names_exist(path: str) -> None:
    if "playlist" not in path:
        assert (ROOT / path).is_file()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(motionloom(?:\.\w+)+)`", PAGE))))
def test_modules_that_the_page_names_exist(name: str) -> None:
    import_module(name)
