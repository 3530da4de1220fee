"""Recording live poses as clips."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, IntArray
from motionloom.core.arrays import BoolArray
from motionloom.core.poses import Poses, Sources
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.methods.live import Live, State, recorded_origin


def record(live: Live, steps: Iterable[tuple[State, Poses]], fps: float, *, row: int = 0) -> Clip:
    """One character of these steps, which are 1 / fps seconds apart, as a clip.

    Contacts and actions become its labels; its origin holds the sources of every frame with their weights.
    """
    return record_rows(live, steps, fps, [row])[0]


def record_rows(
    live: Live, steps: Iterable[tuple[State, Poses]], fps: float, rows: Sequence[int] | None = None
) -> list[Clip]:
    """Some characters of these steps, or all, as clips (see `record`). No state is kept longer than its step."""
    taken: list[tuple[FloatArray, FloatArray, BoolArray, IntArray]] = []
    sources: list[Sources] = []
    count = 0
    for state, poses in steps:
        count = len(poses.root)
        chosen = range(count) if rows is None else rows
        if (wrong := next((row for row in chosen if not 0 <= row < count), None)) is not None:
            raise BadRequest(f"row: expected a character from 0 to {count - 1}, found {wrong}")
        at = np.array(chosen, np.int64)
        taken.append((poses.root[at], poses.rotations[at], poses.contacts[at], live.status(state).action[at]))
        found = live.sources(state)
        sources.append(Sources(found.which[at], found.frames[at], found.weights[at], found.body_parts))
    if not taken:
        raise BadRequest("there are no steps to record")
    return [_clip(live, taken, sources, fps, n) for n in range(len(taken[0][0]))]


def _clip(
    live: Live,
    taken: Sequence[tuple[FloatArray, FloatArray, BoolArray, IntArray]],
    sources: Sequence[Sources],
    fps: float,
    n: int,
) -> Clip:
    """The clip of the n-th character that was taken."""
    root, rotations, contacts, actions = (np.stack([step[k][n] for step in taken]) for k in range(4))
    names = [part.label for part in foot_parts(live.skeleton)]
    labels = [contacts.astype(bool).reshape(len(root), -1)[:, i] for i in range(len(names))]
    for i, action in enumerate(live.actions):
        names.append(action)
        labels.append(actions == i)
    table = np.stack(labels, 1) if labels else None
    return Clip(live.skeleton, root, rotations, fps, tuple(names), table, None, recorded_origin(live, sources, n))
