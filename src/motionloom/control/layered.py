"""Live methods with layers applied to their poses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import BadRequest, Skeleton
from motionloom.core.poses import Commands, Poses, only
from motionloom.kinematics.travel import Travel
from motionloom.methods.layer_sources import layered_material, layered_sources
from motionloom.methods.live import (
    FrameSources,
    Layer,
    Live,
    Sources,
    State,
    Status,
    check_commands,
    check_dt,
    check_memory,
    check_seeds,
    state_count,
)
from motionloom.methods.settings import Settings
from motionloom.methods.space.space import SpaceParameter

SUBSTEP = 1 / 30  # s: longest time step of a layer


class LayeredState(NamedTuple):
    """The state of the method below, and those of its layers."""

    below: State
    layers: tuple[State, ...]


@dataclass(frozen=True, eq=False)
class Layered:
    """`live` with `layers` applied to its poses, the first one first."""

    live: Live
    layers: tuple[Layer, ...]

    @property
    def accepts(self) -> tuple[str, ...]:
        """What the method or one of its layers accepts."""
        return tuple(dict.fromkeys([*self.live.accepts, *(n for layer in self.layers for n in layer.accepts)]))

    @property
    def actions(self) -> tuple[str, ...]:
        return self.live.actions

    @property
    def overlays(self) -> tuple[str, ...]:
        """Names that `Commands.overlay` indexes: those of the first layer that has any, here or below."""
        parts = (self.live, *self.layers)
        return next((names for part in parts if (names := getattr(part, "overlays", ()))), ())

    def parameters(self, action: int) -> tuple[SpaceParameter, ...]:
        """The parameters of an action of the method below."""
        return tuple(self.live.parameters(action))  # type: ignore[attr-defined]

    @property
    def skeleton(self) -> Skeleton:
        return self.live.skeleton

    @property
    def fps(self) -> float:
        return self.live.fps

    @cached_property
    def material(self) -> FrameSources:
        """The clips of the method below, and those of its layers."""
        return layered_material(self.live.material, self.layers)

    def begin(self, seeds: ArrayLike, at: Travel | None = None, options: Settings | None = None) -> LayeredState:
        """The characters of the method below, and every layer's state for them; `options` are the method's."""
        whole = check_seeds(seeds)
        one = LayeredState(
            self.live.begin([0]), tuple(layer.begin(np.zeros(1, np.int64), self.skeleton) for layer in self.layers)
        )
        check_memory(len(whole), one, len(self.skeleton))
        return LayeredState(
            self.live.begin(whole, at, options), tuple(layer.begin(whole, self.skeleton) for layer in self.layers)
        )

    def step(self, state: LayeredState, commands: Commands, dt: float) -> tuple[LayeredState, Poses]:
        """The state and poses `dt` seconds later; each layer is applied at least 30 times a second."""
        dt = check_dt(dt)
        below, layers = state
        commands = check_commands(commands, state_count(below), self.accepts, self.actions)
        inner = only(commands, self.live.accepts)
        count = max(1, int(-(-(dt - 1e-9) // SUBSTEP)))
        for _ in range(count):
            below, poses = self.live.step(below, inner, dt / count)
            after = []
            for layer, own in zip(self.layers, layers, strict=True):
                new, poses = layer.step(own, poses, commands, dt / count)
                after.append(new)
            layers = tuple(after)
        return LayeredState(below, layers), poses

    def status(self, state: LayeredState) -> Status:
        return self.live.status(state.below)

    def sources(self, state: LayeredState) -> Sources:
        below = self.live.sources(state.below)
        return layered_sources(below, self.material, self.layers, state.layers, self.skeleton)


def layered(live: Live, *layers: Layer) -> Layered:
    """`live` with these layers, the first one applied first."""
    if not layers:
        raise BadRequest("layered: expected at least one layer")
    return Layered(live, tuple(layers))
