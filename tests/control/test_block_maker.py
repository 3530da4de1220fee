"""Blocks made ahead in a background thread: one at a time, once, cancelled by Ctrl-C, made again."""

from __future__ import annotations

import sys
import threading

import pytest

from motionloom.control import block_maker
from motionloom.control.block_maker import SWITCH_INTERVAL, BlockMaker
from motionloom.core import Cancelled
from motionloom.core.progress import Silent
from motionloom.core.watched import watched


def test_blocks_are_made_once_in_the_order_of_the_requests():
    made = []
    maker = BlockMaker(lambda key, progress: made.append(key) or 10 * key)
    for key in (3, 1, 2):
        maker.order(key)
    assert [maker.take(key) for key in (1, 2, 3, 3)] == [10, 20, 30, 30]
    assert made == [3, 1, 2]
    maker.clear()
    assert maker.take(3) == 30
    assert made == [3, 1, 2, 3]


def test_an_error_is_raised_where_the_block_is_taken():
    maker = BlockMaker(lambda key, progress: 1 / key)
    with pytest.raises(ZeroDivisionError):
        maker.take(0)
    assert maker.take(2) == 0.5


class EndlessOnce:
    """Makes a block that ends by cancelling alone; the next one is made at once."""

    def __init__(self):
        self.running, self.stopped = threading.Event(), threading.Event()

    def __call__(self, key, progress):
        if self.stopped.is_set():
            return key
        self.running.set()
        while True:
            try:
                progress(None, "working")
            except Cancelled:
                self.stopped.set()
                raise


def test_ctrl_c_cancels_the_block_which_can_be_made_again(monkeypatch):
    make = EndlessOnce()
    maker = BlockMaker(make)

    def interrupted(futures, timeout):
        assert make.running.wait(5)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(block_maker, "wait", interrupted)
        with pytest.raises(Cancelled):
            maker.take("a")
    assert make.stopped.wait(5)
    assert maker.take("a") == "a"


def test_a_watched_function_that_waits_for_a_block_is_cancelled_with_it():
    make = EndlessOnce()
    maker = BlockMaker(make)

    class CancelsWhileItWaits(Silent):
        def __call__(self, share, stage):
            self.stop[0] = make.running.is_set()
            super().__call__(share, stage)

    @watched
    def take(*, progress=None):
        return maker.take("a")

    with pytest.raises(Cancelled):
        take(progress=CancelsWhileItWaits())
    assert make.stopped.wait(5)
    assert maker.take("a") == "a"


def test_the_thread_does_not_keep_the_process_alive():
    seen = []
    BlockMaker(lambda key, progress: seen.append(threading.current_thread().daemon)).take(1)
    assert seen == [True]


def test_threads_switch_often_while_blocks_are_made_and_as_before_afterwards():
    usual, seen = sys.getswitchinterval(), []
    first, second = (BlockMaker(lambda key, progress: seen.append(sys.getswitchinterval())) for _ in range(2))
    waiting = threading.Event()
    slow = BlockMaker(lambda key, progress: waiting.wait(5))
    slow.order(0)
    first.take(1)
    second.take(2)
    assert seen == pytest.approx([SWITCH_INTERVAL] * 2)
    waiting.set()
    assert slow.take(0)
    failing = BlockMaker(lambda key, progress: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        failing.take(0)
    for _ in range(100):
        if sys.getswitchinterval() == usual:
            break
        threading.Event().wait(0.02)
    assert sys.getswitchinterval() == usual
