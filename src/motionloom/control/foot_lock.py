"""The causal foot lock as a layer on any live method: feet in contact are held in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from motionloom.control.layered import Layered, layered
from motionloom.core import BadRequest, IntArray, Skeleton
from motionloom.core.poses import Commands, Poses
from motionloom.kinematics.feet.live_lock import HALF_LIFE, FootLock, LockState, foot_lock, lock_feet
from motionloom.methods.live import Live


@dataclass(frozen=True, eq=False)
class FootLockLayer:
    """Holds feet where they touch, by the contacts of the poses below (see `kinematics.feet.lock`)."""

    accepts: ClassVar[tuple[str, ...]] = ()

    lock: FootLock

    def begin(self, seeds: IntArray, skeleton: Skeleton) -> LockState:
        """All feet free; the skeleton must be the one of the lock."""
        if len(skeleton) != len(self.lock.parents):
            raise BadRequest(
                f"this foot lock is for {len(self.lock.parents)} joints, the characters have {len(skeleton)}"
            )
        return self.lock.begin(len(seeds))

    def step(self, state: LockState, poses: Poses, commands: Commands, dt: float) -> tuple[LockState, Poses]:
        """The poses with their legs bent so that feet which touch stay where they are."""
        new, rotations = lock_feet(self.lock, state, poses.root, poses.rotations, poses.contacts, dt)
        return new, poses._replace(rotations=rotations)


def foot_locked(live: Live, *, half_life: float = HALF_LIFE) -> Layered:
    """`live` with a foot lock on top."""
    return layered(live, FootLockLayer(foot_lock(live.skeleton, half_life=half_life)))
