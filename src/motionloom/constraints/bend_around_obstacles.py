"""Moving a whole clip out of an obstacle."""

from __future__ import annotations

import numpy as np

from motionloom.constraints.root import Avoid
from motionloom.core import BoolArray, Clip, FloatArray, replace
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import ground_turn, travel

CLEARANCE = 0.01  # m between a body and the obstacle that it was moved out of


def around(clip: Clip, obstacle: Avoid, width: float) -> Clip:
    """The clip moved out of a cylinder sideways, in a smooth curve that begins and ends within about 2 `width` frames.

    Each time the body is inside, all its frames move in one direction, across its path, to the nearer side. The
    displacement is as large as the deepest joint needs, held for `width` frames around, and rounded off by as much, so
    that the hips neither stop nor turn suddenly.
    """
    depth = obstacle.residual(clip)
    if depth.max() <= 0.0:
        return clip
    points, centre = fk(clip)[..., [0, 2]], np.array(obstacle.center)
    place, half = travel(clip).place, max(2, round(width))
    root = clip.root.copy()
    for first, stop in _joined_runs(depth > 0.0, 4 * half):
        line = place[min(stop + half, len(place) - 1)] - place[max(first - half, 0)]
        deepest = first + int(depth[first:stop].argmax())
        ahead = line if np.linalg.norm(line) > 0.1 else ground_turn(np.pi / 2, place[deepest] - centre)
        ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-9)
        sides = [np.array([ahead[1], -ahead[0]]), np.array([-ahead[1], ahead[0]])]
        needs = [_needed(points[first:stop] - centre, side, obstacle.radius + CLEARANCE) for side in sides]
        best = int(np.argmin([need.max() for need in needs]))
        amount = np.zeros(len(clip) + 4 * half)
        amount[2 * half + first : 2 * half + stop] = needs[best]
        root[:, [0, 2]] += _rounded(amount, half)[2 * half : 2 * half + len(clip), None] * sides[best]
    return replace(clip, root=root)


def _needed(points: FloatArray, side: FloatArray, radius: float) -> FloatArray:
    """(F,) metres that all joints (F, J, 2), relative to the centre, must move to a side to be out of a circle."""
    along = points @ side
    across = (points**2).sum(-1) - along**2
    inside = (points**2).sum(-1) < radius**2
    return np.asarray(np.where(inside, np.sqrt(np.maximum(radius**2 - across, 0.0)) - along, 0.0).max(1))


def _rounded(amount: FloatArray, half: int) -> FloatArray:
    """A curve that is nowhere below `amount` (F,): its largest value within `half` frames, averaged over as many."""
    wide = np.lib.stride_tricks.sliding_window_view(np.pad(amount, half), 2 * half + 1).max(1)
    bell = smoothstep(1.0 - np.abs(np.linspace(-1.0, 1.0, 2 * half + 1)))
    return np.convolve(wide, bell / bell.sum(), mode="same")


def _joined_runs(on: BoolArray, gap: int) -> list[tuple[int, int]]:
    """Runs [first, stop) of True; those less than `gap` frames apart are one."""
    out: list[tuple[int, int]] = []
    for first, stop in runs(on):
        if out and first - out[-1][1] < gap:
            out[-1] = (out[-1][0], stop)
        else:
            out.append((first, stop))
    return out
