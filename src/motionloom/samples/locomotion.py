"""Walks and runs at any speed and turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray
from motionloom.kinematics.mass import GRAVITY
from motionloom.samples.carriage import Carriage, pelvis_and_chest, running, steady_head, swinging_arms, walking
from motionloom.samples.curves import smooth_fit
from motionloom.samples.gait import Gait, Path, Steps, path, plan_steps, run_gait, walk_gait
from motionloom.samples.legs import hips_ceiling, hips_height, knee_facing, leg
from motionloom.samples.noise import Nature
from motionloom.samples.person import LEFT, RIGHT, LimbRotations, Trunk, assemble
from motionloom.samples.plants import FootMotion, foot_motion
from motionloom.samples.stage import PAD, finish, frame_times
from motionloom.samples.styles import GaitStyle, style_named

SHARPEST = 5.0  # m/s^2 sideways: a lean of 27 degrees


@dataclass(frozen=True, eq=False)
class GaitMotion:
    """A walking or running body before its arms are posed; `carry` and others add them."""

    time: FloatArray
    phase: FloatArray
    heading: FloatArray
    trunk: Trunk
    feet: tuple[FootMotion, FootMotion]
    legs: tuple[LimbRotations, LimbRotations]
    carriage: Carriage
    gait: Gait
    nature: Nature
    style: GaitStyle


def walk(
    speed: float, turn: float, seconds: float, target: Sequence[float] | None, style: str, seed: int, fps: float
) -> Clip:
    """A person walks at `speed` m/s, turning left at `turn` rad/s; to `target` (x, z) m along an arc, if given."""
    return _locomotion("walk", speed, turn, seconds, target, style, seed, fps)


def run(
    speed: float, turn: float, seconds: float, target: Sequence[float] | None, style: str, seed: int, fps: float
) -> Clip:
    """A person runs at `speed` m/s, turning left at `turn` rad/s; to `target` (x, z) m along an arc, if given."""
    return _locomotion("run", speed, turn, seconds, target, style, seed, fps)


def _locomotion(
    name: str,
    speed: float,
    turn: float,
    seconds: float,
    target: Sequence[float] | None,
    style: str,
    seed: int,
    fps: float,
) -> Clip:
    if target is not None:
        turn, seconds = arc_to(target, speed)
    stride = moving_body(name, speed, turn, seconds, style, seed, fps)
    arms = swinging_arms(
        stride.carriage, stride.gait, stride.trunk, stride.time, stride.phase, stride.nature, stride.style
    )
    rotations = assemble(stride.trunk, arms, stride.legs)
    return finish(name, stride.trunk.root, rotations, fps, seconds, seed, feet=stride.feet)


def arc_to(target: Sequence[float], speed: float) -> tuple[float, float]:
    """Turn rate (rad/s) and seconds of the arc that starts at the origin along +z and ends at `target` (x, z)."""
    x, z = (float(v) for v in target)
    far = float(np.hypot(x, z))
    if far < 0.5:
        raise BadRequest(f"target: expected a place at least 0.5 m away, found one {far:.2f} m away")
    half = float(np.arctan2(x, z))  # the tangent turns by twice the angle of the chord
    length = far if abs(half) < 1e-6 else far * half / np.sin(half)
    return 2 * half * speed / length, length / speed


def moving_body(name: str, speed: float, turn: float, seconds: float, style: str, seed: int, fps: float) -> GaitMotion:
    """Everything but the arms of a walk or run."""
    manner, nature = style_named(style), Nature(seed)
    if abs(speed * turn) > SHARPEST:
        most, whole = SHARPEST / speed, np.floor(np.degrees(SHARPEST / speed))
        raise BadRequest(
            f"turn: at {speed:g} m/s expected at most {most:.2f} rad/s ({whole:.0f}deg/s) to either side "
            f"({SHARPEST:g} m/s^2 sideways), found {turn:.2f} rad/s ({np.degrees(turn):.0f}deg/s)"
        )
    runs = name == "run"
    gait = (run_gait if runs else walk_gait)(speed, turn, manner, nature)
    carriage = (running if runs else walking)(speed, manner, nature)
    time = frame_times(seconds, fps)
    fine = np.arange(-PAD - 3.0, seconds + PAD + 3.0, 1 / 240)
    drift = nature.wander("speed", 0.012 * speed, 0.05, 0.3)(fine)
    weave = nature.wander("weave", 0.010 + manner.weave, 0.08, 0.35)
    rate = turn + np.gradient(weave(fine), fine)
    inside = (fine >= 0) & (fine <= seconds)
    route = path(speed + drift - drift[inside].mean(), rate, fine)
    bank = np.arctan(speed * turn / GRAVITY)
    steps = plan_steps(gait, route, -PAD - 0.5, seconds + PAD + 0.5, nature, manner, outward=0.9 * np.sin(bank))
    feet = (foot_motion(steps.plants[LEFT], time), foot_motion(steps.plants[RIGHT], time))
    phase = steps.phase(time)[:, 0]
    heading = route.facing(time)
    tilt = np.full(len(time), bank)
    pelvis, chest = pelvis_and_chest(carriage, gait, time, phase, heading, tilt, nature, manner)
    place = hips_place(route, carriage, time, phase, heading) + tremble(nature, time)
    if runs:
        height = running_height(steps, time, place, pelvis, feet, fps, manner)
    else:
        cutoff = 5.0 + 4.0 * min(speed / 1.4, 1.0)  # slow steps land softly
        height = hips_height(place, pelvis, feet, walking_knees(gait, speed, phase, manner), fps, cutoff=cutoff)
    root = np.stack([place[:, 0], height, place[:, 1]], -1)
    look = np.clip(0.35 * turn, -0.5, 0.5) * np.ones(len(time))
    head = steady_head(carriage, time, phase, heading, tilt, look, nature, manner)
    trunk = Trunk(root, pelvis, chest, head)
    legs = tuple(
        leg(trunk, foot, side, knee_facing(heading, foot), fps, free=0.95 if runs else 0.985)
        for side, foot in enumerate(feet)
    )
    return GaitMotion(time, phase, heading, trunk, feet, (legs[0], legs[1]), carriage, gait, nature, manner)


def hips_place(route: Path, c: Carriage, time: FloatArray, phase: FloatArray, heading: FloatArray) -> FloatArray:
    """(F, 2) hips on the ground: along the path, surging twice and swaying once per stride."""
    forward = np.stack([np.sin(heading), np.cos(heading)], -1)
    left = np.stack([np.cos(heading), -np.sin(heading)], -1)
    surge = c.surge * np.cos(2 * (phase - 2 * np.pi * c.surge_phase))
    sway = c.sway * np.cos(phase - 2 * np.pi * 0.28)
    return route.at(time) + surge[:, None] * forward + sway[:, None] * left


def tremble(nature: Nature, time: FloatArray) -> FloatArray:
    """(F, 2) slow random displacement of about a millimetre."""
    return np.stack([nature.wander(f"tremble {k}", 0.0017, 1.5, 5.0)(time) for k in "xz"], -1)


def walking_knees(gait: Gait, speed: float, phase: FloatArray, style: GaitStyle) -> tuple[FloatArray, FloatArray]:
    """Flexion (F,) rad of each knee while it carries weight: Winter's curve with a loading peak at 14 % of the stride
    that grows with speed, nearly straight at 40 %. Both bend where both feet stand: captured hips sink by 3 to 4 cm."""
    load = np.radians(3 + 7 * min(speed / 1.4, 1.7)) + 0.3 * style.crouch
    straight = np.radians(10) + style.crouch
    sink = np.radians(16 * min(speed / 1.4, 1.0) ** 2)
    out = []
    for shift in (0.0, np.pi):
        cycle = ((phase - shift) / (2 * np.pi)) % 1.0
        hump = np.exp(-0.5 * ((cycle - 0.15) / 0.075) ** 2)
        rise = style.bounce * 8 * np.exp(-0.5 * ((cycle - 0.3) / 0.08) ** 2)
        low = sum(np.exp(-0.5 * (((cycle - at + 0.5) % 1.0 - 0.5) / 0.06) ** 2) for at in (0.03, 0.55))
        out.append(np.maximum(straight + load * hump + sink * low - rise, 0.06))
    return out[0], out[1]


def running_height(
    steps: Steps,
    time: FloatArray,
    place: FloatArray,
    pelvis: FloatArray,
    feet: tuple[FootMotion, FootMotion],
    fps: float,
    style: GaitStyle,
) -> FloatArray:
    """(F,) hips of a runner: free fall while both feet are off the ground, a half-sine push while one stands.

    Force F(t) = m g (pi/2) (T_step / t_contact) sin(pi t / t_contact) (Morin et al. 2005), with a second sine that
    moves some of it forward to the impact, integrated twice; the level is set by a knee bent 40 degrees in stance.
    """
    fine = np.arange(time[0], time[-1] + 1 / 480, 1 / 480)
    stances = sorted((p for side in steps.plants for p in side), key=lambda p: p.strike)
    middle = np.array([(p.strike + p.off) / 2 for p in stances])
    gap = np.gradient(middle)
    push = np.zeros(len(fine))
    for p, share in zip(stances, gap, strict=True):
        u = (fine - p.strike) / (p.off - p.strike)
        shape = np.pi / 2 * np.sin(np.pi * u) + 0.5 * np.sin(2 * np.pi * u)
        push += np.where((u > 0) & (u < 1), share / (p.off - p.strike) * shape, 0.0)
    speed = np.cumsum((push - 1) * GRAVITY) / 480
    rise = np.cumsum(speed - speed.mean()) / 480
    y = np.interp(time, fine, rise)
    knee = np.full(len(time), np.radians(40.0) + style.crouch)
    want = hips_height(place, pelvis, feet, (knee, knee), fps, cutoff=8.0)
    weight = np.maximum(feet[0].support, feet[1].support) ** 4
    y = y + smooth_fit(want - y, weight, fps, 0.45)
    stretched = float((y - hips_ceiling(place, pelvis, feet, np.radians(9.0))).max())
    standing = float((y - hips_ceiling(place, pelvis, feet, np.radians(9.0), in_air=False)).max())
    return y - max(standing, min(stretched, 0.03), 0.0)
