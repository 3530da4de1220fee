"""A common clock for takes of one motion: time warping, the mean timing, and where the motion repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.analysis.alignment_curve import fit_curve
from motionloom.analysis.dtw import dtw_path
from motionloom.core import BoolArray, FloatArray, IntArray, Progress, silent
from motionloom.core.numbers import squared_distances
from motionloom.core.progress import each

SLOPE = 3  # steps in a row of a time-warping path
KNOTS = 0.4  # s between knots of a warp; 0.2 fits takes 0 to 1 % better, with rates that differ twice as much
LATE = 2.0  # a take that is a second late counts as this many times the deviation of all poses
RATE = 0.05  # s: a change of pose counts as the way made in this time
BEND = 0.1  # s: the same for a change of rates at a seam
SEAM = 1.5  # a motion repeats if its seam is at most so many times the distance between takes ...
CLOSED = 0.6  # ... and of the deviation of its poses: walks 0.1 to 0.3, runs 0.2 to 0.6, cycles cut a tenth short 0.8
REST_TIME = 0.1  # s
REST = 0.3  # of the root mean square speed of a motion: slower is at rest (jumps, punches: up to 0.2; cycles: from 0.5)
STEEP = 2.5  # times: a take that is stretched or compressed more begins or ends in another phase (takes: up to 2.3)
COPIED = 1e-6  # m: takes that are nearer to each other are one
DIFFERENT = 1.2  # distance from the nearest other take against that from the mean pose: more is another motion
UNLIKE = 1.8  # times: takes and groups of takes that are farther from the others than these are from each other
FAR = 3.0  # times the median of the other takes: ends farther from all beginnings are unlike theirs (runs: up to 2)
SHORTEST = 0.5  # s: no loop is shorter
MOMENTS = 2  # of the common clock in a frame: between them, cubics follow quick movements better than between frames


class Clock(NamedTuple):
    """A common clock, and how far takes are from each other along it."""

    frames: FloatArray  # (S, U) the frame of each take at each moment
    costs: FloatArray  # (S, S) mean squared distance of every two takes along their time-warping path
    still: FloatArray  # (S,) mean squared distance of each take from the mean pose of all takes


class MeanLoop(NamedTuple):
    """The mean motion at `stop` continues as at `start`: moments of the common clock."""

    start: int
    stop: int
    seam: float  # in units of the takes' distance from each other


def common_clock(
    sequences: Sequence[FloatArray], scales: FloatArray, fps: float, progress: Progress | None = None
) -> FloatArray:
    """(S, U) the frame of each sequence (F, D) at each moment of their common clock, see `align_takes`."""
    return align_takes(sequences, scales, fps, progress).frames


def align_takes(
    sequences: Sequence[FloatArray], scales: FloatArray, fps: float, progress: Progress | None = None
) -> Clock:
    """A clock for sequences (F, D) whose rate is the mean of theirs.

    Every sequence is warped to the one that is nearest to all others, each about its own mean, because constant
    offsets (a stroke farther to the left, a tilted head) are not differences in time. A difference in time has a cost
    of its own (`LATE`): where bodies rest, a path by poses alone would stop one take and speed up another. The
    clock then runs so that the mean over the sequences of their frames grows evenly, `MOMENTS` to a frame: it lasts as
    long as they do on average.
    """
    from scipy.interpolate import CubicSpline

    if len(sequences) == 1:
        return Clock(np.arange(MOMENTS * (len(sequences[0]) - 1) + 1)[None] / MOMENTS, np.zeros((1, 1)), np.ones(1))
    features = [_features(s, scales, fps) for s in sequences]
    centre = np.concatenate(features).mean(0)
    still = np.array([((f - centre) ** 2).sum(1).mean() for f in features])
    late = LATE * float(np.sqrt(still.mean())) / fps
    centred = [np.hstack([f - f.mean(0), late * (np.arange(len(f)) - 0.5 * len(f))[:, None]]) for f in features]
    costs = np.zeros((len(sequences),) * 2)
    paths: dict[tuple[int, int], IntArray] = {}
    pairs = [(a, b) for a in range(len(sequences)) for b in range(a)]
    for a, b in each(pairs, progress or silent(), "aligning clips"):
        path = dtw_path(squared_distances(centred[a], centred[b]), limit=SLOPE)
        costs[a, b] = costs[b, a] = ((features[a][path[:, 0]] - features[b][path[:, 1]]) ** 2).sum(1).mean()
        paths[a, b], paths[b, a] = path, path[:, ::-1]
    middle = int(costs.sum(1).argmin())
    count = len(sequences[middle])
    frames = np.empty((len(sequences), count))
    for k in range(len(sequences)):
        frames[k] = np.arange(count)
        if k != middle:
            curve = fit_curve(paths[middle, k] / fps, knot_seconds=KNOTS)
            frames[k] = curve.matching(np.arange(count) / fps) * fps
    mean = frames.mean(0)
    even = np.linspace(0, mean[-1], max(MOMENTS * round(float(mean[-1])) + 1, 3))
    rows = CubicSpline(mean, frames, axis=1)(even)  # straight lines between frames would be jerks of the variants
    last = np.array([len(s) - 1 for s in sequences])
    rows = np.maximum.accumulate(np.clip(rows, 0, last[:, None]), axis=1)  # a spline may turn back where a take rests
    return Clock(rows, costs, still)


def find_loop(takes: FloatArray, scales: FloatArray, fps: float) -> MeanLoop | None:
    """Where the mean of aligned takes (S, U, D) repeats, if it does: the longest loop among the good ones.

    A seam is the distance between the pose one frame after the last moment of the loop and that of its first moment,
    and between their rates as far as these change by more than they do anywhere within the motion in the same time:
    cut where a foot touches down, a cycle ends and begins with rates that differ, as they do at the other foot. It is
    compared with the takes' mean distance from each other (of one take: from its neighbours in time) and, as that is
    large where takes are out of phase, with the deviation of the poses of the loop from their mean, which is small
    where a motion only pauses. A motion that begins or ends at rest (a jump, a punch) does not repeat, however alike
    its ends are.
    """
    mean = takes.mean(0) * scales
    count, least = len(mean), max(2, round(SHORTEST * MOMENTS * fps))
    if resting(mean, fps)[[0, -1]].any() or count < least or count <= MOMENTS:
        return None
    size = max(_take_distance(takes, scales, MOMENTS * fps), 1e-9)
    lengths = np.subtract.outer(np.arange(count), np.arange(count)) + MOMENTS  # [last, start]
    deviations = np.maximum(_deviations_between(mean), 1e-9)
    limits = np.minimum(CLOSED * deviations, SEAM * size)
    going_on = np.vstack([mean[MOMENTS:], 2 * mean[-1] - mean[-1 - MOMENTS : -1][::-1]])  # one frame after each moment
    gaps = squared_distances(going_on, mean)
    near = (gaps <= limits**2) & (lengths >= least)
    rates = np.gradient(mean, axis=0) * (MOMENTS * fps * BEND)
    lag = MOMENTS + 1  # of a frame; rates at the ends are those of half a moment inside
    usual = np.abs(rates[lag:] - rates[:-lag]).max(0, initial=0.0)
    seams = np.full_like(gaps, np.inf)
    for row in np.flatnonzero(near.any(1)):
        bend = np.maximum(np.abs(rates[row] - rates[near[row]]) - usual, 0.0)
        seams[row, near[row]] = np.sqrt(gaps[row, near[row]] + (bend**2).sum(1))
    if not (seams <= limits).any():
        return None
    worth = np.where(seams <= limits, lengths / count - seams / deviations, -np.inf)
    last, start = np.unravel_index(int(worth.argmax()), worth.shape)
    return MeanLoop(int(start), int(last) + MOMENTS, float(seams[last, start]) / size)


def _deviations_between(values: FloatArray) -> FloatArray:
    """(U, U) [last, start]: the deviation of values (U, D) from start to last about their mean, root mean square."""
    sums = np.vstack([np.zeros(values.shape[1]), np.cumsum(values - values.mean(0), axis=0)])
    squares = np.concatenate([[0.0], np.cumsum(((values - values.mean(0)) ** 2).sum(1))])
    counts = np.maximum(np.subtract.outer(np.arange(1, len(sums)), np.arange(len(values))), 1)
    variances = np.subtract.outer(squares[1:], squares[:-1]) / counts
    variances -= squared_distances(sums[1:], sums[:-1]) / counts**2
    return np.asarray(np.sqrt(np.maximum(variances, 0.0)))


def resting(values: FloatArray, fps: float) -> BoolArray:
    """(U,) at which moments values (U, D) change, within `REST_TIME`, by less than `REST` of what they usually do."""
    from scipy.ndimage import uniform_filter1d

    steps = np.linalg.norm(np.diff(values, axis=0, append=values[-1:]), axis=1)
    steps[-1:] = steps[-2:-1]
    near = uniform_filter1d(steps, max(1, round(REST_TIME * MOMENTS * fps)), mode="nearest")
    return np.asarray(near < REST * np.sqrt((steps**2).mean()))


def mean_pose_distances(clock: Clock) -> FloatArray:
    """(S,) how far each take is from the nearest other one, in units of its distance from the mean pose."""
    others = np.where(np.eye(len(clock.costs), dtype=bool), np.inf, clock.costs)
    return np.asarray(np.sqrt(others.min(1) / np.maximum(clock.still, 1e-12)))


def far_takes(clock: Clock) -> dict[int, float]:
    """The takes to which no other one is nearer than the mean pose, and how many times as far as usual they are."""
    far = mean_pose_distances(clock)
    return {int(k): float(far[k] / max(np.median(far), 1e-12)) for k in np.flatnonzero(far > DIFFERENT)}


def unlike_takes(costs: FloatArray, known: Sequence[int] = ()) -> dict[int, float]:
    """The takes that are unlike the others, by mean squared distances (S, S), and how many times as far they are.

    That is a take `UNLIKE` times as far from the nearest other one as the others are from theirs; and where takes fall
    into groups so far from each other (steps to the left and to the right), all but one group: the one with most of
    the `known` takes, else the largest. Copies of a take are not its neighbours.
    """
    from scipy.sparse.csgraph import connected_components

    if len(costs) < 3:
        return {}
    apart = np.sqrt(np.where(np.eye(len(costs), dtype=bool), np.inf, costs))
    near = np.where(apart < COPIED, np.inf, apart).min(1)
    alone = [near[k] > UNLIKE * max(float(np.median(np.delete(near, k))), 1e-12) for k in range(len(near))]
    groups = connected_components(apart <= UNLIKE * max(float(np.median(near)), 1e-12), directed=False)[1]
    groups[alone] = groups.max() + 1 + np.arange(sum(alone))
    sizes = np.bincount(groups) + len(groups) * np.bincount(groups[list(known)], minlength=groups.max() + 1)
    main = groups == sizes.argmax()
    usual = max(float(np.median(near[main])), 1e-12)
    return {int(k): float(apart[k, main].min()) / usual for k in np.flatnonzero(~main)}


def out_of_phase(clock: Clock) -> list[int]:
    """The takes that the common clock has to stretch or compress by more than `STEEP` somewhere."""
    rates = MOMENTS * np.diff(clock.frames, axis=1)
    return np.flatnonzero(rates.max(1) > STEEP).tolist()


def not_returning(sequences: Sequence[FloatArray], scales: FloatArray) -> list[int]:
    """The takes (F, D) of a motion that repeats which, unlike the others, end far from where any take begins."""
    scaled = [values * scales for values in sequences]
    ends, starts = np.stack([s[-1] for s in scaled]), np.stack([s[0] for s in scaled])
    gaps = np.sqrt(squared_distances(ends, starts).min(1) / max(float(np.concatenate(scaled).var(0).sum()), 1e-12))
    usual = [float(np.median(np.delete(gaps, k))) for k in range(len(gaps))] if len(gaps) > 2 else gaps
    return np.flatnonzero((gaps > CLOSED) & (gaps > FAR * np.asarray(usual))).tolist()


def _take_distance(takes: FloatArray, scales: FloatArray, fps: float) -> float:
    """The root mean square distance between takes at the same moment; of one take: between successive frames."""
    features = np.stack([_features(take, scales, fps) for take in takes])
    if len(takes) == 1:
        return float(np.sqrt((np.diff(features[0], axis=0) ** 2).sum(1).mean()))
    return float(np.sqrt(2 * features.var(0, ddof=1).sum(1).mean()))


def _features(values: FloatArray, scales: FloatArray, fps: float) -> FloatArray:
    """(F, 2 D) scaled values and how far they move in `RATE` seconds."""
    scaled = values * scales
    rate = np.gradient(scaled, axis=0) * fps * RATE if len(values) > 1 else np.zeros_like(scaled)
    return np.hstack([scaled, rate])
