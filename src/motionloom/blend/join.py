"""What all transitions share: the frames before and after, plants, labels and provenance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.analysis.comparison import Measure
from motionloom.blend.point import SEARCH, Point, half_window, point_at, same_body, transition_point
from motionloom.core import Clip, FloatArray
from motionloom.core.origins import joined, mixed
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import part_positions
from motionloom.kinematics.feet.transition_hold import hold_plants
from motionloom.kinematics.feet.transition_plants import Near, Standing, one_window, plant_fit, standing
from motionloom.kinematics.ground_alignment import Alignment


class Window(NamedTuple):
    """The frames of the result that a transition makes: start .. stop - 1, about frame `middle`."""

    start: int
    stop: int
    middle: int
    into: int  # frame of B that becomes frame `stop`


class Join(NamedTuple):
    """Two clips made ready for a transition: B on A's skeleton, the point, and when feet stand in the result."""

    a: Clip
    b: Clip
    point: Point
    half: int
    found: list[Standing]

    @property
    def window(self) -> Window:
        start, stop = self.point.a - self.half + 1, self.point.a + self.half
        return Window(start, stop, self.point.a, self.point.b + self.half)

    def feet_near(self, laid: Clip) -> tuple[list[Standing], Near]:
        """When feet stand and where both clips have them, for the window and one frame at each end; B is laid ready."""
        w = self.window
        others = laid[self.point.b - self.half : w.into + 1]
        sources = Near(part_positions(self.a[w.start - 1 : w.stop + 1]), part_positions(others))
        return [one.seen_from(w.start - 1, w.stop + 1) for one in self.found], sources

    def fit(self, laid: Clip) -> Alignment:
        """How B, laid ready, must be moved so that feet that stand in both clips stand in one place."""
        return plant_fit(*self.feet_near(laid))


def prepare(
    a: Clip,
    b: Clip,
    at: tuple[float, float] | Point | None,
    seconds: float,
    *,
    plants: bool,
    search: float = SEARCH,
    measure: Measure | None = None,
) -> Join:
    """Check both clips, find the point where none is given, and detect plants if they shall be kept."""
    b = same_body(a, b)
    half = half_window(seconds, a.fps)
    if at is None:
        point = transition_point(a, b, half=half, search=search, measure=measure)
    else:
        times = (at.a / a.fps, at.b / b.fps) if isinstance(at, Point) else at
        point = point_at(a, b, times, half)
    found = standing(a, b, (point.a, point.b)) if plants and feet(a.skeleton) else []
    return Join(a, b, point, half, found)


def assemble(join: Join, b: Clip, root: FloatArray, rotations: FloatArray, share: FloatArray) -> Clip:
    """The frames of A, the window's own root (n, 3) and rotations (n, J, 4), and the frames of B, laid ready.

    `share` (n,) is the weight of B in the window, for the clip's origin. Legs are bent in the window where feet stand.
    Labels are A's up to the transition point, then B's.
    """
    a, w = join.a, join.window
    skeleton = a.skeleton
    root = np.concatenate([a.root[: w.start], root, b.root[w.into :]])
    rotations = np.concatenate([a.rotations[: w.start], rotations, b.rotations[w.into :]])
    slides = _slides(join, b)
    if join.found:
        near = slice(w.start - 1, w.stop + 1)
        own = None if slides is None else slides[near]
        held = hold_plants(one_window(skeleton, root[near], rotations[near], own, *join.feet_near(b)), a.fps)
        root[near], rotations[near] = held[0][0], held[1][0]
    names = tuple(dict.fromkeys((*a.label_names, *b.label_names)))
    labels = np.zeros((len(root), len(names)), bool)
    for i, name in enumerate(names):
        labels[:, i] = np.concatenate([a.label(name)[: w.middle], b.label(name)[join.point.b :]])
    length = w.stop - w.start
    inside = mixed(a.origin[slice(w.start, w.stop)], b.origin[slice(w.into - length, w.into)], share)
    origin = joined(
        [a.origin[slice(w.start)], inside, b.origin[slice(w.into, None)]], [w.start, length, len(b) - w.into]
    )
    return Clip(skeleton, root, rotations, a.fps, names, labels, slides, origin)


def _slides(join: Join, b: Clip) -> FloatArray | None:
    """Sliding joints go evenly from A's to B's slides within the window."""
    a, w = join.a, join.window
    if a.slides is None and b.slides is None:
        return None
    shape = (len(a.skeleton), 3)
    first = np.zeros((len(a), *shape)) if a.slides is None else a.slides
    second = np.zeros((len(b), *shape)) if b.slides is None else b.slides
    u = (np.arange(1, 2 * join.half) / (2 * join.half))[:, None, None]
    inside = (1 - u) * first[w.start : w.stop] + u * second[w.into - (w.stop - w.start) : w.into]
    return np.concatenate([first[: w.start], inside, second[w.into :]])
