"""Recording live poses as clips."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, IntArray, Progress, silent
from motionloom.core.arrays import BoolArray
from motionloom.core.poses import Poses, Sources
from motionloom.core.progress import each
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.methods.live import Live, State, join, recorded_origin, select, state_count

CHUNK = 64  # steps whose actions and sources are computed at once


def record(live: Live, steps: Iterable[tuple[State, Poses]], fps: float, *, row: int = 0) -> Clip:
    """One character of these steps, which are 1 / fps seconds apart, as a clip.

    Contacts and actions become its labels; its origin holds the sources of every frame with their weights.
    """
    return record_rows(live, steps, fps, [row])[0]


def record_rows(
    live: Live,
    steps: Iterable[tuple[State, Poses]],
    fps: float,
    rows: Sequence[int] | None = None,
    *,
    progress: Progress | None = None,
) -> list[Clip]:
    """Some characters of these steps, or all, as clips (see `record`). States are kept for at most `CHUNK` steps.

    `progress` is that of the clips, once all steps are taken.
    """
    taken: list[tuple[FloatArray, FloatArray, BoolArray]] = []
    facts: list[tuple[IntArray, Sources]] = []
    kept: list[State] = []
    for state, poses in steps:
        count = len(poses.root)
        chosen = range(count) if rows is None else rows
        if (wrong := next((row for row in chosen if not 0 <= row < count), None)) is not None:
            raise BadRequest(f"row: expected a character from 0 to {count - 1}, found {wrong}")
        if rows is None or count == 1:
            taken.append((poses.root, poses.rotations, poses.contacts))
            kept.append(state)
        else:
            at = np.array(chosen, np.int64)
            taken.append((poses.root[at], poses.rotations[at], poses.contacts[at]))
            kept.append(select(state, at))
        if len(kept) == CHUNK:
            facts.append(_facts(live, kept))
            kept = []
    if not taken:
        raise BadRequest("there are no steps to record")
    if kept:
        facts.append(_facts(live, kept))
    members = range(len(taken[0][0]))
    return [_clip(live, taken, facts, fps, n) for n in each(members, progress or silent(), "recording")]


def _facts(live: Live, states: Sequence[State]) -> tuple[IntArray, Sources]:
    """(S, N) actions and (S, N, G, K) sources of S states with N characters each, computed as those of one crowd."""
    crowd = join(states)
    found, shape = live.sources(crowd), (len(states), state_count(states[0]))
    each = (*shape, *found.which.shape[1:])
    sources = Sources(
        found.which.reshape(each), found.frames.reshape(each), found.weights.reshape(each), found.body_parts
    )
    return live.status(crowd).action.reshape(shape), sources


def _clip(
    live: Live,
    taken: Sequence[tuple[FloatArray, FloatArray, BoolArray]],
    facts: Sequence[tuple[IntArray, Sources]],
    fps: float,
    n: int,
) -> Clip:
    """The clip of the n-th character that was taken."""
    root, rotations, contacts = (np.stack([step[k][n] for step in taken]) for k in range(3))
    actions = np.concatenate([action[:, n] for action, _ in facts])
    names = [part.label for part in foot_parts(live.skeleton)]
    labels = [contacts.astype(bool).reshape(len(root), -1)[:, i] for i in range(len(names))]
    for i, action in enumerate(live.actions):
        names.append(action)
        labels.append(actions == i)
    table = np.stack(labels, 1) if labels else None
    sources = [Sources(s.which[:, n], s.frames[:, n], s.weights[:, n], s.body_parts) for _, s in facts]
    return Clip(live.skeleton, root, rotations, fps, tuple(names), table, None, recorded_origin(live, sources))
