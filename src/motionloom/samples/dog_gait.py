"""A dog that walks or trots at any speed and turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.rotation import about, multiply
from motionloom.samples.curves import FREE, Curve, min_jerk
from motionloom.samples.dog import FEET, HIPS, PAW, DogTrunk, Paw, dog_skeleton, settled
from motionloom.samples.gait import Path, path
from motionloom.samples.locomotion import arc_to
from motionloom.samples.noise import Nature
from motionloom.samples.stage import PAD, finish, frame_times
from motionloom.samples.upper import posture

WALK = (0.0, 0.18, 0.5, 0.68)  # when each of FEET strikes, in strides: hind before front on each side
TROT = (0.0, 0.5, 0.5, 0.0)  # diagonal pairs together
ROLL = 0.7  # part of the stance at which the paw begins to roll over its tip


def dog_walk(speed: float, turn: float, seconds: float, target: Sequence[float] | None, seed: int, fps: float) -> Clip:
    """A dog walks at `speed` m/s, turning left at `turn` rad/s, or to `target` (x, z) m on an arc.

    Lateral sequence (hind foot, then the fore foot of the same side). A paw is on the ground for 0.58 of the stride at
    1 m/s, until its joint rolls off (published duty factors, of the whole paw, are 0.6 to 0.7); a stride takes 0.66 s
    then.
    """
    return _locomotion("dog_walk", speed, turn, seconds, target, seed, fps)


def dog_trot(speed: float, turn: float, seconds: float, target: Sequence[float] | None, seed: int, fps: float) -> Clip:
    """A dog trots at `speed` m/s: diagonal legs together, on the ground for less than half the stride."""
    return _locomotion("dog_trot", speed, turn, seconds, target, seed, fps)


def _locomotion(
    name: str, speed: float, turn: float, seconds: float, target: Sequence[float] | None, seed: int, fps: float
) -> Clip:
    if target is not None:
        turn, seconds = arc_to(target, speed)
    nature = Nature(seed)
    trots = name == "dog_trot"
    stride = (0.53 - 0.03 * speed if trots else 0.66 * max(speed, 0.3) ** -0.42) * (1 + nature.trait("stride", 0.03))
    duty = float(np.clip(0.47 - 0.035 * speed, 0.34, 0.42) if trots else np.clip(0.645 - 0.07 * speed, 0.52, 0.645))
    time = frame_times(seconds, fps)
    fine = np.arange(-PAD - 2.0, seconds + PAD + 2.0, 1 / 240)
    drift = nature.wander("speed", 0.012 * speed, 0.05, 0.3)(fine)
    inside = (fine >= 0) & (fine <= seconds)
    rate = turn + np.gradient(nature.wander("weave", 0.015, 0.08, 0.4)(fine), fine)
    route = path(speed + drift - drift[inside].mean(), rate, fine)
    start = -PAD - 2.2 * stride + nature.rng("start").uniform(0, stride)
    count = int(np.ceil((seconds + 2 * PAD) / stride)) + 5
    beats = start + stride * (np.arange(count) + nature.draws("stride time", count, 0.012))
    phase = min_jerk(beats, 2 * np.pi * np.arange(count)[:, None], velocity=_both_ends(2 * np.pi / stride))(time)[:, 0]
    shift = TROT if trots else WALK
    paws = {
        foot: _paw(foot, beats + at * stride, duty * stride, route, time, nature, trots, speed)
        for foot, at in zip(FEET, shift, strict=True)
    }
    trunk = _trunk(route, time, phase, speed, turn, nature, trots, stride, duty)
    trunk, rotations = settled(trunk, paws)
    labels: dict[str, BoolArray] = {f"contact:{foot}": paw.rests for foot, paw in paws.items()}
    labels = {n.replace("_foot", "_toe"): on for n, on in labels.items()}
    return finish(name, trunk.root, rotations, fps, seconds, seed, labels=labels, body=dog_skeleton())


def _both_ends(value: float) -> dict[int, float]:
    return {0: value, -1: value}


def _under(route: Path, foot: str, time: float, reach: float) -> tuple[FloatArray, float]:
    """Where a foot stands that the shoulder or hip passes over at `time`: (x, z), and the heading there."""
    side = 1.0 if foot.startswith("left") else -1.0
    front = "front" in foot
    ahead = 0.465 if front else -0.055  # along the body from the hips
    heading = float(route.facing(time))
    # a front foot follows the curve ahead of the hips
    lead = heading + ahead * (float(route.facing(time + 0.1)) - heading) / 0.1 / max(reach, 0.3) * 0.5
    forward = np.array([np.sin(lead), np.cos(lead)])
    left = np.array([np.cos(lead), -np.sin(lead)])
    return route.at(time) + ahead * forward + side * (0.058 if front else 0.062) * left, lead


def _paw(
    foot: str,
    strikes: FloatArray,
    stance: float,
    route: Path,
    time: FloatArray,
    nature: Nature,
    trots: bool,
    speed: float,
) -> Paw:
    """One paw through all its stances: it stands still, rolls over its tip, and swings to the next place."""
    front = "front" in foot
    count = len(strikes)
    lasts = stance * (1 + nature.draws(f"{foot} stance", count, 0.02))
    aside = nature.draws(f"{foot} aside", count, 0.007)
    along = nature.draws(f"{foot} along", count, 0.008)
    spots = []
    for k, t in enumerate(strikes):
        spot, facing = _under(route, foot, float(t + 0.5 * lasts[k]), speed)
        spot = spot + aside[k] * np.array([np.cos(facing), -np.sin(facing)])
        spot = spot + (along[k] + (0.02 if front else -0.005)) * np.array([np.sin(facing), np.cos(facing)])
        spots.append((np.array([spot[0], PAW, spot[1]]), facing))
    toe = np.empty((len(time), 3))
    heading = np.empty(len(time))
    stands, rests = np.zeros(len(time), bool), np.zeros(len(time), bool)
    lift = (0.075 if front else 0.056) + (0.05 if trots else 0.0)
    bone, pad = _pitches(front, strikes, lasts)
    for k in range(count):
        on, off = float(strikes[k]), float(strikes[k] + lasts[k])
        stance_k = (time >= on) & (time <= off)
        toe[stance_k], heading[stance_k] = spots[k]
        toe[stance_k, 1] += rolled(pad(time[stance_k])[:, 0])
        stands |= stance_k
        rests |= stance_k & (time <= on + ROLL * lasts[k])
        if k + 1 == count:
            break
        air = float(strikes[k + 1]) - off
        flies = (time > off) & (time < strikes[k + 1])
        a, b = spots[k][0], spots[k + 1][0]
        near = off + np.array([-1e-3, 0.0])
        up = rolled(pad(near)[:, 0])
        lead, fall = (0.012, 0.03) if trots else (0.03, 0.022)
        along_way, high = _paw_swing(off, air, (lead, fall), a, b, lift, float(up[1]), float(up[1] - up[0]) * 1e3)
        early = (time > off - lead) & (time <= off)
        toe[early] = along_way(time[early]) + (toe[early, 1] - PAW)[:, None] * np.array([0.0, 1.0, 0.0])
        toe[flies] = along_way(time[flies]) + high(time[flies])
        heading[flies] = np.interp(time[flies], [off, off + air], [spots[k][1], spots[k + 1][1]])
    before, after = time < strikes[0], time > strikes[-1] + lasts[-1]
    toe[before], heading[before] = spots[0]
    toe[after], heading[after] = spots[-1]
    return Paw(toe, bone(time)[:, 0], pad(time)[:, 0], heading, stands, rests)


def rolled(pad: FloatArray) -> FloatArray:
    """How far (m) the toe joint rises when the paw rolls over its tip (pitch negative)."""
    down = np.minimum(pad, 0.0)
    return np.asarray(0.055 * np.sin(-down) - 0.012 * (1 - np.cos(down)))


def _pitches(front: bool, strikes: FloatArray, lasts: FloatArray) -> tuple[Curve, Curve]:
    """Pitch of the long foot bone and of the paw, rad, through all stances and swings."""
    # degrees: strike, middle, off, folded in the swing, reaching
    bone = np.radians((27, -2, -60, -92, -8) if front else (29, 4, -56, -64, 18))
    pad = np.radians((8, 0, -44, -75, -10) if front else (6, 0, -42, -62, -8))
    bones: list[tuple[float, float]] = []
    pads: list[tuple[float, float]] = []
    flat: list[int] = []
    for k, (on, lasting) in enumerate(zip(strikes, lasts, strict=True)):
        off = on + lasting
        bones += [(on, bone[0]), (on + 0.5 * lasting, bone[1])]
        bones += [(on + ROLL * lasting, 0.55 * bone[1] + 0.42 * bone[2]), (off, bone[2])]
        flat += [len(pads) + 1, len(pads) + 2]
        pads += [(on, pad[0]), (on + 0.16 * lasting, 0.0), (on + ROLL * lasting, 0.0), (off, pad[2])]
        if k + 1 < len(strikes):
            air = strikes[k + 1] - off
            bones += [(off + 0.36 * air, bone[3]), (off + 0.76 * air, bone[4])]
            pads += [(off + 0.36 * air, pad[3]), (off + 0.76 * air, pad[4])]
    held = dict.fromkeys(flat, 0.0)
    curves = []
    for rows, still in ((bones, {}), (pads, held)):
        t, v = (np.array(c) for c in zip(*rows, strict=True))
        curves.append(min_jerk(t, v[:, None], velocity=still, acceleration=still))
    return curves[0], curves[1]


def _paw_swing(
    off: float,
    air: float,
    spare: tuple[float, float],
    a: FloatArray,
    b: FloatArray,
    lift: float,
    up: float,
    speed: float,
) -> tuple[Callable[[FloatArray], FloatArray], Callable[[FloatArray], FloatArray]]:
    """The toe joint's position over the ground and its height, both (..., 3).

    It starts forward spare[0] s before it leaves, while the tip of the paw still touches, and is over its next place
    spare[1] s before it strikes.
    """
    end = off + air
    above = end - min(spare[1], 0.12 * air)
    parts = [off - spare[0], off + 0.34 * air, off + 0.68 * air, above]
    share = min_jerk(parts, np.array([[0.0], [0.3], [0.78], [1.0]]), acceleration={-1: FREE})
    high = min_jerk(
        [off, off + 0.36 * air, off + 0.7 * air, above, end],
        np.array([[up], [max(lift, up + 0.02)], [0.75 * lift], [0.027], [0.0]]),
        velocity={0: speed, -1: -1.1},
        acceleration={0: FREE, -1: FREE},
    )
    return lambda t: a + share(t) * (b - a), lambda t: high(t) * np.array([0.0, 1.0, 0.0])


def _trunk(
    route: Path,
    time: FloatArray,
    phase: FloatArray,
    speed: float,
    turn: float,
    nature: Nature,
    trots: bool,
    stride: float,
    duty: float,
) -> DogTrunk:
    """Hips, spine, neck and tail: sway and twist once a stride, bob twice."""
    w = nature.wander
    heading = route.facing(time)
    forward = np.stack([np.sin(heading), np.cos(heading)], -1)
    left = np.stack([np.cos(heading), -np.sin(heading)], -1)
    bank = np.arctan(speed * turn / 9.81)
    sway = (0.006 if trots else 0.014) * np.cos(phase - 1.6) + w("sway", 0.004, 0.1, 2.0)(time)
    surge = (0.004 if trots else 0.006) * np.cos(2 * phase - 1.0)
    bob = 0.016 * np.cos(2 * phase - (4.2 if trots else 1.2)) if trots else 0.015 * np.cos(2 * phase - 1.2)
    reach = 0.5 * speed * duty * stride  # the farther the legs reach, the lower the trunk
    low = 0.5 * max(reach - 0.12, 0.0) ** 1.5 + (0.0 if not trots else 0.005)
    place = route.at(time) + sway[:, None] * left + surge[:, None] * forward
    height = HIPS - 0.012 - low + bob + w("height", 0.002, 0.2, 3.0)(time) + nature.trait("height", 0.004)
    root = np.stack([place[:, 0], height, place[:, 1]], -1)
    size = 0.8 if trots else 1.0
    hips = posture(
        heading,
        lean=0.015 + (0.02 if trots else 0.05) * np.cos(2 * phase - 0.4) + w("hips lean", 0.012, 0.2, 3.0)(time),
        roll=0.5 * bank - size * 0.11 * np.cos(phase - 0.7) + w("hips roll", 0.010, 0.2, 3.0)(time),
        twist=-size * 0.14 * np.cos(phase - 0.1) + w("hips twist", 0.014, 0.1, 2.5)(time),
    )
    ahead = np.clip(0.5 * turn / max(speed, 0.3), -0.35, 0.35)
    chest = posture(
        heading,
        lean=-0.02 + 0.022 * np.cos(2 * phase - 2.4) + w("chest lean", 0.010, 0.2, 3.0)(time),
        roll=0.6 * bank + size * 0.035 * np.cos(phase - 1.9) + w("chest roll", 0.008, 0.2, 2.5)(time),
        twist=ahead + size * 0.06 * np.cos(phase - 1.2) + w("chest twist", 0.014, 0.1, 2.5)(time),
    )
    head = posture(
        heading,
        lean=0.10
        + nature.trait("head low", 0.12)
        + 0.075 * np.cos(2 * phase - 0.9)
        + w("head lean", 0.05, 0.08, 1.6)(time),
        roll=w("head roll", 0.03, 0.08, 1.2)(time),
        twist=1.5 * ahead + 0.03 * np.cos(phase - 1.0) + w("head turn", 0.09, 0.06, 1.0)(time),
    )
    wag = (0.16 + nature.trait("wag", 0.05)) * np.cos(phase - 0.5) + w("wag", 0.08, 0.2, 2.0)(time)
    lift = 0.28 + nature.trait("tail up", 0.12) + 0.03 * np.cos(2 * phase) + w("tail up", 0.04, 0.1, 1.5)(time)
    tail = multiply(about(1, wag * 0.6), about(0, lift))
    blades = tuple(
        0.04 + (0.16 if not trots else 0.2) * np.cos(phase - 2 * np.pi * at - 0.2)
        for at in ((TROT if trots else WALK)[1], (TROT if trots else WALK)[3])
    )
    return DogTrunk(root, hips, chest, head, tail, (blades[0], blades[1]))
