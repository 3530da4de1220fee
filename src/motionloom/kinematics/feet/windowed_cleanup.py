"""Foot cleaning window by window: plants are pinned in windows that overlap and are faded into each other.

Neighbouring windows overlap by more than two seconds, so no seam is visible. Memory is bounded, and windows do not
depend on the sizes of the clips that come in.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, replace
from motionloom.core.clip import concatenate
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.clearance import lift_swings
from motionloom.kinematics.feet.contacts import foot_parts, part_positions
from motionloom.kinematics.feet.grounding import lift_sunk_feet
from motionloom.kinematics.feet.leg_reach import SOFT_REACH
from motionloom.kinematics.feet.skate_removal import PINNED_WITHIN, pin_plants
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.ik.limb import limb_rotations
from motionloom.rotation import slerp

WINDOW = 8.0  # s: frames cleaned at once
MARGIN = 1.0  # s: frames on either side that cleaning takes into account
FADE = 0.25  # s: over which one window fades into the next


@dataclass(frozen=True, eq=False)
class CleanupState:
    """Frames that are not cleaned yet, and what cleaning did so far."""

    held: Clip | None = None  # the last second of the window before, and the frames after it
    done: int = 0  # frames of it that were returned
    tail: Clip | None = None  # the window before, where the next one fades in
    plants: int = 0  # contacts pinned so far (one that lies in two windows counts twice)
    moved: float = 0.0  # m: the farthest that cleaning moved an ankle

    def __str__(self) -> str:
        return (
            f"plants cleaned window by window: {self.plants} contacts pinned, feet moved by up to "
            f"{100 * self.moved:.1f} cm"
        )


def clean_windows(
    state: CleanupState, clip: Clip | None, heights: FloatArray, clearance: float = 0.0
) -> tuple[CleanupState, list[Clip]]:
    """Add one clip; the windows that are ready, with their plants pinned. None: nothing follows, all are returned.

    `heights` (P,) m of the foot parts while they stand; `clearance` m of swinging feet (`lift_swings`).
    """
    held, done, tail = state.held, state.done, state.tail
    out: list[Clip] = []
    if clip is not None:
        window, margin, fade = (max(2, round(s * clip.fps)) for s in (WINDOW, MARGIN, FADE))
        held = clip if held is None else concatenate([held, clip])
        while len(held) - done >= window + fade + margin:
            result, state = _pinned(held[: done + window + fade + margin], heights, clearance, state)
            out.append(_faded(tail, result[done : done + window]))
            tail = result[done + window : done + window + fade]
            start = max(0, done + window - margin)
            held, done = held[start:], done + window - start
    elif held is not None and len(held) > done:
        result, state = _pinned(held, heights, clearance, state)
        out.append(_faded(tail, result[done:]))
        held, done, tail = None, 0, None
    return dataclasses.replace(state, held=held, done=done, tail=tail), out


def _pinned(clip: Clip, heights: FloatArray, clearance: float, state: CleanupState) -> tuple[Clip, CleanupState]:
    """One window with its feet lifted out of the floor, its plants pinned and its swings lifted; and the counts."""
    found = pin_plants(lift_sunk_feet(clip, heights))
    out = found.clip
    if clip.label_names:  # easing in and out of plants may have lowered feet again
        out = lift_swings(lift_sunk_feet(out, heights, standing=False), clearance, pinned=True)
    plants, moved = state.plants + found.plants, max(state.moved, found.moved)
    return out, dataclasses.replace(state, plants=plants, moved=moved)


def _faded(before: Clip | None, after: Clip) -> Clip:
    """`after`, with its first frames faded in from `before`: the same frames, cleaned in the last window.

    A contact that the two windows pin to different places is no contact during the fade.
    """
    if before is None:
        return after
    n = min(len(before), len(after))
    share = smoothstep((np.arange(n) + 1) / (n + 1))
    a, b = before.rotations[:n], after.rotations[:n]
    b = np.where((a * b).sum(-1, keepdims=True) < 0, -b, b)
    mixed = a + share[:, None, None] * (b - a)
    mixed /= np.linalg.norm(mixed, axis=-1, keepdims=True)
    root, rotations = after.root.copy(), after.rotations.copy()
    root[:n] = before.root[:n] + share[:, None] * (after.root[:n] - before.root[:n])
    rotations[:n] = _feet_between(before[:n], after[:n], share, root[:n], mixed)
    return replace(after, root=root, rotations=rotations, labels=_common_contacts(before[:n], after, n))


def _feet_between(before: Clip, after: Clip, share: FloatArray, root: FloatArray, rotations: FloatArray) -> FloatArray:
    """The rotations of a fade, with every ankle between its places and orientations in the two windows.

    Mixed joint angles alone would move a foot that stands at one place in both, by a millimetre where hips differ.
    """
    slides = after.slides
    (a, a_turns), (b, b_turns) = fk_rotations(before), fk_rotations(after)
    for foot in feet(after.skeleton):
        limb = (foot.thigh, foot.shin, foot.ankle)
        target = a[:, foot.ankle] + share[:, None] * (b[:, foot.ankle] - a[:, foot.ankle])
        turn = slerp(a_turns[:, foot.ankle], b_turns[:, foot.ankle], share)
        rotations, _ = limb_rotations(
            after.skeleton, root, rotations, limb, target, orientation=turn, soft=SOFT_REACH, slides=slides
        )
    return rotations


def _common_contacts(before: Clip, after: Clip, n: int) -> BoolArray:
    """(F, L) the labels of `after`; in the first n frames, contacts only where both windows pin to one place."""
    labels = np.array(after.labels)
    parts = foot_parts(after.skeleton)
    if not parts:
        return labels
    apart = np.linalg.norm(part_positions(before) - part_positions(after[:n]), axis=-1)
    for i, part in enumerate(parts):
        if part.label in after.label_names:
            column = after.label_names.index(part.label)
            labels[:n, column] &= (apart[:, i] < 0.1 * PINNED_WITHIN) & before.label(part.label)
    return labels
