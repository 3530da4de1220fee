"""Requests as people write them: YAML in a file or inline, read strictly, with lines in every error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from motionloom.constraints.base import Constraint, check_key
from motionloom.constraints.fields import QUANTITIES
from motionloom.constraints.ground import FLAT, Ground, read_ground
from motionloom.constraints.located import Table, read_yaml
from motionloom.constraints.pose import Load
from motionloom.constraints.request import KINDS, Request, Start, positive
from motionloom.core import BadRequest
from motionloom.core.errors import Problems, Where, together
from motionloom.core.units import duration, fail, number, whole


def parse_request(source: str | Path, load: Load | None = None) -> Request:
    """A request from a file (a path) or from YAML text; `load` reads the clips whose poses it names.

    Paths in a file are looked for beside that file first.
    """
    text, name, folder = _source(source)
    values = read_yaml(text, name)
    if values is None:
        values = Table()
        values.lines = {}
    if not isinstance(values, Table):
        raise BadRequest(f"expected a request such as {{seconds: 12}}, found {values!r}", place=name)
    request = _from_table(values, name, folder)
    return request if load is None else request.resolved(lambda path: load(_beside(path, folder)))


def _source(source: str | Path) -> tuple[str, str, Path | None]:
    """Text, its name in errors, and the folder that its paths are relative to."""
    if isinstance(source, str) and not _is_file(source) and _inline(source):
        return source, "request", None
    path = Path(source)
    try:
        return path.read_text(encoding="utf-8-sig"), path.name, path.parent
    except OSError as error:
        raise BadRequest(f"cannot read the request {str(source)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BadRequest(f"cannot read the request {str(source)!r}: it is not text") from None


def _inline(text: str) -> bool:
    return "\n" in text or ":" in text or text.strip()[:1] in ("", "{", "[")


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def _beside(path: str, folder: Path | None) -> str:
    return str(folder / path) if folder is not None and _is_file(str(folder / path)) else path


def _from_table(values: Table, name: str, folder: Path | None) -> Request:
    """The request that a table describes; every mistake in it is reported."""
    problems = Problems()
    given: dict[str, Any] = {}
    for key, value in values.items():
        with problems.collect(place=f"{name}:{values.lines[key]}"):
            check_key(key, _READERS)
            if value is not None:
                given[key] = _READERS[key](value, _Context(name, values.lines[key], folder))
    if "seconds" in given and "frames" in given:
        with problems.collect("frames", place=f"{name}:{values.lines['frames']}"):
            raise BadRequest("expected seconds or frames, found both")
    problems.raise_found()
    return Request(**given)


class _Context(NamedTuple):
    """The file, the line of the key, and the folder that names of files are relative to."""

    name: str
    line: int
    folder: Path | None


def _seconds(value: object, context: _Context) -> float:
    return float(positive(duration(value, ("seconds",)), ("seconds",)))


def _frames(value: object, context: _Context) -> int:
    return int(positive(whole(value, ("frames",)), ("frames",)))


def _fps(value: object, context: _Context) -> float:
    return float(positive(number(value, ("fps",)), ("fps",)))


def _options(value: object, context: _Context) -> dict[str, Any]:
    return dict(_table(value, ("options",)))


def _parameters(value: object, context: _Context) -> dict[str, Any]:
    return dict(QUANTITIES.read(value, ("parameters",))) if value else {}


def _table(value: object, where: Where) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise fail(where, "{name: value, ...}", value)
    return value


def _start(value: object, context: _Context) -> Start:
    known, read, problems = {f.name: f for f in fields(Start)}, {}, Problems()
    for name, item in _table(value, ("start",)).items():
        with problems.collect("start"):
            check_key(name, known)
            read[name] = known[name].metadata["kind"].read(item, (name,))
    problems.raise_found()
    return Start(**read)


def _ground(value: object, context: _Context) -> Ground:
    if value == "flat":
        return FLAT
    if isinstance(value, Mapping) and set(value) == {"heights"} and isinstance(value["heights"], str):
        name = value["heights"]
        return read_ground(Path(_beside(name, context.folder)), name)
    raise fail(("ground",), "flat, or {heights: ground.csv}", value)


def _constraints(value: object, context: _Context) -> tuple[Constraint, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise fail(("constraints",), "a list, each line beginning with '- '", value)
    out, problems = [], Problems()
    for i, item in enumerate(value):
        with problems.collect():
            out.append(_constraint(i, item, context.name))
    problems.raise_found()
    return tuple(out)


def _constraint(index: int, item: object, name: str) -> Constraint:
    """One entry of the list of constraints."""
    if not isinstance(item, Table) or len(item) != 1:
        raise fail(("constraints", index), "one constraint, as root_at: {time: 4, heading: 90deg}", item)
    [(key, body)] = item.items()
    place = f"{name}:{item.lines[key]}"
    if key not in KINDS:
        known = f"there is no {key!r} here; {_meant(key)}the constraints are {', '.join(KINDS)}"
        raise BadRequest(known, where=("constraints", index), place=place)
    places = {n: f"{name}:{line}" for n, line in body.lines.items()} if isinstance(body, Table) else {}
    try:
        return KINDS[key].from_plain(body, places)
    except BadRequest as error:
        raise together([each.in_constraint(index, key, place) for each in error.problems]) from None


_READERS: dict[str, Callable[[Any, _Context], Any]] = {
    "seconds": _seconds,
    "frames": _frames,
    "fps": _fps,
    "start": _start,
    "options": _options,
    "ground": _ground,
    "parameters": _parameters,
    "constraints": _constraints,
}


def _meant(key: str) -> str:
    """A guess at the constraint that was meant: `path` is part of `root_path`, `root_ad` is like `root_at`."""
    near = [kind for kind in KINDS if key and key in kind.split("_")] or get_close_matches(key, list(KINDS), n=1)
    return f"did you mean {near[0]!r}? " if len(near) == 1 else ""
