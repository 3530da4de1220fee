"""Verbs and adverbs as a model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from motionloom.core import FloatArray, FormatError
from motionloom.methods.array_checks import check_array
from motionloom.methods.settings import Settings
from motionloom.methods.space.model import SpaceModel, SpaceMotion
from motionloom.methods.verbs.adverbs import Interpolation
from motionloom.methods.verbs.config import Options
from motionloom.methods.verbs.splines import Splines, motion_of


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VerbModel(SpaceModel[Options]):
    """Examples of one action as B-splines, and their adverbs."""

    method: ClassVar[str] = "verbs"
    options_type: ClassVar[type[Settings]] = Options

    splines: Splines

    def check(self) -> None:
        super().check()
        joints, clips = len(self.skeleton), self.space.rows.size
        check_array(self.splines.centre, "splines.centre", "f", (joints, 4), low=-1.001, high=1.001)
        if (np.abs((self.splines.centre**2).sum(-1) - 1) > 1e-4).any():
            raise FormatError("splines.centre: expected unit quaternions")
        check_array(self.splines.control, "splines.control", "f", (clips, None, 3 * joints + 4))
        if not 4 <= self.splines.control.shape[1] <= self.space.rows.count:
            raise FormatError("splines.control: expected 4 control points or more, at most one for each row")
        check_array(self.splines.gaps, "splines.gaps", "f", (clips, None), low=-50, high=50)
        most = max(map(len, self.examples))
        played = np.exp(self.splines.gaps).sum(1) * self.fps
        if not 0 < self.splines.gaps.shape[1] <= self.space.rows.count or (played < 1).any() or (played > most).any():
            raise FormatError(f"splines.gaps: expected gaps of the key times of 1 to {most} frames")

    @cached_property
    def interpolation(self) -> Interpolation:
        """Weights of the examples at adverbs, in units of their range."""
        return Interpolation((self.space.values - self.space.middle) / self.space.ranges)

    def motion(self, values: FloatArray, options: Options) -> SpaceMotion:
        space, reach = self.space, options.extrapolation * self.space.ranges
        used = np.clip(np.asarray(values, float), space.values.min(0) - reach, space.values.max(0) + reach)
        weights = self.interpolation((used - space.middle) / space.ranges)
        one = motion_of(self.splines, space.rows, weights)
        shares = np.maximum(weights, 0.0)
        return SpaceMotion(one, one.tables(self.skeleton), np.ones(1), shares / shares.sum(), used)
