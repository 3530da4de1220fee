"""Requests as people write them: YAML in a file or inline, read strictly, with lines in every error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from motionloom.constraints.base import Constraint, check_keys
from motionloom.constraints.fields import QUANTITIES
from motionloom.constraints.ground import FLAT, Ground, read_ground
from motionloom.constraints.located import Table, read_yaml
from motionloom.constraints.pose import Load
from motionloom.constraints.request import KINDS, Request, Start, positive
from motionloom.core import BadRequest
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
        raise BadRequest(f"{name}: expected a request such as {{seconds: 12}}, found {values!r}")
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
    known = {f.name: f for f in fields(Request)}
    for key in values:
        check_keys({key: 0}, known, f"{name}:{values.lines[key]}")
    at = {key: f"{name}:{line}: " for key, line in values.lines.items()}
    given_values: dict[str, Any] = {}
    for key, read in (("seconds", duration), ("frames", whole), ("fps", number)):
        if values.get(key) is not None:
            given_values[key] = positive(read(values[key], f"{at[key]}{key}"), f"{at[key]}{key}")
    if "seconds" in given_values and "frames" in given_values:
        raise BadRequest(f"{at['frames']}expected seconds or frames, found both")
    if values.get("start") is not None:
        given_values["start"] = _start(values["start"], at["start"])
    if values.get("options") is not None:
        given_values["options"] = dict(_table(values["options"], f"{at['options']}options"))
    if values.get("ground") is not None:
        given_values["ground"] = _ground(values["ground"], at["ground"], folder)
    if values.get("parameters"):
        given_values["parameters"] = dict(QUANTITIES.read(values["parameters"], f"{at['parameters']}parameters"))
    if values.get("constraints") is not None:
        given_values["constraints"] = _constraints(values["constraints"], at["constraints"], name)
    return Request(**given_values)


def _table(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise fail(where, "{name: value, ...}", value)
    return value


def _start(value: object, where: str) -> Start:
    table = _table(value, f"{where}start")
    known = {f.name: f for f in fields(Start)}
    check_keys(table, known, f"{where}start")
    return Start(**{n: known[n].metadata["kind"].read(v, f"{where}start.{n}") for n, v in table.items()})


def _ground(value: object, where: str, folder: Path | None) -> Ground:
    if value == "flat":
        return FLAT
    if isinstance(value, Mapping) and set(value) == {"heights"} and isinstance(value["heights"], str):
        name = value["heights"]
        return read_ground(Path(_beside(name, folder)), name)
    raise fail(f"{where}ground", "flat, or {heights: ground.csv}", value)


def _constraints(value: object, where: str, name: str) -> tuple[Constraint, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise fail(f"{where}constraints", "a list, each line beginning with '- '", value)
    out = []
    for i, item in enumerate(value):
        if not isinstance(item, Table) or len(item) != 1:
            raise fail(f"{where}constraints[{i}]", "one constraint, as root_at: {time: 4, heading: 90deg}", item)
        [(key, body)] = item.items()
        at = f"{name}:{item.lines[key]}: "
        if key not in KINDS:
            raise BadRequest(f"{at}there is no {key!r} here; {_meant(key)}the constraints are {', '.join(KINDS)}")
        spots = {n: f"{name}:{line}: " for n, line in body.lines.items()} if isinstance(body, Table) else {}
        out.append(KINDS[key].from_plain(body, at, spots))
    return tuple(out)


def _meant(key: str) -> str:
    """A guess at the constraint that was meant: `path` is part of `root_path`, `root_ad` is like `root_at`."""
    near = [kind for kind in KINDS if key and key in kind.split("_")] or get_close_matches(key, list(KINDS), n=1)
    return f"did you mean {near[0]!r}? " if len(near) == 1 else ""
