"""The tempo and the seed of a variant that moves over the ground at requested speeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from motionloom.constraints import Pace
from motionloom.kinematics.pace import pace_along
from motionloom.methods.nearest_request import nearest_pace
from motionloom.methods.variation.dofs import Dofs
from motionloom.methods.variation.synthesis import Motion, SynthesisRun

SEEDS = 8  # variants that are tried
STEPS = 4  # corrections of the tempo of each
ROOM = 0.5  # of the tolerance: a variant that deviates less is taken


class PacedRun(NamedTuple):
    """A run, how far it is from the requested paces in tolerances, and the speeds that its takes can have."""

    run: SynthesisRun
    missed: float = 0.0
    slowest: float = 0.0  # m/s
    fastest: float = 0.0

    def problem(self, paces: Sequence[Pace]) -> str:
        """Why a hard pace is not met, or ""."""
        hard = [c for c in paces if c.hard]
        if self.missed <= 1.0 or not hard:
            return ""
        nearest = nearest_pace(hard[0], self.slowest, self.fastest)
        return f"no variant keeps {hard[0].describe()}; by its tempo this motion moves at {nearest}"


def run_at_pace(
    run: SynthesisRun,
    paces: Sequence[Pace],
    make: Callable[[SynthesisRun], Motion],
    dofs: Dofs,
    fps: float,
    asked: int | None,
) -> PacedRun:
    """The run with the first of some seeds, and with the tempo, that keeps the paces; else the best one.

    The tempo is corrected by the ratio of the mean speed to the nearest requested one, within the limits of live
    characters; a motion that ends by itself then lasts as much longer or shorter.
    """
    from motionloom.methods.variation._kernels_live import TEMPO

    best, own = PacedRun(run, np.inf), []
    for k in range(SEEDS):
        trial = run if k == 0 else run._replace(seed=run.seed ^ (k << 40))
        for _ in range(STEPS):
            motion = make(trial)
            count = min(len(motion.values), asked or len(motion.values))
            place = dofs.clip(motion.values[:count], run.start).root[:, [0, 2]]
            off = [c.residual_along(place, fps, count).max(initial=0.0) / max(c.tolerance, 1e-9) for c in paces]
            if max(off) < best.missed:
                best = best._replace(run=trial, missed=float(max(off)))
            if best.missed <= ROOM:
                return best
            worst = paces[int(np.argmax(off))]
            speed = pace_along(place, fps)
            own.append(float(speed.mean()) * trial.slower)
            within = worst.frames(count, fps)
            now = float(speed[within.start : within.stop].mean())
            if now < 1e-3:
                break
            slower = trial.slower * now / max(float(np.clip(now, *worst.speed)), 1e-3)
            trial = trial._replace(slower=float(np.clip(slower, 1 / TEMPO[1], 1 / TEMPO[0])))
    mean = float(np.mean(own))
    return best._replace(slowest=TEMPO[0] * mean, fastest=TEMPO[1] * mean)
