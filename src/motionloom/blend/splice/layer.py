"""Splicing as a layer on any live method: the action that `commands.overlay` names on the legs below."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from motionloom.blend.splice._kernels_tremor import TRACK_SIZE
from motionloom.blend.splice.splice import PARTS
from motionloom.blend.splice.tables import SpliceTable, kernel_arrays
from motionloom.core import BadRequest, FloatArray, IntArray, Origin, Skeleton, Source, UInt8Array
from motionloom.core.numbers import smootherstep
from motionloom.core.origin_joining import joined
from motionloom.core.poses import Commands, Poses, Sources

FADE = 0.35  # s from one action to the next, or to none
MEMORY = 2.0  # s over which the posture of the splice is averaged


class SpliceState(NamedTuple):
    """The splices of N characters between two steps."""

    action: IntArray  # (N, 2) the action that is left, and the present one; -1 for none
    fade: FloatArray  # (N,) 0..1 from the one to the other
    phase: FloatArray  # (N,) cycles of the reference locomotion
    rate: FloatArray  # (N,) cycles per second
    swing: FloatArray  # (N, 2) m, of the last step
    seen: UInt8Array  # (N,) 1 after the first step
    means: FloatArray  # (N, 2, P, 3) m: running mean of the spliced posture before transfer, for both actions
    tracks: FloatArray  # (N, 2, TRACK_SIZE) how the chest and the hips of the pose below move without tremor


@dataclass(frozen=True, eq=False)
class SpliceLayer:
    """Splices prepared actions onto the poses below, in phase with their legs (HECK 4.3).

    The phase is `Poses.phase` where the method below supplies it; otherwise it is found by matching the swing of the
    legs to that of the reference. An action that is switched on, off or over fades within `fade` seconds, and a
    switch during a fade waits for its end. `memory` is the time over which the posture of the splice is averaged;
    infinite for the stored posture. `begin_phase` is the phase of the reference at which the phases of the method
    below are 0 (see `phase_begin`). Tremor of the poses below, as of captures in bad frames, is left out as far as the
    frames before show it; with `pair_table`, as `splice` leaves it out.
    """

    accepts: ClassVar[tuple[str, ...]] = ("overlay",)
    parts: ClassVar[tuple[str, str]] = PARTS

    table: SpliceTable
    fade: float = FADE
    memory: float = MEMORY
    begin_phase: float = 0.0

    @property
    def overlays(self) -> tuple[str, ...]:
        """Names that `Commands.overlay` indexes."""
        return self.table.names

    @property
    def joints(self) -> tuple[int, ...]:
        """The joints that are taken from the action."""
        return tuple(map(int, self.table.cut.joints))

    @cached_property
    def _origins(self) -> tuple[Origin, ...]:
        """The origin of each action, with the sources of all."""
        lengths = [len(action.turns) for action in self.table.actions]
        whole = joined([action.origin for action in self.table.actions], lengths)
        ends = np.cumsum(lengths)
        return tuple(whole[end - length : end] for length, end in zip(lengths, ends, strict=True))

    @property
    def clips(self) -> tuple[Source, ...]:
        """The captured clips of the actions."""
        return self._origins[0].sources

    def sources(self, state: SpliceState) -> Sources:
        """The frames of the action that is left and of the present one, with the share of each in the fade."""
        come = smootherstep(state.fade)
        share = np.where(state.action >= 0, np.stack([1.0 - come, come], 1), 0.0)
        which, frames = np.full(share.shape, -1), np.full(share.shape, -1.0)
        for a, (action, origin) in enumerate(zip(self.table.actions, self._origins, strict=True)):
            for slot in range(2):
                rows = (state.action[:, slot] == a) & (share[:, slot] > 0)
                which[rows, slot], frames[rows, slot] = origin.at(action.frames_at(state.phase[rows])).main()
        return Sources(which[:, None], frames[:, None], share[:, None])

    @cached_property
    def _arrays(self) -> Any:
        return kernel_arrays(self.table)

    def begin(self, seeds: IntArray, skeleton: Skeleton) -> SpliceState:
        """No action; the skeleton must be that of the table."""
        if len(skeleton) != len(self.table.skeleton):
            raise BadRequest(
                f"the actions are for {len(self.table.skeleton)} joints, the characters have {len(skeleton)}: "
                "retarget the actions first"
            )
        count, points = len(seeds), len(self.table.cut.posture)
        return SpliceState(
            np.full((count, 2), -1),
            np.ones(count),
            np.zeros(count),
            np.full(count, self.table.rate),
            np.zeros((count, 2)),
            np.zeros(count, np.uint8),
            np.zeros((count, 2, points, 3)),
            np.full((count, 2, TRACK_SIZE), -1.0),
        )

    def step(self, state: SpliceState, poses: Poses, commands: Commands, dt: float) -> tuple[SpliceState, Poses]:
        """The poses with the upper body of the action; hips and legs stay as they are."""
        from motionloom.blend.splice._kernels_step import splice_step

        asked = commands.overlay
        if (asked >= len(self.overlays)).any() or (asked < -1).any():
            listed = ", ".join(f"{i} {name}" for i, name in enumerate(self.overlays))
            raise BadRequest(f"command overlay: no action {int(asked.max())}; actions: {listed}")
        body, table = self._arrays
        copies: list[Any] = [part.copy() for part in state]
        new = SpliceState(*copies)
        turns = np.array(poses.rotations, float, order="C")
        given = np.array(poses.phase, float, order="C")
        overlay = np.array(asked, np.int64, order="C")
        splice_step(body, table, overlay, given, turns, *new, self.fade, self.memory, self.begin_phase, float(dt))
        return new, poses._replace(rotations=turns, phase=new.phase.copy())
