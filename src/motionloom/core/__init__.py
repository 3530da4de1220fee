"""The core types: Skeleton, Clip, Markers, Origin, errors, progress."""

from motionloom.core.arrays import BoolArray, FloatArray, IntArray, UInt8Array
from motionloom.core.clip import Clip, concatenate, is_found, replace, with_labels
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
from motionloom.core.recipe import Made, Read, made_here
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
    "Made",
    "Markers",
    "MissingExtra",
    "MotionloomError",
    "NoPath",
    "Note",
    "Origin",
    "Progress",
    "Read",
    "Skeleton",
    "SkeletonMismatch",
    "Source",
    "UInt8Array",
    "UnknownJoint",
    "Unmet",
    "UnsupportedConstraint",
    "concatenate",
    "is_found",
    "made_here",
    "part",
    "replace",
    "require_same_hierarchy",
    "same_hierarchy",
    "silent",
    "with_labels",
]
