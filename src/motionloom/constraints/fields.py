"""Fields shared by constraints, and kinds of values that occur only in requests: times, places, poses, tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from motionloom.core.errors import Where
from motionloom.core.fields import REQUIRED, param
from motionloom.core.kinds import NUMBER, NUMBERS, Kind, ValueSpec, check_number, items_of, read_number, same
from motionloom.core.units import Moment, Quantity, Span, fail, moment, number, quantity, written, written_angle
from motionloom.rotation import ORDERS

Point2 = tuple[float, float]
"""A place on the ground: x, z in metres."""

Point3 = tuple[float, float, float]
"""A point in the world: x, y, z in metres."""

Value = Quantity | tuple[Quantity, ...]
"""The value of a motion parameter: one number with its unit, or three."""

FPS_RANGE = (0.001, 10_000.0)  # frames per second
MAX_COORDINATE = 10_000.0  # m: no coordinate of a request is larger
MAX_ANGLE = 200 * math.pi  # rad: a hundred turns to either side


class Euler(NamedTuple):
    """A local rotation as three angles (radians) about the axes of `order`, each about the axes already turned."""

    order: str
    angles: Point3


def place_field(default: Any, help: str, *, size: int = 2, **facts: Any) -> Any:
    """A place on the ground, x and z in metres."""
    return param(
        default,
        help,
        "m",
        kind=NUMBERS,
        size=size,
        low=-MAX_COORDINATE,
        high=MAX_COORDINATE,
        slider=(-5.0, 5.0),
        **facts,
    )


def point_field(default: Any, help: str, **facts: Any) -> Any:
    """A point in the world, x, y and z in metres."""
    return place_field(default, help, size=3, **facts)


def angle_field(default: Any, help: str, **facts: Any) -> Any:
    """An angle in radians."""
    limits = {"low": -MAX_ANGLE, "high": MAX_ANGLE, "slider": (-math.pi, math.pi)} | facts
    return param(default, help, "rad", kind=NUMBER, **limits)


def tolerance_field(default: float, help: str, unit: str = "m", **facts: Any) -> Any:
    """The largest residual that still counts as met, from zero up."""
    high, slider = {"m": (100.0, (0.001, 1.0)), "rad": (math.pi, (0.001, 1.0))}.get(unit, (10.0, (0.001, 1.0)))
    facts = {"low": 0.0, "high": high, "slider": slider, "scale": "log", "advanced": True} | facts
    return param(default, help, unit, kind=NUMBER, **facts)


def joint_field(help: str) -> Any:
    """A joint that must be given: a role or an exact name."""
    return param(REQUIRED, help, kind=NAME)


def span_field(help: str) -> Any:
    """Times [from, to); by default the whole result."""
    return param(None, f"{help}: [from, to); by default the whole result", kind=SPAN)


def _name(value: Any, field: ValueSpec, where: Where) -> str:
    if not isinstance(value, str) or not value.strip():
        raise fail(where, "a name", value)
    return value


def _names(value: Any, field: ValueSpec, where: Where) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else items_of(value, where, "a list of joints, roles or groups")
    if not items:
        raise fail(where, "at least one joint, role or group", value)
    return tuple(_name(item, field, (*where, i)) for i, item in enumerate(items))


def _influences(value: Any, field: ValueSpec, where: Where) -> tuple[Any, ...]:
    """Names, or names with a number of 0 or more each."""
    pairs = value.items() if isinstance(value, Mapping) else value if _are_pairs(value) else None
    if pairs is None:
        return _names(value, field, where)
    out = []
    for name, item in pairs:
        number = float(item) if isinstance(item, (int, float)) and not isinstance(item, bool) else math.nan
        if not 0 <= number < math.inf:
            raise fail((*where, str(name)), "a number of 0 or more", item)
        out.append((_name(name, field, where), number))
    if not out:
        raise fail(where, "at least one joint, role or group", value)
    return tuple(out)


def _are_pairs(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(item, tuple) for item in value)


def _written_influences(value: tuple[Any, ...], field: ValueSpec) -> Any:
    return dict(value) if _are_pairs(value) else list(value)


def _time(value: Any, field: ValueSpec, where: Where) -> Moment:
    return moment(value, where)


def _span(value: Any, field: ValueSpec, where: Where) -> Span:
    first, last = items_of(value, where, "a span [from, to]", 2)
    return moment(first, (*where, 0)), moment(last, (*where, 1))


def _times(value: Any, field: ValueSpec, where: Where) -> tuple[Moment, ...]:
    return tuple(moment(item, (*where, i)) for i, item in enumerate(items_of(value, where, "a list of times")))


def _places(value: Any, field: ValueSpec, where: Where) -> tuple[Point2, ...]:
    items = items_of(value, where, "a list of places [[x, z], ...]")
    if len(items) < 2:
        raise fail(where, "at least two places [[x, z], ...]", value)
    pairs = [(items_of(item, (*where, i), "2 lengths [x, z]", 2), (*where, i)) for i, item in enumerate(items)]
    return tuple((read_number(x, field, (*at, 0)), read_number(z, field, (*at, 1))) for (x, z), at in pairs)


def _euler(read: Callable[[Any, ValueSpec, Where], float]) -> Callable[[Any, ValueSpec, Where], Euler]:
    def euler(value: Any, field: ValueSpec, where: Where) -> Euler:
        if isinstance(value, Euler):
            value = {"order": value.order, "angles": value.angles}
        if not isinstance(value, Mapping) or set(value) != {"order", "angles"}:
            raise fail(where, "{order: zyx, angles: [0deg, 0deg, 90deg]}", value)
        order = str(value["order"]).lower()
        if order not in ORDERS:
            raise fail((*where, "order"), f"one of {', '.join(ORDERS)}", value["order"])
        items = items_of(value["angles"], (*where, "angles"), "three angles", 3)
        a, b, c = (read(item, field, (*where, "angles", i)) for i, item in enumerate(items))
        return Euler(order, (a, b, c))

    return euler


def _table(read: Callable[[Any, ValueSpec, Where], Any], expected: str) -> Callable[[Any, ValueSpec, Where], Any]:
    def table(value: Any, field: ValueSpec, where: Where) -> tuple[tuple[str, Any], ...]:
        pairs = value.items() if isinstance(value, Mapping) else value
        if not isinstance(value, (Mapping, tuple)) or not value:
            raise fail(where, expected, value)
        return tuple((_name(name, field, where), read(item, field, (*where, name))) for name, item in pairs)

    return table


def read_value(value: Any, field: ValueSpec | None, where: Where) -> Value:
    """The value of a motion parameter: `1.4`, `35deg`, or three of them in a list."""
    if isinstance(value, (list, tuple)) and not isinstance(value, Quantity):
        items = items_of(value, where, "one number or three", 3)
        return tuple(quantity(item, (*where, i)) for i, item in enumerate(items))
    return quantity(value, where)


def written_value(value: Value) -> Any:
    """The value of a motion parameter as a request writes it, with its unit."""
    if not isinstance(value, Quantity):
        return [written_value(part) for part in value]
    units = {"length": "m", "time": "s", "speed": "m/s"}
    return f"{value.value!r}{units[value.kind]}" if value.kind in units else written(value.value, value.kind)


def frame_rate(value: object) -> float:
    """A frame rate of a result, if it makes sense."""
    found = number(value, ("fps",))
    if not FPS_RANGE[0] <= found <= FPS_RANGE[1]:
        raise fail(("fps",), f"{FPS_RANGE[0]:g} to {FPS_RANGE[1]:g} frames per second", value)
    return found


def positive(value: Any, where: Where) -> Any:
    """The value, if it is above zero."""
    if value <= 0:
        raise fail(where, "a number above zero", value)
    return value


NAME = same("name", _name)
NAMES = same("names", _names, listed=True)
INFLUENCES = same("influences", _influences, _written_influences)
TIME = same("time", _time)
SPAN = same("span", _span)
TIMES = same("times", _times, listed=True)
PLACES = same("places", _places, limited=True)
VALUES = same(
    "values",
    _table(read_value, "{name: value, ...}"),
    lambda pairs, field: {name: written_value(value) for name, value in pairs},
)
ROTATIONS = Kind(
    "rotations",
    _table(_euler(read_number), "{joint: {order: zyx, angles: [0deg, 0deg, 90deg]}}"),
    _table(_euler(check_number), "{joint: Euler('zyx', (0, 0, 1.57))}"),
    lambda pairs, field: {n: {"order": e.order, "angles": [written_angle(a) for a in e.angles]} for n, e in pairs},
    limited=True,
)
