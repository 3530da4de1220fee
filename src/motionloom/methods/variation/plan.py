"""Plans of variants: which seed, how long, and steered where, so that hard constraints can be met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from motionloom.constraints import Plant, PositionAt
from motionloom.core import Progress
from motionloom.kinematics.fk import fk
from motionloom.methods.base import Band
from motionloom.methods.variation.dofs import Dofs
from motionloom.methods.variation.synthesis import Motion, SynthesisRun, Tasks
from motionloom.rotation import wrap_angle

SEEDS = 24  # variants tried for hard constraints
STEERS = 6  # times that the best of them is steered towards what it misses
SCALES = (0.75, 1.3)  # limits of steered displacements
TURN = 0.5  # rad/s: limit of steered turns
MET = 1e-6  # m


class VariationPlan(NamedTuple):
    """A variant: how it is synthesized, and its cycles."""

    run: SynthesisRun
    starts: tuple[int, ...]  # frames at which cycles begin
    reason: str = ""

    @property
    def frames(self) -> int:
        return self.run.frames

    def bands(self) -> Sequence[Band]:
        ends = (*self.starts[1:], self.frames)
        kind = "cycle" if len(self.starts) > 1 else "variant"
        return [
            Band(a, b - a, f"{kind} {k + 1}", kind)
            for k, (a, b) in enumerate(zip(self.starts, ends, strict=True))
            if b > a
        ]


Try = Callable[[SynthesisRun, Tasks], Motion]


def search(
    run: SynthesisRun,
    tasks: Tasks,
    owners: Sequence[PositionAt | Plant],
    make: Try,
    dofs: Dofs,
    fps: float,
    progress: Progress,
) -> SynthesisRun:
    """The run with the first of some seeds that meets all tasks; else the best of them, steered towards its targets.

    A sample of the model given its constraints: variants that happen to come near are kept, as in rejection sampling.
    """
    best, least = run, np.inf
    for k in range(SEEDS):
        progress(k / (SEEDS + STEERS), "searching a variant that meets the constraints")
        trial = run if k == 0 else run._replace(seed=run.seed ^ (k << 40))
        excess = _excess(make, trial, tasks)
        if excess < least:
            best, least = trial, excess
        if least <= MET:
            return best
    steered = best
    for k in range(STEERS):
        progress((SEEDS + k) / (SEEDS + STEERS), "steering towards the constraints")
        steered = _steered(make, steered, tasks, owners, dofs, fps)
        excess = _excess(make, steered, tasks)
        if excess < least:
            best, least = steered, excess
        if least <= MET:
            return best
    return best


def fresh(tasks: Tasks) -> Tasks:
    """The tasks as kernels may write to them."""
    begun = np.zeros_like(tasks.begun)
    return tasks._replace(target=tasks.target.copy(), miss=np.zeros(len(tasks.miss)), begun=begun)


def _excess(make: Try, run: SynthesisRun, tasks: Tasks) -> float:
    """How far the limbs stay away from their targets, beyond `MET`, all together."""
    given = fresh(tasks)
    make(run, given)
    return float(np.maximum(given.miss - MET, 0.0).sum())


def _steered(
    make: Try, run: SynthesisRun, tasks: Tasks, owners: Sequence[PositionAt | Plant], dofs: Dofs, fps: float
) -> SynthesisRun:
    """The run with the path to the first target that is missed scaled and turned, so that it leads there."""
    given = fresh(tasks)
    motion = make(run, given)
    missed = np.flatnonzero((given.miss > MET) & ~np.isnan(tasks.target[:, 0]))
    if not len(missed):
        return run
    k = int(missed[0])
    frame = int(tasks.first[k])
    clip = dofs.clip(motion.values, run.start)
    joint = clip.skeleton.joint(owners[k].joint)
    begin = max((int(last) for last in tasks.last[:k] if last < frame), default=0)  # what was met before stays
    off = (given.target[k] - fk(clip[frame : frame + 1])[0, joint])[[0, 2]]
    moved = clip.root[frame, [0, 2]] - clip.root[begin, [0, 2]]
    wanted = moved + off
    count = frame - begin
    if count < 2 or np.linalg.norm(moved) < 0.05 or np.linalg.norm(wanted) < 1e-6:
        return run
    scale = float(np.linalg.norm(wanted) / np.linalg.norm(moved))
    angle = float(wrap_angle(np.arctan2(wanted[0], wanted[1]) - np.arctan2(moved[0], moved[1])))
    steering = run.steering.copy()
    steering[begin:frame, 0] = np.clip(steering[begin:frame, 0] * scale, *SCALES)
    steering[begin:frame, 1] = np.clip(steering[begin:frame, 1] + 2 * angle / count, -TURN / fps, TURN / fps)
    return run._replace(steering=steering)
