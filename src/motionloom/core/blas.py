"""Linear algebra in one thread, so that its sums are rounded alike on every machine and for any number of threads."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

MODULES = ("numpy._core._multiarray_umath", "scipy.linalg._fblas")  # each comes with a BLAS of its own
BUNDLED = ("numpy.libs", "scipy.libs")  # folders beside the packages, where Windows has the libraries
NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads")


class _Library(NamedTuple):
    """How to read and to set the number of threads of one loaded OpenBLAS."""

    get: Callable[[], int]
    set: Callable[[int], Any]


class _State:
    """How many blocks need one thread now, and the numbers to go back to."""

    lock, inside = Lock(), 0
    before: tuple[int, ...] = ()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """While the block runs, or a function with this decorator, OpenBLAS uses one thread in the whole process.

    Other libraries (Accelerate, MKL) are left as they are.
    """
    libraries = _libraries()
    with _State.lock:
        if not _State.inside:
            _State.before = tuple(library.get() for library in libraries)
            _set(libraries, (1,) * len(libraries))
        _State.inside += 1
    try:
        yield
    finally:
        with _State.lock:
            _State.inside -= 1
            if not _State.inside:
                _set(libraries, _State.before)


def _set(libraries: tuple[_Library, ...], counts: tuple[int, ...]) -> None:
    for library, count in zip(libraries, counts, strict=True):
        library.set(count)


@cache
def _libraries() -> tuple[_Library, ...]:
    """Every OpenBLAS that NumPy and SciPy have loaded."""
    files = [Path(str(import_module(name).__file__)) for name in MODULES]
    site = Path(str(import_module("numpy").__file__)).parent.parent
    files += [file for folder in BUNDLED for file in sorted((site / folder).glob("*openblas*.dll"))]
    return tuple(found for file in files if (found := _library(file)) is not None)


def _library(file: Path) -> _Library | None:
    with suppress(OSError):
        loaded = ctypes.CDLL(str(file))
        for name in NAMES:
            with suppress(AttributeError):
                return _Library(getattr(loaded, name.format("get")), getattr(loaded, name.format("set")))
    return None
