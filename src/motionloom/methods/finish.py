"""The finishing pass of every method: solve hard constraints, clean plants, and check the result."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from motionloom.constraints import (
    GEOMETRIC,
    Constraint,
    Parameters,
    Plant,
    PoseAlong,
    PoseAt,
    PositionAt,
    Request,
    RootAt,
    Row,
    check,
    residuals,
    solve,
    unmet,
)
from motionloom.core import BoolArray, Clip, Note, Progress, Unmet, replace, silent
from motionloom.core.progress import parts
from motionloom.kinematics.feet.skate_removal import remove_skate


def finish(
    clip: Clip, request: Request, *, clean: bool = True, progress: Progress | None = None
) -> tuple[Clip, list[Row]]:
    """The clip with hard constraints met and plants cleaned, and its residuals; `Unmet`, with both, if one is not met.

    Hard constraints are solved first (`solve`). Then planted feet are pinned, except where a hard constraint fixes
    them; where pinning still breaks one, it is solved once more, and if that fails the clip stays as it was before
    cleaning. Notes in the clip's origin report the result of cleaning.
    """
    report = progress or silent()
    solving, cleaning = parts(report, [1, 2])
    try:
        clip = solve(clip, request.all_constraints, progress=solving)
    except Unmet as error:
        raise unmet(error.best, residuals(error.best, request)) from None
    if clean:
        clip = _clean_plants(clip, request, cleaning)
    report(1.0, "finishing")
    return clip, check(clip, request)


def held_joints(clip: Clip, constraints: Iterable[Constraint]) -> BoolArray:
    """(F, J) joints and frames that hard constraints fix; the hips at the first frame, where the clip starts."""
    out = np.zeros((len(clip), len(clip.skeleton)), bool)
    out[0, 0] = True
    frames, fps = len(clip), clip.fps
    for c in constraints:
        if not c.hard:
            continue
        if isinstance(c, PoseAt):
            out[c.frame(frames, fps), c.target(clip.skeleton).joints] = True
        elif isinstance(c, PoseAlong):
            out[np.ix_(list(c.frames(frames, fps)), c.chosen(clip.skeleton))] = True
        elif isinstance(c, PositionAt):
            out[c.frame(frames, fps), clip.skeleton.joint(c.joint)] = True
        elif isinstance(c, Plant):
            out[list(c.frames(frames, fps)), clip.skeleton.joint(c.joint)] = True
        elif isinstance(c, RootAt):
            out[c.frame(frames, fps), 0] = True
    return out


def _clean_plants(clip: Clip, request: Request, progress: Progress) -> Clip:
    hard = [c for c in request.all_constraints if c.hard]
    pinned, report = remove_skate(clip, hard=held_joints(clip, hard), progress=progress)
    if report.before.b is None or not report.plants:  # no feet on the ground
        return clip
    if report.moved == 0.0 and report.missed == 0.0:  # the method has already pinned its plants
        return pinned
    if report.slid_after > report.slid_before:
        return _with_note(clip, f"plants not cleaned: {report}")
    kinds = (*GEOMETRIC, Parameters)
    broken = [c for c in hard if isinstance(c, kinds) and not c.unchecked and c.met(clip) and not c.met(pinned)]
    if broken:
        try:
            pinned = solve(pinned, hard)
        except Unmet:
            return _with_note(clip, f"plants not cleaned: pinning them would break {broken[0].describe()}")
        if not all(c.met(pinned) for c in broken):
            return _with_note(clip, f"plants not cleaned: pinning them would break {broken[0].describe()}")
    return _with_note(pinned, f"plants cleaned: {report}")


def _with_note(clip: Clip, note: str) -> Clip:
    return replace(clip, origin=clip.origin.with_notes(Note(note)))
