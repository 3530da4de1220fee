"""The import arrow of the style guide: a folder imports only from its left."""

from __future__ import annotations

import ast
from pathlib import Path

import motionloom

ROOT = Path(motionloom.__file__).parent
ORDER = [
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


def imported(path: Path) -> set[str]:
    """Names of motionloom's own folders that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
        names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
        found |= {n.split(".")[1] for n in names if n.startswith("motionloom.")}
    return found


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
        if path.relative_to(ROOT).as_posix() != "jobs/process.py":
            words = (
                "import subprocess",
                "multiprocessing",
                "ProcessPoolExecutor",
                "os.fork(",
                "os.spawn",
                "os.system(",
            )
            assert [word for word in words if word in path.read_text()] == [], path
