"""Kinds of values that a field can hold: how each is read from a request, checked in Python, and written back.

In a request or on the command line an angle has its unit; in Python it is a float in radians. Lengths are metres in
both, with `90cm` allowed in both. `read` serves the request, `check` Python; both give the same plain, immutable value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from motionloom.core.errors import Where
from motionloom.core.units import fail, in_kind, whole, written


class ValueSpec(Protocol):
    """The facts of a field that reading a value needs; `core.fields.Field` has them."""

    @property
    def quantity(self) -> str: ...
    @property
    def needs_unit(self) -> bool: ...
    @property
    def choices(self) -> tuple[str, ...]: ...
    @property
    def size(self) -> int | None: ...
    def within(self, value: float, given: Any, where: Where) -> float: ...
    def expects(self, unit: str = "") -> str: ...


Reader = Callable[[Any, ValueSpec, Where], Any]
"""Turns a value into the field's own form, or raises `BadRequest` with the path to it."""


class Kind(NamedTuple):
    """One kind of value; the field adds unit, limits and choices."""

    name: str
    read: Reader  # a value of a request or a flag
    check: Reader  # a value given in Python
    write: Callable[[Any, ValueSpec], Any]  # back to a value of a request
    limited: bool = False  # holds numbers: has limits and a slider
    listed: bool = False  # holds a list: its items are separated by commas on the command line


def plain(value: Any, field: ValueSpec) -> Any:
    """Tuples as lists, the rest as it is."""
    return [plain(item, field) for item in value] if isinstance(value, (tuple, list)) else value


def same(name: str, read: Reader, write: Callable[[Any, ValueSpec], Any] = plain, **more: bool) -> Kind:
    """A kind that is read from a request as it is checked in Python."""
    return Kind(name, read, read, write, **more)


def items_of(value: object, where: Where, expected: str, count: int | None = None) -> Sequence[Any]:
    """The items of a list, a tuple or an array; an error if there are not `count`."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, (list, tuple)) or (count is not None and len(value) != count):
        raise fail(where, expected, value)
    return value


def read_number(value: Any, field: ValueSpec, where: Where) -> float:
    """A number in the field's unit, within its limits; a bare angle is an error."""
    return field.within(in_kind(value, field.quantity, where), value, where)


def check_number(value: Any, field: ValueSpec, where: Where) -> float:
    """A number in SI units, or text with a unit, within the field's limits."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return field.within(float(value), value, where)
    return read_number(value, field, where)


def _whole(value: Any, field: ValueSpec, where: Where) -> int:
    value = value.item() if isinstance(value, np.generic) else value
    return int(field.within(whole(value, where), value, where))


def _list_of(read: Reader) -> Reader:
    """Reads lists; one number is a list of one, where a list may have any length."""

    def numbers(value: Any, field: ValueSpec, where: Where) -> tuple[Any, ...]:
        if field.size is None and isinstance(value, (int, float)) and not isinstance(value, bool):
            value = [value]
        items = items_of(value, where, field.expects(), field.size)
        return tuple(read(item, field, (*where, i)) for i, item in enumerate(items))

    return numbers


def _truth(value: Any, field: ValueSpec, where: Where) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise fail(where, "true or false", value)
    return bool(value)


def _text(value: Any, field: ValueSpec, where: Where) -> str:
    if not isinstance(value, str) or (field.choices and value not in field.choices):
        raise fail(where, field.expects(), value)
    return value


def _words(value: Any, field: ValueSpec, where: Where) -> tuple[str, ...]:
    """A list of words and whole numbers, each as text."""
    items = items_of(value, where, field.expects())
    if not all(isinstance(item, (str, int)) and not isinstance(item, bool) for item in items):
        raise fail(where, field.expects(), value)
    return tuple(str(item).strip() for item in items)


def write_number(value: float, field: ValueSpec) -> Any:
    """A number as a request writes it: an angle with its unit."""
    return written(value, field.quantity) if field.needs_unit else value


TRUTH = same("bool", _truth)
WHOLE = same("whole number", _whole, limited=True)
NUMBER = Kind("number", read_number, check_number, write_number, limited=True)
NUMBERS = Kind(
    "numbers",
    _list_of(read_number),
    _list_of(check_number),
    lambda value, field: [write_number(item, field) for item in value],
    limited=True,
    listed=True,
)
TEXT = same("text", _text)
WORDS = same("words", _words, listed=True)
