"""Clips as observations Y (LI 6.1), and back: rotations in locally linear coordinates, scaled to metres.

A frame is 3 J + 4 numbers: for each joint the exponential map of its rotation relative to a base rotation, times the
length of what the joint moves (so that all coordinates are metres at the tip of a limb), then the root: velocity to
the left and forward (m/s, in the heading frame), yaw rate (rad/s) and height (m). The root joint turns
without its heading. Velocities count as the way made in `HORIZON` seconds and turns as the way of a point `YAW_ARM`
away: in metres per frame the variance rule would throw the root away, in metres per second it would keep little else.
Fingers are not modelled: they keep their mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, Skeleton
from motionloom.core.numbers import squared_distances
from motionloom.kinematics.forward import positions
from motionloom.kinematics.frames import Frames
from motionloom.kinematics.roles import fingers
from motionloom.rotation import average, exp, inverse, log, multiply

HORIZON = 0.25  # s
YAW_ARM = 0.3  # m
ROOT = np.array([HORIZON, HORIZON, HORIZON * YAW_ARM, 1.0])
WILD = 2.2  # rad: a joint that strays farther from its mean than this gets a base rotation per texton


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
    """The coordinates that all textons share, and which joints need a base of their own in each texton."""

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


def pose_distance(a: Frames, b: Frames, skeleton: Skeleton) -> FloatArray:
    """(F_a, F_b) metres: RMS over joints of the distance between poses that stand on one spot and face one way."""
    pa, pb = (
        positions(skeleton, np.stack([0 * f.root[:, 3], f.root[:, 3], 0 * f.root[:, 3]], 1), f.turns) for f in (a, b)
    )
    flat_a, flat_b = pa.reshape(len(a), -1), pb.reshape(len(b), -1)
    return np.sqrt(squared_distances(flat_a, flat_b) / pa.shape[1])


def paired_distance(a: Frames, b: Frames, skeleton: Skeleton) -> FloatArray:
    """(F,) metres: `pose_distance` of each frame of a from the same frame of b."""
    pa, pb = (
        positions(skeleton, np.stack([0 * f.root[:, 3], f.root[:, 3], 0 * f.root[:, 3]], 1), f.turns) for f in (a, b)
    )
    return np.sqrt(((pa - pb) ** 2).sum(-1).mean(-1))
