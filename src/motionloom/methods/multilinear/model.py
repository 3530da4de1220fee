"""Multilinear interpolation as a model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from motionloom.blend.registered_clips import Registered
from motionloom.core import FloatArray, FormatError
from motionloom.methods.array_checks import check_array
from motionloom.methods.multilinear.config import Options
from motionloom.methods.multilinear.grid import cell_of, corner_weights, successively
from motionloom.methods.settings import Settings
from motionloom.methods.space.model import SpaceModel, SpaceMotion
from motionloom.methods.space.space import check_rows


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MultilinearModel(SpaceModel[Options]):
    """Examples of one action, and a regular grid of their blends."""

    method: ClassVar[str] = "multilinear"
    options_type: ClassVar[type[Settings]] = Options

    grid: Registered  # G points, the first parameter slowest
    grid_values: FloatArray  # (G, D) what is measured there
    grid_weights: FloatArray  # (G, K) of the examples

    def check(self) -> None:
        super().check()
        count = self.config.grid**self.space.size
        check_array(self.grid_values, "grid_values", "f", (count, self.space.size))
        check_array(self.grid_weights, "grid_weights", "f", (count, self.space.rows.size), low=-1e-9, high=1.000001)
        if self.grid.size != count or self.grid.levels.shape[0] != self.space.rows.levels.shape[0]:
            raise FormatError(f"grid: expected {count} points, with as many rows as the examples")
        lengths = self.grid_weights @ [len(clip) for clip in self.examples]
        check_rows(self.grid, "grid", self.skeleton, self.fps, lengths)
        if (self.grid.lead, self.grid.count) != (self.space.rows.lead, self.space.rows.count):
            raise FormatError("grid: expected the rows of the examples")

    @cached_property
    def grid_tables(self) -> tuple[Any, ...]:
        """The points of the grid as kernels take them."""
        return self.grid.tables(self.skeleton)

    def nearest(self, values: FloatArray, options: Options) -> FloatArray:
        """The nearest place within the grid, whose points need not have the parameters of their place."""
        return np.clip(values, self.space.low, self.space.high)

    def motion(self, values: FloatArray, options: Options) -> SpaceMotion:
        cell = cell_of(self.space.low, self.space.high, self.config.grid, np.asarray(values, float))
        corners = corner_weights(cell.shares)
        weights = np.zeros(self.grid.size)
        weights[cell.corners] = corners
        shares, used = weights @ self.grid_weights, weights @ self.grid_values
        if options.order == "none":
            return SpaceMotion(self.grid, self.grid_tables, weights, shares, used)
        one = successively(self.grid, cell)
        return SpaceMotion(one, one.tables(self.skeleton), np.ones(1), shares, used)
