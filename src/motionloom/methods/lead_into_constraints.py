"""Leading a clip into hard constraints that it is near, and messages where it is too far from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from motionloom.constraints import Constraint, PoseAt, RootAt, lead_path, lead_poses, missed_by
from motionloom.constraints.reach_points import reach_points
from motionloom.core import Clip, FloatArray, Note
from motionloom.core.note import warning

MAX_SPEED_RATIO, SPEED_MARGIN = 1.5, 0.5  # of the sources' highest speed, and m/s
WARN_SPEED_RATIO, WARN_SPEED_MARGIN = 1.25, 0.1  # the same for a warning
SPEED_TIME = 0.25  # s
REACH = 0.12  # s over which limbs are moved to points
LARGE_POSE_GAP = np.radians(15.0)  # a joint that has to turn farther gives a warning


def lead_into(clip: Clip, constraints: Iterable[Constraint], reason: str = "") -> Clip:
    """The clip led into the hard constraints that the search has come near, as the method's limits allow.

    Unchanged if there is a `reason` why it is too far from them, if they hold, or if leading misses them by more.
    """
    hard = [c for c in constraints if c.hard]
    missed = missed_by(clip, hard)
    if reason or not missed[0]:
        return clip
    led = reach_points(lead_poses(lead_path(clip, hard), hard), hard, REACH)
    return led if missed_by(led, hard) < missed else clip


def pose_problem(
    clip: Clip, constraints: Iterable[Constraint], angle: float, among: Collection[int] | None = None
) -> str:
    """The first hard pose that differs from the frame at its time by more than `angle` at some joint; or "".

    Of the joints, only those `among` these count, if given.
    """
    for c in constraints:
        if isinstance(c, PoseAt) and c.hard and (worst := _worst(c, clip, among)) > c.limit + angle:
            return (
                f"no available frames are near {c.describe()}: {_joint(c, clip, among)} differs by "
                f"{np.degrees(worst):.0f} "
                f"degrees, allowed {np.degrees(angle):.0f} (option `bend_pose`)"
            )
    return ""


def root_problem(clip: Clip, constraints: Iterable[Constraint], metres: float) -> str:
    """The first hard `root_at` that the clip misses by more than `metres` (or radians), or ""."""
    for c in constraints:
        if isinstance(c, RootAt) and c.hard and (worst := c.worst(clip)) > c.limit + metres:
            return f"no available frames are near {c.describe()}: the nearest is {worst:.2f} {c.unit} off"
    return ""


def speed_problem(clip: Clip, sources: Iterable[Clip]) -> str:
    """Why the bent clip is out of reach: its hips are much faster over the ground than those of its sources; or ""."""
    fastest, (speed, frame) = max(_fastest(source)[0] for source in sources), _fastest(clip)
    if speed <= MAX_SPEED_RATIO * fastest + SPEED_MARGIN:
        return ""
    return (
        f"the places requested are too far apart: the hips would move at {speed:.1f} m/s at {frame / clip.fps:.1f} s, "
        f"the clips, and those given in the request, reach {fastest:.1f}"
    )


def speed_warnings(clip: Clip, sources: Iterable[Clip]) -> list[Note]:
    """A warning if the hips are clearly faster over the ground than those of the sources."""
    fastest, (speed, frame) = max(_fastest(source)[0] for source in sources), _fastest(clip)
    if speed <= WARN_SPEED_RATIO * fastest + WARN_SPEED_MARGIN:
        return []
    text = (
        f"the hips move at {speed:.1f} m/s at {frame / clip.fps:.1f} s, those of the clips at most at {fastest:.1f}: "
        "places and points of the request are far apart for their times"
    )
    return [warning(text, frame=frame)]


def _fastest(clip: Clip) -> tuple[float, int]:
    """m/s: the highest speed of the hips over the ground, averaged over `SPEED_TIME`; and its frame."""
    frames = min(max(1, round(SPEED_TIME * clip.fps)), len(clip) - 1)
    if frames < 1:
        return 0.0, 0
    gone = np.linalg.norm(clip.root[frames:, [0, 2]] - clip.root[:-frames, [0, 2]], axis=1)
    return float(gone.max()) * clip.fps / frames, int(gone.argmax()) + frames // 2


def pose_warnings(clip: Clip, constraints: Iterable[Constraint]) -> list[Note]:
    """Warnings of hard poses that some joint of the unbent clip differs from by more than `LARGE_POSE_GAP`."""
    found = []
    for c in constraints:
        if isinstance(c, PoseAt) and c.hard and (worst := c.worst(clip)) > LARGE_POSE_GAP:
            text = (
                f"{c.describe()}: the nearest available frame differs by {np.degrees(worst):.0f} degrees at "
                f"{_joint(c, clip)}; the body is bent to the pose"
            )
            found.append(warning(text, frame=c.frame(len(clip), clip.fps), constraint=c.describe()))
    return found


def _gaps(c: PoseAt, clip: Clip, among: Collection[int] | None) -> FloatArray:
    """What is missing at each joint of a pose, then in height; 0 at joints that are not `among` those that count."""
    off, joints = np.abs(c.residual(clip)), c.target(clip.skeleton).joints
    if among is not None:
        off[: len(joints)][[j not in among for j in joints]] = 0.0
    return off


def _worst(c: PoseAt, clip: Clip, among: Collection[int] | None) -> float:
    return float(_gaps(c, clip, among).max(initial=0.0))


def _joint(c: PoseAt, clip: Clip, among: Collection[int] | None = None) -> str:
    """The joint that differs most."""
    off = _gaps(c, clip, among)
    joints = c.target(clip.skeleton).joints
    at = int(off.argmax())
    return clip.skeleton.names[joints[at]] if at < len(joints) else "the height of the hips"
