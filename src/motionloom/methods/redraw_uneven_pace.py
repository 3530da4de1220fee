"""Random motion at a steady pace: it is drawn again while it changes its speed more often than the clips do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.pace import change_rate

T = TypeVar("T")
STEADY_TRIES = 12  # draws to find one at a steady pace


def usual_changes(clips: Sequence[Clip]) -> float:
    """How often per minute the clips change their speed (`change_rate`); blends of clips do not count."""
    captured = [clip for clip in clips if not (clip.origin.weights > 0).sum(axis=2).max(initial=0) > 1]
    return change_rate((clip.root[:, [0, 2]] for clip in captured or clips), clips[0].fps)


def steadiest(
    draw: Callable[[], T],
    place: Callable[[T], FloatArray],
    usual: float,
    fps: float,
    excess: Callable[[T], float] | None = None,
) -> T:
    """The first of up to `STEADY_TRIES` draws that changes its speed at most `usual` times per minute.

    If there is none, the one that does so least often. `place` (F, 2) m is the path of the hips; with an infinite
    `usual` the first draw is taken. `excess`, what a draw exceeds the tolerances of hard constraints by, counts first.
    """
    best: tuple[tuple[float, float], T] | None = None
    for _ in range(STEADY_TRIES):
        found = draw()
        over = 0.0 if excess is None else excess(found)
        rate = change_rate([place(found)], fps) if usual < np.inf else 0.0
        if best is None or (over, rate) < best[0]:
            best = (over, rate), found
        if over <= 0.0 and rate <= usual:
            break
    assert best is not None
    return best[1]
