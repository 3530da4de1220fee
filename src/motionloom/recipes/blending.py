"""Blends, frequency bands and Fourier series of clips, with their recipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionloom.analysis import same_rate
from motionloom.blend.bands import exchange_bands, with_gains
from motionloom.blend.clips import blend_clips as blended
from motionloom.blend.fourier import (
    analyse,
    characteristic,
    common_layout,
    controlled,
    in_clip,
    interpolated,
    interpolated_in_time,
    with_characteristic,
)
from motionloom.core import BadRequest, Clip, Note, Progress, part, replace, silent, with_labels
from motionloom.kinematics.feet.clearance import lift_swings, usual_clearance
from motionloom.kinematics.feet.contacts import contacts, part_positions
from motionloom.kinematics.feet.plants import WHOLE_CONTACT
from motionloom.kinematics.feet.skate_removal import pin_plants
from motionloom.kinematics.feet.smoothing import gaussian
from motionloom.kinematics.resample import resample
from motionloom.recipes.recorded_edits import edit_step

FOLLOWING = 0.05  # s: deviation of the Gaussian over the path by which hips follow standing feet


def blend_clips(
    clips: Sequence[Clip],
    weights: Sequence[Any],
    *,
    registration: str = "time-warp",
    lock_feet: bool = True,
    progress: Progress | None = None,
) -> Clip:
    """The blend of clips of one action at the lowest of their frame rates; see `motionloom.blend.clips`."""
    given: dict[str, Any] = {"weights": [list(w) if isinstance(w, Sequence) else float(w) for w in weights]}
    given |= {"registration": registration, "lock_feet": None if lock_feet else False}
    step = edit_step("blend", clips, given)
    rate = min(clip.fps for clip in clips)
    same = [clip if clip.fps == rate else resample(clip, rate) for clip in clips]
    made = blended(same, weights, registration=registration, lock_feet=lock_feet, progress=progress)
    return replace(made, origin=made.origin.with_made(step))


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

    Feet are then locked where they stand in the clip, and the hips travel as the standing feet demand.
    """
    if (other is None) == bool(shares):
        raise BadRequest("shares are those of a second clip: give both or none of them")
    given: dict[str, Any] = {
        "gains": list(gains) or None,
        "shares": list(shares) or None,
        "kind": kind if kind != "pyramid" else None,
    }
    given |= {"lock_feet": None if lock_feet else False}
    step = edit_step("bands", [clip] if other is None else [clip, other], given)
    report = progress or silent()
    if other is not None:
        clip, other = same_rate(clip, other)
        made = exchange_bands(clip, other, shares, kind, part(report, 0.0, 0.5))
    else:
        made = clip
    made = with_gains(made, gains, kind) if gains else made
    if lock_feet:
        made = _locked(_on_feet(made, clip), clip, part(report, 0.5, 1.0))
    report(1.0, "changing bands")
    return replace(made, origin=made.origin.with_made(step))


def _on_feet(made: Clip, clip: Clip) -> Clip:
    """The clip `made` from another one, moved over the ground so that its standing feet move as they do in the other.

    Changed legs step farther or less far than the hips travel, and no leg could hold its place then.
    """
    frames = len(made)
    on = np.stack([x[:frames] for x in contacts(clip).values()] or [np.zeros(frames, bool)], 1)
    on = on[1:] & on[:-1]
    points = part_positions(made)[..., [0, 2]] - part_positions(clip)[:frames][..., [0, 2]]
    if not points.shape[1] or not on.any():
        return made
    speed = (on[..., None] * np.diff(points, axis=0)).sum(1) / np.maximum(on.sum(1), 1)[:, None]
    shift = gaussian(np.concatenate([np.zeros((1, 2)), -np.cumsum(speed, axis=0)]), FOLLOWING * made.fps)
    root = made.root.copy()
    root[:, [0, 2]] += shift - shift[:1]
    return replace(made, root=root)


def _locked(made: Clip, clip: Clip, progress: Progress) -> Clip:
    """The clip `made` with its feet locked in the contacts of another one, and swinging feet as high as in that one.

    A note states in how many of the contacts feet could be held.
    """
    given = {name: on[: len(made)] for name, on in contacts(clip).items()}
    pinned = pin_plants(with_labels(made, given), toe=WHOLE_CONTACT, progress=progress)
    total = sum(int(on.sum()) for on in given.values())
    held = sum(int((on & pinned.labels[name]).sum()) for name, on in given.items() if name in pinned.labels)
    lifted = lift_swings(pinned.clip, usual_clearance([clip])) if pinned.moved > 0 else pinned.clip
    out = replace(lifted, labels=made.labels, label_names=made.label_names, origin=made.origin)
    if total == 0 or held == total:
        return out
    note = Note(
        f"feet locked in {100 * held / total:.0f} % of the frames in which they stand in the clip; in the others a leg "
        "would have to snap, or the foot rolls off"
    )
    return replace(out, origin=out.origin.with_notes(note))


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
    `hips` (m) control the result.
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
    layout = common_layout([first, *more])
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
    made = in_clip(
        motion, seconds or first.seconds, rate, from_feet=step != 1.0 or hips != 0.0, progress=making
    )  # fmt: skip
    report(1.0, "evaluating the series")
    return replace(made, origin=made.origin.with_made(recipe))
