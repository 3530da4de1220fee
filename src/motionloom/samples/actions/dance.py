"""A dance: sixteen counts of steps, sways and turns, again and again, to a beat."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.samples.curves import ease, min_jerk
from motionloom.samples.noise import Nature
from motionloom.samples.person import LEFT, RIGHT, LimbRotations, Trunk, assemble
from motionloom.samples.plants import FootStance
from motionloom.samples.stage import PAD, finish, frame_times
from motionloom.samples.standing import Moves, figure, footprint, idle
from motionloom.samples.stepping import Step, on_ground, plants_of, weight_path
from motionloom.samples.styles import style_named
from motionloom.samples.upper import angled_arm

COUNTS = 16
HALF = 0.12  # m, half the distance of the feet at home

# (count, foot, x left m, z ahead m, eighths of a turn so far, weight): the step lands on that count
_STEPS = (
    (1, RIGHT, -0.38, 0.0, 0, 1.0),
    (2, LEFT, -0.16, 0.0, 0, 0.3),
    (3, LEFT, 0.38, 0.0, 0, 1.0),
    (4, RIGHT, 0.14, 0.0, 0, 0.3),
    (5, RIGHT, -0.24, 0.30, 0, 1.0),
    (6, LEFT, 0.24, 0.30, 0, 1.0),
    (7, RIGHT, -0.17, 0.0, 0, 1.0),
    (8, LEFT, 0.17, 0.0, 0, 0.6),
    (13, RIGHT, -0.14, 0.04, 1, 1.0),
    (14, LEFT, 0.14, 0.02, 2, 1.0),
    (15, RIGHT, -0.14, 0.02, 3, 1.0),
    (16, LEFT, 0.14, 0.0, 4, 0.6),
)
_SWAYS = {9: -0.15, 10: 0.15, 11: -0.15, 12: 0.12}  # hips to the right and left on the spot, m

# per count: flex, abduct, inward, elbow of the left arm and of the right arm, rad
_ARMS: dict[int, tuple[float, ...]] = {
    1: (0.5, 0.25, 0.9, 1.3, 0.35, 0.75, 0.1, 1.0),
    2: (0.75, 0.15, 0.5, 1.6, 0.75, 0.15, 0.5, 1.6),
    3: (0.35, 0.75, 0.1, 1.0, 0.5, 0.25, 0.9, 1.3),
    4: (0.75, 0.15, 0.5, 1.6, 0.75, 0.15, 0.5, 1.6),
    5: (0.6, 0.2, 0.5, 1.5, 1.9, 0.5, 0.0, 0.5),
    6: (1.9, 0.5, 0.0, 0.5, 2.1, 0.55, 0.0, 0.45),
    7: (1.2, 0.6, 0.2, 1.0, 0.9, 0.5, 0.3, 1.3),
    8: (0.2, 0.3, 0.3, 0.8, 0.2, 0.3, 0.3, 0.8),
    9: (0.6, 0.3, 0.7, 1.5, 1.7, 0.9, -0.3, 0.9),
    10: (1.7, 0.9, -0.3, 0.9, 0.6, 0.3, 0.7, 1.5),
    11: (0.6, 0.3, 0.7, 1.5, 1.8, 0.9, -0.3, 0.8),
    12: (1.8, 0.9, -0.3, 0.8, 0.6, 0.3, 0.7, 1.5),
    13: (0.3, 1.0, 0.1, 0.6, 0.3, 1.0, 0.1, 0.6),
    14: (0.25, 1.15, 0.0, 0.4, 0.25, 1.15, 0.0, 0.4),
    15: (0.3, 1.05, 0.1, 0.5, 0.3, 1.05, 0.1, 0.5),
    16: (0.5, 0.5, 0.5, 1.2, 0.5, 0.5, 0.5, 1.2),
}


def dance(bpm: float, seconds: float, style: str, seed: int, fps: float) -> Clip:
    """A person dances a routine of sixteen counts at `bpm` beats a minute, over and over, a little different each time.

    Side steps with a touch, a step forward and back with both arms up, four sways of the hips, and half a turn to the
    left in four steps: after two rounds it is back where it began. The label `routine` is on in every second round.
    """
    manner, nature = style_named(style), Nature(seed)
    time = frame_times(seconds, fps)
    beat = 60.0 / bpm
    rounds = int(np.ceil((seconds + 2 * PAD) / (COUNTS * beat))) + 2
    start = -COUNTS * beat * (1 + int(np.ceil(PAD / (COUNTS * beat))))  # counts are heard from the clip's start on
    home = (footprint(LEFT, HALF, 0.0), footprint(RIGHT, -HALF, 0.0))
    steps, sways, turns = _choreography(start, beat, rounds, nature)
    moves = _moves(time, beat, home, steps, sways, turns, nature, idle(time, nature, manner, rest=0.0))
    body = figure(moves, plants_of(home, steps), time, fps)
    arms = _arms(body.trunk, time, start, beat, rounds, nature)
    rotations = assemble(body.trunk, arms, body.legs)
    odd = (np.floor((time - start) / (COUNTS * beat)).astype(int) % 2).astype(bool)
    return finish("dance", body.trunk.root, rotations, fps, seconds, seed, feet=body.feet, labels={"routine": odd})


Turns = list[tuple[float, float]]


def _choreography(
    start: float, beat: float, rounds: int, nature: Nature
) -> tuple[list[Step], list[tuple[float, float]], Turns]:
    steps: list[Step] = []
    sways: list[tuple[float, float]] = []
    turns: Turns = []
    size = 1 + nature.trait("size", 0.06)
    late = nature.draws("late", rounds * COUNTS, 0.012)
    aside = nature.draws("aside", 2 * rounds * COUNTS, 0.012)
    for r in range(rounds):
        for n, (count, side, x, z, eighth, weight) in enumerate(_STEPS):
            k = r * COUNTS + n
            land = start + (r * COUNTS + count) * beat + float(late[k])
            heading = (4 * r + eighth) * np.pi / 4
            spot = on_ground(x * size + float(aside[2 * k]), z * size + float(aside[2 * k + 1]), heading)
            out = 0.2 if side == LEFT else -0.2
            turn = heading + (out if eighth else 0.8 * out)
            small = 0.6 if weight < 0.5 else 1.0
            steps.append(
                Step(side, land - 0.62 * beat, land, (spot[0], 0.0, spot[1]), turn, -0.16, -0.42 * small, 0.075, weight)
            )
            if eighth:
                turns.append((land, heading))
        for count, to in _SWAYS.items():
            t = start + (r * COUNTS + count) * beat + float(late[r * COUNTS + count - 1])
            sways.append((t, to * size * (1 + float(aside[2 * (r * COUNTS + count - 1)]) * 8)))
    return steps, sways, turns


def _moves(
    time: FloatArray,
    beat: float,
    home: tuple[FootStance, FootStance],
    steps: list[Step],
    sways: list[tuple[float, float]],
    turns: Turns,
    nature: Nature,
    base: Moves,
) -> Moves:
    path = weight_path(home, steps, time, share=0.7)
    swing = np.zeros(len(time))
    for t, to in sways:
        u = (time - t) / beat
        swing += to * np.exp(-0.5 * (u / 0.42) ** 2)
    heading = np.zeros(len(time))
    now = 0.0
    for t, to in turns:
        heading = heading + (to - now) * ease(time, t - 0.95 * beat, t + 0.25 * beat)
        now = to
    left = np.stack([np.cos(heading), -np.sin(heading)], -1)
    x, z = path[:, 0] + swing * left[:, 0], path[:, 1] + swing * left[:, 1]
    aside = np.gradient(x * left[:, 0] + z * left[:, 1], time)  # m/s to the dancer's left
    pulse = 2 * np.pi * time / beat
    groove = 1 + nature.wander("groove", 0.15, 0.05, 0.3)(time)
    return base.plus(
        x=x - 0.6 * base.x,
        z=z - 0.6 * base.z,
        heading=heading,
        crouch=0.24 + 0.11 * groove * np.cos(pulse) + 0.02 * np.cos(2 * pulse),
        lean=0.05 + 0.02 * np.cos(pulse - 0.5),
        roll=-0.5 * swing - 0.10 * np.clip(aside, -1, 1),
        twist=0.10 * groove * np.sin(pulse / 2 + 0.4) - 0.35 * swing,
        chest_lean=0.04 + 0.03 * np.cos(pulse - 1.1),
        chest_roll=0.75 * swing + 0.16 * np.clip(aside, -1, 1),
        chest_twist=-0.16 * groove * np.sin(pulse / 2 + 0.1),
        head_lean=0.05 + 0.07 * groove * np.cos(pulse - 0.9),
        head_roll=0.06 * np.sin(pulse / 2 - 0.3),
        head_twist=0.08 * np.sin(pulse / 4),
        shrug=0.05 + 0.03 * np.cos(pulse - 0.4),
    )


def _arms(
    trunk: Trunk, time: FloatArray, start: float, beat: float, rounds: int, nature: Nature
) -> tuple[LimbRotations, LimbRotations]:
    """Both arms pass through one pose per count, never twice exactly the same."""
    counts = np.arange(1, rounds * COUNTS + 1)
    poses = np.array([_ARMS[int(c - 1) % COUNTS + 1] for c in counts])
    rng = nature.rng("arm poses")
    poses = poses + rng.normal(0, 0.07, poses.shape).clip(-0.15, 0.15) * nature.amount
    poses = poses * (1 + np.array([nature.trait(f"arm size {k}", 0.06) for k in range(8)]))
    times = start + counts * beat + rng.normal(0, 0.014, len(counts)).clip(-0.03, 0.03)
    keep = (times > time[0] - 4 * beat) & (times < time[-1] + 4 * beat)
    value = min_jerk(times[keep], poses[keep])(time)
    arms = []
    for side in (LEFT, RIGHT):
        flex, abduct, inward, elbow = value[:, 4 * side : 4 * side + 4].T
        lag = np.roll(elbow, max(1, round(0.06 / (time[1] - time[0]))))
        arms.append(
            angled_arm(
                trunk,
                side,
                flex=flex,
                abduct=np.maximum(abduct, 0.08),
                inward=inward,
                elbow=np.maximum(elbow, 0.1),
                pronate=0.4 + 0.3 * (elbow - 1.0),
                wrist=0.35 * (lag - elbow),
            )
        )
    return arms[0], arms[1]
