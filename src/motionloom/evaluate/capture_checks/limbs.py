"""Limbs of a person that bend to the wrong side: knees away from the toes, elbows against their hinge."""

from __future__ import annotations

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.evaluate.capture_checks.findings import Finding, frame_range, make_finding
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.feet.knees import knee_flexion
from motionloom.kinematics.fk import fk, fk_rotations
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import headings
from motionloom.rotation import inverse, rotate

KNEE_RATE = 30.0  # fps at which sudden knees are looked for
BACK_SHARE = 0.3  # of the jump, by which the frame before or after it turns the other way
SUDDEN_KNEE, SUDDEN_RATIO = 15.0, 4.5  # deg off the middle of its neighbours; times the 90th percentile around
MIN_SECONDS = 0.1  # shorter ones are noise of a nearly straight limb, or glitches
BACKWARDS = np.radians(25.0)  # a knee bent to the wrong side by more than this; less is an overstretched leg
MIN_BEND = np.radians(25.0)  # an elbow bent by less than this may be on either side
AGAINST = -0.5  # cosine of the angle between an elbow's side and its usual one: over 120 degrees away
HANGS = np.cos(np.radians(25.0))  # cosine to straight down of an upper arm that hangs
BEHIND = -0.7  # cosine of the angle from a forearm to the heading: lower is impossible while the upper arm hangs


def knee_findings(clip: Clip) -> list[Finding]:
    """Knees of a person that bend to the wrong side, away from the toes, for a tenth of a second or more."""
    if len(feet(clip.skeleton)) != 2:
        return []
    points = fk(clip)
    out = []
    for foot in feet(clip.skeleton):
        if foot.toe is None:
            continue
        bend = backward_bend(*(points[:, j] for j in (foot.thigh, foot.shin, foot.ankle, foot.toe)))
        out += _flips(clip, foot.shin, bend > BACKWARDS, bend, "bends away from the toes by", "knee or foot")
    return out


def elbow_findings(clip: Clip) -> list[Finding]:
    """Elbows of a person that bend to the wrong side for a tenth of a second or more.

    An elbow is a hinge, so relative to the upper arm the forearm always bends to the same side: the usual one of the
    clip. While the upper arm hangs, no forearm points straight back, whatever is usual in the clip.
    """
    if len(feet(clip.skeleton)) != 2:
        return []
    points, turns = fk_rotations(clip)
    facing = headings(clip)
    ahead = np.stack([np.sin(facing), 0 * facing, np.cos(facing)], axis=1)
    out = []
    for side in ("left", "right"):
        joints = [clip.skeleton.find(f"{side}_{part}") for part in ("upper_arm", "forearm", "hand")]
        if any(j is None for j in joints):
            continue
        arm, elbow, hand = (int(j) for j in joints if j is not None)
        upper, lower = _unit(points[:, elbow] - points[:, arm]), _unit(points[:, hand] - points[:, elbow])
        angle = np.arccos(np.clip(np.einsum("fc,fc->f", upper, lower), -1.0, 1.0))
        aside = lower - np.einsum("fc,fc->f", upper, lower)[:, None] * upper
        local = rotate(inverse(turns[:, arm]), aside)
        behind = (-upper[:, 1] > HANGS) & (np.einsum("fc,fc->f", _unit(aside), ahead) < BEHIND)
        wrong = (angle > MIN_BEND) & (against_usual(local) | behind)
        out += _flips(clip, elbow, wrong, angle, "bends to the wrong side by", "elbow or upper arm")
    return out


def against_usual(sides: FloatArray) -> BoolArray:
    """(F,) the vectors (F, 3) that point over 120 degrees away from their mean; none, if there is no usual side."""
    mean = sides.mean(axis=0)
    size = float(np.linalg.norm(mean))
    if size < 0.3 * float(np.linalg.norm(sides, axis=1).mean()) or size < 1e-9:
        return np.zeros(len(sides), bool)
    return np.asarray(_unit(sides) @ (mean / size) < AGAINST)


def backward_bend(hip: FloatArray, knee: FloatArray, ankle: FloatArray, toe: FloatArray) -> FloatArray:
    """(F,) radians by which a knee bends towards the side of its toes, from places (F, 3); negative: normal.

    Seen along the shin, a bent knee has its hip on the heel's side. Where the foot lies along the shin, so that it has
    no side, the result is 0.
    """
    shin, thigh, foot = _unit(ankle - knee), _unit(hip - knee), _unit(toe - ankle)
    ahead = foot - np.einsum("fc,fc->f", foot, shin)[:, None] * shin
    bend = np.arctan2(np.einsum("fc,fc->f", thigh, _unit(ahead)), -np.einsum("fc,fc->f", thigh, shin))
    return np.where(np.linalg.norm(ahead, axis=1) > 0.3, bend, 0.0)


def _flips(clip: Clip, joint: int, wrong: BoolArray, angle: FloatArray, how: str, what: str) -> list[Finding]:
    """A finding for each stretch of wrong frames that is long enough; `angle` (F,) radians is its size."""
    name = clip.skeleton.names[joint]
    out = []
    for start, stop in runs(wrong):
        if stop - start >= MIN_SECONDS * clip.fps:
            size = float(np.degrees(angle[start:stop].max()))
            text = f"{name} {how} {size:.0f} deg ({what} flipped), {frame_range(clip, start, stop)}"
            out.append(make_finding(clip, "flipped limb", text, name, (start, stop), size, "deg"))
    return out


def _unit(vectors: FloatArray) -> FloatArray:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9))


def sudden_knee_findings(clip: Clip) -> list[Finding]:
    """Knees of a person that jump for a frame (at 30 fps) and turn back, as nowhere within a second around."""
    if len(feet(clip.skeleton)) != 2:
        return []
    slow = resample(clip, KNEE_RATE) if clip.fps > KNEE_RATE else clip
    signed = np.degrees(np.diff(knee_flexion(slow), n=2, axis=0))
    second, out = round(slow.fps), []
    for leg, foot in enumerate(feet(clip.skeleton)):
        bends = np.abs(signed[:, leg])
        for frame in np.flatnonzero(bends[1:-1] > SUDDEN_KNEE) + 1:
            back = -np.sign(signed[frame, leg]) * signed[[frame - 1, frame + 1], leg]
            before = bends[max(0, frame - second) : max(0, frame - 3)]
            around = np.concatenate([before, bends[frame + 4 : frame + second]])
            usual = np.quantile(around, 0.9) if len(around) >= second // 2 else np.inf
            if back.max() < BACK_SHARE * bends[frame] or bends[frame] < SUDDEN_RATIO * usual:
                continue
            at = min(round((frame + 1) * clip.fps / slow.fps), len(clip) - 1)
            name, where = clip.skeleton.names[foot.shin], frame_range(clip, at, at + 1)
            text = f"{name} bends suddenly: {bends[frame]:.0f} deg off the frames around it, {where}"
            out.append(make_finding(clip, "sudden knee", text, name, (at, at + 1), float(bends[frame]), "deg"))
    return out
