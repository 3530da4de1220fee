"""The path and pace of a request: the error that the chosen frames leave is corrected along the clip."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from motionloom.constraints import Constraint, Pace, Plant, PoseAlong, RootPath
from motionloom.constraints.bend_to_path import follow, on_path
from motionloom.constraints.bend_travel import Key, steer
from motionloom.core import Clip, FloatArray, Skeleton, replace
from motionloom.core.numbers import gaussian_smoothed
from motionloom.kinematics.feet.contacts import foot_parts, runs
from motionloom.kinematics.local_frames import observe
from motionloom.kinematics.pace import STANDING_SPEED, pace
from motionloom.kinematics.travel import travel
from motionloom.methods.texture.paths import path_places

STRIDE = 1.25  # times: steps are lengthened or shortened by at most this
SLACK = 0.5  # of the tolerance of a pace: it is met to this
PACE_ROUNDS = 8
PLANT_TRAVEL = 0.5  # of the way of the hips in a usual stance: what is left of it, at least, in a long plant
PACE_SMOOTHING = 0.15  # s: deviation of the Gaussian over the change of the steps


def paced(clip: Clip, constraints: Sequence[Constraint]) -> Clip:
    """The clip with its steps made longer or shorter, by up to `STRIDE`, so that it has the speeds that are asked for.

    For a soft pace by the share w / (1 + w) of that.
    """
    for c in constraints:
        if isinstance(c, Pace):
            share = 1.0 if c.weight is None else c.weight / (1.0 + c.weight)
            factor = _step_factors(clip, c) ** share
            clip = with_steps(clip, factor) if np.abs(factor - 1.0).max() > 1e-3 else clip
    return clip


def foot_contacts(skeleton: Skeleton, joint: int) -> list[str]:
    """The labels of the contacts of the foot that a joint belongs to; none for a joint of no leg."""
    return [p.label for p in foot_parts(skeleton) if joint in skeleton.below(p.foot.thigh)]


def from_touch_down(clip: Clip, constraints: Sequence[Constraint]) -> list[Constraint]:
    """The constraints with plants that begin as early, and end as late, as their joint stands around them.

    So a foot that is to stay where it is planted comes down there, and is not moved there while it stands.
    """
    out, frames = [], len(clip)
    for c in constraints:
        if isinstance(c, Plant):
            joint, span = clip.skeleton.joint(c.joint), c.frames(frames, clip.fps)
            own = [p.label for p in foot_parts(clip.skeleton) if p.joint == joint]
            first, stop = span.start, span.stop
            for a, b in runs(np.any([clip.label(n) for n in own], axis=0)) if own else ():
                first = a if a <= span.start < b else first
                stop = b if a < span.stop <= b else stop
            c = dataclasses.replace(c, span=(f"{first}f", f"{stop}f"))
        out.append(c)
    return out


def stance_travel(clips: Sequence[Clip], joint: int) -> float:
    """m: how far hips usually move over the ground while the foot that a joint belongs to stands; inf for no foot."""
    skeleton, moved = clips[0].skeleton, []
    labels = foot_contacts(skeleton, joint)
    for clip in clips if labels else ():
        for a, b in runs(np.any([clip.label(n) for n in labels], axis=0)):
            moved.append(float(np.linalg.norm(clip.root[b - 1, [0, 2]] - clip.root[a, [0, 2]])))
    return float(np.median(moved)) if moved else np.inf


def slowed_at_plants(clip: Clip, constraints: Sequence[Constraint], examples: Sequence[Clip]) -> Clip:
    """The clip with shorter steps while a foot is planted for longer than it stands in the examples.

    The hips then move less far than in a usual stance, at whose end a heel rises, so that the leg reaches its plant.
    """
    for c in constraints:
        if not isinstance(c, Plant):
            continue
        span = c.frames(len(clip), clip.fps)
        walked = np.linalg.norm(np.diff(clip.root[span.start : span.stop, [0, 2]], axis=0), axis=1).sum()
        stance = stance_travel(examples, clip.skeleton.joint(c.joint))
        if walked > stance:
            share = max(PLANT_TRAVEL, stance / walked) * stance / walked
            factor = np.ones(len(clip))
            factor[span.start : span.stop] = share
            clip = with_steps(clip, gaussian_smoothed(factor, PACE_SMOOTHING * clip.fps))
    return clip


def _step_factors(clip: Clip, asked: Pace) -> FloatArray:
    """(F,) how many times as long the step from each frame has to be, within `STRIDE`."""
    span, room = asked.frames(len(clip), clip.fps), SLACK * asked.tolerance
    low, high = (asked.speed[0] + room, asked.speed[1] - room)
    low, high = (low, high) if low < high else (float(np.mean(asked.speed)),) * 2
    factor = np.ones(len(clip))
    for _ in range(PACE_ROUNDS):
        made = with_steps(clip, factor)
        if asked.worst(made) <= room:
            break
        now = pace(made[span.start : span.stop])
        wanted = np.where(now > STANDING_SPEED, np.clip(now, low, high), now)
        factor[span.start : span.stop] *= wanted / np.maximum(now, 1e-9)
        factor = np.clip(gaussian_smoothed(factor, PACE_SMOOTHING * clip.fps), 1 / STRIDE, STRIDE)
    return factor


def with_steps(clip: Clip, factor: FloatArray) -> Clip:
    """The clip with the step from each frame to the next made so many times as long."""
    root = clip.root.copy()
    steps = np.diff(root[:, [0, 2]], axis=0) * factor[:-1, None]
    root[1:, [0, 2]] = root[0, [0, 2]] + np.cumsum(steps, axis=0)
    return replace(clip, root=root)


def moved_along(clip: Clip, constraints: Sequence[Constraint]) -> Clip:
    """The clip with its path led through the paths, a place each second; where a hard one is left, along all of it."""
    for c in constraints:
        if isinstance(c, RootPath):
            clip = steer(clip, _path_keys(clip, c))
            clip = follow(clip, c) if c.hard and not c.met(clip) else clip
    return clip


def _path_keys(clip: Clip, path: RootPath) -> dict[int, Key]:
    if path.times is not None:
        places = path_places(path, len(clip), clip.fps)
        return {frame: Key((float(x), float(z))) for frame, (x, z) in places.items()}
    walked = np.linalg.norm(np.diff(travel(clip).place, axis=0), axis=1)
    share = np.concatenate([[0.0], np.cumsum(walked)]) / max(float(walked.sum()), 1e-9)
    frames = np.linspace(0, len(clip) - 1, max(2, round(clip.seconds) + 1)).round().astype(int)
    line = on_path(np.array(path.points), share[frames])
    return {int(f): Key((float(x), float(z))) for f, (x, z) in zip(frames, line, strict=True)}


def given_velocities(
    constraints: Sequence[Constraint], skeleton: Skeleton, frames: int, fps: float
) -> dict[int, FloatArray]:
    """Velocities of the root (n, 3) over the ground where a given clip moves it, by the first frame."""
    out = {}
    for c in constraints:
        if isinstance(c, PoseAlong) and 0 in c.chosen(skeleton):
            out[c.frames(frames, fps).start] = observe(c.given(skeleton, frames, fps)).root[:-1, :3]
    return out
