"""Checks of stored textons: every array has the shape that the others need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import FormatError
from motionloom.kinematics.channels.metric import MetricSpace
from motionloom.methods.array_checks import check_array, check_number
from motionloom.methods.textons.learn.lds import Texton
from motionloom.methods.textons.segments import ObservedSegment

ROOT_CHANNELS = 4
LARGEST = 1e4  # in the dynamics; learned numbers are below 10
LEAST_NOISE = 1e-12  # on the diagonal of B, whose inverse is needed


def check_space(space: MetricSpace, joints: int) -> None:
    """`FormatError` unless the coordinates are those of a body with so many joints."""
    channels = 3 * joints + ROOT_CHANNELS
    check_array(space.base, "space.base", "f", (joints, 4))
    check_array(space.scale, "space.scale", "f", (joints,), low=1e-3)
    check_array(space.wild, "space.wild", "b", (joints,))
    check_array(space.moving, "space.moving", "b", (channels,))
    check_array(space.still, "space.still", "f", (channels,))
    if not space.moving[: 3 * joints].reshape(-1, 3)[space.wild].all():
        raise FormatError("space.wild: expected joints with three channels that vary")


def check_textons(textons: Sequence[Texton], space: MetricSpace, joints: int) -> None:
    """`FormatError` unless every texton's dynamics fit the space."""
    if not textons:
        raise FormatError("textons: expected at least one, found none")
    for k, texton in enumerate(textons):
        d, name = texton.dynamics, f"textons.{k}.dynamics"
        check_array(texton.base, f"textons.{k}.base", "f", (joints, 4))
        check_array(d.mean, f"{name}.mean", "f", (space.size,))
        check_array(d.basis, f"{name}.basis", "f", (space.size, None))
        for part in ("a1", "a2", "noise"):
            check_array(getattr(d, part), f"{name}.{part}", "f", (d.size, d.size), low=-LARGEST, high=LARGEST)
        if not (np.abs(np.diag(d.noise)) > LEAST_NOISE).all() or np.triu(d.noise, 1).any():
            raise FormatError(f"{name}.noise: expected a lower triangular matrix that can be inverted")
        check_array(d.drift, f"{name}.drift", "f", (d.size,))
        check_number(d.outside, f"{name}.outside", low=0.0)


def check_observed(observed: Sequence[ObservedSegment], textons: int, joints: int, parts: int, labels: int) -> None:
    """`FormatError` unless every observed segment belongs to a texton and its arrays are equally long."""
    if not observed:
        raise FormatError("observed: expected at least one segment, found none")
    for k, seen in enumerate(observed):
        name = f"observed.{k}"
        check_number(seen.texton, f"{name}.texton", low=0, high=textons - 1)
        check_number(seen.frame, f"{name}.frame", low=0, high=1e9)
        check_number(seen.pace, f"{name}.pace", low=0.0)
        check_array(seen.frames.turns, f"{name}.frames.turns", "f", (None, joints, 4))
        frames = len(seen.frames.turns)
        check_number(frames, f"{name}: frames", low=3)
        check_number(seen.covers, f"{name}.covers", low=0, high=frames)
        check_array(seen.frames.root, f"{name}.frames.root", "f", (frames, 4))
        check_array(seen.contacts, f"{name}.contacts", "b", (frames, parts))
        check_array(seen.slip, f"{name}.slip", "f", (frames, parts, 2))
        check_array(seen.labels, f"{name}.labels", "b", (frames, labels))
        check_array(seen.low, f"{name}.low", "f", (frames,))
        check_array(seen.move, f"{name}.move", "f", (3,))
