"""Punches: a boxer's stance, a fist that hits a point, and back to the guard."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray
from motionloom.rotation import rotate, slerp
from motionloom.samples.boxing import fist, guard_arm, guard_moves, guard_wrist, stance
from motionloom.samples.curves import bump, min_jerk
from motionloom.samples.noise import Nature
from motionloom.samples.person import FOREARM, LEFT, RIGHT, UPPER_ARM, LimbRotations, assemble
from motionloom.samples.stage import finish, frame_times
from motionloom.samples.standing import Figure, Moves, figure
from motionloom.samples.styles import GaitStyle, style_named
from motionloom.samples.upper import reaching_arm

REACH = 0.965 * (UPPER_ARM + FOREARM)


def punch(target: Sequence[float], hand: str, count: float, speed: float, style: str, seed: int, fps: float) -> Clip:
    """A boxer facing +z punches `count` times; at each hit the hand joint is at `target` (x, y, z) m.

    `speed` scales the tempo of a blow (1: 0.2 s from guard to hit). The label `hit` is on at the frames of the hits.
    """
    manner, nature = style_named(style), Nature(seed)
    side = LEFT if hand == "left" else RIGHT
    blows = round(count)
    gaps = 1.15 / np.sqrt(speed) + nature.draws("gap", blows, 0.16)
    hits = np.round((0.9 + np.concatenate([[0.0], np.cumsum(gaps[1:])])) * fps) / fps
    seconds = float(hits[-1]) + 1.1
    time = frame_times(seconds, fps)
    goal = np.asarray(target, float)
    moves = _moves(time, hits, side, speed, goal, nature, manner)
    plants = stance(nature)
    for _ in range(3):  # step by step bring the shoulder near enough to the target
        body = figure(moves, plants, time, fps)
        moves = _lunge(body, moves, time, hits, side, speed, goal)
    body = figure(moves, plants, time, fps)
    _within_reach(body, time, hits, side, goal)
    arms: list[LimbRotations] = [guard_arm(body, s, time, hits, speed, nature) for s in (LEFT, RIGHT)]
    arms[side] = _blow(body, side, time, hits, speed, goal, nature)
    rotations = assemble(body.trunk, (arms[0], arms[1]), body.legs)
    near = np.abs(time[:, None] - hits).min(1) < 0.5 / fps
    return finish("punch", body.trunk.root, rotations, fps, seconds, seed, feet=body.feet, labels={"hit": near})


def _moves(
    time: FloatArray, hits: FloatArray, side: int, speed: float, goal: FloatArray, nature: Nature, style: GaitStyle
) -> Moves:
    """Guard with a boxer's bounce; each blow turns hips and chest behind the fist, hips first."""
    sign = 1.0 if side == RIGHT else -1.0
    load, drive = np.zeros(len(time)), np.zeros(len(time))
    lead = np.zeros(len(time))
    sizes = 1 + nature.draws("blow", len(hits), 0.08)
    for t, size in zip(hits, sizes, strict=True):
        quick = 0.2 / speed
        load += size * bump(time, t - 2.6 * quick, t - 1.2 * quick, t - 0.1 * quick)
        lead += size * bump(time, t - 1.6 * quick, t - 0.1 * quick, t + 2.4 * quick)
        drive += size * bump(time, t - 1.4 * quick, t + 0.02, t + 2.1 * quick)
    lift = float(np.clip(goal[1] - 1.42, -0.6, 0.4))
    return guard_moves(time, nature, style).plus(
        crouch=0.12 * load + 0.06 * lead,
        lean=0.05 * lead,
        z=-0.02 * load + 0.045 * lead,
        twist=sign * (0.42 * lead - 0.1 * load),
        chest_twist=sign * (0.34 * drive - 0.12 * load),
        chest_lean=0.08 * drive - 0.35 * min(lift, 0.0) * drive,
        chest_roll=0.05 * sign * drive,
        head_lean=0.05 * drive - 0.3 * min(lift, 0.0) * drive,
        head_twist=-0.02 * sign * drive,
        shrug=0.05 * drive,
        reach=0.16 * drive,
    )


def _lunge(
    body: Figure, moves: Moves, time: FloatArray, hits: FloatArray, side: int, speed: float, goal: FloatArray
) -> Moves:
    """Hips go with the blow by what the arm lacks; both feet stay where they are."""
    shoulder = body.trunk.shoulder(side)
    more = np.zeros((len(time), 3))
    for t in hits:
        at = int(np.abs(time - t).argmin())
        line = goal - shoulder[at]
        short = float(np.linalg.norm(line)) - 0.985 * REACH
        if short > 0:
            wave = bump(time, t - 0.3 / speed, t, t + 0.5 / speed)
            more += wave[:, None] * line / np.linalg.norm(line) * min(short * 1.15, 0.25)
    return moves.plus(x=more[:, 0], z=more[:, 2], lean=0.8 * np.maximum(more[:, 2], 0.0), crouch=-1.0 * more[:, 1])


def _within_reach(body: Figure, time: FloatArray, hits: FloatArray, side: int, goal: FloatArray) -> None:
    at = np.abs(time[:, None] - hits).argmin(0)
    far = np.linalg.norm(body.trunk.shoulder(side)[at] - goal, axis=-1).max()
    if far > 0.995 * (UPPER_ARM + FOREARM) or far < 0.2:
        raise BadRequest(
            f"target: {goal.tolist()} is {far:.2f} m from the shoulder at the hit; the arm reaches from 0.2 to "
            f"{0.995 * (UPPER_ARM + FOREARM):.2f} m (try x from -0.4 to 0.3, y from 1.0 to 1.7, z from 0.5 to 0.8 m)"
        )


def _blow(
    body: Figure, side: int, time: FloatArray, hits: FloatArray, speed: float, goal: FloatArray, nature: Nature
) -> LimbRotations:
    """The punching arm: loads a little, shoots to the target, comes back to the guard."""
    sign = 1.0 if side == LEFT else -1.0
    guard = guard_wrist(body.trunk, side, time, nature)
    wrist = guard.copy()
    out = np.zeros(len(time))
    for k, t in enumerate(hits):
        quick = 0.2 / speed * (1 + float(nature.draws("quick", len(hits), 0.06)[k]))
        knots = [t - 2.3 * quick, t - 1.05 * quick, t, t + 0.03, t + 2.0 * quick]
        at = [int(np.abs(time - x).argmin()) for x in knots]
        back = rotate(body.trunk.chest[at[1]], [0.02 * sign, -0.03, -0.07])
        # how far the fist is from its guard, in the world; the guard itself keeps moving with the body
        away = np.array([0 * goal, back, goal - guard[at[2]], goal - guard[at[3]], 0 * goal])
        offset = min_jerk(knots, away, velocity={2: (guard[at[2] - 1] - guard[at[2] + 1]) * 0.5 / (time[1] - time[0])})
        live = (time >= knots[0]) & (time <= knots[-1])
        wrist[live] = guard[live] + offset(time[live])
        out = np.maximum(out, bump(time, t - 1.1 * quick, t, t + 1.9 * quick))
    down = rotate(body.trunk.chest, [0.35 * sign, -1.0, 0.05])
    level = rotate(body.trunk.chest, [0.9 * sign, -0.75, -0.1])
    elbow = down + out[:, None] * (level - down)
    hand = slerp(fist(body.trunk, side, 0.0), fist(body.trunk, side, 1.0), out)
    return reaching_arm(body.trunk, side, wrist, elbow, hand=hand)
