"""Unit, up axis, frame rate and roles that were given once, stored beside the clip.

They are in the roles file that applies to it (`walk.roles.toml`, or `roles.toml` of its folder):

    [reading]
    unit = "cm"
    up = "z"
    fps = 60
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from motionloom.core import BadRequest, FormatError, Note
from motionloom.core.text import read_text, read_toml
from motionloom.io.atomic_files import write_whole
from motionloom.io.reader_settings import Reading
from motionloom.io.sidecars.names import side_path
from motionloom.io.sidecars.roles import read_roles, roles_file

STORED = ("unit", "up", "fps")


def with_stored_reading(path: str | Path, reading: Reading) -> tuple[Reading, tuple[Note, ...]]:
    """`reading`, with what it leaves open taken from the roles file that applies to a clip, and a note on that."""
    found = roles_file(path, reading.roles)
    if found is None:
        return reading, ()
    stored = read_toml(found).get("reading", {})
    if not isinstance(stored, dict) or not set(stored) <= set(STORED):
        raise FormatError(f"[reading]: expected {', '.join(STORED)}", path=found)
    used = {name: value for name, value in stored.items() if getattr(reading, name) is None}
    if not used:
        return reading, ()
    try:
        changed = replace(reading, **used)
    except (BadRequest, TypeError, AttributeError, ValueError) as error:
        raise FormatError(f"[reading]: {error}", path=found) from None
    text = ", ".join(f"{name} {value}" for name, value in used.items())
    return changed, (Note(f"{text}: from {found.name}", topic="file"),)


def store_reading(path: str | Path, reading: Reading) -> Path | None:
    """Write the unit, up axis, frame rate and roles that are given into the clip's own roles file; its path.

    Other tables and lines of an existing file are kept. None, and no file, if nothing is given.
    """
    tables: dict[str, Mapping[str, Any]] = {}
    given = {name: getattr(reading, name) for name in STORED if getattr(reading, name) is not None}
    if given:
        tables["reading"] = given
    if reading.roles is not None:
        tables["roles"] = reading.roles if isinstance(reading.roles, Mapping) else read_roles(reading.roles)
    if not tables:
        return None
    target = side_path(path, "roles")
    text = read_text(target) if target.is_file() else ""
    text = text if text.endswith("\n") or not text else f"{text}\n"
    old = read_toml(target) if text else {}
    for name, values in tables.items():
        merged = {**old.get(name, {}), **values}
        lines = [f"{_key(key)} = {_text(value)}" for key, value in merged.items()]
        block = "\n".join([f"[{name}]", *lines, ""])
        table = re.search(rf"(?m)^\[{name}\].*\n?(?:(?!\[).*\n?)*", text)
        text = f"{text}{block}" if table is None else text[: table.start()] + block + text[table.end() :]
    write_whole(target, [text.encode()])
    return target


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def _text(value: object) -> str:
    """Text in quotes, or a number, for TOML."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else f"{value:g}"
