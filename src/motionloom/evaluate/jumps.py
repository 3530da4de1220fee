"""Do joints jump where a motion was joined? Their turns from frame to frame against those of the source clips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.evaluate.base import NotApplicable, feature_joints
from motionloom.rotation import angle_between

RARE = 99.9  # percentile of a joint's own turns: what a source frame exceeds once in a thousand
STILL = np.radians(0.5)  # radians: a joint that never turns in the source may turn this far in a frame


class Jumps(NamedTuple):
    """Joints inside transitions, each against itself in the source."""

    largest: float  # the largest turn in a frame, as a share of the joint's largest in the source: 1 is as quick
    joint: str  # whose that is
    frame: int  # to which frame it leads
    rare: float  # share of joint frames above the joint's own 99.9th percentile; 0.001 is alike


def joint_steps(clip: Clip) -> FloatArray:
    """(F - 1, K) radians: how far each joint but the fingers turns from frame to frame, in its parent's frame."""
    chosen = feature_joints(clip.skeleton)
    return angle_between(clip.rotations[:-1, chosen], clip.rotations[1:, chosen])


def transition_jumps(result: Clip, sources: Sequence[Clip], inside: BoolArray | None = None) -> Jumps:
    """How quickly joints turn inside transitions, beside the source clips at the same frame rate.

    A step counts if it leads into, out of or through frames `inside` (F,): by default those that no single source
    frame stands behind, the blends of a motion graph or of `append`. The hips count too, world and all.
    """
    if inside is None:
        if result.origin.frames is None:
            raise NotApplicable("where the frames came from is not known: no transition can be told")
        inside = result.origin.frames < 0
    at = inside[1:] | inside[:-1]
    if not at.any():
        raise NotApplicable("no frame lies inside a transition")
    own = np.concatenate([joint_steps(clip) for clip in sources if len(clip) > 1])
    steps = joint_steps(result)[at]
    ratio = steps / np.maximum(own.max(0), STILL)
    row, column = np.unravel_index(int(ratio.argmax()), ratio.shape)
    rare = np.percentile(own, RARE, axis=0)
    name = result.skeleton.names[feature_joints(result.skeleton)[int(column)]]
    frame = int(np.flatnonzero(at)[row]) + 1
    return Jumps(float(ratio[row, column]), name, frame, float((steps > np.maximum(rare, STILL)).mean()))
