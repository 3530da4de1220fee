"""How the second clip of each transition lies on the ground: all transitions of a graph at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.blend.transition import CLOUD
from motionloom.core import BoolArray, Clip, FloatArray, IntArray
from motionloom.kinematics.feet.contacts import contacts, foot_parts, part_positions
from motionloom.kinematics.feet.transition_plants import GAP, MOST_TURN
from motionloom.kinematics.forward import fk


def lay_all(clips: Sequence[Clip], a: IntArray, b: IntArray, half: int) -> tuple[FloatArray, FloatArray]:
    """The turn (T,) and shift (T, 2) of each pair of frames, counted through all clips.

    The same as `blend_transition` finds: the joints of the frames around lie best on one another, then feet that stand
    over the cut decide. Contacts are the clips' labels.
    """
    from motionloom.methods.graph._kernels import fit_plants, lay

    clip = spans(clips)
    turn, shift = np.empty(len(a)), np.empty((len(a), 2))
    lay(np.concatenate([fk(c) for c in clips]), a, b, clip, CLOUD, turn, shift)
    parts = foot_parts(clips[0].skeleton)
    if parts:
        places = np.concatenate([part_positions(c) for c in clips])
        on = np.concatenate([np.stack([found[p.label] for p in parts], 1) for found in map(contacts, clips)])
        gap = round(GAP * clips[0].fps)
        fit_plants(places, plant_runs(on, clip), a, b, half, gap, MOST_TURN, turn, shift)
    return np.arctan2(np.sin(turn), np.cos(turn)), shift


def spans(clips: Sequence[Clip], margin: int = 0) -> IntArray:
    """(N, 2) for each frame, counted through all clips: the first frame of its clip, and the one after its last.

    With a margin, that many frames less at either end; frames within the margin have an empty span, (0, 0).
    """
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    lengths = np.diff(starts)
    out = np.stack([np.repeat(starts[:-1] + margin, lengths), np.repeat(starts[1:] - margin, lengths)], 1)
    at = np.arange(len(out))
    out[(at < out[:, 0]) | (at >= out[:, 1])] = 0
    return out


def plant_runs(on: BoolArray, clip: IntArray) -> IntArray:
    """(N, P, 4) the plant of each part at or before each frame, and the one at or after it: see `fit_plants`.

    on (N, P): when each part stands. clip (N, 2): `spans`. Plants end where their clip does.
    """
    frames = len(on)
    at = np.broadcast_to(np.arange(frames)[:, None], on.shape)
    first, stop = clip[:, :1], clip[:, 1:]
    begins = on & ~np.concatenate([np.zeros_like(on[:1]), on[:-1]]) | on & (at == first)
    ends = on & ~np.concatenate([on[1:], np.zeros_like(on[:1])]) | on & (at == stop - 1)
    last = np.maximum.accumulate(np.where(on, at, -1), axis=0)
    began = np.maximum.accumulate(np.where(begins, at, -1), axis=0)
    following = np.minimum.accumulate(np.where(on, at, frames)[::-1], axis=0)[::-1]
    end = np.minimum.accumulate(np.where(ends, at, frames)[::-1], axis=0)[::-1] + 1
    none_before, none_after = last < first, following >= stop
    return np.stack(
        [
            np.where(none_before, -1, last),
            np.where(none_before, -1, began),
            np.where(none_after, -1, following),
            np.where(none_after, -1, end),
        ],
        -1,
    )
