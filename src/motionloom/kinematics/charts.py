"""Frames as numbers for statistics (LI 6.1), and back: rotations in locally linear coordinates, scaled to metres.

A frame is 3 J + 4 numbers: for each joint the exponential map of its rotation relative to a base rotation, times the
length of what the joint moves (so that all coordinates are metres at the tip of a limb), then the root: velocity to
the left and forward (m/s, in the heading frame), yaw rate (rad/s) and height (m). The root joint turns
without its heading. Velocities count as the way made in `HORIZON` seconds and turns as the way of a point `YAW_ARM`
away: in metres per frame the variance rule would throw the root away, in metres per second it would keep little else.
Fingers are not modelled: they keep their mean.

Joints that turn far have charts of their own: a rotation at angle a about an axis is also one at a - 2 pi about it.
The logarithm takes the smaller angle, so a body that turns over jumps to the other side of its chart at pi. The
exponential map itself is smooth up to 2 pi; all that is needed is to stay on one side. Which side follows from time:
along a segment from its frames one by one, at its ends from the segment that drives it.

`channels` is the chart of whole clips, with every joint and exactly reversible; this one is for models of many frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, Skeleton
from motionloom.kinematics.body.roles import fingers
from motionloom.kinematics.local_frames import Frames
from motionloom.rotation import average, exp, inverse, log, multiply

HORIZON = 0.25  # s
YAW_ARM = 0.3  # m
ROOT = np.array([HORIZON, HORIZON, HORIZON * YAW_ARM, 1.0])
WILD = 2.2  # rad: a joint that strays farther from its mean than this gets a base rotation in each model of frames


def joint_scales(skeleton: Skeleton) -> FloatArray:
    """(J,) metres: how far from each joint the farthest thing it moves is, in the rest pose stretched out."""
    reach = np.zeros(len(skeleton))
    for end in skeleton.ends:
        reach[end.joint] = max(reach[end.joint], float(np.linalg.norm(end.offset)))
    for j in range(len(skeleton) - 1, 0, -1):
        p = skeleton.parents[j]
        reach[p] = max(reach[p], reach[j] + float(np.linalg.norm(skeleton.offsets[j])))
    return np.maximum(reach, 0.02)


@dataclass(frozen=True, eq=False)
class Space:
    """The coordinates that all segments share, and which joints need a base of their own in each kind of segment."""

    base: FloatArray  # (J, 4) mean rotation of each joint
    scale: FloatArray  # (J,)
    wild: BoolArray  # (J,): strays farther than `WILD` from the mean
    moving: BoolArray  # (D,) channels that vary at all; the others keep their mean
    still: FloatArray  # (D,) the mean of every channel

    @property
    def size(self) -> int:
        """How many channels vary."""
        return int(self.moving.sum())

    @cached_property
    def wild_columns(self) -> IntArray:
        """(W, 3) the columns of each wild joint."""
        where = np.cumsum(self.moving) - 1
        return np.asarray(where[: 3 * len(self.base)].reshape(-1, 3)[self.wild])

    @cached_property
    def wild_scale(self) -> FloatArray:
        """(W,) metres: the scale of each wild joint."""
        return self.scale[self.wild]


def space_of(frames: Frames, skeleton: Skeleton, *, least: float = 1e-4) -> Space:
    """The space of some frames; channels whose deviation is below `least` metres count as constant, as do fingers."""
    base = average(frames.turns)
    apart = 2 * np.arccos(np.clip(np.abs(np.einsum("fjc,jc->fj", frames.turns, base)), 0, 1))
    far = np.quantile(apart, 0.995, axis=0)  # a rare glitch makes no joint wild
    hold = np.zeros(len(base), bool)
    hold[fingers(skeleton)] = True
    channels = 3 * len(base) + 4
    whole = Space(base, joint_scales(skeleton), ~hold & (far > WILD), np.ones(channels, bool), np.zeros(channels))
    y = to_coordinates(frames, whole)
    moving = (y.std(0) > least) & ~np.concatenate([np.repeat(hold, 3), np.zeros(4, bool)])
    moving[: 3 * len(base)] |= np.repeat(whole.wild, 3)
    return Space(base, whole.scale, whole.wild, moving, y.mean(0))


def to_coordinates(frames: Frames, space: Space, base: FloatArray | None = None) -> FloatArray:
    """(F, D) coordinates in the chart around `base`; only the channels that vary."""
    v = log(multiply(inverse(space.base if base is None else base), frames.turns)) * space.scale[:, None]
    return np.concatenate([v.reshape(len(frames), -1), frames.root * ROOT], 1)[:, space.moving]


def recharted(y: FloatArray, frames: Frames, space: Space, base: FloatArray) -> FloatArray:
    """`to_coordinates(frames, space, base)`, made from the shared coordinates y: only wild joints are charted anew."""
    if not space.wild.any():
        return y
    out = y.copy()
    w = space.wild
    v = log(multiply(inverse(base[w]), frames.turns[:, w])) * space.scale[w, None]
    out[:, space.wild_columns] = v
    return out


def to_frames(y: FloatArray, space: Space, base: FloatArray | None = None) -> Frames:
    """The inverse of `to_coordinates`."""
    full = np.tile(space.still, (len(y), 1))
    full[:, space.moving] = y
    joints = len(space.base)
    v = full[:, : 3 * joints].reshape(len(y), joints, 3) / space.scale[:, None]
    turns = multiply(space.base if base is None else base, exp(v))
    return Frames(turns, full[:, 3 * joints :] / ROOT)


def other_side(v: FloatArray, full: FloatArray | float = 2 * np.pi) -> FloatArray:
    """The same rotations v (..., 3), turned the other way round; `full` is the length of a full turn."""
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(v - full * v / np.maximum(length, 1e-9))


def unbroken(v: FloatArray, anchor: IntArray, full: FloatArray | float = 2 * np.pi) -> FloatArray:
    """(F, W, 3) logarithms of W joints along time, without jumps; frame `anchor` of each joint keeps its side."""
    other = other_side(v, full)
    direct, round_ = (np.linalg.norm(x[1:] - v[:-1], axis=-1) for x in (v, other))
    crossed = np.zeros(v.shape[:2], int)
    crossed[1:] = np.cumsum(direct > round_, axis=0)
    crossed -= crossed[anchor, np.arange(v.shape[1])]
    return np.where((crossed % 2 == 1)[..., None], other, v)


def along(y: FloatArray, space: Space, within: int | None = None) -> FloatArray:
    """(F, D) coordinates of successive frames without jumps, from the frame nearest to the base (of `within`)."""
    if not len(space.wild_columns):
        return y
    columns, full = space.wild_columns, full_turn(space)
    v = y[:, columns]
    anchor = np.linalg.norm(v[:within], axis=-1).argmin(0)
    out = y.copy()
    out[:, columns] = unbroken(v, anchor, full)
    return out


def beside(y: FloatArray, like: FloatArray, space: Space) -> FloatArray:
    """(F, D) coordinates on the side on which those of `like` (F, D) are."""
    columns = space.wild_columns
    if not len(columns):
        return y
    v = y[:, columns]
    if (np.einsum("fjc,fjc->fj", v, v) < (np.pi / 2 * space.wild_scale) ** 2).all():  # the other side is very far
        return y
    near = like[:, columns]
    other = other_side(v, full_turn(space))
    farther = np.linalg.norm(v - near, axis=-1) > np.linalg.norm(other - near, axis=-1)
    out = y.copy()
    out[:, columns] = np.where(farther[..., None], other, v)
    return out


def full_turn(space: Space) -> FloatArray:
    """(W, 1) the length of a full turn of each wild joint, in coordinates."""
    return 2 * np.pi * space.wild_scale[:, None]


def own_base(parts: Sequence[Frames], space: Space) -> FloatArray:
    """The base rotations (J, 4) of one kind of segment: the space's, but for wild joints the middle of their own turn.

    The middle of how far each segment turns, averaged over its segments: so a turn of up to two pi stays within pi.
    """
    base = space.base.copy()
    if len(space.wild_columns):
        middles = [_middle(frames.turns[:, space.wild]) for frames in parts]
        base[space.wild] = average(np.stack(middles))
    return base


def _middle(turns: FloatArray) -> FloatArray:
    """(W, 4) the middle of how far W joints (F, W, 4) turn: seen from the middle frame, and once more from there."""
    middle = turns[len(turns) // 2]
    for _ in range(2):
        v = log(multiply(inverse(middle), turns))
        v = unbroken(v, np.linalg.norm(v, axis=-1).argmin(0))
        middle = multiply(middle, exp((v.max(0) + v.min(0)) / 2))
    return middle


def chart_volume(y: FloatArray, space: Space) -> FloatArray:
    """(F,) log volume of the chart at each frame, for the wild joints.

    Charts differ between kinds of segments, so their densities are compared per unit of rotation, not of coordinate:
    dv = dq / det J with det J = 2 (1 - cos a) / a^2 at angle a. Joints that all chart alike cancel out.
    """
    if not len(space.wild_columns):
        return np.zeros(len(y))
    angle = np.maximum(np.linalg.norm(y[:, space.wild_columns], axis=-1) / space.wild_scale, 1e-4)
    return -np.log(2 * (1 - np.cos(angle)) / angle**2).sum(1)
