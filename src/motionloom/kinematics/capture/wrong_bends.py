"""Limbs of a person that bend to the wrong side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.core.numbers import unit_vectors
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.fk import fk, fk_rotations
from motionloom.kinematics.travel import headings
from motionloom.rotation import inverse, rotate

MIN_SECONDS = 0.1  # shorter ones are noise of a nearly straight limb, or glitches
BACKWARDS = np.radians(25.0)  # a knee bent to the wrong side by more than this; less is an overstretched leg
MIN_BEND = np.radians(25.0)  # an elbow bent by less than this may be on either side
AGAINST = -0.5  # cosine of the angle between an elbow's side and its usual one: over 120 degrees away
HANGS = np.cos(np.radians(25.0))  # cosine to straight down of an upper arm that hangs
BEHIND = -0.7  # cosine of the angle from a forearm to the heading: lower is impossible while the upper arm hangs


class WrongBend(NamedTuple):
    """Frames [start, stop) in which a limb bends to the wrong side, by up to `size` radians."""

    joint: int
    start: int
    stop: int
    size: float
    part: str  # "knee" or "elbow"


def wrong_bends(clip: Clip) -> list[WrongBend]:
    """Knees away from the toes and elbows against their hinge, for a tenth of a second or more; of people only."""
    return [*_wrong_knees(clip), *_wrong_elbows(clip)] if len(feet(clip.skeleton)) == 2 else []


def _wrong_knees(clip: Clip) -> list[WrongBend]:
    points = fk(clip)
    out = []
    for foot in feet(clip.skeleton):
        if foot.toe is None:
            continue
        bend = backward_bend(*(points[:, j] for j in (foot.thigh, foot.shin, foot.ankle, foot.toe)))
        out += _long_runs(clip, foot.shin, bend > BACKWARDS, bend, "knee")
    return out


def _wrong_elbows(clip: Clip) -> list[WrongBend]:
    """An elbow is a hinge, so relative to the upper arm the forearm always bends to the same side: the usual one of the
    clip. While the upper arm hangs, no forearm points straight back, whatever is usual in the clip.
    """
    points, turns = fk_rotations(clip)
    facing = headings(clip)
    ahead = np.stack([np.sin(facing), 0 * facing, np.cos(facing)], axis=1)
    out = []
    for side in ("left", "right"):
        joints = [clip.skeleton.find(f"{side}_{part}") for part in ("upper_arm", "forearm", "hand")]
        if any(j is None for j in joints):
            continue
        arm, elbow, hand = (int(j) for j in joints if j is not None)
        upper, lower = unit_vectors(points[:, elbow] - points[:, arm]), unit_vectors(points[:, hand] - points[:, elbow])
        angle = np.arccos(np.clip(np.einsum("fc,fc->f", upper, lower), -1.0, 1.0))
        aside = lower - np.einsum("fc,fc->f", upper, lower)[:, None] * upper
        local = rotate(inverse(turns[:, arm]), aside)
        behind = (-upper[:, 1] > HANGS) & (np.einsum("fc,fc->f", unit_vectors(aside), ahead) < BEHIND)
        wrong = (angle > MIN_BEND) & (against_usual(local) | behind)
        out += _long_runs(clip, elbow, wrong, angle, "elbow")
    return out


def against_usual(sides: FloatArray) -> BoolArray:
    """(F,) the vectors (F, 3) that point over 120 degrees away from their mean; none if they have no usual side."""
    mean = sides.mean(axis=0)
    size = float(np.linalg.norm(mean))
    if size < 0.3 * float(np.linalg.norm(sides, axis=1).mean()) or size < 1e-9:
        return np.zeros(len(sides), bool)
    return np.asarray(unit_vectors(sides) @ (mean / size) < AGAINST)


def backward_bend(hip: FloatArray, knee: FloatArray, ankle: FloatArray, toe: FloatArray) -> FloatArray:
    """(F,) radians by which a knee bends towards the side of its toes, from places (F, 3); negative: normal.

    Seen along the shin, a bent knee has its hip on the heel's side. Where the foot lies along the shin, so that it has
    no side, the result is 0.
    """
    shin, thigh, foot = unit_vectors(ankle - knee), unit_vectors(hip - knee), unit_vectors(toe - ankle)
    ahead = foot - np.einsum("fc,fc->f", foot, shin)[:, None] * shin
    bend = np.arctan2(np.einsum("fc,fc->f", thigh, unit_vectors(ahead)), -np.einsum("fc,fc->f", thigh, shin))
    return np.where(np.linalg.norm(ahead, axis=1) > 0.3, bend, 0.0)


def _long_runs(clip: Clip, joint: int, wrong: BoolArray, angle: FloatArray, part: str) -> list[WrongBend]:
    """The stretches of wrong frames that are long enough; `angle` (F,) radians gives their size."""
    return [
        WrongBend(joint, start, stop, float(angle[start:stop].max()), part)
        for start, stop in runs(wrong)
        if stop - start >= MIN_SECONDS * clip.fps
    ]
