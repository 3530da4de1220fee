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
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from motionloom.core import BadRequest, FormatError, Note
from motionloom.core.text import read_text, read_toml
from motionloom.io.atomic_files import finish_interrupted, write_whole
from motionloom.io.reader_settings import Reading
from motionloom.io.sidecars.names import ENDINGS, find_side_file
from motionloom.io.sidecars.roles import read_roles, roles_file

STORED: dict[str, tuple[tuple[type, ...], str]] = {
    "unit": ((str, int, float), "a unit"),
    "up": ((str,), "an axis"),
    "fps": ((int, float), "a number"),
}
HEAD = "# written by motionloom: settings that were given once\n"


def with_stored_reading(path: str | Path, reading: Reading) -> tuple[Reading, tuple[Note, ...]]:
    """`reading`, with what it leaves open taken from the roles file that applies to a clip, and a note on that."""
    found = roles_file(path, reading.roles)
    if found is None:
        return reading, ()
    stored = read_toml(found).get("reading", {})
    if not isinstance(stored, dict) or not set(stored) <= set(STORED):
        raise FormatError(f"[reading]: expected {', '.join(STORED)}", path=found)
    for name, value in stored.items():
        kinds, wanted = STORED[name]
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise FormatError(f"[reading]: {name}: expected {wanted}, found {str(value)[:40]!r}", path=found)
    used = {name: value for name, value in stored.items() if getattr(reading, name) is None}
    if not used:
        return reading, ()
    try:
        changed = replace(reading, **used)
    except BadRequest as error:
        raise FormatError(f"[reading]: {error}", path=found) from None
    text = ", ".join(f"{name} {value}" for name, value in used.items())
    return changed, (Note(f"{text}: from {found.name}", topic="file"),)


def stored_note(
    path: str | Path, reading: Reading, joints: Sequence[str] = (), doubted: Collection[str] = ()
) -> tuple[Note, ...]:
    """Store what `reading.remember` names and is given beside a clip; a note on that, none if there is nothing new.

    A roles file of the user's own is changed only with `remember="all"`. A folder that cannot be written is an
    error only then; otherwise the clip is read, and a note states that its settings are not stored. A unit or up axis
    that is `doubted` is stored only with `remember="all"`, so that a slip does not replace a good one.
    """
    refused = [name for name in ("unit", "up") if name in doubted and getattr(reading, name) is not None]
    if refused and reading.remember == "facts":
        left_out: dict[str, Any] = dict.fromkeys(refused)
        kept = stored_note(path, replace(reading, **left_out), joints)
        text = f"{' and '.join(refused)} not stored, because of the doubt above (--remember stores it)"
        return (*kept, Note(text, topic="file"))
    tables = _given(reading)
    if not tables:
        return ()
    found = find_side_file(path, "roles")
    finish_interrupted(_own_file(path))
    if found is not None and all(
        read_toml(found).get(name, {}).items() >= table.items() for name, table in tables.items()
    ):
        return ()
    if found is not None and reading.remember != "all" and not read_text(found).startswith(HEAD):
        text = f"settings are not stored: {found.name} was not written by motionloom (--remember changes it)"
        return (Note(text, topic="file"),)
    try:
        target = _store(path, found, tables, joints)
    except FormatError as error:
        if reading.remember == "all":  # asked for
            raise
        return (Note(f"settings are not stored: {error}", "warning", topic="file"),)
    names = ", ".join(key for name, table in tables.items() for key in (table if name == "reading" else [name]))
    return (Note(f"{names} stored in {target.name} for later commands", topic="file"),)


def _given(reading: Reading) -> dict[str, Mapping[str, Any]]:
    """The tables of a roles file with the settings that are given and to be stored."""
    names = {"": (), "facts": ("unit", "up"), "all": tuple(STORED)}[reading.remember]
    given = {name: getattr(reading, name) for name in names if getattr(reading, name) is not None}
    tables: dict[str, Mapping[str, Any]] = {"reading": given} if given else {}
    if reading.remember and reading.roles is not None:
        tables["roles"] = reading.roles if isinstance(reading.roles, Mapping) else read_roles(reading.roles)
    return tables


def _own_file(path: str | Path) -> Path:
    """`walk.bvh.roles.toml` beside `walk.bvh`."""
    return Path(path).with_name(f"{Path(path).name}.{ENDINGS['roles']}")


def _store(path: str | Path, found: Path | None, tables: dict[str, Mapping[str, Any]], joints: Sequence[str]) -> Path:
    """Write the tables into the clip's own roles file. Other tables and lines of an existing file are kept.

    A new file has the clip's whole name, so that it keeps belonging to this clip when a file of the same stem is
    written beside it. It replaces the file of the folder, whose entries that fit this clip are copied.
    """
    folder = roles_file(path) if found is None else None
    target = found or _own_file(path)
    text = HEAD if found is None else read_text(target)
    text = text if text.endswith("\n") else f"{text}\n"
    source = found or folder
    old = {} if source is None else read_toml(source)
    if folder is not None:
        roles = {role: joint for role, joint in read_roles(folder).items() if not joint or joint in joints}
        old = {"reading": old.get("reading", {}), "roles": roles}
        tables = {name: tables.get(name, {}) for name in old if old[name] or name in tables}
    for name, values in tables.items():
        text = _with_table(text, name, {**old.get(name, {}), **values})
    write_whole(target, [text.encode()])
    return target


def reading_after_saving(path: str | Path, unit: float, up: str) -> dict[str, str]:
    """Name and text of a clip's own roles file, if it has a `[reading]`, once the clip is written in `unit`, `up`."""
    found = find_side_file(path, "roles") if Path(path).is_file() else None
    if found is None or "reading" not in read_toml(found):
        return {}
    return {found.name: _with_table(read_text(found), "reading", {"unit": unit, "up": up})}


def _with_table(text: str, name: str, values: Mapping[str, Any]) -> str:
    """The text of a TOML file with one table replaced or appended."""
    block = "\n".join([f"[{name}]", *(f"{_key(key)} = {_text(value)}" for key, value in values.items()), ""])
    table = re.search(rf"(?m)^\[{name}\].*\n?(?:(?!\[).*\n?)*", text)
    return f"{text}{block}" if table is None else text[: table.start()] + block + text[table.end() :]


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def _text(value: object) -> str:
    """Text in quotes, or a number, for TOML."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else f"{value:.17g}"
