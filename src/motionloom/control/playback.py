"""Live characters that play a clip: the simplest method below a layer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.analysis import at_times
from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, IntArray, Skeleton
from motionloom.core.poses import Commands, Poses
from motionloom.kinematics.feet.contacts import contact_array
from motionloom.kinematics.travel import Travel
from motionloom.methods.live import FrameSources, Sources, Status, material_of
from motionloom.methods.live_base import LiveCharacters
from motionloom.methods.settings import Settings


class PlayState(NamedTuple):
    """The times of N characters."""

    seconds: FloatArray  # (N,) since the beginning; the pose shown is a frame older, as with every method


@dataclass(frozen=True, eq=False)
class Playback(LiveCharacters[PlayState, None]):
    """Characters that play `clip` once, where it is, and then hold its last pose. Seeds are not used.

    `Poses.phase` runs from 0 to 1 over the clip with `clip_phase` (for `pair_table`), and is not known without it.
    """

    accepts: ClassVar[tuple[str, ...]] = ()
    actions: ClassVar[tuple[str, ...]] = ()  # type: ignore[misc]

    clip: Clip
    clip_phase: bool = False

    @property
    def skeleton(self) -> Skeleton:  # type: ignore[override]
        return self.clip.skeleton

    @property
    def fps(self) -> float:  # type: ignore[override]
        return self.clip.fps

    @cached_property
    def material(self) -> FrameSources:  # type: ignore[override]
        return material_of([self.clip])

    @cached_property
    def _touching(self) -> BoolArray:
        return contact_array(self.clip)

    @property
    def _foot_parts(self) -> int:
        return self._touching.shape[1]

    def begin(self, seeds: ArrayLike, at: Travel | None = None, options: Settings | None = None) -> PlayState:
        """One character for each seed, all where the clip begins."""
        if at is not None:
            raise BadRequest("at: a clip is played where it is; move it before")
        return super().begin(seeds, None, options)

    def _empty(self, count: int) -> PlayState:
        return PlayState(np.zeros(count))

    def _begin(self, state: PlayState, seeds: IntArray, places: FloatArray, options: None) -> None:
        """All begin at the start of the clip."""

    def _advance(self, state: PlayState, commands: Commands, dt: float, poses: Poses) -> None:
        state.seconds[:] += dt
        clip, at = self.clip, self._shown(state)
        near = np.round(at).astype(int)
        poses.root[:], poses.rotations[:] = clip.root[near], clip.rotations[near]
        poses.contacts[:] = self._touching[near]
        between = np.abs(at - near) >= 1e-6  # whole frames keep their bits
        if between.any():
            shown = at_times(clip, at[between] / clip.fps)
            poses.root[between], poses.rotations[between] = shown.root, shown.rotations
        if self.clip_phase:
            poses.phase[:] = at / max(len(clip) - 1, 1)

    def _shown(self, state: PlayState) -> FloatArray:
        """(N,) the frames that are shown, fractional: the first one during the first tick, the last one at the end."""
        return np.clip(state.seconds * self.clip.fps - 1.0, 0.0, len(self.clip) - 1.0)

    def status(self, state: PlayState) -> Status:
        count = len(state.seconds)
        none = np.zeros((count, 0))
        return Status(np.full(count, -1), (), none, none, np.zeros(count, bool), np.zeros(count))

    def sources(self, state: PlayState) -> Sources:
        """The frames of the poses shown last, by the clip's own origin."""
        frames = self._shown(state)
        shape = (len(frames), 1, 1)
        if not len(self.clip.origin):
            return Sources(np.full(shape, -1), np.full(shape, -1.0), np.zeros(shape))
        which, exact = self.clip.origin.at(frames).main()
        return Sources(which.reshape(shape), exact.reshape(shape), (which >= 0).astype(float).reshape(shape))
