"""How far a walk departs from its source when it takes a link: two takes of one motion may continue side by side.

A second with a link in its middle shows half a second of one clip and half a second of another. Where these two go on
(or came) alike, it is still a copy of one of them, although the clips are different.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.core.numbers import squared_distances
from motionloom.methods.textons.plan.joins import pose_features
from motionloom.methods.textons.segments import Segments

HALF_WINDOW = 0.5  # s before and after a link
LAG = 0.1  # s between the frames of a window that are compared
MAX_SAMPLES = 6000  # frames of the clips in all,
MAX_WINDOWS = 100  # and windows whose nearest in other takes is found


class CapturedFrames(NamedTuple):
    """S frames of the clips at regular times, of runs of segments that follow each other."""

    features: FloatArray  # (S, D) as of joins, divided by the square root of the joints: distances are RMS metres
    run: IntArray  # (S,) the run
    clip: IntArray  # (S,) and its clip
    row: FloatArray  # (n,) where each segment begins, in rows,
    step: int  # which are so many frames apart

    def rows(self, segment: IntArray, frame: IntArray) -> IntArray:
        """The rows nearest to frames of segments."""
        return np.asarray(np.round(self.row[segment] + frame / self.step), np.int64)

    def inside(self, row: IntArray, run: IntArray) -> BoolArray:
        """Whether rows are inside of runs."""
        known = (row >= 0) & (row < len(self.run))
        return np.asarray(known & (self.run[np.where(known, row, 0)] == run))


def runs_of_segments(segments: Segments) -> IntArray:
    """(n,) segments that follow each other in a clip have the same number."""
    out: list[int] = []
    before = None
    for seen in segments.observed:
        ahead = 0.0 if before is None else seen.frame - before.frame - before.length * before.pace
        new = before is None or seen.source != before.source or abs(ahead) > 2 * seen.pace
        out.append(int(new) + (out[-1] if out else -1))
        before = seen
    return np.array(out, np.int64)


def captured_frames(segments: Segments) -> CapturedFrames:
    """Frames at intervals of `LAG`, longer where there would be too many."""
    observed, run = segments.observed, runs_of_segments(segments)
    step = max(1, round(LAG / 3 * segments.fps), -(-sum(o.length for o in observed) // MAX_SAMPLES))
    clips = list(dict.fromkeys(o.source for o in observed))
    features, rows, of = [], [], []
    played, count = 0, 0  # frames of the run, rows of all
    for k, seen in enumerate(observed):
        played = played if k and run[k] == run[k - 1] else 0
        at = np.arange(-played % step, seen.length, step)
        rows.append(count - (at[0] if len(at) else seen.length) / step)
        features.append(pose_features(seen.frames[np.stack([at, at + 1], 1).ravel()], segments))
        of.append(np.full(len(at), k))
        played, count = played + seen.length, count + len(at)
    own = np.concatenate(of)
    clip = np.array([clips.index(o.source) for o in observed])
    joints = np.sqrt(len(segments.skeleton))
    return CapturedFrames(np.concatenate(features) / joints, run[own], clip[own], np.array(rows), step)


def missing_departure(
    segments: Segments, source: IntArray, exit_: IntArray, target: IntArray, entry: IntArray
) -> FloatArray:
    """(L,) metres that a second around each link lacks to be as far from its source as takes are from each other.

    It is half as far from the clip that it leaves as that clip's next half second is from what is shown instead, and
    half as far from the clip that it enters as that one's half second before is; the smaller one counts. 0 where there
    are no other takes.
    """
    captured = captured_frames(segments)
    lag = max(1, round(LAG * segments.fps / captured.step))
    lags = lag * np.arange(1, max(1, round(HALF_WINDOW * segments.fps / captured.step / lag)) + 1)
    left, entered = captured.rows(source, exit_), captured.rows(target, entry)
    run = runs_of_segments(segments)
    nearer = np.full(len(source), np.inf)
    for side in (lags, -lags):
        nearer = np.minimum(nearer, _apart(captured, left, entered, run[source], run[target], side))
    return np.maximum(0.0, take_distance(captured, lags) - nearer / 2)


def _apart(
    captured: CapturedFrames, a: IntArray, b: IntArray, run_a: IntArray, run_b: IntArray, lags: IntArray
) -> FloatArray:
    """(L,) mean distance of the frames at `lags` from rows a and b; inf where these are outside of their runs."""
    total = np.zeros(len(a))
    for k in lags:
        known = captured.inside(a + k, run_a) & captured.inside(b + k, run_b)
        gap = captured.features[np.where(known, a + k, 0)] - captured.features[np.where(known, b + k, 0)]
        total += np.where(known, np.sqrt((gap**2).sum(1)), np.inf)
    return total / len(lags)


def take_distance(captured: CapturedFrames, lags: IntArray) -> float:
    """Median distance (m) of a window of a clip to the nearest one of the other clips; 0 without other clips."""
    lags = np.concatenate([-lags[::-1], [0], lags])
    whole = np.ones(len(captured.run), bool)
    every = np.arange(len(captured.run))
    for k in lags:
        whole &= captured.inside(every + k, captured.run)
    rows = np.flatnonzero(whole)
    if not len(rows):
        return 0.0
    chosen = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MAX_WINDOWS)).astype(int))]
    total = np.zeros((len(chosen), len(rows)))
    for k in lags:
        total += np.sqrt(squared_distances(captured.features[chosen + k], captured.features[rows + k]))
    total[captured.clip[chosen][:, None] == captured.clip[rows]] = np.inf
    nearest = total.min(1) / len(lags)
    return float(np.median(nearest)) if np.isfinite(nearest).all() else 0.0
