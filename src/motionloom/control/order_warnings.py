"""Warnings about orders that cannot be followed: places inside the turning circle, values outside a space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from motionloom.control.script import TimedCommand
from motionloom.core.poses import Poses
from motionloom.methods.live import Live, State, Status
from motionloom.methods.space.choose_examples import shown_value

RADIUS = "turning radius"  # the value of a status that has it: needed for the place, and the least one


def warned_of_orders(
    live: Live, orders: Sequence[TimedCommand], steps: Iterable[tuple[State, Poses]], dt: float,
    report: Callable[[str], None],
) -> Iterator[tuple[State, Poses]]:  # fmt: skip
    """These steps of one character, `dt` apart; `report` gets a line for each order that cannot be followed.

    That is a place too near, when it is ordered, or values outside what blends reach, once they are used.
    """
    due = sorted(orders, key=lambda order: order.time)
    outside: TimedCommand | None = None
    for n, (state, poses) in enumerate(steps):
        while due and due[0].time <= n * dt + 1e-9:
            order = due.pop(0)
            if not np.isnan(order.given.place).any() and (text := _too_near(live.status(state))):
                x, z = order.given.place[0]
                report(f"place {x:g} {z:g} at {order.time:g} s: {text}")
            outside = order if not np.isnan(order.given.values).all() else None
        if outside is not None and (text := _clamped(live, outside, live.status(state))):
            report(f"values at {outside.time:g} s: {text}")
            outside = None
        yield state, poses


def _clamped(live: Live, order: TimedCommand, status: Status) -> str:
    """Which values commanded are not used, and those that are, or ""."""
    action = int(order.given.action[0])
    if not status.clamped[0] or action not in (-1, status.action[0]):
        return ""
    values, found, column = order.given.values[0], list[str](), 0
    for p in live.parameters(action):  # type: ignore[attr-defined]
        for axis in [""] if p.size == 1 else [" x", " y", " z"]:
            wanted, used = float(status.requested[0, column]), float(status.used[0, column])
            asked = column < len(values) and abs(values[column] - wanted) <= 1e-6 * max(1.0, abs(wanted))
            if asked and abs(used - wanted) > 1e-3 * max(1e-3, abs(wanted)):
                found.append(f"{p.name}{axis} {shown_value(used, p.unit)} instead of {shown_value(wanted, p.unit)}")
            column += 1
    return "outside what blends reach: " + ", ".join(found) if found else ""


def _too_near(status: Status) -> str:
    """Why a place cannot be reached by turning towards it, or ""."""
    if RADIUS not in status.names or not status.clamped[0]:
        return ""
    at = status.names.index(RADIUS)
    needed, least = float(status.requested[0, at]), float(status.used[0, at])
    if not needed < least:
        return ""
    return (
        f"inside the turning circle of the character (a radius of {needed:.2f} m is needed, the least one is "
        f"{least:.2f} m), so that it walks away before it gets there"
    )
