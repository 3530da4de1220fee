"""Jumps of joints in transitions: turns from frame to frame, relative to those of the source clips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.evaluate.measures.prepared_clip import NotApplicable, feature_joints
from motionloom.rotation import angle_between

RARE = 99.9  # percentile of the source's turns
MIN_TURN = np.radians(0.5)  # radians: allowed in a frame for a joint that never turns in the source


class Jumps(NamedTuple):
    """How fast joints turn inside transitions. As fast as in the source is 1; 0.001 of its own frames are rare."""

    largest: float  # the largest turn of any joint in a frame, by the largest of any joint in the source
    rare: float  # share of frames whose largest turn is above the 99.9th percentile of the source's frames
    own_largest: float  # the same with each joint against its own largest in the source: stricter
    own_rare: float  # share of joint frames above the joint's own 99.9th percentile
    joint: str  # the one of `own_largest`
    frame: int  # to which it leads


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
        if not result.origin.known:
            raise NotApplicable("the origin of the frames is unknown, and so are the transitions")
        inside = ~result.origin.single
    at = inside[1:] | inside[:-1]
    if not at.any():
        raise NotApplicable("no frame is inside a transition")
    source = np.concatenate([joint_steps(clip) for clip in sources if len(clip) > 1])
    steps = joint_steps(result)[at]
    ratio = steps / np.maximum(source.max(0), MIN_TURN)
    row, column = np.unravel_index(int(ratio.argmax()), ratio.shape)
    return Jumps(
        largest=float(steps.max() / max(float(source.max()), MIN_TURN)),
        rare=float((steps.max(1) > max(float(np.percentile(source.max(1), RARE)), MIN_TURN)).mean()),
        own_largest=float(ratio[row, column]),
        own_rare=float((steps > np.maximum(np.percentile(source, RARE, axis=0), MIN_TURN)).mean()),
        joint=result.skeleton.names[feature_joints(result.skeleton)[int(column)]],
        frame=int(np.flatnonzero(at)[row]) + 1,
    )
