"""One pose that any two bodies can share, so that their joints can be compared: the matched pose.

Rest poses differ: T, A and N poses, legs apart or together, in some files every bone along one axis. In the matched
pose thighs and shins point down, arms out to their sides and feet forward on their soles, whatever the file; trunk and
head are as the body stands. It is not meant to be looked at: only the turns away from it are carried over.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, Skeleton
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.body.rest_pose import stands
from motionloom.kinematics.body.roles import SIDES, feet
from motionloom.kinematics.feet.contacts import contacts, foot_parts
from motionloom.kinematics.fk import fk_rotations, world
from motionloom.kinematics.ik.limb import folding_direction
from motionloom.kinematics.travel import body_axes, headings
from motionloom.rotation import (
    IDENTITY,
    angle_between,
    average,
    between,
    from_axis_angle,
    from_matrix,
    inverse,
    multiply,
    rotate,
    yaw,
)

DOWN = np.array([0.0, -1.0, 0.0])
FORWARD = np.array([0.0, 0.0, 1.0])
SAMPLED_FRAMES = 400  # frames looked at to find how a body stands
BEST_SHARE = 0.05  # share of these whose average is taken
QUARTER_TOLERANCE = np.radians(30.0)  # a mean turn this near to whole quarters is taken for them
SOLE, SOLE_AND_FOOT = 0.06, 0.1  # leg lengths below the lowest part of a foot, or below a bare ankle
BARE_ANKLE = 0.03  # leg lengths: a foot less than this below its ankle counts as missing
MIN_FLAT_FRAMES = 5  # frames on both heel and toe that are needed to find the sole

_LEGS = (("thigh", "shin", "foot"), ("front_upper_arm", "front_forearm", "front_foot"))
_ARM = ("upper_arm", "forearm", "hand")
_SQUARE = re.compile(r"spine\d?|neck\d?|head|(left|right)_(shoulder|hand)")
_QUARTERS = np.array(  # the 24 turns that take axes to axes
    [
        from_matrix(np.stack([x, y, np.cross(x, y)], -1))
        for x in (*np.eye(3), *-np.eye(3))
        for y in (*np.eye(3), *-np.eye(3))
        if not x @ y
    ]
)


def matched_pose(clip: Clip) -> FloatArray:
    """World rotations (J, 4) of the clip's skeleton in the matched pose, facing +z.

    From the rest pose where that stands, else from the frames in which the body stands straightest. Each bone of a
    limb is brought to its direction by the shortest arc, from the trunk outwards; if the rest pose is uninformative,
    the twist of a limb follows from the direction in which its knee or elbow bends.
    """
    body = clip.skeleton
    own = stands(body)
    pose = _rest(body) if own else _standing(clip)
    flat = _flat_frames(clip)
    for foot in feet(body):
        if foot.toe is not None and flat[foot.name].sum() >= MIN_FLAT_FRAMES:
            pose[foot.toe] = average(clip.rotations[flat[foot.name], foot.toe])
    turn = np.tile(IDENTITY, (len(body), 1))  # from the standing pose to the matched one, in the world
    places, turns = _world(body, pose)
    bends = {} if own else _bends(clip)
    wanted = _wanted(body)
    soles = _soles(clip, flat, turns)
    for j in range(len(body)):
        parent = int(body.parents[j])
        turn[j] = turn[parent] if parent >= 0 else IDENTITY
        if j in soles:
            up, toe = (rotate(turns[j], v) for v in soles[j])
            turn[j] = _flat(up, toe)
        elif j in wanted:
            to, direction = wanted[j]
            line = rotate(turn[j], places[to] - places[j])
            if np.linalg.norm(line) > 1e-6:
                turn[j] = multiply(between(line, direction), turn[j])
        if j in bends:
            fold = rotate(multiply(turn[j], turns[j]), bends[j])
            turn[j] = multiply(_spun(fold, wanted[j][1]), turn[j])
    return multiply(turn, turns)


def ankle_level(clip: Clip) -> float:
    """Height (m) of the ankles of a body that stands on the floor on flat feet.

    From the contacts of the clip: a low one of the heights of ankles while their heel touches. Without any, from the
    bones: how far the ankle is above the lowest part of its foot in the matched pose.
    """
    body = clip.skeleton
    touching = contacts(clip)
    places = fk_rotations(clip)[0]
    heights = [places[touching[p.label], p.foot.ankle, 1] for p in foot_parts(body) if p.label in touching]
    some = np.concatenate(heights) if heights else np.zeros(0)
    return float(np.percentile(some, 20)) if len(some) >= MIN_FLAT_FRAMES else _ankle_above_foot(clip)


def own_ankle_level(clip: Clip) -> float:
    """`ankle_level` of a body on a floor at y = 0, also if its own clip is above or below that floor.

    The level of the clip is used if soles of that thickness exist: between the lowest part of the foot and 0.06 leg
    lengths below it, or 0.1 for a body that ends at its ankles. Otherwise the lowest part of the foot is on the floor.
    """
    lowest, level, body = _ankle_above_foot(clip), ankle_level(clip), clip.skeleton
    below = any(foot.toe is not None for foot in feet(body)) or lowest > BARE_ANKLE * leg_length(body)
    sole = (SOLE if below else SOLE_AND_FOOT) * leg_length(body)
    return level if lowest - 0.01 <= level <= lowest + sole else lowest


def _ankle_above_foot(clip: Clip) -> float:
    """How far (m) the ankle is above the lowest part of its foot in the matched pose, the mean over all feet."""
    body, turns = clip.skeleton, matched_pose(clip)
    lows = []
    for foot in feet(body):
        below = body.below(foot.ankle)
        at = {foot.ankle: np.zeros(3)}
        for j in below[1:]:
            at[j] = at[int(body.parents[j])] + rotate(turns[body.parents[j]], body.offsets[j])
        tips = [at[e.joint] + rotate(turns[e.joint], e.offset) for e in body.ends if e.joint in at]
        lows.append(-min(float(p[1]) for p in [*at.values(), *tips]))
    return float(np.mean(lows)) if lows else 0.0


def _rest(skeleton: Skeleton) -> FloatArray:
    """The rest pose, turned to face +z."""
    pose = np.tile(IDENTITY, (len(skeleton), 1))
    still = Clip(skeleton, np.zeros((1, 3)), pose[None], 1.0)
    pose[0] = yaw(-float(headings(still)[0]))
    return pose


def _standing(clip: Clip) -> FloatArray:
    """Local rotations (J, 4): the average of the frames in which the body stands straightest, facing +z.

    Straight is: thighs and shins down and the line from hips to neck up, by the squares of their angles.
    """
    body = clip.skeleton
    some = np.unique(np.linspace(0, len(clip) - 1, SAMPLED_FRAMES).astype(int))
    places = fk_rotations(clip[some])[0]
    cost = np.zeros(len(some))
    for joint, (to, direction) in _wanted(body).items():
        if direction is DOWN:
            cost += _off(places[:, to] - places[:, joint], DOWN)
    neck = body.find("neck", "head")
    if neck is not None and body.find("left_front_foot", "right_front_foot") is None:
        cost += 2 * _off(places[:, neck] - places[:, 0], -DOWN)
    best = np.argsort(cost, kind="stable")[: max(1, round(BEST_SHARE * len(some)))]
    chosen = clip[some[best]]
    rotations = chosen.rotations.copy()
    rotations[:, 0] = multiply(yaw(-headings(chosen)), rotations[:, 0])
    pose = average(rotations)
    if len(feet(body)) == 2:
        pose[0] = _squared(inverse(body_axes(body)))
        means = average(clip.rotations[some])
        for j, role in enumerate(body.roles):
            if _SQUARE.fullmatch(role):
                pose[j] = _squared(means[j])
    return pose


def _squared(turn: FloatArray) -> FloatArray:
    """The nearest turn that takes axes to axes, if one is clearly nearest; else the turn itself.

    Where the rest pose is no pose, local axes still follow a rule: the trunk is straight when neck and head are turned
    against the joint below by whole quarters. A boxer's guard, which twists the trunk in every frame, then stays one.
    """
    away = angle_between(turn[None], _QUARTERS)
    return _QUARTERS[away.argmin()] if away.min() < QUARTER_TOLERANCE else turn


def _off(lines: FloatArray, direction: FloatArray) -> FloatArray:
    """Squares of the angles (F,) between lines and a direction."""
    lengths = np.linalg.norm(lines, axis=-1)
    cosine = (lines @ direction) / np.where(lengths > 1e-9, lengths, 1)
    return np.asarray(np.arccos(np.clip(cosine, -1, 1)) ** 2)


def _world(skeleton: Skeleton, pose: FloatArray) -> tuple[FloatArray, FloatArray]:
    places, turns = world(skeleton, np.zeros((1, 3)), pose[None])
    return places[0], turns[0]


def _wanted(skeleton: Skeleton) -> dict[int, tuple[int, FloatArray]]:
    """For each bone of a limb: its joint, the joint at its end, and where it points in the matched pose."""
    out: dict[int, tuple[int, FloatArray]] = {}
    for side, left in zip(SIDES, (1.0, -1.0), strict=True):
        limbs = [(limb, DOWN) for limb in _LEGS] + [(_ARM, np.array([left, 0.0, 0.0]))]
        for limb, direction in limbs:
            joints = [skeleton.find(f"{side}_{part}") for part in limb]
            for joint, to in pairwise(joints):
                if joint is not None and to is not None and joint in skeleton.chain(to):
                    out[joint] = (to, direction)
    return out


def _bends(clip: Clip) -> dict[int, FloatArray]:
    """For each upper bone of a limb: the direction, in its joint's frame, that the lower bone folds to."""
    body = clip.skeleton
    places, turns = fk_rotations(clip)
    out = {}
    for side in SIDES:
        for limb in (_LEGS[0], _ARM):
            joints = [body.find(f"{side}_{part}") for part in limb]
            if None not in joints:
                a, b, c = (int(j) for j in joints if j is not None)
                fold = folding_direction(body, (a, b, c), places, turns)
                out[a] = rotate(inverse(turns[0, a]), fold[0])
    return out


def _spun(fold: FloatArray, axis: FloatArray) -> FloatArray:
    """The turn about a bone that makes its knee fold backward, its elbow forward."""
    wanted = -FORWARD if axis is DOWN else FORWARD
    across = fold - (fold @ axis) * axis
    if np.linalg.norm(across) < 1e-6:
        return IDENTITY
    return from_axis_angle(axis, np.arctan2(np.cross(across, wanted) @ axis, across @ wanted))


def _flat_frames(clip: Clip) -> dict[str, BoolArray]:
    """(F,) for each foot, by its name: where it stands on both heel and toe."""
    touching = contacts(clip)
    out = {}
    for foot in feet(clip.skeleton):
        parts = [touching[p.label] for p in foot_parts(clip.skeleton) if p.foot.name == foot.name]
        out[foot.name] = parts[0] & parts[1] if len(parts) == 2 else np.zeros(len(clip), bool)
    return out


def _soles(clip: Clip, flat: dict[str, BoolArray], pose: FloatArray) -> dict[int, tuple[FloatArray, FloatArray]]:
    """For each foot: the directions of up and of its toe while it stands flat, in the ankle joint's frame.

    From its `flat` frames; else from `pose`, the world rotations (J, 4) of the body as it stands. A foot without a toe
    is left as its shin carries it.
    """
    body = clip.skeleton
    turns = fk_rotations(clip)[1]
    out = {}
    for foot in feet(body):
        toe = next((p for p in foot_parts(body) if p.foot.name == foot.name and p.name.endswith("toe")), None)
        if toe is None or (toe.joint == foot.ankle and not any(toe.offset)):
            continue
        line = _toe_line(body, foot.ankle, toe.joint, np.array(toe.offset))
        seen = (
            turns[flat[foot.name], foot.ankle] if flat[foot.name].sum() >= MIN_FLAT_FRAMES else pose[None, foot.ankle]
        )
        up = rotate(inverse(seen), -DOWN).mean(0)
        if np.linalg.norm(up) > 1e-3 and np.linalg.norm(np.cross(up, line)) > 1e-6:
            out[foot.ankle] = (up / np.linalg.norm(up), line)
    return out


def _toe_line(skeleton: Skeleton, ankle: int, joint: int, offset: FloatArray) -> FloatArray:
    """From the ankle to the toe in the ankle's frame, with the joints between them at rest."""
    return np.asarray(sum((skeleton.offsets[j] for j in skeleton.chain(joint, ankle)[1:]), offset), float)


def _flat(up: FloatArray, toe: FloatArray) -> FloatArray:
    """The turn that puts a foot on its sole, toe forward; `up` and `toe` are where they are now."""
    upright = between(up, -DOWN)
    ahead = rotate(upright, toe)
    return multiply(yaw(-float(np.arctan2(ahead[0], ahead[2]))), upright)
