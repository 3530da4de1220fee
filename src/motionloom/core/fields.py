"""Self-describing fields: settings, parameters of samples, fields of constraints, and flags generated from them."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Self, Union, get_args, get_origin, get_type_hints

from motionloom.core.arrays import put
from motionloom.core.earlier_names import deprecated
from motionloom.core.errors import BadRequest, Problems, Where, path_text, unknown
from motionloom.core.kinds import NUMBER, NUMBERS, TEXT, TRUTH, WHOLE, WORDS, Kind
from motionloom.core.units import NEEDS_UNIT, UNITS, fail, unit_typed

REQUIRED = MISSING
"""The default of a field that must be given."""

NOUNS = {
    "length": ("a length", "lengths"),
    "angle": ("an angle", "angles"),
    "time": ("a duration", "durations"),
    "speed": ("a speed", "speeds"),
    "turn rate": ("a turn rate", "turn rates"),
    "number": ("a number", "numbers"),
}
TYPED = {"rad": "deg", "rad/s": "deg/s"}  # units that people type and read instead of SI units
AXES = {2: " [x, z]", 3: " [x, y, z]"}  # of a list of lengths


@dataclass(frozen=True)
class Field:
    """One value that can be set: meaning, unit, limits, default and choices.

    Units with a meaning are those of SI (s, m, rad, m/s, rad/s): a request may write `20cm` for 0.2. Others are shown.
    """

    default: Any
    help: str
    unit: str = ""
    low: float | None = None  # hard limits: a value beyond them is an error
    high: float | None = None
    slider: tuple[float, float] | None = None  # the useful range; by default the hard limits
    scale: str = "linear"  # of the slider: linear or log
    advanced: bool = False  # most people never change it
    only_with: tuple[str, ...] = ()  # another field of the same table, and the values of it (none: any) that this needs
    choices: tuple[str, ...] = ()
    formerly: tuple[str, ...] = ()  # earlier names of the field, accepted for one release
    renamed: tuple[tuple[str, str], ...] = ()  # earlier and present names of choices, accepted for one release
    symbol: str = ""  # in the source of the method
    size: int | None = None  # numbers in a list; None: any
    kind: Kind = TEXT  # filled in from the type by `fields_of`, or from the default by `named`
    optional: bool = False  # may be None
    name: str = ""

    def named(self, name: str) -> Self:
        """The same field under a name; its kind is that of its default value, or, where that is None, of its limits."""
        default = self.default
        if isinstance(default, tuple) or (default is None and self.size):
            kind = NUMBERS
        elif default is None and self.low is not None:
            kind = NUMBER
        else:
            kind = {bool: TRUTH, int: WHOLE, float: NUMBER}.get(type(default), TEXT)
        size = len(default) if isinstance(default, tuple) else self.size
        return dataclasses.replace(self, name=name, kind=kind, size=size, optional=default is None)

    @property
    def required(self) -> bool:
        """Must it be given?"""
        return self.default is REQUIRED

    @property
    def quantity(self) -> str:
        """What the unit measures: "length", "angle", ..., or "number"."""
        return UNITS.get(self.unit, ("number", 1.0))[0]

    @property
    def needs_unit(self) -> bool:
        """Must a request write the unit (angles)?"""
        return self.quantity in NEEDS_UNIT

    def read(self, value: Any, where: Where) -> Any:
        """A value of a request or a flag in the field's own form, within its limits; else `BadRequest`."""
        present = dict(self.renamed).get(value) if isinstance(value, str) else None
        if present is not None:
            deprecated(f"{path_text(where)}: {value}", present)
            value = present
        return None if value is None and self.optional else self.kind.read(value, self, where)

    def check(self, value: Any, where: Where) -> Any:
        """A value given in Python in the field's own form, within its limits; else `BadRequest`."""
        value = dict(self.renamed).get(value, value) if isinstance(value, str) else value
        return None if value is None and self.optional else self.kind.check(value, self, where)

    def write(self, value: Any) -> Any:
        """A checked value as a request writes it."""
        return None if value is None else self.kind.write(value, self)

    def within(self, value: float, given: Any, where: Where) -> float:
        """The value, if it is within the limits; the error shows them in the unit that was typed."""
        low, high = self._limits()
        if not low <= value <= high or not math.isfinite(value):
            raise fail(where, self.expects(unit_typed(given)), given)
        return value

    def _limits(self) -> tuple[float, float]:
        return (-math.inf if self.low is None else self.low, math.inf if self.high is None else self.high)

    def expects(self, unit: str = "") -> str:
        """What may be given, in words: 'a speed from 0.3 to 2.4 m/s'; limits in another unit on demand."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.kind is WORDS:
            return "a list in brackets, as [one, two]"
        if not self.kind.limited:
            return "text"
        one, many = ("a whole number", "whole numbers") if self.kind is WHOLE else NOUNS[self.quantity]
        if self.kind is not NUMBERS:
            return f"{one}{self._range('from ', unit)}"
        axes = AXES.get(self.size or 0, "") if self.quantity == "length" else ""
        return f"{f'{one} or a list of' if self.size is None else self.size} {many}{axes}{self._range('from ', unit)}"

    def _range(self, start: str, unit: str = "") -> str:
        """The limits in a unit: ' from 0.3 to 2.4 m/s'; whole degrees are rounded inwards, so that they are allowed."""
        unit = unit if UNITS.get(unit, ("", 1))[0] == self.quantity else self.unit
        size = UNITS.get(unit, ("", 1.0))[1]
        low, high = (limit / size for limit in self._limits())
        if unit.startswith("deg"):
            low, high = (round_up(low), -round_up(-high))
        ends = {
            (True, True): f" {start}{amount(low)} to {amount(high)}",
            (True, False): f" at least {amount(low)}",
            (False, True): f" at most {amount(high)}",
        }.get((math.isfinite(low), math.isfinite(high)), "")
        return f"{ends} {unit}" if unit else ends

    def describe(self) -> str:
        """The help line: what it does, unit, limits, choices, symbol, and what else must be set."""
        limits = self._range("", TYPED.get(self.unit, self.unit)) if self.kind.limited else ""
        needs = ""
        if self.only_with:
            other, *values = self.only_with
            needs = f"only with {other}" + (f" {' or '.join(values)}" if values else "")
        shown = ", ".join(m for m in (limits.strip(), " or ".join(self.choices), self.symbol, needs) if m)
        return f"{self.help} [{shown}]" if shown else self.help

    def default_text(self) -> str:
        """The default as it can be typed, or "" if there is none."""
        if self.required or self.default in (None, "", ()):
            return ""
        if isinstance(self.default, tuple):
            return ",".join(str(amount(v)) if isinstance(v, float) else str(v) for v in self.default)
        if isinstance(self.default, (int, float)) and self.kind.limited:
            unit = TYPED.get(self.unit, "")
            return f"{self.default / UNITS[unit][1]:.4g}{unit}" if unit else str(amount(self.default))
        return str(self.default).lower() if isinstance(self.default, bool) else str(self.default)

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values for JSON; angles of the default and of limits are in radians."""
        facts = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return facts | {
            "default": None if self.required else _plain(self.default),
            "required": self.required,
            "kind": self.kind.name,
            "slider": list(self.slider or (self.low, self.high)) if self.kind.limited else None,
            "choices": list(self.choices),
            "only_with": list(self.only_with),
            "formerly": list(self.formerly),
            "renamed": dict(self.renamed),
            "text": self.describe(),
        }


def param(default: Any, help: str, unit: str = "", *, kind: Kind | None = None, **facts: Any) -> Any:
    """A field of a `Described` dataclass; see `Field` for `facts`. Without a `kind` the annotation decides."""
    spec = Field(default, help, unit, kind=TEXT if kind is None else kind, **facts)
    return dataclasses.field(default=default, metadata={"field": spec, "kind": kind})


def internal(default: Any) -> Any:
    """A field of a `Described` dataclass that no request can set: it is neither checked, shown nor compared."""
    return dataclasses.field(default=default, compare=False, repr=False, metadata={"internal": True})


def fields_of(cls: type) -> tuple[Field, ...]:
    """The fields of a `Described` dataclass, in order, with their names and kinds."""
    return _fields_of(cls)


@cache
def _fields_of(cls: type) -> tuple[Field, ...]:
    hints = get_type_hints(cls)
    out = []
    for f in (f for f in dataclasses.fields(cls) if "internal" not in f.metadata):
        at = f"{cls.__module__}.{cls.__name__}.{f.name}"
        if "field" not in f.metadata:
            raise TypeError(f"{at}: write it as param(default, help)")
        spec: Field = f.metadata["field"]
        hint, optional = hints[f.name], spec.default is None
        if get_origin(hint) in (Union, UnionType):
            parts = [a for a in get_args(hint) if a is not NoneType]
            hint, optional = parts[0], optional or len(parts) < len(get_args(hint))
        kind, size = (f.metadata["kind"], spec.size) if f.metadata["kind"] else _kind_of(hint, at)
        out.append(dataclasses.replace(spec, name=f.name, kind=kind, size=size, optional=optional))
    return tuple(out)


def _kind_of(hint: Any, at: str) -> tuple[Kind, int | None]:
    """The kind of value of an annotation, and the size of a list."""
    single = {bool: TRUTH, int: WHOLE, float: NUMBER, str: TEXT}
    if hint in single:
        return single[hint], None
    items = get_args(hint)
    if get_origin(hint) is tuple and items == (str, ...):
        return WORDS, None
    if get_origin(hint) is tuple and set(items) <= {float, ...}:
        return NUMBERS, None if ... in items else len(items)
    raise TypeError(f"{at}: a setting is a bool, int, float, str, or a tuple of floats or of str")


@dataclass(frozen=True)
class Described:
    """A frozen dataclass of `param`s: checked when built, read from plain values, written back to them."""

    def __post_init__(self) -> None:
        problems = Problems()
        for f in fields_of(type(self)):
            with problems.collect(self.key()):
                put(self, f.name, f.check(getattr(self, f.name), (f.name,)))
        problems.raise_found()

    @classmethod
    def key(cls) -> str:
        """Its name in a request: the class name in snake_case."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

    @classmethod
    def of(cls, values: object, places: Mapping[str, str] | None = None) -> Self:
        """From the plain values of a request; all unknown, missing and wrong fields are reported.

        `places` may give the file and line of each field.
        """
        key, known = cls.key(), {f.name: f for f in fields_of(cls)}
        if not isinstance(values, Mapping):
            must = [f.name for f in known.values() if f.required]
            form = f": write {key}: {{{must[0]}: {values}}}" if len(must) == 1 and isinstance(values, str) else ""
            raise BadRequest(f"expected fields {{{', '.join(known)}}}, found {values!r}{form}", where=(key,))
        problems, read, spots = Problems(), {}, places or {}
        earlier = {old: name for name, f in known.items() for old in f.formerly}
        for name, value in values.items():
            with problems.collect(key, place=spots.get(name, "")):
                present = earlier.get(name, name)
                if present not in known:
                    raise BadRequest(unknown(name, known))
                if present in read or (present != name and present in values):
                    raise BadRequest(f"{name!r} is the earlier name of {present!r}; give one of them", where=(name,))
                if present != name:
                    deprecated(name, present)
                read[present] = known[present].read(value, (present,))
        missing = [n for n, f in known.items() if f.required and n not in read and n not in values]
        if missing:
            needed = f"{missing[0]!r} is missing; it needs {', '.join(missing)}"
            problems.found.append(BadRequest(needed, where=(key,)))
        problems.raise_found()
        return cls(**read)

    def to_plain(self) -> dict[str, Any]:
        """The fields that differ from their defaults, as a request writes them."""
        values = [(f, getattr(self, f.name)) for f in fields_of(type(self))]
        return {f.name: f.write(value) for f, value in values if f.required or value != f.default}


def amount(value: float) -> str:
    """A number without exponent or needless digits, where it is not huge.

    >>> amount(100000.0), amount(0.25)
    ('100000', '0.25')
    """
    return str(int(value)) if math.isfinite(value) and value == int(value) and abs(value) < 1e9 else f"{value:g}"


def round_up(value: float) -> float:
    """The next whole number that is not smaller, but for rounding errors."""
    return math.ceil(value - 1e-9) if math.isfinite(value) else value


def _plain(value: Any) -> Any:
    return list(map(_plain, value)) if isinstance(value, (tuple, list)) else value
