"""Live characters of motion matching: their state, and a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, Skeleton
from motionloom.core.poses import Commands, Poses
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.live import FrameSources, Sources, Status, first_frames
from motionloom.methods.live_actions import first_action
from motionloom.methods.live_base import LiveCharacters, at_shown_tick, no_commands, speed_status, used_speed
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
    contacts: BoolArray  # (N, 2, P)
    shown: IntArray  # (N, 2) frames of the database
    offsets: FloatArray  # (N, J + 1, 2, 3) remaining offsets of jumps: see `_kernels_step.jump`
    commanded: FloatArray  # (N, 6) heading, speed, place, facing, action
    tuning: FloatArray  # (N, 5) interval, half life, response, steering, persistence


@dataclass(frozen=True, eq=False)
class MatchingLive(LiveCharacters[MatchingState, Options]):
    """Live characters of one model."""

    accepts: ClassVar[tuple[str, ...]] = ("heading", "speed", "place", "facing", "action")
    default_options: ClassVar[Options] = DEFAULT_OPTIONS

    database: Database
    actions: tuple[str, ...]
    skeleton: Skeleton
    fps: float
    material: FrameSources

    @property
    def _foot_parts(self) -> int:
        return self.database.contacts.shape[1]

    def _empty(self, count: int) -> MatchingState:
        joints = len(self.skeleton)
        return MatchingState(
            time=np.zeros(count),
            frame=np.zeros(count, np.int64),
            wait=np.zeros(count, np.int64),
            track=np.zeros((count, 3)),
            root=np.zeros((count, 2, 3)),
            rotations=np.zeros((count, 2, joints, 4)),
            contacts=np.zeros((count, 2, self._foot_parts), bool),
            shown=np.zeros((count, 2), np.int64),
            offsets=np.zeros((count, joints + 1, 2, 3)),
            commanded=no_commands(count),
            tuning=np.zeros((count, 5)),
        )

    def _begin(self, state: MatchingState, seeds: IntArray, places: FloatArray, options: Options) -> None:
        """Frames drawn by the seeds, hips at the places."""
        from motionloom.methods.motion_matching._kernels_step import show_first

        database = self.database
        state.frame[:] = first_frames(seeds, np.flatnonzero(database.allowed))
        hips = database.hips[state.frame]
        state.track[:, 2] = places[:, 2] - database.hips_heading[state.frame]
        state.track[:, :2] = places[:, :2] - ground_turn(state.track[:, 2], hips[:, [0, 2]])
        state.tuning[:] = (options.interval, options.half_life, options.response, options.steering, options.persistence)
        show_first(database, state)

    def _advance(self, state: MatchingState, commands: Commands, dt: float, poses: Poses) -> None:
        from motionloom.methods.motion_matching._kernels_step import advance

        advance(self.database, commands, state, dt, poses.root, poses.rotations, poses.contacts)

    def status(self, state: MatchingState) -> Status:
        """The action shown, and the speed commanded and used; a speed is clamped to those of the clips."""
        action = first_action(self.database.labels[at_shown_tick(state, self.fps)], len(self.actions))
        speeds = self.database.speeds[state.commanded[:, 5].astype(np.int64)]
        commanded = state.commanded[:, 1]
        used = used_speed(commanded, speeds)
        wait = np.maximum(state.wait, 1) / self.fps - state.time
        return speed_status(action, commanded, used, wait)

    def sources(self, state: MatchingState) -> Sources:
        """The frame that each character shows; offsets of jumps are ignored."""
        shown = at_shown_tick(state, self.fps)[:, None, None]
        which = self.material.which[shown]
        return Sources(which, self.material.frames[shown].astype(float), (which >= 0).astype(float))
