"""Labels of clips as actions of live characters: bits of frames, and the speeds of each action."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, IntArray, is_found
from motionloom.kinematics.pace import pace_along
from motionloom.kinematics.travel import steady_travel

UInt64Array = NDArray[np.uint64]
MAX_ACTIONS = 62
HELD = 3.0  # s
ANY = np.uint64(1 << 63)  # the bit that every frame has
FIRST_HALF = np.uint64(1 << 62)  # the bit of frames in the first half of their clip


def action_names(clips: Sequence[Clip]) -> tuple[str, ...]:
    """The labels of the frames, without contacts: the names that `Commands.action` indexes."""
    names = tuple(sorted({n for c in clips for n in c.label_names if not is_found(n) and c.label(n).any()}))
    if len(names) > MAX_ACTIONS:
        raise BadRequest(f"at most {MAX_ACTIONS} labels can be actions of live characters, found {len(names)}")
    return names


def action_marks(clips: Sequence[Clip], names: Sequence[str]) -> BoolArray:
    """(A, F) whether each frame belongs to each action."""
    rows = [np.concatenate([clip.label(name) for clip in clips]) for name in names]
    return np.array(rows, bool).reshape(len(names), sum(len(clip) for clip in clips))


def action_bits(marks: BoolArray) -> UInt64Array:
    """(F,) a bit for each action that a frame belongs to, and `ANY`."""
    out = np.full(marks.shape[1], ANY)
    for i, row in enumerate(marks):
        out |= row.astype(np.uint64) << np.uint64(i)
    return out


def first_action(bits: UInt64Array, count: int) -> IntArray:
    """(N,) the first of `count` actions in each of these bits, -1 for none."""
    out = np.full(len(bits), -1)
    for i in reversed(range(count)):
        out[(bits >> np.uint64(i) & np.uint64(1)) != 0] = i
    return out


def sustained_speeds(clips: Sequence[Clip]) -> FloatArray:
    """(F,) m/s: the speed of the body on its track around each frame of the clips, averaged over a second."""
    return np.concatenate([pace_along(steady_travel(clip).place, clip.fps) for clip in clips])


def held_speeds(clips: Sequence[Clip]) -> FloatArray:
    """(F,) m/s: the mean of `sustained_speeds` over `HELD` around each frame; at the ends of clips, beside it."""
    rows = []
    for clip in clips:
        span = min(len(clip), round(HELD * clip.fps))
        total = np.concatenate([[0.0], np.cumsum(sustained_speeds([clip]))])
        first = np.clip(np.arange(len(clip)) - span // 2, 0, len(clip) - span)
        rows.append((total[first + span] - total[first]) / span)
    return np.concatenate(rows)


def speed_ranges(speed: FloatArray, marks: BoolArray, among: BoolArray) -> FloatArray:
    """(A + 1, 3) lowest, usual and highest speed of each action's frames `among` (F,), and of all of these.

    They are the 1st, 50th and 99th percentile.
    """
    rows = [*(row & among for row in marks), among]
    return np.array([np.percentile(speed[row], (1, 50, 99)) for row in rows])
