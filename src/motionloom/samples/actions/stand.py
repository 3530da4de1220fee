"""Standing: quietly, or idly with shifts of weight, a step and looks around."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.samples.curves import ease
from motionloom.samples.noise import Nature
from motionloom.samples.person import LEFT, RIGHT, assemble
from motionloom.samples.plants import FootStance
from motionloom.samples.stage import finish, frame_times
from motionloom.samples.standing import Moves, figure, hanging_arm, standing_feet
from motionloom.samples.standing import idle as quietly
from motionloom.samples.stepping import Step, plants_of
from motionloom.samples.styles import GaitStyle, style_named


def stand(seconds: float, style: str, seed: int, fps: float) -> Clip:
    """A person stands still: sway, breath, small shifts of weight; the feet do not move."""
    manner, nature = style_named(style), Nature(seed)
    time = frame_times(seconds, fps)
    return _standing("stand", quietly(time, nature, manner), standing_feet(nature), time, seconds, manner, nature, fps)


def idle(seconds: float, style: str, seed: int, fps: float) -> Clip:
    """A person waits: stands on one leg and then the other, resets a foot, looks around. Labelled `stand`, too."""
    manner, nature = style_named(style), Nature(seed)
    time = frame_times(seconds, fps)
    count = int(np.ceil((seconds + 2) / 2.2))
    at = 2.2 * np.arange(count) + nature.rng("shifts").uniform(0.2, 1.2, count)
    weight = np.zeros(len(time))
    side, now = (1.0 if nature.rng("first leg").random() < 0.5 else -1.0), 0.0
    for k, begin in enumerate(at):
        goal = side * (0.55 + float(nature.draws("how far", count, 0.12)[k]))
        weight += (goal - now) * ease(time, begin, begin + 0.9)
        side, now = -side, goal
    moves = quietly(time, nature, manner, rest=0.2)
    look = np.zeros(len(time))
    for k in range(int(np.ceil(seconds / 3))):
        begin = 3.0 * k + float(nature.rng(f"glance {k}").uniform(0.3, 1.5))
        angle = float(nature.rng(f"glance angle {k}").uniform(0.25, 0.6)) * (
            1 if nature.rng(f"g {k}").random() < 0.5 else -1
        )
        look += angle * (ease(time, begin, begin + 0.45) - ease(time, begin + 1.3, begin + 1.9))
    width = 0.11
    moves = moves.plus(
        x=0.6 * width * weight,
        roll=-0.07 * weight,
        chest_roll=0.09 * weight,
        twist=0.03 * weight,
        chest_twist=0.22 * look,
        head_twist=look,
        shrug=0.01 * np.abs(weight),
    )
    return _standing("idle", moves, _reset_foot(time, weight, seconds, nature), time, seconds, manner, nature, fps)


def _reset_foot(
    time: FloatArray, weight: FloatArray, seconds: float, nature: Nature
) -> tuple[list[FootStance], list[FootStance]]:
    """One foot after the other is set down anew while the other carries the weight."""
    home = tuple(foot[0] for foot in standing_feet(nature))
    steps: list[Step] = []
    for k, begin in enumerate(np.arange(2.0, seconds - 1.0, 4.4)):
        near = (time > begin) & (time < begin + 3.5)
        if not near.any():
            break
        left = bool(k % 2 == 0)  # lift the foot that carries the least
        best = time[near][int((weight[near] * (1 if left else -1)).argmin())]
        old = home[LEFT if left else RIGHT]
        spot = nature.draws(f"reset {k}", 2, 0.012)
        place = (old.place[0] + float(spot[0]), 0.0, old.place[2] + float(spot[1]) + (0.03 if k % 4 < 2 else 0.0))
        steps.append(Step(old.side, best - 0.16, best + 0.16, place, old.heading + 0.05, -0.08, -0.25, 0.03))
    return plants_of((home[0], home[1]), steps)


def _standing(
    name: str,
    moves: Moves,
    plants: tuple[list[FootStance], list[FootStance]],
    time: FloatArray,
    seconds: float,
    style: GaitStyle,
    nature: Nature,
    fps: float,
) -> Clip:
    body = figure(moves, plants, time, fps)
    arms = tuple(hanging_arm(body.trunk, side, time, nature, style) for side in (LEFT, RIGHT))
    rotations = assemble(body.trunk, (arms[0], arms[1]), body.legs)
    labels = {} if name == "stand" else {"stand": np.ones(len(time), bool)}
    return finish(name, body.trunk.root, rotations, fps, seconds, nature.seed, feet=body.feet, labels=labels)
