"""Knees of a person that snap straight, or bend, and turn back: found, and mended without moving the foot."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.body.roles import Foot, feet
from motionloom.kinematics.feet.knees import knee_flexion
from motionloom.kinematics.fk import fk
from motionloom.kinematics.ik.limb import place_limb
from motionloom.kinematics.resample import resample

RATE = 30.0  # fps at which sudden knees are looked for
AROUND = 0.05  # seconds before and after a sudden knee that are wrong with it
BACK_SHARE = 0.3  # of the jump, by which the frame before or after it turns the other way
SUDDEN = np.radians(15.0)  # off the middle of its neighbours,
SUDDEN_RATIO = 4.5  # and so many times the 90th percentile around it
MAX_FOOT_SHIFT = 0.02  # metres: where the foot would move farther, the leg really is stretched


class SuddenKnee(NamedTuple):
    """Frames [start, stop) in which the knee of a leg is wrong, by up to `size` radians."""

    foot: Foot
    start: int
    stop: int
    size: float


def sudden_knees(clip: Clip) -> list[SuddenKnee]:
    """Knees that jump for a frame (at 30 fps) and turn back, as nowhere within a second around; of people only.

    Clips of higher rates are looked at from each of their frames on, so that no jump lies between two frames.
    """
    if len(feet(clip.skeleton)) != 2:
        return []
    starts = max(1, round(clip.fps / RATE))
    rate = starts * RATE if clip.fps > RATE else clip.fps
    flexion = knee_flexion(clip if rate == clip.fps else resample(clip, rate))
    wide = max(1, round(AROUND * clip.fps))
    out: list[SuddenKnee] = []
    for leg, foot in enumerate(feet(clip.skeleton)):
        jumps = [(begin, flexion[begin::starts, leg]) for begin in range(starts)]
        found = [(begin + starts * f, size) for begin, angles in jumps for f, size in _jumps(angles, rate / starts)]
        for frame, size in sorted(found):
            at = min(round(frame * clip.fps / rate), len(clip) - 1)
            start, stop = max(0, at - wide), min(at + wide + 1, len(clip))
            if out and out[-1].foot == foot and out[-1].stop >= start:
                last = out.pop()
                start, size = last.start, max(size, last.size)
            out.append(SuddenKnee(foot, start, stop, size))
    return out


def _jumps(flexion: FloatArray, fps: float) -> list[tuple[int, float]]:
    """Frames at which a knee (F,) rad jumps off the middle of its neighbours and turns back, and by how much."""
    signed, second = np.diff(flexion, n=2), round(fps)
    bends = np.abs(signed)
    out = []
    for frame in np.flatnonzero(bends[1:-1] > SUDDEN) + 1:
        back = -np.sign(signed[frame]) * signed[[frame - 1, frame + 1]]
        before = bends[max(0, frame - second) : max(0, frame - 3)]
        around = np.concatenate([before, bends[frame + 4 : frame + second]])
        usual = np.quantile(around, 0.9) if len(around) >= second // 2 else np.inf
        if back.max() >= BACK_SHARE * bends[frame] and bends[frame] >= SUDDEN_RATIO * usual:
            out.append((int(frame) + 1, float(bends[frame])))
    return out


def without_sudden_knees(clip: Clip) -> tuple[Clip, int]:
    """The clip with sudden knees bent as before and after them, and their number.

    The ankle stays in the same direction from the hip and the foot keeps its rotation, so a foot moves by the little by
    which a leg is longer with a straight knee. Knees without whose jump it would move farther are not changed.
    """
    legs, count = feet(clip.skeleton), 0
    for knee in sudden_knees(clip):
        first, last = knee.start - 1, knee.stop
        if first < 0 or last >= len(clip):
            continue
        points = fk(clip)
        thigh, shin, ankle = (points[:, j] for j in (knee.foot.thigh, knee.foot.shin, knee.foot.ankle))
        flexion = knee_flexion(clip, points)[:, legs.index(knee.foot)]
        flexion[first : last + 1] = np.linspace(flexion[first], flexion[last], last + 1 - first)
        upper, lower = np.linalg.norm(shin - thigh, axis=1), np.linalg.norm(ankle - shin, axis=1)
        reach = np.sqrt(upper**2 + lower**2 + 2 * upper * lower * np.cos(flexion))
        leg = ankle - thigh
        shifted = thigh + leg * (reach / np.maximum(np.linalg.norm(leg, axis=1), 1e-9))[:, None]
        if np.linalg.norm(shifted - ankle, axis=1).max() < MAX_FOOT_SHIFT:
            clip, _ = place_limb(clip, (knee.foot.thigh, knee.foot.shin, knee.foot.ankle), shifted, soft=0.0)
            count += 1
    return clip, count
