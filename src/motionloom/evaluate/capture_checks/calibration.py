"""A T-pose that the actor holds, to calibrate the system: captured frames, but no part of the performance."""

from __future__ import annotations

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.evaluate.capture_checks.findings import Finding, frames_said, said
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.capture.glitches import rest_frames
from motionloom.kinematics.feet.contacts import part_speeds, runs
from motionloom.kinematics.fk import fk

NEAR = np.cos(np.radians(20.0))  # arms this near to straight aside, legs this near to straight down
STILL = 0.25  # m/s: hands slower than this are held
HELD = 0.25  # seconds
ARM = ("upper_arm", "forearm", "hand")


def held_tposes(clip: Clip) -> BoolArray:
    """(F,) the frames in which a person stands on straight legs and holds both arms straight out to the sides.

    Every part of an arm is within 20 degrees of the line through the hips, every part of a leg within 20 degrees of
    straight down, and the hands are slower than 0.25 m/s, all that for a quarter of a second.
    """
    out = np.zeros(len(clip), bool)
    found = [[clip.skeleton.find(f"{side}_{part}") for part in ARM] for side in ("left", "right")]
    arms = [[j for j in arm if j is not None] for arm in found]
    if len(feet(clip.skeleton)) != 2 or min(map(len, arms)) < len(ARM):
        return out
    points = fk(clip)
    legs = [(foot.thigh, foot.shin, foot.ankle) for foot in feet(clip.skeleton)]
    left = _unit((points[:, legs[0][0]] - points[:, legs[1][0]]) * [1.0, 0.0, 1.0])
    if feet(clip.skeleton)[0].name.startswith("right"):
        left = -left
    posed = np.ones(len(clip), bool)
    for arm, way in zip(arms, (left, -left), strict=True):
        posed &= _along(points[:, arm], way)
    for leg in legs:
        posed &= _along(points[:, leg], np.array([0.0, -1.0, 0.0]))
    posed &= (part_speeds(points[:, [arm[2] for arm in arms]], clip.fps) < STILL).all(axis=1)
    for a, b in runs(posed):
        out[a:b] = b - a >= max(2, round(HELD * clip.fps))
    return out


def calibration_findings(clip: Clip) -> list[Finding]:
    """T-poses that the actor holds. They are told, not called broken: a dancer may mean it."""
    out = []
    for a, b in runs(held_tposes(clip) & ~rest_frames(clip)):
        text = f"the actor holds a T-pose for {(b - a) / clip.fps:.2g} s, {frames_said(clip, a, b)}"
        out.append(said(clip, "T-pose", text, "all", (a, b), float(b - a), "frames"))
    return out


def _along(chain: FloatArray, way: FloatArray) -> BoolArray:
    """(F,) do all bones of a chain (F, n, 3) go the same way (F, 3) or (3,)?"""
    bones = _unit(np.diff(chain, axis=1))
    return np.asarray((np.einsum("fbc,fc->fb", bones, np.broadcast_to(way, (len(chain), 3))) > NEAR).all(axis=1))


def _unit(vectors: FloatArray) -> FloatArray:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9))
