"""Loops: a motion is made for three rounds, of which the middle one leads on to itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from motionloom.constraints import Constraint, PoseAlong, PoseAt, Style
from motionloom.methods.texture.faithful.keys import Keys

ROUNDS = 3
LOOPABLE = (PoseAt, PoseAlong, Style)  # the others name places in the world, which do not repeat


def in_rounds(constraints: Sequence[Constraint], frames: int, fps: float) -> tuple[Constraint, ...]:
    """Constraints on a loop of so many frames, for all of its rounds."""
    return tuple(_later(c, k * frames, frames, fps) for k in range(ROUNDS) for c in constraints)


def repeated(keys: Keys) -> Keys:
    """The keys of a loop, for all of its rounds."""
    return Keys(*(np.concatenate([rows] * ROUNDS) for rows in keys))


def _later(c: Constraint, shift: int, frames: int, fps: float) -> Constraint:
    changes: dict[str, Any] = {}
    if isinstance(c, PoseAt):
        changes = {"time": f"{c.frame(frames, fps) + shift}f"}
    elif isinstance(c, (PoseAlong, Style)):
        span = c.frames(frames, fps)
        changes = {"span": (f"{span.start + shift}f", f"{span.stop + shift}f")}
    return dataclasses.replace(c, **changes)
