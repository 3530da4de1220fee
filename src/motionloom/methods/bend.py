"""How far a method bends what it found to close the gap to hard constraints, and when the gap is too wide."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from motionloom.constraints import Constraint, PoseAt, RootAt, bend
from motionloom.core import Clip, Note
from motionloom.core.note import warning

UNLIKE = np.radians(15.0)  # a joint that has to turn farther than this is worth a warning


def bent(clip: Clip, constraints: Iterable[Constraint], reason: str) -> Clip:
    """The clip bent to its hard constraints; as it is if there is a `reason` why it is too far from them."""
    return clip if reason else bend(clip, constraints)


def far_pose(clip: Clip, constraints: Iterable[Constraint], angle: float) -> str:
    """The first hard pose that some joint of the frame shown then differs from by more than `angle`, or ""."""
    for c in constraints:
        if isinstance(c, PoseAt) and c.hard and (worst := c.worst(clip)) > c.limit + angle:
            return (
                f"no frames that can be shown then are near {c.describe()}: {_joint(c, clip)} differs by "
                f"{np.degrees(worst):.0f} degrees, and a pose may differ by {np.degrees(angle):.0f} (`bend_pose`)"
            )
    return ""


def far_root(clip: Clip, constraints: Iterable[Constraint], metres: float) -> str:
    """The first hard `root_at` that the clip misses by more than `metres` (or radians), in words, or ""."""
    for c in constraints:
        if isinstance(c, RootAt) and c.hard and (worst := c.worst(clip)) > c.limit + metres:
            return f"no frames that can be shown then are near {c.describe()}: the nearest is {worst:.2f} {c.unit} off"
    return ""


def bent_poses(clip: Clip, constraints: Iterable[Constraint]) -> list[Note]:
    """Warnings of hard poses that the clip, before it is bent, differs from by more than `UNLIKE` at some joint."""
    found = []
    for c in constraints:
        if isinstance(c, PoseAt) and c.hard and (worst := c.worst(clip)) > UNLIKE:
            text = (
                f"{c.describe()}: the nearest frame that can be shown then differs by {np.degrees(worst):.0f} degrees "
                f"at {_joint(c, clip)}; the body is bent to the pose"
            )
            found.append(warning(text, frame=c.frame(len(clip), clip.fps), constraint=c.describe()))
    return found


def _joint(c: PoseAt, clip: Clip) -> str:
    """The joint that differs most."""
    off = np.abs(c.residual(clip))
    joints = c.target(clip.skeleton).joints
    at = int(off.argmax())
    return clip.skeleton.names[joints[at]] if at < len(joints) else "the height of the hips"
