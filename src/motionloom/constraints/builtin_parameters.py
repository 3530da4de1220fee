"""Measures of the built-in motion parameters: functions from a clip to a number or a place in SI units."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.feet.contacts import contacts, part_positions, runs
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import ground_turn, travel

MIN_TRAVEL = 0.05  # m: a second (or half of the clip) in which the hips go less far has no direction of travel
SAME_TIME = 0.7  # of the shorter of two steps: feet that stand together for so long are one step


def speed(clip: Clip) -> float:
    """Mean speed of the hips over the ground, m/s."""
    steps = np.linalg.norm(np.diff(travel(clip).place, axis=0), axis=1)
    return float(steps.mean() * clip.fps) if len(steps) else 0.0


def turn(clip: Clip) -> float:
    """Change of heading from the first frame to the last, rad, left positive."""
    heading = travel(clip).heading
    return float(heading[-1] - heading[0])


def turn_rate(clip: Clip) -> float:
    """Change of heading per second, rad/s, left positive."""
    return turn(clip) * clip.fps / (len(clip) - 1) if len(clip) > 1 else 0.0


def travel_turn(clip: Clip) -> float:
    """Change of the direction of travel from the first second to the last one, rad, left positive.

    The direction at a frame is that of the straight line to where the hips are a second later (in clips of less than
    two seconds, half of the clip), so that the sway of a stride does not count. It is followed without jumps, so two
    rounds are 4 pi; seconds in which the hips stay within 5 cm have none. A clip that does not travel gives 0.
    """
    place = travel(clip).place
    window = max(1, min(round(clip.fps), (len(clip) - 1) // 2))
    lines = place[window:] - place[:-window]
    moving = lines[np.linalg.norm(lines, axis=1) > MIN_TRAVEL]
    directions = np.unwrap(np.arctan2(moving[:, 0], moving[:, 1]))
    return float(directions[-1] - directions[0]) if len(directions) else 0.0


def distance(clip: Clip) -> float:
    """Straight line on the ground from the first frame's hips to the last one's, m."""
    place = travel(clip).place
    return float(np.linalg.norm(place[-1] - place[0]))


def climb(clip: Clip) -> float:
    """How much higher the ground under the feet is at the end of a clip than at its beginning, m.

    The median over the foot parts of how much higher each stands in its last contact than in its first. Without two
    contacts of one part (a body in the air, or without feet) it is the change of the hips' height.
    """
    height, rises = part_positions(clip)[..., 1], []
    for p, on in enumerate(contacts(clip).values()):
        stands = runs(on)
        if len(stands) > 1:
            first, last = (float(np.sort(height[a:b, p])[(b - a) // 2]) for a, b in (stands[0], stands[-1]))
            rises.append(last - first)
    return float(np.median(rises)) if rises else float(clip.root[-1, 1] - clip.root[0, 1])


def head_height(clip: Clip) -> float:
    """Lowest height of the head joint, m."""
    return float(fk(clip)[:, clip.skeleton.joint("head"), 1].min())


def target_of(tip: str, base: str) -> Callable[[Clip], FloatArray]:
    """A measure of where joint `tip` is when it is farthest from joint `base`: see `target`."""

    def measure(clip: Clip) -> FloatArray:
        return target(clip, tip, base)

    return measure


def target(clip: Clip, tip: str, base: str) -> FloatArray:
    """(3,) m: the place of a joint at its event, relative to the first frame's hips on the ground and their heading.

    The event is the moment at which `tip` is farthest from `base`: of a punch, the hit; of a kick, the hit. It is found
    between frames, by a parabola, so that it does not jump from frame to frame. x left, y up from the ground, z ahead.
    """
    points = fk(clip)
    at = points[:, clip.skeleton.joint(tip)]
    far = np.linalg.norm(at - points[:, clip.skeleton.joint(base)], axis=1)
    k = int(far.argmax())
    place = at[k]
    if 0 < k < len(far) - 1:
        before, now, after = far[k - 1 : k + 2]
        bend = before - 2 * now + after
        share = float(np.clip(0.5 * (before - after) / bend, -1, 1)) if bend < -1e-12 else 0.0
        a, b, c = at[k - 1], at[k], at[k + 1]
        place = b + share * (c - a) / 2 + share**2 * (a - 2 * b + c) / 2
    path = travel(clip[:1])
    ground = ground_turn(-path.heading[0], place[[0, 2]] - path.place[0])
    return np.array([ground[0], place[1], ground[1]])


def seat_height(clip: Clip) -> float:
    """Lowest height of the hips, m."""
    return float(clip.root[:, 1].min())


def plants(clip: Clip) -> list[FloatArray]:
    """(3,) m: where the body stands, one place for each step, in order of time.

    A step lasts while the heel or the toe of a foot touches; its place is the mean of both over that time, so that it
    does not jump where one of them touches a little longer. Two feet that stand at the same time, before a jump or
    after it, are one step, in the middle of both.
    """
    found, points = contacts(clip), part_positions(clip)
    sides = [name.removeprefix("contact:").rsplit("_", 1)[0] for name in found]
    steps: list[tuple[int, int, FloatArray]] = []
    for side in dict.fromkeys(sides):
        own = [i for i, name in enumerate(sides) if name == side]
        on = np.any([list(found.values())[i] for i in own], axis=0)
        steps += [(a, b, points[a:b, own].mean((0, 1))) for a, b in runs(on)]
    steps.sort(key=lambda step: step[0] + step[1])
    out: list[tuple[int, int, FloatArray]] = []
    for a, b, place in steps:
        if out:
            c, d, before = out[-1]
            if min(b, d) - max(a, c) >= SAME_TIME * min(b - a, d - c):
                out[-1] = (min(a, c), max(b, d), (before + place) / 2)
                continue
        out.append((a, b, place))
    return [place for _, _, place in out]


def step_height(clip: Clip) -> float:
    """Mean difference in height from one step to the next, m; up is positive. 0 without two steps."""
    places = plants(clip)
    if len(places) < 2:
        return 0.0
    return float(np.diff([p[1] for p in places]).mean())


def leap_length(clip: Clip) -> float:
    """Longest distance over the ground from one step to the next, m; 0 without two steps."""
    places = plants(clip)
    if len(places) < 2:
        return 0.0
    return float(np.linalg.norm(np.diff([p[[0, 2]] for p in places], axis=0), axis=1).max())
