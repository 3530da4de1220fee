"""Convert frozen dataclasses to arrays and JSON, the contents of a model file, and back.

A dataclass or named tuple is `{"fields": {...}}`, an array `{"tensor": name}`, or `{"narrow": name}` if its 64-bit
floats are stored as 32-bit ones without loss; the name "" stands for the path of the value. An array without numbers is
`{"empty": "dtype shape"}`, a tuple `{"tuple": [...]}`, a mapping `{"map": {...}}`, an object that occurred before
`{"same": name}`. When reading, the type hints of the fields determine the classes, so a file cannot name any.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from motionloom.core import FormatError
from motionloom.core.fields import Described, fields_of

KINDS = "biuf"  # dtypes of arrays in a model: booleans, whole numbers and floats
SHARED = 2**23  # bytes of arrays that may occur again in a file without any, or with small ones


class Packer:
    """Converts values to JSON and collects their arrays by name."""

    def __init__(self) -> None:
        self.tensors: dict[str, Any] = {}
        self._seen: dict[int, tuple[str, Any]] = {}  # by id; the object is kept so that its id is not reused

    def pack(self, value: Any, name: str) -> Any:
        """The JSON for a value; `name` is its path in the model, `clips.3.root`."""
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, np.bool_):
            return bool(value)
        if isinstance(value, (int, np.integer)):
            return int(value)
        if isinstance(value, (float, np.floating)):
            return float(value) if math.isfinite(value) else {"float": repr(float(value))}
        if isinstance(value, np.ndarray):
            return self._array(value, name)
        if _is_record(value):
            return self._record(value, name)
        if isinstance(value, (tuple, list)):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {kind: [self.pack(v, f"{name}.{i}") for i, v in enumerate(value)]}
        if isinstance(value, Mapping):
            if not all(isinstance(k, str) for k in value):
                raise TypeError(f"{name}: expected a mapping with text as keys")
            return {"map": {k: self.pack(v, f"{name}.{k}") for k, v in value.items()}}
        raise TypeError(f"{name}: expected arrays, numbers, text or dataclasses, found {type(value).__name__}")

    def _array(self, value: Any, name: str) -> Any:
        if value.dtype.kind not in KINDS:
            raise TypeError(f"{name}: expected an array of numbers, found {value.dtype}")
        if id(value) in self._seen:
            return {"same": self._seen[id(value)][0]}
        if not value.size:
            return {"empty": " ".join([value.dtype.str, *map(str, value.shape)])}
        self._seen[id(value)] = (name, value)
        if value.dtype == np.float64:
            with np.errstate(over="ignore"):
                narrow = value.astype(np.float32, order="C")
            if np.array_equal(narrow, value):
                self.tensors[name] = narrow
                return {"narrow": ""}
        self.tensors[name] = np.ascontiguousarray(value)
        return {"tensor": ""}

    def _record(self, value: Any, name: str) -> Any:
        if id(value) in self._seen:
            return {"same": self._seen[id(value)][0]}
        if is_dataclass(value):
            self._seen[id(value)] = (name, value)
            names = [f.name for f in fields(value)]
        else:
            names = list(value._fields)
        return {"fields": {n: self.pack(getattr(value, n), f"{name}.{n}") for n in names}}


class Unpacker:
    """Builds values from JSON and named arrays."""

    def __init__(self, tensors: dict[str, Any]) -> None:
        self.tensors = tensors
        self._built: dict[str, tuple[Any, int]] = {}  # arrays and records by name, and the bytes of their arrays
        self._used = 0  # bytes of arrays in all values, those that occur again included
        self._limit = SHARED + 8 * sum(array.nbytes for array in tensors.values())

    @staticmethod
    @cache
    def hints(cls: Any) -> dict[str, Any]:
        """The types of a dataclass's or named tuple's fields."""
        return get_type_hints(cls)

    def unpack(self, packed: Any, hint: Any, name: str) -> Any:
        """The value of type `hint` that `packed` describes; `FormatError` if it is of another type."""
        value = self._value(packed, hint, name)
        if not any(_fits(value, choice) for choice in (get_args(hint) if _is_union(hint) else (hint,))):
            raise FormatError(f"{name}: expected {_type_name(hint)}, found {type(value).__name__}")
        return value

    def _value(self, packed: Any, hint: Any, name: str) -> Any:
        if not isinstance(packed, dict):
            return packed
        if len(packed) != 1:
            raise FormatError(f"{name}: expected one entry, found {len(packed)}")
        [(kind, body)] = packed.items()
        if kind == "float":
            return float(body)
        if kind == "same":
            value, size = self._built[body]
            self._used += size
            if self._used > self._limit:
                raise FormatError(f"{name}: arrays occur too often, {self._used >> 20} MB in all")
            return value
        if kind == "empty":
            return _empty(body, name)
        if kind in ("tensor", "narrow"):
            if body not in ("", name):
                raise FormatError(f"{name}: expected its own array, found {body!r}")
            array = self.tensors[name]
            array = array.astype(np.float64) if kind == "narrow" else array
            array.flags.writeable = False
            self._built[name] = array, array.nbytes
            self._used += array.nbytes
            return array
        if kind in ("tuple", "list"):
            if not isinstance(body, list):
                raise FormatError(f"{name}: expected a list, found {type(body).__name__}")
            parts = _parts(hint, len(body))
            items = [self.unpack(b, h, f"{name}.{i}") for i, (b, h) in enumerate(zip(body, parts, strict=True))]
            return tuple(items) if kind == "tuple" else items
        if kind == "map":
            inner = (get_args(hint) or (Any, Any))[-1]
            return {k: self.unpack(v, inner, f"{name}.{k}") for k, v in body.items()}
        if kind == "fields":
            return self._record(body, _record_type(hint, name), name)
        raise FormatError(f"{name}: unknown entry {kind!r}")

    def _record(self, body: dict[str, Any], cls: Any, name: str) -> Any:
        hints = self.hints(cls)
        present = _earlier_names(cls)
        body = {present.get(n, n): v for n, v in body.items()}
        if strange := set(body) - set(hints):
            raise FormatError(f"{name}: unknown {sorted(strange)[0]}: written by another motionloom; learn it again")
        before = self._used
        value = cls(**{n: self.unpack(v, hints[n], f"{name}.{n}") for n, v in body.items()})
        self._built[name] = value, self._used - before
        return value


def _empty(body: Any, name: str) -> Any:
    """An array without numbers from its dtype and shape, `<f8 0 3`; `FormatError` if they describe another."""
    dtype, shape = body.split()[0], [int(n) for n in body.split()[1:]]
    if 0 not in shape or not 0 <= min(shape) <= max(shape) < 2**31 or np.dtype(dtype).kind not in KINDS:
        raise FormatError(f"{name}: expected an empty array of numbers, found {body!r}")
    return np.empty(shape, dtype)


def _earlier_names(cls: Any) -> dict[str, str]:
    """Earlier names of settings, which older files contain, with their present names."""
    if not (isinstance(cls, type) and issubclass(cls, Described)):
        return {}
    return {old: f.name for f in fields_of(cls) for old in f.formerly}


def _is_record(value: Any) -> bool:
    return is_dataclass(value) or (isinstance(value, tuple) and hasattr(value, "_fields"))


def _parts(hint: Any, count: int) -> list[Any]:
    """The types of a tuple's items: `tuple[X, ...]`, `tuple[X, Y]`, `list[X]`, or anything."""
    for choice in _choices(hint):
        args = get_args(choice)
        if get_origin(choice) in (tuple, list) and args:
            return list(args) if len(args) == count and args[-1] is not Ellipsis else [args[0]] * count
    return [Any] * count


def _record_type(hint: Any, name: str) -> Any:
    for choice in _choices(hint):
        if isinstance(choice, type) and (is_dataclass(choice) or hasattr(choice, "_fields")):
            return choice
    raise FormatError(f"{name}: expected a value of type {hint}, found a record")


def _choices(hint: Any) -> list[Any]:
    return [a for a in get_args(hint) if a is not NoneType] if _is_union(hint) else [hint]


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (Union, UnionType)


def _fits(value: Any, hint: Any) -> bool:
    """Is this a value of a simple type, a record, an array or a container of the type? Other types fit always."""
    kind = get_origin(hint) or hint
    if kind is Literal:
        return value in get_args(hint)
    if not isinstance(kind, type) or kind in (Any, object) or getattr(kind, "_is_protocol", False):
        return True
    if kind in (int, float):
        return isinstance(value, (int, kind, np.number)) and not isinstance(value, bool)
    return isinstance(value, kind)


def _type_name(hint: Any) -> str:
    return getattr(hint, "__name__", str(hint))
