"""Assembling a clip from computed frames: frame times, cropping, labels and origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, Skeleton
from motionloom.core.origin import from_file
from motionloom.samples.person import SIDE, skeleton
from motionloom.samples.plants import FootMotion

PAD = 0.6  # s computed before and after the clip and cropped, so that smoothing has no end effects


def frame_count(seconds: float, fps: float) -> int:
    return max(2, round(seconds * fps))


def pad_frames(fps: float) -> int:
    return int(np.ceil(PAD * fps))


def frame_times(seconds: float, fps: float) -> FloatArray:
    """Times (F,) of all frames to compute, padding included; frame 0 of the clip is at 0 s."""
    pad = pad_frames(fps)
    return np.arange(-pad, frame_count(seconds, fps) + pad) / fps


def finish(
    name: str,
    root: FloatArray,
    rotations: FloatArray,
    fps: float,
    seconds: float,
    seed: int,
    *,
    feet: Sequence[FootMotion] = (),
    labels: Mapping[str, BoolArray] | None = None,
    body: Skeleton | None = None,
) -> Clip:
    """The clip of a padded performance, cropped, with its contacts and action as labels and its seed as origin.

    `contact:left_heel` is on where the ankle joint is at rest, `contact:left_toe` where the toe joint is.
    """
    pad, count = pad_frames(fps), frame_count(seconds, fps)
    keep = slice(pad, pad + count)
    on: dict[str, BoolArray] = {name: np.ones(len(root), bool)}
    on.update(labels or {})
    for side, foot in zip(SIDE, feet, strict=False):
        on[f"contact:{side}_heel"], on[f"contact:{side}_toe"] = foot.heel_rests, foot.toe_rests
    origin = from_file(f"sample:{name}", count)
    table = np.stack(list(on.values()), 1)[keep]
    return Clip(body or skeleton(), root[keep], rotations[keep], fps, tuple(on), table, origin=origin)
