"""What all measures share: a clip made ready for measuring, and the answer when there is none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, MotionloomError, Skeleton
from motionloom.kinematics.contacts import contacts, foot_parts, part_positions
from motionloom.kinematics.edit import resample
from motionloom.kinematics.forward import fk
from motionloom.kinematics.roles import fingers
from motionloom.kinematics.travel import headings
from motionloom.rotation import multiply, to_6d, yaw

FPS = 30.0
"""Every measure looks at clips at this rate unless it says otherwise, so that clips of any rate compare."""


class NotApplicable(MotionloomError):
    """A measure has no value here; the message is the reason, which stands in the table in the number's place."""


@dataclass(frozen=True, eq=False)
class Take:
    """A clip made ready for measuring: what several measures need is worked out once."""

    original: Clip  # as it was given, at its own rate
    clip: Clip  # at `FPS`
    points: FloatArray  # (F, J, 3) metres, world, of `clip`
    features: FloatArray  # (F, 6 K) of `clip`, see `pose_features`
    ground: float | None = None  # height of the floor, metres; None: each joint's own 1st percentile

    @cached_property
    def feet(self) -> tuple[FloatArray, BoolArray]:
        """Places (F, n, 3) of heels and toes, and when they touch the floor (F, n), from the motion alone."""
        parts = foot_parts(self.skeleton)
        if not parts:
            raise NotApplicable("this body has no feet (no joint has the role of a foot)")
        touching = contacts(self.clip, fresh=True, ground=self.ground)
        return part_positions(self.clip), np.stack([touching[p.label] for p in parts], 1)

    @property
    def name(self) -> str:
        return self.original.name

    @property
    def skeleton(self) -> Skeleton:
        return self.clip.skeleton

    def __len__(self) -> int:
        return len(self.clip)


def take(clip: Clip, *, ground: float | None = None, fps: float = FPS) -> Take:
    """Make a clip ready for measuring."""
    plain = at_rate(clip, fps)
    return Take(clip, plain, fk(plain), pose_features(plain), ground)


def at_rate(clip: Clip, fps: float) -> Clip:
    """The clip at another rate; the same clip if that is its own."""
    return clip if abs(clip.fps - fps) < 1e-6 * fps else resample(clip, fps)


def feature_joints(skeleton: Skeleton) -> list[int]:
    """All joints but fingers (whatever hangs on a hand): captures rarely hold them, and they would outvote the rest."""
    out = set(fingers(skeleton))
    return [j for j in range(len(skeleton)) if j not in out]


def upright_rotations(clip: Clip) -> FloatArray:
    """(F, K, 4) local rotations of `feature_joints`, the root's heading taken out: a turned clip gives the same."""
    out = clip.rotations[:, feature_joints(clip.skeleton)].copy()
    out[:, 0] = multiply(yaw(-headings(clip)), out[:, 0])
    return out


def pose_features(clip: Clip) -> FloatArray:
    """(F, 6 K): the 6-D form of `upright_rotations`, joint after joint. Where a body stands and faces drops out."""
    return to_6d(upright_rotations(clip)).reshape(len(clip), -1)


def heights(points: FloatArray, ground: float | None) -> FloatArray:
    """Heights (F, n) in metres of joints (F, n, 3) above `ground`, or else above each joint's own 1st percentile."""
    level = np.percentile(points[..., 1], 1, axis=0) if ground is None else ground
    return points[..., 1] - level
