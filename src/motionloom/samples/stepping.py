"""Single steps of any foot to any place, for dances, turns and stairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from motionloom.core import FloatArray
from motionloom.samples.curves import ease, min_jerk
from motionloom.samples.person import LEFT, RIGHT
from motionloom.samples.plants import FootStance, Swing


@dataclass(frozen=True)
class Step:
    """One foot leaves the ground at `off` s and is set down at `land` s."""

    side: int
    off: float
    land: float
    place: tuple[float, float, float]  # m, under the ankle
    heading: float
    strike: float = -0.12  # rad, pitch when it lands: negative on the ball, positive on the heel
    push: float = -0.45  # rad, pitch when it leaves
    lift: float = 0.07  # m that the ankle rises above the straight line
    weight: float = 1.0  # how much of the weight follows


def plants_of(start: tuple[FootStance, FootStance], steps: Sequence[Step]) -> tuple[list[FootStance], list[FootStance]]:
    """The plants of both feet: they stand at `start` until their first step."""
    out: tuple[list[FootStance], list[FootStance]] = ([], [])
    for side in (LEFT, RIGHT):
        own = sorted((s for s in steps if s.side == side), key=lambda s: s.land)
        now = replace(start[side], strike=-1e3, flat=-1e3)
        for step in own:
            stood = step.off - now.flat
            if stood <= 0:
                raise ValueError(f"foot {side} leaves at {step.off:.2f} s before it stands, at {now.flat:.2f} s")
            roll = min(0.6 * stood, 0.26)
            push = step.push * float(np.clip(roll / 0.2, 0.25, 1.0))  # no time to roll, no roll
            out[side].append(
                replace(
                    now,
                    lift=step.off - roll,
                    peel=step.off - 0.3 * roll,
                    off=step.off,
                    off_pitch=push,
                    off_toe=0.4 * push,
                    swing=_swing(now, step, push),
                )
            )
            settle = 0.0 if step.strike == 0 else float(np.clip(0.25 * (step.land - step.off), 0.05, 0.1))
            now = FootStance(side, step.place, step.heading, step.land, step.land + settle, 1e3, 1e3, 1e3, step.strike)
        out[side].append(now)
    return out


def _swing(a: FootStance, step: Step, push: float) -> Swing:
    """A step clears the straight line, and the edge of a stair if it goes up or down."""
    climb = step.place[1] - a.place[1]
    top = step.lift + (0.5 * climb if climb > 0 else -0.25 * climb)
    keys = (
        (0.3, 0.24, top + max(-climb, 0.0) * 0.1 + 0.03, 0.9 * push),
        (0.62, 0.77, 0.85 * top + 0.015, 0.3 * push + 0.4 * step.strike),
        (0.86, 0.99, 0.4 * top + 0.014, step.strike),
    )
    return Swing(keys, 0.01, (0.0, 0.22 if climb else 0.3))


def weight_path(
    start: tuple[FootStance, FootStance],
    steps: Sequence[Step],
    time: FloatArray,
    *,
    share: float = 0.78,
    early: float = 0.35,
) -> FloatArray:
    """(F, 2) hips over the ground (x, z): between the feet, moving over to a foot as it takes the weight.

    `share` is how far towards the new foot they go, `early` the part of the step by which they lead its landing.
    """
    spots = [np.array([p.place[0], p.place[2]]) for p in start]
    now = (spots[0] + spots[1]) / 2
    knots, places = [min(float(time[0]), steps[0].off - 0.3) - 0.1], [now]
    moved: list[Step] = []
    for step in sorted(steps, key=lambda s: s.land):
        spots[step.side] = np.array([step.place[0], step.place[2]])
        other = spots[1 - step.side]
        lean = 0.5 + (share - 0.5) * (2 * step.weight - 1)
        lasts = step.land - step.off
        moved.append(step)
        knots.append(step.land + (0.5 - early) * lasts)
        places.append(other + lean * (spots[step.side] - other))
    held: list[int] = []  # knots before a long pause: the body waits there
    times, points = [knots[0]], [places[0]]
    for step, knot, place in zip(moved, knots[1:], places[1:], strict=True):
        leave = max(step.off - 0.3 * (step.land - step.off), times[-1] + 0.05)
        if leave - times[-1] > 0.5:
            held += [len(times) - 1, len(times)]
            times.append(leave)
            points.append(points[-1])
        if knot > times[-1] + 0.05:
            times.append(knot)
            points.append(place)
    rest = dict.fromkeys(held, 0.0)
    return min_jerk(times, np.array(points), velocity=rest, acceleration=rest)(time)


def turn_path(heading: float, steps: Sequence[tuple[float, float, float]], time: FloatArray) -> FloatArray:
    """(F,) heading that goes to a new value over each span: (start s, end s, heading rad)."""
    out = np.full(len(time), heading)
    now = heading
    for start, end, goal in steps:
        out = out + (goal - now) * ease(time, start, end)
        now = goal
    return out


def on_ground(x: float, z: float, heading: float, origin: tuple[float, float] = (0.0, 0.0)) -> tuple[float, float]:
    """A place given in a dancer's own frame (x left, z ahead), in the world."""
    c, s = np.cos(heading), np.sin(heading)
    return float(origin[0] + c * x + s * z), float(origin[1] - s * x + c * z)
