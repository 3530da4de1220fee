"""Recording live poses as a clip."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from motionloom.core import BadRequest, Clip, Origin
from motionloom.core.origin import BODY, all_terms
from motionloom.core.poses import Poses
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.methods.live import Live, State


def record(live: Live, steps: Iterable[tuple[State, Poses]], fps: float, *, row: int = 0) -> Clip:
    """One character of these steps, which are 1 / fps seconds apart, as a clip.

    Contacts and actions become its labels; its origin holds the sources of every frame with their weights.
    """
    roots, rotations, contacts, actions, sources = [], [], [], [], []
    for state, poses in steps:
        if not 0 <= row < len(poses.root):
            raise BadRequest(f"row: expected a character from 0 to {len(poses.root) - 1}, found {row}")
        roots.append(poses.root[row])
        rotations.append(poses.rotations[row])
        contacts.append(poses.contacts[row])
        actions.append(int(live.status(state).action[row]))
        sources.append([array[row] for array in live.sources(state)])
    if not roots:
        raise BadRequest("there are no steps to record")
    names = [part.label for part in foot_parts(live.skeleton)]
    labels = [np.array(contacts, bool).reshape(len(roots), -1)[:, i] for i in range(len(names))]
    for i, action in enumerate(live.actions):
        names.append(action)
        labels.append(np.array(actions) == i)
    which, frames, weights = (np.stack(rows) for rows in zip(*sources, strict=True))
    parts = BODY if which.shape[1] == 1 else tuple(f"part {g}" for g in range(which.shape[1]))
    parts = live.skeleton.names if 1 < which.shape[1] == len(live.skeleton) else parts
    known = live.material.table
    terms = all_terms(source.licence for source in known)
    origin = Origin(licence=terms, sources=known, which=which, frames=frames, weights=weights, parts=parts)
    table = np.stack(labels, 1) if labels else None
    return Clip(live.skeleton, np.array(roots), np.array(rotations), fps, tuple(names), table, None, origin)
