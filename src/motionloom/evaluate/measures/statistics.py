"""Statistics that a result should preserve: correlations of channels, ranges of joints, power spectra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import FloatArray
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.rotation import average

MIN_DEVIATION = 1e-4  # radians: a channel with a lower standard deviation does not move, and has no correlations
SLACK = np.radians(5.0)  # beyond the source's range by less than this is no violation
SEGMENT = 64  # frames of one Welch segment at 30 fps: 2.1 s, 0.47 Hz per bin


class RangeViolation(NamedTuple):
    """Joints turned farther than the source ever turns them."""

    share: float  # of (frame, joint) pairs
    worst: float  # radians beyond the source's range
    frame: int
    joint: int


def centre_of(sources: Sequence[FloatArray]) -> FloatArray:
    """The mean rotation (K, 4) of every joint over all source clips [(F, K, 4), ...]."""
    return average(np.concatenate(sources), axis=0)


def correlation_error(result: FloatArray, source: FloatArray) -> float:
    """RMS difference of the two correlation matrices, upper triangle, of channels (F, D) and (N, D); 0 is equal.

    Channels that do not move in either are left out: they have no correlations.
    """
    if len(result) < 3 or len(source) < 3:
        raise NotApplicable("correlations need 3 frames")
    moving = (result.std(axis=0) > MIN_DEVIATION) & (source.std(axis=0) > MIN_DEVIATION)
    if moving.sum() < 2:
        raise NotApplicable("fewer than two channels move in both")
    a, b = (np.atleast_2d(np.corrcoef(x[:, moving], rowvar=False)) for x in (result, source))
    upper = np.triu_indices(int(moving.sum()), 1)
    return float(np.sqrt(np.mean((a[upper] - b[upper]) ** 2)))


def range_violations(result: FloatArray, source: FloatArray) -> RangeViolation:
    """Where channels (F, K, 3) leave the box that the source's (N, K, 3) fill, by more than 5 degrees."""
    low, high = source.min(axis=0), source.max(axis=0)
    beyond = np.maximum(np.maximum(low - result, result - high), 0.0).max(axis=-1)
    frame, joint = np.unravel_index(int(beyond.argmax()), beyond.shape)
    return RangeViolation(float((beyond > SLACK).mean()), float(beyond.max()), int(frame), int(joint))


def spectrum_distance(result: FloatArray, sources: Sequence[FloatArray], fps: float) -> float:
    """Earth-mover distance, in Hz, between Welch power spectra of channels (F, D) and [(N, D), ...].

    Each channel's spectrum (Welch 1967: Hann windows of 64 frames, half overlapping, means removed) is scaled to sum 1;
    the distance is the sum of |difference of the two running sums| times the bin width; the mean over channels is
    weighted by the source's power. Source spectra are averaged over clips, weighted by their length.
    """
    if len(result) < SEGMENT:
        raise NotApplicable(f"{len(result)} frames at {fps:g} fps; a spectrum needs {SEGMENT}")
    long = [s for s in sources if len(s) >= SEGMENT]
    if not long:
        raise NotApplicable(f"no source clip has the {SEGMENT} frames that a spectrum needs")
    mine = power_spectrum(result, fps)
    theirs = np.average([power_spectrum(s, fps) for s in long], axis=0, weights=[len(s) for s in long])
    power = theirs.sum(axis=0)
    used = (power > 1e-12) & (mine.sum(axis=0) > 1e-12)
    if not used.any():
        raise NotApplicable("nothing moves in both")
    running = [np.cumsum(p[:, used] / p[:, used].sum(axis=0), axis=0) for p in (mine, theirs)]
    distance = np.abs(running[0] - running[1]).sum(axis=0) * (fps / SEGMENT)
    return float(np.average(distance, weights=power[used]))


def power_spectrum(channels: FloatArray, fps: float) -> FloatArray:
    """(33, D) Welch power spectral density of channels (F, D), one row per 0.47 Hz at 30 fps."""
    from scipy.signal import welch

    return np.asarray(welch(channels, fps, nperseg=SEGMENT, axis=0)[1])
