"""Roles files: the joint of each role, where the estimate from names and shape is wrong.

`walk.roles.toml` beside `walk.bvh`, or `roles.toml` for its whole folder:

    [roles]
    left_foot = "LeftAnkle"
    left_eye = ""            # no joint has this role

A table `[reading]` in it has the unit, up axis and frame rate of the file: `io/sidecars/stored_reading.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from motionloom.core import Clip, FormatError, Note, Skeleton, replace
from motionloom.core.errors import did_you_mean
from motionloom.core.files import side_file
from motionloom.core.text import read_toml
from motionloom.io.sidecars.names import find_side_file
from motionloom.kinematics.body.roles import ARM, FRONT, LEG, SIDES

_SIDED = ("eye", *ARM, *LEG, *FRONT.values())
FOLDER = "roles.toml"
ROLES = (
    *("hips", "neck", "head", "jaw"),
    *(f"{line}{n or ''}" for line in ("spine", "neck", "tail") for n in range(20)),
    *(f"{side}_{part}" for part in _SIDED for side in SIDES),
)


def roles_file(path: str | Path, given: str | Path | Mapping[str, str] | None = None) -> Path | None:
    """The roles file that applies to a clip: `given`, else its own, else that of its folder; None if there is none."""
    if given is not None:
        return None if isinstance(given, Mapping) else Path(given)
    return find_side_file(path, "roles") or side_file(path, FOLDER)


def with_roles(clip: Clip, path: str | Path, given: str | Path | Mapping[str, str] | None = None) -> Clip:
    """The clip with the roles that apply to its file: `given` (a roles file or a mapping), else the clip's own
    `walk.roles.toml`, else its folder's `roles.toml`, else as they were guessed.

    A role that is assigned again moves to the new joint. A folder may contain several skeletons: entries of its file
    for joints that this one does not have are ignored, with a warning.
    """
    if isinstance(given, Mapping):
        return _with(clip, given, path)
    found = roles_file(path, given)
    if found is None:
        return clip
    roles = read_roles(found)
    if given is not None or found.name != FOLDER:
        return _with(clip, roles, found)
    known = {role: joint for role, joint in roles.items() if not joint or joint in clip.skeleton.names}
    clip = _with(clip, known, found)
    if len(known) == len(roles):
        return clip
    left_out = ", ".join(repr(joint) for role, joint in roles.items() if role not in known)
    note = Note(f"roles.toml names joints that this clip does not have: {left_out}", "warning", topic="file")
    return replace(clip, origin=clip.origin.with_notes(note))


def read_roles(path: str | Path) -> dict[str, str]:
    """Role to joint name, from a roles file; none in a file that has only a `[reading]` table."""
    table = read_toml(path)
    roles = table.get("roles", {} if "reading" in table else None)
    if not isinstance(roles, dict):
        raise FormatError("expected a [roles] table", path=path)
    for role, joint in roles.items():
        if not isinstance(joint, str):
            raise FormatError(f"role {role}: expected a joint name in quotes, found {repr(joint)[:60]}", path=path)
    return roles


def _with(clip: Clip, given: Mapping[str, str], path: str | Path) -> Clip:
    body = clip.skeleton
    roles = list(body.roles)
    for role, joint in given.items():
        if role not in ROLES:
            raise FormatError(f"no role {role!r}; {did_you_mean(role, ROLES, count=3)}", path=path)
        if joint and joint not in body.names:
            hint = did_you_mean(joint, body.names, count=3)
            raise FormatError(f"no joint {joint!r} for role {role}; {hint}", path=path)
        roles = ["" if r == role else r for r in roles]
        if joint:
            roles[body.names.index(joint)] = role
    if tuple(roles) == body.roles:
        return clip
    return replace(clip, skeleton=Skeleton(body.names, body.parents, body.offsets, tuple(roles), body.ends))
