"""Roles files: which joint is which, where the guess from names and shape is wrong.

`walk.roles.toml` beside `walk.bvh`, or `roles.toml` for its whole folder:

    [roles]
    left_foot = "LeftAnkle"
    left_eye = ""            # no joint has this role
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from motionloom.core import FormatError


def find_roles(clip: str | Path, given: str | Path | Mapping[str, str] | None = None) -> dict[str, str]:
    """The roles that hold for a clip: `given` (a file or a mapping), else the clip's own file, else its folder's."""
    if isinstance(given, Mapping):
        return dict(given)
    if given is not None:
        return read_roles(given)
    clip = Path(clip)
    for path in (clip.with_suffix(".roles.toml"), clip.parent / "roles.toml"):
        if path.is_file():
            return read_roles(path)
    return {}


def read_roles(path: str | Path) -> dict[str, str]:
    """Role to joint name, from a roles file."""
    try:
        table = tomllib.loads(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"cannot be read: {error}", path=path) from None
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"not a TOML file: {error}", path=path) from None
    roles = table.get("roles")
    if not isinstance(roles, dict):
        raise FormatError("expected a [roles] table", path=path)
    for role, joint in roles.items():
        if not isinstance(joint, str):
            raise FormatError(f"role {role}: expected a joint name in quotes, found {joint!r}", path=path)
    return roles


def with_roles(
    names: Sequence[str], guessed: Sequence[str], given: Mapping[str, str] | None, path: str | Path
) -> tuple[str, ...]:
    """The guessed roles, with the given ones in their place; a role or a joint moves, it is never held twice."""
    out = list(guessed)
    for role, joint in (given or {}).items():
        if joint and joint not in names:
            near = ", ".join(repr(n) for n in get_close_matches(joint, names, n=3, cutoff=0.4) or names[:6])
            raise FormatError(f"roles: no joint {joint!r} for role {role}; did you mean {near}?", path=path)
        out = ["" if r == role else r for r in out]
        if joint:
            out[list(names).index(joint)] = role
    return tuple(out)
