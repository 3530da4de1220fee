"""Gaze shifts put on a clip, with their recipe."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from motionloom.constraints import GivenClip, LookAt, PoseAlong, Request
from motionloom.constraints.fields import MAX_COORDINATE, Point3
from motionloom.core import BadRequest, Clip, FormatError, Progress
from motionloom.core.text import csv_rows, read_text
from motionloom.methods import attempt, load_model
from motionloom.methods.gaze import GazeModel
from motionloom.methods.gaze.gaze_map import GazeMap
from motionloom.methods.gaze.look_clip import MIN_LOOK, look_from, look_near
from motionloom.methods.synthesis import Attempt

MAX_OBJECTS = 1000
OBJECT_COLUMNS = ("name", "x", "y", "z")


def gaze_request(clip: Clip, request: Request | None, options: dict[str, Any]) -> Request:
    """The request of `synthesize` for this base motion: the looks of a request, and options of the method."""
    asked = Request() if request is None else request
    for i, constraint in enumerate(asked.constraints):
        if not isinstance(constraint, LookAt):
            raise BadRequest("a gaze map honours only look_at", where=("constraints", i))
    given = {**asked.options, **{name: value for name, value in options.items() if value is not None}}
    if not asked.constraints and "along" not in given:
        raise BadRequest(
            "nothing to look at: give a request with look_at, objects that the clip comes near to, or the distance to "
            "look ahead"
        )
    read = clip.origin.read
    base = PoseAlong(clip=GivenClip(clip, "" if read is None else read.name), weight=1.0)
    return replace(asked, constraints=(base, *asked.constraints), options=given)


def looks_at_objects(
    clip: Clip, objects: Mapping[str, Point3], gaze_map: GazeMap, *, distance: float = 4.0
) -> tuple[LookAt, ...]:
    """Soft constraints `look_at` for the objects that the clip comes near to: the nearest one ahead (see `look_near`).

    The spans are in seconds, so the recipe of a result contains them; a request can be written from them. Where one
    object takes over from another, or was behind before, its span begins when the gaze has shifted there; it is left
    out if less than `MIN_LOOK` of its time remains.
    """
    out: list[LookAt] = []
    for near in look_near(clip, objects, distance=distance):
        asked = LookAt(target=objects[near.name], span=(near.first / clip.fps, near.end / clip.fps), weight=1.0)
        came, free = (0.0, 0.0), near.ahead
        if out:
            before = look_from(clip, out[-1], gaze_map)
            came, free = before.turn, max(before.end, near.ahead)
        start = near.first
        for _ in range(2 if free else 0):  # the direction changes a little while the gaze shifts
            turn = look_from(clip, asked, gaze_map).turn
            shift = gaze_map.seconds(turn[0] - came[0], turn[1] - came[1])
            start = max(near.first, free + math.ceil(shift * clip.fps))
            asked = replace(asked, span=(min(start, near.end - 1) / clip.fps, near.end / clip.fps))
        if near.end - start >= MIN_LOOK * clip.fps:
            out.append(asked)
    return tuple(out)


def read_objects(path: str | Path) -> dict[str, Point3]:
    """Named points from a CSV file with the columns name, x, y, z (metres)."""
    rows = csv_rows(read_text(path), path)
    names = next(rows, (1, []))[1]
    if missing := [c for c in OBJECT_COLUMNS if c not in names]:
        expected = ", ".join(OBJECT_COLUMNS)
        raise FormatError(f"expected the columns {expected}; missing {', '.join(missing)}", path=path)
    found: dict[str, Point3] = {}
    for line, cells in rows:
        if cells:
            row = dict(zip(names, cells, strict=False))
            found[row.get("name", "")] = _point(row, path, line)
            if len(found) > MAX_OBJECTS:
                raise FormatError(f"more than {MAX_OBJECTS} objects", path=path, line=line)
    if not found:
        raise FormatError("expected at least one object", path=path)
    return found


def _point(row: Mapping[str, str], path: str | Path, line: int) -> Point3:
    try:
        x, y, z = (float(row[axis]) for axis in "xyz")
    except (KeyError, ValueError):
        raise FormatError("expected numbers: x, y, z in metres", path=path, line=line) from None
    if not all(abs(v) <= MAX_COORDINATE for v in (x, y, z)):
        raise FormatError(f"expected coordinates within {MAX_COORDINATE:g} m", path=path, line=line)
    return x, y, z


def turn_gaze(
    clip: Clip,
    model: GazeModel | str | Path,
    request: Request | None = None,
    *,
    progress: Progress | None = None,
    **options: Any,
) -> Clip:
    """The clip looking where the constraints `look_at` of a request ask, with the gaze shifts of a map.

    It is `synthesize` with the clip as base motion; `options` are those of the method (`along=2.5` looks at the ground
    ahead where nothing else is asked, `eyes=True` adds eye joints). Hips, legs and arms keep their bits. `Unmet` if a
    hard look_at is missed.
    """
    found = try_gaze(clip, model, request, progress=progress, **options)
    if found.met and found.clip is not None:
        return found.clip
    from motionloom.core import Unmet

    raise Unmet(found.reason, best=found.clip, residuals=list(found.residuals))


def try_gaze(
    clip: Clip,
    model: GazeModel | str | Path,
    request: Request | None = None,
    *,
    progress: Progress | None = None,
    **options: Any,
) -> Attempt:
    """The attempt of `turn_gaze`, which reports a look_at that is missed; of the base motion, nothing is reported."""
    found = attempt(gaze_model(model), gaze_request(clip, request, options), progress=progress)
    return found._replace(residuals=found.residuals[1:])


def gaze_model(model: Any) -> GazeModel:
    """The model, read if it is a file; `BadRequest` if it is of another method."""
    found = load_model(model) if isinstance(model, (str, Path)) else model
    if not isinstance(found, GazeModel):
        kind = getattr(found, "method", type(found).__name__)
        raise BadRequest(f"expected a gaze map, as `motionloom learn gaze` writes it; found a model of {kind}")
    return found
