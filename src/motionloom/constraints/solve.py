"""Geometric solver: changes a clip as little as possible so that hard constraints are met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from motionloom.constraints.aim_head import look
from motionloom.constraints.base import Constraint
from motionloom.constraints.gaze import LookAt
from motionloom.constraints.joint import Plant, PositionAt
from motionloom.constraints.lead import FADE, lead_path, lead_poses
from motionloom.constraints.pose import PoseAt
from motionloom.constraints.pose_along import PoseAlong
from motionloom.constraints.reach_points import reach_points
from motionloom.constraints.residual_table import residuals, unmet
from motionloom.constraints.root import Avoid, Reach, RootAt, RootPath
from motionloom.core import Clip, Progress, silent

GEOMETRIC = (PoseAt, PoseAlong, PositionAt, Plant, RootAt, RootPath, Reach, LookAt, Avoid)
"""What geometry can do something about; styles and parameters are for the method that makes the clip."""


def solve(
    clip: Clip,
    constraints: Iterable[Constraint],
    *,
    fade: float = FADE,
    smooth: float = 0.12,
    sweeps: int = 4,
    progress: Progress | None = None,
) -> Clip:
    """A clip in which every hard constraint holds; `Unmet`, with the best clip and its residuals, if there is none.

    In this order, again until all hold or `sweeps` are spent: the path over the ground is bent through places and
    headings (`steer`), poses and heights are set with changes that fade within `fade` seconds (displacement maps),
    neck and head turn to look, and limbs reach and stay by the chain solver, whose changes spread over `smooth`
    seconds. A clip that meets everything comes back as it is. Soft constraints are not touched.
    """
    hard = [c for c in constraints if c.hard]
    report = progress or silent()
    report(0.0, "solving")
    best, missed = clip, missed_by(clip, hard)
    for sweep in range(sweeps):
        report(sweep / sweeps, "solving")
        if not missed[0]:
            break
        clip = _swept(clip, hard, fade, smooth)
        now = missed_by(clip, hard)
        if now >= missed:  # this leads nowhere
            break
        best, missed = clip, now
    report(1.0, "solving")
    if missed[0]:
        raise unmet(best, residuals(best, hard))
    return best


def missed_by(clip: Clip, constraints: Sequence[Constraint]) -> tuple[int, float]:
    """How many constraints are not met, and by how many tolerances the worst one misses."""
    over = [c.worst(clip) / max(c.limit, 1e-9) for c in constraints if isinstance(c, GEOMETRIC)]
    unmet_ones = [o for o in over if o > 1.0]
    return len(unmet_ones), max(unmet_ones, default=0.0)


def _swept(clip: Clip, hard: Sequence[Constraint], fade: float, smooth: float) -> Clip:
    """The clip after one pass over all constraints."""
    clip = lead_poses(lead_path(clip, hard, fade), hard, fade)
    for c in hard:
        if isinstance(c, LookAt) and not c.met(clip):
            at = {p.frame(len(clip), clip.fps) for p in hard if isinstance(p, PoseAt)}
            spans = [p.frames(len(clip), clip.fps) for p in hard if isinstance(p, PoseAlong)]
            clip = look(clip, c, np.array(sorted(at.union(*spans)), np.int64), fade * clip.fps)
    return reach_points(clip, hard, smooth)
