"""Parameters of walking and running as functions of speed: durations, lengths and foot roll of each step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionloom.core import FloatArray
from motionloom.samples.curves import Curve, min_jerk
from motionloom.samples.noise import Nature
from motionloom.samples.person import LEFT, RIGHT
from motionloom.samples.plants import FootStance, Swing
from motionloom.samples.styles import GaitStyle


@dataclass(frozen=True, eq=False)
class Path:
    """Where the body goes: place and heading on a fine time grid."""

    time: FloatArray  # (N,) s
    place: FloatArray  # (N, 2) m, x and z
    heading: FloatArray  # (N,) rad

    def at(self, time: FloatArray | float) -> FloatArray:
        """(..., 2) x, z."""
        return np.stack([np.interp(time, self.time, self.place[:, k]) for k in (0, 1)], -1)

    def facing(self, time: FloatArray | float) -> FloatArray:
        return np.asarray(np.interp(time, self.time, self.heading))


def path(speed: FloatArray, turn: FloatArray, time: FloatArray, start: float = 0.0) -> Path:
    """The path of a body that moves at `speed` (N,) m/s and turns left at `turn` (N,) rad/s, facing +z at `start` s."""
    dt = np.diff(time, prepend=time[0])
    heading = np.cumsum(turn * dt)
    heading = heading - np.interp(start, time, heading)
    middle = heading - turn * dt / 2
    place = np.cumsum(np.stack([np.sin(middle), np.cos(middle)], -1) * (speed * dt)[:, None], axis=0)
    place = place - [np.interp(start, time, place[:, k]) for k in (0, 1)]
    return Path(time, place, heading)


@dataclass(frozen=True)
class Gait:
    """One gait at one speed. Angles in rad; times of a stance are parts of it."""

    step: float  # s from one foot's strike to the other's
    stance: float  # s that a foot stands
    width: float  # m between left and right footprints
    toe_out: float
    over: float  # part of the stance at which the hips pass over the ankle
    flat: float  # part of the stance at which the sole is flat
    lift: float  # part at which the heel lifts
    peel: float  # part at which the toes roll up
    strike_pitch: float
    off_pitch: float
    off_toe: float
    swing: Swing
    runs: bool


def walk_gait(speed: float, turn: float, style: GaitStyle, nature: Nature) -> Gait:
    """A walk at `speed` m/s that turns at `turn` rad/s.

    Cadence from the walk ratio, step length / cadence = 0.0065 m/(step/min), which people keep over their whole range
    of speeds (Sekiya and Nagasaki 1998); stance, until the ball lifts, 0.58 of the stride at 1.4 m/s and longer when
    slower; heel strike, heel rise and toe-off angles after Winter (1991).
    """
    ratio = 0.0065 * style.stride**2 * (1 + nature.trait("walk ratio", 0.04))
    cadence = np.sqrt(60 * speed / ratio)
    step = min(60 / cadence, 0.9 / speed, 0.6 / max(abs(turn), 1e-9))  # fast and on the spot: more, shorter steps
    u = min(speed / 1.4, 1.6)
    stance = 2 * step * float(np.clip(0.65 - 0.05 * speed, 0.555, 0.65))
    small = min(1.0, u)  # slow steps roll less
    strike = np.radians(8 + 14 * small) * (1 - 1.6 * style.ball)
    off = -np.radians(40 + 18 * min(u, 1.2))
    peak = 0.118 + 0.055 * small + style.lift
    keys = (
        (0.22, 0.165, peak, off - np.radians(9)),
        (0.5, 0.495, 0.66 * peak, np.radians(-27 * small)),
        (0.77, 0.85 + 0.12 * style.ball, 0.024 + 0.055 * style.ball, np.radians(12 * small - 24 * style.ball)),
    )
    return Gait(
        step=float(step),
        stance=stance,
        width=0.11 + style.width + nature.trait("step width", 0.012),
        toe_out=np.radians(7 + nature.trait("toe out", 2.0)),
        over=0.345,
        flat=0.17 if not style.ball else 0.22,
        lift=0.47 + 0.06 * (1 - small),
        peel=0.74,
        strike_pitch=float(strike),
        off_pitch=float(off),
        off_toe=-np.radians(24.0),
        swing=Swing(keys, 0.012, (0.2 * u * (1 - style.ball), 0.1 * u + 0.3 * style.ball)),
        runs=False,
    )


def run_gait(speed: float, turn: float, style: GaitStyle, nature: Nature) -> Gait:
    """A run at `speed` m/s that turns at `turn` rad/s.

    Step rate 2.4 + 0.1 v Hz, slowly rising as runners' do (Cavanagh and Kram 1989); contact time 0.62 v^-0.8 s, a fit
    to published values (0.26 s at 3 m/s, 0.15 s at 6 m/s); heel first, flatter when faster.
    """
    rate = (2.4 + 0.1 * speed) / style.stride * (1 + nature.trait("step rate", 0.025))
    rate = max(rate, abs(turn) / 0.6)
    contact = min(0.62 * speed**-0.8, 0.95 / rate)
    strike = np.radians(16.0 - 0.7 * speed)
    off = -np.radians(min(45 + 4 * speed, 68))
    peak = float(np.clip(0.1 + 0.055 * speed, 0.16, 0.48)) + style.lift
    keys = (
        (0.18, 0.09, 0.74 * peak, -np.radians(min(40 + 14.5 * speed, 110))),
        (0.40, 0.295, peak, -np.radians(min(62 + 8.5 * speed, 110))),
        (0.72, 0.70, 0.38 * peak + 0.018, -np.radians(17)),
        (0.88, 0.905, 0.062, strike + np.radians(2)),
    )
    return Gait(
        step=float(1 / rate),
        stance=float(contact),
        width=0.05 + style.width + nature.trait("step width", 0.01),
        toe_out=np.radians(5 + nature.trait("toe out", 2.0)),
        over=float(np.clip(0.285 + 0.022 * (speed - 3), 0.285, 0.38)),
        flat=0.27,
        lift=0.37,
        peel=0.55,
        strike_pitch=float(strike),
        off_pitch=float(off),
        off_toe=-np.radians(24.0),
        swing=Swing(keys, 0.01, (0.3 * speed, 0.5)),
        runs=True,
    )


@dataclass(frozen=True, eq=False)
class Steps:
    """A plan: the plants of both feet, and the phase of the stride (0 when the left foot strikes, pi the right)."""

    plants: tuple[tuple[FootStance, ...], tuple[FootStance, ...]]
    phase: Curve


def plant(
    gait: Gait,
    route: Path,
    side: int,
    strike: float,
    stance: float,
    shift: tuple[float, float] = (0.0, 0.0),
    toe_out: float = 0.0,
    outward: float = 0.0,
) -> FootStance:
    """One stance, placed where the hips will pass over it; `shift` (m) moves it to the left and ahead."""
    sign = 1.0 if side == LEFT else -1.0
    over = strike + gait.over * stance
    heading = float(route.facing(over))
    left = np.array([np.cos(heading), -np.sin(heading)])
    forward = np.array([np.sin(heading), np.cos(heading)])
    spot = route.at(over) + left * (sign * gait.width / 2 - outward + shift[0]) + forward * shift[1]
    at = [float(strike + part * stance) for part in (gait.flat, gait.lift, gait.peel, 1.0)]
    return FootStance(
        side,
        (float(spot[0]), 0.0, float(spot[1])),
        heading + sign * gait.toe_out + toe_out,
        float(strike),
        at[0],
        at[1],
        at[2],
        at[3],
        gait.strike_pitch,
        gait.off_pitch,
        gait.off_toe,
        gait.swing,
        gait.runs,
    )


def plan_steps(
    gait: Gait, route: Path, begin: float, end: float, nature: Nature, style: GaitStyle, outward: float = 0.0
) -> Steps:
    """Footprints along the path from `begin` to `end` s; steps vary a little in time, width and direction.

    A foot is placed where the hips will pass over it. `outward` (m) shifts all prints to the right of the path: the
    body leans into a left turn over feet that stand outside.
    """
    count = int(np.ceil((end - begin) / gait.step)) + 6
    loose = style.loose
    first = begin - gait.step * (2 + nature.rng("start").uniform(0, 2))
    beats = first + gait.step * np.arange(count) + nature.draws("step time", count, 0.012 * gait.step * loose)
    beats[1::2] += nature.trait("limp", 0.008) * gait.step
    aside = nature.draws("step aside", count, 0.008 * loose)
    ahead = nature.draws("step length", count, 0.008 * loose)
    toe_out = nature.draws("step toe out", count, np.radians(1.2) * min(loose, 2))
    stance = gait.stance * (1 + nature.draws("stance", count, 0.01 * loose))
    plants: tuple[list[FootStance], list[FootStance]] = ([], [])
    for k, strike in enumerate(beats):
        side = LEFT if k % 2 == 0 else RIGHT
        shift = float(aside[k]), float(ahead[k])
        plants[side].append(plant(gait, route, side, strike, stance[k], shift, float(toe_out[k]), outward))
    phase = min_jerk(beats, (np.pi * np.arange(count))[:, None], velocity={0: np.pi / gait.step, -1: np.pi / gait.step})
    return Steps((tuple(plants[0]), tuple(plants[1])), phase)
