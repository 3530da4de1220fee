"""Tests of compiled kernels with array bounds checked: an index out of range raises instead of reading elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "out" / "bounds_cache"  # other machine code than usual; kept from run to run
OTHERS = ("test_imports.py", "test_jit.py", "test_compiling.py", "test_without_kernels.py", Path(__file__).name)
CHECKED = """
import numpy as np
from motionloom.core._jit import kernel
try:
    kernel(lambda array: array[array.size])(np.zeros(1))
except IndexError:
    raise SystemExit(0)
raise SystemExit("array bounds are not checked")
"""


def kernel_tests() -> list[str]:
    """The files of tests that import kernels, or that hold the slow version of one by its docstring."""
    kernels = [path.read_text() for path in (ROOT / "src").rglob("_kernels*.py")]
    named = {name for text in kernels for name in re.findall(r"tests/[\w/]+\.py", text)}
    importing = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if re.search(r"\b_kernels", path.read_text()) and path.name not in OTHERS
    }
    return sorted(name for name in {*named, *importing} if Path(name).name.startswith("test_"))


def test_slow_versions_that_kernels_name_exist():
    assert len(kernel_tests()) > 20
    assert [name for name in kernel_tests() if not (ROOT / name).is_file()] == []


@pytest.mark.long
def test_no_kernel_leaves_its_arrays():
    """`./run long -k leaves_its_arrays`: some ten minutes of compiling the first time."""
    variables = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(CACHE)}
    subprocess.run([sys.executable, "-P", "-c", CHECKED], env=variables, check=True)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-q", "--tb=short", *kernel_tests()],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
