"""How hard a join throws the body: each near join is tried once while learning, and the bad ones are left out.

Bending a segment towards key poses that are not its own is harmless where joints move calmly. Where two joints turn
fast against each other (an upper arm and a forearm that a capture twists to and fro), their bends no longer cancel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from motionloom.core import BoolArray, FloatArray, Progress, silent
from motionloom.core.progress import each
from motionloom.kinematics.fk import positions
from motionloom.kinematics.local_frames import Frames, joined
from motionloom.methods.textons.plan.pieces import piece_of

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel

STEP = 1 / 30  # s: accelerations are seen over this time, as by the measure of quality
NEAREST = 40  # joins tried for each segment
BEYOND = 8  # frames of the next segment that are looked at, too
MORE = 1.7  # a join may not make a segment's peak acceleration larger than by this,
CALM = 0.75  # unless that is below this quantile of all segments' peaks


def strains(model: TextonModel, distance: FloatArray, progress: Progress | None = None) -> FloatArray:
    """(n, n) m/s^2: the peak acceleration of a segment that is bent towards the beginning of another; inf: not tried.

    Peak over frames of the RMS over joints, relative to the hips. The nearest joins are tried, without noise.
    """
    count = len(model.observed)
    out = np.full((count, count), np.inf)
    rng = np.random.default_rng(0)
    for a in each(range(count), progress or silent(), "trying joins"):
        piece = piece_of(model, a)
        for b in np.argsort(distance[a], kind="stable")[:NEAREST].tolist():
            made = model.piece_frames(piece, piece_of(model, b), rng, noise=0.0)
            out[a, b] = peak(joined([made, model.observed[b].frames[:BEYOND]]), model)
    return out


def own_peaks(model: TextonModel) -> FloatArray:
    """(n,) m/s^2: the peak acceleration of every observed segment."""
    return np.array([peak(o.frames, model) for o in model.observed])


def peak(frames: Frames, model: TextonModel) -> float:
    """The largest RMS over joints of acceleration relative to the hips, m/s^2; 0 for one joint or too few frames."""
    step = max(1, round(STEP * model.fps))
    if len(frames) < 2 * step + 1 or len(model.skeleton) < 2:
        return 0.0
    places = positions(model.skeleton, np.zeros((len(frames), 3)), frames.turns)[:, 1:]
    second = (places[2 * step :] - 2 * places[step:-step] + places[: -2 * step]) * (model.fps / step) ** 2
    return float(np.sqrt(np.einsum("fjc,fjc->f", second, second).max() / places.shape[1]))


def gentle_joins(model: TextonModel, distance: FloatArray, progress: Progress | None = None) -> BoolArray:
    """(n, n) joins that were tried and throw nothing."""
    strain, own = strains(model, distance, progress), own_peaks(model)
    limit = np.maximum(MORE * own, np.quantile(own, CALM) if len(own) else 0.0)
    return np.asarray(strain <= limit[:, None])
