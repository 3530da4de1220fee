"""Frequency bands of clips: taken apart, changed or exchanged, and added up again (GUAN 2.3.3).

A B-spline kernel of five taps is convolved again and again, with zeros between its taps, so that no band is
down-sampled: G_{k+1} = w_{k+1} * G_k, and band k is L_k = G_k - G_{k+1}. Clips are taken as channels, with the root as
displacement in the heading of the body. Ends are reflected.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from motionloom.analysis import align, warp
from motionloom.core import BadRequest, Clip, FloatArray, MissingExtra, Progress, replace, silent
from motionloom.core.origin_joining import mixed
from motionloom.kinematics.channels import Channels, Layout, fit_layout, from_channels, to_channels

TAPS = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16
KINDS = ("pyramid", "wavelet")
WAVELET = "db4"


def band_count(frames: int) -> int:
    """fb of eq 2.9: the n with 2^n <= frames < 2^(n + 1).

    >>> [band_count(frames) for frames in (1, 2, 127, 128)]
    [0, 1, 6, 7]
    """
    return int(frames).bit_length() - 1


def smoothed(values: FloatArray, level: int) -> FloatArray:
    """values (F, D) convolved with the kernel of a level: five taps, 2^level - 1 zeros between each two of them."""
    gap = 2**level
    padded = np.pad(values, ((2 * gap, 2 * gap), (0, 0)), mode="reflect")
    count = len(values)
    return np.asarray(sum(tap * padded[n * gap : n * gap + count] for n, tap in enumerate(TAPS)))


def response(band: int, frequency: FloatArray, count: int) -> FloatArray:
    """The amplitude that a band passes at frequencies in radians per frame; band `count` is the rest.

    Each kernel passes cos^4(2^k w / 2) at its level k.
    """
    out = np.ones(np.shape(frequency))
    for level in range(min(band, count)):
        out = out * np.cos(2**level * np.asarray(frequency) / 2) ** 4
    return out if band == count else out * (1 - np.cos(2**band * np.asarray(frequency) / 2) ** 4)


def split_bands(values: FloatArray, kind: str = "pyramid") -> FloatArray:
    """(B + 1, F, D) the bands of values (F, D), the highest frequencies first, and the rest; they add up to values."""
    if kind not in KINDS:
        raise BadRequest(f"bands: expected one of {', '.join(KINDS)}, found {kind!r}")
    if kind == "wavelet":
        return _wavelet_bands(values)
    out, low = [], np.asarray(values, float)
    for level in range(band_count(len(values))):
        lower = smoothed(low, level)
        out.append(low - lower)
        low = lower
    return np.stack([*out, low])


def _wavelet_bands(values: FloatArray) -> FloatArray:
    try:
        pywt: Any = import_module("pywt")
    except ImportError:
        raise MissingExtra("wavelet bands need PyWavelets: pip install 'motionloom[wavelets]'") from None
    deepest = min(band_count(len(values)), pywt.dwt_max_level(len(values), WAVELET))
    parts = pywt.wavedec(values, WAVELET, mode="symmetric", level=deepest, axis=0)
    out = []
    for k in range(len(parts)):
        alone = [part if i == k else np.zeros_like(part) for i, part in enumerate(parts)]
        out.append(pywt.waverec(alone, WAVELET, mode="symmetric", axis=0)[: len(values)])
    return np.stack(out[::-1])  # the rest is the first of pywt's, the highest band its last


def with_gains(clip: Clip, gains: Sequence[float], kind: str = "pyramid") -> Clip:
    """The clip with its bands multiplied by gains, the highest frequencies first; bands without a gain stay.

    High bands above 1 make a motion nervous, below 1 they damp it. The rest, the mean pose and path, is not changed.
    """
    channels = to_channels(clip, fit_layout([clip]))
    parts = split_bands(channels.values, kind)
    given = _by_band(gains, len(parts) - 1, "gains", 1.0)
    if (given < 0).any():
        raise BadRequest(f"gains: expected 0 or more, as a negative one turns movements round, found {min(gains):g}")
    return _like(clip, Channels(np.tensordot(np.append(given, 1.0), parts, axes=1), channels.layout, channels.start))


def _by_band(given: Sequence[float], count: int, name: str, others: float) -> FloatArray:
    """(count,) what is given for the bands, the highest first; `others` for the rest of them."""
    if len(given) > count or not np.isfinite(given).all():
        raise BadRequest(f"{name}: expected at most {count} numbers, one for each band, found {list(given)}")
    out = np.full(count, others)
    out[: len(given)] = given
    return out


def exchange_bands(
    a: Clip, b: Clip, shares: Sequence[float], kind: str = "pyramid", progress: Progress | None = None
) -> Clip:
    """The bands of two clips mixed, each with its own share of b; bands without a share are those of a.

    The second clip is first warped to the time of the first (GUAN 2.3.3). Shares: the highest frequencies first.
    """
    found = align(a, b, progress=progress or silent())
    other = warp(b, found.curve)
    count = min(len(a), len(other))
    a, other = a[:count], other[:count]
    layout: Layout = fit_layout([a, other])
    one, two = to_channels(a, layout), to_channels(other, layout)
    first, second = split_bands(one.values, kind), split_bands(two.values, kind)
    if min(shares, default=0.0) < 0 or max(shares, default=0.0) > 1:
        raise BadRequest(f"shares: expected 0 (the first clip) to 1 (the second), found {list(shares)}")
    given = np.zeros(len(first))
    given[: len(first) - 1] = _by_band(shares, len(first) - 1, "shares", 0.0)
    mix = np.tensordot(1 - given, first, axes=1) + np.tensordot(given, second, axes=1)
    made = _like(a, Channels(mix, layout, one.start))
    return replace(made, origin=mixed(a.origin, other.origin, np.full(count, given.mean())))


def _like(clip: Clip, channels: Channels) -> Clip:
    """Channels as a clip with the labels and the origin of another."""
    return replace(from_channels(channels), label_names=clip.label_names, labels=clip.labels, origin=clip.origin)
