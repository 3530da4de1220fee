"""Keys of the improved variant: the cells that a request gives, and the cells around them.

A key is a stretch of one cell. The stretches beside it lead into it as into any seam: what they lack is added within
`FADE` on both sides, with no slope at the key, so the motion keeps its own speed there. Of a soft key the share
w / (1 + w) of what is missing is added.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from motionloom.constraints import Constraint, Plant, PositionAt, RootPath
from motionloom.constraints.bend_travel import Key, steer
from motionloom.constraints.displace import spread
from motionloom.constraints.reach_points import approach_points, reach_points
from motionloom.core import Clip, FloatArray, IntArray, replace
from motionloom.kinematics.body.proportions import can_bend
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import parts_by_foot
from motionloom.kinematics.feet.grounding import MAX_SINK, lift_sunk_feet, lift_sunk_toes
from motionloom.kinematics.feet.hold_feet import hold_feet
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import Travel, travel
from motionloom.methods.finish import held_joints
from motionloom.methods.texture.faithful.keys import HARD, HEADING, HEIGHT, PLACE, Keys
from motionloom.rotation import exp, inverse, log, multiply, normalize, wrap_angle, yaw

FADE = 0.4  # s before and after a key in which the cells around it change
RISE_SPEED = 0.15  # m/s: hips that have to be moved far to the height of a key begin so early that they are no faster
PEAK = 1.875  # times its mean: the highest slope of `spread`
REACH = 0.12  # s over which limbs are moved to points
SLOWNESS = 0.4  # s/m: the same for arms that have to be moved far
ASIDE = 1.0  # s before and after a point in which a soft path is left for it
PATH_STEP = 0.5  # s from one place to the next that a path holds while it is bent to keys
NEAR = 1e-9  # m: points and plants are closed to this
ROUNDS = 3  # of points and the path towards them


def shares(weights: FloatArray) -> FloatArray:
    """How much of what is missing is added: 1 for a hard key, w / (1 + w) for a soft one, 0 without a key.

    >>> shares(np.array([np.inf, 3.0, 0.0, -1.0]))
    array([1.  , 0.75, 0.  , 0.  ])
    """
    soft = np.where(np.isfinite(weights) & (weights > 0), weights, 0.0)
    return np.where(weights == HARD, 1.0, soft / (1.0 + soft))


def with_keys(clip: Clip, keys: Keys, constraints: Sequence[Constraint], floor: FloatArray | None = None) -> Clip:
    """The clip led through its places and headings, with its given cells, and with its joints at their points.

    Feet are kept above the floor, if the usual heights of their parts on it are given (P,).
    """
    clip = _led(clip, keys, constraints)
    clip = _with_cells(clip, keys)
    hard = [c for c in constraints if c.hard]
    soft = [_partly(clip, c) for c in constraints if isinstance(c, PositionAt) and c.weight]
    kept = kept_places(clip, keys, constraints)
    if soft:
        clip = with_points(clip, [*hard, *soft], kept)
    if not any(isinstance(c, (PositionAt, Plant)) for c in hard):
        return clip
    clip = with_points(clip, hard, kept)
    return clip if floor is None else _above_floor(clip, floor, constraints)


def kept_places(clip: Clip, keys: Keys, constraints: Sequence[Constraint]) -> dict[int, Key]:
    """What the path keeps while it is bent towards points: its keys, and the paths of the request.

    The place of a key gives way to a heavier point at the same frame, and a soft path to points within `ASIDE`.
    """
    now, given = travel(clip), keys.root_weights[:, [PLACE, HEADING]] > 0
    out = {f: _part_key(now, f, *given[f]) for f in np.flatnonzero(given.any(1)).tolist()}
    points: dict[int, float] = {}
    for c in constraints:
        if isinstance(c, PositionAt):
            frame = c.frame(len(clip), clip.fps)
            points[frame] = max(points.get(frame, 0.0), HARD if c.weight is None else c.weight)
    for frame, weight in points.items():
        if frame in out and keys.root_weights[frame, PLACE] < weight:
            out[frame] = Key(None, out[frame].heading)
    if any(isinstance(c, RootPath) and c.hard for c in constraints):
        return out | {f: _key(now, f) for f in points}
    beside = {f for f in range(len(clip)) if all(abs(f - p) > ASIDE * clip.fps for p in points)}
    return {f: key for f, key in _on_paths(clip, constraints).items() if f in beside} | out


def _on_paths(clip: Clip, constraints: Sequence[Constraint]) -> dict[int, Key]:
    """The places of a clip that follows the paths of a request, one every `PATH_STEP` seconds."""
    now, fps = travel(clip), clip.fps
    out: dict[int, Key] = {}
    for c in constraints:
        if isinstance(c, RootPath):
            first, *_, last = c.frames(len(clip), fps) or (0, len(clip) - 1)
            out |= {f: _part_key(now, f, 1.0, 0.0) for f in (*range(first, last, round(PATH_STEP * fps)), last)}
    return out


def _above_floor(clip: Clip, floor: FloatArray, constraints: Sequence[Constraint]) -> Clip:
    """The clip with feet and toes lifted that were pushed through the floor, except what hard constraints fix."""
    ankles = {foot.ankle for foot in feet(clip.skeleton)}
    turned = [
        c for c in constraints
        if not (isinstance(c, (PositionAt, Plant)) and clip.skeleton.joint(c.joint) in ankles)
    ]  # fmt: skip
    clip = lift_sunk_feet(clip, floor, held=held_joints(clip, constraints))
    fixed = {clip.skeleton.joint(c.joint) for c in constraints if isinstance(c, (PositionAt, Plant)) and c.hard}
    heights = floor.copy()
    for foot, own in parts_by_foot(clip.skeleton):
        heights[own] += MAX_SINK * (foot.ankle in fixed)  # a foot that is planted stands on its toes, too
    return lift_sunk_toes(clip, heights, held_joints(clip, turned))


def with_points(clip: Clip, hard: Sequence[Constraint], kept: Mapping[int, Key]) -> Clip:
    """The clip with joints at the places of its hard points and plants; what is `kept` stays: see `kept_places`."""
    hard = [_tightened(c) for c in hard if not isinstance(c, RootPath)]
    points = [c for c in hard if isinstance(c, (PositionAt, Plant))]
    for _ in range(ROUNDS):
        if all(c.met(clip) for c in points):
            break
        clip = approach_points(clip, hard, kept)
        clip = reach_points(_raised(clip, hard), hard, REACH)
    return clip


def _raised(clip: Clip, hard: Sequence[Constraint]) -> Clip:
    """The clip with points of arms and heads reached, the earlier the farther they are; legs have to step in time."""
    legs = {j for foot in feet(clip.skeleton) for j in clip.skeleton.below(foot.thigh)}
    points = [c for c in hard if isinstance(c, PositionAt) and clip.skeleton.joint(c.joint) not in legs]
    time = SLOWNESS * max((c.worst(clip) for c in points), default=0.0)
    others = [c for c in hard if not isinstance(c, (PositionAt, Plant))]
    return reach_points(clip, [*others, *points], time) if time > REACH else clip


def _tightened(c: Constraint) -> Constraint:
    if isinstance(c, (PositionAt, Plant)):
        return dataclasses.replace(c, tolerance=min(c.tolerance, NEAR))
    return c


def _partly(clip: Clip, c: PositionAt) -> PositionAt:
    """The hard constraint for a point between where the joint is and where a soft one wants it."""
    frame = c.frame(len(clip), clip.fps)
    here = fk(clip[frame : frame + 1])[0, clip.skeleton.joint(c.joint)]
    x, y, z = (here + float(shares(np.array(c.weight))) * (np.array(c.target) - here)).tolist()
    return dataclasses.replace(c, target=(x, y, z), weight=None)


def _led(clip: Clip, keys: Keys, constraints: Sequence[Constraint]) -> Clip:
    """The clip with its path bent through the keys, one after the other, beginning where it begins.

    Beside them it stays on the paths of the request, which it follows already.
    """
    amount = shares(keys.root_weights)
    headings = 2.0 * np.arctan2(keys.heading[:, 2], keys.heading[:, 0])
    now = travel(clip)
    through, led = {**_on_paths(clip, constraints), 0: _key(now, 0)}, clip
    for frame in np.flatnonzero((amount[:, [PLACE, HEADING]] > 0).any(1)).tolist():
        place, heading = amount[frame, PLACE], amount[frame, HEADING]
        missing = keys.place[frame] - now.place[frame]
        gap = float(wrap_angle(headings[frame] - now.heading[frame]))
        if max(place * np.abs(missing).max(), abs(heading * gap)) < 1e-12:  # it is there already
            through[frame] = _key(now, frame) if frame == 0 else _part_key(now, frame, place, heading)
            continue
        wanted = now.place[frame] + place * missing
        through[frame] = Key(
            (float(wanted[0]), float(wanted[1])) if place > 0 or frame == 0 else None,
            float(now.heading[frame]) + heading * gap if heading > 0 or frame == 0 else None,
        )
        led = steer(clip, through)
        now = travel(led)
    return led


def _key(now: Travel, frame: int) -> Key:
    return Key((float(now.place[frame, 0]), float(now.place[frame, 1])), float(now.heading[frame]))


def _part_key(now: Travel, frame: int, place: float, heading: float) -> Key:
    """The key of what is given at a frame, where the body is there already."""
    whole = _key(now, frame)
    return Key(whole.place if place > 0 else None, whole.heading if heading > 0 else None)


def _with_cells(clip: Clip, keys: Keys) -> Clip:
    """The clip with the given rotations, tilts and heights, and the cells around them led into them."""
    clip = _at_heights(clip, keys)
    rotations, width = clip.rotations.copy(), FADE * clip.fps
    amount = shares(keys.turn_weights)
    facing = yaw(travel(clip).heading) if (amount[:, 0] > 0).any() else None
    for joint in np.flatnonzero((amount > 0).any(0)).tolist():
        at = np.flatnonzero(amount[:, joint] > 0)
        wanted = keys.turns[at, joint]
        if facing is not None and joint == 0:
            wanted = multiply(facing[at], wanted)
        rotations[:, joint] = _led_into(clip.rotations[:, joint], at, wanted, amount[at, joint], width)
    return replace(clip, rotations=rotations)


def _at_heights(clip: Clip, keys: Keys) -> Clip:
    """The clip with its hips at the given heights, and its feet where they are."""
    at = np.flatnonzero(shares(keys.root_weights[:, HEIGHT]) > 0)
    if not len(at):
        return clip
    part, root = shares(keys.root_weights[at, HEIGHT]), clip.root.copy()
    missing = part * (keys.height[at] - root[at, 1])
    width = max(FADE, PEAK * float(np.abs(missing).max()) / RISE_SPEED) * clip.fps
    root[:, 1] += spread(at, missing, len(clip), width)
    exact = at[part == 1.0]
    root[exact, 1] = keys.height[exact]
    legs = [foot for foot in feet(clip.skeleton) if can_bend(clip.skeleton, foot)]
    return hold_feet(clip, replace(clip, root=root), legs)


def _led_into(turns: FloatArray, at: IntArray, wanted: FloatArray, part: FloatArray, width: float) -> FloatArray:
    """Rotations (F, 4) with those `wanted` (K, 4) at the frames `at`, as far as their shares; hard ones to the bit."""
    missing = part[:, None] * log(multiply(inverse(turns[at]), wanted))
    out = normalize(multiply(turns, exp(spread(at, missing, len(turns), width))))
    out[at[part == 1.0]] = wanted[part == 1.0]
    return out
