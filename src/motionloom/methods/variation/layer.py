"""Variation as a layer: the deviations of variants from the mean of their takes, added to any live character.

The takes of the model should show what the character does: of walks, for characters that walk. The hips and the legs
are left as they are unless amounts are given for them, so that feet stay where they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from motionloom.core import BadRequest, FloatArray, IntArray, Skeleton, Source
from motionloom.core.poses import Commands, Poses, Sources
from motionloom.core.skeleton import hierarchy_difference
from motionloom.kinematics.body.roles import group
from motionloom.kinematics.channels.layout import ROOT_COLUMNS
from motionloom.methods.live import material_of
from motionloom.methods.variation.dofs import Dofs
from motionloom.methods.variation.synthesis import amounts_of
from motionloom.methods.variation.takes import Takes

MOST = 4.0  # largest amount


class LayerTables(NamedTuple):
    """What steps read from: S takes at U moments, D degrees of freedom."""

    takes: Takes
    mean: FloatArray  # (U, D) of the takes
    joints: IntArray  # (D,) the joint that each degree of freedom turns, -1: it turns none
    axes: FloatArray  # (D, 3) about which axis
    centre: FloatArray  # (J, 4)
    scales: FloatArray  # (D,) squared: what squared differences are multiplied by
    size: float  # mean squared distance of the takes from their mean
    base: FloatArray  # (S,) 1/S
    amounts: FloatArray  # (D + 1,)
    fps: float
    closed: bool  # does the last moment lead to the first one?


class LayerState(NamedTuple):
    """N characters."""

    seed: IntArray  # (N,)
    time: FloatArray  # (N,) s since the start
    moment: FloatArray  # (N, 2) the moment of the takes, -1 before the first step; its rate beside that of time
    first: IntArray  # (N, 1) number of the first knot
    knots: FloatArray  # (N, 4, S, D) random numbers about the present time
    deviation: FloatArray  # (N, D)


@dataclass(frozen=True, eq=False)
class VariationLayer:
    """Adds variation to the poses below it; contacts, places and headings stay as they are."""

    accepts: ClassVar[tuple[str, ...]] = ()
    parts: ClassVar[tuple[str, str]] = ("body", "variation")

    tables: LayerTables
    skeleton: Skeleton
    clips: tuple[Source, ...]  # the captured clips of the takes
    shares: FloatArray  # (len(clips),) of each in all takes

    @property
    def joints(self) -> tuple[int, ...]:
        """The joints that vary."""
        turned = self.tables.joints[(self.tables.joints >= 0) & (self.tables.amounts[:-1] > 0)]
        return tuple(sorted({int(j) for j in turned}))

    def sources(self, state: LayerState) -> Sources:
        """Of the joints that vary, half is credited to all takes, from whose deviations the poses are computed."""
        shape = (len(state.seed), 1, len(self.shares))
        which = np.broadcast_to(np.arange(len(self.shares)), shape)
        return Sources(which.copy(), np.full(shape, -1.0), np.broadcast_to(0.5 * self.shares, shape).copy())

    def begin(self, seeds: IntArray, skeleton: Skeleton) -> LayerState:
        """No deviation; the skeleton must have the joints of the model."""
        from motionloom.methods.variation._kernels_layer import begin

        difference = hierarchy_difference(self.skeleton, skeleton)
        if difference:
            raise BadRequest(
                f"this variation was learned on other joints than those of the characters: {difference}; retarget the "
                "takes first"
            )
        takes, degrees = self.tables.takes.values.shape[0], self.tables.mean.shape[1]
        count = len(seeds)
        state = LayerState(
            seed=np.asarray(seeds, np.int64).copy(),
            time=np.zeros(count),
            moment=np.tile((-1.0, 0.0), (count, 1)),
            first=np.zeros((count, 1), np.int64),
            knots=np.zeros((count, 4, takes, degrees)),
            deviation=np.zeros((count, degrees)),
        )
        begin(self.tables, state)
        return state

    def step(self, state: LayerState, poses: Poses, commands: Commands, dt: float) -> tuple[LayerState, Poses]:
        """The poses with their joints turned by the deviations of a variant."""
        from motionloom.methods.variation._kernels_layer import vary

        copies: list[Any] = [part.copy() for part in state]
        new, rotations = LayerState(*copies), poses.rotations.copy()
        vary(self.tables, new, dt, rotations)
        return new, poses._replace(rotations=rotations)


def variation_layer(model: Any, amount: float = 1.0, parts: Sequence[str] = ()) -> VariationLayer:
    """The layer of a model; `parts` are other amounts for parts of the body, as in `Options`."""
    if getattr(model, "method", "") != "variation":
        raise BadRequest(f"a model of variation is needed, found one of {getattr(model, 'method', model)}")
    if not 0 <= amount <= MOST:
        raise BadRequest(f"amount: expected 0 to {MOST:g}, found {amount:g}")
    if len(model.clips) < 2:
        raise BadRequest("a model of a single take has no deviations from a mean: learn from several takes")
    skeleton = model.skeleton
    still = [0, *group(skeleton, "lower")]
    amounts = amounts_of(amount, (), model.dofs)
    amounts[:-1][np.isin(model.dofs.joints, still)] = 0.0
    given = amounts_of(np.nan, parts, model.dofs)
    amounts = np.where(np.isnan(given), amounts, given)
    closed = model.loop is not None
    takes = model.cycle if closed else model.takes
    takes = takes._replace(values=takes.values - takes.details)  # quick changes are those of the character below
    mean = takes.values.mean(0)
    joints, axes = _turning(model.dofs)
    scales = model.dofs.scales("reach", np.concatenate(model.sequences)) ** 2
    size = float(((takes.values - mean) ** 2 * scales)[..., joints >= 1].sum(-1).mean())
    assert model.dofs.layout.centre is not None
    centre = np.array(model.dofs.layout.centre)
    count = len(model.clips)
    base = np.full(count, 1.0 / count)
    tables = LayerTables(takes, mean, joints, axes, centre, scales, size, base, amounts, model.fps, closed)
    known = material_of(model.clips)
    used = np.bincount(known.which[known.which >= 0].ravel(), minlength=len(known.table)).astype(float)
    return VariationLayer(tables, skeleton, known.table, used / max(used.sum(), 1.0))


def _turning(dofs: Dofs) -> tuple[IntArray, FloatArray]:
    """(D,) the joint that each degree of freedom turns, -1 for those of the root and slides; (D, 3) its axis."""
    joints, axes = np.full(dofs.count, -1), np.zeros((dofs.count, 3))
    for d, column in enumerate(dofs.moving):
        k, axis = divmod(int(column) - ROOT_COLUMNS, 3)
        if 0 <= k < len(dofs.layout.moving) and column >= ROOT_COLUMNS:
            joints[d], axes[d] = dofs.layout.moving[k], dofs.axes[k, axis]
    return joints, axes
