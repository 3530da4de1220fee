"""Gaze shifts that record their recipe."""

from __future__ import annotations

import math
from dataclasses import replace as with_changes
from pathlib import Path

from motionloom.constraints import LookAt, Request
from motionloom.core import BadRequest, Clip, Progress, replace
from motionloom.core.recipe import Input
from motionloom.io.digest import file_sha256
from motionloom.methods.gaze import GazeMap, look_clip
from motionloom.methods.gaze.eyes import with_eyes as add_eyes
from motionloom.methods.gaze.look import look_along, look_from
from motionloom.recipes.edits import edit_step


def turn_gaze(
    clip: Clip,
    gaze_map: GazeMap | str | Path,
    request: Request | None = None,
    *,
    along: float | None = None,
    with_eyes: bool = False,
    cone: float = math.pi,
    progress: Progress | None = None,
) -> Clip:
    """The clip looking where the constraints `look_at` of a request ask, with the gaze shifts of a map.

    `along` looks at the ground so many metres ahead on the path where nothing else is asked. `with_eyes` adds eye
    joints to a body without; otherwise its head does their part.
    """
    asked = [] if request is None else list(request.constraints)
    wrong = [i for i, c in enumerate(asked) if not isinstance(c, LookAt)]
    if wrong:
        raise BadRequest("only look_at can be asked of a gaze map", where=("constraints", wrong[0]))
    if not asked and along is None:
        raise BadRequest("nothing to look at: give a request with look_at, or the distance to look ahead")
    text = None if request is None else request.to_yaml()
    step = edit_step(
        "gaze", [clip], {"along": along, "with_eyes": with_eyes or None, "cone": None if cone == math.pi else cone}
    )
    if isinstance(gaze_map, GazeMap):
        step = with_changes(step, gap="the gaze map was not read from a file")
        known = gaze_map
    else:
        known = GazeMap.load(gaze_map)
        step = with_changes(step, files=(Input(Path(gaze_map).name, file_sha256(gaze_map)),))
    body = add_eyes(clip) if with_eyes else clip
    looks = [] if along is None else [look_along(body, ahead=along)]
    looks += [look_from(body, c, known) for c in asked if isinstance(c, LookAt)]
    made = look_clip(body, known, looks, cone=cone, progress=progress)
    return replace(made, origin=made.origin.with_made(with_changes(step, request=text)))
