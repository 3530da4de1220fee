"""The common part of all transitions: the frames before and after, plants, labels and provenance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.analysis.comparison import Measure
from motionloom.blend.transition_point import SEARCH, Point, half_window, point_at, same_body, transition_point
from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.core.origin_joining import joined, mixed
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import contact_array, part_positions
from motionloom.kinematics.feet.transition_contacts import Standing, fit_places_to_plants, standing_at, window_reach
from motionloom.kinematics.feet.transition_hold import Windows, hold_plants
from motionloom.kinematics.ground_alignment import Alignment


class Window(NamedTuple):
    """The frames of the result that a transition makes: start .. stop - 1, about frame `middle`."""

    start: int
    stop: int
    middle: int
    into: int  # frame of B that becomes frame `stop`


class Join(NamedTuple):
    """Two clips prepared for a transition: B on A's skeleton, the point, and the contacts of both clips."""

    a: Clip
    b: Clip
    point: Point
    half: int
    contacts: tuple[BoolArray, BoolArray] | None  # (F, P) of A and of B; None if plants are not kept

    @property
    def window(self) -> Window:
        start, stop = self.point.a - self.half + 1, self.point.a + self.half
        return Window(start, stop, self.point.a, self.point.b + self.half)

    @property
    def standing(self) -> Standing | None:
        """When feet stand in the window and one frame at each end, as a batch of one."""
        if self.contacts is None:
            return None
        return standing_at(*self.contacts, (self.point.a, self.point.b), self.half, self.a.fps)

    def fit(self, placed: Clip) -> Alignment:
        """The move of B, placed on A, after which feet that stand in both clips stand in one place."""
        turn, shift = np.zeros(1), np.zeros((1, 2))
        if self.contacts is not None:
            (at_a, at_b), reach = (self.point.a, self.point.b), window_reach(self.half, self.a.fps)
            near_a = slice(max(at_a - reach, 0), at_a + self.half + 1)
            near_b = slice(at_b - self.half, at_b + reach + 1)
            places = [part_positions(self.a[near_a]), part_positions(placed[near_b])]
            on = np.concatenate([self.contacts[0][near_a], self.contacts[1][near_b]])
            first, total = len(places[0]), len(on)
            spans = np.array([[0, first]] * first + [[first, total]] * (total - first))
            cut_a, cut_b = np.array([at_a - near_a.start]), np.array([first + self.half])
            fps = self.a.fps
            fit_places_to_plants(np.concatenate(places), on, spans, cut_a, cut_b, self.half, fps, turn, shift)
        return Alignment(float(turn[0]), float(shift[0, 0]), float(shift[0, 1]), 0.0)


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
    return Join(a, b, point, half, (contact_array(a), contact_array(b)) if plants and feet(a.skeleton) else None)


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
    standing = join.standing
    if standing is not None:
        near = slice(w.start - 1, w.stop + 1)
        own = None if slides is None else slides[None, near]
        places = (part_positions(a[near])[None], part_positions(b[join.point.b - join.half : w.into + 1])[None])
        held = hold_plants(Windows(skeleton, root[None, near], rotations[None, near], own, *standing, *places), a.fps)
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
