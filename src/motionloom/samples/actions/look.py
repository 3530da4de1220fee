"""Looking around: the eyes jump first, the head follows, and the chest joins in for far targets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.samples.curves import ease
from motionloom.samples.noise import Nature
from motionloom.samples.person import EYE, LEFT, RIGHT, assemble
from motionloom.samples.stage import finish, frame_times
from motionloom.samples.standing import figure, hanging_arm, idle, standing_feet
from motionloom.samples.styles import style_named
from motionloom.samples.upper import posture

MAX_EYE_TURN = 0.6  # rad that an eye turns in the head


def look(target: Sequence[float] | None, speed: float, seconds: float, style: str, seed: int, fps: float) -> Clip:
    """A person stands and looks around; with `target` (x, y, z) m, looks ahead, at the target, and ahead again.

    Gaze shifts as people make them (Freedman 2008): a saccade of the eyes, a head turn that starts
    with it, takes longer (2 to 3 ms a degree and more), overshoots a little and carries most of a large shift; the
    eyes turn back against the head so that the gaze stays where it landed. `speed` scales the head's tempo.
    The label `fixation` is on while the gaze rests.
    """
    manner, nature = style_named(style), Nature(seed)
    time = frame_times(seconds, fps)
    shifts = _targets(target, seconds, nature)
    quiet = idle(time, nature, manner)
    zero = np.zeros(len(time))
    gaze, head, chest = (np.stack([zero, zero], -1) for _ in range(3))  # yaw (left) and pitch (down), rad
    resting = np.ones(len(time), bool)
    before = {"gaze": np.zeros(2), "head": np.zeros(2), "chest": np.zeros(2)}
    for k, (start, aim) in enumerate(shifts):
        amount = float(np.abs(aim - before["gaze"]).max())
        goal_chest = np.array([_beyond(aim[0], 0.3) * 0.5, _beyond(aim[1], 0.2) * 0.4])
        goal_head = np.array([_beyond(aim[0], 0.12) * 0.86, _beyond(aim[1], 0.1) * 0.75])
        saccade = 0.021 + 0.126 * amount  # 2.2 ms a degree and 21 ms more (Carpenter 1988)
        turn = float((0.22 + 0.24 * amount) / speed) * (1 + float(nature.draws("turn time", len(shifts), 0.1)[k]))
        gaze += (aim - before["gaze"]) * ease(time, start, start + saccade)[:, None]
        head += (goal_head - before["head"]) * _overshoot(time, start + 0.02, turn, 0.05)[:, None]
        chest += (goal_chest - before["chest"]) * _overshoot(time, start + 0.08, 1.35 * turn, 0.03)[:, None]
        resting &= ~((time >= start) & (time < start + saccade))
        before = {"gaze": aim, "head": goal_head, "chest": goal_chest}
    moves = quiet.plus(
        x=0.05 * chest[:, 0],
        roll=-0.03 * chest[:, 0],
        twist=0.35 * chest[:, 0],
        chest_twist=0.65 * chest[:, 0],
        chest_lean=chest[:, 1],
        head_twist=head[:, 0] - 0.7 * quiet.head_twist,
        head_lean=head[:, 1] - 0.6 * quiet.head_lean,
        head_roll=-0.12 * head[:, 0] * np.sign(head[:, 1] + 0.2),
    )
    # an eye cannot leave its socket: the gaze stays within reach of where the head points
    yaw = moves.head_twist + _in_socket(gaze[:, 0] - moves.head_twist)
    pitch = moves.head_lean + _in_socket(gaze[:, 1] - moves.head_lean)
    body = figure(moves, standing_feet(nature), time, fps, gaze=posture(yaw, lean=pitch))
    arms = tuple(hanging_arm(body.trunk, side, time, nature, manner) for side in (LEFT, RIGHT))
    rotations = assemble(body.trunk, (arms[0], arms[1]), body.legs)
    return finish("look", body.trunk.root, rotations, fps, seconds, seed, feet=body.feet, labels={"fixation": resting})


def _in_socket(angle: FloatArray) -> FloatArray:
    """How far an eye turns that should turn by `angle`: exactly up to two thirds of its range, then ever less."""
    free = MAX_EYE_TURN * 2 / 3
    past = np.maximum(np.abs(angle) - free, 0.0)
    return np.sign(angle) * (
        np.minimum(np.abs(angle), free) + (MAX_EYE_TURN - free) * np.tanh(past / (MAX_EYE_TURN - free))
    )


def _beyond(angle: float, free: float) -> float:
    """What is left of an angle when the first `free` rad of it cost nothing."""
    return float(np.sign(angle) * max(abs(angle) - free, 0.0))


def _overshoot(time: FloatArray, start: float, lasts: float, beyond: float) -> FloatArray:
    """(F,) from 0 to 1 in `lasts` s, past the goal by the part `beyond`, and back."""
    there = ease(time, start, start + lasts)
    back = ease(time, start + 0.85 * lasts, start + 1.9 * lasts)
    return (1 + beyond) * there - beyond * back


def _targets(target: Sequence[float] | None, seconds: float, nature: Nature) -> list[tuple[float, FloatArray]]:
    """When the gaze shifts and where to: (s, (yaw, pitch) rad)."""
    if target is not None:
        line = np.asarray(target, float) - [0.0, EYE, 0.08]
        aim = np.array([np.arctan2(line[0], line[2]), -np.arctan2(line[1], np.hypot(line[0], line[2]))])
        return [(0.25 * seconds, aim), (0.75 * seconds, np.array([0.0, 0.0]))]
    rng = nature.rng("targets")
    shifts, now, aim = [], 0.4 + rng.uniform(0, 0.4), np.zeros(2)
    while now < seconds - 0.3:
        side = -np.sign(aim[0]) if abs(aim[0]) > 0.5 else rng.choice([-1.0, 1.0])
        if rng.uniform() < 0.2:  # a small look nearby
            aim = aim + np.array([rng.normal(0, 0.14), rng.normal(0, 0.08)])
        else:
            aim = np.array([side * rng.uniform(0.4, 1.45), rng.normal(0.05, 0.16)])
        shifts.append((float(now), np.clip(aim, [-1.5, -0.5], [1.5, 0.7])))
        now += rng.uniform(0.55, 1.5)
    return shifts
