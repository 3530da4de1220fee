"""Errors that a user, a file or a request can cause, with the evidence as attributes.

Every error a user can cause is a `MotionloomError`; the command line prints its message and no traceback.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self


class MotionloomError(Exception):
    """The root of all errors that a user, a file or a request can cause."""


class FormatError(MotionloomError):
    """A file is invalid: the message states where (path and line), what was expected and what was found."""

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


LISTED = 12  # known names that an error lists, if none of them is similar
MAX_SHOWN = 80  # characters of a name that an error shows
SYNONYMS = {  # names of joints, and the bones that turn there
    "elbow": "forearm",
    "wrist": "hand",
    "knee": "shin",
    "ankle": "foot",
    "hip": "thigh",
    "collar": "shoulder",
    "clavicle": "shoulder",
}


def did_you_mean(name: object, known: Iterable[str], meant: Iterable[str] = (), *, count: int = 1) -> str:
    """A hint at the known names that are similar to an unknown one, or at all of them; `meant` overrides similarity.

    A name of which the unknown one is a word (`path` of `root_path`) is similar, and one that is a word of it.

    >>> did_you_mean("wlak", ["walk", "run"])
    "did you mean 'walk'?"
    >>> did_you_mean("sit", ["walk", "run"])
    'known: walk, run'
    >>> did_you_mean("sit", [])
    'known: none'
    """
    names, text = list(dict.fromkeys(known)), str(name)
    containing = [other for other in names if text and (text in other.split("_") or other in text.split("_"))]
    near = list(meant) or containing or get_close_matches(text, names, n=count, cutoff=0.5)
    if near:
        return f"did you mean {', '.join(map(repr, near[:count]))}?"
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"known: {', '.join(names[:LISTED]) or 'none'}{more}"


class UnknownJoint(MotionloomError):
    """A joint, role or group that a skeleton does not have."""

    def __init__(self, name: str, known: Iterable[str], hint: str = "") -> None:
        self.name, self.known, self.hint = name, tuple(known), hint
        meant = [name.replace(a, b) for a, b in SYNONYMS.items() if name.replace(a, b) in self.known and a in name]
        near = did_you_mean(name, self.known, meant, count=3)
        super().__init__("; ".join(filter(None, [f"no joint {name!r} in this skeleton", near, hint])))

    def __reduce__(self) -> tuple[Any, ...]:
        return (UnknownJoint, (self.name, self.known, self.hint))


Where = tuple[str | int, ...]
"""A path into a request: ("constraints", 2, "time"), ("options", "noise")."""


class BadRequest(MotionloomError):
    """An invalid request, option or argument (wrong usage: the command exits with 2).

    `where` is the path to the invalid value, `message` states what was expected and found. A value inside a constraint
    that is not (yet) part of a request has a path that begins with the name of its class: ("root_at", "time").
    """

    def __init__(
        self,
        message: str,
        *,
        where: Where = (),
        constraint: str = "",
        place: str = "",
        several: Iterable[BadRequest] = (),
        about: object = None,
    ) -> None:
        self.message, self.where, self.constraint = message, where, constraint
        self.place = place  # file and line, "walk.yaml:4"
        self.several = tuple(several)
        self.about = about  # the invalid constraint, as long as its index in the request is not known
        super().__init__(": ".join(part for part in (place, self._path(), message) if part))

    @property
    def problems(self) -> tuple[BadRequest, ...]:
        """Every problem that this error reports: usually this one alone."""
        return self.several or (self,)

    def at(self, where: Where, constraint: str = "", place: str = "") -> Self:
        """The same problem at another path."""
        name = self.constraint or constraint
        return type(self)(self.message, where=where, constraint=name, place=self.place or place)

    def inside(self, *outer: str | int, place: str = "") -> Self:
        """The same problem with `outer` before its path."""
        return self.at((*outer, *self.where), place=place)

    def in_constraint(self, index: int, name: str, place: str = "") -> Self:
        """The same problem of a constraint called `name`, which is entry `index` of its request."""
        own = self.where[1:] if self.where[:1] == (name,) else self.where
        return self.at(("constraints", index, *own), name, place)

    def _path(self) -> str:
        """The path as in messages: `constraints[2]: root_at.time`, without the index where the line is known."""
        if not self.constraint:
            return path_text(self.where)
        entry = "" if self.place else f"{path_text(self.where[:2])}: "
        return entry + path_text((self.constraint, *self.where[2:]))


def path_text(where: Where) -> str:
    """A path in one word.

    >>> path_text(("constraints", 2, "target", 0))
    'constraints[2].target[0]'
    """
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in where).removeprefix(".")


class Problems:
    """Collects the problems of a request, so that all of them are reported at once."""

    def __init__(self) -> None:
        self.found: list[BadRequest] = []

    @contextmanager
    def collect(self, *outer: str | int, place: str = "") -> Iterator[None]:
        """Keep a `BadRequest` that is raised inside instead of passing it on; `outer` comes before its path."""
        try:
            yield
        except BadRequest as error:
            self.found += [each.inside(*outer, place=place) for each in error.problems]

    @contextmanager
    def collect_constraint(self, index: int, name: str, place: str = "") -> Iterator[None]:
        """The same for entry `index` of the constraints, which is called `name`."""
        try:
            yield
        except BadRequest as error:
            self.found += [each.in_constraint(index, name, place) for each in error.problems]

    def raise_found(self) -> None:
        """Raise what was collected, if anything was."""
        if self.found:
            raise combine_problems(self.found)


def combine_problems(problems: Sequence[BadRequest]) -> BadRequest:
    """One error for all problems: a single one as it is, several as a list, of the first one's class."""
    if len(problems) == 1:
        return problems[0]
    lines = [f"{len(problems)} problems:", *(f"  {error}" for error in problems)]
    return type(problems[0])("\n".join(lines), several=problems)


def unknown(name: object, known: Iterable[str], what: str = "") -> str:
    """The message for an unknown name, with the most similar known one or all of them.

    >>> unknown("wlak", ["walk", "run"], "sample")
    "there is no sample 'wlak'; did you mean 'walk'?"
    """
    text = str(name)[:MAX_SHOWN]
    hint = did_you_mean(text, known)
    return f"there is no {what} {text!r}; {hint}" if what else f"there is no {text!r} here; {hint}"


class UnsupportedConstraint(BadRequest):
    """A constraint or field of a request that the method does not honour."""


class Unmet(MotionloomError):
    """A hard constraint could not be met; keeps the best clip and every residual."""

    def __init__(self, message: str, *, best: Any = None, residuals: Any = None) -> None:
        self.best, self.residuals = best, residuals
        super().__init__(message)


class NoPath(Unmet):
    """No path through the learned motion fulfils the request."""


class MissingExtra(MotionloomError):
    """An optional library is not installed; the message contains the command that installs it."""
