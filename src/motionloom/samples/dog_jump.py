"""A dog that jumps: fore feet up, a push with the hind legs, free flight, and fore feet first on the ground again."""

from __future__ import annotations

import numpy as np

from motionloom.core import BadRequest, BoolArray, Clip, FloatArray
from motionloom.kinematics.mass import GRAVITY
from motionloom.rotation import about, multiply, rotate
from motionloom.samples.curves import FREE, Curve, min_jerk
from motionloom.samples.dog import FEET, HIPS, PAW, DogTrunk, Paw, dog_skeleton, settled
from motionloom.samples.dog_gait import rolled
from motionloom.samples.noise import Nature
from motionloom.samples.stage import finish, frame_times
from motionloom.samples.standing import through
from motionloom.samples.upper import posture

CENTRE = np.array([0.0, 0.0, 0.24])  # m from the hips to the middle of the trunk, which flies freely


def dog_jump(height: float, distance: float, turn: float, seed: int, fps: float) -> Clip:
    """A dog jumps from standing: the middle of its trunk rises by `height` m, and it lands `distance` m ahead.

    It leaves the ground to the left of its heading by half of `turn` (rad) and faces `turn` when it lands. From the
    last hind foot's leaving to the first fore foot's landing the middle of the trunk is in free fall.
    """
    nature = Nature(seed)
    rest = HIPS - 0.012
    leave, land = rest + 0.05 + 0.05 * height, rest + 0.03
    up = float(np.sqrt(2 * GRAVITY * (height - leave + rest)))
    down = float(np.sqrt(2 * GRAVITY * (rest + height - land)))
    flight = (up + down) / GRAVITY
    if distance > 5.0 * flight:
        raise BadRequest(f"distance: at {height:g} m of height expected at most {5 * flight:.2f} m, found {distance:g}")
    wait, dip, push = 0.5 + nature.trait("wait", 0.08), 0.34 + nature.trait("dip", 0.03), 0.24 + 0.1 * height
    low = wait + dip
    off = low + push
    touch = off + flight
    settle = touch + 0.22 + nature.trait("settle", 0.02)
    end = settle + 0.55 + nature.trait("end", 0.05)
    seconds = end + 0.5
    time = frame_times(seconds, fps)
    beats = (wait, low, off, touch, settle, end)
    trunk = _trunk(time, beats, rest, leave, land, up, down, height, distance, turn, nature)
    paws = {foot: _paw(foot, time, beats, height, distance, turn, nature) for foot in FEET}
    trunk, rotations = settled(trunk, paws)
    labels: dict[str, BoolArray] = {f"contact:{n.replace('_foot', '_toe')}": p.rests for n, p in paws.items()}
    labels["flight"] = (time > off) & (time < touch)
    return finish("dog_jump", trunk.root, rotations, fps, seconds, seed, labels=labels, body=dog_skeleton())


Beats = tuple[float, float, float, float, float, float]


def _trunk(
    time: FloatArray,
    beats: Beats,
    rest: float,
    leave: float,
    land: float,
    up: float,
    down: float,
    height: float,
    distance: float,
    turn: float,
    nature: Nature,
) -> DogTrunk:
    wait, low, off, touch, settle, end = beats
    w = nature.wander
    apex = off + up / GRAVITY
    drop = {2: -GRAVITY, 3: -GRAVITY, 4: -GRAVITY}
    y = min_jerk(
        [wait, low, off, apex, touch, settle, end],
        np.array([rest, rest - 0.1 - 0.08 * height, leave, rest + height, land, rest - 0.075 - 0.05 * height, rest])[
            :, None
        ],
        velocity={1: 0.0, 2: up, 3: 0.0, 4: -down, 5: 0.0},
        acceleration=drop,
    )(time)[:, 0]
    start, stop = 0.16 + 0.08 * distance, distance - 0.10
    pace = (stop - start) / (touch - off)
    travelled = min_jerk(
        [wait, low, off, touch, settle + 0.08, end],
        np.array([0.0, -0.06, start, stop, distance - 0.015, distance])[:, None],
        velocity={2: pace, 3: pace},
        acceleration={2: 0.0, 3: 0.0},
    )(time)[:, 0]
    steep = 0.28 + 0.7 * height
    pitch = through(
        time, (wait, 0.0), (low, 0.06), (off, -steep), (touch - 0.02, 0.8 * steep), (settle + 0.05, 0.06), (end, 0.0)
    )
    arch = through(time, (wait, 0), (low, 0.22), (off + 0.02, -0.16), (touch, 0.1), (settle, 0.22), (end, 0.0))
    heading = through(time, (low, 0.0), (off, 0.2 * turn), (touch, turn), (end, turn))
    side = turn / 2
    breath = 0.006 * np.sin(2 * np.pi * 0.6 * time + nature.rng("breath").uniform(0, 6))
    hips = posture(
        heading,
        lean=pitch + 0.5 * arch + w("hips lean", 0.008, 0.1, 2.0)(time),
        roll=w("hips roll", 0.012, 0.1, 1.5)(time),
        twist=w("hips twist", 0.02, 0.1, 1.2)(time),
    )
    chest = posture(
        heading,
        lean=pitch - 0.5 * arch + breath + w("chest lean", 0.008, 0.1, 2.0)(time),
        roll=w("chest roll", 0.012, 0.1, 1.5)(time),
        twist=w("chest twist", 0.025, 0.1, 1.2)(time),
    )
    gaze = through(time, (wait - 0.1, 0.05), (low, -0.15), (off, -0.2), (touch - 0.05, 0.3), (settle, 0.1), (end, 0.05))
    head = posture(
        heading,
        lean=gaze + w("head lean", 0.04, 0.08, 1.5)(time),
        roll=w("head roll", 0.03, 0.08, 1.0)(time),
        twist=0.3 * turn * through(time, (wait, 0), (low, 1), (off, 0)) + w("head turn", 0.07, 0.06, 1.0)(time),
    )
    place = np.stack([travelled * np.sin(side), y, travelled * np.cos(side)], -1)
    middle = place + CENTRE
    root = middle - rotate(hips, CENTRE)
    tail_up = through(time, (wait, 0.3), (low, 0.1), (off + 0.1, 0.5), (touch, 0.3), (settle, 0.5), (end, 0.3))
    wag = 0.12 * np.sin(2 * np.pi * 1.8 * time + nature.rng("wag").uniform(0, 6)) + w("wag", 0.08, 0.2, 2.0)(time)
    tail = multiply(about(1, wag), about(0, tail_up * 0.8))
    blade = through(time, (wait, 0.0), (low, -0.12), (off, 0.35), (touch, 0.3), (settle, -0.1), (end, 0.0))
    return DogTrunk(root, hips, chest, head, tail, (blade, blade))


def _paw(foot: str, time: FloatArray, beats: Beats, height: float, distance: float, turn: float, nature: Nature) -> Paw:
    """Fore feet leave before the hind feet push, and land before them."""
    _, low, off, touch, settle, _ = beats
    front, left = "front" in foot, foot.startswith("left")
    lag = 0.012 * (1 if left else -1) * nature.trait("handed", 1.0) + nature.trait(f"{foot} lag", 0.006)
    leaves = (off - 0.15 if front else off) + (lag if front else 0.0)
    lands = (touch if front else touch + 0.55 * (settle - touch)) + abs(lag)
    x, z = (0.058 if front else 0.062) * (1 if left else -1), 0.47 if front else -0.05
    z += nature.trait(f"{foot} z", 0.02)
    a = np.array([x, PAW, z])
    c, s = np.cos(turn), np.sin(turn)
    far = distance * np.array([np.sin(turn / 2), np.cos(turn / 2)])
    centre = CENTRE[2]
    b = np.array([c * x + s * (z - centre) + far[0], PAW, -s * x + c * (z - centre) + centre + far[1]])
    b[2] += nature.trait(f"{foot} land", 0.02)
    bone, pad = _pitches(front, low, leaves, lands)
    near = leaves + np.array([-1e-3, 0.0])
    rise = rolled(pad(near)[:, 0])
    air = lands - leaves
    above = lands - 0.03
    tuck = height + (0.10 if front else 0.04)
    first, second = (0.3, 0.66) if front else (0.32, 0.7)
    shares = np.array([[0.0], [0.34 if front else 0.2], [0.72 if front else 0.68], [1.0]])
    share = min_jerk(
        [leaves, leaves + first * air, leaves + second * air, above], shares, acceleration={0: FREE, -1: FREE}
    )
    heights = np.array([[rise[1]], [0.75 * tuck + 0.05], [0.8 * tuck + (0.0 if front else 0.06)], [0.03], [0.0]])
    high = min_jerk(
        [leaves, leaves + first * air, leaves + second * air, above, lands],
        heights,
        velocity={0: (rise[1] - rise[0]) * 1e3, -1: -0.8},
        acceleration={0: FREE, -1: FREE},
    )
    toe = np.where((time < lands)[:, None], a, b)
    toe[:, 1] += np.where(time < leaves, rolled(pad(time)[:, 0]), 0.0)
    flies = (time > leaves) & (time < lands)
    toe[flies] = a + share(time[flies]) * (b - a) + high(time[flies]) * np.array([0.0, 1.0, 0.0])
    heading = np.where(time < leaves, 0.0, turn)
    heading[flies] = turn * np.clip((time[flies] - leaves) / air, 0, 1)
    rests = (time <= leaves - 0.12) | (time >= lands)
    return Paw(toe, bone(time)[:, 0], pad(time)[:, 0], heading, ~flies, rests)


def _pitches(front: bool, low: float, leaves: float, lands: float) -> tuple[Curve, Curve]:
    """Pitch of the long foot bone and of the paw, rad: folded in the air, reaching for the ground."""
    air = lands - leaves
    # at the low point, leaving, folded, reaching, landing
    bone = np.radians((-8, -42, -95, 8, 12) if front else (12, -34, -58, -10, 14))
    times = [low - 0.25, low, leaves, leaves + 0.4 * air, leaves + 0.85 * air, lands, lands + 0.3]
    bones = min_jerk(times, np.array([0.0, *bone, 0.0])[:, None])
    pads = min_jerk(
        [leaves - 0.12, leaves, leaves + 0.4 * air, lands - 0.05, lands + 0.05],
        np.radians([0.0, -42.0, -60.0, 6.0, 0.0])[:, None],
    )
    return bones, pads
