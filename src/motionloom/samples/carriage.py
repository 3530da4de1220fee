"""Motion of pelvis, chest, head and arms during gait, locked to the phase of the stride."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionloom.core import FloatArray
from motionloom.samples.gait import Gait
from motionloom.samples.noise import Nature
from motionloom.samples.person import LEFT, RIGHT, LimbRotations, Trunk
from motionloom.samples.styles import GaitStyle
from motionloom.samples.upper import angled_arm, posture


@dataclass(frozen=True)
class Carriage:
    """Amplitudes of the upper body at one speed; angles in rad, lengths in m."""

    surge: float  # forward speed oscillation of the hips
    surge_phase: float
    sway: float  # sideways towards the standing foot
    yaw: float  # pelvis turns towards the leading foot of a walker, away from that of a runner (Novacheck 1998)
    drop: float  # pelvis drops on the swinging side
    lean: float
    nod: float  # lean and pelvic tilt oscillation
    chest: float  # chest turns against the pelvis
    arm: float  # shoulder swing, half range
    arm_mean: float
    elbow: float
    elbow_swing: float
    abduct: float
    inward: float
    loose: float = 1.0  # natural variation: slow walkers vary more


def walking(speed: float, style: GaitStyle, nature: Nature) -> Carriage:
    """Amplitudes of a walk: captured walkers turn the pelvis by 9 degrees in all, the shoulders by 10 against it."""
    u = min(speed / 1.4, 1.6)
    person = 1 + nature.trait("arm swing", 0.18)
    return Carriage(
        surge=0.011 * min(u, 1.2),
        surge_phase=0.15,
        sway=(0.030 - 0.007 * u) * style.sway,
        yaw=np.radians(4.0 + 0.1 * u) * style.twist,
        drop=np.radians(3.2 + 1.5 * min(u, 1.2)),
        lean=np.radians(1.0 + 1.6 * u) + style.lean + nature.trait("lean", 0.02),
        nod=np.radians(3.8 - 2.2 * min(u, 1.0)),
        chest=np.radians(3.6 + 0.5 * u) * style.twist,
        arm=np.radians(4.0 + 11.5 * u) * style.arms * person,
        arm_mean=np.radians(-5.0),
        elbow=np.radians(18 + 6 * u) + style.elbow + nature.trait("elbow", 0.06),
        elbow_swing=np.radians(3 + 7 * u) * person,
        abduct=np.radians(9.0) + style.abduct + nature.trait("abduct", 0.03),
        inward=np.radians(8.0) + 0.5 * style.elbow,
        loose=float(np.clip(2.8 - 1.8 * u, 1.0, 2.0)),
    )


def running(speed: float, style: GaitStyle, nature: Nature) -> Carriage:
    """Amplitudes of a run: bent elbows, a wider swing of arms and trunk, and more lean as it gets faster."""
    person = 1 + nature.trait("arm swing", 0.15)
    return Carriage(
        surge=0.012,
        surge_phase=0.0,
        sway=0.012 * style.sway,
        yaw=np.radians(4.5 + 0.5 * min(speed, 6)) * style.twist,
        drop=np.radians(5.1),
        lean=np.radians(3.0 + 1.3 * speed) + style.lean + nature.trait("lean", 0.025),
        nod=np.radians(2.7),
        chest=np.radians(7.4 + 1.2 * min(speed, 6)) * style.twist,
        arm=np.radians(13 + 5.2 * min(speed, 7)) * style.arms * person,
        arm_mean=np.radians(-14.0),
        elbow=np.radians(82) + 0.3 * style.elbow + nature.trait("elbow", 0.12),
        elbow_swing=np.radians(11 + 1.6 * min(speed, 7)),
        abduct=np.radians(15.0) + style.abduct + nature.trait("abduct", 0.04),
        inward=np.radians(9.0),
    )


def pelvis_and_chest(
    carriage: Carriage,
    gait: Gait,
    time: FloatArray,
    phase: FloatArray,
    heading: FloatArray,
    bank: FloatArray,
    nature: Nature,
    style: GaitStyle,
) -> tuple[FloatArray, FloatArray]:
    """World rotations (F, 4) of pelvis and chest. `bank` (F,) rad tips the body into a left turn."""
    c, loose = carriage, style.loose * carriage.loose
    lead = 0.5 if gait.runs else 0.0  # runners' shoulders turn before the foot lands
    hips = c.yaw * np.cos(phase - 0.55) if gait.runs else -c.yaw * np.cos(phase)
    pelvis = posture(
        heading,
        lean=0.55 * c.lean
        + c.nod * np.cos(2 * phase - 0.6)
        + 0.4 * style.lean
        + nature.wander("pelvis lean", 0.014 * loose, 0.1, 3.0)(time),
        roll=0.6 * bank - c.drop * np.cos(phase - 0.9) + nature.wander("pelvis roll", 0.012 * loose, 0.1, 3.0)(time),
        twist=hips + nature.wander("pelvis twist", 0.016 * loose, 0.08, 3.0)(time),
    )
    chest = posture(
        heading,
        lean=c.lean
        + style.slump * 0.7
        + c.nod * np.cos(2 * phase - 2.2)
        + nature.wander("chest lean", 0.010 * loose)(time),
        roll=bank
        + 0.2 * c.drop * np.cos(phase - 1.1)
        + nature.trait("chest roll", 0.010)
        + nature.wander("chest roll", 0.007 * loose)(time),
        twist=c.chest * np.cos(phase + lead - 0.15)
        + nature.trait("chest twist", 0.02)
        + nature.wander("chest twist", 0.012 * loose)(time),
    )
    return pelvis, chest


def steady_head(
    carriage: Carriage,
    time: FloatArray,
    phase: FloatArray,
    heading: FloatArray,
    bank: FloatArray,
    ahead: FloatArray,
    nature: Nature,
    style: GaitStyle,
) -> FloatArray:
    """(F, 4) the head keeps level and looks ahead; it nods against the rise of the body (Pozzo et al. 1990).

    `ahead` (F,) rad is how far it turns towards where the path leads.
    """
    return posture(
        heading,
        lean=style.nod
        + nature.trait("head pitch", 0.04)
        - 0.02 * np.cos(2 * phase - 2.2)
        + nature.wander("head pitch", 0.022, 0.06, 0.9)(time),
        roll=0.25 * bank + 0.008 * np.cos(phase - 1.0) + nature.wander("head roll", 0.014, 0.06, 0.9)(time),
        twist=ahead
        + 0.25 * carriage.chest * np.cos(phase)
        + nature.trait("head turn", 0.03)
        + nature.wander("head turn", 0.05, 0.06, 0.8)(time),
    )


def swinging_arms(
    carriage: Carriage, gait: Gait, trunk: Trunk, time: FloatArray, phase: FloatArray, nature: Nature, style: GaitStyle
) -> tuple[LimbRotations, LimbRotations]:
    """Both arms, each swinging with the other side's leg; the forearm trails the upper arm, the hand the forearm."""
    return _arm(carriage, gait, trunk, time, phase, nature, style, LEFT), _arm(
        carriage, gait, trunk, time, phase, nature, style, RIGHT
    )


def _arm(
    c: Carriage,
    gait: Gait,
    trunk: Trunk,
    time: FloatArray,
    phase: FloatArray,
    nature: Nature,
    style: GaitStyle,
    side: int,
) -> LimbRotations:
    name = ("left", "right")[side]
    own = phase - (np.pi if side == LEFT else 0.0) - 0.12  # largest just after the other foot's strike
    more = (
        1 + nature.trait(f"{name} arm", 0.12) + nature.wander(f"{name} arm more", 0.07 * style.loose, 0.05, 0.5)(time)
    )
    elbow = c.elbow + nature.trait(f"{name} elbow", 0.06) + nature.wander(f"{name} elbow", 0.03 * style.loose)(time)
    swing, lag = np.cos(own), np.cos(own - 0.45)
    return angled_arm(
        trunk,
        side,
        flex=c.arm_mean + c.arm * more * (swing + 0.06 * np.cos(2 * own)) + nature.wander(f"{name} flex", 0.02)(time),
        abduct=c.abduct
        - 0.03 * swing
        + nature.trait(f"{name} abduct", 0.02)
        + nature.wander(f"{name} abduct", 0.012 * style.loose)(time),
        inward=c.inward + 0.12 * lag * (1.6 if gait.runs else 1.0),
        elbow=np.maximum(elbow + c.elbow_swing * more * lag, 0.08),
        pronate=(0.15 if gait.runs else 0.45) + nature.trait(f"{name} palm", 0.15) + 0.06 * lag,
        wrist=0.12 - 0.07 * np.cos(own - 1.0),
    )
