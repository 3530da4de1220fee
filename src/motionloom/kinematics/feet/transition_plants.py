"""Which feet stand while one clip goes over into another, and where the second is laid for them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, Skeleton
from motionloom.kinematics.feet.contacts import Part, contacts, foot_parts, runs
from motionloom.kinematics.feet.transition_hold import Windows, ties
from motionloom.kinematics.ground_alignment import Alignment, ground_alignment
from motionloom.kinematics.travel import ground_turn

GAP = 0.07  # s: a foot that lifts for less than this where two clips meet did not lift
MOST_TURN = np.radians(15.0)  # what B is turned by at most, so that feet need not turn while they stand


class Standing(NamedTuple):
    """When one part of a foot, its heel or its toe, stands in the result."""

    part: Part
    on: BoolArray  # (F,)
    leave: int  # the last frame before the cut in which it stands in A (the one before the cut, if it does not)
    enter: int  # the first frame from the cut on in which it stands in B (the cut itself, if it does not)

    def seen_from(self, start: int, stop: int) -> Standing:
        """The same for frames start .. stop - 1, counted from `start`."""
        return Standing(self.part, self.on[start:stop], max(self.leave - start, 0), min(self.enter, stop - 1) - start)

    @property
    def through(self) -> bool:
        """It stands over the cut."""
        return bool(self.on[self.leave : self.enter + 1].all())


class Near(NamedTuple):
    """Where the parts are in the clips that are joined, from the frame before the window to the one after it."""

    a: FloatArray  # (n, P, 3) world, A's own motion
    b: FloatArray  # (n, P, 3) B's own, laid ready


def one_window(
    skeleton: Skeleton,
    root: FloatArray,
    rotations: FloatArray,
    slides: FloatArray | None,
    found: list[Standing],
    sources: Near,
) -> Windows:
    """The frames (n, ...) near a single transition, made ready for `hold_plants`."""
    on = np.stack([one.on for one in found], 1)[None]
    leave, enter = (np.array([[getattr(one, which) for one in found]]) for which in ("leave", "enter"))
    slid = None if slides is None else slides[None]
    return Windows(skeleton, root[None], rotations[None], slid, on, leave, enter, sources.a[None], sources.b[None])


def standing(a: Clip, b: Clip, cut: tuple[int, int]) -> list[Standing]:
    """When each foot part stands: in `a` up to frame cut[0], then in `b` from frame cut[1] on.

    Contacts are the clips' own labels where they have them, else what `contacts` detects.
    """
    on_a, on_b = contacts(a), contacts(b)
    most = round(GAP * a.fps)
    out = []
    for part in foot_parts(a.skeleton):
        on = np.concatenate([on_a[part.label][: cut[0]], on_b[part.label][cut[1] :]])
        before, after = np.flatnonzero(on[: cut[0]]), np.flatnonzero(on[cut[0] :]) + cut[0]
        leave, enter = cut[0] - 1, cut[0]
        if len(before) and len(after) and after[0] - before[-1] - 1 <= most:
            leave, enter = int(before[-1]), int(after[0])
            on[leave:enter] = True
        out.append(Standing(part, on, leave, enter))
    return out


def plant_fit(found: list[Standing], sources: Near) -> Alignment:
    """How B must be turned and moved on the ground so that feet which stand over the cut stand in one place.

    A plant counts as much as it must stay (`_held`): one that begins in A's untouched frames and ends in B's has no
    other place to go, one that lies well inside the window has (it counts only where nothing else stands). Two points
    that must both stay, as the heel and the toe of one foot, also decide a turn, of MOST_TURN at most. Nothing stands
    over the cut: no move. `found` and `sources` cover the same frames. Both clips are asked at the same moments where
    one plant goes straight over into the other, so that a slow drift does not count.
    """
    here, there, held = [], [], []
    for i, one in enumerate(found):
        if one.through:
            leave, enter = one.leave, one.enter
            at_a, at_b = ([leave, enter], [leave, enter]) if enter == leave + 1 else ([leave], [enter])
            here.append(sources.a[at_a, i].mean(0))
            there.append(sources.b[at_b, i].mean(0))
            held.append(_held(one))
    if not held:
        return Alignment(0.0, 0.0, 0.0, 0.0)
    p, q, w = np.array(here), np.array(there), np.array(held)
    turn = 0.0
    if (w > 0.5).sum() > 1:
        turn = float(np.clip(ground_alignment(p, q, w).angle, -MOST_TURN, MOST_TURN))
    shift = (w + 1e-3) @ (p[:, [0, 2]] - ground_turn(turn, q[:, [0, 2]])) / (w + 1e-3).sum()
    return Alignment(turn, float(shift[0]), float(shift[1]), 0.0)


def _held(one: Standing) -> float:
    """0 .. 1: how much a plant over the cut is tied to both clips' untouched frames at the ends of the window."""
    first, last = next(run for run in runs(one.on) if run[0] <= one.leave < run[1])
    return float(np.prod(ties(first, last, len(one.on))))
