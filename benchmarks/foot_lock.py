"""One step of the causal foot lock, for one character and in a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.timing import best_seconds, figure
from motionloom.kinematics import foot_parts, with_contacts
from motionloom.kinematics.feet.live_lock import LockState, foot_lock, lock_feet
from motionloom.samples import make

CROWD = 1000


def figures() -> list[dict[str, Any]]:
    clip = with_contacts(make("walk", seconds=4))
    touching = np.stack([clip.label(p.label) for p in foot_parts(clip.skeleton)], 1)
    lock, at = foot_lock(clip.skeleton), np.arange(CROWD) % len(clip)
    root, rotations, on = clip.root[at], clip.rotations[at], touching[at]
    state, _ = lock_feet(lock, lock.begin(CROWD), root, rotations, on, 1 / 60)
    slid = root + [0.0, 0.0, 0.01]  # every foot that stands has slid by a centimetre
    one = LockState(state.status[:1], state.pins[:1], state.offsets[:1])

    def single() -> None:
        for _ in range(CROWD):
            lock_feet(lock, one, slid[:1], rotations[:1], on[:1], 1 / 60)

    single()
    batch, loop = best_seconds([lambda: lock_feet(lock, state, slid, rotations, on, 1 / 60), single], rounds=15)
    name = f"foot lock, microseconds per step of a character, {len(clip.skeleton)} joints"
    return [
        figure(f"{name}, batch of {CROWD}", round(batch / CROWD * 1e6, 2), "<= 3", unit="us"),
        figure(f"{name}, alone", round(loop / CROWD * 1e6, 1), "", unit="us"),
    ]
