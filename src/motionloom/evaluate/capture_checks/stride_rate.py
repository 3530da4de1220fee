"""The frame rate that strides suggest: long strides belong to fast gaits, whatever the frame rate of the file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from motionloom.core import Clip
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import contacts, foot_parts, runs
from motionloom.kinematics.mass import GRAVITY
from motionloom.kinematics.travel import travel
from motionloom.rotation import wrap_angle

HIP_HEIGHT = 1.06  # leg lengths (thigh and shin) from the sole to the hip joint
STRIDE, POWER = 2.3, 0.3  # of Alexander's rule
STRIDE_TIME = (0.25, 3.0)  # s: shorter and longer ones are no strides
MIN_LENGTH = 0.9  # hip heights: shorter strides are steps on the spot, of dances or in turns
MAX_TURN, MAX_SIDE = np.radians(25.0), np.radians(30.0)  # of a stride: change of heading; direction against it
MIN_SUPPORT = 0.95  # share of a walking stride in which a foot touches; less is a run
MIN_STRIDES = 3  # of all clips of a body
MOST = (0.25, 0.5, 0.75)  # quantiles of the strides: three quarters have to agree
USUAL_RATIO = 0.85  # of the speed of captured walks and the one by Alexander's rule (0.7 to 1.05 in 30 CMU walks)
RATIOS = (0.5, 1.6)  # times the usual ratio: beyond these the frame rate is suspicious


class Stride(NamedTuple):
    """From one touch-down of a foot to the next."""

    length: float  # m
    speed: float  # m/s, by the stated frame rate
    expected: float  # m/s, by its length


def strides(clip: Clip) -> list[Stride]:
    """The strides of a two-legged body that walks straight ahead, with the speed that their length suggests.

    Alexander (1976): stride length / hip height = 2.3 (v^2 / (g hip height))^0.3, for animals of all sizes. The
    length does not depend on the frame rate, the speed does.
    """
    if len(feet(clip.skeleton)) != 2 or len(clip) < 3:
        return []
    hip = HIP_HEIGHT * leg_length(clip.skeleton)
    path, touch = travel(clip), contacts(clip, fresh=True)
    supported = np.any([touch[p.label] for p in foot_parts(clip.skeleton)], axis=0)
    out = []
    for part in foot_parts(clip.skeleton):
        if not part.name.endswith("_heel"):
            continue
        downs = [first for first, _ in runs(np.asarray(touch[part.label])) if first > 0]
        for a, b in pairwise(downs):
            line = path.place[b] - path.place[a]
            seconds, length = (b - a) / clip.fps, float(np.linalg.norm(line))
            heading = path.heading[a : b + 1]
            side = abs(wrap_angle(np.arctan2(line[0], line[1]) - heading.mean()))
            straight = np.ptp(heading) < MAX_TURN and side < MAX_SIDE
            walks = supported[a:b].mean() >= MIN_SUPPORT and length >= MIN_LENGTH * hip
            if straight and walks and STRIDE_TIME[0] <= seconds <= STRIDE_TIME[1]:
                froude = (length / (STRIDE * hip)) ** (1 / POWER)
                out.append(Stride(length, length / seconds, float(np.sqrt(froude * GRAVITY * hip))))
    return out


def stride_rate(found: Sequence[Stride], fps: float) -> tuple[float, float, float] | None:
    """The frame rate that the strides of one body suggest, with median stride and speed; None if they fit `fps`.

    Most strides have to agree: a few quick steps of a dance do not make its frame rate suspicious.
    """
    if len(found) < MIN_STRIDES:
        return None
    low, ratio, high = np.quantile([s.speed / s.expected for s in found], MOST) / USUAL_RATIO
    if RATIOS[0] < high and low < RATIOS[1]:
        return None
    return float(fps / ratio), float(np.median([s.length for s in found])), float(np.median([s.speed for s in found]))
