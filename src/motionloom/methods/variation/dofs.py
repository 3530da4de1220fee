"""Degrees of freedom: the channels of clips along principal axes, without those that hardly move."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, FormatError, IntArray, replace
from motionloom.kinematics.channels import Channels, Layout, fit_layout, from_channels, to_channels
from motionloom.kinematics.channels.layout import ROOT_COLUMNS
from motionloom.kinematics.channels.metric import VELOCITY_HORIZON, YAW_ARM, joint_scales
from motionloom.methods.array_checks import check_array

STILL_ANGLE = np.radians(0.5)  # a column that moves less than this is constant
STILL_LENGTH = 1e-3  # m, the same for columns in metres
STILL_TIME = 1.0  # s in which displacements per frame count as far


@dataclass(frozen=True, eq=False)
class Dofs:
    """What each degree of freedom means: the key between clips and the numbers (F, D) that the networks model.

    The three columns of each joint are turned to their principal axes (`axes`); columns in `moving` are the degrees of
    freedom, the others keep the value in `still`.
    """

    layout: Layout
    axes: FloatArray  # (J', 3, 3) rows are the principal axes of each joint of the layout, the largest first
    still: FloatArray  # (C,) mean of each column, after turning
    moving: IntArray  # (D,) increasing numbers of the columns that move

    def check(self) -> None:
        """`FormatError` unless all arrays fit together."""
        columns = self.layout.count
        check_array(self.axes, "dofs.axes", "f", (len(self.layout.moving), 3, 3), low=-1.001, high=1.001)
        check_array(self.still, "dofs.still", "f", (columns,))
        check_array(self.moving, "dofs.moving", "i", (None,), low=0, high=columns - 1)
        if not len(self.moving) or (np.diff(self.moving) <= 0).any():
            raise FormatError("dofs.moving: expected at least one column, in increasing order")

    @property
    def count(self) -> int:
        """How many degrees of freedom there are."""
        return len(self.moving)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """One per degree of freedom: "root.forward", "LeftLeg.1" (the first principal axis of a joint) ..."""
        first, last = ROOT_COLUMNS, ROOT_COLUMNS + 3 * len(self.layout.moving)
        plain = self.layout.names
        turned = [f"{n[:-2]}.{'123'['xyz'.index(n[-1])]}" for n in plain[first:last]]
        return tuple(np.array([*plain[:first], *turned, *plain[last:]])[self.moving].tolist())

    @cached_property
    def displacement(self) -> BoolArray:
        """(D,) is it a displacement from one frame to the next (root left, forward, turn)? These are deltas already."""
        return np.asarray((self.moving < 3) & (self.layout.root == "motion"))

    @cached_property
    def joints(self) -> IntArray:
        """(D,) the joint that each degree of freedom belongs to."""
        owners = [0] * ROOT_COLUMNS + [j for j in self.layout.moving for _ in range(3)]
        owners += [j for j in self.layout.sliding for _ in range(3)]
        return np.array(owners, np.int64)[self.moving]

    def scales(self, kind: str, values: FloatArray) -> FloatArray:
        """(D,) what differences are multiplied by before they are compared (eq 5).

        "reach": radians times the length of what the joint moves, so metres; "radians": as they are; "deviation":
        standard deviations of `values` (F, D). Displacements count as those of `VELOCITY_HORIZON` seconds, turns about
        the vertical as that of a point `YAW_ARM` away.
        """
        if kind == "deviation":
            return np.asarray(1.0 / np.maximum(values.std(0), 1e-9))
        out = np.ones(self.layout.count)
        if kind == "reach":
            reach = joint_scales(self.layout.skeleton)
            out[2], out[4:ROOT_COLUMNS] = YAW_ARM, reach[0]
            out[ROOT_COLUMNS : ROOT_COLUMNS + 3 * len(self.layout.moving)] = np.repeat(
                reach[list(self.layout.moving)], 3
            )
        if self.layout.root == "motion":
            out[:3] *= VELOCITY_HORIZON * self.layout.fps
        return np.asarray(out[self.moving])

    def values(self, clip: Clip) -> FloatArray:
        """(F, D) the degrees of freedom of a clip."""
        return np.asarray(self._turned(to_channels(clip, self.layout).values)[:, self.moving])

    def clip(self, values: FloatArray, start: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Clip:
        """The clip of values (F, D), from a place and heading: the inverse of `values`."""
        whole = np.tile(self.still, (len(values), 1))
        whole[:, self.moving] = values
        return from_channels(Channels(self._turned(whole, "fja,jac->fjc"), self.layout, start))

    def changed(self, clip: Clip, values: FloatArray) -> Clip:
        """The clip with other values (F, D) of its degrees of freedom; what is constant here keeps its own."""
        given = to_channels(clip, self.layout)
        whole = self._turned(given.values)
        whole[:, self.moving] = values
        moved = from_channels(given._replace(values=self._turned(whole, "fja,jac->fjc")))
        return replace(clip, root=moved.root, rotations=moved.rotations, slides=moved.slides)

    def _turned(self, channels: FloatArray, axes: str = "fjc,jac->fja") -> FloatArray:
        """Channels with the columns of each joint turned to its principal axes, or back."""
        out = channels.copy()
        end = ROOT_COLUMNS + 3 * len(self.axes)
        joints = channels[:, ROOT_COLUMNS:end].reshape(len(channels), -1, 3)
        out[:, ROOT_COLUMNS:end] = np.einsum(axes, joints, self.axes).reshape(len(channels), -1)
        return out


def fit_dofs(clips: Sequence[Clip]) -> Dofs:
    """The degrees of freedom of some clips of one skeleton. Clips of a single joint (pen strokes) keep their place."""
    layout = fit_layout(clips, root="place" if len(clips[0].skeleton) == 1 else "motion")
    channels = np.concatenate([to_channels(clip, layout).values for clip in clips])
    joints = len(layout.moving)
    axes = np.tile(np.eye(3), (joints, 1, 1))
    for j in range(joints):
        columns = channels[:, ROOT_COLUMNS + 3 * j : ROOT_COLUMNS + 3 * j + 3]
        axes[j] = _principal_axes(columns - columns.mean(0))
    whole = Dofs(layout, axes, channels.mean(0), np.arange(layout.count))
    turned = whole._turned(channels)
    moving = np.flatnonzero(np.ptp(turned, axis=0) > still_limits(layout))
    if not len(moving):
        raise BadRequest("nothing moves in these clips: there is no variation to learn")
    return Dofs(layout, axes, turned.mean(0), moving)


def still_limits(layout: Layout, *, per_frame: bool = True) -> FloatArray:
    """(C,) a column whose range is smaller than this is constant; of displacements per frame, or of their sums."""
    out = np.array([STILL_ANGLE if unit == "rad" else STILL_LENGTH for unit in layout.units])
    if layout.root == "motion" and per_frame:
        out[:3] /= STILL_TIME * layout.fps
    return out


def borrowed_dofs(known: Dofs, clips: Sequence[Clip]) -> Dofs:
    """The degrees of freedom of other clips of the same joints, on the body of these clips.

    They are also those that move in these but are constant in `known`.
    """
    own = fit_layout(clips, root=known.layout.root)
    layout = dataclasses.replace(own, sliding=tuple(sorted({*own.sliding, *known.layout.sliding})))
    whole = Dofs(layout, known.axes, np.zeros(layout.count), np.arange(layout.count))
    turned = np.concatenate([whole._turned(to_channels(clip, layout).values) for clip in clips])
    moves = (np.ptp(turned, axis=0) > still_limits(layout)) | np.isin(whole.names, known.names)
    return Dofs(layout, known.axes, turned.mean(0), np.flatnonzero(moves))


def _principal_axes(columns: FloatArray) -> FloatArray:
    """(3, 3) rows: directions of decreasing variance; each has its largest part positive, so that they are unique."""
    _, vectors = np.linalg.eigh(columns.T @ columns)
    axes = vectors[:, ::-1].T
    signs = np.sign(axes[np.arange(3), np.abs(axes).argmax(1)])
    return np.asarray(axes * np.where(signs == 0, 1.0, signs)[:, None])
