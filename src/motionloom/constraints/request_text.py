"""Strict reader of requests in YAML, with file and line in every error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from motionloom.constraints.base import Constraint
from motionloom.constraints.fields import frame_rate, positive, read_value
from motionloom.constraints.ground_heights import FLAT, Ground, read_ground
from motionloom.constraints.root import Start
from motionloom.constraints.table import KINDS
from motionloom.constraints.yaml_lines import LineMapping, read_yaml
from motionloom.core import BadRequest, FormatError
from motionloom.core.errors import Problems, Where, combine_problems, unknown
from motionloom.core.files import Files, read_regular
from motionloom.core.units import duration, fail, whole


def parse_values(text: str, files: Files, name: str) -> dict[str, Any]:
    """The fields of a request from YAML text. Every mistake is reported, with the line in `name`."""
    if not isinstance(text, str):
        raise BadRequest(f"expected the text of a request, found {type(text).__name__}; Request.from_file reads a file")
    values = read_yaml(text, name)
    if values is None:
        return {}
    if not isinstance(values, LineMapping):
        kind = "a list" if isinstance(values, list) else "a single value"
        raise BadRequest(f"expected a request such as {{seconds: 12}}, found {kind}", place=name)
    problems = Problems()
    given: dict[str, Any] = {}
    for key, value in values.items():
        with problems.collect(place=f"{name}:{values.lines[key]}"):
            if key in KINDS and key not in _READERS:
                raise BadRequest(f"{key} is a constraint and belongs under constraints: `constraints: [{key}: ...]`")
            if key not in _READERS:
                raise BadRequest(unknown(key, _READERS))
            if value is not None:
                given[key] = _READERS[key](value, _Context(name, values.lines[key], files))
    if "seconds" in given and "frames" in given:
        with problems.collect("frames", place=f"{name}:{values.lines['frames']}"):
            raise BadRequest("expected seconds or frames, found both")
    problems.raise_found()
    return given


def read_request_text(path: str | Path, files: Files | None = None) -> tuple[str, Files]:
    """The text of a request file, and the folders that its file names may lead to: its own, then those of `files`."""
    path = Path(path)
    root = Files((path.parent, *(files.root if files else ())), files.limits if files else None)
    try:
        return read_regular(path, root.limits).decode("utf-8-sig"), root
    except FileNotFoundError:
        raise BadRequest(f"no such file: {str(path)!r}") from None
    except OSError as error:
        raise BadRequest(f"cannot read the request {str(path)!r}: {error.strerror or error}") from None
    except (FormatError, UnicodeDecodeError) as error:
        why = error.message if isinstance(error, FormatError) else "it is not text"
        raise BadRequest(f"cannot read the request {str(path)!r}: {why}") from None


class _Context(NamedTuple):
    """The file, the line of the key, and where the files that are named may be."""

    name: str
    line: int
    files: Files


def _seconds(value: object, context: _Context) -> float:
    return float(positive(duration(value, ("seconds",)), ("seconds",)))


def _frames(value: object, context: _Context) -> int:
    return int(positive(whole(value, ("frames",)), ("frames",)))


def _fps(value: object, context: _Context) -> float:
    return frame_rate(value)


def _options(value: object, context: _Context) -> dict[str, Any]:
    return dict(_table(value, ("options",)))


def _parameters(value: object, context: _Context) -> dict[str, Any]:
    return {name: read_value(item, None, ("parameters", name)) for name, item in _table(value, ("parameters",)).items()}


def _table(value: object, where: Where) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise fail(where, "{name: value, ...}", value)
    return value


def _start(value: object, context: _Context) -> Start:
    return Start.of(value)


def _ground(value: object, context: _Context) -> Ground:
    if value == "flat":
        return FLAT
    if isinstance(value, Mapping) and set(value) == {"heights"} and isinstance(value["heights"], str):
        name = value["heights"]
        return read_ground(context.files.resolve(name, ("ground", "heights")), name)
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
    if not isinstance(item, LineMapping) or len(item) != 1:
        raise fail(("constraints", index), "one constraint, as root_at: {time: 4, heading: 90deg}", item)
    [(key, body)] = item.items()
    place = f"{name}:{item.lines[key]}"
    if key not in KINDS:
        raise BadRequest(unknown(key, KINDS, "constraint"), where=("constraints", index), place=place)
    places = {n: f"{name}:{line}" for n, line in body.lines.items()} if isinstance(body, LineMapping) else {}
    try:
        return KINDS[key].of(body, places)
    except BadRequest as error:
        raise combine_problems([each.in_constraint(index, key, place) for each in error.problems]) from None


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
