"""The vocabulary of everything else: Skeleton, Clip, Markers, errors."""

from motionloom.core.arrays import BoolArray, FloatArray, IntArray
from motionloom.core.clip import Clip, concatenate, replace, with_labels
from motionloom.core.errors import (
    BadRequest,
    FormatError,
    InvalidClip,
    MissingExtra,
    MotionloomError,
    NoPath,
    SkeletonMismatch,
    UnknownJoint,
    Unmet,
    UnsupportedConstraint,
)
from motionloom.core.markers import Markers
from motionloom.core.origin import Origin, Source
from motionloom.core.skeleton import End, Skeleton, require_same_hierarchy, same_hierarchy

__all__ = [
    "BadRequest",
    "BoolArray",
    "Clip",
    "End",
    "FloatArray",
    "FormatError",
    "IntArray",
    "InvalidClip",
    "Markers",
    "MissingExtra",
    "MotionloomError",
    "NoPath",
    "Origin",
    "Skeleton",
    "SkeletonMismatch",
    "Source",
    "UnknownJoint",
    "Unmet",
    "UnsupportedConstraint",
    "concatenate",
    "replace",
    "require_same_hierarchy",
    "same_hierarchy",
    "with_labels",
]
