"""Turning on the spot, in small steps."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip
from motionloom.samples.noise import Nature
from motionloom.samples.person import LEFT, RIGHT, assemble
from motionloom.samples.stage import finish, frame_times
from motionloom.samples.standing import figure, hanging_arm, idle, standing_feet
from motionloom.samples.stepping import Step, on_ground, plants_of, turn_path, weight_path
from motionloom.samples.styles import style_named


def turn(turn: float, speed: float, count: float, foot: str, style: str, seed: int, fps: float) -> Clip:
    """A person stands, turns left by `turn` rad (right if negative) on the spot, and stands again.

    The head goes first, then the chest, then the feet, in `count` pairs of steps (0: as many as needed for at most 50
    degrees each), `foot` first; `speed` scales the tempo (1: about 0.5 s a step).
    """
    manner, nature = style_named(style), Nature(seed)
    pace = (0.5 + nature.trait("pace", 0.03)) / speed
    pairs = round(count) or max(1, int(np.ceil(abs(turn) / 0.87)))
    inner = {"left": LEFT, "right": RIGHT}.get(foot, LEFT if turn > 0 else RIGHT)
    begin = 0.7 + nature.trait("begin", 0.1)
    home = tuple(foot[0] for foot in standing_feet(nature))
    start = (home[0], home[1])
    steps: list[Step] = []
    spans = []
    for k in range(pairs):
        goal = turn * (k + 1) / pairs
        for half, side in enumerate((inner, 1 - inner)):
            land = begin + (2 * k + half + 1) * pace + float(nature.draws("late", 2 * pairs, 0.015)[2 * k + half])
            old = home[side]
            noise = nature.draws(f"spot {side}", 2 * pairs, 0.012)
            spot = on_ground(old.place[0] + float(noise[k]), old.place[2] + float(noise[pairs + k]), goal)
            steps.append(
                Step(side, land - 0.7 * pace, land, (spot[0], 0.0, spot[1]), old.heading + goal, -0.1, -0.32, 0.05)
            )
        spans.append((begin + (2 * k - 0.1) * pace, begin + (2 * k + 1.9) * pace, goal))
    seconds = begin + 2 * pairs * pace + 0.8
    time = frame_times(seconds, fps)
    heading = turn_path(0.0, spans, time)
    early = turn_path(0.0, [(a - 0.35 * pace, b - 0.45 * pace, goal) for a, b, goal in spans], time)
    path = weight_path(start, steps, time, share=0.62)
    quiet = idle(time, nature, manner, rest=0.3)
    lead = early - heading
    moves = quiet.plus(
        x=path[:, 0], z=path[:, 1], heading=heading, chest_twist=0.5 * lead, head_twist=1.1 * lead, crouch=0.03
    )
    body = figure(moves, plants_of(start, steps), time, fps)
    arms = tuple(hanging_arm(body.trunk, side, time, nature, manner) for side in (LEFT, RIGHT))
    rotations = assemble(body.trunk, (arms[0], arms[1]), body.legs)
    return finish("turn", body.trunk.root, rotations, fps, seconds, seed, feet=body.feet)
