"""Footsteps: place and time of each stance, roll from heel to toe, and swing to the next stance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np

from motionloom.core import BoolArray, FloatArray
from motionloom.rotation import about, multiply, wrap_angle, yaw
from motionloom.samples.curves import FREE, Curve, ease, min_jerk
from motionloom.samples.person import ANKLE, BALL, HEEL, TIP


@dataclass(frozen=True)
class Swing:
    """The shape of one step through the air. Keys are (part of the swing's time, share, height, pitch).

    Distance is the part of the ground distance covered, height is of the ankle above the line between its flat places
    (m), pitch is of the foot (rad, toes up positive).
    """

    keys: tuple[tuple[float, float, float, float], ...]
    out: float = 0.0  # m, how far the foot swings outwards around the standing leg
    impact: tuple[float, float] = (0.0, 0.0)  # m/s forward and down that the strike stops at once


@dataclass(frozen=True)
class FootStance:
    """One stance of one foot. The heel (or the ball) touches at `strike`, the sole is flat from `flat` to `lift`, the
    foot then rolls over the ball, from `peel` on over the tip of the toes, and leaves at `off`. Times in s, angles rad.
    """

    side: int
    place: tuple[float, float, float]  # m, the ground under the ankle of the flat foot
    heading: float
    strike: float
    flat: float
    lift: float
    peel: float
    off: float
    strike_pitch: float = 0.0  # toes up positive; negative lands on the ball
    off_pitch: float = 0.0
    off_toe: float = 0.0  # pitch of the toes when they leave
    swing: Swing | None = None  # of the step that follows
    ball_still: bool = False  # toes come straight down; the heel slips under them by a millimetre or two (running)

    def later(self, seconds: float) -> FootStance:
        return replace(self, **{n: getattr(self, n) + seconds for n in ("strike", "flat", "lift", "peel", "off")})

    @property
    def forward(self) -> FloatArray:
        return np.array([np.sin(self.heading), 0.0, np.cos(self.heading)])


@dataclass(frozen=True, eq=False)
class FootMotion:
    """What one foot does, frame by frame."""

    ankle: FloatArray  # (F, 3) m
    pitch: FloatArray  # (F,) rad, toes up positive
    toe: FloatArray  # (F,) rad, pitch of the toes themselves
    heading: FloatArray  # (F,) rad
    support: FloatArray  # (F,) 0 in the air .. 1 well within a stance
    touches: BoolArray  # (F,) some part of it is on the ground
    heel_rests: BoolArray  # (F,) the ankle joint is at rest: the foot stands flat
    toe_rests: BoolArray  # (F,) the toe joint is at rest

    def foot_turn(self) -> FloatArray:
        """(F, 4) world rotation of the foot."""
        return multiply(yaw(self.heading), about(0, -self.pitch))

    def toe_turn(self) -> FloatArray:
        """(F, 4) world rotation of the toes."""
        return multiply(yaw(self.heading), about(0, -self.toe))


def _turned(v: tuple[float, float, float], pitch: FloatArray) -> FloatArray:
    """(..., 2) forward and up parts of a foot vector, the foot pitched toes-up."""
    c, s = np.cos(pitch), np.sin(pitch)
    return np.stack([v[2] * c - v[1] * s, v[2] * s + v[1] * c], -1)


def stance_ankle(plant: FootStance, pitch: FloatArray, toe: FloatArray) -> FloatArray:
    """(..., 3) the ankle while the foot stands: it turns about the heel (toes up) or the ball.

    When the toes roll up (`toe` < 0) the ball rises straight up over its place, and only the tip still touches.
    """
    pitch, toe = np.asarray(pitch, float), np.asarray(toe, float)
    heel = np.array([HEEL[2], 0.0]) - _turned(HEEL, pitch)
    if plant.ball_still:
        heel[..., 0] += BALL[2] - (heel + _turned(BALL, pitch))[..., 0]
    rise = TIP[1] - _turned(TIP, toe)[..., 1]
    ball = np.stack([np.full_like(rise, BALL[2]), ANKLE + BALL[1] + rise], -1)
    over_ball = ball - _turned(BALL, pitch)
    flat = np.where((pitch > 0)[..., None], heel, over_ball)
    return np.asarray(plant.place) + flat[..., :1] * plant.forward + flat[..., 1:] * np.array([0.0, 1.0, 0.0])


def foot_motion(plants: Sequence[FootStance], time: FloatArray) -> FootMotion:
    """One foot through all its plants (in order of time); before the first and after the last it stands there."""
    first = plants[0]
    ankle = np.empty((len(time), 3))
    pitch, toe, support = (np.zeros(len(time)) for _ in range(3))
    heading = np.full(len(time), first.heading)
    heel, ball, touches = (np.zeros(len(time), bool) for _ in range(3))
    ankle[:] = stance_ankle(first, np.zeros(len(time)), np.zeros(len(time)))
    for k, plant in enumerate(plants):
        until = plants[k + 1].flat if k + 1 < len(plants) else np.inf
        stands = (time >= (plant.flat if k else -np.inf)) & (time <= (plant.lift if k + 1 < len(plants) else np.inf))
        ankle[stands] = stance_ankle(plant, np.zeros(1), np.zeros(1))
        heading[stands] = plant.heading
        heel |= stands
        ball |= stands
        begin = plant.strike if k else -np.inf
        end = plant.off if k + 1 < len(plants) else np.inf
        touches |= (time >= begin) & (time <= end)
        support = np.maximum(support, _support(time, begin, plant, end))
        if k + 1 == len(plants):
            break
        moves = (time > plant.lift) & (time < until)
        step = _step(plant, plants[k + 1])
        ankle[moves], pitch[moves], toe[moves], heading[moves] = step(time[moves])
        ball |= moves & (time <= min(plant.peel, plant.off))
        if plants[k + 1].strike_pitch < 0:
            ball |= moves & (time >= plants[k + 1].strike)
    return FootMotion(ankle, pitch, toe, heading, support, touches, heel, ball)


def _support(time: FloatArray, begin: float, plant: FootStance, end: float) -> FloatArray:
    """How much of the weight this stance may carry: rises after the strike, falls before the toes leave."""
    lasts = min(plant.off - plant.strike, 1.0)
    rise = 1.0 if np.isinf(begin) else ease(time, begin, begin + 0.22 * lasts)
    fall = 0.0 if np.isinf(end) else ease(time, end - 0.28 * lasts, end)
    return np.asarray(rise - fall)


Step = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray, FloatArray]]


def _step(a: FootStance, b: FootStance) -> Step:
    """Ankle, pitch, toe pitch and heading from the moment plant a's heel lifts until plant b is flat."""
    air = b.strike - a.off
    swing = a.swing or plain_swing(a, b)
    keys = [(a.off + s * air, share, height, angle) for s, share, height, angle in swing.keys]
    pitch = _pitch(a, b, keys)
    roll = a.off - a.peel

    def toe_of_a(t: FloatArray) -> FloatArray:
        u = np.maximum((t - a.peel) / roll, 0.0) if roll > 1e-6 else np.zeros_like(t)
        return a.off_toe * u**3

    bend = _bend(a, b, pitch, toe_of_a)
    ankle = _ankle(a, b, pitch, toe_of_a, keys, swing)
    turn = float(wrap_angle(b.heading - a.heading))

    def step(t: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        angle = pitch(t)[..., 0]
        leaving, landing = t <= a.off, t >= b.strike
        toe = np.where(leaving, toe_of_a(t), np.where(landing, np.maximum(angle, 0.0), angle + bend(t)[..., 0]))
        place = ankle(t)
        place = np.where(leaving[..., None], stance_ankle(a, angle, toe), place)
        place = np.where(landing[..., None], stance_ankle(b, angle, toe), place)
        return place, angle, toe, a.heading + turn * ease(t, a.off, b.strike)

    return step


def _pitch(a: FootStance, b: FootStance, keys: list[tuple[float, float, float, float]]) -> Curve:
    """Pitch of the foot from lift to flat: it rolls off and settles without ever turning back, and swings between."""
    rolls, settles = a.off > a.lift + 1e-6, b.flat > b.strike + 1e-6
    start = (a.off if rolls else a.lift, a.off_pitch if rolls else 0.0)
    end = (b.strike if settles else b.flat, b.strike_pitch if settles else 0.0)
    roll = a.off_pitch * _eased(2.0) if rolls else np.zeros(6)
    settle = b.strike_pitch * _reversed(_eased(1.8)) if settles else np.zeros(6)
    spans = a.off - a.lift, b.flat - b.strike
    one, two = np.arange(6.0), np.arange(6.0) * np.arange(-1.0, 5.0)
    velocity = {0: float(roll @ one) / spans[0] if rolls else 0.0, -1: float(settle[1]) / spans[1] if settles else 0.0}
    bend = {
        0: float(roll @ two) / spans[0] ** 2 if rolls else 0.0,
        -1: 2 * float(settle[2]) / spans[1] ** 2 if settles else 0.0,
    }
    rows = [start, *((t, angle) for t, _, _, angle in keys), end]
    times, angles = (np.array(v) for v in zip(*rows, strict=True))
    air = min_jerk(times, angles[:, None], velocity=velocity, acceleration=bend)
    knots, terms = [air.knots], [air.terms]
    if rolls:
        knots, terms = [np.array([a.lift]), *knots], [roll[None, :, None], *terms]
    if settles:
        knots, terms = [*knots, np.array([b.flat])], [*terms, settle[None, :, None]]
    return Curve(np.concatenate(knots), np.concatenate(terms))


def _eased(slope: float) -> FloatArray:
    """Polynomial terms (6,) of u^3 (4 - s) + u^4 (s - 3): from rest to 1, arriving with slope s, never going back."""
    return np.array([0.0, 0.0, 0.0, 4 - slope, slope - 3, 0.0])


def _reversed(terms: FloatArray) -> FloatArray:
    """The same polynomial run backwards: its terms in 1 - u."""
    out = np.zeros(6)
    for k, c in enumerate(terms):
        for i in range(k + 1):
            out[i] += c * comb(k, i) * (-1.0) ** i
    return out


def _bend(a: FootStance, b: FootStance, pitch: Curve, toe: Callable[[FloatArray], FloatArray]) -> Curve:
    """How far the toes are bent up against the foot, in the air: straight by the middle of the swing."""
    e = 1e-3
    around = a.off + e * np.array([-1.0, 0.0, 1.0])
    beta = toe(around) - pitch(around)[:, 0]
    start = (beta[2] - beta[0]) / (2 * e), (beta[2] - 2 * beta[1] + beta[0]) / e**2
    straight = a.off + 0.5 * (b.strike - a.off)
    times, values = [a.off, straight], [beta[1], 0.0]
    velocity, acceleration = {0: start[0], 1: 0.0}, {0: start[1], 1: 0.0}
    if b.strike_pitch < 0:  # the toes are flat when the ball lands
        times.append(b.strike)
        values.append(-b.strike_pitch)
        velocity[2] = -float(pitch(b.strike, 1)[0])
        acceleration[2] = -float(pitch(b.strike, 2)[0])
    return min_jerk(times, np.array(values)[:, None], velocity=velocity, acceleration=acceleration)


def _ankle(
    a: FootStance,
    b: FootStance,
    pitch: Curve,
    toe: Callable[[FloatArray], FloatArray],
    keys: list[tuple[float, float, float, float]],
    swing: Swing,
) -> Curve:
    """The ankle in the air: leaves as the rolling foot does, arrives at rest on b's heel (or ball), least jerk."""
    e = 1e-3
    around = a.off + e * np.array([-1.0, 0.0, 1.0])
    leave = stance_ankle(a, pitch(around)[:, 0], toe(around))
    near = b.strike + e * np.array([-1.0, 0.0, 1.0])
    angle = pitch(near)[:, 0]
    land = stance_ankle(b, angle, np.maximum(angle, 0.0))
    flat_a, flat_b = (np.asarray(p.place) + [0.0, ANKLE, 0.0] for p in (a, b))
    across = np.cross([0.0, 1.0, 0.0], (a.forward + b.forward) / 2) * (1.0 if a.side == 0 else -1.0)
    times, points = [a.off], [leave[1]]
    for (t, share, height, _), s in zip(keys, [(k[0] - a.off) / (b.strike - a.off) for k in keys], strict=True):
        ground = leave[1] + share * (land[1] - leave[1])
        ground[1] = flat_a[1] + share * (flat_b[1] - flat_a[1]) + height
        times.append(t)
        points.append(ground + across * swing.out * np.sin(np.pi * s) ** 2)
    times.append(b.strike)
    points.append(land[1])
    return min_jerk(
        times,
        np.array(points),
        velocity={
            0: (leave[2] - leave[0]) / (2 * e),
            -1: (land[2] - land[0]) / (2 * e) + swing.impact[0] * b.forward - [0.0, swing.impact[1], 0.0],
        },
        acceleration={0: (leave[2] - 2 * leave[1] + leave[0]) / e**2, -1: FREE},
    )


def plain_swing(a: FootStance, b: FootStance) -> Swing:
    """A modest step: higher and rounder the farther it goes."""
    far = float(np.linalg.norm(np.asarray(b.place) - np.asarray(a.place)))
    height = 0.05 + 0.08 * min(far, 0.8)
    return Swing(((0.45, 0.45, height, 0.35 * a.off_pitch),), 0.0)
