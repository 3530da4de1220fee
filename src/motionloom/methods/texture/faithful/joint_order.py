"""The order in which the faithful variant fills the joints of a frame (EDEN 3.3)."""

from __future__ import annotations

import numpy as np

from motionloom.core import IntArray, Skeleton


def joint_order(skeleton: Skeleton, kind: str) -> IntArray:
    """(J,) all joints, the root first: in file order, or down the skeleton in breadth or in depth."""
    if kind == "file":
        return np.arange(len(skeleton))
    out, queue = [], [0]
    while queue:
        joint = queue.pop(0)
        out.append(joint)
        children = skeleton.children(joint)
        queue = queue + children if kind == "breadth-first" else children + queue
    return np.array(out)
