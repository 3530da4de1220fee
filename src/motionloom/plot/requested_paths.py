"""Lines on the ground that the request of a result contains: its paths, and the outlines of its obstacles."""

from __future__ import annotations

import numpy as np

from motionloom.constraints import Avoid, Request, RootPath
from motionloom.core import Clip, FloatArray, MotionloomError


def requested_paths(clip: Clip) -> list[FloatArray]:
    """(N, 2) points (x, z) of each `root_path`, and of the circle of each `avoid`, in the clip's recipe.

    None if the clip was edited after it was made: it may have been moved.

    A request that names files (poses, ground heights) is not read: pictures do not depend on them.
    """
    request = clip.origin.made[-1].request if clip.origin.made else None
    if not request:
        return []
    try:
        constraints = Request.from_yaml(request).constraints
    except MotionloomError:
        return []
    angles = np.linspace(0.0, 2 * np.pi, 49)
    ring = np.stack([np.sin(angles), np.cos(angles)], 1)
    lines = [np.array(c.points) for c in constraints if isinstance(c, RootPath)]
    return lines + [c.center + c.radius * ring for c in constraints if isinstance(c, Avoid)]
