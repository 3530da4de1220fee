"""Cut the ends of a clip: at times, or at contacts so that whole steps remain."""

from __future__ import annotations

import numpy as np

from motionloom.core import BadRequest, BoolArray, Clip
from motionloom.core.units import Moment, frames_of
from motionloom.kinematics.capture.tpose import without_tpose
from motionloom.kinematics.feet.contacts import contacts, foot_parts, runs


def trim_times(clip: Clip, start: Moment = 0, end: Moment | None = None) -> Clip:
    """The clip from `start` to before `end`: seconds, or `end-0.5`, or `120f`."""
    frames = frames_of((start, "end" if end is None else end), len(clip), clip.fps, ("span",), "clip")
    return clip[frames.start : frames.stop]


def trim_contacts(clip: Clip, part: str, strides: int | None = None, skip: int = 0) -> Clip:
    """Whole strides: from the first touch-down of a foot ("left") or of a part of it ("left_heel") to before its last.

    With `strides`, only the first so many; `skip` of them are left out before.
    """
    downs = touch_downs(clip, part)
    if strides is not None and not 1 <= strides < len(downs) - skip:
        found = f"expected 1 to {len(downs) - 1 - skip} in {clip.name or 'the clip'}, found {strides}"
        raise BadRequest(f"strides: {found}")
    return clip[downs[skip] : downs[-1 if strides is None else skip + strides]]


def touch_downs(clip: Clip, part: str) -> list[int]:
    """The frames, at least two, at which a foot ("left") or a part of it ("left_heel") touches down.

    A foot is down while its heel or its toe is: runners land on either. One that stands when the motion begins, after a
    T-pose in frame 0 or without one, does not touch down.
    """
    motion = without_tpose(clip)
    downs = [len(clip) - len(motion) + first for first, _ in runs(_foot_contacts(motion, part)) if first > 0]
    if len(downs) < 2:
        raise BadRequest(f"{part} touches down {len(downs)} times in {clip.name or 'the clip'}; a stride needs two")
    return downs


def _foot_contacts(clip: Clip, part: str) -> BoolArray:
    """(F,) when a foot, or a part of one, is down."""
    parts = foot_parts(clip.skeleton)
    wanted = [p.label for p in parts if part in (p.name, p.foot.name, p.foot.name.removesuffix("_foot"))]
    if not wanted:
        names = dict.fromkeys(name for p in parts for name in (p.foot.name.removesuffix("_foot"), p.name))
        raise BadRequest(f"no foot part {part!r}; this body has {', '.join(names) or 'none'}")
    found = contacts(clip)
    return np.any([found[label] for label in wanted], axis=0)
