"""Animations of a glTF file at the frames of a clip: LINEAR, STEP and CUBICSPLINE samplers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from motionloom.core import FloatArray
from motionloom.io.gltf.container import Document
from motionloom.rotation import normalize, slerp

PATHS = {"translation": 3, "rotation": 4, "scale": 3}
MIN_KEY_RATE = 10.0  # keys a second; what is keyed less often is hand-made, and sampled at 30
SPARSE = 30.0
MAX_VALUES = 20_000_000  # frames x joints


@dataclass(frozen=True, eq=False)
class NodeTrack:
    """One property of one node over time. CUBICSPLINE keys are (K, 3, width): in-tangent, value, out-tangent."""

    times: FloatArray  # (K,) seconds, increasing
    keys: FloatArray  # (K, width) or (K, 3, width)
    interpolation: str  # "LINEAR", "STEP" or "CUBICSPLINE"
    path: str

    def at(self, times: FloatArray) -> FloatArray:
        """Values at these times; before the first and after the last key, that key's."""
        if len(times) == len(self.times) and np.array_equal(times, self.times):
            return self._unit(self.keys if self.keys.ndim == 2 else self.keys[:, 1])
        values = self.keys if self.keys.ndim == 2 else self.keys[:, 1]
        if len(self.times) == 1:
            return self._unit(np.repeat(values, len(times), 0))
        # a frame time that misses a key by rounding (times are in single precision) is at the key
        low = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.times) - 2)
        step = self.times[low + 1] - self.times[low]
        s = np.clip((times - self.times[low]) / step, 0.0, 1.0)
        s = np.where(s < 1e-3, 0.0, np.where(s > 1 - 1e-3, 1.0, s))
        if self.interpolation == "STEP":
            return self._unit(values[low + (s >= 1.0)])
        if self.interpolation == "LINEAR":
            if self.path == "rotation":
                return slerp(normalize(values[low]), normalize(values[low + 1]), s)
            return values[low] + s[:, None] * (values[low + 1] - values[low])
        return self._unit(self._hermite(low, s[:, None], step[:, None]))

    def _hermite(self, low: Any, s: FloatArray, step: FloatArray) -> FloatArray:
        """glTF appendix C.4: the tangents are per second, so they are scaled by the time between the keys."""
        before, after = self.keys[low], self.keys[low + 1]
        s2, s3 = s * s, s * s * s
        out = (2 * s3 - 3 * s2 + 1) * before[:, 1] + step * (s3 - 2 * s2 + s) * before[:, 2]
        return np.asarray(out + (3 * s2 - 2 * s3) * after[:, 1] + step * (s3 - s2) * after[:, 0])

    def _unit(self, values: FloatArray) -> FloatArray:
        return normalize(values) if self.path == "rotation" else values


Tracks = dict[int, dict[str, NodeTrack]]


def read_tracks(document: Document, animation: int) -> Tracks:
    """By node and path: the tracks of one animation. Rotations are w x y z. Weights of morph targets are ignored."""
    notes = document.notes
    entry = document.all("animations")[animation]
    samplers, channels = entry.get("samplers"), entry.get("channels")
    if not isinstance(samplers, list) or not isinstance(channels, list):
        raise notes.error(f"animation {animation}: no samplers or no channels")
    out: Tracks = {}
    inputs: dict[int, FloatArray] = {}
    for n, channel in enumerate(channels):
        where = f"animation {animation}, channel {n}"
        target = channel.get("target") if isinstance(channel, dict) else None
        if not isinstance(target, dict):
            raise notes.error(f"{where}: no target")
        path = target.get("path")
        if target.get("node") is None or not isinstance(path, str) or path not in PATHS:
            continue
        node = document.index(target["node"], "nodes", where)
        number = channel.get("sampler")
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(samplers):
            raise notes.error(f"{where}: no sampler {str(number)[:40]}")
        if path in out.get(node, {}):
            raise notes.error(f"{where}: node {node} has two tracks for its {path}")
        out.setdefault(node, {})[path] = _track(document, samplers[number], path, where, inputs)
    return out


def _track(document: Document, sampler: Any, path: str, where: str, inputs: dict[int, FloatArray]) -> NodeTrack:
    notes = document.notes
    if not isinstance(sampler, dict):
        raise notes.error(f"{where}: its sampler must be an object")
    interpolation = sampler.get("interpolation", "LINEAR")
    if interpolation not in ("LINEAR", "STEP", "CUBICSPLINE"):
        raise notes.error(f"{where}: unknown interpolation {str(interpolation)[:40]!r}")
    number = document.index(sampler.get("input"), "accessors", where)
    if number not in inputs:
        inputs[number] = document.accessor(number, where)
    times = inputs[number]
    if times.shape[1] != 1 or (np.diff(times[:, 0]) <= 0).any() or times[0, 0] < 0 or times[-1, 0] > 1e7:
        raise notes.error(f"{where}: key times must increase from 0 or later")
    keys = document.accessor(sampler.get("output"), where)
    per = 3 if interpolation == "CUBICSPLINE" else 1
    if keys.shape != (len(times) * per, PATHS[path]):
        wanted = f"{len(times) * per} keys of {PATHS[path]} values"
        raise notes.error(f"{where}: expected {wanted}, found {keys.shape[0]} of {keys.shape[1]}")
    if not (np.abs(keys) < 1e9).all():
        raise notes.error(f"{where}: values beyond any place")
    if path == "rotation":
        keys = keys[:, [3, 0, 1, 2]]
    return NodeTrack(times[:, 0], keys.reshape(len(times), 3, -1) if per == 3 else keys, interpolation, path)


def frame_times(
    document: Document, tracks: Tracks, fps: float | None, stated: float | None, joints: int
) -> tuple[FloatArray, float]:
    """When the frames are, and how many there are a second.

    `stated` is the rate that our own files state. Otherwise it is the rate of the most densely keyed track; a whole
    number, if it is near one.
    """
    notes = document.notes
    every = [track.times for by_path in tracks.values() for track in by_path.values()]
    if not every:
        return np.zeros(1), fps or stated or SPARSE
    start, end = min(t[0] for t in every), max(t[-1] for t in every)
    dense = max(every, key=len)
    if stated is not None and fps is None and np.allclose(dense, np.arange(len(dense)) / stated, rtol=1e-6, atol=1e-6):
        same = all(t is dense or np.array_equal(t, dense) for t in every)
        if same:
            return dense, stated
    rate = fps if fps is not None else _rate(dense)
    if fps is None and rate < MIN_KEY_RATE:
        notes.info(f"keyed {rate:.3g} times a second: sampled at {SPARSE:g} frames per second")
        rate = SPARSE
    count = int(np.floor((end - start) * rate + 1e-3)) + 1
    if count * max(joints, 1) > max(MAX_VALUES, 4 * sum(len(t) for t in every)):
        raise notes.error(f"{count} frames of {joints} joints from {len(dense)} keys: too many")
    times = start + np.arange(count) / rate
    even = len(dense) == count and np.abs(dense - times).max() < 1e-3 / rate
    if not even and len(dense) > 1:
        notes.info(f"keys are not on even frames: sampled at {rate:g} frames per second")
    return (dense if even else times), rate


def _rate(times: FloatArray) -> float:
    """Keys a second: from the whole span where keys are even, else the median."""
    if len(times) < 2:
        return SPARSE
    steps = np.diff(times)
    even = np.abs(steps - np.median(steps)).max() < 0.01 * np.median(steps)
    rate = float((len(times) - 1) / (times[-1] - times[0]) if even else 1 / np.median(steps))
    near = round(rate)
    return float(near) if near and abs(rate - near) < 1e-3 * rate else min(rate, 1e5)
