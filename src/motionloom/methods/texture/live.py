"""Live characters of a texture: legs and limbs continue in their examples or jump along links, tick by tick.

The published source has no live control, so a character is the same in both variants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, Skeleton
from motionloom.core.poses import Commands, Poses
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.live import FrameSources, Sources, Status, first_frames
from motionloom.methods.live_actions import first_action
from motionloom.methods.live_base import LiveCharacters, at_shown_tick, no_commands, speed_status
from motionloom.methods.settings import Settings, param
from motionloom.methods.texture.live_tables import TextureTables

RECENT = 4  # jumps of a part that are remembered, so that it does not jump back


@dataclass(frozen=True)
class LiveOptions(Settings):
    """Options of live textures."""

    half_life: float = param(0.1, "half-life of the offset after a jump between frames", unit="s", low=0.01, high=1)
    response: float = param(0.25, "half-life of the change to a new command", unit="s", low=0.02, high=2)
    steering: float = param(
        0.3, "largest turn rate added to the clips' own to keep a heading", unit="rad/s", low=0, high=3
    )
    interval: float = param(
        0.9,
        "usual time between two jumps; commands may ask for one sooner",
        unit="s",
        low=0.1,
        high=60,
        slider=(0.2, 5.0),
    )


DEFAULT_OPTIONS = LiveOptions()


class TextureState(NamedTuple):
    """The state of N characters with P parts."""

    time: FloatArray  # (N,) s since the last tick
    seed: IntArray  # (N,)
    draws: IntArray  # (N,) random numbers drawn so far
    frame: IntArray  # (N, P) example frame of each part at the last tick
    since: IntArray  # (N, P) ticks since its last jump
    recent: IntArray  # (N, P, RECENT) frames that it left last, -1 where none
    asked: IntArray  # (N,) ticks since the commands changed
    lead: FloatArray  # (N,) m: how far the body is ahead of the commanded speed since then, lately
    track: FloatArray  # (N, 3) x, z and heading at the last tick
    root: FloatArray  # (N, 2, 3) at the last two ticks
    rotations: FloatArray  # (N, 2, J, 4)
    contacts: BoolArray  # (N, 2, F) of F foot parts
    shown: IntArray  # (N, 2, P) example frames
    offsets: FloatArray  # (N, J + 1, 2, 3) remaining offsets of jumps: of the hips, then of the joints
    commanded: FloatArray  # (N, 6) heading, speed, place, facing, action
    tuning: FloatArray  # (N, 4) half life, response, steering, interval (ticks)


@dataclass(frozen=True, eq=False)
class TextureLive(LiveCharacters[TextureState, LiveOptions]):
    """Live characters of one texture model."""

    accepts: ClassVar[tuple[str, ...]] = ("heading", "speed", "place", "action")
    default_options: ClassVar[LiveOptions] = DEFAULT_OPTIONS

    tables: TextureTables
    actions: tuple[str, ...]
    skeleton: Skeleton
    fps: float
    material: FrameSources

    @property
    def _foot_parts(self) -> int:
        return self.tables.contacts.shape[1]

    def _empty(self, count: int) -> TextureState:
        joints, parts = len(self.skeleton), len(self.tables.links)
        return TextureState(
            time=np.zeros(count),
            seed=np.zeros(count, np.int64),
            draws=np.zeros(count, np.int64),
            frame=np.zeros((count, parts), np.int64),
            since=np.zeros((count, parts), np.int64),
            recent=np.full((count, parts, RECENT), -1_000_000),
            asked=np.zeros(count, np.int64),
            lead=np.zeros(count),
            track=np.zeros((count, 3)),
            root=np.zeros((count, 2, 3)),
            rotations=np.zeros((count, 2, joints, 4)),
            contacts=np.zeros((count, 2, self._foot_parts), bool),
            shown=np.zeros((count, 2, parts), np.int64),
            offsets=np.zeros((count, joints + 1, 2, 3)),
            commanded=no_commands(count),
            tuning=np.zeros((count, 4)),
        )

    def _begin(self, state: TextureState, seeds: IntArray, places: FloatArray, options: LiveOptions) -> None:
        from motionloom.methods.texture._kernels_live import show_first

        tables = self.tables
        state.seed[:], state.draws[:] = seeds, 1
        left = tables.last - np.arange(len(tables.last))
        good = ~tables.broken & (left > min(tables.stride, int(left.max()) - 1))
        state.frame[:] = first_frames(seeds, np.flatnonzero(good if good.any() else ~tables.broken))[:, None]
        shown = state.frame[:, 0]
        state.track[:, 2] = places[:, 2] - tables.hips_heading[shown]
        state.track[:, :2] = places[:, :2] - ground_turn(state.track[:, 2], tables.hips[shown][:, [0, 2]])
        state.tuning[:] = options.half_life, options.response, options.steering, options.interval * self.fps
        show_first(tables, state)

    def _advance(self, state: TextureState, commands: Commands, dt: float, poses: Poses) -> None:
        from motionloom.methods.texture._kernels_live import advance

        advance(self.tables, commands, state, dt, poses.root, poses.rotations, poses.contacts)

    def status(self, state: TextureState) -> Status:
        """The action of the legs, and the speed commanded and used; a command takes effect at the next tick.

        The speed used is one that the clips hold for seconds: the commanded one, or the nearest. Without a command it
        is that of the frame that the legs show.
        """
        from motionloom.methods.texture._kernels_live import nearest_held

        action = first_action(self.tables.labels[at_shown_tick(state, self.fps)[:, 0]], len(self.actions))
        actions, commanded = state.commanded[:, 5].astype(np.int64), state.commanded[:, 1]
        near = np.array([nearest_held(self.tables.held[a], v) for a, v in zip(actions, commanded, strict=True)])
        used = np.where(np.isnan(commanded), self.tables.pace[state.frame[:, 0]], near)
        until = np.maximum(self.tables.tick - state.time, 0.0)
        return speed_status(action, commanded, used, until)

    def sources(self, state: TextureState) -> Sources:
        """The frame that each joint shows; offsets of jumps are ignored."""
        shown = at_shown_tick(state, self.fps)[:, self.tables.owner][..., None]
        which = self.material.which[shown]
        return Sources(which, self.material.frames[shown].astype(float), np.ones(which.shape))
