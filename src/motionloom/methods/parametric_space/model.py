"""A parametric space as a model: blends by weights that follow from parameters, and live characters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from motionloom.core import FloatArray
from motionloom.methods.live import material_of
from motionloom.methods.parametric_space.config import LiveOptions, Options
from motionloom.methods.parametric_space.live import SpaceLive, steering_of
from motionloom.methods.settings import Settings
from motionloom.methods.space.model import SpaceModel, SpaceMotion


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ParametricSpaceModel(SpaceModel[Options]):
    """Examples of one action and their space."""

    method: ClassVar[str] = "parametric-space"
    options_type: ClassVar[type[Settings]] = Options
    live_commands: ClassVar[tuple[str, ...]] = ("heading", "action", "values")
    live_options_type: ClassVar[type[Settings] | None] = LiveOptions

    def motion(self, values: FloatArray, options: Options) -> SpaceMotion:
        found = self.space.weights(values, rule=options.weights, neighbours=options.neighbours)
        return SpaceMotion(self.space.rows, self.tables, found.weights[0], found.weights[0], found.used[0])

    # ---- live characters ----

    @cached_property
    def live(self) -> SpaceLive:
        """Characters that follow commands step by step."""
        action = self.labels[0] if self.labels else "motion"
        steering = steering_of(self.space)
        lengths = np.array([len(clip) for clip in self.examples], np.int64)
        material = material_of(self.examples)
        return SpaceLive(self.space, self.tables, steering, (action,), self.skeleton, self.fps, material, lengths)
