"""What the fields of a constraint can hold: how each kind is read from a request, checked, and written back.

In a request (YAML) an angle has its unit; in Python it is a float in radians. Lengths are metres in both, with `90cm`
allowed in both. `read` serves the request, `check` the Python constructor; both give the same plain, immutable value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, field
from typing import Any, NamedTuple

import numpy as np

from motionloom.core.errors import Where
from motionloom.core.units import (
    Moment,
    Quantity,
    Span,
    angle,
    fail,
    length,
    moment,
    number,
    quantity,
    written_angle,
)
from motionloom.rotation import ORDERS

Point2 = tuple[float, float]
"""A place on the ground: x, z in metres."""

Point3 = tuple[float, float, float]
"""A point in the world: x, y, z in metres."""


class Euler(NamedTuple):
    """A local rotation as three angles (radians) about the axes of `order`, each about the axes already turned."""

    order: str
    angles: Point3


class Kind(NamedTuple):
    """How a field is read from a request, checked in Python, and written to a request."""

    read: Callable[[Any, Where], Any]
    check: Callable[[Any, Where], Any]
    write: Callable[[Any], Any]


def wanted(kind: Kind) -> Any:
    """A field that must be given."""
    return field(metadata={"kind": kind})


def given(default: Any, kind: Kind) -> Any:
    """A field with a default value."""
    return field(default=default, metadata={"kind": kind})


def required(a_field: Any) -> bool:
    """Must this dataclass field be given?"""
    return a_field.default is MISSING and a_field.default_factory is MISSING


def _plain(value: Any) -> Any:
    return list(map(_plain, value)) if isinstance(value, (tuple, list)) else value


def _both(read: Callable[[Any, Where], Any], write: Callable[[Any], Any] = _plain) -> Kind:
    return Kind(read, read, write)


def _items(value: object, where: Where, expected: str, count: int | None = None) -> Sequence[Any]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, (list, tuple)) or (count is not None and len(value) != count):
        raise fail(where, expected, value)
    return value


def _point(names: str) -> Callable[[Any, Where], tuple[float, ...]]:
    expected = f"{len(names)} lengths [{', '.join(names)}]"

    def read(value: Any, where: Where) -> tuple[float, ...]:
        items = _items(value, where, expected, len(names))
        return tuple(length(item, (*where, i)) for i, item in enumerate(items))

    return read


def _points(value: Any, where: Where) -> tuple[Point2, ...]:
    items = _items(value, where, "a list of places [[x, z], ...]")
    if len(items) < 2:
        raise fail(where, "at least two places [[x, z], ...]", value)
    return tuple(_point("xz")(item, (*where, i)) for i, item in enumerate(items))  # type: ignore[misc]


def _text(value: Any, where: Where) -> str:
    if not isinstance(value, str) or not value.strip():
        raise fail(where, "a name", value)
    return value


def _names(value: Any, where: Where) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else _items(value, where, "a list of joints, roles or groups")
    if not items:
        raise fail(where, "at least one joint, role or group", value)
    return tuple(_text(item, (*where, i)) for i, item in enumerate(items))


def _span(value: Any, where: Where) -> Span:
    if value is None:
        return None
    first, last = _items(value, where, "a span [from, to]", 2)
    return moment(first, (*where, 0)), moment(last, (*where, 1))


def _stretch(value: Any, where: Where) -> tuple[float, float]:
    first, last = (_positive_length(v, (*where, i)) for i, v in enumerate(_items(value, where, "[from, to]", 2)))
    if last <= first:
        raise fail(where, "two lengths, the second one larger", value)
    return first, last


def _times(value: Any, where: Where) -> tuple[Moment, ...] | None:
    if value is None:
        return None
    items = _items(value, where, "a list of times")
    return tuple(moment(item, (*where, i)) for i, item in enumerate(items))


def _at_least_zero(value: Any, where: Where) -> float:
    found = number(value, where)
    if found < 0:
        raise fail(where, "a number that is not negative", value)
    return found


def _positive_length(value: Any, where: Where) -> float:
    found = length(value, where)
    if found < 0:
        raise fail(where, "a length that is not negative", value)
    return found


def _weight(value: Any, where: Where) -> float | None:
    return None if value is None else _at_least_zero(value, where)


def _radians(value: Any, where: Where) -> float:
    """Python's own form: a float in radians, or text with its unit."""
    return number(value, where) if isinstance(value, (int, float, np.floating)) else angle(value, where)


def _angle_kind(low: float = -math.inf) -> Kind:
    def read(value: Any, where: Where, convert: Callable[[Any, Where], float] = angle) -> float:
        found = convert(value, where)
        if found < low:
            raise fail(where, "an angle that is not negative", value)
        return found

    return Kind(read, lambda value, where: read(value, where, _radians), written_angle)


def optional(kind: Kind) -> Kind:
    """The same kind, where nothing may be given too."""
    return Kind(
        lambda value, where: None if value is None else kind.read(value, where),
        lambda value, where: None if value is None else kind.check(value, where),
        lambda value: None if value is None else kind.write(value),
    )


def _euler(convert: Callable[[Any, Where], float]) -> Callable[[Any, Where], Euler]:
    def read(value: Any, where: Where) -> Euler:
        if isinstance(value, Euler):
            value = {"order": value.order, "angles": value.angles}
        if not isinstance(value, Mapping) or set(value) != {"order", "angles"}:
            raise fail(where, "{order: zyx, angles: [0deg, 0deg, 90deg]}", value)
        order = str(value["order"]).lower()
        if order not in ORDERS:
            raise fail((*where, "order"), f"one of {', '.join(ORDERS)}", value["order"])
        items = _items(value["angles"], (*where, "angles"), "three angles", 3)
        a, b, c = (convert(item, (*where, "angles", i)) for i, item in enumerate(items))
        return Euler(order, (a, b, c))

    return read


def _table(read: Callable[[Any, Where], Any], expected: str) -> Callable[[Any, Where], tuple[tuple[str, Any], ...]]:
    def table(value: Any, where: Where) -> tuple[tuple[str, Any], ...]:
        pairs = value.items() if isinstance(value, Mapping) else value
        if not isinstance(value, (Mapping, tuple)) or not value:
            raise fail(where, expected, value)
        return tuple((_text(name, where), read(item, (*where, name))) for name, item in pairs)

    return table


def written_quantity(value: Quantity) -> Any:
    """A quantity as a request writes it: angles with their unit, the rest as plain SI numbers with theirs."""
    units = {"length": "m", "time": "s", "speed": "m/s", "turn rate": "rad/s"}
    if value.kind == "angle":
        return written_angle(value.value)
    return f"{value.value!r}{units[value.kind]}" if value.kind in units else value.value


LENGTH = _both(_positive_length)
HEIGHT = _both(length)
PLACE = _both(_point("xz"))
POINT = _both(_point("xyz"))
PLACES = _both(_points)
NUMBER = _both(number)
SHARE = _both(_at_least_zero)
WEIGHT = _both(_weight)
NAME = _both(_text)
NAMES = _both(_names)
MOMENT = _both(moment)
SPAN = _both(_span)
STRETCH = _both(_stretch)
TIMES = _both(_times)
ANGLE = _angle_kind()
ANGLE_TOLERANCE = _angle_kind(0.0)
QUANTITIES = _both(
    _table(quantity, "{name: value, ...}"), lambda pairs: {name: written_quantity(v) for name, v in pairs}
)
ROTATIONS = Kind(
    _table(_euler(angle), "{joint: {order: zyx, angles: [0deg, 0deg, 90deg]}}"),
    _table(_euler(_radians), "{joint: Euler('zyx', (0, 0, 1.57))}"),
    lambda pairs: {n: {"order": e.order, "angles": [written_angle(a) for a in e.angles]} for n, e in pairs},
)
