"""Config and Options: frozen dataclasses whose fields say what they mean, in which unit, and how far they go.

Flags, sliders and `motionloom methods` are made from them, and values from a request are checked against them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import NoneType, UnionType
from typing import Any, NamedTuple, Self, Union, get_args, get_origin, get_type_hints

from motionloom.constraints.base import check_key
from motionloom.core.arrays import put
from motionloom.core.errors import Problems, Where
from motionloom.core.units import NEEDS_UNIT, UNITS, fail, in_kind, whole


def param(
    default: Any,
    help: str,
    unit: str = "",
    symbol: str = "",
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] | None = None,
) -> Any:
    """A field of a Config or Options: its default, what it does, its unit, its symbol in the source, its limits.

    Units with a meaning: s, m, rad, m/s, rad/s (values are SI, and a request may write `20cm`); others are only shown.
    """
    facts = {"help": help, "unit": unit, "symbol": symbol, "low": low, "high": high, "choices": choices}
    return field(default=default, metadata=facts)


class Param(NamedTuple):
    """One field of a Config or Options, as a flag or a slider needs it."""

    name: str
    type: type  # bool, int, float, str, or tuple: a list of texts
    optional: bool  # may be None
    default: Any
    help: str
    unit: str
    symbol: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]

    def describe(self) -> str:
        """The help line, with unit, limits and choices."""
        limits = {
            (True, True): f"{self.low} to {self.high}",
            (True, False): f"at least {self.low}",
            (False, True): f"at most {self.high}",
        }.get((self.low is not None, self.high is not None), "")
        more = [self.unit, limits, " or ".join(self.choices), self.symbol]
        shown = ", ".join(m for m in more if m)
        return f"{self.help} [{shown}]" if shown else self.help

    def read(self, value: Any, where: Where) -> Any:
        """A value from a request or a flag, turned into this field's type; `BadRequest` if it is none."""
        if value is None and self.optional:
            return None
        if self.type is bool:
            if not isinstance(value, bool):
                raise fail(where, "true or false", value)
            return value
        if self.type is str:
            if not isinstance(value, str):
                raise fail(where, "text", value)
            return value
        if self.type is tuple:
            return _texts(value, where)
        if self.type is int:
            return whole(value, where)
        kind, size = UNITS.get(self.unit, ("number", 1.0))
        return in_kind(value, kind, where) / size

    def check(self, value: Any, where: Where) -> Any:
        """A value given in Python: the right type, within the limits, one of the choices."""
        if value is None and self.optional:
            return None
        if self.type is tuple:
            return _texts(value, where)
        numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
        right = {bool: isinstance(value, bool), str: isinstance(value, str), int: numeric, float: numeric}[self.type]
        if not right or (self.type is int and value != int(value)):
            kinds = {bool: "true or false", str: "text", int: "a whole number", float: "a number"}
            raise fail(where, kinds[self.type], value)
        if self.choices and value not in self.choices:
            raise fail(where, f"one of {', '.join(self.choices)}", value)
        if numeric:
            low = -math.inf if self.low is None else self.low
            high = math.inf if self.high is None else self.high
            if not low <= value <= high or not math.isfinite(value):
                unit = f" {self.unit}" if self.unit else ""
                raise fail(where, f"{low:g} to {high:g}{unit}", value)
        return self.type(value)


@dataclass(frozen=True)
class Settings:
    """What `Config` and `Options` are made of; values are checked when built."""

    def __post_init__(self) -> None:
        for p in params(type(self)):
            put(self, p.name, p.check(getattr(self, p.name), (type(self).__name__.lower(), p.name)))

    @classmethod
    def of(cls, values: Mapping[str, Any], where: str = "options") -> Self:
        """From the plain values of a request; all unknown names and wrong values are reported."""
        known, read, problems = {p.name: p for p in params(cls)}, {}, Problems()
        for name, value in values.items():
            with problems.collect(where):
                check_key(name, known)
                read[name] = known[name].check(known[name].read(value, (name,)), (name,))
        problems.raise_found()
        return cls(**read)


def params(cls: type[Settings]) -> list[Param]:
    """The fields of a Config or Options, in order."""
    hints = get_type_hints(cls)
    out = []
    for f in fields(cls):
        if "help" not in f.metadata:
            raise TypeError(f"{cls.__module__}.{cls.__name__}.{f.name}: write it as param(default, help)")
        kind, optional = hints[f.name], False
        if get_origin(kind) in (Union, UnionType):
            parts = [a for a in get_args(kind) if a is not NoneType]
            kind, optional = parts[0], len(parts) < len(get_args(kind))
        kind = tuple if kind == tuple[str, ...] else kind
        if kind not in (bool, int, float, str, tuple):
            expected = "a bool, int, float, str or tuple[str, ...]"
            raise TypeError(f"{cls.__module__}.{cls.__name__}.{f.name}: a setting is {expected}")
        m = f.metadata
        choices = tuple(m["choices"] or ())
        out.append(
            Param(f.name, kind, optional, f.default, m["help"], m["unit"], m["symbol"], m["low"], m["high"], choices)
        )
    return out


def _texts(value: Any, where: Where) -> tuple[str, ...]:
    """A list of words and whole numbers, each as text."""
    plain = isinstance(value, (list, tuple)) and all(
        isinstance(v, (str, int)) and not isinstance(v, bool) for v in value
    )
    if not plain:
        raise fail(where, "a list, as [3, 3, 7]", value)
    return tuple(str(v).strip() for v in value)


def needs_unit(p: Param) -> bool:
    """Must a value of this field be written with its unit (angles)?"""
    return UNITS.get(p.unit, ("", 1.0))[0] in NEEDS_UNIT
