"""Kernels are compiled through one decorator."""

from __future__ import annotations

import ast
import pickle
import sys
from typing import NamedTuple

import numba
import numpy as np
from numba import typeof
from numba.core import caching

import motionloom.core._jit as jit
from motionloom.core import FloatArray
from motionloom.kinematics._kernels import forward
from motionloom.kinematics.feet._kernels_lock import lock_step
from motionloom.methods.parametric_graph._kernels_step import step


def test_kernels_release_the_interpreter_lock():
    assert forward.targetoptions["nogil"]


def test_cached_code_is_fresh_only_while_no_file_that_it_uses_changes(tmp_path, monkeypatch):
    """numba by itself looks at the file of the kernel alone, not at the kernels and constants that it uses."""
    monkeypatch.setattr(jit, "PACKAGE", tmp_path)

    def digest() -> bytes:
        jit.source_digest.cache_clear()
        jit._imported_files.cache_clear()
        return jit.source_digest(tmp_path / "_kernels.py")

    (tmp_path / "_kernels.py").write_text("from motionloom._kernels_more import (\n    b,\n)\n")
    (tmp_path / "_kernels_more.py").write_text("from motionloom.limits import MOST\n")
    (tmp_path / "limits.py").write_text("MOST = 1\n")
    (tmp_path / "_kernels_other.py").write_text("c = 1\n")
    seen = [digest()]
    (tmp_path / "_kernels_other.py").write_text("c = 2\n")
    assert digest() == seen[0]
    for name in ("limits.py", "_kernels_more.py", "_kernels.py"):
        (tmp_path / name).write_text((tmp_path / name).read_text() + "d = 1\n")
        seen.append(digest())
    assert len(set(seen)) == 4


def test_the_locator_of_a_kernel_uses_the_digest_of_its_file():
    source = jit.PACKAGE / "kinematics" / "_kernels.py"
    assert forward._cache._impl.locator.get_source_stamp() == jit.source_digest(source)


def test_a_cache_that_refers_to_a_class_which_was_renamed_counts_as_empty(tmp_path):
    found = caching.IndexDataCacheFile(tmp_path, "kernel", b"stamp")
    missing = b"cmotionloom.core\nNoSuchClass\n."  # a pickle of motionloom.core.NoSuchClass
    (tmp_path / "kernel.nbi").write_bytes(pickle.dumps(numba.__version__) + missing)
    assert found.load("signature") is None
    found.save("signature", (1, 2))
    assert found.load("signature") == (1, 2)


def test_a_cache_on_a_full_disk_is_done_without(tmp_path):
    (tmp_path / "file").write_text("")
    found = caching.IndexDataCacheFile(tmp_path / "file" / "below", "kernel", b"stamp")  # as ENOSPC: an OSError
    found.save("signature", (1, 2))


def test_without_a_folder_to_cache_in_kernels_are_compiled_in_memory_with_a_message(monkeypatch):
    """A container with a read-only package folder and home folder."""
    monkeypatch.setattr(jit._locators, "_locator_classes", [])
    monkeypatch.setattr(jit.compiling, "_uncached", [])
    assert "once after installation" in jit.compiling.how_often()

    @jit.kernel
    def double(x):
        return 2 * x

    assert double(21) == 42
    assert "NUMBA_CACHE_DIR" in jit.compiling.how_often()


def test_named_tuples_with_other_fields_have_other_keys():
    class First(NamedTuple):
        a: float
        b: float

    class Swapped(NamedTuple):
        b: float
        a: float

    def fields(example):
        return jit.field_names([typeof((example, 1.0))])

    assert fields(First(1.0, 2.0)) == (("a", "b"),)
    assert fields(Swapped(1.0, 2.0)) == (("b", "a"),)
    cache = forward._cache
    own, other = (
        cache._index_key((typeof(example),), forward.targetctx.codegen())
        for example in (First(1.0, 2.0), Swapped(1.0, 2.0))
    )
    assert (own[-1], other[-1]) == ((("a", "b"),), (("b", "a"),))


def test_kernels_that_do_not_count_references_leave_arrays_to_python():
    tables = Tables(np.arange(6.0), np.zeros(3))
    before = [sys.getrefcount(array) for array in tables]
    for _ in range(10):
        _sums_uncounted(tables)
    assert tables.sums.tolist() == [1.0, 5.0, 9.0]
    assert [sys.getrefcount(array) for array in tables] == before
    assert step.targetoptions["_nrt"] is lock_step.targetoptions["_nrt"] is False


def test_kernels_that_do_not_count_references_return_no_arrays():
    found = [
        node
        for path in jit.PACKAGE.rglob("_kernels*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and any("counted" in ast.unparse(d) for d in node.decorator_list)
    ]
    assert len(found) >= 2
    assert all(isinstance(node.returns, ast.Constant) and node.returns.value is None for node in found)


class Tables(NamedTuple):
    values: FloatArray
    sums: FloatArray


@jit.kernel
def _sums(tables):
    pairs = np.ascontiguousarray(tables.values).reshape(-1, 2)
    for i in range(len(pairs)):
        tables.sums[i] = pairs[i].sum()


@jit.kernel(counted=False)
def _sums_uncounted(tables):
    _sums(tables)
