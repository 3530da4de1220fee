"""Why a look is missed: eyes, neck and spine do not reach its target, it is outside the cone, or passed too near."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from motionloom.core import Clip, FloatArray, concatenate
from motionloom.methods.gaze._kernels_targets import BEHIND
from motionloom.methods.gaze.gaze_map import GazeMap
from motionloom.methods.gaze.gaze_shifts import GazeBody, base_gaze, gaze_body
from motionloom.methods.gaze.look_clip import Look, look_clip

SETTLED = 3.0  # times the longest shift of the examples: a look at a point at rest is over by then
MOVING = 0.1  # m/s of a target that moves itself
PASSING = 1.0  # rad/s of the direction to a target that is passed


def out_of_reach(
    made: Clip, base: Clip, looks: Sequence[Look], allowed: Mapping[str, float], gaze_map: GazeMap, cone: float
) -> list[str]:
    """For each missed look (`allowed`: its name and tolerance, rad) how near the gaze comes in its worst frame, if the
    body stood still in it. Looks that would be met are missed because something moves: the body, where it passes them.
    """
    out = []
    body = gaze_body(base)
    count = math.ceil(SETTLED * float(gaze_map.examples[:, 17].max()) * base.fps)
    for look in looks:
        if look.name not in allowed or look.points is None or look.end <= look.start:
            continue
        worst = look.start + int(_off(body, made, look.points)[look.start : look.end].argmax())
        still, points = concatenate([base[worst : worst + 1]] * count), np.tile(look.points[worst], (count, 1))
        found = look_clip(still, gaze_map, [Look(0, count, points)], cone=cone, reaim="no", body=body)
        short = float(_off(body, found, points)[-1])
        if short > allowed[look.name]:
            why = f"at {worst / base.fps:.2f} s the gaze comes no nearer to it than {math.degrees(short):.1f} deg"
            limits = "eyes, neck and spine are at their limits" + (", or it is outside the cone" * (cone < math.pi))
            out.append(f"{look.name}: {why}, as {limits}: choose a target nearer to ahead, or turn the body to it")
            continue
        yaws = look.points[:0, 0] if look.yaws is None else np.abs(look.yaws[look.start : look.end])
        if yaws.max(initial=0.0) > math.pi + BEHIND:
            when = (look.start + int(yaws.argmax())) / base.fps
            out.append(
                f"{look.name}: at {when:.2f} s it is far beyond the middle of the back, so that the gaze changes "
                "sides: leave that moment out, or turn the body"
            )
            continue
        line = (look.points - base_gaze(body, base.root, base.rotations).eye)[look.start : look.end]
        away = np.linalg.norm(line, axis=1)
        line /= away[:, None]
        turn = np.linalg.norm(np.diff(line, axis=0), axis=1, keepdims=True) * base.fps
        if turn.max(initial=0.0) > PASSING and not look.carried:
            at = int(turn.argmax())
            moves = np.linalg.norm(np.diff(look.points[look.start + at :][:2], axis=0)) > MOVING / base.fps
            passes = "it passes the body" if moves else "the body passes it"
            other = "a slower path farther away" if moves else "a target farther from its path"
            out.append(
                f"{look.name}: at {(look.start + at) / base.fps:.2f} s {passes}, {away[at]:.1f} m away, "
                f"faster than the head turns: choose {other}, or leave that moment out"
            )
        else:
            late = f"at {worst / base.fps:.2f} s the gaze is still on its way"
            out.append(f"{look.name}: {late}: let the span begin later, or raise speed")
    return out


def _off(body: GazeBody, clip: Clip, points: FloatArray) -> FloatArray:
    """(F,) rad between the gaze and the points."""
    base = base_gaze(body, clip.root, clip.rotations)
    line = points - base.eye
    return np.arctan2(np.linalg.norm(np.cross(base.gaze, line), axis=1), (base.gaze * line).sum(1))
