"""Linear algebra in one thread: set for a block or a function, and as before afterwards."""

from __future__ import annotations

import threading

import pytest

from motionloom.core import blas
from motionloom.core.blas import one_blas_thread


@pytest.fixture
def counts(monkeypatch):
    """The numbers of threads of two libraries, which have four and two."""
    threads = [4, 2]

    def library(k):
        return blas._Library(lambda: threads[k], lambda count: threads.__setitem__(k, count))

    monkeypatch.setattr(blas, "_libraries", lambda: (library(0), library(1)))
    return threads


def test_a_block_and_a_function_use_one_thread_and_leave_the_number_as_it_was(counts):
    @one_blas_thread()
    def inside():
        return list(counts)

    with one_blas_thread():
        assert inside() == [1, 1]
        assert counts == [1, 1]
    assert counts == [4, 2]
    assert inside() == [1, 1]
    assert counts == [4, 2]


def test_the_number_is_as_before_when_the_last_of_two_threads_leaves(counts):
    entered, left = threading.Event(), threading.Event()

    def first():
        with one_blas_thread():
            entered.set()
            left.wait()

    other = threading.Thread(target=first)
    other.start()
    entered.wait()
    with one_blas_thread():
        left.set()  # the first to come is the first to go
        other.join()
        assert counts == [1, 1]
    assert counts == [4, 2]


def test_the_number_is_as_before_after_an_error(counts):
    with pytest.raises(ValueError, match="no good"), one_blas_thread():
        raise ValueError("no good")
    assert counts == [4, 2]


def test_the_libraries_of_numpy_and_scipy_are_found_where_they_are_openblas():
    import numpy as np

    if "openblas" not in str(np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]):
        pytest.skip("NumPy uses another library")
    with one_blas_thread():
        assert {library.get() for library in blas._libraries()} == {1}
    assert blas._libraries()
