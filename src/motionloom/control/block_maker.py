"""Blocks of motion that are made ahead of time in a background thread, and can be made again with the same bits."""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from threading import Condition, Lock, Thread
from typing import Generic, NamedTuple, TypeVar

from motionloom.core import Cancelled, Progress, silent
from motionloom.core.progress import INTERVAL

K = TypeVar("K", bound=Hashable)
B = TypeVar("B")

IDLE = 5.0  # s without work after which the thread ends: starting one takes longer than a step may
SWITCH_INTERVAL = 2e-4  # s between two threads while a block is made
MAX_CACHE = 64  # blocks that are kept, beside those that callers reserve


class _SwitchInterval:
    """The time after which Python switches between threads: short while blocks wait or are made, else as it was.

    By default it is 5 ms, for which a step in real time would wait while a block is made.
    """

    def __init__(self) -> None:
        self._lock, self._pending, self._usual = Lock(), 0, 0.0

    def shorten(self) -> None:
        """A block is ordered."""
        with self._lock:
            if self._pending == 0:
                self._usual = sys.getswitchinterval()
                sys.setswitchinterval(min(self._usual, SWITCH_INTERVAL))
            self._pending += 1

    def restore(self) -> None:
        """A block is ready."""
        with self._lock:
            self._pending -= 1
            if self._pending == 0:
                sys.setswitchinterval(self._usual)


_switching = _SwitchInterval()  # one for the process


class PendingBlock(NamedTuple, Generic[B]):
    """A block that is being made, or is ready; its progress cancels it."""

    future: Future[B]
    progress: Progress


class BlockMaker(Generic[K, B]):
    """Makes blocks by their keys, one at a time, in the order in which they are first asked for.

    The thread ends when there is no more work, and does not keep the process alive.
    """

    def __init__(self, make: Callable[[K, Progress], B]) -> None:
        self._make = make
        self._orders: OrderedDict[K, PendingBlock[B]] = OrderedDict()
        self._waiting: deque[tuple[K, PendingBlock[B]]] = deque()
        self._running = False
        self._changed = Condition()

    def order(self, key: K, reserve: int = 0) -> PendingBlock[B]:
        """Begin to make a block, unless it is ready; the oldest are dropped, except the last `reserve` and a few."""
        with self._changed:
            found = self._orders.get(key)
            if found is None or found.progress.stop[0]:
                found = self._orders[key] = PendingBlock(Future(), silent())
                self._waiting.append((key, found))
                _switching.shorten()
                self._changed.notify()
                if not self._running:
                    self._running = True
                    Thread(target=self._work, name="motionloom-blocks", daemon=True).start()
            self._orders.move_to_end(key)
            while len(self._orders) > MAX_CACHE + reserve:
                self._orders.popitem(last=False)
            return found

    def take(self, key: K, reserve: int = 0) -> B:
        """A block; waits until it is ready. Ctrl-C meanwhile cancels the block and raises `Cancelled`."""
        order = self.order(key, reserve)
        try:
            while not order.future.done():
                wait([order.future], INTERVAL)  # not at once: a worker thread is interrupted between two waits only
            return order.future.result()
        except KeyboardInterrupt:
            order.progress.stop[0] = 1
            raise Cancelled from None

    def clear(self) -> None:
        """Drop all blocks that are kept; they are made again when they are asked for."""
        with self._changed:
            self._orders.clear()

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._changed.wait_for(lambda: bool(self._waiting), IDLE):
                    self._running = False
                    return
                key, order = self._waiting.popleft()
            try:
                order.progress(0.0, "making a block")
                order.future.set_result(self._make(key, order.progress))
            except BaseException as error:  # raised in the thread that takes the block
                order.future.set_exception(error)
            finally:
                _switching.restore()
