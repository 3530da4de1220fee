"""Warnings about orders that cannot be followed: places too near, turns that take long, speeds and values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from motionloom.control.script import TimedCommand
from motionloom.core.poses import Commands, Poses
from motionloom.kinematics.travel import root_headings
from motionloom.methods.live import Live, State, Status
from motionloom.methods.space.choose_examples import shown_value

RADIUS = "turning radius"  # the value of a status that has it: needed for the place, and the least one
SETTLED = 2.0  # s: values that are not used by then are reported
SLOW = 10.0  # s: a turn that takes longer is reported


def warned_of_orders(
    live: Live, orders: Sequence[TimedCommand], steps: Iterable[tuple[State, Poses]], dt: float,
    report: Callable[[str], None],
) -> Iterator[tuple[State, Poses]]:  # fmt: skip
    """These steps of one character, `dt` apart; `report` gets a line for each order that cannot be followed.

    Places, headings and speeds are looked at once the model has used them. Values are reported that are not used within
    `SETTLED` of the begin of the action whose parameters they are, or before it or the order ends.
    """
    due = sorted(orders, key=lambda order: order.time)
    new: TimedCommand | None = None
    valued: TimedCommand | None = None
    since, outside = 0, ("", 0)  # what is not used of the values, and since which step
    for n, (state, poses) in enumerate(steps):
        while due and due[0].time <= n * dt + 1e-9:
            if outside[0]:
                report(outside[0])
            new, since = due.pop(0), n
            valued, outside = (new if not np.isnan(new.given.values).all() else None), ("", 0)
        if new is not None and (n + 1 - since) * dt >= 1.0 / live.fps - 1e-9:  # a tick of the model has used it
            for name, text in _not_followed(live, new.given, live.status(state), poses):
                report(f"{name} at {new.time:g} s: {text}")
            new = None
        if valued is not None:
            found = _clamped(live, valued, live.status(state))
            if found:
                outside = found, outside[1] or n + 1
            elif found == "":  # they are used
                valued, outside = None, ("", 0)
            if outside[0] and (found is None or (n + 1 - outside[1]) * dt >= SETTLED):
                report(outside[0])
                valued, outside = None, ("", 0)
        yield state, poses
    if outside[0]:
        report(outside[0])


def _not_followed(live: Live, given: Commands, status: Status, poses: Poses) -> Iterator[tuple[str, str]]:
    """The commands to one character that it cannot follow, and why: a place, a heading, a speed."""
    facing = float(root_headings(poses.rotations[:, 0], live.skeleton)[0])
    (x, z), heading, speed = given.place[0], float(given.heading[0]), float(given.speed[0])
    if not np.isnan(x):
        direction = float(np.arctan2(x - poses.root[0, 0], z - poses.root[0, 2]))
        if why := _too_near(status) or _too_slow(status, direction - facing):
            yield f"place {x:g} {z:g}", why
    elif not np.isnan(heading) and (why := _too_slow(status, heading - facing)):
        yield f"heading {np.degrees(heading):.0f}deg", why
    at = _column(status, "speed")
    if at >= 0 and speed == status.requested[0, at] and abs(status.used[0, at] - speed) > 0.01 * max(speed, 0.1):
        yield f"speed {speed:g}", f"the character goes at {status.used[0, at]:.2f} m/s, the nearest that it can"


def _column(status: Status, name: str) -> int:
    """The last value of a name, or -1; those of the whole character follow the parameters, and may share a name."""
    return max((i for i, found in enumerate(status.names) if found == name), default=-1)


def _too_slow(status: Status, angle: float) -> str:
    """Why a turn by an angle takes very long: by the present speed and the least turning radius; or ""."""
    if RADIUS not in status.names:
        return ""
    speed, radius = (float(status.used[0, _column(status, name)]) for name in ("speed", RADIUS))
    if radius <= 0.0:  # of an action that cannot turn: the next one may
        return ""
    rate, turn = speed / radius, abs((angle + np.pi) % (2.0 * np.pi) - np.pi)
    if turn <= rate * SLOW:
        return ""
    seconds = turn / max(rate, 1e-9)
    takes = f"about {seconds:.0f} s" if seconds < 600.0 else "more than 10 minutes"
    return (
        f"the character hardly turns (a radius of {radius:.1f} m): a turn by {np.degrees(turn):.0f} deg takes {takes}"
    )


def _clamped(live: Live, order: TimedCommand, status: Status) -> str | None:
    """Which values commanded are not used, and those that are; "" for none, None while their action is not shown."""
    action = int(order.given.action[0])
    if action not in (-1, status.action[0]):
        return None
    values, found, column, any_asked = order.given.values[0], list[str](), 0, False
    for p in live.parameters(action):  # type: ignore[attr-defined]
        for axis in [""] if p.size == 1 else [" x", " y", " z"]:
            wanted, used = float(status.requested[0, column]), float(status.used[0, column])
            asked = column < len(values) and abs(values[column] - wanted) <= 1e-6 * max(1.0, abs(wanted))
            any_asked = any_asked or asked
            if asked and abs(used - wanted) > 1e-3 * max(1.0, abs(wanted)):
                found.append(f"{p.name}{axis} {shown_value(used, p.unit)} instead of {shown_value(wanted, p.unit)}")
            column += 1
    if not any_asked:
        return None
    return f"values at {order.time:g} s: outside what blends reach: {', '.join(found)}" if found else ""


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
