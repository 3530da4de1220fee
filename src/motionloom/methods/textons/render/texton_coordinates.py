"""Frames in the coordinates of a model's textons, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from motionloom.core import FloatArray
from motionloom.kinematics.channels.metric import MetricSpace, from_coordinates, to_coordinates
from motionloom.kinematics.channels.sides import continuous, on_side_of
from motionloom.kinematics.local_frames import Frames
from motionloom.methods.textons.learn.lds import Texton
from motionloom.methods.textons.plan.pieces import TextonPiece
from motionloom.methods.textons.segments import Segments


class TextonCharts:
    """Coordinates of frames in the chart of each texton."""

    def __init__(self, textons: Sequence[Texton], segments: Segments, space: MetricSpace) -> None:
        self.textons, self.segments, self.space = textons, segments, space
        self._spreads: dict[int, FloatArray] = {}

    def coordinates(self, frames: Frames, texton: int, like: FloatArray | None = None) -> FloatArray:
        """(F, D) coordinates; if `like` (F, D) is given, on its side of the chart."""
        y = to_coordinates(frames, self.space, self.textons[texton].base)
        return y if like is None else on_side_of(y, like, self.space)

    def unbroken(self, frames: Frames, texton: int) -> FloatArray:
        """(F, D) coordinates of successive frames, without jumps."""
        return continuous(self.coordinates(frames, texton), self.space)

    def frames(self, y: FloatArray, texton: int) -> Frames:
        """The frames of coordinates."""
        return from_coordinates(y, self.space, self.textons[texton].base)

    def observed(self, texton: int) -> FloatArray:
        """(F, D) coordinates of all observed frames of a texton."""
        own = [self.segments[k].frames for k in self.segments.of_texton(texton)]
        return np.concatenate([self.unbroken(frames, texton) for frames in own])

    def spread(self, texton: int) -> FloatArray:
        """(d,) standard deviation of a texton's states over its observed segments."""
        if texton not in self._spreads:
            dynamics = self.textons[texton].dynamics
            self._spreads[texton] = ((self.observed(texton) - dynamics.mean) @ dynamics.basis).std(0)
        return self._spreads[texton]

    def vary_keys(self, piece: TextonPiece, most: float, rng: Generator) -> Frames:
        """The key poses of a piece, both turned by the same small offset: a smoothed P(X_1) of LI 4.1.

        The offset is drawn from the spread of the texton's states, without the root's place, and scaled so that the
        joint that turns most turns by `most` radians.
        """
        space, basis = self.space, self.textons[piece.texton].dynamics.basis
        offset = basis @ (rng.standard_normal(basis.shape[1]) * self.spread(piece.texton))
        whole = np.zeros(len(space.moving))
        whole[space.moving] = offset
        whole[3 * len(space.base) :] = 0.0
        turns = np.linalg.norm(whole[: 3 * len(space.base)].reshape(-1, 3) / space.scale[:, None], axis=1)
        if turns.max(initial=0.0) <= 0:
            return piece.keys
        y = self.coordinates(piece.keys, piece.texton) + (most / turns.max()) * whole[space.moving]
        return self.frames(y, piece.texton)
