"""Parsing of quantities with units (`90cm`, `35deg`, `120f`, `end-0.5`) into metres, radians and seconds.

Every function takes `where`, the path in the request that the value came from, for its error.
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from motionloom.core.errors import BadRequest, Where

UNITS: dict[str, tuple[str, float]] = {  # written unit: (kind, size in SI units)
    "m": ("length", 1.0),
    "cm": ("length", 0.01),
    "mm": ("length", 0.001),
    "deg": ("angle", math.pi / 180),
    "rad": ("angle", 1.0),
    "s": ("time", 1.0),
    "ms": ("time", 0.001),
    "m/s": ("speed", 1.0),
    "cm/s": ("speed", 0.01),
    "deg/s": ("turn rate", math.pi / 180),
    "rad/s": ("turn rate", 1.0),
}
EXAMPLES = {
    "length": "a length, as 1.2 (metres) or 90cm",
    "angle": "an angle with its unit, as 35deg or 0.6rad",
    "time": "a duration, as 2.5 (seconds) or 200ms",
    "speed": "a speed, as 1.4 (m/s) or 20cm/s",
    "turn rate": "a turn rate with its unit, as 30deg/s",
    "number": "a number without a unit",
}
NEEDS_UNIT = ("angle", "turn rate")  # 90 may be degrees or radians: never guessed

MAX_CHARACTERS = 400  # characters of an amount or a time
_AMOUNT = re.compile(r"([+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?)\s*+([A-Za-z/%]*+)")
_END = re.compile(r"end(?:\s*-\s*(.+))?")

Moment = float | str
"""A time: seconds from the start, or text: `90f` (frames of the result), `end`, `end-0.5`, `end-15f`."""

Span = tuple[Moment, Moment] | None
"""From a moment to a moment, the last one excluded; None is all of the result."""


class Quantity(NamedTuple):
    """A value in SI units and what it measures: "length", "angle", "time", "speed", "turn rate" or "number"."""

    value: float
    kind: str = "number"


def fail(where: Where, expected: str, found: object, hint: str = "") -> BadRequest:
    """The error for a value that is not what was expected there."""
    return BadRequest(f"expected {expected}, found {_shown(found)}{hint}", where=where)


def quantity(value: object, where: Where = ()) -> Quantity:
    """Any number, with a unit or bare: `1.4`, `35deg`, `90cm`.

    >>> quantity("90cm")
    Quantity(value=0.9, kind='length')
    """
    if isinstance(value, Quantity):
        return value
    amount, unit = _split(value, where, "a number, with or without a unit")
    if not unit:
        return Quantity(amount)
    if unit not in UNITS:
        raise fail(where, f"a unit out of {', '.join(UNITS)}", value)
    kind, size = UNITS[unit]
    return Quantity(amount / 1000 if size == 0.001 else amount / 100 if size == 0.01 else amount * size, kind)


def in_kind(value: object, kind: str, where: Where = ()) -> float:
    """The value in SI units; a bare number is taken as SI, except for angles, which need their unit."""
    try:
        found = quantity(value, where)
    except BadRequest:
        raise fail(where, EXAMPLES[kind], value) from None
    if found.kind == kind or (found.kind == "number" and kind not in NEEDS_UNIT):
        return found.value
    hint = "; a bare angle is an error" if found.kind == "number" else f" ({found.kind})"
    raise fail(where, EXAMPLES[kind], value, hint)


def length(value: object, where: Where = ()) -> float:
    """Metres: `1.2`, `90cm`, `5mm`."""
    return in_kind(value, "length", where)


def angle(value: object, where: Where = ()) -> float:
    """Radians: `35deg`, `0.6rad`; a bare number is an error."""
    return in_kind(value, "angle", where)


def duration(value: object, where: Where = ()) -> float:
    """Seconds: `12`, `12s`, `200ms`."""
    return in_kind(value, "time", where)


def number(value: object, where: Where = ()) -> float:
    """A plain finite number."""
    return in_kind(value, "number", where)


def whole(value: object, where: Where = ()) -> int:
    """A whole number."""
    found = number(value, where)
    if found != int(found):
        raise fail(where, "a whole number", value)
    return int(found)


def written_angle(radians: float, per: str = "") -> str:
    """An angle, or with `per` "/s" a turn rate, as text that reads back to the same bits; in degrees where possible."""
    degrees = round(math.degrees(radians), 9)
    if quantity(f"{degrees!r}deg{per}").value == radians:
        return f"{degrees:.15g}deg{per}"
    return f"{radians!r}rad{per}"


def written(value: float, kind: str) -> Any:
    """A value as a request writes it: angles and turn rates with their unit, which is never guessed."""
    if kind == "angle":
        return written_angle(value)
    return written_angle(value, "/s") if kind == "turn rate" else value


def unit_typed(value: object) -> str:
    """The unit that text ends with, or ""."""
    match = _AMOUNT.fullmatch(value.strip()) if isinstance(value, str) and len(value) <= MAX_CHARACTERS else None
    return match[2] if match else ""


def moment(value: object, where: Where = ()) -> Moment:
    """A time in its plain form: seconds as a float, else `90f`, `end`, `end-0.5` or `end-15f` as text.

    >>> moment("2.5s"), moment("end - 500ms"), moment("90f")
    (2.5, 'end-0.5', '90f')
    """
    expected = "a time: seconds (2.5), frames of the result (90f), end, or end-0.5"
    if isinstance(value, str) and len(value) <= MAX_CHARACTERS and (match := _END.fullmatch(value.strip())):
        if match[1] is None:
            return "end"
        before = moment(match[1], where)
        if isinstance(before, str) and not before.endswith("f"):
            raise fail(where, expected, value)
        return f"end-{before}" if isinstance(before, str) else f"end-{before!r}"
    try:
        amount, unit = _split(value, where, expected)
    except BadRequest:
        raise fail(where, expected, value) from None
    if unit not in ("", "s", "ms", "f"):
        raise fail(where, expected, value)
    if amount < 0:
        raise fail(where, expected, value, "; times count from the start of the result")
    if unit == "f":
        if amount != int(amount):
            raise fail(where, "a whole number of frames", value)
        return f"{int(amount)}f"
    return amount / 1000 if unit == "ms" else amount


def seconds_of(when: Moment, frames: int, fps: float) -> float:
    """The moment in seconds from the start of a result of so many frames; `end` is frames / fps."""
    plain = moment(when)
    if not isinstance(plain, str):
        return plain
    back = plain.startswith("end")
    amount = plain.removeprefix("end").removeprefix("-") or "0"
    size = float(amount[:-1]) / fps if amount.endswith("f") else float(amount)
    return frames / fps - size if back else size


def frame_of(when: Moment, frames: int, fps: float, where: Where = ()) -> int:
    """The frame nearest to a moment, halves upwards. This is the only rule for that.

    The closing instant (`end`, or frames / fps seconds) is the last frame; anything outside is an error.

    >>> frame_of("end", 360, 30.0), frame_of("end-0.5", 360, 30.0), frame_of(2.5, 360, 30.0)
    (359, 345, 75)
    """
    return min(border_of(when, frames, fps, where), frames - 1)


def nearest(x: float) -> int:
    """The nearest whole number; halves go up, and so does what falls short of a half by rounding alone."""
    return math.floor(x + 0.5 + 1e-9)


def border_of(when: Moment, frames: int, fps: float, where: Where = (), of: str = "result") -> int:
    """Like `frame_of` for the ends of spans: 0 to frames, as `end` is after the last frame; `of` is for the error."""
    frame = nearest(seconds_of(when, frames, fps) * fps)
    if not 0 <= frame <= frames:
        raise fail(where, f"a time in the {of}, which lasts {frames / fps:g} s ({frames} frames)", when)
    return frame


def frames_of(span: Span, frames: int, fps: float, where: Where = (), of: str = "result") -> range:
    """The frames of a span [from, to); all of them if there is none. `of` is for the error.

    >>> frames_of((1.0, 1.5), 90, 10.0)
    range(10, 15)
    """
    if span is None:
        return range(frames)
    first, last = (border_of(when, frames, fps, where, of) for when in span)
    if last <= first:
        raise fail(where, "a span [from, to) that holds at least one frame", list(span))
    return range(first, last)


def _split(value: object, where: Where, expected: str) -> tuple[float, str]:
    if isinstance(value, str):
        match = _AMOUNT.fullmatch(value.strip()) if len(value) <= MAX_CHARACTERS else None
        if not match:
            raise fail(
                where, expected, value if len(value) <= MAX_CHARACTERS else f"{value[:40]}... ({len(value)} characters)"
            )
        amount, unit = float(match[1]), match[2]
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            amount, unit = float(value), ""
        except OverflowError:  # a whole number above 1e308
            raise fail(where, "a finite number", f"{str(value)[:40]}...") from None
    else:
        raise fail(where, expected, value)
    if not math.isfinite(amount):
        raise fail(where, "a finite number", value)
    return amount, unit


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"{str(value).lower()} (yes, no, on and off are true or false in YAML: quote them)"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
