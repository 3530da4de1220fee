"""A boxer's dance: on guard, from one foot to the other, turning."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip
from motionloom.samples.boxing import guard_arm, guard_moves, stance
from motionloom.samples.noise import Nature
from motionloom.samples.person import LEFT, RIGHT, assemble
from motionloom.samples.stage import finish, frame_times
from motionloom.samples.standing import figure
from motionloom.samples.stepping import Step, on_ground, plants_of, turn_path
from motionloom.samples.styles import style_named


def box(turn: float, speed: float, count: float, style: str, seed: int, fps: float) -> Clip:
    """A boxer on guard dances from one foot to the other and turns left by `turn` rad (right if negative).

    `count` times, each by `turn`: the rear foot steps around, then the other. `speed` scales the tempo (1: 0.7 s).
    """
    manner, nature = style_named(style), Nature(seed)
    pace = (0.35 + nature.trait("pace", 0.015)) / speed
    begin, times = 0.5 + nature.trait("begin", 0.04), round(count)
    feet = stance(nature)
    start = (feet[0][0], feet[1][0])
    steps, spans = [], []
    for k in range(times):
        goal = turn * (k + 1)
        at = begin + 2 * k * pace
        for half, side in enumerate((RIGHT, LEFT)):
            land = at + (half + 1) * pace
            spot = on_ground(start[side].place[0], start[side].place[2], goal)
            facing = start[side].heading + goal
            steps.append(Step(side, land - 0.62 * pace, land, (spot[0], 0.0, spot[1]), facing, -0.1, -0.3, 0.035))
        spans.append((at, at + 2 * pace, goal))
    seconds = begin + 2 * times * pace + 0.5
    time = frame_times(seconds, fps)
    heading = turn_path(0.0, spans, time)
    weight = sum(
        (1.0 if step.side == RIGHT else -1.0) * np.exp(-(((time - (step.off + step.land) / 2) / (0.4 * pace)) ** 2))
        for step in steps
    )
    aside = 0.035 * np.asarray(weight)  # the hips go over the foot that stands
    lead = turn_path(0.0, [(a - 0.1, b - 0.15, goal) for a, b, goal in spans], time) - heading
    moves = guard_moves(time, nature, manner).plus(
        x=np.cos(heading) * aside,
        z=-np.sin(heading) * aside,
        heading=heading,
        chest_twist=0.3 * lead,
        head_twist=0.8 * lead,
        crouch=0.04 * np.abs(weight),
    )
    body = figure(moves, plants_of(start, steps), time, fps)
    arms = tuple(guard_arm(body, side, time, np.zeros(0), 1.0, nature) for side in (LEFT, RIGHT))
    rotations = assemble(body.trunk, (arms[0], arms[1]), body.legs)
    return finish("box", body.trunk.root, rotations, fps, seconds, seed, feet=body.feet)
