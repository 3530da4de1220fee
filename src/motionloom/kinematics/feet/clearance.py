"""Feet that scrape over the floor while they swing are lifted, as high as feet usually are in the same clips.

A blend may carry a foot from one place to another without lifting it, and in some captures a foot passes lower than in
all others. Pinning plants mends neither: these feet do not stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, IntArray, replace
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.body.roles import Foot
from motionloom.kinematics.feet.contacts import SPEED, contacts, foot_parts, part_positions, parts_by_foot, runs
from motionloom.kinematics.feet.raise_foot import raise_foot
from motionloom.kinematics.feet.skate_measures import SKATE_B_HEIGHT
from motionloom.kinematics.feet.smoothing import away_from

FULL_CLEARANCE_SPEED = 1.0  # m/s: a toe this fast has the full clearance, a slower one its share of it
CLEARANCE_PERCENTILE = 25  # of the swings in the clips: lower feet are lifted to this
FLOOR_PLANTS = 1  # plants before and after one whose lowest height is its floor, as some are not on the floor
MAX_DEPTH = 0.08  # m: a swing deeper than this below the floor is over another, unknown floor: it stays as it is
LIFT_TIME = 0.1  # s: how long it takes to lift a foot and to set it down


def usual_clearance(clips: Sequence[Clip], *, percentile: float = CLEARANCE_PERCENTILE) -> float:
    """Metres: what three of four swinging toes keep above the floor in these clips; 2.5 cm at most, 0 if none swings.

    That is the 25th percentile (or another one), over all swings of all clips, of the least height while the toe moves
    at 1 m/s or faster. Where feet are dragged all the time it is next to nothing, and they stay as they are.
    """
    swings = [swing for clip in clips for swing in _swings(clip)]
    least = [_least(swing, np.where(swing.speed >= FULL_CLEARANCE_SPEED, swing.height, np.inf)) for swing in swings]
    known = np.concatenate([[], *least])
    known = known[np.isfinite(known)]
    return float(np.clip(np.percentile(known, percentile), 0.0, SKATE_B_HEIGHT)) if len(known) else 0.0


def lift_swings(clip: Clip, clearance: float, kept: Sequence[int] = (), *, pinned: bool = False) -> Clip:
    """The clip with swinging feet lifted where their toes are fast and lower than `clearance` metres.

    A toe's height counts from where it stands around the swing. Thigh and knee bend for it and the foot
    keeps its direction; frames in which the foot stands, and those that are `kept`, are not touched. Contacts are the
    clip's labels, or found; where the foot is fast they do not count, unless they are `pinned`.
    """
    rotations: FloatArray | None = None
    near = away_from(np.sort(np.asarray(kept, np.int64)), len(clip), max(1, round(LIFT_TIME * clip.fps)))
    for swing in _swings(clip, pinned):
        rise = _rise(swing, clearance, clip.fps) * near
        if not (rise > 1e-6).any():
            continue
        rotations = np.array(clip.rotations) if rotations is None else rotations
        raise_foot(clip, rotations, swing.foot, rise)
    return clip if rotations is None else replace(clip, rotations=rotations)


class _Swings(NamedTuple):
    """All swings of one foot from a plant to the next; the first and the last may have only one of them."""

    foot: Foot
    height: FloatArray  # (F,) metres of the toe above the floor of its plants
    speed: FloatArray  # (F,) m/s of the toe over the ground
    first: IntArray  # (S,) frames
    stop: IntArray  # (S,)


def _swings(clip: Clip, pinned: bool = False) -> list[_Swings]:
    """The swings of every foot that stands and swings at least once; fast contacts count only if they are `pinned`."""
    parts, out = foot_parts(clip.skeleton), []
    if not parts or len(clip) < 2:
        return []
    points, on = part_positions(clip), contacts(clip)
    for foot, indices in parts_by_foot(clip.skeleton):
        own, toe = [parts[i] for i in indices], points[:, indices[-1]]
        speed = np.linalg.norm(np.gradient(toe[:, [0, 2]], axis=0), axis=1) * clip.fps
        slow = speed < SPEED[1]
        stands: BoolArray = np.any([on[part.label] for part in own], axis=0) & (slow | pinned)
        plants, swings = runs(on[own[-1].label] & slow), np.array(runs(~stands), np.int64)
        if plants and len(swings):
            lows = np.pad([np.median(toe[a:b, 1]) for a, b in plants], FLOOR_PLANTS, constant_values=np.inf)
            level = np.lib.stride_tricks.sliding_window_view(lows, 2 * FLOOR_PLANTS + 1).min(1)
            floor = np.interp(np.arange(len(clip)), [(a + b - 1) / 2 for a, b in plants], level)
            out.append(_Swings(foot, toe[:, 1] - floor, speed, *swings.T))
    return out


def _least(swing: _Swings, values: FloatArray) -> FloatArray:
    """(S,) the least of these values (F,) in each swing."""
    edges = np.stack([swing.first, swing.stop], 1).ravel()
    return np.asarray(np.minimum.reduceat(np.append(values, np.inf), edges)[::2])


def _rise(swing: _Swings, clearance: float, fps: float) -> FloatArray:
    """(F,) how far the foot is lifted: in each swing smoothly up, over all that scrapes, and down again."""
    frames = np.arange(len(swing.height))
    lack = clearance * np.minimum(swing.speed / FULL_CLEARANCE_SPEED, 1.0) - swing.height
    most = np.maximum(-_least(swing, -lack), 0.0)
    most[_least(swing, swing.height) < -MAX_DEPTH] = 0.0
    low, high = _least(swing, np.where(lack > 0, frames, np.inf)), -_least(swing, np.where(lack > 0, -frames, np.inf))
    ramp = np.minimum(LIFT_TIME * fps, (swing.stop - swing.first + 1) / 3)
    # at a clip's ends there may be no plant to leave or to reach
    begin = np.where(swing.first > 0, np.maximum(low - ramp, swing.first - 1), -np.inf)
    end = np.where(swing.stop < len(frames), np.minimum(high + ramp, swing.stop), np.inf)
    rises = np.flatnonzero(most > 0)
    of = np.repeat(rises, (swing.stop - swing.first)[rises])
    out = np.zeros(len(frames))
    if len(rises):
        at = np.concatenate([frames[swing.first[k] : swing.stop[k]] for k in rises])
        out[at] = most[of] * smoothstep((at - begin[of]) / ramp[of]) * smoothstep((end[of] - at) / ramp[of])
    return out
