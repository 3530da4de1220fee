"""Splicing: the upper body of one locomotion on the lower body of another (HECK 4.2), and its baselines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as with_changes
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from motionloom.analysis import at_times
from motionloom.blend.splice.body import BodyCut, cut_named, cuts_named
from motionloom.blend.splice.notes import haste_notes, splice_notes, tremor_notes, turn_notes
from motionloom.blend.splice.posture import aligned, mean_posture, part_pose, posture_turn, with_posture
from motionloom.blend.splice.timing import LegTiming, align_legs, looped
from motionloom.blend.splice.tremor import without_tremor
from motionloom.core import (
    BadRequest,
    BoolArray,
    Clip,
    FloatArray,
    Note,
    Origin,
    Progress,
    SkeletonMismatch,
    part,
    replace,
    require_same_hierarchy,
    silent,
)
from motionloom.core.origin import BODY, all_terms
from motionloom.core.origin_joining import joined
from motionloom.kinematics.body.proportions import in_joint_order, on_skeleton, same_bones
from motionloom.kinematics.loop import Loop
from motionloom.kinematics.travel import headings
from motionloom.rotation import angle_between, continuous, inverse, multiply

Attachment = Literal["aligned", "local", "global"]
PARTS = ("lower", "upper")
BEYOND = "which cuts above the hips"
POSTURE_ROUNDS = 3  # of posture transfer in a frame that was steadied, whose mean is not quite that of the clip's own


@dataclass(frozen=True)
class Stages:
    """The stages of a splice; HECK's are all on, which is the default.

    `space` is how the attachment (the first spine joint) is turned: "aligned" to the lower clip's own upper body
    (4.2.3); "local", the upper clip's rotation as it is; "global", facing as it did in the upper clip. Two are not
    HECK's: `pace`, quick movements are neither rushed nor held up (see `haste_prices`), and `steady`, where one of the
    clips trembles, as captures do in bad frames, fast movements are those of the action.
    """

    time: bool = True
    space: Attachment = "aligned"
    posture: bool = True
    pace: bool = True
    steady: bool = True

    def __post_init__(self) -> None:
        if self.space not in get_args(Attachment):
            raise BadRequest(f"space: expected {', '.join(get_args(Attachment))}, found {self.space!r}")


FULL = Stages()
HECK = Stages(pace=False, steady=False)  # as published: the upper body follows every step and tremor of the lower clip
NAIVE = Stages(time=False, space="local", posture=False)  # HECK 2.1.3: the rotations are replaced
TIME_ONLY = Stages(space="local", posture=False)  # without the stabilizing rotation of the attachment
GLOBAL = Stages(space="global", posture=False)  # fig. 4.6: may face backwards
BASELINES = {"naive": NAIVE, "time": TIME_ONLY, "global": GLOBAL}


class Splice(NamedTuple):
    """A spliced clip, and what it was made with."""

    clip: Clip
    timing: LegTiming | None  # None without time alignment
    seconds: FloatArray  # (F,) the time in the upper clip (looped, if it was) of every frame
    posture: FloatArray  # (4,) the rotation of the posture's frame that was applied (of several cuts: at the first)
    upper: Clip  # the upper clip on the lower clip's skeleton; looped, if it was too short
    loop: Loop | None  # the stretch of the upper clip that was repeated, if it was too short
    trembling: BoolArray  # (F,) frames in which fast movements are those of the action, as one of the clips trembles

    def action_time(self, seconds: ArrayLike) -> FloatArray:
        """Times in the upper clip as it was given, for times in the one that was used."""
        return _unlooped(seconds, self.loop, self.upper.fps)


def splice(
    upper: Clip,
    lower: Clip,
    *,
    stages: Stages = FULL,
    plain: Clip | None = None,
    cut: str = "upper",
    crop: bool = False,
    progress: Progress | None = None,
) -> Splice:
    """The action of `upper` on the locomotion of `lower`, at the frame rate of `lower`.

    The result has the root and the lower joints of `lower`, unchanged, and the joints above the attachment of `upper`
    at the times that belong to them; only the rotation of the attachment is computed (HECK eq. 4.1). With `plain`, a
    plain walk of the upper clip's performer, only the difference of the action's posture from that of the walk is
    transferred, so that a lean into a curve stays. `cut` is where the body is cut: "upper" is HECK's; "arms",
    "left_arm", "head", "hands" and so on, any joint, or several of these with commas, are beyond it. An upper clip that
    is too short is repeated if it is cyclic; otherwise it is an error, or with `crop` the result is as long as it
    suffices.

    >>> from motionloom.samples import make
    >>> made = splice(make("carry", seconds=4), make("walk", turn=0.5, seconds=3))
    >>> made.clip.seconds
    3.0
    """
    report = progress or silent()
    report(0.0, "aligning legs")
    upper = on_body(upper, lower)
    cuts = cuts_named(lower.skeleton, cut, lower.name)
    if len(lower) < 3 or len(upper) < 3:
        raise BadRequest("a splice needs clips of at least 3 frames")
    timing, used, seconds, loop = _times(upper, lower, stages, crop, report)
    report(0.6, "aligning bodies")
    count = len(seconds)
    base = lower[:count]
    action = at_times(used, seconds)
    rotations, trembling, turns = base.rotations.copy(), np.zeros(count, bool), []
    for where in cuts:
        local, turn, shaken = attached(action, base, where, stages, plain)
        rotations[:, where.joints] = action.rotations[:, where.joints]
        rotations[:, where.joint] = continuous(local)
        trembling |= shaken
        turns.append(turn)
    notes = [] if cut == "upper" else [Note(f"spliced at {cut}: an extension of the published method, {BEYOND}")]
    notes += [
        *splice_notes(timing, lower, upper, loop, count),
        *haste_notes(replace(base, rotations=rotations), used, seconds),
        *tremor_notes(trembling),
        *turn_notes(replace(action, fps=base.fps), headings(base), _unlooped(seconds, loop, upper.fps)),
    ]
    origin = _origin(base, action).with_notes(*notes)
    made = replace(base, rotations=rotations, slides=_slides(action, base, cuts), origin=origin)
    report(1.0, "aligning bodies")
    return Splice(made, timing, seconds, turns[0], used, loop, trembling)


def _unlooped(seconds: ArrayLike, loop: Loop | None, fps: float) -> FloatArray:
    """Times in a clip, for times in a loop of it; the same, if it was not looped."""
    at = np.asarray(seconds, float)
    return at if loop is None else np.asarray((loop.start + at * fps % (loop.end - loop.start)) / fps)


def attached(
    action: Clip, base: Clip, cut: BodyCut, stages: Stages, plain: Clip | None = None
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """(F, 4) rotations of the attachment for matching frames of both clips, (4,) the posture's turn, and (F,) the
    frames in which one of the clips trembles.
    """
    above, below = part_pose(action, cut), part_pose(base, cut)
    calm, trembling = below, np.zeros(len(base), bool)
    if stages.space == "global":
        local = multiply(inverse(below.above), multiply(above.above, above.local))
    elif stages.space == "local":
        local = above.local
    else:
        local = aligned(above, below)
        if stages.steady:
            local, calm, trembling = without_tremor(above, below, local, base.fps)
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    if not stages.posture:
        return local, turn, trembling
    wanted = mean_posture(above, above.local)
    if plain is not None:
        usual = part_pose(on_body(plain, base), cut)
        turn = posture_turn(mean_posture(usual, usual.local), wanted)
        return with_posture(calm, local, turn), turn, trembling
    turned = local
    for _ in range(POSTURE_ROUNDS if trembling.any() else 1):
        turn = multiply(posture_turn(mean_posture(below, turned, above.posture), wanted), turn)
        turned = with_posture(calm, local, turn)
    return turned, turn, trembling


def _times(
    upper: Clip, lower: Clip, stages: Stages, crop: bool, report: Progress
) -> tuple[LegTiming | None, Clip, FloatArray, Loop | None]:
    """The alignment, the upper clip that it refers to, (F,) its times for frames of the lower clip, and its loop."""
    seconds = np.arange(len(lower)) / lower.fps
    if not stages.time:
        short = upper.seconds < lower.seconds
        longer = looped(upper, lower) if short else None
        if short and longer is None and not crop:
            raise _too_short(upper, lower, upper.seconds)
        used, loop = longer or (upper, None)
        return None, used, seconds[seconds <= (len(used) - 1) / used.fps + 1e-9], loop
    shown = 1 if stages.pace else None
    used, loop, timing = upper, None, align_legs(lower, upper, action=shown, progress=part(report, 0.0, 0.3))
    if not _whole(timing, lower) and not crop:
        longer = looped(upper, lower)
        if longer is None:
            raise _too_short(upper, lower, float(timing.curve.spans[0, 1]))
        used, loop = longer
        timing = align_legs(lower, used, action=shown, progress=part(report, 0.3, 0.6))
        if not _whole(timing, lower):
            raise _too_short(upper, lower, float(timing.curve.spans[0, 1]))
    seconds = seconds[seconds <= timing.curve.spans[0, 1] + 1e-9]
    return timing, used, timing.upper_times(seconds), loop


def _whole(timing: LegTiming, lower: Clip) -> bool:
    """Does the alignment reach the end of the lower clip?"""
    return bool(timing.curve.spans[0, 1] >= (len(lower) - 1) / lower.fps - 1e-6)


def _too_short(upper: Clip, lower: Clip, reached: float) -> BadRequest:
    name, other = upper.name or "the upper clip", lower.name or "the lower clip"
    return BadRequest(
        f"{name} ({upper.seconds:.2f} s) is in step with the first {reached:.2f} s of {other} ({lower.seconds:.2f} s) "
        "only, and it is not cyclic, so it cannot be repeated; take a longer action or a shorter locomotion, or let "
        "the result end there (--crop)"
    )


def on_body(clip: Clip, like: Clip) -> Clip:
    """The clip on the skeleton of `like`, with its rotations; `SkeletonMismatch` if it has other joints."""
    if clip.skeleton is like.skeleton:
        return clip
    clip = in_joint_order(clip, like.skeleton)
    try:
        require_same_hierarchy(like.skeleton, clip.skeleton, names=(like.name, clip.name))
    except SkeletonMismatch as error:
        raise SkeletonMismatch(f"{error}; retarget one of them first (motionloom retarget)") from None
    if same_bones(like.skeleton, clip.skeleton):
        return replace(clip, skeleton=like.skeleton)
    note = Note(f"{clip.name or 'a clip'}: put on the body of {like.name or 'the lower clip'}, which has other bones")
    moved = on_skeleton(clip, like.skeleton)
    return replace(moved, origin=moved.origin.with_notes(note))


def _slides(action: Clip, base: Clip, cuts: Sequence[BodyCut]) -> FloatArray | None:
    """The translations of joints, each part's own; None if neither clip has any."""
    if action.slides is None and base.slides is None:
        return None
    out = np.zeros((len(base), len(base.skeleton), 3)) if base.slides is None else base.slides.copy()
    for cut in cuts:
        out[:, cut.joints[1:]] = 0.0 if action.slides is None else action.slides[:, cut.joints[1:]]
    return out


def _origin(base: Clip, action: Clip) -> Origin:
    """Both sources of every frame: one for the lower body, one for the upper."""
    lower = with_changes(base.origin, parts=(PARTS[0],), **_rows(base.origin))
    upper = with_changes(action.origin, parts=(PARTS[1],), **_rows(action.origin))
    both = joined([lower, upper], [len(base), len(action)])
    count = len(base)
    rows: dict[str, Any] = {}
    for name in ("which", "frames", "weights"):
        values = getattr(both, name)
        rows[name] = np.stack([values[:count, 0], values[count:, 1]], 1)
    terms = all_terms([base.origin.licence, action.origin.licence])
    notes = tuple(note for note in both.notes if note.frame is None or note.frame < count)
    return with_changes(both, licence=terms, notes=notes, **rows)


def _rows(origin: Origin) -> dict[str, Any]:
    """The rows of an origin as those of a single part: the first one."""
    if origin.parts == BODY:
        return {}
    return {name: getattr(origin, name)[:, :1] for name in ("which", "frames", "weights")}


def posture_difference(a: Clip, b: Clip, cut: str = "upper") -> float:
    """Radians between the averaged shoulder clouds of two clips: 0 after posture transfer."""
    found = [mean_posture(p, p.local) for p in (part_pose(c, cut_named(c.skeleton, cut)) for c in (a, b))]
    return float(angle_between(posture_turn(*found), [1.0, 0.0, 0.0, 0.0]))
