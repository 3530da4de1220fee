"""Live characters of motion matching: their state, and a step."""

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
from motionloom.methods.motion_matching.config import DEFAULT_OPTIONS, Options
from motionloom.methods.motion_matching.database import Database


class MatchingState(NamedTuple):
    """The state of N characters; `tuning` are their options, `commanded` the commands since the last tick."""

    time: FloatArray  # (N,) s since the last tick
    frame: IntArray  # (N,) of the database, shown at the last tick
    wait: IntArray  # (N,) ticks to the next search
    track: FloatArray  # (N, 3) x, z and heading at the last tick
    root: FloatArray  # (N, 2, 3) at the last two ticks
    rotations: FloatArray  # (N, 2, J, 4)
    offsets: FloatArray  # (N, J + 1, 2, 3) remaining offsets of jumps: see `_kernels_step.jump`
    commanded: FloatArray  # (N, 6) heading, speed, place, facing, action
    tuning: FloatArray  # (N, 5) interval, half life, response, steering, persistence


@dataclass(frozen=True, eq=False)
class MatchingLive:
    """Live characters of one model."""

    accepts: ClassVar[tuple[str, ...]] = ("heading", "speed", "place", "facing", "action")

    database: Database
    actions: tuple[str, ...]
    skeleton: Skeleton
    fps: float
    material: Material

    def begin(self, seeds: ArrayLike, at: Travel | None = None, options: Any = None) -> MatchingState:
        """One character for each seed, at the origin facing +z, or at `at`; the seed determines its first frame."""
        return begin(self.database, seeds, at, DEFAULT_OPTIONS if options is None else options)

    def step(self, state: MatchingState, commands: Commands, dt: float) -> tuple[MatchingState, Poses]:
        """The state and poses after `dt` seconds."""
        dt = check_dt(dt)
        commands = check_commands(commands, len(state.time), self.accepts, self.actions)
        return step(self.database, state, commands, dt)

    def status(self, state: MatchingState) -> Status:
        """The action shown, and the speed commanded and used; a speed is clamped to the highest of the clips."""
        action = first_action(self.database.labels[state.frame], len(self.actions))
        speeds = self.database.speeds[state.commanded[:, 5].astype(np.int64)]
        commanded = state.commanded[:, 1]
        used = np.where(np.isnan(commanded), speeds[:, 1], np.minimum(commanded, speeds[:, 2]))
        wait = np.maximum(state.wait, 1) / self.fps - state.time
        return Status(action, ("speed",), commanded[:, None].copy(), used[:, None], np.asarray(used < commanded), wait)

    def sources(self, state: MatchingState) -> Sources:
        """The frame that each character shows; offsets of jumps are ignored."""
        shown = state.frame[:, None, None]
        which = self.material.which[shown]
        return Sources(which, self.material.frames[shown].astype(float), (which >= 0).astype(float))


def begin(database: Database, seeds: ArrayLike, at: Travel | None, options: Options) -> MatchingState:
    """The first state: frames drawn by the seeds, hips placed at `at`."""
    from motionloom.methods.motion_matching._kernels_step import show_first

    whole = check_seeds(seeds)
    joints = database.rotations.shape[1]
    check_memory(len(whole), _empty(1, joints), joints)
    state = _empty(len(whole), joints)
    state.frame[:] = first_frames(whole, np.flatnonzero(database.allowed))
    places = start_places(at, len(whole))
    hips = database.hips[state.frame]
    state.track[:, 2] = places[:, 2] - database.hips_heading[state.frame]
    state.track[:, :2] = places[:, :2] - ground_turn(state.track[:, 2], hips[:, [0, 2]])
    state.tuning[:] = (
        options.interval,
        options.half_life,
        options.response,
        options.steering,
        options.persistence,
    )
    show_first(database, state)
    return state


def _empty(count: int, joints: int) -> MatchingState:
    commanded = np.full((count, 6), np.nan)
    commanded[:, 5] = -1
    return MatchingState(
        np.zeros(count),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros((count, 3)),
        np.zeros((count, 2, 3)),
        np.zeros((count, 2, joints, 4)),
        np.zeros((count, joints + 1, 2, 3)),
        commanded,
        np.zeros((count, 5)),
    )


def step(database: Database, state: MatchingState, commands: Commands, dt: float) -> tuple[MatchingState, Poses]:
    """The state and poses after `dt` seconds; arguments are checked already."""
    from motionloom.methods.motion_matching._kernels_step import advance

    count, joints = len(state.time), database.rotations.shape[1]
    copies: list[Any] = [part.copy() for part in state]
    new = MatchingState(*copies)
    poses = Poses(
        np.empty((count, 3)),
        np.empty((count, joints, 4)),
        np.empty((count, database.contacts.shape[1]), bool),
        np.full(count, np.nan),
    )
    advance(database, commands, new, dt, poses.root, poses.rotations, poses.contacts)
    return new, poses
