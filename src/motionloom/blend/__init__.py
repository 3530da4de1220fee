"""Clips to clip: transitions by blending, stitching and spacetime constraints."""

from motionloom.blend.append import TRANSITIONS, append
from motionloom.blend.crossfade import blend_transition, blend_weights
from motionloom.blend.spacetime import spacetime
from motionloom.blend.stitch import stitch
from motionloom.blend.transition_point import Point, transition_point

__all__ = [
    "TRANSITIONS",
    "Point",
    "append",
    "blend_transition",
    "blend_weights",
    "spacetime",
    "stitch",
    "transition_point",
]
