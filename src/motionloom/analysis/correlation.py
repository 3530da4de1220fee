"""How the upper body moves with the legs (HECK 4.1): trend curves of joint rotations, and their phase to the hips."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from motionloom.analysis.leg_swing import gait_period, leg_swing, legs, require_roles
from motionloom.core import BadRequest, Clip, FloatArray
from motionloom.kinematics.body.roles import group
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.travel import body_axes, travel
from motionloom.rotation import average, inverse, log, multiply, yaw

AXES = ("lean", "twist", "roll")  # about the body's left, up and forward axes
MIN_SHARE = 0.3  # of a signal's variance that its trend curve must explain
IN_PHASE = np.radians(50.0)  # a smaller difference is in phase; that from half a cycle is in antiphase
MIN_AMPLITUDE = np.radians(0.3)


class Trend(NamedTuple):
    """The trend of one joint about one axis, at the frequency of the cycle (1) or of the steps (2)."""

    joint: str
    axis: str
    harmonic: int
    amplitude: float  # rad
    share: float  # 0..1 of the variance explained by the trend curve
    phase: float  # rad: lead over the legs' swing at the same frequency, within -pi..pi

    @property
    def relation(self) -> str:
        """In phase, in antiphase, or ""; as in the source."""
        if self.share < MIN_SHARE or self.amplitude < MIN_AMPLITUDE:
            return ""
        away = abs(self.phase)
        return "in phase" if away < IN_PHASE else "in antiphase" if away > np.pi - IN_PHASE else "shifted"


class CorrelationStudy(NamedTuple):
    """The correlations of one locomotion."""

    period: float  # s of a cycle
    hips: FloatArray  # (F, 2) rad: x rotation of the left and the right hip joint relative to the root
    trends: tuple[Trend, ...]
    signals: FloatArray  # (F, joints, 3) rad
    curves: FloatArray  # (F, joints, 3) rad: their trend curves
    joints: tuple[str, ...]

    def bob(self) -> float:
        """rad: root mean square over the upper joints of their lean with the steps."""
        own = [t.amplitude for t in self.trends if t.axis == "lean" and t.harmonic == 2]
        return float(np.sqrt(np.mean(np.square(own))))

    def of(self, joint: str, axis: str, harmonic: int) -> Trend:
        """One trend."""
        return next(t for t in self.trends if (t.joint, t.axis, t.harmonic) == (joint, axis, harmonic))


def correlations(clip: Clip, space: Literal["global", "local"] = "global") -> CorrelationStudy:
    """Trends of the upper joints' rotations, global (seen from the heading) or local to their parents.

    HECK fits a polynomial, which cannot follow many cycles; here a trend curve is a constant, a slope, and sines at the
    cycle's frequency and twice it, and the phase is that of its first or second harmonic against the hips'. The
    second harmonic of the hips is that of the magnitude of their swing.
    """
    if space not in ("global", "local"):
        raise BadRequest(f"space: expected global or local, found {space!r}")
    skeleton = clip.skeleton
    period = gait_period(leg_swing(legs(clip)), clip.fps)
    if period is None:
        raise BadRequest(f"{clip.name or 'the clip'}: no regular steps found")
    joints = [j for j in group(skeleton, "upper") if skeleton.roles[j] and not skeleton.roles[j].endswith("eye")]
    signals = _signals(clip, joints, space)
    hips = _hip_swing(clip)
    basis = _basis(len(clip), clip.fps, period)
    leg = hips[:, 0] - hips[:, 1]
    reference = [_harmonic(basis, leg, 1), _harmonic(basis, np.abs(leg), 2)]
    fit = np.linalg.lstsq(basis, signals.reshape(len(clip), -1), rcond=None)[0]
    curves = (basis @ fit).reshape(signals.shape)
    trends = []
    for k, joint in enumerate(joints):
        for a, axis in enumerate(AXES):
            own = signals[:, k, a] - signals[:, k, a].mean()
            rest = signals[:, k, a] - curves[:, k, a]
            share = 1 - float(rest.var() / max(own.var(), 1e-12))
            for h in (1, 2):
                value = _harmonic(basis, signals[:, k, a], h)
                turn = float(np.angle(value * np.conj(reference[h - 1]))) if abs(value) > 0 else 0.0
                trends.append(Trend(skeleton.roles[joint], axis, h, float(abs(value)), share, turn))
    names = tuple(skeleton.roles[j] for j in joints)
    return CorrelationStudy(period, hips, tuple(trends), signals, curves, names)


def _signals(clip: Clip, joints: list[int], space: str) -> FloatArray:
    """(F, joints, 3) rotation vectors about the body's left, up and forward axes, from the mean rotation."""
    axes = body_axes(clip.skeleton)
    turns = fk_rotations(clip)[1]
    ahead = yaw(travel(clip).heading)
    out = np.empty((len(clip), len(joints), 3))
    for k, j in enumerate(joints):
        parent = int(clip.skeleton.parents[j])
        above = ahead if space == "global" else multiply(turns[:, parent], axes)
        own = multiply(inverse(above), turns[:, j])
        mean = average(own)
        out[:, k] = log(multiply(own, inverse(mean)))
    return out


def _hip_swing(clip: Clip) -> FloatArray:
    """(F, 2) rad: the part of the hip joints' rotations that swings the legs forward, relative to the root."""
    thighs = require_roles(clip.skeleton, ("left_thigh", "right_thigh"), clip.name)
    turns = fk_rotations(clip)[1]
    axes = multiply(turns[:, 0], body_axes(clip.skeleton))
    out = []
    for j in thighs:
        own = multiply(inverse(axes), turns[:, j])
        out.append(-log(multiply(own, inverse(average(own))))[:, 0])
    return np.stack(out, 1)


def _basis(frames: int, fps: float, period: float) -> FloatArray:
    angle = 2 * np.pi * np.arange(frames) / fps / period
    slope = np.linspace(-1, 1, frames)
    waves = [f(h * angle) for h in (1, 2) for f in (np.cos, np.sin)]
    return np.stack([np.ones(frames), slope, *waves], 1)


def _harmonic(basis: FloatArray, signal: FloatArray, harmonic: int) -> complex:
    """The complex amplitude of one harmonic of a signal."""
    fit = np.linalg.lstsq(basis, signal, rcond=None)[0]
    return complex(fit[2 * harmonic], -fit[2 * harmonic + 1])
