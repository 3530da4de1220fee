"""Loops: whole step cycles fill them, and three rounds are made, of which the middle one leads on to itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from motionloom.analysis.alignment import cycle_times
from motionloom.constraints import Constraint, PoseAlong, PoseAt, Style
from motionloom.core import Clip, FloatArray, Note
from motionloom.core.note import warning
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import contact_array
from motionloom.methods.texture.faithful.keys import Keys

ROUNDS = 3
LOOPABLE = (PoseAt, PoseAlong, Style)  # the others name places in the world, which do not repeat
VISIBLE = 1.03  # times: a change of the step rate that is reported
LARGE = 1.1  # times: one that people notice
MAX_RATE = 1.45  # times: steps are played at most this much faster or slower
UNEVEN = 0.25  # of their mean: the deviation of cycles that are no gait
LONGEST_CYCLE = 2.5  # s: a foot that comes down later again has stood meanwhile


def in_rounds(constraints: Sequence[Constraint], frames: int, fps: float) -> tuple[Constraint, ...]:
    """Constraints on a loop of so many frames, for all of its rounds."""
    return tuple(_later(c, k * frames, frames, fps) for k in range(ROUNDS) for c in constraints)


def repeated(keys: Keys) -> Keys:
    """The keys of a loop, for all of its rounds."""
    return Keys(*(np.concatenate([rows] * ROUNDS) for rows in keys))


def retimed(constraints: Sequence[Constraint], frames: int, fps: float, others: int) -> tuple[Constraint, ...]:
    """Constraints on a loop of so many frames, for one of `others` frames that is played in the same time."""
    return tuple(_later(c, 0, frames, fps, others / frames) for c in constraints)


def _later(c: Constraint, shift: int, frames: int, fps: float, ratio: float = 1.0) -> Constraint:
    changes: dict[str, Any] = {}
    if isinstance(c, PoseAt):
        changes = {"time": f"{int(ratio * c.frame(frames, fps)) + shift}f"}
    elif isinstance(c, (PoseAlong, Style)):
        span = c.frames(frames, fps)
        changes = {"span": tuple(f"{round(ratio * f) + shift}f" for f in (span.start, span.stop))}
    return dataclasses.replace(c, **changes)


def step_cycle(clip: Clip) -> float | None:
    """The median duration of a step cycle of any foot, s; None if no foot completes a cycle."""
    gaps = [y - x for times in _touch_downs(clip) for x, y in pairwise(times)]
    return float(np.median(gaps)) if gaps else None


def frame_cycles(clip: Clip) -> FloatArray:
    """(F,) s: the duration of the step cycle around each frame, the mean over feet; 0 where no foot is in one."""
    times = np.arange(len(clip)) / clip.fps
    own = np.zeros((max(len(feet(clip.skeleton)), 1), len(clip)))
    for row, starts in zip(own, _touch_downs(clip), strict=False):
        for x, y in pairwise(starts):
            row[(times >= x) & (times < y)] = y - x if y - x <= LONGEST_CYCLE else 0.0
    return np.asarray(own.sum(0) / np.maximum((own > 0).sum(0), 1))


def _touch_downs(clip: Clip) -> list[FloatArray]:
    """Seconds at which each foot comes down."""
    standing = contact_array(clip).any()
    return [cycle_times(clip, foot.name) for foot in feet(clip.skeleton)] if standing else []


def mean_cycle(cycles: FloatArray) -> float:
    """The mean step cycle, s, of the frames of a loop, from `frame_cycles` of each; 0 if they have no common one."""
    known = cycles[cycles > 0]
    even = len(known) > len(cycles) / 2 and known.std() < UNEVEN * known.mean()
    return float(known.mean()) if even else 0.0


def whole_cycles(frames: int, cycle: float) -> float:
    """The length nearest to that of a loop, in frames, that whole cycles of so many frames fill.

    >>> whole_cycles(60, 35.0), whole_cycles(100, 35.0)
    (70.0, 105.0)
    """
    return max(round(frames / cycle), 1) * cycle


def filling_frames(frames: int, cycle: float) -> int:
    """How many frames of the examples a loop shows: whole cycles, unless that takes more than `MAX_RATE`."""
    return round(float(np.clip(whole_cycles(frames, cycle), frames / MAX_RATE, frames * MAX_RATE))) if cycle else frames


def rate_notes(frames: int, shown: int, fps: float) -> tuple[Note, ...]:
    """A remark on a loop whose steps are played faster or slower than in the examples."""
    rate = shown / frames
    if 1 / VISIBLE < rate < VISIBLE:
        return ()
    text = (
        f"steps are played {rate:.2f} times as fast, so that whole strides fill the loop of {frames / fps:.2f} s; "
        f"a loop of {shown / fps:.2f} s keeps their rate"
    )
    return (Note(text) if 1 / LARGE < rate < LARGE else warning(text),)
