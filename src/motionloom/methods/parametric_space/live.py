"""Live characters of a parametric space: their state, and a step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from motionloom.core import BadRequest, BoolArray, FloatArray, IntArray, Skeleton
from motionloom.core.origin import source_shares
from motionloom.core.poses import Commands, Poses
from motionloom.methods.live import FrameSources, Sources, Status
from motionloom.methods.live_base import LiveCharacters, at_shown_tick
from motionloom.methods.parametric_space.config import DEFAULT_LIVE, LiveOptions
from motionloom.methods.space.space import REACHED, Space, SpaceParameter

TURNS = ("turn_rate", "travel_turn", "turn")  # parameters by which a commanded heading is followed


class SpaceState(NamedTuple):
    """The state of N characters: K examples, D parameters in units of their range."""

    time: FloatArray  # (N,) s since the last tick
    place: FloatArray  # (N, 4) position in rows; x, z and heading at the row below it
    course: FloatArray  # (N,) rad, heading without sway
    weights: FloatArray  # (N, K) of the pose shown
    goal: FloatArray  # (N, K) that the weights go to
    wanted: FloatArray  # (N, D) parameters commanded
    used: FloatArray  # (N, D) parameters of the goal
    root: FloatArray  # (N, 2, 3) at the last two ticks
    rotations: FloatArray  # (N, 2, J, 4)
    contacts: BoolArray  # (N, 2, P)
    shown: FloatArray  # (N, 2) positions in rows
    tuning: FloatArray  # (N, 2) half life, response


def steering_of(space: Space) -> FloatArray:
    """(4,) the column by which a heading is followed, or -1; its range, middle, and seconds to which a turn refers."""
    for name in TURNS:
        if any(p.name == name for p in space.parameters) and space.rows.cyclic:
            c = space.column(name).start
            seconds = 1.0 if name == "turn_rate" else float(space.rows.durations.mean())
            if name == "travel_turn":  # from the middle of one half of a cycle to the middle of the other
                seconds /= 2.0
            return np.array([c, space.ranges[c], space.middle[c], seconds])
    return np.array([-1.0, 1.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class SpaceLive(LiveCharacters[SpaceState, LiveOptions]):
    """Live characters of one space."""

    default_options: ClassVar[LiveOptions] = DEFAULT_LIVE

    space: Space
    tables: tuple[Any, ...]
    steering: FloatArray
    actions: tuple[str, ...]
    skeleton: Skeleton
    fps: float
    material: FrameSources
    lengths: IntArray  # (K,) frames of each example, which follow one another in `material`

    @property
    def accepts(self) -> tuple[str, ...]:
        """Values of the parameters, the only action, and a heading where the space can turn."""
        return ("heading", "action", "values") if self.steering[0] >= 0 else ("action", "values")

    def parameters(self, action: int) -> tuple[SpaceParameter, ...]:
        """Those whose values are commanded."""
        return self.space.parameters

    @cached_property
    def _scale(self) -> FloatArray:
        return np.stack([self.space.middle, self.space.ranges])

    @property
    def _foot_parts(self) -> int:
        return self.space.rows.touches.shape[2]

    def _begin(self, state: SpaceState, seeds: IntArray, places: FloatArray, options: LiveOptions) -> None:
        """The seed gives parameters and phase."""
        from motionloom.methods._kernels_live import uniforms
        from motionloom.methods.parametric_space._kernels_step import show_first
        from motionloom.methods.space._kernels_weights import corrected_weights

        state.tuning[:] = options.half_life, options.response
        if not len(seeds):
            return
        drawn, which = np.empty(len(seeds)), np.empty(len(seeds))
        uniforms(seeds, 0, drawn)
        uniforms(seeds, 1, which)
        rows = self.space.rows
        state.place[:, 0] = rows.lead + (np.floor(drawn * rows.count) if rows.cyclic else 0.0)
        known = np.concatenate([self.space.values, self.space.sample_values])
        chosen = known[(which * len(known)).astype(np.int64)]
        state.wanted[:] = (chosen - self.space.middle) / self.space.ranges
        corrected_weights(*self.space.corrected_map, state.wanted, state.goal, state.used)
        state.weights[:] = state.goal
        state.place[:, 1:] = places
        state.course[:] = state.place[:, 3]
        show_first(self.tables, state)

    def _advance(self, state: SpaceState, commands: Commands, dt: float, poses: Poses) -> None:
        from motionloom.methods.parametric_space._kernels_step import step

        if commands.values.shape[1] > self.space.size:
            raise BadRequest(
                f"command values: expected {self.space.size} ({', '.join(self.space.names)}), "
                f"found {commands.values.shape[1]}"
            )
        known, tick = self.space.corrected_map, 1.0 / self.fps
        step(self.tables, known, self._scale, self.steering, commands, state, tick, dt, tuple(poses))

    def status(self, state: SpaceState) -> Status:
        """The parameters commanded and used; those outside the space are clamped to its border."""
        wanted, used = (x * self.space.ranges + self.space.middle for x in (state.wanted, state.used))
        clamped = (np.abs(state.wanted - state.used) > REACHED).any(1)
        action, wait = np.zeros(len(state.time), np.int64), np.zeros(len(state.time))
        return Status(action, self.space.names, wanted, used, np.asarray(clamped), wait)

    def sources(self, state: SpaceState) -> Sources:
        """All examples, those with the largest weights first, and their frames."""
        rows = self.space.rows
        top = np.argsort(-state.weights, axis=1, kind="stable")
        at = np.clip(np.round(at_shown_tick(state, self.fps)).astype(np.int64), 0, len(rows.times) - 1)
        starts = np.cumsum(self.lengths) - self.lengths
        frames = np.clip(np.round(rows.times[at[:, None], top]), 0, self.lengths[top] - 1).astype(np.int64)
        found = starts[top] + frames
        which = self.material.which[found]
        shares = source_shares(which, np.take_along_axis(state.weights, top, 1))
        return Sources(which[:, None], self.material.frames[found][:, None].astype(float), shares[:, None])

    def _empty(self, count: int) -> SpaceState:
        rows, joints, size = self.space.rows, len(self.skeleton), self.space.size
        return SpaceState(
            np.zeros(count),
            np.zeros((count, 4)),
            np.zeros(count),
            np.zeros((count, rows.size)),
            np.zeros((count, rows.size)),
            np.zeros((count, size)),
            np.zeros((count, size)),
            np.zeros((count, 2, 3)),
            np.zeros((count, 2, joints, 4)),
            np.zeros((count, 2, rows.touches.shape[2]), bool),
            np.zeros((count, 2)),
            np.zeros((count, 2)),
        )
