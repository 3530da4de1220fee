"""A standing body: actions are sums of shifts, leans and turns of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import FloatArray
from motionloom.rotation import about, multiply
from motionloom.samples.curves import min_jerk
from motionloom.samples.legs import hips_height, knee_facing, leg
from motionloom.samples.noise import Nature
from motionloom.samples.person import LEFT, RIGHT, LimbRotations, Trunk
from motionloom.samples.plants import FootMotion, FootStance, foot_motion
from motionloom.samples.styles import GaitStyle
from motionloom.samples.upper import angled_arm, posture


@dataclass(frozen=True, eq=False)
class Moves:
    """How the body is held, frame by frame (F,): metres, and radians. Moves add up."""

    x: FloatArray  # hips on the ground, world
    z: FloatArray
    heading: FloatArray
    crouch: FloatArray  # bend of the standing knees
    lean: FloatArray  # pelvis forward
    roll: FloatArray  # pelvis tips to the left
    twist: FloatArray  # pelvis turns to the left of the heading
    chest_lean: FloatArray  # chest, beyond the pelvis
    chest_roll: FloatArray
    chest_twist: FloatArray
    head_lean: FloatArray  # head, against the world's level and the heading
    head_roll: FloatArray
    head_twist: FloatArray
    shrug: FloatArray  # shoulders up
    reach: FloatArray  # shoulders forward

    def plus(self, **more: ArrayLike) -> Moves:
        """These moves with others added to them."""
        return replace(self, **{n: getattr(self, n) + np.asarray(v, float) for n, v in more.items()})


def still(time: FloatArray) -> Moves:
    """No move at all, over the origin."""
    zero = np.zeros(len(time))
    return Moves(**{f.name: zero for f in fields(Moves)})


def idle(time: FloatArray, nature: Nature, style: GaitStyle, *, width: float = 0.11, rest: float = 1.0) -> Moves:
    """Quiet standing: sway with a 1/f spectrum (about 5 mm), weight shifts from leg to leg, breath, a wandering gaze.

    `rest` scales how much weight is shifted; `width` (m) is half the distance of the feet.
    """
    loose = style.loose
    shift = nature.wander("weight", 0.3 * width * rest * min(loose, 2), 0.05, 0.25)(time)
    sway = nature.wander("sway x", 0.003 * loose, 0.15, 2.5)(time)
    breath = np.sin(2 * np.pi * 0.26 * time + nature.rng("breath").uniform(0, 6.28))
    wander = nature.wander
    lean = style.lean + nature.trait("lean", 0.02)
    tremble = {k: wander(f"tremble {k}", 0.0007, 1.5, 5.0)(time) for k in "xz"}
    return still(time).plus(
        x=shift + sway + tremble["x"],
        z=0.01 + wander("sway z", 0.006 * loose, 0.08, 1.6)(time) + tremble["z"],
        crouch=0.13 + style.crouch + nature.trait("knees", 0.02),
        lean=0.02 + 0.5 * lean + wander("pelvis lean", 0.006, 0.08, 2.0)(time),
        roll=-0.55 * shift / max(width, 0.05) * 0.12 + wander("pelvis roll", 0.003)(time),
        twist=nature.trait("stand twist", 0.03) + wander("pelvis twist", 0.012, 0.06, 0.8)(time),
        chest_lean=0.02
        + style.slump * 0.7
        + 0.5 * lean
        + 0.006 * breath
        + wander("chest lean", 0.008, 0.08, 2.0)(time),
        chest_roll=0.04 * shift / max(width, 0.05) + wander("chest roll", 0.006, 0.08, 1.5)(time),
        chest_twist=wander("chest twist", 0.02, 0.06, 1.2)(time),
        head_lean=style.nod + nature.trait("head pitch", 0.04) + wander("head pitch", 0.025, 0.06, 1.5)(time),
        head_roll=nature.trait("head roll", 0.02) + wander("head roll", 0.015, 0.06, 1.5)(time),
        head_twist=nature.trait("head turn", 0.04) + wander("head turn", 0.06, 0.06, 1.0)(time),
        shrug=0.012 * breath + 0.02,
    )


@dataclass(frozen=True, eq=False)
class Figure:
    """A posed body that still lacks its arms."""

    trunk: Trunk
    feet: tuple[FootMotion, FootMotion]
    legs: tuple[LimbRotations, LimbRotations]


def figure(
    moves: Moves,
    plants: tuple[Sequence[FootStance], Sequence[FootStance]],
    time: FloatArray,
    fps: float,
    *,
    height: FloatArray | None = None,
    knees: tuple[FloatArray, FloatArray] | None = None,
    gaze: FloatArray | None = None,
    cutoff: float = 6.0,
    free: float = 0.985,
) -> Figure:
    """Feet, trunk and legs. The hips ride on the legs, which bend by `moves.crouch` or each by its own of `knees`; or
    they follow `height` (F,) m."""
    m = moves
    feet = (foot_motion(plants[LEFT], time), foot_motion(plants[RIGHT], time))
    pelvis = posture(m.heading, lean=m.lean, roll=m.roll, twist=m.twist)
    chest = posture(m.heading, lean=m.lean + m.chest_lean, roll=m.roll + m.chest_roll, twist=m.twist + m.chest_twist)
    head = posture(m.heading, lean=m.head_lean, roll=m.head_roll, twist=m.head_twist)
    place = np.stack([m.x, m.z], -1)
    if height is None:
        height = hips_height(place, pelvis, feet, knees or (m.crouch, m.crouch), fps, cutoff=cutoff)
    root = np.stack([m.x, height, m.z], -1)
    trunk = Trunk(root, pelvis, chest, head, gaze, collars(m.shrug, m.reach))
    facing = m.heading + m.twist
    legs = tuple(leg(trunk, foot, side, knee_facing(facing, foot), fps, free=free) for side, foot in enumerate(feet))
    return Figure(trunk, feet, (legs[0], legs[1]))


def collars(shrug: FloatArray, reach: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Local rotations of both shoulders: up by `shrug`, forward by `reach` (rad)."""
    return multiply(about(1, -reach), about(2, shrug)), multiply(about(1, reach), about(2, -shrug))


def footprint(
    side: int, x: float, z: float, heading: float = 0.0, *, toe_out: float = 0.16, y: float = 0.0
) -> FootStance:
    """A foot that never leaves the ground."""
    turned = heading + (toe_out if side == LEFT else -toe_out)
    return FootStance(side, (x, y, z), turned, -1e3, -1e3, 1e3, 1e3, 1e3)


def standing_feet(
    nature: Nature, *, width: float = 0.11, heading: float = 0.0
) -> tuple[list[FootStance], list[FootStance]]:
    """Two feet side by side, never quite alike."""
    feet = []
    for side, sign in ((LEFT, 1.0), (RIGHT, -1.0)):
        name = ("left", "right")[side]
        x = sign * (width + nature.trait(f"{name} foot x", 0.008))
        z = nature.trait(f"{name} foot z", 0.02) - 0.02
        out = 0.16 + nature.trait(f"{name} foot out", 0.06)
        place = (np.cos(heading) * x + np.sin(heading) * z, -np.sin(heading) * x + np.cos(heading) * z)
        feet.append([footprint(side, float(place[0]), float(place[1]), heading, toe_out=out)])
    return feet[0], feet[1]


def hanging_arm(trunk: Trunk, side: int, time: FloatArray, nature: Nature, style: GaitStyle) -> LimbRotations:
    """An arm that hangs at rest and sways a little."""
    name = ("left", "right")[side]
    trait, wander = nature.trait, nature.wander
    return angled_arm(
        trunk,
        side,
        flex=0.03 + trait(f"{name} arm", 0.05) + wander(f"{name} flex", 0.025, 0.08, 1.5)(time) + 0.5 * style.lean,
        abduct=0.16 + style.abduct + trait(f"{name} abduct", 0.03) + wander(f"{name} abduct", 0.012, 0.08, 1.2)(time),
        inward=0.2 + 0.4 * style.elbow + trait(f"{name} inward", 0.08),
        elbow=0.3 + style.elbow + trait(f"{name} elbow", 0.08) + wander(f"{name} elbow", 0.03, 0.08, 1.5)(time),
        pronate=0.45 + trait(f"{name} palm", 0.2) + wander(f"{name} palm", 0.03, 0.08, 1.0)(time),
        wrist=0.12 + wander(f"{name} wrist", 0.03, 0.1, 1.0)(time),
    )


def through(time: FloatArray, *keys: tuple[float, float]) -> FloatArray:
    """(F,) a value led through (time, value) keys with least jerk; it rests at both ends and holds there.

    Two equal keys in a row hold exactly; a key that is higher (or lower) than both neighbours is the turning point.
    """
    times, values = zip(*keys, strict=True)
    velocity: dict[int, float] = {}
    acceleration: dict[int, float] = {}
    for k in range(len(keys) - 1):
        if values[k] == values[k + 1]:
            velocity[k] = velocity[k + 1] = acceleration[k] = acceleration[k + 1] = 0.0
        elif k and (values[k] - values[k - 1]) * (values[k + 1] - values[k]) < 0:
            velocity[k] = 0.0
    return min_jerk(times, np.array(values)[:, None], velocity=velocity, acceleration=acceleration)(time)[:, 0]
