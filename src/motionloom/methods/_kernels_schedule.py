"""Compiled: from which frames, at which times, the rest of a request can be reached. Plain arrays, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel

TIME, SAME, PURE, DEAD, EMPTY = range(5)  # what `mark_reachable` keeps between calls


@kernel
def has_bit(bits: Any, time: int, node: int) -> Any:
    """Bit `node` of a row of packed bits: bit n is bit n mod 8, from the lowest, of byte n / 8."""
    return (bits[time, node >> 3] >> (node & 7)) & 1 == 1


@kernel
def mark_reachable(
    net: Any, masks: Any, rows: Any, pure: Any, bits: Any, run: Any, memo: Any, edges: bool, steps: int
) -> None:
    """Fill `steps` more rows of `bits` (F, .), from the last time back; see `schedule.Reachable` for the recurrence.

    net: (goes_on (N,), first_out (N + 1,), enter (T,), blend). masks (M, N) and rows (F,): the mask of each time, -1
    for none. pure (F,): no transition at these times. With `edges`, bits N + e of transitions are filled too. run (half
    + 1, N), by time: how many frames from n on may be shown from then on. memo (5,): the time to continue at, the
    number of equal rows before it, the nearest later pure time, the last time of those from the first on at which no
    node is reachable, or -1, and the number of rows without one just before it: less than `blend` of them may lie
    within transitions.
    Once masks are all passed and rows do not change any more, the rest is copied. F (N + T) steps: 300 frames of 2,000
    with 100,000 transitions in 60 ms. The slow versions are in tests/methods/test_schedule.py.
    """
    goes_on, first_out, enter, blend = net
    frames, count, half = len(bits), len(goes_on), blend // 2
    ring, good = half + 1, np.empty(count, np.uint8)
    first = 0
    while first < frames and rows[first] < 0 and not pure[first]:
        first += 1
    for time in range(memo[TIME], max(memo[TIME] - steps, -1), -1):
        row, now_run, later_run = rows[time], run[time % ring], run[(time + 1) % ring]
        any_now = False
        if half > 0:
            for n in range(count):
                after = blend + 1 if time == frames - 1 else (later_run[n + 1] if n + 1 < count else 0)
                longest = min(after + 1, blend + 1) if n + 1 < count else 1
                now_run[n] = 0 if row >= 0 and not masks[row, n] else longest
        for n in range(count):  # can a transition that leaves now enter here?
            fine = time + blend >= frames or has_bit(bits, time + blend, n)
            if fine and half > 0 and time + half < frames:
                fine = n >= half and run[(time + half) % ring, n - half] > half
            good[n] = 1 if fine else 0
        busy = memo[PURE] < time + blend
        for n in range(count):
            now = 1 if time == frames - 1 or (goes_on[n] and has_bit(bits, time + 1, n + 1)) else 0
            if not busy and (half == 0 or now_run[n] >= half):
                if edges:  # without branches, which would be guessed wrong
                    for e in range(count + first_out[n], count + first_out[n + 1]):
                        over = good[enter[e - count]]
                        bits[time, e >> 3] |= np.uint8(over << (e & 7))
                        now |= over
                elif not now:
                    for e in range(first_out[n], first_out[n + 1]):
                        if good[enter[e]]:
                            now = 1
                            break
            if now > 0 and (row < 0 or masks[row, n]):
                bits[time, n >> 3] |= np.uint8(1 << (n & 7))
                any_now = True
        if pure[time]:
            memo[PURE] = time
        memo[TIME] = time - 1
        memo[EMPTY] = 0 if any_now else memo[EMPTY] + 1
        if memo[EMPTY] and (memo[EMPTY] == blend or time == 0):
            memo[DEAD], memo[TIME] = time + memo[EMPTY] - 1, -1
            return
        if time < first and time < frames - 1:
            memo[SAME] = memo[SAME] + 1 if np.array_equal(bits[time], bits[time + 1]) else 0
            if memo[SAME] > 2 * blend + 2:
                for before in range(time):
                    bits[before] = bits[time]
                memo[TIME] = -1
                return
