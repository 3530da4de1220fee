"""Clips as bodies on a track, the smoothed place and heading on the ground: for methods with live characters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.travel import Travel, ground_turn, steady_travel, travel
from motionloom.rotation import multiply, rotate, yaw

POINTS = 3  # of a trajectory, spread evenly over the horizon


class TrackFrames(NamedTuple):
    """The frames of a clip, seen from their track."""

    step: FloatArray  # (F, 3) left, forward (m) and turn (rad) of the track to the next frame
    hips: FloatArray  # (F, 3) m
    hips_heading: FloatArray  # (F,) rad
    hips_velocity: FloatArray  # (F, 3) m/s
    rotations: FloatArray  # (F, J, 4) local to parent; the hips' without the heading of the track


def track_frames(clip: Clip, track: Travel | None = None) -> TrackFrames:
    """The frames of a clip; `track` if `steady_travel(clip)` is already known."""
    track = steady_travel(clip) if track is None else track
    place, heading = track.place, track.heading
    frames = len(clip)
    step, velocity = np.zeros((frames, 3)), np.zeros((frames, 3))
    if frames > 1:
        step[:-1, :2] = ground_turn(-heading[:-1], np.diff(place, axis=0))
        step[:-1, 2] = np.diff(heading)
        step[-1] = step[-2]  # the last frame has the velocity of the previous one
        velocity[:-1] = np.diff(clip.root, axis=0) * clip.fps
        velocity[-1] = velocity[-2]
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(yaw(-heading), rotations[:, 0])
    hips = clip.root.copy()
    hips[:, [0, 2]] -= place
    turn = yaw(-heading)
    sway = travel(clip).heading - heading
    return TrackFrames(step, rotate(turn, hips), sway, rotate(turn, velocity), rotations)


def trajectory(track: Travel, times: FloatArray, fps: float) -> tuple[FloatArray, FloatArray]:
    """(F, 2 T) future places and directions after T times, relative to the track; past its end it is extrapolated."""
    place, heading = track.place, track.heading
    frames = len(place)
    pace = (place[-1] - place[-2]) if frames > 1 else np.zeros(2)
    places, directions = [], []
    for t in np.round(times * fps).astype(int):
        at = np.arange(frames) + t
        over = np.maximum(at - (frames - 1), 0)
        there = place[np.minimum(at, frames - 1)] + over[:, None] * pace
        places.append(ground_turn(-heading, there - place))
        turn = heading[np.minimum(at, frames - 1)] - heading
        directions.append(np.stack([np.sin(turn), np.cos(turn)], 1))
    return np.concatenate(places, 1), np.concatenate(directions, 1)


def trajectory_times(horizon: float, fps: float) -> FloatArray:
    """(POINTS,) s: times on whole frames, spread evenly over the horizon."""
    return np.asarray(np.maximum(1, np.round(horizon * fps * np.arange(1, POINTS + 1) / POINTS)) / fps)
