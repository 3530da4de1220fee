"""Cut the ends of a clip: at times, or at contacts so that whole steps remain."""

from __future__ import annotations

import numpy as np

from motionloom.core import BadRequest, Clip
from motionloom.core.units import Moment, frame_of, frames_of
from motionloom.kinematics.capture.tpose import without_tpose
from motionloom.kinematics.feet.contacts import contacts, foot_parts, runs


def trim_times(clip: Clip, start: Moment = 0, end: Moment | None = None) -> Clip:
    """The clip from `start` to before `end`: seconds, or `end-0.5`, or `120f`."""
    if end is None:
        return clip[frame_of(start, len(clip), clip.fps, ("start",)) :]
    frames = frames_of((start, end), len(clip), clip.fps, ("span",))
    return clip[frames.start : frames.stop]


def trim_contacts(clip: Clip, part: str, strides: int | None = None) -> Clip:
    """Whole strides: from the first touch-down of a foot part ("left_heel", "left") to before its last one.

    With `strides`, only the first so many. A foot that stands when the motion begins, after a T-pose in frame 0 or
    without one, does not touch down.
    """
    names = [p.name for p in foot_parts(clip.skeleton)]
    wanted = next((n for n in names if n == part or n == f"{part}_heel" or n == f"{part}_toe"), None)
    if wanted is None:
        raise BadRequest(f"no foot part {part!r}; this body has {', '.join(names) or 'none'}")
    motion = without_tpose(clip)
    touch = contacts(motion)[f"contact:{wanted}"]
    downs = [len(clip) - len(motion) + first for first, _ in runs(np.asarray(touch)) if first > 0]
    if len(downs) < 2:
        raise BadRequest(f"{wanted} touches down {len(downs)} times in {clip.name or 'the clip'}; a stride needs two")
    if strides is not None and not 1 <= strides < len(downs):
        raise BadRequest(f"strides: expected 1 to {len(downs) - 1} in {clip.name or 'the clip'}, found {strides}")
    return clip[downs[0] : downs[-1 if strides is None else strides]]
