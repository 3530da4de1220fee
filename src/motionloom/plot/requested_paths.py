"""Paths over the ground that the request of a result asked for."""

from __future__ import annotations

import numpy as np

from motionloom.constraints import Request, RootPath
from motionloom.core import Clip, FloatArray, MotionloomError


def requested_paths(clip: Clip) -> list[FloatArray]:
    """(N, 2) points (x, z) of each `root_path` in the clip's recipe; none if the clip was edited after it was made.

    A request that names files (poses, ground heights) is not read: pictures do not depend on them.
    """
    request = clip.origin.made[-1].request if clip.origin.made else None
    if not request:
        return []
    try:
        constraints = Request.from_yaml(request).constraints
    except MotionloomError:
        return []
    return [np.array(c.points) for c in constraints if isinstance(c, RootPath)]
