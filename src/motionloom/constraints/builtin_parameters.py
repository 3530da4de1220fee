"""Measures of the built-in motion parameters: functions from a clip to a number in SI units."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import travel

MIN_TRAVEL = 0.05  # m: a second (or half of the clip) in which the hips go less far has no direction of travel


def speed(clip: Clip) -> float:
    """Mean speed of the hips over the ground, m/s."""
    steps = np.linalg.norm(np.diff(travel(clip).place, axis=0), axis=1)
    return float(steps.mean() * clip.fps) if len(steps) else 0.0


def turn(clip: Clip) -> float:
    """Change of heading from the first frame to the last, rad, left positive."""
    heading = travel(clip).heading
    return float(heading[-1] - heading[0])


def turn_rate(clip: Clip) -> float:
    """Change of heading per second, rad/s, left positive."""
    return turn(clip) * clip.fps / (len(clip) - 1) if len(clip) > 1 else 0.0


def travel_turn(clip: Clip) -> float:
    """Change of the direction of travel from the first second to the last one, rad, left positive.

    The direction at a frame is that of the straight line to where the hips are a second later (in clips of less than
    two seconds, half of the clip), so that the sway of a stride does not count. It is followed without jumps, so two
    rounds are 4 pi; seconds in which the hips stay within 5 cm have none. A clip that does not travel gives 0.
    """
    place = travel(clip).place
    window = max(1, min(round(clip.fps), (len(clip) - 1) // 2))
    lines = place[window:] - place[:-window]
    moving = lines[np.linalg.norm(lines, axis=1) > MIN_TRAVEL]
    directions = np.unwrap(np.arctan2(moving[:, 0], moving[:, 1]))
    return float(directions[-1] - directions[0]) if len(directions) else 0.0


def distance(clip: Clip) -> float:
    """Straight line on the ground from the first frame's hips to the last one's, m."""
    place = travel(clip).place
    return float(np.linalg.norm(place[-1] - place[0]))


def climb(clip: Clip) -> float:
    """Change of the hips' height from the first frame to the last, m."""
    return float(clip.root[-1, 1] - clip.root[0, 1])


def head_height(clip: Clip) -> float:
    """Lowest height of the head joint, m."""
    return float(fk(clip)[:, clip.skeleton.joint("head"), 1].min())
