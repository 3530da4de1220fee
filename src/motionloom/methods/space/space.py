"""A parametric space as arrays: registered examples, their parameters, and the map from weights to parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.blend.registered_clips import Registered
from motionloom.core import BadRequest, BoolArray, FloatArray, FormatError, IntArray, Skeleton
from motionloom.core.poses import Poses
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.methods.array_checks import check_array, check_number
from motionloom.methods.space.sampling import moment_table, polynomial_size, predict

NODES = 129  # rows of a section
GRAPH_NODES = 33  # of a node of a graph, whose file is small: errors stay below 0.01 % of the range
SLACK = 1e-3  # frames: times of rows are rounded
REACHED = 0.01  # of the range: a request that is missed by more lies outside the space


class SpaceParameter(NamedTuple):
    """A motion parameter of a space; one of size 3 has three columns."""

    name: str
    unit: str
    size: int


class ExampleWeights(NamedTuple):
    """Weights of the examples for N requests."""

    weights: FloatArray  # (N, K) not negative, sum 1
    used: FloatArray  # (N, D) the parameters that they reach: those of the request, or the nearest ones
    outside: BoolArray  # (N,) the request was not reached


@dataclass(frozen=True, eq=False)
class Space:
    """K examples of one action, and what blends of them measure. D columns of parameters, S measured blends."""

    rows: Registered
    parameters: tuple[SpaceParameter, ...]
    values: FloatArray  # (K, D) of the examples, in the parameters' units
    middle: FloatArray  # (D,) their mean
    ranges: FloatArray  # (D,) the extent of what blends reach
    curve: FloatArray  # (I, Q, D) coefficients of the map from weights to parameters, see `_kernels_blended_value`
    spread: float  # e of `_kernels_weights`
    sample_weights: FloatArray  # (S, K) blends that were measured; a graph does not keep them: (S, 0)
    sample_values: FloatArray  # (S, D)
    section: FloatArray  # (G, K + 2) table of a space of one parameter, see `section`; else without rows
    missed_at: FloatArray  # (R, D) requests at which the map was compared with what is measured; see `misses`
    missed_by: FloatArray  # (R + 1, D) coefficients

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each column: `turn`, or `right_hand_target x`."""
        return tuple(
            name for p in self.parameters for name in ([p.name] if p.size == 1 else [f"{p.name} {a}" for a in "xyz"])
        )

    @property
    def size(self) -> int:
        """D, the number of columns."""
        return int(self.values.shape[1])

    @cached_property
    def low(self) -> FloatArray:
        """(D,) the least value of each column that a measured blend has."""
        return np.minimum(self.values.min(0), self.sample_values.min(0, initial=np.inf))

    @cached_property
    def high(self) -> FloatArray:
        """(D,) the largest one."""
        return np.maximum(self.values.max(0), self.sample_values.max(0, initial=-np.inf))

    @cached_property
    def map(self) -> tuple[FloatArray, IntArray, FloatArray, float, FloatArray]:
        """The map as kernels take it: values in units of the range, moments, curve, spread, section."""
        scaled = np.array((self.values - self.middle) / self.ranges)
        return scaled, moment_table(self.size), np.array(self.curve), self.spread, np.array(self.section)

    @cached_property
    def corrected_map(self) -> tuple[FloatArray, IntArray, FloatArray, float, FloatArray, FloatArray, FloatArray]:
        """The map, and what it misses, as `_kernels_weights.corrected_weights` takes them."""
        return *self.map, np.array(self.missed_at, float), np.array(self.missed_by, float)

    def column(self, name: str) -> slice:
        """The columns of a parameter."""
        at = 0
        for p in self.parameters:
            if p.name == name:
                return slice(at, at + p.size)
            at += p.size
        raise BadRequest(f"this space has no parameter {name!r}; it has {', '.join(p.name for p in self.parameters)}")

    def weights(self, values: ArrayLike, *, rule: str = "smooth", neighbours: int | None = None) -> ExampleWeights:
        """Weights for parameters (N, D) in their units; a request outside the space gets the nearest point of it.

        `rule` is "smooth" (see `_kernels_weights`), or "nearest": HECK eqs 6.1-6.2 over the measured blends, for
        the projection of a request that lies outside.
        """
        from motionloom.methods.space._kernels_nearest import nearest_weights
        from motionloom.methods.space._kernels_weights import corrected_weights

        given = np.atleast_2d(np.asarray(values, float))
        if given.ndim != 2 or given.shape[1] != self.size or not np.isfinite(given).all():
            raise BadRequest(f"expected {self.size} finite parameters ({', '.join(self.names)}), found {values!r}")
        asked = np.ascontiguousarray((given - self.middle) / self.ranges)
        weights, used = np.zeros((len(asked), self.rows.size)), np.zeros(asked.shape)
        corrected_weights(*self.corrected_map, asked, weights, used)
        if rule == "nearest":
            far = np.abs(used - asked).max(1, keepdims=True) > REACHED
            near = np.where(far, used, asked)  # far samples are all equally far, so eq 6.2 would average them
            kept = len(self.sample_weights) if self.sample_weights.shape[1] else 0
            known = (np.concatenate([self.values, self.sample_values[:kept]]) - self.middle) / self.ranges
            blends = np.concatenate([np.eye(self.rows.size), self.sample_weights.reshape(kept, self.rows.size)])
            nearest_weights(known, blends, near, min(neighbours or self.size + 2, len(known)), weights, used)
        outside = np.abs(used - asked).max(1) > REACHED
        return ExampleWeights(weights, used * self.ranges + self.middle, np.asarray(outside))

    def predicted(self, weights: ArrayLike) -> FloatArray:
        """(N, D) parameters of blends by the fitted map, without making them."""
        scaled, table, curve = self.map[:3]
        return predict(scaled, table, curve, np.atleast_2d(np.asarray(weights, float))) * self.ranges + self.middle

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """(D,) random parameters from the space: between two measured blends."""
        known = np.concatenate([self.values, self.sample_values])
        a, b = known[rng.integers(len(known), size=2)]
        share = rng.random()
        return np.asarray(self.weights((1 - share) * a + share * b).used[0])

    def pose(
        self, tables: tuple[Any, ...], weights: FloatArray, u: ArrayLike, track: FloatArray | None = None
    ) -> Poses:
        """N bodies at parameters u (N,): a kernel on stored arrays, without any clip.

        weights (N, K) or (1, K); `tables` is `rows.tables(skeleton)`; track (N, 3) is x, z and heading at the row
        below u. The phase is u of a cyclic space.
        """
        from motionloom.blend._kernels_registered import poses

        at = np.atleast_1d(np.asarray(self.rows.row(u), float))
        count, joints, parts = len(at), self.rows.turns.shape[2], self.rows.touches.shape[2]
        root, rotations = np.empty((count, 3)), np.empty((count, joints, 4))
        contacts = np.zeros((count, parts), bool)
        place = np.zeros((count, 3)) if track is None else track
        poses(tables, np.ascontiguousarray(weights), at, place, root, rotations, contacts)
        phase = np.asarray(u, float) % 1.0 if self.rows.cyclic else np.full(count, np.nan)
        return Poses(root, rotations, contacts, np.broadcast_to(phase, (count,)).copy())

    def check(self, skeleton: Skeleton, fps: float, lengths: IntArray) -> None:
        """`FormatError` unless all arrays fit together and belong to examples of so many frames."""
        k, d = self.rows.turns.shape[1], self.values.shape[-1]
        if len(lengths) != k:
            raise FormatError(f"examples: expected {k}, found {len(lengths)}")
        check_rows(self.rows, "space.rows", skeleton, fps, lengths)
        check_array(self.rows.touches, "space.rows.touches", "f", (None, k, len(foot_parts(skeleton))))
        check_array(self.values, "space.values", "f", (k, d))
        check_array(self.ranges, "space.ranges", "f", (d,), low=1e-12)
        check_array(self.middle, "space.middle", "f", (d,))
        check_array(self.curve, "space.curve", "f", (len(moment_table(d)), polynomial_size(d), d))
        columns = 0 if self.sample_weights.shape[1:] == (0,) else k  # of the files of graphs
        check_array(self.sample_weights, "space.sample_weights", "f", (None, columns), low=-1e-9, high=1.000001)
        check_array(self.sample_values, "space.sample_values", "f", (len(self.sample_weights) or None, d))
        check_number(self.spread, "space.spread", low=1e-12)
        check_array(self.missed_at, "space.missed_at", "f", (None, d))
        size = len(self.missed_at) + 1 if len(self.missed_at) else 0
        check_array(self.missed_by, "space.missed_by", "f", (size, d))
        if len(self.section) not in ((0,) if d > 1 else (0, GRAPH_NODES, NODES)):
            raise FormatError(f"space.section: expected {NODES} or {GRAPH_NODES} rows, found {len(self.section)}")
        check_array(self.section, "space.section", "f", (None, k + 2))
        if len(self.section) and self.section[-1, 0] <= self.section[0, 0]:
            raise FormatError("space.section: expected a parameter that increases")
        if sum(p.size for p in self.parameters) != d:
            raise FormatError(f"space.parameters: expected {d} columns, found {sum(p.size for p in self.parameters)}")


def check_rows(rows: Registered, name: str, skeleton: Skeleton, fps: float, lengths: FloatArray | IntArray) -> None:
    """`FormatError` unless the arrays of registered clips fit together; the clips are the examples or blends of them.

    Times are frame numbers and paces are added up to lengths of results, so both are bounded by the `lengths` of the
    clips (frames; of a blend the blended length).
    """
    k = rows.turns.shape[1]
    check_number(float(rows.lead), f"{name}.lead", low=1, high=1e6)
    check_number(float(rows.count), f"{name}.count", low=4, high=1e7)
    total = rows.count + 2 * rows.lead + 1 + (not rows.cyclic)
    check_array(rows.turns, f"{name}.turns", "f", (total, k, len(skeleton), 4), low=-1.001, high=1.001)
    check_array(rows.levels, f"{name}.levels", "f", (total, k))
    check_array(rows.times, f"{name}.times", "f", (total, k))
    inside = rows.times if rows.cyclic else rows.times[rows.lead : rows.lead + rows.count + 1]
    if (inside < -SLACK).any() or (inside > lengths - 1 + SLACK).any():
        raise FormatError(f"{name}.times: expected frames of the examples, found {inside.min():g} to {inside.max():g}")
    check_array(rows.paces, f"{name}.paces", "f", (total, k), low=1e-9, high=lengths.max() / fps)
    if not rows.cyclic and (np.abs(np.diff(rows.times, axis=0) / fps - rows.paces[:-1]) > 1e-6).any():
        raise FormatError(f"{name}.paces: expected the seconds between the times of rows")
    played = rows.durations * fps
    if (played < 1.0).any() or (played > lengths - 1 + SLACK).any():
        raise FormatError(f"{name}.paces: expected 1 to {lengths.max() - 1:g} frames, found {played.min():g} to "
                          f"{played.max():g}")  # fmt: skip
    check_array(rows.steps, f"{name}.steps", "f", (total, k, 3))
    check_array(rows.touches, f"{name}.touches", "f", (total, k, None), low=0, high=1)
    if (np.abs((rows.turns**2).sum(-1) - 1) > 1e-4).any():
        raise FormatError(f"{name}.turns: expected unit quaternions")
