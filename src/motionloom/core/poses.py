"""Poses and commands of N live characters at one instant, as plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core.arrays import BoolArray, FloatArray, IntArray
from motionloom.core.errors import BadRequest
from motionloom.core.origin import BODY
from motionloom.core.skeleton import Skeleton


class Poses(NamedTuple):
    """N bodies at one instant."""

    root: FloatArray  # (N, 3) m, the hips
    rotations: FloatArray  # (N, J, 4) local to parent, unit quaternions, w x y z
    contacts: BoolArray  # (N, P) which foot parts stand, in the order of `foot_parts`
    phase: FloatArray  # (N,) cycles of the reference locomotion, NaN where there is none


class BodyPart(NamedTuple):
    """Some joints of a body that have the same sources."""

    name: str
    joints: tuple[int, ...]


class Sources(NamedTuple):
    """Sources of the present poses: G body parts, K sources for each; `record` writes them into an Origin."""

    which: IntArray  # (N, G, K) index into `Live.material.table`, -1 where none
    frames: FloatArray  # (N, G, K) frame in the source, may be fractional
    weights: FloatArray  # (N, G, K) sum to 1 over K where there is a source
    body_parts: tuple[BodyPart, ...] = ()  # the G parts; none: the whole body, or every joint (see `named_parts`)


def named_parts(sources: Sources, skeleton: Skeleton) -> tuple[BodyPart, ...]:
    """The G body parts of sources: those that it names, or the whole body, or every joint where G is their number."""
    if sources.body_parts:
        return sources.body_parts
    if sources.which.shape[1] == 1:
        return (BodyPart(BODY[0], tuple(range(len(skeleton)))),)
    assert sources.which.shape[1] == len(skeleton)
    return tuple(BodyPart(name, (j,)) for j, name in enumerate(skeleton.names))


class Commands(NamedTuple):
    """Commands of N characters. NaN or -1 means no command; a leading dimension of 1 applies to all of them."""

    heading: FloatArray  # (N,) rad, direction of travel
    speed: FloatArray  # (N,) m/s
    place: FloatArray  # (N, 2) m, where to go
    facing: FloatArray  # (N,) rad, heading on arrival at `place`
    action: IntArray  # (N,) index into `Live.actions`
    values: FloatArray  # (N, D) parameters of the action
    overlay: IntArray  # (N,) action to splice on
    look: FloatArray  # (N, 3) m, point to look at
    target: FloatArray  # (N, 3) m, point in the world that the action is to meet, as a fist does


SHAPES: dict[str, tuple[int, ...]] = {"place": (2,), "values": (1,), "look": (3,), "target": (3,)}  # beside N; else ()
WHOLE = ("action", "overlay")
DTYPES = tuple(np.dtype(np.int64 if name in WHOLE else np.float64) for name in Commands._fields)
INNER = tuple(SHAPES.get(name, ()) for name in Commands._fields)


def commands(**given: ArrayLike) -> Commands:
    """Commands with these fields, and none in the others; a field for one character may leave out the dimension N.

    >>> commands(heading=0.5, place=[[1, 2], [3, 4]]).place.shape
    (2, 2)
    >>> commands(heading=0.5).speed
    array([nan])
    """
    unknown = [name for name in given if name not in Commands._fields]
    if unknown:
        raise BadRequest(f"there is no command {unknown[0]!r}; there are {', '.join(Commands._fields)}")
    return Commands(*(_column(name, given.get(name)) for name in Commands._fields))


def _column(name: str, value: ArrayLike | None) -> Any:
    inner = SHAPES.get(name, ())
    if value is None:
        return np.full((1, *inner), -1, np.int64) if name in WHOLE else np.full((1, *inner), np.nan)
    try:
        array = np.array(value, np.int64 if name in WHOLE else np.float64)
    except (TypeError, ValueError):
        raise BadRequest(f"command {name}: expected numbers, found {value!r}") from None
    if array.ndim <= len(inner):
        array = array.reshape((1, *array.shape))
    fits = array.ndim == 1 + len(inner) and (name == "values" or array.shape[1:] == inner)
    if not fits:
        wanted = ", ".join(["N", *map(str, inner)])
        raise BadRequest(f"command {name}: expected shape ({wanted}), found {array.shape}")
    return array


def plain(given: Commands) -> Commands:
    """The same commands as contiguous, writable arrays of the right type: kernels are compiled for these alone.

    `BadRequest` for a field of another shape, which a kernel would read beyond its end.
    """
    fields: list[Any] = []
    for name, inner, dtype, field in zip(Commands._fields, INNER, DTYPES, given, strict=True):
        if np.ndim(field) != 1 + len(inner) or (inner and name != "values" and field.shape[1:] != inner):
            wanted = ", ".join(["N", *("D" if name == "values" else str(n) for n in inner)])
            raise BadRequest(f"command {name}: expected shape ({wanted}), found {np.shape(field)}")
        fields.append(field if field.dtype == dtype and field.flags.carray else np.array(field, dtype, order="C"))
    return Commands(*fields)


def only(given: Commands, names: Sequence[str]) -> Commands:
    """The commands with these names, and none in the other fields."""
    none = commands()
    return Commands(*(getattr(given if name in names else none, name) for name in Commands._fields))


def broadcast(given: Commands, count: int) -> Commands:
    """The same commands with a leading dimension of `count` in every field."""
    fields: list[Any] = [np.broadcast_to(field, (count, *field.shape[1:])) for field in given]
    return Commands(*fields)


def rows(given: Commands, index: IntArray | slice) -> Commands:
    """The commands of some characters; a field that is for all stays as it is."""
    fields: list[Any] = [field if len(field) == 1 else field[index] for field in given]
    return Commands(*fields)
