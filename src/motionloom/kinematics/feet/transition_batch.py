"""Plants across many transitions at once: which feet stand over each, and where the second clips are laid for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, IntArray
from motionloom.kinematics.feet.contacts import contact_array, foot_parts, part_positions
from motionloom.kinematics.feet.transition_plants import GAP, MOST_TURN


def fit_to_plants(
    clips: Sequence[Clip], spans: IntArray, a: IntArray, b: IntArray, half: int, turn: FloatArray, shift: FloatArray
) -> None:
    """`transition_plants.plant_fit` of all transitions from frames `a` to frames `b`, counted through all clips.

    Changes turn (T,) and shift (T, 2) in place so that feet which stand over a cut stand in one place. spans (N, 2)
    holds the first frame of each frame's clip, and the one after its last. Contacts are the clips' labels, or found.
    """
    from motionloom.kinematics.feet._kernels_transition import fit_plants

    if not foot_parts(clips[0].skeleton):
        return
    places = np.concatenate([part_positions(c) for c in clips])
    on = np.concatenate([contact_array(c) for c in clips])
    gap = round(GAP * clips[0].fps)
    fit_plants(places, plant_runs(on, spans), a, b, half, gap, MOST_TURN, turn, shift)


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


def window_reach(half: int, fps: float) -> int:
    """Frames on either side of a cut whose contacts `standing_windows` needs."""
    return max(half, round(GAP * fps) + 1)


def standing_windows(
    before: BoolArray, after: BoolArray, half: int, fps: float
) -> tuple[BoolArray, IntArray, IntArray]:
    """When foot parts stand within `half` frames of K cuts: `transition_plants.standing` for many transitions.

    before (K, reach, P) and after (K, reach + 1, P) are contacts of the clips that are left and entered; the first
    frame of `after` is the cut. Returns (K, 2 half + 1, P) when they stand, and (K, P) the frames at which each leaves
    A's plant and enters B's.
    """
    most, reach = round(GAP * fps), before.shape[1]
    on = np.concatenate([before, after], 1)  # frame `reach` is the cut
    frames = np.arange(on.shape[1])[:, None]
    last = np.where(before, frames[:reach], -reach).max(1)
    first = np.where(after, frames[reach:], 4 * reach).min(1)
    near = first - last - 1 <= most
    leave, enter = np.where(near, last, reach - 1), np.where(near, first, reach)
    on |= near[:, None] & (frames >= leave[:, None]) & (frames < enter[:, None])
    start = reach - half
    on = on[:, start : start + 2 * half + 1]
    return on, np.maximum(leave - start, 0), np.minimum(enter - start, 2 * half)
