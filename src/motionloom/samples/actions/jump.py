"""Jumps: crouch, push off, free flight, and a landing that gives."""

from __future__ import annotations

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray
from motionloom.kinematics.mass import GRAVITY
from motionloom.samples.curves import Curve, ease, min_jerk
from motionloom.samples.joining import walked
from motionloom.samples.noise import Nature
from motionloom.samples.person import HIPS, LEFT, RIGHT, LimbRotations, assemble
from motionloom.samples.plants import FootStance, Swing
from motionloom.samples.stage import finish, frame_times
from motionloom.samples.standing import Figure, Moves, figure, hanging_arm, idle, standing_feet, through
from motionloom.samples.styles import GaitStyle, style_named
from motionloom.samples.upper import angled_arm, mixed_arm

RISE = 0.06  # m by which the hips leave the ground above quiet standing: legs straight, heels up


def jump(height: float, distance: float, turn: float, approach: str, style: str, seed: int, fps: float) -> Clip:
    """A person jumps: the hips rise by `height` m above standing, the feet land `distance` m ahead.

    The body turns by `turn` rad in the air. While both feet are in the air the hips follow
    y(t) = y0 + v t - g t^2 / 2 exactly, at a constant speed over the ground.
    With `approach` walk, the person walks up before and walks on afterwards.
    """
    manner, nature = style_named(style), Nature(seed)
    stand = HIPS - 0.008 - 0.05 * manner.crouch
    height = height * (1 + nature.trait("jump height", 0.01))
    up = float(np.sqrt(2 * GRAVITY * (height - RISE)))
    low = stand - 0.05 - 0.04 * min(distance, 1.5)  # hips at touch-down: knees already bent
    fall = float(np.sqrt(2 * GRAVITY * max(stand + height - low, 0.0)))
    flight = (up + fall) / GRAVITY
    wait = 0.55 + nature.trait("wait", 0.1)
    dip = 0.42 + 0.12 * height + nature.trait("dip", 0.03)
    push = 0.26 + 0.1 * height + nature.trait("push", 0.015)
    off = wait + dip + push
    down = off + flight
    absorb, rise = 0.2 + 0.05 * height, 0.62 + nature.trait("rise", 0.06)
    seconds = down + absorb + rise + 0.6
    farthest = 0.4 + 3.0 * flight  # people leave the ground at about 3 m/s in a standing long jump
    if distance > farthest:
        message = (
            f"distance: a jump {height:.2f} m high carries at most {farthest:.2f} m, found {distance:g}; jump higher"
        )
        raise BadRequest(message)
    time = frame_times(seconds, fps)
    beats = (wait, wait + dip, off, down, down + absorb, down + absorb + rise)
    y = _height(beats, stand, height, up, fall, low)(time)[:, 0]
    z = _travel(beats, distance, flight)(time)[:, 0]
    moves = _moves(time, beats, height, distance, turn, nature, idle(time, nature, manner, rest=0.5), z)
    plants = _feet(beats, distance, turn, height, nature)
    blend = _in_charge(time, beats)
    quiet = figure(moves, plants, time, fps).trunk.root[:, 1]
    body = figure(moves, plants, time, fps, height=y * blend + quiet * (1 - blend), free=0.97)
    arms = tuple(_arm(body, side, time, beats, height, distance, nature, manner) for side in (LEFT, RIGHT))
    rotations = assemble(body.trunk, (arms[0], arms[1]), body.legs)
    flying = (time > off) & (time < down)
    clip = finish("jump", body.trunk.root, rotations, fps, seconds, seed, feet=body.feet, labels={"flight": flying})
    return walked(clip, style=style, seed=seed, fps=fps) if approach == "walk" else clip


Beats = tuple[float, float, float, float, float, float]


def _in_charge(time: FloatArray, beats: Beats) -> FloatArray:
    """(F,) 1 where the jump's own curve sets the height, 0 where quiet standing does."""
    return ease(time, beats[0] - 0.05, beats[0] + 0.25) - ease(time, beats[5] - 0.35, beats[5] + 0.1)


def _height(beats: Beats, stand: float, height: float, up: float, fall: float, low: float) -> Curve:
    """Hips: down, up to take-off at the speed that free flight needs, a parabola, down again, and up to standing."""
    wait, deep, off, down, bottom, end = beats
    dip = 0.16 + 0.38 * min(height, 0.6)
    give = 0.1 + 0.38 * min(height, 0.6)
    apex = off + up / GRAVITY
    knots = [wait, deep, off, apex, down, bottom, end]
    values = [stand, stand - dip, stand + RISE, stand + height, low, low - give, stand]
    return min_jerk(
        knots,
        np.array(values)[:, None],
        velocity={1: 0.0, 2: up, 3: 0.0, 4: -fall, 5: 0.0},
        acceleration={2: -GRAVITY, 3: -GRAVITY, 4: -GRAVITY},
    )


def _travel(beats: Beats, distance: float, flight: float) -> Curve:
    """Hips over the ground: they fall forward from the toes, fly at a constant speed and stop over the feet."""
    wait, deep, off, down, bottom, end = beats
    lead, behind = 0.02 + 0.2 * min(distance, 1.5), 0.01 + 0.16 * min(distance, 1.5)
    speed = (distance - behind - lead) / flight
    values = [0.01, -0.05 - 0.02 * distance, lead, distance - behind, distance - 0.25 * behind, distance + 0.01]
    return min_jerk(
        [wait, deep, off, down, bottom, end],
        np.array(values)[:, None],
        velocity={2: speed, 3: speed},
        acceleration={2: 0.0, 3: 0.0},
    )


def _moves(
    time: FloatArray,
    beats: Beats,
    height: float,
    distance: float,
    turn: float,
    nature: Nature,
    base: Moves,
    z: FloatArray,
) -> Moves:
    wait, deep, off, down, bottom, end = beats
    effort = min(height / 0.4 + 0.4 * distance, 1.6)
    bend = 0.5 + 0.22 * effort
    back = 0.24 + 0.3 * effort
    lean = through(
        time,
        (wait, 0),
        (deep, bend),
        (off, 0.06 + 0.12 * distance),
        (down, 0.14 + 0.2 * distance),
        (bottom, back),
        (end, 0),
    )
    chest = through(time, (wait, 0), (deep, 0.22), (off, -0.1), (down, 0.08), (bottom, 0.18), (end, 0))
    look = through(time, (wait, 0), (deep, 0.12), (off, -0.06), (down - 0.1, 0.2), (bottom, 0.18), (end, 0))
    spin = through(time, (deep + 0.1, 0.0), (off, 0.18 * turn), (down, 0.96 * turn), (end, turn))
    return base.plus(
        z=z - base.z,
        heading=spin,
        lean=lean,
        chest_lean=chest,
        head_lean=look,
        roll=through(
            time, (wait, 0), (off, nature.trait("tilt", 0.02)), (bottom, nature.trait("tilt2", 0.03)), (end, 0)
        ),
        twist=through(
            time, (wait, 0), (deep, nature.trait("wind", 0.04)), (bottom, nature.trait("wind2", 0.05)), (end, 0)
        ),
    )


def _feet(
    beats: Beats, distance: float, turn: float, height: float, nature: Nature
) -> tuple[list[FootStance], list[FootStance]]:
    _, deep, off, down, _, _ = beats
    before = standing_feet(nature)
    out: tuple[list[FootStance], list[FootStance]] = ([], [])
    far = min(distance, 1.5)
    for side in (LEFT, RIGHT):
        a = before[side][0]
        late = nature.trait(f"foot {side} late", 0.008)
        x = a.place[0] * (1.05 + 0.1 * height)
        z = a.place[2] + nature.trait(f"foot {side} land", 0.02)
        c, s = np.cos(turn), np.sin(turn)
        land = (c * x + s * z, 0.0, -s * x + c * z + distance)
        tuck = height - RISE + 0.05 + 0.12 * far
        keys = (
            (0.2, 0.12, 0.13 + 0.62 * (height - RISE) + 0.04 * far, -np.radians(42)),
            (0.52, 0.5, 0.07 + tuck, -np.radians(28 - 14 * far)),
            (0.84, 0.86, 0.09 + 0.45 * (height - RISE) + 0.05 * far, -np.radians(16 - 26 * far)),
        )
        strike = -np.radians(11) + np.radians(30) * far
        push = off - deep
        out[side].append(
            FootStance(
                side,
                a.place,
                a.heading,
                -1e3,
                -1e3,
                off - 0.62 * push + late,
                off - 0.1,
                off,
                0.0,
                -np.radians(40),
                -np.radians(24),
                Swing(keys, 0.0, (0.0, 0.35)),
            )
        )
        out[side].append(
            FootStance(
                side,
                (float(land[0]), 0.0, float(land[2])),
                a.heading + turn + nature.trait(f"foot {side} turn", 0.04),
                down + abs(late),
                down + abs(late) + 0.085,
                1e3,
                1e3,
                1e3,
                float(strike),
            )
        )
    return out


def _arm(
    body: Figure,
    side: int,
    time: FloatArray,
    beats: Beats,
    height: float,
    distance: float,
    nature: Nature,
    style: GaitStyle,
) -> LimbRotations:
    """Arms swing back in the crouch, up through take-off, and come down for balance."""
    wait, deep, off, down, bottom, end = beats
    name = ("left", "right")[side]
    more = 1 + nature.trait(f"{name} swing", 0.1)
    swing = min(0.62 + 0.9 * height, 1.15) * more
    flex = through(
        time,
        (wait - 0.05, 0.03),
        (deep - 0.08, -0.8 * swing),
        (off + 0.02, 1.5 * swing),
        (down - 0.08, 1.0),
        (bottom + 0.05, 0.35),
        (end, 0.03),
    )
    elbow = through(
        time,
        (wait - 0.05, 0.3),
        (deep - 0.06, 0.35),
        (off - 0.1, 0.75),
        (down - 0.05, 0.6),
        (bottom, 0.55),
        (end + 0.1, 0.3),
    )
    abduct = through(time, (wait, 0.16), (deep, 0.3), (off, 0.22), (down, 0.5), (bottom, 0.42), (end, 0.16))
    swung = angled_arm(
        body.trunk,
        side,
        flex=flex + nature.wander(f"{name} flex", 0.025)(time),
        abduct=abduct + nature.trait(f"{name} abduct", 0.04),
        inward=0.15,
        elbow=elbow + nature.trait(f"{name} elbow", 0.08),
        pronate=0.4 + nature.trait(f"{name} palm", 0.15),
        wrist=0.1,
    )
    quiet = hanging_arm(body.trunk, side, time, nature, style)
    return mixed_arm(body.trunk, side, quiet, swung, _in_charge(time, beats))
