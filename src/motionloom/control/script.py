"""Timed commands of one character, parsed from text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from motionloom.control.stepping import Steered
from motionloom.core import BadRequest
from motionloom.core.poses import Commands, Poses, commands
from motionloom.core.units import angle, duration, length, number
from motionloom.methods.live import Live, not_accepted


class TimedCommand(NamedTuple):
    """Commands from a time on."""

    time: float  # s
    given: Commands


def parse_order(text: str, live: Live) -> TimedCommand:
    """A timed command like `3: heading 90deg, speed 1.4` or `0: place 2 3.5, action run`; at 0 s if without a time.

    Names are the fields of `Commands`; an action is given by its name. What the method does not accept is an error.
    """
    head, colon, rest = text.partition(":")
    time = duration(head.strip(), ("command", "time")) if colon else 0.0
    fields: dict[str, float | int | list[float]] = {}
    for part in (p.split() for p in (rest if colon else text).split(",") if p.strip()):
        name, values = part[0], part[1:]
        if name not in live.accepts:
            raise not_accepted(name, live.accepts)
        fields[name] = _value(name, values, live)
    if not fields:
        raise BadRequest(f"expected a command like `3: heading 90deg, speed 1.4`, found {text!r}")
    return TimedCommand(time, commands(**fields))


def _value(name: str, values: Sequence[str], live: Live) -> float | int | list[float]:
    where = ("command", name)
    if name == "look" and values == ["none"]:
        return [math.nan] * 3
    count = {"place": 2, "look": 3, "target": 3}.get(name, 1)
    if len(values) != count and name not in ("values", "action", "overlay"):
        raise BadRequest(f"command {name}: expected {count} value{'s' if count > 1 else ''}, found {len(values)}")
    if name in ("action", "overlay"):
        known = live.actions if name == "action" else getattr(live, "overlays", ())
        action = " ".join(values)
        if action == "none" and name == "overlay":
            return -1
        if action not in known:
            raise BadRequest(f"there is no {name} {action!r}; there are: {', '.join(known) or 'none'}")
        return known.index(action)
    if name in ("heading", "facing"):
        return angle(values[0], where)
    if name in ("place", "look", "target"):
        return [length(v, where) for v in values]
    return number(values[0], where) if name == "speed" else [number(v, where) for v in values]


def follow(orders: Sequence[TimedCommand]) -> Steered:
    """The latest command at every time; none before the first."""
    ordered = sorted(orders, key=lambda order: order.time)

    def steer(time: float, poses: Poses | None) -> Commands:
        now = [order for order in ordered if order.time <= time + 1e-9]
        return now[-1].given if now else commands()

    return steer
