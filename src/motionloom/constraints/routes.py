"""Moving a whole clip along a drawn path, and around obstacles."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from motionloom.constraints.bend_travel import Key, steer
from motionloom.constraints.root import Avoid, RootPath
from motionloom.core import BoolArray, Clip, FloatArray, replace
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import Travel, along, ground_turn, steady_travel, travel

CLEARANCE = 0.01  # m between a body and the obstacle that it was moved out of


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
        goal = _on_line(line, share)
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


def _on_line(points: FloatArray, share: FloatArray) -> FloatArray:
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
