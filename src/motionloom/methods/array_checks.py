"""Checks of the arrays in a model; an array from a file is used as an index only after such a check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from motionloom.core import Clip, FormatError, Skeleton

KINDS = {"i": "integers", "f": "numbers", "b": "true or false"}


def check_array(
    array: Any,
    name: str,
    kind: str,
    shape: tuple[int | None, ...],
    *,
    low: float | None = None,
    high: float | None = None,
) -> None:
    """`FormatError` unless an array has this kind ("i", "f", "b"), shape (None: any length) and range."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in (kind, "u" if kind == "i" else kind):
        raise FormatError(f"{name}: expected an array of {KINDS[kind]}, found {getattr(array, 'dtype', type(array))}")
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True)):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise FormatError(f"{name}: expected shape ({wanted}), found {array.shape}")
    if array.size and low is not None and (least := array.min()) < low:
        raise FormatError(f"{name}: expected values of {low} or more, found {least}")
    if array.size and high is not None and (most := array.max()) > high:
        raise FormatError(f"{name}: expected values of {high} or less, found {most}")


LARGEST_NUMBER = 1e15  # no length, angle, cost or count of a model is larger; squares and sums of it stay finite


def check_number(value: Any, name: str, *, low: float, high: float = np.inf) -> None:
    """`FormatError` unless a value is a finite number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
        raise FormatError(f"{name}: expected a finite number, found {value!r}")
    if not low <= value <= high:
        raise FormatError(f"{name}: expected {low:g} to {high:g}, found {value:g}")


def check_clips(clips: Sequence[Clip], skeleton: Skeleton, fps: float) -> None:
    """`FormatError` unless there are clips, all with the joints of `skeleton` and at `fps`."""
    if not clips:
        raise FormatError("clips: expected at least one, found none")
    for k, clip in enumerate(clips):
        if clip.skeleton.names != skeleton.names or not np.array_equal(clip.skeleton.parents, skeleton.parents):
            raise FormatError(f"clips.{k}: expected the model's skeleton, found other joints")
        if clip.fps != fps:
            raise FormatError(f"clips.{k}: expected {fps:g} fps, found {clip.fps:g}")


def check_finite(value: Any, allowed: Sequence[str] = ()) -> None:
    """`FormatError` if any array of a model contains NaN, infinity or an absurd number, except in `allowed` fields."""
    for name, array in stored_arrays(value):
        if array.dtype.kind not in "biuf":
            raise FormatError(f"{name}: expected numbers, found {array.dtype}")
        if array.dtype.kind == "f" and name.split(".")[0] not in allowed and not np.isfinite(array).all():
            raise FormatError(f"{name}: expected finite numbers, found {array[~np.isfinite(array)][0]}")
        if array.dtype.kind == "f" and array.size and name.split(".")[0] not in allowed:
            largest = float(np.abs(array).max())
            if largest > LARGEST_NUMBER:
                raise FormatError(f"{name}: expected numbers up to {LARGEST_NUMBER:g}, found {largest:g}")


def stored_arrays(value: Any, name: str = "") -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Every array in a dataclass, named tuple or sequence, with the path to it; of clips only the lengths.

    The constructors of clips and skeletons check the rest.
    """
    if isinstance(value, np.ndarray):
        yield name, value
    elif isinstance(value, (Clip, Skeleton)):
        for part in ("root", "slides", "skeleton") if isinstance(value, Clip) else ("offsets",):
            yield from stored_arrays(getattr(value, part), f"{name}.{part}".lstrip("."))
    elif is_dataclass(value) and not isinstance(value, type):
        for f in fields(value):
            yield from stored_arrays(getattr(value, f.name), f"{name}.{f.name}".lstrip("."))
    elif isinstance(value, tuple):
        names = getattr(value, "_fields", range(len(value)))
        for key, item in zip(names, value, strict=True):
            yield from stored_arrays(item, f"{name}.{key}".lstrip("."))
