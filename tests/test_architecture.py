"""The architecture page is true: folders, functions on the path of a clip, and paths after the moves exist."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "motionloom"
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def first_column(text: str) -> list[str]:
    return re.findall(r"^\| `(.+?)` \|", text, re.MULTILINE)


def test_every_folder_has_its_line_and_every_line_its_folder() -> None:
    kept = (p for p in SOURCE.rglob("*") if p.is_dir() and "__pycache__" not in p.parts)
    folders = {p.relative_to(SOURCE).as_posix() for p in kept if any(f.is_file() for f in p.iterdir())}
    assert folders == set(first_column(section("Folders")))


def test_every_method_has_the_same_files() -> None:
    from motionloom.methods import METHODS

    for method in METHODS:
        folder = ROOT / "src/motionloom/methods" / method.replace("-", "_")
        assert {"__init__.py", "config.py", "fit.py", "model.py", "README.md"} <= {p.name for p in folder.iterdir()}


def test_the_import_order_on_the_page_is_the_tested_one() -> None:
    order = import_module("test_imports").ORDER
    (text,) = re.findall(r"```text\n(.*?)```", section("Folders"), re.DOTALL)
    groups = [set(re.findall(r"\w+", part)) for part in text.split("<-")]
    assert groups == [names for names in order if any((SOURCE / name).is_dir() for name in names)]


def stages() -> list[str]:
    """Every function that the picture or the list names."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        lanes = import_module("make_architecture").LANES
    finally:
        sys.path.pop(0)
    drawn = [stage.function for lane in lanes.values() for stage in lane if stage.function]
    written = re.findall(r"`([a-z_]+(?:\.[A-Za-z_]+)+)`", section("The path of a clip"))
    return sorted({*drawn, *written} - {"Model.plan", "Model.render"})


@pytest.mark.parametrize("name", stages())
def test_every_function_on_the_path_exists(name: str) -> None:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        path = SOURCE.joinpath(*parts[:cut])
        if path.is_dir() or path.with_suffix(".py").is_file():
            break
    found = import_module(".".join(["motionloom", *parts[:cut]]))
    for attribute in parts[cut:]:
        found = getattr(found, attribute)
    assert found is not None


def test_the_picture_is_the_one_that_the_script_draws() -> None:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        drawn = import_module("make_architecture").draw()
    finally:
        sys.path.pop(0)
    assert (ROOT / "docs" / "architecture.svg").read_text("utf-8") == drawn, "run python docs/make_architecture.py"


def test_moved_modules_are_where_the_table_says() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)`", section("Old and new paths"), re.MULTILINE)
    assert len(rows) > 100
    assert [new for _, new in rows if not (SOURCE / new).exists()] == []
