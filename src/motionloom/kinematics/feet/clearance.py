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
from motionloom.kinematics.feet.raising import raise_foot
from motionloom.kinematics.feet.skate_measures import FADE

FAST = 1.0  # m/s: a toe that moves this fast should have the full clearance, a slower one its share of it
USUAL = 25  # percentile of the swings in the clips: a foot that is lower than in three of four is lifted that high
AROUND = 1  # plants before and after one that tell its floor too: the lowest counts, as some are not on the floor
ASTRAY = 0.08  # m: a swing that goes deeper than this below the floor has another one that we do not know: leave it
RAMP = 0.1  # s: how long it takes to lift a foot and to set it down


def usual_clearance(clips: Sequence[Clip]) -> float:
    """Metres: what three of four swinging toes keep above the floor in these clips; 2.5 cm at most, 0 if none swings.

    That is the 25th percentile, over all swings of all clips, of the least height while the toe moves at 1 m/s or
    faster. Where feet are dragged all the time it is next to nothing, and they stay as they are.
    """
    ways = [way for clip in clips for way in _swings(clip)]
    least = [_least(way, np.where(way.speed >= FAST, way.height, np.inf)) for way in ways]
    known = np.concatenate([[], *least])
    known = known[np.isfinite(known)]
    return float(np.clip(np.percentile(known, USUAL), 0.0, FADE)) if len(known) else 0.0


def lift_swings(clip: Clip, clearance: float) -> Clip:
    """The clip with swinging feet lifted where their toes are fast and lower than `clearance` metres.

    A toe's height counts from where it stands around the swing. Thigh and knee bend for it and the foot
    keeps its direction; frames in which the foot stands are not touched. Contacts are the clip's labels, or found.
    """
    rotations: FloatArray | None = None
    for way in _swings(clip):
        rise = _rise(way, clearance, clip.fps)
        if not (rise > 1e-6).any():
            continue
        rotations = np.array(clip.rotations) if rotations is None else rotations
        raise_foot(clip, rotations, way.foot, rise)
    return clip if rotations is None else replace(clip, rotations=rotations)


class _Swings(NamedTuple):
    """All ways of one foot from a plant to the next; the first and the last may have only one of them."""

    foot: Foot
    height: FloatArray  # (F,) metres of the toe above the floor, as its plants tell
    speed: FloatArray  # (F,) m/s of the toe over the ground
    first: IntArray  # (S,) frames
    stop: IntArray  # (S,)


def _swings(clip: Clip) -> list[_Swings]:
    """The swings of every foot that stands and swings at least once."""
    parts, out = foot_parts(clip.skeleton), []
    if not parts or len(clip) < 2:
        return []
    points, on = part_positions(clip), contacts(clip)
    for foot, indices in parts_by_foot(clip.skeleton):
        own, toe = [parts[i] for i in indices], points[:, indices[-1]]
        speed = np.linalg.norm(np.gradient(toe[:, [0, 2]], axis=0), axis=1) * clip.fps
        slow = speed < SPEED[1]
        stands: BoolArray = np.any([on[part.label] for part in own], axis=0) & slow
        plants, swings = runs(on[own[-1].label] & slow), np.array(runs(~stands), np.int64)
        if plants and len(swings):
            lows = np.pad([np.median(toe[a:b, 1]) for a, b in plants], AROUND, constant_values=np.inf)
            level = np.lib.stride_tricks.sliding_window_view(lows, 2 * AROUND + 1).min(1)
            floor = np.interp(np.arange(len(clip)), [(a + b - 1) / 2 for a, b in plants], level)
            out.append(_Swings(foot, toe[:, 1] - floor, speed, *swings.T))
    return out


def _least(way: _Swings, values: FloatArray) -> FloatArray:
    """(S,) the least of these values (F,) in each swing."""
    edges = np.stack([way.first, way.stop], 1).ravel()
    return np.asarray(np.minimum.reduceat(np.append(values, np.inf), edges)[::2])


def _rise(way: _Swings, clearance: float, fps: float) -> FloatArray:
    """(F,) how far the foot is lifted: in each swing smoothly up, over all that scrapes, and down again."""
    frames = np.arange(len(way.height))
    lack = clearance * np.minimum(way.speed / FAST, 1.0) - way.height
    most = np.maximum(-_least(way, -lack), 0.0)
    most[_least(way, way.height) < -ASTRAY] = 0.0
    low, high = _least(way, np.where(lack > 0, frames, np.inf)), -_least(way, np.where(lack > 0, -frames, np.inf))
    ramp = np.minimum(RAMP * fps, (way.stop - way.first + 1) / 3)
    begin = np.where(way.first > 0, np.maximum(low - ramp, way.first - 1), -np.inf)  # where no plant is, none is left
    end = np.where(way.stop < len(frames), np.minimum(high + ramp, way.stop), np.inf)
    rises = np.flatnonzero(most > 0)
    of = np.repeat(rises, (way.stop - way.first)[rises])
    out = np.zeros(len(frames))
    if len(rises):
        at = np.concatenate([frames[way.first[k] : way.stop[k]] for k in rises])
        out[at] = most[of] * smoothstep((at - begin[of]) / ramp[of]) * smoothstep((end[of] - at) / ramp[of])
    return out
