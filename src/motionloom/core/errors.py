"""What can go wrong, each kind with its evidence as attributes.

Every error a user can cause is a `MotionloomError`; the command line prints its message and no traceback.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any


class MotionloomError(Exception):
    """The root of all errors that a user, a file or a request can cause."""


class FormatError(MotionloomError):
    """A file is not what it should be: says where (path and line), what was expected and what was found."""

    def __init__(self, message: str, *, path: str | Path | None = None, line: int | None = None) -> None:
        self.message, self.path, self.line = message, path, line
        where = "" if path is None else Path(path).name
        if line is not None:
            where = f"{where}:{line}" if where else f"line {line}"
        super().__init__(f"{where}: {message}" if where else message)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_format_error, (self.message, self.path, self.line))


def _format_error(message: str, path: str | Path | None, line: int | None) -> FormatError:
    return FormatError(message, path=path, line=line)


class InvalidClip(MotionloomError):
    """Arrays that cannot be a skeleton or a clip (wrong shape, NaN, a parent after its child)."""


class SkeletonMismatch(MotionloomError):
    """Two clips whose skeletons cannot be used together."""


OTHER_WORDS = {  # people name the joint, we name the bone that turns there
    "elbow": "forearm",
    "wrist": "hand",
    "knee": "shin",
    "ankle": "foot",
    "hip": "thigh",
    "collar": "shoulder",
    "clavicle": "shoulder",
}


class UnknownJoint(MotionloomError):
    """A joint, role or group that a skeleton does not have."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name, self.known = name, tuple(known)
        meant = [name.replace(a, b) for a, b in OTHER_WORDS.items() if name.replace(a, b) in self.known and a in name]
        near = meant or get_close_matches(name, self.known, n=3, cutoff=0.4) or list(self.known[:6])
        hint = ", ".join(repr(n) for n in near)
        super().__init__(f"no joint {name!r} in this skeleton; did you mean {hint}?")

    def __reduce__(self) -> tuple[Any, ...]:
        return (UnknownJoint, (self.name, self.known))


class BadRequest(MotionloomError):
    """A request, option or argument that makes no sense as written (wrong usage: the command exits with 2)."""


class UnsupportedConstraint(BadRequest):
    """A method was asked for something that it does not honour."""


class Unmet(MotionloomError):
    """A hard constraint could not be met; keeps the best clip and every residual."""

    def __init__(self, message: str, *, best: Any = None, residuals: Any = None) -> None:
        self.best, self.residuals = best, residuals
        super().__init__(message)


class NoPath(Unmet):
    """No way through the material leads where the request asks."""


class MissingExtra(MotionloomError):
    """An optional library is not installed; the message holds the line to type."""
