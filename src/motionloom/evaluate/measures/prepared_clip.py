"""Clips prepared for measuring: poses, features and feet that several measures share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, MotionloomError, Skeleton
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.body.roles import fingers
from motionloom.kinematics.capture.glitches import whole_pieces
from motionloom.kinematics.feet.contacts import contacts, foot_parts, part_positions
from motionloom.kinematics.feet.skate_measures import SKATE_B_HEIGHT
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import without_heading
from motionloom.rotation import to_6d

FPS = 30.0
"""Measures use clips at this rate unless stated otherwise, so that clips of any rate can be compared."""


MIN_CONTACT_SHARE = 0.10  # of the time: a body whose feet are on or near the floor less often does not stand
STANDING_HIPS = (0.7, 1.5)  # leg lengths from the floor to the usual hips: lower lies or swims, higher flies


class NotApplicable(MotionloomError):
    """A measure that has no value for a clip; tables show the message in place of the number."""


@dataclass(frozen=True, eq=False)
class Take:
    """A clip prepared for measuring; what several measures need is computed once."""

    original: Clip  # as given, at its own rate
    clip: Clip  # at `FPS`
    ground: float | None = None  # height of the floor, metres; None: each joint's own 1st percentile

    @cached_property
    def points(self) -> FloatArray:
        """(F, J, 3) metres, world, of `clip`."""
        return fk(self.clip)

    @cached_property
    def features(self) -> FloatArray:
        """(F, 6 K) of `clip`, see `pose_features`."""
        return pose_features(self.clip)

    @cached_property
    def feet(self) -> tuple[FloatArray, BoolArray]:
        """Places (F, n, 3) of heels and toes, and when they touch the floor (F, n), from the motion alone.

        `NotApplicable` for a body without feet or one that never stands (see `off_the_floor`).
        """
        parts = foot_parts(self.skeleton)
        if not parts:
            raise NotApplicable("this body has no feet (no joint has the role of a foot)")
        found = contacts(self.clip, fresh=True, ground=self.ground)
        places, touching = part_positions(self.clip), np.stack([found[p.label] for p in parts], 1)
        hips = float(np.median(self.clip.root[:, 1]))
        reason = off_the_floor(places, touching, hips, leg_length(self.skeleton), self.ground)
        if reason:
            raise NotApplicable(reason)
        return places, touching

    def require_feet(self) -> None:
        """Raise `NotApplicable` unless there are feet and the body stands on them at some time."""
        _, _ = self.feet

    @cached_property
    def sound(self) -> tuple[Take, ...]:
        """The pieces without the frames that `motionloom check` reports as broken; the whole take if none remain."""
        pieces = whole_pieces(self.original)
        if not pieces or pieces[0] is self.original:
            return (self,)
        return tuple(take(piece, ground=self.ground, fps=self.clip.fps) for piece in pieces)

    @property
    def name(self) -> str:
        return self.original.name

    @property
    def skeleton(self) -> Skeleton:
        return self.clip.skeleton

    def __len__(self) -> int:
        return len(self.clip)


def take(clip: Clip, *, ground: float | None = None, fps: float = FPS) -> Take:
    """Prepare a clip for measuring."""
    return Take(clip, at_rate(clip, fps), ground)


def at_rate(clip: Clip, fps: float) -> Clip:
    """The clip at another rate; the same clip if that is its own."""
    return clip if abs(clip.fps - fps) < 1e-6 * fps else resample(clip, fps)


def feature_joints(skeleton: Skeleton) -> list[int]:
    """All joints but fingers, which captures rarely contain and which would outnumber the other joints."""
    out = set(fingers(skeleton))
    return [j for j in range(len(skeleton)) if j not in out]


def upright_rotations(clip: Clip) -> FloatArray:
    """(F, K, 4) local rotations of `feature_joints`, without the root's heading: equal for a turned clip."""
    out = clip.rotations[:, feature_joints(clip.skeleton)].copy()
    out[:, 0] = without_heading(out[:, 0], clip.skeleton)
    return out


def pose_features(clip: Clip) -> FloatArray:
    """(F, 6 K): the 6-D form of `upright_rotations`, joint after joint; independent of position and heading."""
    return to_6d(upright_rotations(clip)).reshape(len(clip), -1)


def off_the_floor(places: FloatArray, touching: BoolArray, hips: float, leg: float, ground: float | None) -> str | None:
    """Why a body with feet at `places` (F, n, 3) never stands: it swims, lies or flies; None if it stands or walks.

    Three criteria must agree: the feet hardly ever touch (F, n), they are hardly ever within 2.5 cm of their lowest
    height, and the hips (their usual height, metres) are not about a leg's length above that.
    """
    low = heights(places, ground) < SKATE_B_HEIGHT
    floor = ground if ground is not None else float(np.percentile(places[..., 1], 1, axis=0).min())
    above = (hips - floor) / leg
    if (
        max(touching.mean(axis=0).max(), low.mean(axis=0).max()) >= MIN_CONTACT_SHARE
        or STANDING_HIPS[0] <= above <= STANDING_HIPS[1]
    ):
        return None
    kind = "it lies or swims" if above < STANDING_HIPS[0] else "it flies or climbs"
    return f"no foot ever touches the floor: the hips are {above:.2g} leg lengths above it, so {kind}"


def heights(points: FloatArray, ground: float | None) -> FloatArray:
    """Heights (F, n) in metres of joints (F, n, 3) above `ground`, or else above each joint's own 1st percentile."""
    level = np.percentile(points[..., 1], 1, axis=0) if ground is None else ground
    return points[..., 1] - level
