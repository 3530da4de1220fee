"""Registration in time, by several rules: which moments of clips of one action belong together (GUAN 2.3.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.analysis import AlignmentCurve, align_cycles, from_key_times, register
from motionloom.core import BadRequest, Clip, FloatArray, Progress
from motionloom.kinematics.feet.contacts import contacts
from motionloom.kinematics.fk import positions

RULES = ("uniform", "cycles", "key-times", "time-warp")
AT_ONCE = 0.1  # s: both feet of a jump leave the ground, and come down, within this time


class Event(NamedTuple):
    """A moment at which a contact begins or ends."""

    name: str  # "left_heel down", "right_toe up"
    seconds: float


def contact_events(clip: Clip, feet: Sequence[str] = ("left", "right")) -> list[Event]:
    """The moments at which each foot comes down and leaves the ground, in order of time: heel or toe, which is first.

    A foot that touches in the first frame has not come down there, and one that touches in the last has not left.
    """
    found: list[Event] = []
    touching = contacts(clip)
    for side in feet:
        parts = [on for name, on in touching.items() if name.startswith(f"contact:{side}_")]
        if not parts:
            continue
        down = np.any(parts, axis=0).astype(np.int8)
        change = np.diff(down)
        found += [Event(f"{side} down", (f + 1) / clip.fps) for f in np.flatnonzero(change > 0)]
        found += [Event(f"{side} up", (f + 1) / clip.fps) for f in np.flatnonzero(change < 0)]
    return sorted(found, key=lambda event: event.seconds)


def together(events: Sequence[Event]) -> list[Event]:
    """The events, where two feet come down or leave within `AT_ONCE` seconds as one: those of a jump."""
    out: list[Event] = []
    for event in events:
        foot, kind = event.name.rsplit(" ", 1)
        before = out[-1] if out else None
        near = before is not None and event.seconds - before.seconds <= AT_ONCE
        if before and near and before.name.endswith(f" {kind}") and foot not in before.name:
            out[-1] = Event(f"both {kind}", (before.seconds + event.seconds) / 2)
        else:
            out.append(event)
    return out


def registered_curve(
    clips: Sequence[Clip],
    rule: str = "time-warp",
    *,
    reference: int = 0,
    keys: Sequence[ArrayLike] | None = None,
    smooth: bool = True,
    progress: Progress | None = None,
) -> AlignmentCurve:
    """One curve through all clips, from the first frame of each to its last (of `cycles`: the whole cycles).

    `uniform` stretches clips evenly; `cycles` starts cycle k of all clips together; `key-times` goes through `keys`,
    seconds for each clip, or the moments at which feet come down and leave the ground; `time-warp` aligns every clip
    to the reference by dynamic time warping. Between key times, time runs smoothly, or evenly (GUAN eq 2.6).
    """
    if rule not in RULES:
        raise BadRequest(f"registration: expected one of {', '.join(RULES)}, found {rule!r}")
    ends = [(len(clip) - 1) / clip.fps for clip in clips]
    if rule == "uniform":
        return from_key_times([[0.0, end] for end in ends])
    if rule == "cycles":
        try:
            return align_cycles(clips)
        except BadRequest as error:
            raise BadRequest(
                f"{error.message}; registration time-warp or uniform also takes a clip that is cut to one cycle"
            ) from None
    if rule == "key-times":
        given = [np.asarray(k, float) for k in keys] if keys is not None else common_events(clips)
        return from_key_times([with_ends(k, end) for k, end in zip(given, ends, strict=True)], smooth=smooth)
    return register(clips, reference, progress=progress)


def with_ends(keys: FloatArray, end: float) -> FloatArray:
    """Key times of a clip with its first and its last moment, once each."""
    inner = keys[(keys > 1e-9) & (keys < end - 1e-9)]
    return np.concatenate([[0.0], inner, [end]])


def common_events(clips: Sequence[Clip]) -> list[FloatArray]:
    """The times of contact events of each clip; `BadRequest` that names a clip whose events are others."""
    events = [together(contact_events(clip)) for clip in clips]
    names = [[event.name for event in found] for found in events]
    for clip, found in zip(clips, names, strict=True):
        if found != names[0]:
            raise BadRequest(
                f"key times: the clips differ in their steps, so these cannot match: {clips[0].name or 'clip 0'} has "
                f"{', '.join(names[0]) or 'none'}; {clip.name or 'another'} has {', '.join(found) or 'none'}"
            )
    return inner_keys([np.array([event.seconds for event in found]) for found in events], clips)


def inner_keys(keys: Sequence[FloatArray], clips: Sequence[Clip]) -> list[FloatArray]:
    """Key times of clips, as many for each, without those that lie at the end of any of them."""
    times, ends = np.stack(keys), np.array([(len(clip) - 1) / clip.fps for clip in clips])
    inside = ((times > 1e-9) & (times < ends[:, None] - 1e-9)).all(0)
    return list(times[:, inside])


def alignment_costs(turns: FloatArray, levels: FloatArray, clips: Sequence[Clip], reference: int) -> FloatArray:
    """(K,) m: how far registered poses are from the reference's, root mean square over joints, mean over rows.

    `turns` (R, K, J, 4) and `levels` (R, K) as in `Registered`: poses that stand on one spot and face one direction.
    """
    skeleton = clips[0].skeleton
    places = []
    for k in range(turns.shape[1]):
        root = np.zeros((len(levels), 3))
        root[:, 1] = levels[:, k]
        places.append(positions(skeleton, root, turns[:, k]))
    base = places[reference]
    return np.array([np.sqrt(((p - base) ** 2).sum(-1).mean(-1)).mean() for p in places])
