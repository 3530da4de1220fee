"""Live characters of a texture: legs and limbs go on in their examples or jump along links, tick by tick.

The published source has no live control, so a character is the same in both variants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import FloatArray, IntArray, Skeleton
from motionloom.core.poses import Commands, Poses
from motionloom.kinematics.travel import Travel, ground_turn
from motionloom.methods.actions import first_action
from motionloom.methods.live import (
    Material,
    Sources,
    Status,
    check_commands,
    check_dt,
    check_memory,
    check_seeds,
    first_frames,
    start_places,
)
from motionloom.methods.settings import Settings, param
from motionloom.methods.texture.live_tables import LiveTables

RECENT = 4  # jumps of a part that are remembered, so that it does not jump back


@dataclass(frozen=True)
class LiveOptions(Settings):
    """Options of live textures."""

    half_life: float = param(0.1, "half-life of the offset after a jump between frames", unit="s", low=0.01, high=1)
    response: float = param(0.25, "half-life of the change to a new command", unit="s", low=0.02, high=2)
    steering: float = param(
        0.3, "largest turn rate added to the clips' own to keep a heading", unit="rad/s", low=0, high=3
    )
    limbs: bool = param(True, "arms and head come from other example frames than the legs")
    interval: float = param(
        0.9,
        "usual time between two jumps; commands may ask for one sooner",
        unit="s",
        low=0.1,
        high=60,
        slider=(0.2, 5.0),
    )


DEFAULT_OPTIONS = LiveOptions()


class State(NamedTuple):
    """The state of N characters with P parts."""

    time: FloatArray  # (N,) s since the last tick
    seed: IntArray  # (N,)
    draws: IntArray  # (N,) random numbers drawn so far
    frame: IntArray  # (N, P) example frame of each part at the last tick
    since: IntArray  # (N, P) ticks since its last jump
    recent: IntArray  # (N, P, RECENT) frames that it left last, -1 where none
    asked: IntArray  # (N,) ticks since the commands changed
    track: FloatArray  # (N, 3) x, z and heading at the last tick
    root: FloatArray  # (N, 2, 3) at the last two ticks
    rotations: FloatArray  # (N, 2, J, 4)
    offsets: FloatArray  # (N, J + 1, 2, 3) remaining offsets of jumps: of the hips, then of the joints
    commanded: FloatArray  # (N, 6) heading, speed, place, facing, action
    tuning: FloatArray  # (N, 5) half life, response, steering, limbs, interval (ticks)


@dataclass(frozen=True, eq=False)
class TextureLive:
    """Live characters of one texture model."""

    accepts: ClassVar[tuple[str, ...]] = ("heading", "speed", "place", "action")

    tables: LiveTables
    actions: tuple[str, ...]
    skeleton: Skeleton
    fps: float
    material: Material

    def begin(self, seeds: ArrayLike, at: Travel | None = None, options: LiveOptions | None = None) -> State:
        """One character for each seed, at the origin facing +z, or at `at`; the seed determines its first frame."""
        from motionloom.methods.texture._kernels_live import show_first

        whole, options, tables = check_seeds(seeds), options or DEFAULT_OPTIONS, self.tables
        check_memory(len(whole), self._empty(1), len(self.skeleton))
        state = self._empty(len(whole))
        state.seed[:], state.draws[:] = whole, 1
        left = tables.last - np.arange(len(tables.last))
        good = ~tables.broken & (left > min(tables.stride, int(left.max()) - 1))
        state.frame[:] = first_frames(whole, np.flatnonzero(good if good.any() else ~tables.broken))[:, None]
        places, shown = start_places(at, len(whole)), state.frame[:, 0]
        state.track[:, 2] = places[:, 2] - tables.hips_heading[shown]
        state.track[:, :2] = places[:, :2] - ground_turn(state.track[:, 2], tables.hips[shown][:, [0, 2]])
        tuning = (options.half_life, options.response, options.steering, options.limbs, options.interval * self.fps)
        state.tuning[:] = tuning
        show_first(tables, state)
        return state

    def _empty(self, count: int) -> State:
        joints, parts = len(self.skeleton), len(self.tables.links)
        commanded = np.full((count, 6), np.nan)
        commanded[:, 5] = -1
        return State(
            time=np.zeros(count),
            seed=np.zeros(count, np.int64),
            draws=np.zeros(count, np.int64),
            frame=np.zeros((count, parts), np.int64),
            since=np.zeros((count, parts), np.int64),
            recent=np.full((count, parts, RECENT), -1_000_000),
            asked=np.zeros(count, np.int64),
            track=np.zeros((count, 3)),
            root=np.zeros((count, 2, 3)),
            rotations=np.zeros((count, 2, joints, 4)),
            offsets=np.zeros((count, joints + 1, 2, 3)),
            commanded=commanded,
            tuning=np.zeros((count, 5)),
        )

    def step(self, state: State, commands: Commands, dt: float) -> tuple[State, Poses]:
        """The state and poses after `dt` seconds."""
        from motionloom.methods.texture._kernels_live import advance

        dt, count = check_dt(dt), len(state.time)
        commands = check_commands(commands, count, self.accepts, self.actions)
        copies: list[Any] = [part.copy() for part in state]
        new = State(*copies)
        poses = Poses(
            np.empty((count, 3)),
            np.empty((count, len(self.skeleton), 4)),
            np.empty((count, self.tables.contacts.shape[1]), bool),
            np.full(count, np.nan),
        )
        advance(self.tables, commands, new, dt, poses.root, poses.rotations, poses.contacts)
        return new, poses

    def status(self, state: State) -> Status:
        """The action of the legs, and the speed commanded and used; a command takes effect at the next tick."""
        action = first_action(self.tables.labels[state.frame[:, 0]], len(self.actions))
        speeds = self.tables.speeds[state.commanded[:, 5].astype(np.int64)]
        commanded = state.commanded[:, 1]
        used = np.where(np.isnan(commanded), speeds[:, 1], np.minimum(commanded, speeds[:, 2]))
        until = np.maximum(self.tables.tick - state.time, 0.0)
        return Status(action, ("speed",), commanded[:, None].copy(), used[:, None], np.asarray(used < commanded), until)

    def sources(self, state: State) -> Sources:
        """The frame that each joint shows; offsets of jumps are ignored."""
        shown = state.frame[:, self.tables.owner][..., None]
        which = self.material.which[shown]
        return Sources(which, self.material.frames[shown].astype(float), np.ones(which.shape))
