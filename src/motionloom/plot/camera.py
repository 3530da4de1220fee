"""The camera of an animation: it follows the bodies, or shows all of their paths from one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionloom.core import FloatArray
from motionloom.plot.actor import Actor
from motionloom.plot.view import View, best_yaw

STEADY = 0.6  # s to each side over which the camera averages the path of the body it follows


@dataclass(frozen=True, eq=False)
class Camera:
    """The view of one panel, and the scene point in its middle in each picture."""

    view: View
    centres: FloatArray  # (N, 2) m in the picture
    width: float  # m of the scene that are shown
    height: float
    floor: FloatArray  # (N, 2) ground point (x, z) around which the floor is drawn


def make_camera(actors: Sequence[Actor], fps: float, *, follow: bool | None = None, view: View | None = None) -> Camera:
    """A camera that follows the bodies, or shows all of their paths from one place.

    `follow` is None: it follows where the paths would make the bodies small.
    """
    first = actors[0]
    if view is None:
        yaw = best_yaw(first.clip, first.shape.size)
        view = View(yaw) if first.shape.parts else View(yaw, 0.0)
    seen = np.concatenate([view.project(actor.points)[..., :2] for actor in actors], axis=1)  # (N, P, 2)
    margin = 0.16 * max((actor.shape.size for actor in actors if actor.shape.parts), default=0.0)
    low, high = seen.min(axis=(0, 1)) - margin, seen.max(axis=(0, 1)) + margin
    low, high = low - 0.04 * (high - low), high + 0.04 * (high - low)
    stand = np.mean([floor_under(actor, view) for actor in actors], axis=0)
    offsets = seen - stand[:, None]
    near, far = offsets.min(axis=(0, 1)) - margin, offsets.max(axis=(0, 1)) + margin
    body_width = 2 * float(max(-near[0], far[0]))
    if follow is None:
        long = high[0] - low[0] > 2.2 * body_width or high[1] - low[1] > 1.5 * (far - near)[1]
        follow = bool(first.shape.parts and long)
    if not follow:
        centres = np.repeat((low + high)[None] / 2, len(seen), axis=0)
        floor = np.repeat(np.mean([actor.path.mean(axis=0) for actor in actors], axis=0)[None], len(seen), axis=0)
        return Camera(view, centres, float(high[0] - low[0]), float(high[1] - low[1]), floor)
    steady = _smooth(stand, round(STEADY * fps))
    slack = float(np.abs(steady - stand)[:, 0].max())
    floor = _smooth(np.mean([actor.path for actor in actors], axis=0), round(STEADY * fps))
    return Camera(view, steady + [0.0, (near[1] + far[1]) / 2], body_width + 2 * slack, float((far - near)[1]), floor)


def floor_under(actor: Actor, view: View) -> FloatArray:
    """(N, 2) the floor under the hips, in the picture."""
    floor = np.stack([actor.path[:, 0], np.full(len(actor.path), actor.ground), actor.path[:, 1]], -1)
    return view.project(floor)[:, :2]


def _smooth(path: FloatArray, half: int) -> FloatArray:
    """Moving average over `half` entries to each side, fewer towards the ends."""
    sums = np.concatenate([np.zeros((1, 2)), np.cumsum(path, axis=0)])
    k = np.arange(len(path))
    reach = np.minimum(half, np.minimum(k, len(path) - 1 - k))
    return (sums[k + reach + 1] - sums[k - reach]) / (2 * reach + 1)[:, None]
