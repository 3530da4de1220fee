"""Cycles closed so that standing feet stay where they are: what a foot misses over the seam is made up in its swing."""

from __future__ import annotations

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, replace, with_labels
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.body.roles import Foot, feet
from motionloom.kinematics.feet.contacts import foot_parts, part_positions, runs, with_contacts
from motionloom.kinematics.feet.leg_reach import SOFT_REACH
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.ik.limb import limb_rotations
from motionloom.kinematics.loop import Loop, close_loop
from motionloom.kinematics.travel import travel
from motionloom.rotation import exp, inverse, log, multiply, rotate, slerp, yaw

EARLY = 3  # frames: a contact that begins so late in a cycle belongs to the next one
CLOSING = 0.3  # s: how long poses, and feet in their swing, are bent towards each other
NEAR_GROUND = 0.015  # m above where it stands: a toe that has just left the ground, or is about to land, is not shifted


def closed(clip: Clip) -> Clip:
    """The cycle whose last pose is its first again (see `close_loop`), with contacts as labels.

    Feet follow the path that they have in the clip: moved as a whole while they stand, so that they stand as still as
    there, and passing over from one such path to the next while they swing.
    """
    marked = with_contacts(clip)
    out = close_loop(marked, Loop(0, len(clip) - 1, 0.0, 1.0, 0.0), seconds=CLOSING)
    parts, heights = foot_parts(clip.skeleton), part_positions(marked)[..., 1]
    touching = {p.label: np.array(marked.label(p.label)) for p in parts}
    for on in touching.values():
        early = int(np.argmin(on[::-1]))  # a landing at the end is that of the first frame
        if early <= EARLY:
            on[len(on) - early :] = False
        on[-1] = on[0]
    rotations = np.array(out.rotations)
    for foot in feet(clip.skeleton):
        standing = np.zeros(len(clip), bool)
        for p, part in enumerate(parts):
            if part.foot.name == foot.name:
                standing |= _near_ground(heights[:, p], touching[part.label])
        place, turn = _closed_path(marked, out, foot, standing)
        limb = (foot.thigh, foot.shin, foot.ankle)
        rotations, _ = limb_rotations(
            clip.skeleton, out.root, rotations, limb, place, orientation=turn, soft=SOFT_REACH, slides=out.slides
        )
    return with_labels(replace(out, rotations=rotations), touching)


def _near_ground(height: FloatArray, touching: BoolArray) -> BoolArray:
    """Frames of a cycle in which a part of a foot touches, and those before and after at nearly the same height."""
    out, count = np.array(touching), len(height)
    for a, b in runs(touching) if not touching.all() else []:
        for at, step in ((b, 1), (a - 1, -1)):
            level = height[at - step] + NEAR_GROUND
            while not touching[at % count] and height[at % count] < level:
                out[at % count] = True
                at += step
    return out


def _closed_path(clip: Clip, cycle: Clip, foot: Foot, standing: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Place (F, 3) and turn (F, 4) of an ankle in a closed cycle, from the clip that it was closed from."""
    before, after = travel(clip), travel(cycle)
    places, turns = (x[:, foot.ankle] for x in fk_rotations(clip))
    drift = after.heading - before.heading
    carried = rotate(yaw(drift), places - _on_ground(before.place)) + _on_ground(after.place)
    place, turn = _carried(places, turns, carried, drift, standing)
    return _without_gap(place, turn, after.place, after.heading, standing, round(CLOSING * clip.fps))


def _on_ground(place: FloatArray) -> FloatArray:
    return np.stack([place[:, 0], np.zeros(len(place)), place[:, 1]], 1)


def _carried(
    places: FloatArray, turns: FloatArray, carried: FloatArray, drift: FloatArray, standing: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """The path moved to where the closed cycle carries it: as a whole in each stance, passing over in each swing."""
    found = runs(standing)
    if not found:
        return carried, multiply(yaw(drift), turns)
    paths = []
    for a, b in found:
        turn = yaw(np.full(len(places), drift[a:b].mean()))
        moved = rotate(turn, places - places[a:b].mean(0)) + carried[a:b].mean(0)
        moved[:, 1] = places[:, 1]
        paths.append((moved, multiply(turn, turns)))
    place, turn = np.array(paths[0][0]), np.array(paths[0][1])
    for (_, end), (begin, _), (moved, turned) in zip(found[:-1], found[1:], paths[1:], strict=True):
        share = smoothstep((np.arange(len(places)) - (end - 1)) / (begin - end + 1))
        place += share[:, None] * (moved - place)
        turn = slerp(turn, turned, share)
    return place, turn


def _without_gap(
    place: FloatArray, turn: FloatArray, path: FloatArray, heading: FloatArray, standing: BoolArray, width: int
) -> tuple[FloatArray, FloatArray]:
    """The path whose last place and turn are its first again, carried on by the cycle.

    The gap is made up on the side of the seam on which the foot swings longer. On the ground it is
    constant while the foot stands, and fades while it swings; the height and the tilt fade at the seam.
    """
    back = yaw(heading[0] - heading[-1])
    ends = rotate(back, place[-2:] - _on_ground(path[-1:])) + _on_ground(path[:1])  # as seen from the first frame
    gap = ends[1] - place[0]
    speed = (ends[1] - ends[0]) - (place[1] - place[0])
    twist = log(multiply(multiply(back, turn[-1]), inverse(turn[0])))
    sides = (standing, standing[::-1])
    holds = [int(np.argmin(on)) if not on.all() else len(on) for on in sides]
    swings = [
        int(np.argmax(on[hold:])) if on[hold:].any() else len(on) - hold for on, hold in zip(sides, holds, strict=True)
    ]
    first = float(swings[0] > swings[1]) if swings[0] != swings[1] else 0.5  # share of the side after the seam
    level = np.array([0.0, 1.0, 0.0])
    out, turned = np.array(place), np.array(turn)
    for side, on, hold, swing, share in zip((1, -1), sides, holds, swings, (first, 1.0 - first), strict=True):
        ground = _fade(len(on), hold, max(1, min(width, swing, len(on) // 2)))[:, None]
        seam = _fade(len(on), 0, max(1, min(width // 3, len(on) // 2)))[:, None]
        shift = side * share * gap * (ground * (1 - level) + seam * level)
        if hold <= 1:
            shift += share * speed * (1 - level) * ground * np.arange(len(on))[:, None]
        spin = exp(side * share * twist * (ground * level + seam * (1 - level)))
        if side < 0:
            ahead = inverse(back)
            shift, spin = rotate(ahead, shift)[::-1], multiply(multiply(ahead, spin), back)[::-1]
        out, turned = out + shift, multiply(spin, turned)
    return out, turned


def _fade(count: int, hold: int, width: int) -> FloatArray:
    """(count,) 1 for `hold` frames, then down to 0 within `width`."""
    return np.asarray(1.0 - smoothstep((np.arange(count) - max(hold - 1, 0)) / width))
