"""T-poses that the actor holds to calibrate the system: captured, but not part of the performance."""

from __future__ import annotations

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.core.numbers import unit_vectors
from motionloom.evaluate.capture_checks.findings import Finding, frame_range, make_finding
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.capture.glitches import rest_frames
from motionloom.kinematics.feet.contacts import part_speeds, runs
from motionloom.kinematics.fk import fk

MIN_COSINE = np.cos(np.radians(20.0))  # of the angle from arms to the sideways axis, from legs to straight down
MAX_HAND_SPEED = 0.25  # m/s
MIN_SECONDS = 0.25
ARM = ("upper_arm", "forearm", "hand")


def held_tposes(clip: Clip) -> BoolArray:
    """(F,) the frames in which a person stands on straight legs and holds both arms straight out to the sides.

    Every part of an arm is within 20 degrees of the line through the hips, every part of a leg within 20 degrees of
    straight down, and the hands are slower than 0.25 m/s, for a quarter of a second or longer.
    """
    out = np.zeros(len(clip), bool)
    found = [[clip.skeleton.find(f"{side}_{part}") for part in ARM] for side in ("left", "right")]
    arms = [[j for j in arm if j is not None] for arm in found]
    if len(feet(clip.skeleton)) != 2 or min(map(len, arms)) < len(ARM):
        return out
    points = fk(clip)
    legs = [(foot.thigh, foot.shin, foot.ankle) for foot in feet(clip.skeleton)]
    left = unit_vectors((points[:, legs[0][0]] - points[:, legs[1][0]]) * [1.0, 0.0, 1.0])
    if feet(clip.skeleton)[0].name.startswith("right"):
        left = -left
    posed = np.ones(len(clip), bool)
    for arm, direction in zip(arms, (left, -left), strict=True):
        posed &= _along(points[:, arm], direction)
    for leg in legs:
        posed &= _along(points[:, leg], np.array([0.0, -1.0, 0.0]))
    posed &= (part_speeds(points[:, [arm[2] for arm in arms]], clip.fps) < MAX_HAND_SPEED).all(axis=1)
    for a, b in runs(posed):
        out[a:b] = b - a >= max(2, round(MIN_SECONDS * clip.fps))
    return out


def calibration_findings(clip: Clip) -> list[Finding]:
    """T-poses that the actor holds. They are not broken frames: they may be part of a dance."""
    out = []
    for a, b in runs(held_tposes(clip) & ~rest_frames(clip)):
        text = f"the actor holds a T-pose for {(b - a) / clip.fps:.2g} s, {frame_range(clip, a, b)}"
        out.append(make_finding(clip, "T-pose", text, "all", (a, b), float(b - a), "frames"))
    return out


def _along(chain: FloatArray, direction: FloatArray) -> BoolArray:
    """(F,) whether all bones of a chain (F, n, 3) point in a direction (F, 3) or (3,)."""
    bones = unit_vectors(np.diff(chain, axis=1))
    return np.asarray(
        (np.einsum("fbc,fc->fb", bones, np.broadcast_to(direction, (len(chain), 3))) > MIN_COSINE).all(axis=1)
    )
