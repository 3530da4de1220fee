"""Ducking under something that comes flying."""

from __future__ import annotations

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray
from motionloom.kinematics.fk import end_positions
from motionloom.samples.boxing import guard_arm, guard_moves, stance
from motionloom.samples.noise import Nature
from motionloom.samples.person import LEFT, RIGHT, LimbRotations, assemble
from motionloom.samples.stage import finish, frame_times
from motionloom.samples.standing import Figure, figure, hanging_arm, idle, standing_feet, through
from motionloom.samples.styles import GaitStyle, style_named
from motionloom.samples.upper import angled_arm, mixed_arm


def duck(height: float, side: float, speed: float, position: str, style: str, seed: int, fps: float) -> Clip:
    """A person ducks until the top of the head is `height` m above the ground, stays low for a moment, and gets up.

    `side` from -1 (right) to 1 (left) is the direction in which the trunk dodges; `speed` scales the tempo (1: 0.38 s
    down). With `position` guard it is a boxer, who keeps the fists before the chin.
    """
    manner, nature = style_named(style), Nature(seed)
    tempo = (1 + nature.trait("tempo", 0.06)) / speed
    begin = 0.55 + nature.trait("begin", 0.1)
    beats = (begin, begin + 0.38 * tempo, begin + (0.75 + nature.trait("hold", 0.08)) * tempo, begin + 1.65 * tempo)
    seconds = beats[3] + 0.5
    time = frame_times(seconds, fps)
    low, high = 0.0, 1.25
    clip = _ducked(time, beats, high, side, nature, manner, fps, seconds, seed, position == "guard")
    if _top(clip) > height + 0.005:
        raise BadRequest(f"height: this body can duck to {_top(clip):.2f} m, found {height:g}")
    for _ in range(10):  # how deep is found by halving: the top of the head falls with the depth
        middle = (low + high) / 2
        clip = _ducked(time, beats, middle, side, nature, manner, fps, seconds, seed, position == "guard")
        low, high = (middle, high) if _top(clip) > height else (low, middle)
    return clip


def _top(clip: Clip) -> float:
    """The lowest that the top of the head gets, m."""
    names = [clip.skeleton.roles[end.joint] for end in clip.skeleton.ends]
    return float(end_positions(clip)[:, names.index("head"), 1].min())


def _ducked(
    time: FloatArray,
    beats: tuple[float, float, float, float],
    depth: float,
    aside: float,
    nature: Nature,
    style: GaitStyle,
    fps: float,
    seconds: float,
    seed: int,
    guard: bool,
) -> Clip:
    begin, low, leave, end = beats
    late = 0.06
    down = through(time, (begin, 0.0), (low, 1.0), (leave, 0.93), (end, 0.0))
    after = through(time, (begin + late, 0.0), (low + late, 1.0), (leave + late, 0.95), (end + late, 0.0))
    quiet = guard_moves(time, nature, style) if guard else idle(time, nature, style, rest=0.5)
    glance = 0.25 if guard else 1.0  # a boxer keeps the eyes on the other
    comes = 1.0 if nature.rng("from").uniform() < 0.5 else -1.0  # it is seen coming, and looked after
    seen = through(
        time, (begin - 0.45, 0.0), (begin - 0.15, 1.1), (low, 0.0), (leave, -1.0), (end - 0.45, -1.1), (end + 0.05, 0.0)
    )
    seen = glance * seen
    flinch = through(time, (begin - 0.05, 0.0), (begin + 0.22, 1.0), (leave + 0.1, 1.0), (end, 0.0))
    moves = quiet.plus(
        crouch=1.75 * depth * down,
        z=(-0.05 - 0.02 * depth) * depth * down,
        x=0.07 * aside * down,
        lean=0.62 * depth * down,
        roll=0.16 * aside * depth * down,
        chest_lean=0.42 * depth * after,
        chest_roll=0.3 * aside * depth * after,
        chest_twist=-0.15 * aside * after + 0.1 * comes * seen,
        head_lean=0.3 * min(depth, 1.0) * after - 0.3 * through(time, (low, 0.0), (leave, 1.0), (end, 0.0)),
        head_roll=0.15 * aside * after + 0.2 * comes * seen,
        head_twist=comes * seen,
        shrug=0.18 * flinch,
        reach=0.1 * flinch,
    )
    body = figure(moves, stance(nature) if guard else standing_feet(nature, width=0.14), time, fps)
    none = np.zeros(0)
    arms = tuple(
        guard_arm(body, side, time, none, 1.0, nature)
        if guard
        else _arm(body, side, time, flinch, depth, nature, style)
        for side in (LEFT, RIGHT)
    )
    rotations = assemble(body.trunk, (arms[0], arms[1]), body.legs)
    labels = {"low": (time >= low) & (time <= leave)}
    return finish("duck", body.trunk.root, rotations, fps, seconds, seed, feet=body.feet, labels=labels)


def _arm(
    body: Figure, side: int, time: FloatArray, flinch: FloatArray, depth: float, nature: Nature, style: GaitStyle
) -> LimbRotations:
    """Hands come up before the face."""
    name = ("left", "right")[side]
    cover = angled_arm(
        body.trunk,
        side,
        flex=1.6 + nature.trait(f"{name} cover", 0.15),
        abduct=0.35 + nature.trait(f"{name} wide", 0.08),
        inward=0.45 + nature.trait(f"{name} turn", 0.1),
        elbow=2.0 + nature.trait(f"{name} bend", 0.12),
        pronate=-0.3,
        wrist=0.1,
    )
    share = np.clip(flinch * min(0.45 + 0.5 * depth, 0.95), 0, 1)
    return mixed_arm(body.trunk, side, hanging_arm(body.trunk, side, time, nature, style), cover, share)
