"""Moving a whole clip along a drawn path."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from motionloom.constraints.bend_travel import Key, steer
from motionloom.constraints.root import RootPath
from motionloom.core import Clip, FloatArray
from motionloom.kinematics.travel import Travel, along, ground_turn, steady_travel, travel


def follow(clip: Clip, path: RootPath) -> Clip:
    """The clip moved along a path: each frame is placed at its share of the travelled distance.

    The body turns by the angle between the direction it walked in and the direction of the path there, both averaged
    over a step, so that it neither waddles nor turns on the spot at corners. The sway of the hips about the path that
    they walk (`steady_travel`) stays, turned by the same angle. A clip that stands still shares out time. With times,
    each leg is done so by itself.
    """
    points = np.array(path.points)
    at = path.frames(len(clip), clip.fps)
    legs = [(0, len(clip) - 1, points)]
    if at is not None:
        clip = steer(clip, {at[0]: Key((float(points[0, 0]), float(points[0, 1])))})
        legs = [(a, b, points[i : i + 2]) for i, (a, b) in enumerate(pairwise(at))]
    now, steady = travel(clip), steady_travel(clip).place
    place, heading = now.place.copy(), now.heading.copy()
    for first, last, line in legs:
        walked = np.linalg.norm(np.diff(steady[first : last + 1], axis=0), axis=1)
        if walked.sum() < 0.05:
            walked = np.ones(last - first)
        share = np.concatenate([[0.0], np.cumsum(walked)]) / walked.sum()
        goal = on_path(line, share)
        turn = _unwrapped(_directions(goal, clip.fps) - _directions(steady[first : last + 1], clip.fps))
        sway = ground_turn(turn, now.place[first : last + 1] - steady[first : last + 1])
        place[first : last + 1] = goal + sway
        heading[first : last + 1] = now.heading[first : last + 1] + turn
    if at is not None and at[-1] + 1 < len(clip):  # the rest continues from there
        rest = clip[at[-1] :]
        keyed = steer(rest, {0: Key(tuple(place[at[-1]]), float(heading[at[-1]]))})
        after = travel(keyed)
        place[at[-1] :], heading[at[-1] :] = after.place, after.heading
    return along(clip, Travel(place, heading))


def on_path(points: FloatArray, share: FloatArray) -> FloatArray:
    """(S, 2) the places at shares 0..1 of the length of a path through points (P, 2)."""
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    return np.stack([np.interp(share * lengths[-1], lengths, points[:, k]) for k in range(2)], 1)


def _directions(place: FloatArray, fps: float) -> FloatArray:
    """(F,) radians: the direction of travel as a heading, over about a third of a second on either side."""
    reach = max(1, round(fps / 3))
    frames = np.arange(len(place))
    line = place[np.minimum(frames + reach, len(place) - 1)] - place[np.maximum(frames - reach, 0)]
    moving = np.linalg.norm(line, axis=1) > 1e-3
    if not moving.any():
        return np.zeros(len(place))
    angle = np.unwrap(np.arctan2(line[moving, 0], line[moving, 1]))
    return np.interp(frames, frames[moving], angle)


def _unwrapped(angle: FloatArray) -> FloatArray:
    """Continuous, and within half a turn at its start."""
    out = np.unwrap(angle)
    return out - 2 * np.pi * np.round(out[0] / (2 * np.pi))
