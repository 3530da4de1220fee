"""The frames of all clips in one table, with the features for the search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from motionloom.core import BoolArray, Clip, FloatArray, IntArray
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import contact_array
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import steady_travel
from motionloom.methods.live_actions import (
    FIRST_HALF,
    UInt64Array,
    action_bits,
    action_marks,
    action_names,
    speed_ranges,
    sustained_speeds,
)
from motionloom.methods.motion_matching.config import Config
from motionloom.methods.tracks import POINTS, TrackFrames, track_frames, trajectory, trajectory_times
from motionloom.rotation import rotate, yaw

Float32Array = NDArray[np.float32]

SMALL_BOX, LARGE_BOX = 16, 64  # frames in the bounding boxes of the search
LANES = 8  # the number of columns is filled up with zeros to a multiple of this
CLIP_TAIL = 0.3  # s: the last frames of a clip are not jumped to


class Database(NamedTuple):
    """Arrays of F frames for the kernels. Bodies are relative to their track, the smoothed place and heading."""

    features: Float32Array  # (F, D) weighted, without unit: trajectory first, then feet and hips
    small: Float32Array  # (B, 2, D) least and largest features of each `SMALL_BOX` frames
    large: Float32Array  # (C, 2, D) the same for `LARGE_BOX` frames
    allowed: UInt64Array  # (F,) bits of the actions for which a frame may be jumped to, with `ANY` and `FIRST_HALF`
    small_allowed: UInt64Array  # (B,) bits that occur in each box
    large_allowed: UInt64Array  # (C,)
    labels: UInt64Array  # (F,) bits of the actions that a frame belongs to
    times: FloatArray  # (POINTS,) s ahead
    ticks: int  # frames to the first of them
    mean: FloatArray  # (4 POINTS,) of the trajectory's features: x, z of all points, then of all directions
    gain: FloatArray  # (4 POINTS,) by which they are multiplied
    step: FloatArray  # (F, 3) left, forward (m) and turn (rad) of the track to the next frame
    last: IntArray  # (F,) the last frame of the clip
    hips: FloatArray  # (F, 3) m, seen from the track
    hips_heading: FloatArray  # (F,) rad, seen from the track
    hips_velocity: FloatArray  # (F, 3) m/s, seen from the track
    rotations: FloatArray  # (F, J, 4) local to parent; the hips' seen from the track
    contacts: BoolArray  # (F, P)
    similar: float  # a squared distance of features: a quarter of the mean of any two frames
    speeds: FloatArray  # (A + 1, 3) m/s: lowest, usual and highest of each action, and of all frames


def build_database(clips: Sequence[Clip], config: Config) -> Database:
    """All frames of clips of one skeleton at one frame rate, with contacts as labels."""
    marks = action_marks(clips, action_names(clips))
    fps = clips[0].fps
    times = trajectory_times(config.horizon, fps)
    parts = [_clip_parts(clip, times) for clip in clips]
    raw, groups = _stacked([p.features for p in parts]), parts[0].groups
    mean, gain = _scales(raw, groups, config)
    features = np.zeros((len(raw), -(-raw.shape[1] // LANES) * LANES), np.float32)  # filled up with zeros
    features[:, : raw.shape[1]] = (raw - mean) * gain
    labels = action_bits(marks)
    lengths = [len(c) for c in clips]
    last = np.repeat(np.cumsum(lengths) - 1, lengths)
    tail = np.concatenate([_tail(len(c), fps) for c in clips])
    early = np.concatenate([np.arange(n) <= n // 2 for n in lengths])
    allowed = np.where(tail, np.uint64(0), labels | early * FIRST_HALF)
    step = _stacked([p.body.step for p in parts])
    return Database(
        features,
        _boxes(features, SMALL_BOX),
        _boxes(features, LARGE_BOX),
        allowed,
        _occurring(allowed, SMALL_BOX),
        _occurring(allowed, LARGE_BOX),
        labels,
        times,
        round(float(times[0]) * fps),
        np.ascontiguousarray(mean[: 4 * POINTS]),
        np.ascontiguousarray(gain[: 4 * POINTS]),
        step,
        last,
        _stacked([p.body.hips for p in parts]),
        np.concatenate([p.body.hips_heading for p in parts]),
        _stacked([p.body.hips_velocity for p in parts]),
        _stacked([p.body.rotations for p in parts]),
        np.concatenate([contact_array(clip) for clip in clips]),
        float(features.var(0).sum()) / 2,
        speed_ranges(sustained_speeds(clips), marks, np.ones(len(step), bool)),
    )


class _Parts(NamedTuple):
    """The rows of one clip."""

    features: FloatArray
    groups: tuple[int, ...]  # columns of each of the five kinds of features
    body: TrackFrames


def _clip_parts(clip: Clip, times: FloatArray) -> _Parts:
    track = steady_travel(clip)
    frames, fps = len(clip), clip.fps
    body = track_frames(clip, track)
    here = fk(clip)[:, [foot.ankle for foot in feet(clip.skeleton)]]
    velocity = np.zeros_like(here)
    if frames > 1:
        velocity[:-1] = np.diff(here, axis=0) * fps
        velocity[-1] = velocity[-2]
    turn = yaw(-track.heading)[:, None]
    here[..., [0, 2]] -= track.place[:, None]
    seen, moving = rotate(turn, here), rotate(turn, velocity)
    ahead, facing = trajectory(track, times, fps)
    features = [ahead, facing, seen.reshape(frames, -1), moving.reshape(frames, -1), body.hips_velocity]
    return _Parts(np.concatenate(features, 1), tuple(f.shape[1] for f in features), body)


def _scales(raw: FloatArray, groups: tuple[int, ...], config: Config) -> tuple[FloatArray, FloatArray]:
    """Mean of every column, and its weight divided by the mean deviation of its kind of feature."""
    mean, gain, first = raw.mean(0), np.empty(raw.shape[1]), 0
    weights = (
        config.trajectory_position,
        config.trajectory_direction,
        config.foot_position,
        config.foot_velocity,
        config.hip_velocity,
    )
    for count, weight in zip(groups, weights, strict=True):
        deviation = float(raw[:, first : first + count].std(0).mean()) if count else 0.0
        gain[first : first + count] = weight / max(deviation, 0.01)
        first += count
    return mean, gain


def _tail(frames: int, fps: float) -> BoolArray:
    """(F,) the frames too close to the end of their clip to be jumped to; of a short clip, half."""
    return np.asarray(np.arange(frames) >= frames - max(2, min(round(CLIP_TAIL * fps), frames // 2)))


def _boxes(features: Float32Array, size: int) -> Float32Array:
    at = np.arange(0, len(features), size)
    return np.stack([np.minimum.reduceat(features, at), np.maximum.reduceat(features, at)], 1)


def _occurring(allowed: UInt64Array, size: int) -> UInt64Array:
    return np.asarray(np.bitwise_or.reduceat(allowed, np.arange(0, len(allowed), size)))


def _stacked(parts: Sequence[FloatArray]) -> FloatArray:
    return np.ascontiguousarray(np.concatenate(parts))
