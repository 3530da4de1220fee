"""The notice about compiling: once, only for kernels that are not in the cache, and only when it takes long."""

from __future__ import annotations

import pytest

from motionloom.core import compiling


@pytest.fixture
def shown(monkeypatch):
    """How often the notice was shown; timers without a delay end when they are started."""

    class AtOnce:
        def __init__(self, delay, function):
            self.delay, self.function = delay, function

        def start(self):
            if self.delay == 0.0:
                self.function()

        def cancel(self):
            pass

    monkeypatch.setattr(compiling, "Timer", AtOnce)
    monkeypatch.setattr(compiling, "_notices", [])
    count: list[str] = []
    compiling.notify(lambda: count.append("compiling"))
    return count


def test_the_notice_is_shown_once_when_compiling_takes_long(shown, monkeypatch):
    monkeypatch.setattr(compiling, "DELAY", 0.0)
    for _ in range(3):
        compiling.begin()
        compiling.end()
    assert shown == ["compiling"]


def test_kernels_within_kernels_count_once(shown):
    compiling.begin()
    compiling.begin()
    compiling.end()
    (notice,) = compiling._notices
    assert notice._spent == 0.0
    compiling.end()
    assert notice._spent > 0.0
    assert shown == []


def test_numba_reports_what_it_compiles(shown, monkeypatch):
    from numba import njit

    import motionloom.core._jit  # noqa: F401

    monkeypatch.setattr(compiling, "DELAY", 0.0)
    assert njit(lambda x: x + 1)(1) == 2
    assert shown == ["compiling"]


def test_nothing_is_shown_in_a_library(monkeypatch):
    monkeypatch.setattr(compiling, "_notices", [])
    monkeypatch.setattr(compiling, "Timer", None)  # would fail
    compiling.begin()
    compiling.end()
