"""Splices that record their recipe."""

from __future__ import annotations

from typing import Any

from motionloom.blend.splice import Splice, Stages
from motionloom.blend.splice import splice as spliced
from motionloom.blend.splice.body import require_part
from motionloom.core import Clip, Progress, part, replace, same_hierarchy, silent
from motionloom.core.watched import watched
from motionloom.kinematics.retarget import retarget
from motionloom.recipes.recorded_edits import edit_step


@watched
def splice(
    upper: Clip,
    lower: Clip,
    *,
    plain: Clip | None = None,
    time: bool = True,
    space: str = "aligned",
    posture: bool = True,
    pace: bool = True,
    steady: bool = True,
    cut: str = "upper",
    crop: bool = False,
    progress: Progress | None = None,
) -> Splice:
    """The action of `upper` on the locomotion of `lower`; options as for `blend.splice.splice` and its `Stages`.

    A clip with other joints than `lower` is retargeted to its body first.
    """
    others = [] if plain is None else [plain]
    given: dict[str, Any] = {
        "time": None if time else False,
        "space": None if space == "aligned" else space,
        "posture": None if posture else False,
        "pace": None if pace else False,
        "steady": None if steady else False,
        "cut": None if cut == "upper" else cut,
        "crop": crop or None,
    }
    step = edit_step("splice", [upper, lower, *others], given)
    report = progress or silent()
    moved = [upper, *others]
    for i, clip in enumerate(moved):
        if not same_hierarchy(clip.skeleton, lower.skeleton):
            require_part(clip, lower, cut)
            moved[i] = retarget(clip, lower, progress=part(report, 0.3 * i, 0.3 * (i + 1)))[0]
    stages: Any = Stages(time=time, space=space, posture=posture, pace=pace, steady=steady)  # type: ignore[arg-type]
    made = spliced(
        moved[0],
        lower,
        stages=stages,
        plain=moved[1] if others else None,
        cut=cut,
        crop=crop,
        progress=part(report, 0.6, 1.0),
    )
    return made._replace(clip=replace(made.clip, origin=made.clip.origin.with_made(step)))
