"""The vocabulary of everything else: Skeleton, Clip, Markers, errors."""

from motionloom.core.arrays import BoolArray, FloatArray, IntArray, UInt8Array
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
from motionloom.core.note import Note
from motionloom.core.origin import Origin, Source
from motionloom.core.progress import Cancelled, Progress, part, silent
from motionloom.core.skeleton import End, Skeleton, require_same_hierarchy, same_hierarchy

__all__ = [
    "BadRequest",
    "BoolArray",
    "Cancelled",
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
    "Note",
    "Origin",
    "Progress",
    "Skeleton",
    "SkeletonMismatch",
    "Source",
    "UInt8Array",
    "UnknownJoint",
    "Unmet",
    "UnsupportedConstraint",
    "concatenate",
    "part",
    "replace",
    "require_same_hierarchy",
    "same_hierarchy",
    "silent",
    "with_labels",
]
