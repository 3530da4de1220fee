"""Examples of a space: which parameters are measured, and what is cut from clips."""

from __future__ import annotations

from collections.abc import Sequence

from motionloom.constraints import MotionParameter, parameter_table
from motionloom.core import BadRequest, Clip, Progress
from motionloom.core.errors import unknown
from motionloom.core.progress import parts
from motionloom.kinematics.loop import seam
from motionloom.methods.space.close_cycles import closed
from motionloom.methods.space.cutting import ExampleCut, cut_cycles, cut_events, walks, whole_clips
from motionloom.methods.space.settings import SpaceConfig

MOST_SEAM = 0.06  # m: a motion whose first and last poses are this near repeats
FAR_ENDS = 0.3  # m: one whose ends are farther apart cannot be made to repeat


def chosen_parameters(config: SpaceConfig, own: Sequence[MotionParameter]) -> tuple[MotionParameter, ...]:
    """The parameters that a config names; `BadRequest` for an unknown or repeated one."""
    table = parameter_table(own)
    for name in config.parameter:
        if name not in table:
            raise BadRequest(unknown(name, table, "motion parameter"), where=("parameter",))
    if not config.parameter or len(set(config.parameter)) < len(config.parameter):
        raise BadRequest(f"parameter: expected different names, found {', '.join(config.parameter) or 'none'}")
    return tuple(table[name] for name in config.parameter)


def cut_examples(clips: Sequence[Clip], config: SpaceConfig, progress: Progress) -> tuple[list[ExampleCut], bool]:
    """The examples, and whether their motion repeats."""
    how, (searching, cutting) = config.cut, parts(progress, [1, 3])
    if how == "auto":
        how = "cycles" if walks(clips, searching) else "none"
    if how == "cycles":
        ends = config.repeat == "no"
        margin = config.margin if ends else None
        return cut_cycles(clips, mirror=config.mirror, margin=margin, progress=cutting), not ends
    if how == "none":
        margin = 0.0 if config.repeat == "yes" else config.margin  # what repeats has no transitions at its ends
        cuts = whole_clips(clips, margin=margin, mirror=config.mirror == "all", progress=cutting)
    else:
        cuts = cut_events(
            clips,
            how,
            before=config.before,
            after=config.after,
            margin=config.margin,
            mirror=config.mirror == "all",
            progress=cutting,
        )
    seams = [seam(cut.played, 0, len(cut.played) - 1) for cut in cuts]
    repeats = config.repeat == "yes" or (config.repeat == "auto" and max(seams) <= MOST_SEAM)
    if not repeats:
        return cuts, False
    far = [f"{cut.name} ({100 * apart:.0f} cm)" for cut, apart in zip(cuts, seams, strict=True) if apart > FAR_ENDS]
    if far:
        raise BadRequest(
            f"repeat: these do not end as they begin, in pose and speed: {', '.join(far)}; cut what repeats out of "
            "them (`cut: cycles`, motionloom loop), or play them once (`repeat: no`)"
        )
    return [cut._replace(clip=closed(cut.played), before=0, after=0) for cut in cuts], True
