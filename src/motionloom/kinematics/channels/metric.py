"""Local frames as coordinates in metres, and back: the chart of models of many frames (LI 6.1).

A frame is 3 J + 4 numbers: for each joint the exponential map of its rotation relative to a base rotation, times the
length of what the joint moves (so that all coordinates are metres at the tip of a limb), then the root: velocity to
the left and forward (m/s, in the heading frame), yaw rate (rad/s) and height (m). The root joint turns
without its heading. Velocities count as the displacement in `VELOCITY_HORIZON` seconds and turns as the displacement
of a point `YAW_ARM` away: in metres per frame the variance rule would drop the root, in metres per second it would
keep little else. Fingers are not modelled: they keep their mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, Skeleton
from motionloom.kinematics.body.roles import fingers
from motionloom.kinematics.local_frames import Frames
from motionloom.rotation import average, inverse, log, multiply

VELOCITY_HORIZON = 0.25  # s
YAW_ARM = 0.3  # m
ROOT_SCALE = np.array([VELOCITY_HORIZON, VELOCITY_HORIZON, VELOCITY_HORIZON * YAW_ARM, 1.0])
WILD_ANGLE = 2.2  # rad: a joint that strays farther from its mean gets a base rotation in each model of frames


def joint_scales(skeleton: Skeleton) -> FloatArray:
    """(J,) metres: distance from each joint to the farthest point that it moves, with all bones in line."""
    reach = np.zeros(len(skeleton))
    for end in skeleton.ends:
        reach[end.joint] = max(reach[end.joint], float(np.linalg.norm(end.offset)))
    for j in range(len(skeleton) - 1, 0, -1):
        p = skeleton.parents[j]
        reach[p] = max(reach[p], reach[j] + float(np.linalg.norm(skeleton.offsets[j])))
    return np.maximum(reach, 0.02)


@dataclass(frozen=True, eq=False)
class MetricSpace:
    """The coordinates that all frames share, and the joints that need a base of their own in each kind of segment."""

    base: FloatArray  # (J, 4) mean rotation of each joint
    scale: FloatArray  # (J,)
    wild: BoolArray  # (J,): strays farther than `WILD_ANGLE` from the mean
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

    @cached_property
    def columns(self) -> IntArray:
        """(3 J + 4,) the column of each number of a frame; -1 for one that does not vary."""
        return np.where(self.moving, np.cumsum(self.moving) - 1, -1)


def fit_metric_space(frames: Frames, skeleton: Skeleton, *, least: float = 1e-4) -> MetricSpace:
    """The space of some frames; channels whose deviation is below `least` metres are constant, and so are fingers."""
    base = average(frames.turns)
    apart = 2 * np.arccos(np.clip(np.abs(np.einsum("fjc,jc->fj", frames.turns, base)), 0, 1))
    far = np.quantile(apart, 0.995, axis=0)  # so that a rare glitch does not count
    hold = np.zeros(len(base), bool)
    hold[fingers(skeleton)] = True
    channels = 3 * len(base) + 4
    wild, every = ~hold & (far > WILD_ANGLE), np.ones(channels, bool)
    whole = MetricSpace(base, joint_scales(skeleton), wild, every, np.zeros(channels))
    y = to_coordinates(frames, whole)
    moving = (y.std(0) > least) & ~np.concatenate([np.repeat(hold, 3), np.zeros(4, bool)])
    moving[: 3 * len(base)] |= np.repeat(whole.wild, 3)
    return MetricSpace(base, whole.scale, whole.wild, moving, y.mean(0))


def to_coordinates(frames: Frames, space: MetricSpace, base: FloatArray | None = None) -> FloatArray:
    """(F, D) coordinates in the chart around `base` (J, 4); only the channels that vary."""
    from motionloom.kinematics.channels._kernels import chart

    turns, root = np.ascontiguousarray(frames.turns), np.ascontiguousarray(frames.root)
    base = space.base if base is None else base
    return cast("FloatArray", chart(turns, root, base, space.scale, ROOT_SCALE, space.columns, space.size))


def from_coordinates(y: FloatArray, space: MetricSpace, base: FloatArray | None = None) -> Frames:
    """The inverse of `to_coordinates`."""
    from motionloom.kinematics.channels._kernels import unchart

    base = space.base if base is None else base
    return Frames(*unchart(y, base, space.scale, ROOT_SCALE, space.columns, space.still))


def change_base(y: FloatArray, frames: Frames, space: MetricSpace, base: FloatArray) -> FloatArray:
    """`to_coordinates(frames, space, base)`, from those around `space.base`, y: only wild joints are computed again."""
    if not space.wild.any():
        return y
    out = y.copy()
    w = space.wild
    v = log(multiply(inverse(base[w]), frames.turns[:, w])) * space.scale[w, None]
    out[:, space.wild_columns] = v
    return out
