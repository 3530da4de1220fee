"""Warnings about ordered places that lie inside the turning circle of a character, which goes around them first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from motionloom.control.script import TimedCommand
from motionloom.core.poses import Poses
from motionloom.methods.live import Live, State, Status

RADIUS = "turning radius"  # the value of a status that has it: needed for the place, and the least one


def warned_of_near_places(
    live: Live, orders: Sequence[TimedCommand], steps: Iterable[tuple[State, Poses]], dt: float,
    report: Callable[[str], None],
) -> Iterator[tuple[State, Poses]]:  # fmt: skip
    """These steps of one character, `dt` apart; `report` gets a line once for each place that is ordered too near."""
    due = sorted((o for o in orders if not np.isnan(o.given.place).any()), key=lambda order: order.time)
    for n, (state, poses) in enumerate(steps):
        while due and due[0].time <= n * dt + 1e-9:
            order = due.pop(0)
            if text := _too_near(live.status(state)):
                x, z = order.given.place[0]
                report(f"place {x:g} {z:g} at {order.time:g} s: {text}")
        yield state, poses


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
