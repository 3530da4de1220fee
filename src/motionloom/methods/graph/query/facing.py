"""How far a body faces away from its direction of travel: in the clips, and in a result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import Clip, FloatArray, Note
from motionloom.core.note import warning
from motionloom.kinematics.travel import Travel, travel
from motionloom.rotation import wrap_angle

MAX_EXCESS = np.radians(5.0)  # on average, more than in the clips
MIN_MOVED = 0.3  # m within a second: a body that moves less has no direction of travel
USUAL_SHARE = 0.9  # quantile of the angles in the clips that a result may show freely


def facing_angles(path: Travel, fps: float) -> FloatArray:
    """rad between heading and direction of travel, in each second in which the body moves."""
    frames = round(fps)
    moved = path.place[frames:] - path.place[:-frames]
    middle = path.heading[frames // 2 :][: len(moved)]
    off = np.abs(wrap_angle(np.arctan2(moved[:, 0], moved[:, 1]) - middle))
    return np.asarray(off[np.linalg.norm(moved, axis=1) > MIN_MOVED])


def clip_facing(clips: Sequence[Clip]) -> FloatArray:
    """The angles of all clips."""
    return np.concatenate([facing_angles(travel(clip), clip.fps) for clip in clips])


def usual_facing(clips: Sequence[Clip]) -> float:
    """rad that the clips face away from their direction of travel for 90 % of the time; pi if they never travel."""
    found = clip_facing(clips)
    return float(np.quantile(found, USUAL_SHARE)) if len(found) else np.pi


def walks_sideways(path: Travel, clips: Sequence[Clip]) -> bool:
    """Does a body on a path face away from its direction of travel by far more than in the clips, on average?"""
    found, usual = facing_angles(path, clips[0].fps), clip_facing(clips)
    return bool(len(found) and len(usual) and found.mean() >= usual.mean() + MAX_EXCESS)


def facing_notes(clip: Clip, clips: Sequence[Clip]) -> list[Note]:
    """A warning if the body walks sideways, unlike in the clips."""
    path = travel(clip)
    if not walks_sideways(path, clips):
        return []
    found, usual = (np.degrees(x.mean()) for x in (facing_angles(path, clip.fps), clip_facing(clips)))
    return [
        warning(
            f"the body faces {found:.0f} degrees away from its direction of travel on average (in the clips "
            f"{usual:.0f}): no frames of the clips face ahead on this path at this speed"
        )
    ]
