"""Blends, frequency bands and Fourier series of clips, with their recipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionloom.analysis import same_rate
from motionloom.blend.bands import exchange_bands, with_gains
from motionloom.blend.fourier import (
    analyse,
    characteristic,
    controlled,
    in_clip,
    interpolated,
    interpolated_in_time,
    with_characteristic,
)
from motionloom.blend.weighted_blend import blend_clips as blended
from motionloom.core import BadRequest, Clip, Note, Progress, part, replace, silent
from motionloom.core.watched import watched
from motionloom.evaluate.capture_checks.findings import glitch_findings
from motionloom.evaluate.capture_checks.knees_and_elbows import sudden_knee_findings
from motionloom.kinematics.capture.tpose import without_tpose
from motionloom.kinematics.channels import fit_layout
from motionloom.kinematics.feet.changed_steps import lock_given_contacts, travel_on_feet, whole_contacts
from motionloom.kinematics.feet.clearance import usual_clearance
from motionloom.kinematics.feet.contacts import contacts, part_positions
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import travel
from motionloom.recipes.recorded_edits import edit_step, made_of

SAME_DISTANCE = 0.02  # of the distance travelled: a smaller change is not reported


@watched
def blend_clips(
    clips: Sequence[Clip],
    weights: Sequence[Any],
    *,
    registration: str = "time-warp",
    lock_feet: bool = True,
    progress: Progress | None = None,
) -> Clip:
    """The blend of clips of one action at the lowest of their frame rates; see `motionloom.blend.weighted_blend`."""
    given: dict[str, Any] = {"weights": [list(w) if isinstance(w, Sequence) else float(w) for w in weights]}
    given |= {"registration": registration, "lock_feet": None if lock_feet else False}
    step = edit_step("blend", clips, given)
    rate = min(clip.fps for clip in clips)
    same = [clip if clip.fps == rate else resample(clip, rate) for clip in clips]
    made = blended(same, weights, registration=registration, lock_feet=lock_feet, progress=progress)
    return made_of(made, clips, step)


@watched
def change_bands(
    clip: Clip,
    other: Clip | None = None,
    *,
    gains: Sequence[float] = (),
    shares: Sequence[float] = (),
    kind: str = "pyramid",
    lock_feet: bool = True,
    progress: Progress | None = None,
) -> Clip:
    """The clip with its frequency bands multiplied by `gains`, or mixed with those of another clip by `shares`.

    Feet are then locked where they stand in the clip, and the hips travel as the standing feet demand: legs that
    swing farther also take the body farther, which a note states. Another states frames that capture has broken.
    """
    if (other is None) == bool(shares):
        raise BadRequest("shares are those of a second clip: give both or none of them")
    given: dict[str, Any] = {
        "gains": list(gains) or None,
        "shares": list(shares) or None,
        "kind": kind if kind != "pyramid" else None,
    }
    given |= {"lock_feet": None if lock_feet else False}
    sources = [clip] if other is None else [clip, other]
    step = edit_step("bands", sources, given)
    enlarged = shares or max(gains, default=1.0) > 1.0
    notes = [note for source in sources for note in _glitch_notes(source)] if enlarged else []
    report = progress or silent()
    if other is not None:
        clip, other = same_rate(clip, other)
        made = exchange_bands(clip, other, shares, kind, part(report, 0.0, 0.5))
    else:
        made = clip
    made = with_gains(made, gains, kind) if gains else made
    if lock_feet:
        made = travel_on_feet(made, whole_contacts(clip), part_positions(clip))
        made = lock_given_contacts(made, contacts(clip), usual_clearance([clip]), part(report, 0.5, 1.0))
        made = replace(made, origin=made.origin.with_notes(*_distance_notes(made, clip)))
    report(1.0, "changing bands")
    return replace(made, origin=made.origin.with_notes(*notes).with_made(step))


def _glitch_notes(clip: Clip) -> list[Note]:
    """Warnings about broken frames and sudden knees, whose jumps are movements of the highest bands."""
    bare = without_tpose(clip)
    found = [str(finding) for finding in glitch_findings(bare) if finding.broken]
    found += map(str, sudden_knee_findings(bare))
    way = "remove it first, with `motionloom clean --repair` or `trim`"
    return [Note(f"{text}; the result keeps or enlarges this jump: {way}", "warning") for text in found]


def _distance_notes(made: Clip, clip: Clip) -> list[Note]:
    """How far the result travels, where that is not as far as the clip does."""
    far = [float(np.linalg.norm(np.diff(travel(c).place, axis=0), axis=1).sum()) for c in (made, clip[: len(made)])]
    if abs(far[0] - far[1]) <= SAME_DISTANCE * far[1]:
        return []
    return [Note(f"travels {far[0]:.2f} m instead of {far[1]:.2f}: its changed legs take other steps")]


@watched
def fourier_motion(
    clip: Clip,
    others: Sequence[Clip] = (),
    *,
    share: float | None = None,
    domain: str = "frequency",
    amount: float = 1.0,
    step: float = 1.0,
    speed: float = 1.0,
    hips: float = 0.0,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> Clip:
    """Locomotion from the Fourier series of a clip's cycle.

    With one other clip and `share`: between both, in the `domain` "frequency" (eq 2.12) or "time" (eq 2.13). With two
    others: the characteristic of the second against the first, times `amount`, added to the clip. `step`, `speed` and
    `hips` (m by which they are raised) control the result.
    """
    if domain not in ("frequency", "time"):
        raise BadRequest(f"domain: expected frequency or time, found {domain!r}")
    if len(others) > 2 or (len(others) == 1) != (share is not None):
        raise BadRequest("expected no other clip, one with a share, or two whose difference is added")
    given: dict[str, Any] = {"share": share, "domain": domain if domain != "frequency" else None}
    numbers = {"amount": (amount, 1.0), "step": (step, 1.0), "speed": (speed, 1.0), "hips": (hips, 0.0)}
    given |= {name: value if value != default else None for name, (value, default) in numbers.items()}
    recipe = edit_step("fourier", [clip, *others], {**given, "seconds": seconds})
    rate = min(c.fps for c in (clip, *others))
    report = progress or silent()
    report(0.0, "analysing cycles")
    first, *more = [c if c.fps == rate else resample(c, rate) for c in (clip, *others)]
    layout = fit_layout([first, *more])
    motion = analyse(first, layout)
    if share is not None:
        mix = interpolated if domain == "frequency" else interpolated_in_time
        motion = mix(motion, analyse(more[0], layout), share)
    elif more:
        plain, marked = (analyse(c, layout) for c in more)
        motion = with_characteristic(motion, characteristic(plain, marked), amount)
    report(0.5, "analysing cycles")
    motion = controlled(motion, step=step, speed=speed, hips=hips)
    making = part(report, 0.5, 1.0)
    made = in_clip(motion, seconds or first.seconds, rate, from_feet=step != 1.0 or bool(more), progress=making)
    report(1.0, "evaluating the series")
    return made_of(made, (clip, *others), recipe)
