"""Costs of example frames over time, from the constraints of a request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from motionloom.constraints import (
    Ground,
    Pace,
    Plant,
    PoseAlong,
    PoseAt,
    PositionAt,
    Request,
    RootAt,
    RootPath,
    Style,
    tilt_between,
)
from motionloom.core import Clip, FloatArray
from motionloom.core.numbers import squared_distances
from motionloom.kinematics.pace import pace
from motionloom.kinematics.travel import steady_travel, without_heading
from motionloom.methods.texture.coherent.choose import IMPOSSIBLE
from motionloom.methods.texture.coherent.parts import JointGroup
from motionloom.methods.texture.correct_path_and_pace import foot_contacts, stance_travel
from motionloom.methods.texture.paths import path_places
from motionloom.rotation import angle_between, to_matrix, wrap_angle

Float32 = NDArray[np.float32]

HARD_POSE = 40.0  # weight of a hard pose; that of a soft one is its own
HARD_PACE = 10.0  # weight of a hard pace
LEVER = 0.3  # m: an angle of a joint counts as the distance of a point this far from it
STYLE = 0.02  # m^2: a frame without a style of importance 1
LIFTED = 0.02  # m^2: a frame in which a foot that is planted does not stand
GUIDE = 0.03  # s^2: of the squared difference in speed (m/s) or turn rate (rad/s) from what leads to the next root key
SHORT_LEG = 0.3  # m: a shorter distance between two root keys has no direction of its own


class Price(NamedTuple):
    """What the example frames cost in some frames of the result."""

    first: int
    stop: int
    costs: FloatArray  # (N,) m^2


class RootGuide(NamedTuple):
    """The speed and turn rate that would lead from one root key to the next; NaN where nothing is wanted."""

    speed: FloatArray  # (F,) m/s
    turn: FloatArray  # (F,) rad/s


def style_prices(styles: Iterable[Style], clips: Sequence[Clip], part: JointGroup, frames: int) -> list[Price]:
    """Frames without the label are impossible where it is hard, and dear where it is not.

    A soft style counts for a part as much as for its joints, a hard one for every part that has one of its joints.
    """
    out = []
    for style in styles:
        span = style.frames(frames, clips[0].fps)
        lacking = ~np.concatenate([clip.label(style.label) for clip in clips])
        influence = style.influence(clips[0].skeleton)[list(part.joints)]
        soft = STYLE * style.importance * (style.weight or 0.0) * float(influence.mean())
        price = IMPOSSIBLE * bool(influence.any()) if style.hard else soft
        out.append(Price(span.start, span.stop, lacking * price))
    return out


def pose_prices(poses: Iterable[PoseAt], clips: Sequence[Clip], part: JointGroup, frames: int) -> list[Price]:
    """How unlike each example frame is to a pose, over the joints of a part that it fixes."""
    out = []
    for pose in poses:
        joints, rotations, height = pose.target(clips[0].skeleton)
        own = [(j, rotations[k]) for k, j in enumerate(joints) if j in part.joints]
        if not own:
            continue
        rows = []
        for clip in clips:
            angles = [
                angle_between(clip.rotations[:, j], q) if j else tilt_between(clip.rotations[:, 0], q) for j, q in own
            ]
            total = (LEVER * np.stack(angles)) ** 2
            rows.append(total.mean(0))
            if height is not None and 0 in part.joints:
                rows[-1] = rows[-1] + (clip.root[:, 1] - height) ** 2
        frame = pose.frame(frames, clips[0].fps)
        weight = HARD_POSE if pose.hard else (pose.weight or 0.0)
        out.append(Price(frame, frame + 1, weight * np.concatenate(rows)))
    return out


def along_prices(asked: Iterable[PoseAlong], clips: Sequence[Clip], part: JointGroup, frames: int) -> list[Price]:
    """How unlike each example frame is to every frame of a given clip, over the joints of a part that it fixes."""
    out, skeleton = [], clips[0].skeleton
    for c in asked:
        own = c.given(skeleton, frames, clips[0].fps)
        joints = [j for j in c.chosen(skeleton) if j in part.joints]
        if not joints:
            continue
        examples = np.concatenate([to_matrix(_upright(clip, joints)).reshape(len(clip), -1) for clip in clips])
        given = to_matrix(_upright(own, joints)).reshape(len(own), -1)
        scale = LEVER**2 / (2.0 * len(joints)) * (1.0 if c.hard else c.weight or 0.0)
        squares = scale * squared_distances(given, examples)  # |R - R'|^2 is 2 angle^2 for small angles
        span = c.frames(frames, clips[0].fps)
        out += [Price(frame, frame + 1, row) for frame, row in zip(span, squares, strict=True)]
    return out


def _upright(clip: Clip, joints: Sequence[int]) -> FloatArray:
    turns = clip.rotations[:, joints].copy()
    if 0 in joints:
        turns[:, joints.index(0)] = without_heading(clip.rotations[:, 0], clip.skeleton)
    return turns


def plant_prices(plants: Iterable[Plant], clips: Sequence[Clip], frames: int, speeds: FloatArray) -> list[Price]:
    """Frames in which the foot that is planted does not stand are dear, and so are those that leave it too fast.

    `speeds` (N,) m/s are those of the example frames.
    """
    out, skeleton = [], clips[0].skeleton
    for c in plants:
        joint, span = skeleton.joint(c.joint), c.frames(frames, clips[0].fps)
        labels = foot_contacts(skeleton, joint)
        if labels:
            standing = np.any([np.concatenate([clip.label(n) for clip in clips]) for n in labels], axis=0)
            fast = np.maximum(speeds - stance_travel(clips, joint) * clips[0].fps / len(span), 0.0)
            costs = np.where(standing, 0.0, LIFTED) + HARD_PACE * GUIDE * fast**2
            out.append(Price(span.start, span.stop, costs))
    return out


def height_prices(roots: Iterable[RootAt], clips: Sequence[Clip], frames: int, ground: Ground) -> list[Price]:
    """How far the hips are from the height over the ground that is wanted."""
    heights = np.concatenate([clip.root[:, 1] for clip in clips])
    out = []
    for asked in roots:
        if asked.height is not None:
            frame = asked.frame(frames, clips[0].fps)
            weight = HARD_POSE if asked.hard else (asked.weight or 0.0)
            below = 0.0 if asked.position is None else float(ground.height_at(*asked.position))
            out.append(Price(frame, frame + 1, weight * (heights - asked.height + below) ** 2))
    return out


def pace_prices(paces: Iterable[Pace], clips: Sequence[Clip], frames: int) -> list[Price]:
    """How far the speed around each example frame is from what is asked for."""
    out = []
    for c in paces:
        span = c.frames(frames, clips[0].fps)
        off = np.concatenate([c.deviation(pace(clip)) for clip in clips])
        weight = HARD_PACE if c.hard else (c.weight or 0.0)
        out.append(Price(span.start, span.stop, weight * GUIDE * off**2))
    return out


def guide(request: Request, frames: int, fps: float) -> RootGuide | None:
    """The speeds and turn rates that lead through the root keys and along the paths of a request; None without any."""
    places: dict[int, FloatArray] = {}
    headings: dict[int, float] = {}
    for c in request.constraints:
        if isinstance(c, RootAt):
            frame = c.frame(frames, fps)
            if c.position is not None:
                places[frame] = np.array(c.position)
            if c.heading is not None:
                headings[frame] = c.heading
        elif isinstance(c, RootPath):
            places |= path_places(c, frames, fps)
    for c in request.constraints:  # a body stands about where its points are
        if isinstance(c, PositionAt):
            places.setdefault(c.frame(frames, fps), np.array(c.target)[[0, 2]])
        elif isinstance(c, Plant) and c.target is not None:
            places.setdefault(c.frames(frames, fps).start, np.array(c.target)[[0, 2]])
    if not places and not headings:
        return None
    begin = request.beginning(frames, fps)
    places.setdefault(0, np.array(begin.position))
    headings.setdefault(0, begin.heading)
    speed, turn = np.full(frames, np.nan), np.full(frames, np.nan)
    for a, b in pairwise(sorted(places)):
        moved = places[b] - places[a]
        speed[a:b] = np.linalg.norm(moved) / ((b - a) / fps)
        if np.linalg.norm(moved) > SHORT_LEG:
            headings.setdefault((a + b) // 2, float(np.arctan2(moved[0], moved[1])))
    for a, b in pairwise(sorted(headings)):
        turn[a:b] = float(wrap_angle(headings[b] - headings[a])) / ((b - a) / fps)
    return RootGuide(speed, turn)


def example_rates(clips: Sequence[Clip]) -> tuple[FloatArray, FloatArray]:
    """(N,) speed (m/s) and turn rate (rad/s) of all example frames, without the sway of the hips."""
    speeds, turns = [], []
    for clip in clips:
        path = steady_travel(clip)
        if len(clip) < 2:
            speeds.append(np.zeros(len(clip)))
            turns.append(np.zeros(len(clip)))
            continue
        speeds.append(np.linalg.norm(np.gradient(path.place, axis=0), axis=1) * clip.fps)
        turns.append(np.gradient(path.heading) * clip.fps)
    return np.concatenate(speeds), np.concatenate(turns)


class Wanted(NamedTuple):
    """The prices of one part in the frames of a result."""

    prices: tuple[Price, ...]
    guide: RootGuide | None  # of the part that has the root
    rates: tuple[FloatArray, FloatArray]  # of the examples

    def costs(self, first: int, stop: int) -> Float32:
        """(T, N) m^2 for the frames first .. stop - 1."""
        out = np.zeros((stop - first, len(self.rates[0])), np.float32)
        for price in self.prices:
            rows = slice(max(price.first - first, 0), max(price.stop - first, 0))
            out[rows] += price.costs.astype(np.float32)
        if self.guide is not None:
            for wanted, own in zip(self.guide, self.rates, strict=True):
                gap = wanted[first:stop, None] - own
                out += np.where(np.isnan(gap), 0.0, GUIDE * gap**2).astype(np.float32)
        return out
