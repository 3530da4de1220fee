"""One step of a queued character in one call: while a block is made, every call waits for the interpreter lock."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_rotation import difference, mixed, turned_by, turned_left
from motionloom.methods._kernels_live import AT_TICK


@kernel
def show_block(
    block: Any, at: int, share: float, left: float, last: Any, height: float, place: Any, root: Any, rotations: Any,
    contacts: Any,
) -> None:  # fmt: skip
    """The pose between frames `at` and at + 1 of a block, put at `place` (x, z and turn).

    `left` of the difference between its first pose and the last one of the block before (`last` (J, 4), hips at
    `height`) is added.
    """
    offset = np.empty(3)
    for j in range(len(rotations)):
        mixed(block.rotations[at, j], block.rotations[at + 1, j], share, rotations[j])
        if left > 0.0:
            difference(last[j], block.rotations[0, j], offset)
            offset *= left
            turned_by(offset, rotations[j], rotations[j])
    turned_left(place[2], rotations[0], rotations[0])
    x = block.root[at, 0] + share * (block.root[at + 1, 0] - block.root[at, 0])
    z = block.root[at, 2] + share * (block.root[at + 1, 2] - block.root[at, 2])
    c, s = math.cos(place[2]), math.sin(place[2])
    root[0], root[2] = place[0] + c * x + s * z, place[1] + c * z - s * x
    root[1] = block.root[at, 1] + share * (block.root[at + 1, 1] - block.root[at, 1])
    if left > 0.0:
        root[1] += left * (height - block.root[0, 1])
    for p in range(len(contacts)):
        contacts[p] = block.contacts[at, p] and (share < AT_TICK or block.contacts[at + 1, p])
