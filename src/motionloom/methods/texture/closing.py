"""Keys of the improved variant: what the choice of frames left of them is closed by bending the motion."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from motionloom.constraints import (
    Constraint,
    Pace,
    Plant,
    Pose,
    PoseAlong,
    PoseAt,
    PositionAt,
    Request,
    RootAt,
    RootPath,
    bend,
)
from motionloom.constraints.bend_travel import Key, steer
from motionloom.core import Clip, FloatArray, replace
from motionloom.kinematics.fk import fk
from motionloom.kinematics.pace import STANDING_SPEED, pace
from motionloom.kinematics.travel import travel
from motionloom.methods.texture.paths import on_path, path_places
from motionloom.rotation import slerp, wrap_angle

EXACT = 1e-10  # rad, m: keys are closed to this, not only to their tolerance
NEAR = 1e-4  # m: points and plants are closed to this
STRIDE = 1.25  # times: steps are lengthened or shortened by at most this
SLACK = 0.5  # of the tolerance of a pace: it is met to this
PACE_ROUNDS = 8
PACE_SMOOTHING = 0.15  # s: deviation of the Gaussian over the change of the steps


def closed(clip: Clip, constraints: Sequence[Constraint]) -> Clip:
    """The clip bent to its hard keys, and towards its soft ones: by the share w / (1 + w) of what is missing."""
    soft = [c for c in constraints if not c.hard and isinstance(c, (PoseAt, RootAt, PositionAt)) and c.weight]
    for c in soft:
        clip = bend(clip, [_towards(clip, c)])
    return closed_exactly(clip, [c for c in constraints if c.hard])


def closed_exactly(clip: Clip, constraints: Sequence[Constraint]) -> Clip:
    """The clip bent to constraints, soft ones as if they were hard, far below their tolerances."""
    hard = [_tightened(dataclasses.replace(c, weight=None)) for c in constraints]
    return bend(clip, hard) if hard else clip


def _tightened(c: Constraint) -> Constraint:
    if isinstance(c, (PoseAt, PoseAlong, RootAt)):
        return dataclasses.replace(c, tolerance=min(c.tolerance, EXACT))
    if isinstance(c, (PositionAt, Plant)):
        return dataclasses.replace(c, tolerance=min(c.tolerance, NEAR))
    return c


def _towards(clip: Clip, c: PoseAt | RootAt | PositionAt) -> Constraint:
    """The hard constraint for a value between what the clip has and what the soft one wants."""
    share = (c.weight or 0.0) / (1.0 + (c.weight or 0.0))
    frame = c.frame(len(clip), clip.fps)
    if isinstance(c, PositionAt):
        here = fk(clip[frame : frame + 1])[0, clip.skeleton.joint(c.joint)]
        x, y, z = (here + share * (np.array(c.target) - here)).tolist()
        return dataclasses.replace(c, target=(x, y, z), weight=None, tolerance=NEAR)
    if isinstance(c, RootAt):
        now = travel(clip[frame : frame + 1])
        position = None if c.position is None else now.place[0] + share * (np.array(c.position) - now.place[0])
        height = None if c.height is None else clip.root[frame, 1] + share * (c.height - clip.root[frame, 1])
        gap = None if c.heading is None else float(wrap_angle(c.heading - now.heading[0]))
        heading = None if gap is None else float(now.heading[0]) + share * gap
        place = None if position is None else (float(position[0]), float(position[1]))
        return dataclasses.replace(c, position=place, height=height, heading=heading, weight=None, tolerance=EXACT)
    joints, rotations, height = c.target(clip.skeleton)
    turns = clip.rotations[frame].copy()
    turns[joints] = slerp(turns[joints], rotations, np.full(len(joints), share))
    root = clip.root[frame].copy()
    if height is not None:
        root[1] += share * (height - root[1])
    pose = Pose(replace(clip[frame : frame + 1], rotations=turns[None], root=root[None]))
    names = tuple(clip.skeleton.names[j] for j in joints)
    return PoseAt(time=f"{frame}f", pose=pose, joints=names, tolerance=EXACT)


def paced(clip: Clip, constraints: Sequence[Constraint]) -> Clip:
    """The clip with its steps made longer or shorter, by up to `STRIDE`, so that it has the speeds that are asked for.

    For a soft pace by the share w / (1 + w) of that.
    """
    for c in constraints:
        if isinstance(c, Pace):
            share = 1.0 if c.weight is None else c.weight / (1.0 + c.weight)
            factor = _step_factors(clip, c) ** share
            clip = _with_steps(clip, factor) if np.abs(factor - 1.0).max() > 1e-3 else clip
    return clip


def _step_factors(clip: Clip, asked: Pace) -> FloatArray:
    """(F,) how many times as long the step from each frame has to be, within `STRIDE`."""
    span, room = asked.frames(len(clip), clip.fps), SLACK * asked.tolerance
    low, high = (asked.speed[0] + room, asked.speed[1] - room)
    low, high = (low, high) if low < high else (float(np.mean(asked.speed)),) * 2
    factor = np.ones(len(clip))
    for _ in range(PACE_ROUNDS):
        made = _with_steps(clip, factor)
        if asked.worst(made) <= room:
            break
        now = pace(made[span.start : span.stop])
        wanted = np.where(now > STANDING_SPEED, np.clip(now, low, high), now)
        factor[span.start : span.stop] *= wanted / np.maximum(now, 1e-9)
        factor = np.clip(_smoothed(factor, PACE_SMOOTHING * clip.fps), 1 / STRIDE, STRIDE)
    return factor


def _with_steps(clip: Clip, factor: FloatArray) -> Clip:
    """The clip with the step from each frame to the next made so many times as long."""
    root = clip.root.copy()
    steps = np.diff(root[:, [0, 2]], axis=0) * factor[:-1, None]
    root[1:, [0, 2]] = root[0, [0, 2]] + np.cumsum(steps, axis=0)
    return replace(clip, root=root)


def _smoothed(values: FloatArray, deviation: float) -> FloatArray:
    from scipy.ndimage import gaussian_filter1d

    return np.asarray(gaussian_filter1d(values, deviation, mode="nearest"))


def moved_along(clip: Clip, constraints: Sequence[Constraint]) -> Clip:
    """The clip with its path led through the paths, a place each second; a hard one is then followed exactly."""
    for c in constraints:
        if isinstance(c, RootPath):
            clip = steer(clip, _path_keys(clip, c))
    return clip


def lifted(clip: Clip, request: Request) -> Clip:
    """A faithful result on ground with heights: the root has its height over the ground below it.

    A hard height, which is one in the world, is kept.
    """
    root = clip.root.copy()
    root[:, 1] += request.ground.height_at(root[:, 0], root[:, 2])
    for c in request.constraints:
        if isinstance(c, RootAt) and c.hard and c.height is not None:
            root[c.frame(len(clip), clip.fps), 1] = c.height
        elif isinstance(c, PoseAt) and c.hard and (height := c.target(clip.skeleton).height) is not None:
            root[c.frame(len(clip), clip.fps), 1] = height
    return replace(clip, root=root)


def _path_keys(clip: Clip, path: RootPath) -> dict[int, Key]:
    if path.times is not None:
        places = path_places(path, len(clip), clip.fps)
        return {frame: Key((float(x), float(z))) for frame, (x, z) in places.items()}
    walked = np.linalg.norm(np.diff(travel(clip).place, axis=0), axis=1)
    share = np.concatenate([[0.0], np.cumsum(walked)]) / max(float(walked.sum()), 1e-9)
    frames = np.linspace(0, len(clip) - 1, max(2, round(clip.seconds) + 1)).round().astype(int)
    line = on_path(np.array(path.points), share[frames])
    return {int(f): Key((float(x), float(z))) for f, (x, z) in zip(frames, line, strict=True)}
