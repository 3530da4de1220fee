"""Feet across transitions: when each stands, and where the second clip is placed for feet that stand over the cut.

All functions take many transitions at once; a single one is a batch of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, IntArray, Progress, silent
from motionloom.core.progress import slices
from motionloom.kinematics.feet.contacts import contact_array, foot_parts, part_positions

BATCH = 50_000  # transitions in one call of the kernel, about 0.1 s
MAX_GAP = 0.07  # s: a foot that lifts for less than this where two clips meet counts as standing
MAX_TURN = np.radians(15.0)  # what the second clip is turned by at most, so that feet need not turn while they stand


class Standing(NamedTuple):
    """When foot parts stand within `half` frames of K cuts."""

    on: BoolArray  # (K, 2 half + 1, P)
    leave: IntArray  # (K, P) the last frame before the cut in which it stands in A (the one before the cut, if none)
    enter: IntArray  # (K, P) the first frame from the cut on in which it stands in B (the cut itself, if none)


def fit_to_plants(
    clips: Sequence[Clip],
    spans: IntArray,
    a: IntArray,
    b: IntArray,
    half: int,
    turn: FloatArray,
    shift: FloatArray,
    progress: Progress | None = None,
) -> None:
    """Change turn (T,) and shift (T, 2) in place so that feet which stand over a cut stand in one place.

    `a` and `b` (T,) are the frames that meet, counted through all clips; spans (N, 2) is the first frame of each
    frame's clip, and the one after its last. Contacts are the clips' labels, or detected.
    """
    if foot_parts(clips[0].skeleton):
        places = np.concatenate([part_positions(c) for c in clips])
        on = np.concatenate([contact_array(c) for c in clips])
        fit_places_to_plants(places, on, spans, a, b, half, clips[0].fps, turn, shift, progress)


def fit_places_to_plants(
    places: FloatArray,
    on: BoolArray,
    spans: IntArray,
    a: IntArray,
    b: IntArray,
    half: int,
    fps: float,
    turn: FloatArray,
    shift: FloatArray,
    progress: Progress | None = None,
) -> None:
    """`fit_to_plants` for foot parts at places (N, P, 3) that stand where `on` (N, P).

    A plant counts as much as it must stay: one that begins in A's untouched frames and ends in B's has no other place
    to go, one that lies well inside the window has (it counts only where nothing else stands). Two points that must
    both stay, as the heel and the toe of one foot, also decide a turn, of `MAX_TURN` at most. Where nothing stands over
    the cut, nothing changes. Both clips are compared at the same moments where one plant continues the other, so that a
    slow drift does not count.
    """
    from motionloom.kinematics.feet._kernels_transition import fit_plants

    found = plant_runs(on, spans)
    for s in slices(len(a), BATCH, progress or silent(), "fitting plants"):
        fit_plants(places, found, a[s], b[s], half, round(MAX_GAP * fps), MAX_TURN, turn[s], shift[s])


def contacts_around(on: BoolArray, frame: int, start: int, stop: int) -> BoolArray:
    """(stop - start, P) rows frame + start .. frame + stop - 1 of contacts `on` (F, P); false beyond a clip's ends."""
    out = np.zeros((stop - start, on.shape[1]), bool)
    first = max(frame + start, 0)
    rows = on[first : max(frame + stop, 0)]
    out[first - frame - start : first - frame - start + len(rows)] = rows
    return out


def standing_at(on_a: BoolArray, on_b: BoolArray, cut: tuple[int, int], half: int, fps: float) -> Standing:
    """`standing_windows` of one transition, from the contacts (F, P) of both clips."""
    reach = window_reach(half, fps)
    before, after = contacts_around(on_a, cut[0], -reach, 0), contacts_around(on_b, cut[1], 0, reach + 1)
    return standing_windows(before[None], after[None], half, fps)


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
    return max(half, round(MAX_GAP * fps) + 1)


def standing_windows(before: BoolArray, after: BoolArray, half: int, fps: float) -> Standing:
    """When foot parts stand within `half` frames of K cuts.

    before (K, reach, P) and after (K, reach + 1, P) are contacts of the clips that are left and entered; the first
    frame of `after` is the cut.
    """
    most, reach = round(MAX_GAP * fps), before.shape[1]
    on = np.concatenate([before, after], 1)  # frame `reach` is the cut
    frames = np.arange(on.shape[1])[:, None]
    last = np.where(before, frames[:reach], -reach).max(1)
    first = np.where(after, frames[reach:], 4 * reach).min(1)
    near = first - last - 1 <= most
    leave, enter = np.where(near, last, reach - 1), np.where(near, first, reach)
    on |= near[:, None] & (frames >= leave[:, None]) & (frames < enter[:, None])
    start = reach - half
    on = on[:, start : start + 2 * half + 1]
    return Standing(on, np.maximum(leave - start, 0), np.minimum(enter - start, 2 * half))
