"""Imports: a folder imports only from its left, methods do not import each other, and nothing imports in a circle."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import motionloom

ROOT = Path(motionloom.__file__).parent
ORDER = [
    {"lazy_names"},
    {"rotation"},
    {"core"},
    {"jobs"},
    {"kinematics"},
    {"io", "samples", "constraints", "analysis"},
    {"blend"},
    {"methods"},
    {"control", "evaluate"},
    {"recipes"},
    {"plot"},
    {"studio"},
    {"cli"},
]
RANK = {name: i for i, names in enumerate(ORDER) for name in names}


SHARED = {"graph", "space"}  # folders of `methods` that several methods use; all others are one method each


def module_name(path: Path) -> str:
    """`motionloom.core.clip` for the file of that module."""
    return ".".join(("motionloom", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


MODULES = {module_name(path): path for path in ROOT.rglob("*.py")}


@cache
def imports(path: Path) -> set[str]:
    """The motionloom modules that a file imports: anywhere in it, for type checking too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {name if (name := f"{node.module}.{a.name}") in MODULES else node.module for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
    return found & set(MODULES)


def imported(path: Path) -> set[str]:
    """Names of motionloom's own folders that a file imports, anywhere in it."""
    return {name.split(".")[1] for name in imports(path) if name != "motionloom"}


def test_a_folder_imports_only_from_its_left():
    wrong = []
    for path in ROOT.rglob("*.py"):
        here = path.relative_to(ROOT).parts[0]
        if here not in RANK:
            continue
        wrong += [
            f"{path.relative_to(ROOT)} imports {n}" for n in imported(path) if n != here and RANK[n] >= RANK[here]
        ]
    assert wrong == []


def test_every_folder_has_its_place():
    assert {p.name for p in ROOT.iterdir() if p.is_dir() and p.name != "__pycache__" and any(p.rglob("*.py"))} <= set(
        RANK
    )


def test_only_the_decorator_of_kernels_imports_numba_and_only_plot_imports_matplotlib():
    for path in ROOT.rglob("*.py"):
        text = path.read_text()
        if "import numba" in text or "from numba" in text:
            assert path.relative_to(ROOT).as_posix() == "core/_jit.py", path
        if "import matplotlib" in text or "from matplotlib" in text:
            assert path.relative_to(ROOT).parts[0] == "plot", path


def test_only_jobs_start_processes():
    for path in ROOT.rglob("*.py"):
        if path.relative_to(ROOT).parts[0] != "jobs":
            words = (
                "import subprocess",
                "multiprocessing",
                "ProcessPoolExecutor",
                "os.fork(",
                "os.spawn",
                "os.system(",
            )
            assert [word for word in words if word in path.read_text()] == [], path


def test_methods_do_not_import_each_other():
    folders = {path.parent.name for path in ROOT.glob("methods/*/__init__.py")}
    wrong = []
    for path in ROOT.glob("methods/*/**/*.py"):
        own = path.relative_to(ROOT).parts[1]
        used = {name.split(".")[2] for name in imports(path) if name.startswith("motionloom.methods.")} & folders
        wrong += [f"{module_name(path)} imports {name}" for name in used - {own} if name not in SHARED or own in SHARED]
    assert wrong == []


def test_no_module_imports_itself_through_others():
    direct = {name: imports(path) - {name} for name, path in MODULES.items()}

    def reached(name: str) -> set[str]:
        seen, todo = set(), list(direct[name])
        while todo:
            if (at := todo.pop()) not in seen:
                seen.add(at)
                todo += direct[at]
        return seen

    assert [name for name in MODULES if name in reached(name)] == []
