"""Actions prepared for splicing at run time: joints, timing and posture in plain arrays (HECK 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motionloom.analysis import at_times
from motionloom.analysis.leg_swing import leg_swing, legs, require_roles
from motionloom.blend.splice._kernels_step import RATE_SCALE
from motionloom.blend.splice.body import BodyCut, cut_named
from motionloom.blend.splice.notes import live_notes
from motionloom.blend.splice.posture import aligned, mean_posture, part_pose, posture_turn, with_posture
from motionloom.blend.splice.splice import Splice, on_body
from motionloom.blend.splice.timing import (
    CYCLIC_SEAM,
    USUAL_CYCLE,
    LegTiming,
    align_legs,
    leg_period,
    require_stepping,
)
from motionloom.core import BadRequest, Clip, FloatArray, NoPath, Origin, Skeleton
from motionloom.kinematics._kernels_resample import control_turns
from motionloom.kinematics.fk import velocities
from motionloom.kinematics.loop import close_loop, find_loop, repeat
from motionloom.rotation import continuous, inverse, multiply

NO_TURNS = np.zeros((0, 4))
STEPS = 64  # steps of a cycle in the tables of timing and of the reference's swing


class PreparedAction(NamedTuple):
    """One action: its upper joints, and which of its moments belongs to which phase of the locomotion."""

    name: str
    turns: FloatArray  # (F, U, 4)
    fps: float
    seconds: FloatArray  # (B + 1,) times at even steps of `cycles`; they continue beyond the loop's end
    cycles: float
    cyclic: bool
    posture: FloatArray  # (P, 3) m: the mean posture of the action
    spliced: FloatArray  # (P, 3) m: the mean posture of the splice before transfer, or an estimate of it
    steady: FloatArray  # (B + 1, 4) turns of the attachment that leave out the lower clip's tremor; (0, 4) for none
    origin: Origin  # of its F frames
    warnings: tuple[str, ...] = ()

    def frames_at(self, phase: FloatArray) -> FloatArray:
        """The fractional frames that the kernel shows at phases (cycles of the reference)."""
        share = phase / self.cycles
        share = share - np.floor(share) if self.cyclic else np.clip(share, 0.0, 1.0)
        seconds = np.interp(share * (len(self.seconds) - 1), np.arange(len(self.seconds)), self.seconds)
        return np.asarray((seconds % ((len(self.turns) - 1) / self.fps) if self.cyclic else seconds) * self.fps)


@dataclass(frozen=True, eq=False)
class SpliceTable:
    """Prepared actions for one skeleton, and the swing of the reference locomotion."""

    skeleton: Skeleton
    cut: BodyCut
    actions: tuple[PreparedAction, ...]
    swing: FloatArray  # (STEPS, 4) m: `leg_swing` of the reference over a cycle, and its rate times `RATE_SCALE`
    rate: float  # cycles per second of the reference
    shape: FloatArray  # (K, 3) m: the reference's mean cloud, by which tremor is found; (0, 3) for a pair of clips

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(action.name for action in self.actions)

    @property
    def nbytes(self) -> int:
        """Memory of the actions, and of the timing and postures that splicing adds to them."""
        return sum(a.turns.nbytes + a.seconds.nbytes + a.posture.nbytes + a.spliced.nbytes for a in self.actions)


def gait_cycle(reference: Clip) -> Clip:
    """One closed cycle (two steps) of a locomotion, whose last frame is the first again."""
    require_stepping(reference)
    period = leg_period(reference)
    if period is None:
        raise BadRequest(f"{reference.name or 'the reference'}: no regular steps found; take a plain walk")
    return close_loop(reference, find_loop(reference, shortest=0.8 * period, longest=1.25 * period))


def phases_of(clip: Clip, cycle: Clip) -> FloatArray:
    """(F,) cycles of the reference (see `gait_cycle`) for every frame of a clip: one alignment, O(n) for n clips."""
    return _phases(_on_cycle(clip, cycle), clip, cycle)


def _phases(timing: LegTiming, clip: Clip, cycle: Clip) -> FloatArray:
    return timing.upper_times(np.arange(len(clip)) / clip.fps) / ((len(cycle) - 1) / cycle.fps)


def _on_cycle(clip: Clip, cycle: Clip) -> LegTiming:
    """The alignment of a clip to the reference, repeated as often as that takes."""
    seconds = (len(cycle) - 1) / cycle.fps
    own = leg_period(clip) or USUAL_CYCLE
    turns = int(np.ceil(1.3 * clip.seconds / min(own, seconds))) + 2
    return align_legs(clip, repeat(cycle, turns), action=0)


def phase_begin(clip: Clip, phase: FloatArray, reference: Clip) -> float:
    """The phase of the reference at which the phases (F,) of a method are 0, from one clip of it.

    It holds for all nodes of a graph. Phases are NaN where the method supplies none; 0 if that is everywhere.
    """
    seen = ~np.isnan(phase)
    if not seen.any():
        return 0.0
    apart = 2 * np.pi * (phases_of(clip, gait_cycle(reference)) - phase)[seen]
    return float(np.arctan2(np.sin(apart).mean(), np.cos(apart).mean()) / (2 * np.pi) % 1.0)


def splice_table(actions: Mapping[str, Clip], reference: Clip, lower: Clip | None = None) -> SpliceTable:
    """Actions for run time, each aligned to one reference locomotion. They must be cyclic.

    `lower` is a locomotion whose posture stands for that of the splice until a running average replaces it (HECK 4.3,
    second form); by default the reference.
    """
    cycle = gait_cycle(reference)
    cut = cut_named(reference.skeleton)
    usual = part_pose(reference if lower is None else on_body(lower, reference), cut)
    estimate, shape = mean_posture(usual, usual.local), usual.cloud.mean(0)
    prepared = tuple(_cyclic(name, on_body(clip, reference), cycle, cut, estimate) for name, clip in actions.items())
    return SpliceTable(reference.skeleton, cut, prepared, swing_table(cycle), 1 / ((len(cycle) - 1) / cycle.fps), shape)


def _cyclic(name: str, clip: Clip, cycle: Clip, cut: BodyCut, estimate: FloatArray) -> PreparedAction:
    require_stepping(clip)
    try:
        found = find_loop(clip)
    except NoPath as error:
        raise BadRequest(f"action {name}: {error}") from None
    if found.seam > CYCLIC_SEAM:
        raise BadRequest(
            f"action {name}: not cyclic (its ends differ by {100 * found.seam:.0f} cm at best); "
            "an action that is spliced at run time must be repeatable"
        )
    loop = close_loop(clip, found)
    timing = _on_cycle(loop, cycle)
    phases = _phases(timing, loop, cycle)
    cycles = max(1, round(phases[-1] - phases[0]))
    phases = phases[0] + (phases - phases[0]) * cycles / (phases[-1] - phases[0])
    seconds = np.arange(len(loop)) / loop.fps
    length = seconds[-1]
    steps = np.arange(cycles * STEPS + 1) / STEPS
    ahead = [(phases + k * cycles, seconds + k * length) for k in range(-int(phases[0] // cycles) - 2, 3)]
    grid = np.interp(steps, np.concatenate([p[:-1] for p, _ in ahead]), np.concatenate([s[:-1] for _, s in ahead]))
    part = part_pose(loop, cut)
    turns = continuous(loop.rotations[:, cut.joints])
    posture = mean_posture(part, part.local)
    pace = np.diff(grid, append=grid[0] + length) * STEPS / ((len(cycle) - 1) / cycle.fps)
    warnings = tuple(note.text for note in live_notes(timing, clip, loop, found, grid, pace))
    return PreparedAction(
        name, turns, loop.fps, grid, float(cycles), True, posture, estimate, NO_TURNS, loop.origin, warnings
    )


def pair_table(made: Splice, lower: Clip, name: str = "action") -> SpliceTable:
    """The table of one splice: `Poses.phase` runs from 0 to 1 over the lower clip, and results are those of `splice`.

    Pairwise alignments need a table for each pair of clips (n m), one for each clip suffices with a reference (n + m).
    """
    cut = cut_named(lower.skeleton)
    action = at_times(made.upper, made.seconds)
    above, below = part_pose(action, cut), part_pose(lower[: len(made.clip)], cut)
    local = aligned(above, below)
    spliced, posture = mean_posture(below, local, above.posture), mean_posture(above, above.local)
    steady = NO_TURNS
    if made.trembling.any():
        published = with_posture(below, local, posture_turn(spliced, posture))
        steady = continuous(multiply(inverse(published), made.clip.rotations[:, cut.joint]))
    turns = continuous(made.upper.rotations[:, cut.joints])
    one = PreparedAction(
        name, turns, made.upper.fps, made.seconds, 1.0, False, posture, spliced, steady, made.upper.origin
    )
    return SpliceTable(lower.skeleton, cut, (one,), np.zeros((STEPS, 4)), 1.0, np.zeros((0, 3)))


def swing_table(cycle: Clip) -> FloatArray:
    """(STEPS, 4) m: the swing of the legs over one cycle, and its rate times `RATE_SCALE`."""
    twice = repeat(cycle, 3)
    swing = leg_swing(legs(twice))
    rows = np.concatenate([swing, velocities(swing, twice.fps) * RATE_SCALE], 1)
    count = len(cycle) - 1
    at = count * (1 + np.arange(STEPS) / STEPS)
    return np.stack([np.interp(at, np.arange(len(rows)), rows[:, k]) for k in range(4)], 1)


def kernel_arrays(table: SpliceTable) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """The body and the actions as the kernel takes them."""
    skeleton, cut = table.skeleton, table.cut
    shins = require_roles(skeleton, ("left_shin", "right_shin"))
    above = int(skeleton.parents[cut.joint])
    trunk = sorted({j for tip in (*shins, *cut.line, above) for j in skeleton.chain(int(tip))})
    needed = {j for tip in (*cut.cloud, *cut.posture) for j in skeleton.chain(int(tip), cut.joint)} - {cut.joint}
    slots = np.full(len(skeleton), -1)
    slots[cut.joints] = np.arange(len(cut.joints))
    body = (
        np.array(skeleton.parents),
        np.array(skeleton.offsets),
        np.array(trunk),
        int(cut.joint),
        np.array(sorted(needed)),
        np.array(cut.joints),
        slots,
        np.array(cut.cloud),
        np.array(cut.posture),
        np.array(cut.line),
        np.array(shins),
        above,
    )
    return body, (*_rows(table.actions), np.array(table.shape), np.array(table.swing))


def _rows(actions: Sequence[PreparedAction]) -> tuple[object, ...]:
    ends = np.cumsum([len(a.turns) for a in actions])
    starts = ends - [len(a.turns) for a in actions]
    grids = np.cumsum([0, *(len(a.seconds) for a in actions)])[:-1]
    return (
        np.concatenate([a.turns for a in actions]),
        *map(np.concatenate, zip(*(_controls(a.turns) for a in actions), strict=True)),
        starts,
        ends - 1,
        np.array([a.fps for a in actions]),
        np.concatenate([a.seconds for a in actions]),
        grids,
        np.array([len(a.seconds) - 1 for a in actions]),
        np.array([a.cycles for a in actions]),
        np.array([a.cyclic for a in actions], np.uint8),
        np.array([(len(a.turns) - 1) / a.fps for a in actions]),
        np.stack([a.posture for a in actions]),
        np.stack([a.spliced for a in actions]),
        actions[0].steady,  # a table of a pair holds one action
    )


def _controls(turns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(F, U, 4) control points of the curve of `at_times`, after and before each frame."""
    ahead, behind = np.empty_like(turns), np.empty_like(turns)
    control_turns(np.array(turns), ahead, behind)
    return ahead, behind
