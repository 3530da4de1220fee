"""Quality of a transition: jumps and sliding feet within its window, compared with a plain cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.blend.crossfade import CLOUD
from motionloom.blend.transition_point import Point, laid_on, same_body
from motionloom.core import BoolArray, Clip, FloatArray, concatenate
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import contact_array, part_positions
from motionloom.kinematics.feet.transition_contacts import standing_at
from motionloom.kinematics.fk import fk


class WindowQuality(NamedTuple):
    """Numbers about a transition's window, and the plain cut that it replaces."""

    cut: Clip  # A up to the point, then B, laid best on the ground
    apart: float  # cm: root mean square distance of the joints where the clips meet, B laid best on the ground
    jump: float  # cm: the largest second difference of a joint's place, frame to frame, in the window
    jump_cut: float  # cm: the same for the plain cut
    slide: float | None  # cm/s: mean speed of standing heels and toes over the ground; None if nothing stands
    slide_source: float | None  # cm/s: the same of A's own frames up to the point and B's after it


def window_quality(a: Clip, b: Clip, joined: Clip, point: Point, half: int) -> WindowQuality:
    """Judge a transition of `half` frames to each side of `point`.

    A jump is |p[t+1] - 2 p[t] + p[t-1]|: for a body at constant speed it is zero, for a cut it is the gap. Sliding is
    the horizontal speed between two frames in both of which the part stands, by the contacts of A up to the point and
    of B after it. Captured feet are never quite still while they count as standing: compare with `slide_source`.
    """
    b = same_body(a, b)
    best = laid_on(a, b, point, radius=CLOUD)
    cut = concatenate([a[: point.a], best.clip(b)[point.b :]])
    near = slice(max(point.a - half - 1, 0), point.a + half + 2)
    slides: list[float | None] = [None, None]
    if feet(a.skeleton):
        standing = standing_at(contact_array(a), contact_array(b), (point.a, point.b), half + 1, a.fps)
        on = standing.on[0, near.start - (point.a - half - 1) :]
        slides = [_slide(clip, on, near, skip) for clip, skip in ((joined, -1), (cut, point.a - 1))]
    apart = round(100 * best.distance**0.5, 2)
    return WindowQuality(cut, apart, _jump(fk(joined[near])), _jump(fk(cut[near])), *slides)


def _jump(points: FloatArray) -> float:
    return round(100 * float(np.linalg.norm(np.diff(points, 2, axis=0), axis=-1).max()), 3)


def _slide(clip: Clip, on: BoolArray, near: slice, skip: int) -> float | None:
    """Mean speed of what stands, without the step from frame `skip` to the next."""
    places = part_positions(clip[near])[..., [0, 2]]
    speed = 100 * clip.fps * np.linalg.norm(np.diff(places, axis=0), axis=-1)
    on = on[: len(places)]
    both = on[1:] & on[:-1]
    if near.start <= skip < near.start + len(both):
        both[skip - near.start] = False
    return round(float(speed[both].mean()), 2) if both.any() else None
