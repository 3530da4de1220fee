"""Clips to clip: transitions by blending, stitching and spacetime constraints."""

from motionloom.blend.append import TRANSITIONS, append
from motionloom.blend.point import Point, transition_point
from motionloom.blend.spacetime import spacetime
from motionloom.blend.stitch import stitch
from motionloom.blend.transition import blend_transition, blend_weights

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
