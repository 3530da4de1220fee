"""Live characters that play a clip: the simplest method below a layer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.analysis import at_times
from motionloom.core import BoolArray, Clip, FloatArray, Skeleton
from motionloom.core.poses import Commands, Poses
from motionloom.kinematics.feet.contacts import contacts, foot_parts
from motionloom.kinematics.travel import Travel
from motionloom.methods.live import FrameSources, Sources, Status, check_dt, check_seeds, material_of
from motionloom.methods.settings import Settings


class PlayState(NamedTuple):
    """The times of N characters."""

    seconds: FloatArray  # (N,) in the clip
    shown: FloatArray  # (N,) that of the poses shown last


@dataclass(frozen=True, eq=False)
class Playback:
    """Characters that play `clip` once, where it is, and then hold its last pose. Seeds are not used.

    `Poses.phase` runs from 0 to 1 over the clip with `clip_phase` (for `pair_table`), and is not known without it.
    """

    accepts: ClassVar[tuple[str, ...]] = ()
    actions: ClassVar[tuple[str, ...]] = ()

    clip: Clip
    clip_phase: bool = False

    @property
    def skeleton(self) -> Skeleton:
        return self.clip.skeleton

    @property
    def fps(self) -> float:
        return self.clip.fps

    @cached_property
    def material(self) -> FrameSources:
        return material_of([self.clip])

    @cached_property
    def _touching(self) -> BoolArray:
        found = contacts(self.clip)
        columns = [found[part.label] for part in foot_parts(self.skeleton)]
        return np.stack(columns, 1) if columns else np.zeros((len(self.clip), 0), bool)

    def begin(self, seeds: ArrayLike, at: Travel | None = None, options: Settings | None = None) -> PlayState:
        count = len(check_seeds(seeds))
        return PlayState(np.zeros(count), np.zeros(count))

    def step(self, state: PlayState, commands: Commands, dt: float) -> tuple[PlayState, Poses]:
        """The pose at the present time, and the time `dt` later: the first step shows the first frame."""
        dt = check_dt(dt)
        now = state.seconds
        at = np.clip(now * self.clip.fps, 0, len(self.clip) - 1)
        frames = np.round(at).astype(int)
        whole = np.abs(at - frames) < 1e-6  # these frames keep their bits
        shown = (
            at_times(self.clip, at / self.clip.fps) if not whole.all() else self.clip[frames if len(frames) else [0]]
        )
        root = np.where(whole[:, None], self.clip.root[frames], shown.root[: len(at)])
        rotations = np.where(whole[:, None, None], self.clip.rotations[frames], shown.rotations[: len(at)])
        touching = self._touching[frames]
        last = (len(self.clip) - 1) / self.clip.fps
        phase = np.minimum(now / last, 1.0) if self.clip_phase else np.full(len(now), np.nan)
        return PlayState(now + dt, now), Poses(root, rotations, touching, phase)

    def status(self, state: PlayState) -> Status:
        count = len(state.seconds)
        none = np.zeros((count, 0))
        return Status(np.full(count, -1), (), none, none, np.zeros(count, bool), np.zeros(count))

    def sources(self, state: PlayState) -> Sources:
        """The frames of the poses shown last, by the clip's own origin."""
        frames = np.clip(state.shown * self.clip.fps, 0, len(self.clip) - 1)
        shape = (len(frames), 1, 1)
        if not len(self.clip.origin):
            return Sources(np.full(shape, -1), np.full(shape, -1.0), np.zeros(shape))
        which, exact = self.clip.origin.at(frames).main()
        return Sources(which.reshape(shape), exact.reshape(shape), (which >= 0).astype(float).reshape(shape))
