"""What all measures share: a clip made ready for measuring, and the answer when there is none."""

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
"""Every measure looks at clips at this rate unless it says otherwise, so that clips of any rate compare."""


SELDOM = 0.10  # of the time: feet that touch the floor, or come near it, more seldom than this never stand
STANDS = (0.7, 1.5)  # leg lengths from the lowest that feet get to the usual hips: below lies or swims, above flies


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
        """Places (F, n, 3) of heels and toes, and when they touch the floor (F, n), from the motion alone.

        `NotApplicable` for a body without feet, and for one that is never on its feet (see `off_the_floor`).
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
        """Raise `NotApplicable` unless there are feet, and the body is ever on them."""
        _, _ = self.feet

    @cached_property
    def sound(self) -> tuple[Take, ...]:
        """What is left without the frames that `motionloom check` calls broken; all of it, if nothing is left."""
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
    out[:, 0] = without_heading(out[:, 0], clip.skeleton)
    return out


def pose_features(clip: Clip) -> FloatArray:
    """(F, 6 K): the 6-D form of `upright_rotations`, joint after joint. Where a body stands and faces drops out."""
    return to_6d(upright_rotations(clip)).reshape(len(clip), -1)


def off_the_floor(places: FloatArray, touching: BoolArray, hips: float, leg: float, ground: float | None) -> str | None:
    """Why a body with feet at `places` (F, n, 3) is never on them: it swims, lies or flies; None if it stands or walks.

    Three things must agree: the feet hardly ever touch (F, n), they hardly ever come within 2.5 cm of the lowest that
    they get, and the hips (their usual height, metres) are not about a leg's length above that.
    """
    low = heights(places, ground) < SKATE_B_HEIGHT
    floor = ground if ground is not None else float(np.percentile(places[..., 1], 1, axis=0).min())
    above = (hips - floor) / leg
    if max(touching.mean(axis=0).max(), low.mean(axis=0).max()) >= SELDOM or STANDS[0] <= above <= STANDS[1]:
        return None
    kind = "it lies or swims" if above < STANDS[0] else "it flies or climbs"
    return f"no foot ever touches the floor: the hips are {above:.2g} leg lengths above it, so {kind}"


def heights(points: FloatArray, ground: float | None) -> FloatArray:
    """Heights (F, n) in metres of joints (F, n, 3) above `ground`, or else above each joint's own 1st percentile."""
    level = np.percentile(points[..., 1], 1, axis=0) if ground is None else ground
    return points[..., 1] - level
