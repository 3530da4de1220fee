"""The longest piece of a result that is a plain copy of the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import Clip
from motionloom.evaluate.base import at_rate, upright_rotations
from motionloom.rotation import to_6d

SAME = np.radians(0.5)  # joints nearer than this are equal


class Run(NamedTuple):
    """Frames `start` to start + length of the result are frames `frame` onwards of source clip `source`."""

    length: int
    start: int
    source: int
    frame: int


def verbatim_run(result: Clip, sources: Sequence[Clip], *, within: float = SAME) -> Run:
    """Longest run of consecutive frames equal to consecutive source frames: every joint `within` 0.5 degrees.

    At the result's own rate: the sources are resampled to it. Fingers and the heading are left out, so a copy that was
    turned or moved is still a copy. A run of 0 frames has source and frame -1.
    """
    from motionloom.evaluate._kernels import longest_run

    clips = [at_rate(s, result.fps) for s in sources]
    a = upright_rotations(result)
    b = np.concatenate([upright_rotations(c) for c in clips])
    place = np.concatenate([np.arange(len(c)) for c in clips])
    sixes = to_6d(b).reshape(len(b), -1)
    channel = int(sixes.var(axis=0).argmax())  # the channel that tells most frames apart
    order = np.argsort(sixes[:, channel])
    keys = to_6d(a).reshape(len(a), -1)[:, channel]
    slack = 2 * np.sin(within / 2) + 1e-12  # a unit vector turned by `within` moves no farther than this chord
    least = np.cos(within / 2)
    length, row, column = longest_run(
        a, b, np.ascontiguousarray(keys), sixes[order, channel], order, slack, least, place
    )
    if length == 0:
        return Run(0, -1, -1, -1)
    ends = np.cumsum([len(c) for c in clips])
    source = int(np.searchsorted(ends, column, side="right"))
    return Run(int(length), int(row), source, int(place[column]))
