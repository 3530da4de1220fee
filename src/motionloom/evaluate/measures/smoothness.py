"""Smoothness of a motion: peak acceleration, largest jump of a joint, flips of the heading, jerk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.kinematics.travel import headings
from motionloom.rotation import angle_between

FLIP = np.pi / 2  # radians: no person turns that far in a thirtieth of a second


def peak_acceleration(points: FloatArray, fps: float) -> float:
    """Max over frames of the RMS over joints of root-relative acceleration, m/s^2. `points` (F, J, 3), root first.

    A joint's place is taken relative to the root's (world axes); acceleration is p[t+1] - 2 p[t] + p[t-1] over dt^2;
    the root itself, always zero, is left out of the RMS.
    """
    if len(points) < 3:
        raise NotApplicable(f"{len(points)} frames; acceleration needs 3")
    if points.shape[1] < 2:
        raise NotApplicable("the only joint is the root, and nothing moves relative to it")
    local = points[:, 1:] - points[:, :1]
    second = (local[2:] - 2 * local[1:-1] + local[:-2]) * fps**2
    return float(np.sqrt(np.einsum("fjc,fjc->fj", second, second).mean(axis=1)).max())


def largest_jump(clip: Clip, joints: Sequence[int] | None = None) -> tuple[float, int, int]:
    """The largest frame-to-frame rotation of any joint: radians, the frame it leads to, and the joint.

    `joints` limits the search. `evaluate_clips` leaves out fingers: in captures they flip by half a turn, and relative
    to such a source no jump would be too large.
    """
    if len(clip) < 2:
        raise NotApplicable("a single frame has no step between frames")
    chosen = np.arange(len(clip.skeleton)) if joints is None else np.asarray(joints)
    steps = angle_between(clip.rotations[:-1, chosen], clip.rotations[1:, chosen])
    frame, joint = np.unravel_index(int(steps.argmax()), steps.shape)
    return float(steps[frame, joint]), int(frame) + 1, int(chosen[joint])


def flips(clip: Clip) -> list[int]:
    """Frames at which the heading has changed by more than 90 degrees since the frame before."""
    turn = np.abs(np.diff(headings(clip)))
    return [int(f) + 1 for f in np.flatnonzero(turn > FLIP)]


def joint_jerk(points: FloatArray, fps: float) -> FloatArray:
    """(F - 3, J) m/s^3: length of the third difference p[t+3] - 3p[t+2] + 3p[t+1] - p[t] of places."""
    if len(points) < 4:
        raise NotApplicable(f"{len(points)} frames; jerk needs 4")
    return np.linalg.norm(np.diff(points, n=3, axis=0), axis=-1) * fps**3


def mean_jerk(points: FloatArray, fps: float) -> float:
    """Mean over frames and joints of `joint_jerk`, m/s^3."""
    return float(joint_jerk(points, fps).mean())


def rough_share(points: FloatArray, sources: Sequence[FloatArray], fps: float) -> FloatArray:
    """(J,) share of frames of each joint with jerk above the source's 95th percentile; 0.05 is as in the source."""
    own = [joint_jerk(s, fps) for s in sources if len(s) >= 4]
    if not own:
        raise NotApplicable("no source clip is long enough; jerk needs 4 frames")
    limit = np.percentile(np.concatenate(own), 95, axis=0)
    return (joint_jerk(points, fps) > limit * (1 + 1e-9) + 1e-9).mean(axis=0)
