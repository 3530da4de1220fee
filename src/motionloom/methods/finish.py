"""The last step of every method: hard constraints hold, plants are clean, and everything is checked."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from motionloom.constraints import (
    GEOMETRIC,
    Constraint,
    Plant,
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
from motionloom.kinematics.feet.pinning import remove_skate


def finish(
    clip: Clip,
    request: Request,
    *,
    clean: bool = True,
    progress: Progress | None = None,
) -> tuple[Clip, list[Row]]:
    """The clip with hard constraints met and plants cleaned, and its residuals; `Unmet`, with both, if one is not met.

    What geometry can do for hard constraints is done first (`solve`). Then planted feet are pinned, without moving what
    a hard constraint holds; where pinning disturbs one all the same, it is solved once more, and if that fails the
    clip stays as it was before cleaning. The notes of the clip's origin say what cleaning did.
    """
    report = progress or silent()
    report(0.0, "finishing")
    try:
        clip = solve(clip, request.all_constraints)
    except Unmet as error:
        raise unmet(error.best, residuals(error.best, request)) from None
    report(0.5, "cleaning feet")
    if clean:
        clip = _cleaned(clip, request)
    report(1.0, "finishing")
    return clip, check(clip, request)


def held(clip: Clip, constraints: Iterable[Constraint]) -> BoolArray:
    """(F, J) joints that must stay exactly as they are, and the frames: what hard constraints fixed."""
    out = np.zeros((len(clip), len(clip.skeleton)), bool)
    frames, fps = len(clip), clip.fps
    for c in constraints:
        if not c.hard:
            continue
        if isinstance(c, PoseAt):
            out[c.frame(frames, fps), c.target(clip.skeleton).joints] = True
        elif isinstance(c, PositionAt):
            out[c.frame(frames, fps), clip.skeleton.joint(c.joint)] = True
        elif isinstance(c, Plant):
            out[list(c.frames(frames, fps)), clip.skeleton.joint(c.joint)] = True
        elif isinstance(c, RootAt):
            out[c.frame(frames, fps), 0] = True
    return out


def _cleaned(clip: Clip, request: Request) -> Clip:
    hard = [c for c in request.all_constraints if c.hard]
    pinned, report = remove_skate(clip, hard=held(clip, hard))
    if report.before.b is None or not report.plants:  # no feet on the ground
        return clip
    if report.moved == 0.0 and report.missed == 0.0:  # the method pinned its plants itself
        return pinned
    if report.slid_after > report.slid_before:
        return _noted(clip, f"plants left as they are: {report}")
    broken = [c for c in hard if isinstance(c, GEOMETRIC) and c.met(clip) and not c.met(pinned)]
    if broken:
        try:
            pinned = solve(pinned, hard)
        except Unmet:
            return _noted(clip, f"plants left as they are: pinning them would break {broken[0].describe()}")
    return _noted(pinned, f"plants cleaned: {report}")


def _noted(clip: Clip, note: str) -> Clip:
    return replace(clip, origin=clip.origin.with_notes(Note(note)))
