"""Gaze shifts of a clip: found by the direction of its gaze, for hand-keyed examples and captures that hardly rest."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.travel import travel
from motionloom.methods.gaze.gaze_shifts import gaze_body
from motionloom.methods.gaze.marker_takes import Shift, shift_between, spans
from motionloom.rotation import from_axis_angle, inverse, multiply, rotate

MAX_REST_SPEED = math.radians(12.0)  # rad/s of the gaze, smoothed over a tenth of a second
REST_FACTOR = 1.5  # of the speed that a fifth of the frames stay below
MIN_REST = 0.1  # s
MIN_SHIFT = math.radians(10.0)  # smaller changes are not shifts
AHEAD = math.radians(20.0)  # a shift begins within this of straight ahead, as the takes of a map do


class FoundShift(NamedTuple):
    """A shift between two rests: frames, and yaw and pitch before and after it, seen from the hips."""

    rest: tuple[int, int]
    settled: tuple[int, int]
    before: tuple[float, float]
    after: tuple[float, float]

    @property
    def change(self) -> tuple[float, float]:
        return self.after[0] - self.before[0], self.after[1] - self.before[1]

    @property
    def usable(self) -> bool:
        """Does it begin with a gaze straight ahead?"""
        return max(map(abs, self.before)) <= AHEAD


def seen_from_hips(clip: Clip) -> tuple[FloatArray, FloatArray]:
    """(F, 2) yaw and pitch of the gaze against the hips' mean heading, and (F, 4, 4) turns of the four landmarks."""
    body = gaze_body(clip)
    turns = fk_rotations(clip)[1]
    line = rotate(turns[:, body.eyes], body.facing).sum(1)
    line /= np.linalg.norm(line, axis=1, keepdims=True)
    heading = float(np.median(np.unwrap(travel(clip).heading)))
    yaw = np.unwrap(np.arctan2(line[:, 0], line[:, 2])) - heading
    yaw -= 2 * math.pi * round(float(np.median(yaw)) / (2 * math.pi))
    frame = from_axis_angle([0.0, 1.0, 0.0], heading)
    spine = [int(j) for j in body.chain if clip.skeleton.roles[j].startswith("spine")]
    head = clip.skeleton.joint("head")
    place = np.linspace(0, 2, len(spine)) if len(spine) > 1 else np.zeros(1)
    joints = [spine[int(np.abs(place - k).argmin())] if spine else 0 for k in range(3)] + [head]
    seen = multiply(inverse(frame), multiply(turns[:, joints], frame))
    return np.stack([yaw, np.arcsin(np.clip(line[:, 1], -1, 1))], 1), seen


def _pair(values: FloatArray) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def found_shifts(clip: Clip) -> list[FoundShift]:
    """All shifts between rests of the gaze, in order; rests within a tenth of a second of each other are one."""
    aim = seen_from_hips(clip)[0]
    width = max(1, round(0.05 * clip.fps))
    at = np.arange(len(aim))
    ahead, back = np.minimum(at + width, len(aim) - 1), np.maximum(at - width, 0)
    step = (aim[ahead] - aim[back]) * [1.0, 1.0]
    step[:, 0] *= np.cos(aim[:, 1])
    speed = np.linalg.norm(step, axis=1) / np.maximum(ahead - back, 1) * clip.fps
    slow = max(MAX_REST_SPEED, REST_FACTOR * float(np.percentile(speed, 20)))  # captures sway while they rest
    rests = spans(speed < slow, clip.fps, merge=MIN_REST, shortest=MIN_REST)
    out = []
    for (a, b), (c, d) in itertools.pairwise(rests):
        before, after = aim[a:b].mean(0), aim[c:d].mean(0)
        if np.abs(after - before).max() >= MIN_SHIFT:
            out.append(FoundShift((a, b), (c, d), _pair(before), _pair(after)))
    return out


def shifts_of_clip(clip: Clip, *, crop: tuple[float, float] | None = None) -> list[tuple[Shift, tuple[float, float]]]:
    """The shifts of a clip that begin straight ahead, each with its yaw and pitch.

    `crop` gives the ends of a single one in seconds instead. `BadRequest` if there is none.
    """
    title = clip.name or "the clip"
    if crop is not None:
        first, last = (round(t * clip.fps) for t in crop)
        if not 0 <= first < last <= len(clip):
            raise BadRequest(f"{title}: expected a crop within 0 and {clip.seconds:.2f} s, found {crop}")
        pad = max(2, round(MIN_REST * clip.fps))
        aim = seen_from_hips(clip)[0]
        ends = (max(0, first - pad), first + 1), (max(last - pad, first + 1), last)
        found = [FoundShift(*ends, *(_pair(aim[a:b].mean(0)) for a, b in ends))]
    else:
        every = found_shifts(clip)
        found = [shift for shift in every if shift.usable]
        if not found:
            raise BadRequest(
                f"{title}: no gaze shift that begins straight ahead, between two rests of the gaze "
                f"({len(every)} other shifts); leave it out, or give the ends of one by hand (start, end)"
            )
    turns = seen_from_hips(clip)[1]
    return [(shift_between(turns, clip.fps, one.rest, one.settled), one.change) for one in found]
