"""The causal foot lock: feet of live characters stand still while they touch, without any frame of the future.

Many characters at once, as plain arrays; `pin_plants` does the same for whole clips, where the future is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, BoolArray, FloatArray, IntArray, Skeleton, UInt8Array
from motionloom.kinematics.body.proportions import can_bend
from motionloom.kinematics.feet.contacts import foot_parts, parts_by_foot
from motionloom.kinematics.travel import body_axes
from motionloom.rotation import rotate

HALF_LIFE = 0.1  # s: what is left of a correction after its foot was released is halved about this often


class LockState(NamedTuple):
    """The feet of N characters between two steps: P foot parts, K feet."""

    status: UInt8Array  # (N, P) 0: free; 1: locked; 2: its lock was given up before its contact ended
    pins: FloatArray  # (N, P, 3) m, where locked parts stand and others were last
    offsets: FloatArray  # (N, K, 4, 3) shift of the ankle (m), its rate, turn of the foot (rotation vector), its rate


@dataclass(frozen=True, eq=False)
class FootLock:
    """What the lock needs of a skeleton: J joints, K feet, P parts as `foot_parts` lists them."""

    joints: IntArray  # (M,) the joints that feet hang on, parents first
    parents: IntArray  # (J,)
    bones: FloatArray  # (J, 3) m, offsets from the parent
    legs: IntArray  # (K, 5) thigh, shin, ankle; indices of the heel's and the toe's part, -1 for none
    fold: FloatArray  # (K, 3) where shins fold to, in the hips' frame
    parts: IntArray  # (P,) joint of each part
    tips: FloatArray  # (P, 3) m, place of each part in the frame of its joint
    half_life: float = HALF_LIFE  # s

    def begin(self, characters: int) -> LockState:
        """The state of so many characters before their first step: all feet free."""
        shape = (characters, len(self.parts))
        return LockState(np.zeros(shape, np.uint8), np.zeros((*shape, 3)), np.zeros((characters, len(self.legs), 4, 3)))


def foot_lock(skeleton: Skeleton, *, half_life: float = HALF_LIFE) -> FootLock:
    """The lock of a body with two legs, four, or none (it then changes nothing)."""
    if not half_life > 0:
        raise BadRequest(f"half_life must be positive, found {half_life}")
    parts = foot_parts(skeleton)
    legs, fold, needed = [], [], {0}
    for foot, indices in parts_by_foot(skeleton):
        if not can_bend(skeleton, foot):
            continue
        own = {parts[i].name.rsplit("_", 1)[1]: i for i in indices}
        legs.append([foot.thigh, foot.shin, foot.ankle, own.get("heel", -1), own.get("toe", -1)])
        forward = 1.0 if "arm" in skeleton.roles[foot.thigh] else -1.0
        fold.append(rotate(body_axes(skeleton), [0.0, 0.0, forward]))
        needed.update(j for i in own.values() for j in skeleton.chain(parts[i].joint))
        needed.update(skeleton.chain(foot.ankle))
    return FootLock(
        np.array(sorted(needed)),
        np.array(skeleton.parents),  # writable copies, as kernels are compiled once for these and once for others
        np.array(skeleton.offsets),
        np.array(legs, np.int64).reshape(-1, 5),
        np.array(fold).reshape(-1, 3),
        np.array([p.joint for p in parts], np.int64),
        np.array([p.offset for p in parts]).reshape(-1, 3),
        half_life,
    )


def lock_feet(
    lock: FootLock, state: LockState, root: FloatArray, rotations: FloatArray, contacts: BoolArray, dt: float
) -> tuple[LockState, FloatArray]:
    """One step of `dt` seconds: the new state, and rotations (N, J, 4) whose legs hold the feet that touch.

    `root` (N, 3), `rotations` (N, J, 4) and `contacts` (N, P) are what the characters would do by themselves. A part
    is locked where it is when its contact begins (or when it has come down, if it still does), and stays there until
    the contact ends or the given pose lifts it. With both locked the foot's direction is held, and the heel rises over
    its place before the knee is 2 degrees straighter than given; with the toe alone the foot rolls over its ball and
    the knee bends as given. A foot that would turn by more than 23 degrees from the given one is let go. A foot on its
    heel sinks where the given one still does, and yields in height by up to 5 mm to hips that tremble, as the captured
    foot does. Then the correction fades with the lock's half-life, from the value
    and the velocity that it has, and the leg becomes no longer than given, nor shorter by a few millimetres (a straight
    knee would bend). A leg that would be stretched gives up its heel first, then its toe, until their contacts end; a
    heel that comes to rest beside a toe that was given up is not locked. No joint but thigh, shin and ankle moves, nor
    does the root.
    Each row depends on its own values alone; with dt = 0 the state stays, and equal poses give equal results.

    Cost: 0.8 us for a character with two legs in a batch of 1,000 and 9 us for one alone, on one core.
    """
    if not dt >= 0 or math.isinf(dt):
        raise BadRequest(f"dt must be a number of seconds, 0 or more; found {dt}")
    if contacts.shape != state.status.shape or rotations.shape != (*root.shape[:1], len(lock.parents), 4):
        raise BadRequest(
            f"expected contacts {state.status.shape} and rotations {(len(state.status), len(lock.parents), 4)}, "
            f"found {contacts.shape} and {rotations.shape}"
        )
    from motionloom.kinematics.feet._kernels_lock import lock_step

    body = (lock.joints, lock.parents, lock.bones, lock.legs, lock.fold, lock.parts, lock.tips)
    new = LockState(state.status.copy(), state.pins.copy(), state.offsets.copy())
    out = np.array(rotations, float, order="C")
    decay = 2.0 * math.log(2.0) / lock.half_life
    given, room = np.array(root, float, order="C"), (np.empty((len(lock.parents), 3)), np.empty((len(lock.parents), 4)))
    lock_step(body, *new, given, out, np.array(contacts, bool, order="C"), decay, dt, *room)
    return new, out
