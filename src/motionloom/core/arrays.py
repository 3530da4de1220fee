"""Array types, and the one place where arrays are checked and frozen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionloom.core.errors import InvalidClip

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
UInt8Array = NDArray[np.uint8]


def frozen(values: ArrayLike, dtype: Any, shape: tuple[int | None, ...], what: str, *, finite: bool = True) -> Any:
    """`values` as a read-only C-contiguous array of `dtype` and `shape` (None: any length), or `InvalidClip`.

    An array that is already read-only, and of which no writable view exists, is used without a copy.
    """
    try:
        array = np.asarray(values, dtype=dtype, order="C")
    except (TypeError, ValueError) as error:
        raise InvalidClip(f"{what}: {error}") from None
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True)):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise InvalidClip(f"{what}: expected shape ({wanted}), found {array.shape}")
    if finite and array.dtype.kind == "f" and not np.isfinite(array).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InvalidClip(f"{what}: {array[at]} at index {at}; values must be finite")
    if array is not values and array.base is None:  # converted just now: there is no other reference
        array.flags.writeable = False
    elif _writable(array):
        array = array.copy()
        array.flags.writeable = False
    return array


def put(instance: object, name: str, value: Any) -> None:
    """Set a field of a frozen dataclass while it is being built."""
    object.__setattr__(instance, name, value)


def _writable(array: NDArray[Any]) -> bool:
    """Could somebody still write to these bytes, through this array or through the one it looks into?"""
    seen: Any = array
    while isinstance(seen, np.ndarray):
        if seen.flags.writeable:
            return True
        seen = seen.base
    return seen is not None and not isinstance(seen, bytes)


def freeze_in_place(array: NDArray[Any]) -> NDArray[Any]:
    """Make `array` read-only in place: for arrays just computed, which have no other reference and need no copy."""
    array.flags.writeable = False
    return array
