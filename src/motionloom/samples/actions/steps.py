"""Stairs, up or down."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.samples.curves import Curve, ease, min_jerk
from motionloom.samples.joining import walked
from motionloom.samples.noise import Nature
from motionloom.samples.person import LEFT, RIGHT, SHIN, THIGH, LimbRotations, Trunk, assemble
from motionloom.samples.plants import FootStance
from motionloom.samples.stage import finish, frame_times
from motionloom.samples.standing import figure, footprint, hanging_arm, idle
from motionloom.samples.stepping import Step, plants_of, weight_path
from motionloom.samples.styles import GaitStyle, style_named
from motionloom.samples.upper import angled_arm, mixed_arm

STAIR = 0.24  # m: what is higher is a platform


def steps(
    rise: float,
    run: float,
    count: float,
    direction: str,
    speed: float,
    platform: float | None,
    approach: str,
    style: str,
    seed: int,
    fps: float,
) -> Clip:
    """A person climbs (or goes down) `count` stairs, `rise` m high and `run` m deep, one foot after the other.

    The stairs begin 0.2 m ahead (+z) of the first footprints; feet stand exactly on the treads. `speed` scales the
    tempo (1: about 0.65 s a stair, as people climb: Nadeau et al. 2003). The labels are `up` or `down`.
    With `platform` (m), it is a single step of that height. With `approach` walk, the person walks up before and walks
    on afterwards.
    """
    manner, nature = style_named(style), Nature(seed)
    up = 1.0 if direction == "up" else -1.0
    pace = (0.66 if up > 0 else 0.6) / speed * (1 + nature.trait("pace", 0.03))
    stairs, rise = (round(count), rise) if platform is None else (1, platform)
    pace *= 1 + 1.5 * max(rise - STAIR, 0.0)  # platforms take longer
    begin = 0.6 + nature.trait("begin", 0.08)
    start, plan = _plan(rise * up, run, stairs, pace, begin, nature)
    seconds = max(s.land for s in plan) + 0.8
    time = frame_times(seconds, fps)
    path = weight_path(start, plan, time, share=0.6, early=0.3)
    quiet = idle(time, nature, manner, rest=0.3)
    lands = np.array([s.land for s in plan])
    phase = _phase(lands, pace, plan[0].side)(time)[:, 0]
    busy = ease(time, begin - 0.1, begin + 0.4) - ease(time, float(lands[-1]) - 0.1, float(lands[-1]) + 0.35)
    moves = quiet.plus(
        x=path[:, 0],
        z=path[:, 1] + (0.03 if up > 0 else -0.02) * busy,
        lean=busy * ((0.12 if up > 0 else 0.0) + 0.025 * np.cos(2 * phase)),
        roll=busy * -0.05 * np.cos(phase - 0.9),
        twist=busy * -0.07 * np.cos(phase),
        chest_lean=busy * (0.1 if up > 0 else 0.02),
        chest_twist=busy * 0.11 * np.cos(phase - 0.1),
        head_lean=busy * 0.22,
        crouch=busy * (0.1 if up > 0 else 0.16),
    )
    knees = _knees(plan, time, rise * up, pace, moves.crouch)
    body = figure(moves, plants_of(start, plan), time, fps, knees=knees, cutoff=3.0)
    arms = tuple(_arm(body.trunk, side, time, phase, busy, nature, manner) for side in (LEFT, RIGHT))
    rotations = assemble(body.trunk, (arms[0], arms[1]), body.legs)
    labels = {direction: (time > begin) & (time < lands[-1])}
    clip = finish("steps", body.trunk.root, rotations, fps, seconds, seed, feet=body.feet, labels=labels)
    return walked(clip, style=style, seed=seed, fps=fps) if approach == "walk" else clip


def _plan(
    rise: float, run: float, stairs: int, pace: float, begin: float, nature: Nature
) -> tuple[tuple[FootStance, FootStance], list[Step]]:
    """Both feet before the stairs (or on top of them), then one stair a step, then both feet together."""
    down = rise < 0
    top = -rise * stairs if down else 0.0
    half = 0.09 + nature.trait("half width", 0.008)
    start = (footprint(LEFT, half, 0.0, toe_out=0.1, y=top), footprint(RIGHT, -half, -0.02, toe_out=0.1, y=top))
    first = LEFT if nature.rng("first").uniform() < 0.5 else RIGHT
    out: list[Step] = []
    aside = nature.draws("aside", stairs + 1, 0.01)
    deep = nature.draws("deep", stairs + 1, 0.012)
    late = nature.draws("late", stairs + 1, 0.015)
    for k in range(stairs + 1):
        side = first if k % 2 == 0 else 1 - first
        level = min(k + 1, stairs)
        # the first tread begins 0.2 m ahead of the toes' line; the ankle stands a third of the way onto the tread
        z = 0.27 + (level - 1) * run + 0.36 * run + float(deep[k])
        x = (half if side == LEFT else -half) + float(aside[k])
        land = begin + (k + 1) * pace + float(late[k])
        out.append(
            Step(
                side,
                land - 0.78 * pace,
                land,
                (x, top + rise * level, z),
                0.1 if side == LEFT else -0.1,
                -0.14 if down else -0.05,
                -0.5,
                0.06,
            )
        )
    return start, out


def _knees(
    plan: list[Step], time: FloatArray, rise: float, pace: float, rest: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """(F,) bend of each knee while it carries: the leg that climbs lifts the body from a bent knee (cos(k/2) of its
    length left), the leg that lets it down bends until the other foot has landed."""
    bent = 2 * float(np.arccos(np.clip(1 - abs(rise) / (THIGH + SHIN) - 0.015, 0.3, 1.0)))
    out = []
    for side in (LEFT, RIGHT):
        knee = rest.copy()
        own = [s for s in plan if s.side == side]
        for k, step in enumerate(own):
            last = step is plan[-1] or step is plan[-2]
            until = own[k + 1].land if k + 1 < len(own) else np.inf
            here = (time >= step.land) & (time < until)
            if rise > 0 and step is not plan[-1]:
                lift = 1 - ease(time, step.land - 0.05 * pace, step.land + 0.95 * pace)
                knee[here] = (rest + (bent - rest) * lift)[here]
            elif rise < 0 and not last:
                sink = ease(time, step.land + 0.15 * pace, step.land + 1.1 * pace)
                knee[here] = (rest + (bent - rest) * sink)[here]
        out.append(knee)
    return out[0], out[1]


def _phase(lands: FloatArray, pace: float, first: int) -> Curve:
    at = np.concatenate([[lands[0] - pace], lands, [lands[-1] + pace]])
    value = np.pi * (np.arange(len(at)) + (1 if first == LEFT else 0))
    return min_jerk(at, value[:, None], velocity={0: np.pi / pace, -1: np.pi / pace})


def _arm(
    trunk: Trunk, side: int, time: FloatArray, phase: FloatArray, busy: FloatArray, nature: Nature, style: GaitStyle
) -> LimbRotations:
    own = phase - (np.pi if side == LEFT else 0.0) - 0.15
    more = 1 + nature.trait(f"arm swing {side}", 0.2)
    swung = angled_arm(
        trunk,
        side,
        flex=0.06 + 0.26 * more * style.arms * np.cos(own),
        abduct=0.2 + style.abduct,
        inward=0.2,
        elbow=0.55 + style.elbow + 0.16 * np.cos(own - 0.4),
        pronate=0.4,
        wrist=0.1,
    )
    return mixed_arm(trunk, side, hanging_arm(trunk, side, time, nature, style), swung, busy)
