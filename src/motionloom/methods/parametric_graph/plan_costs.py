"""What the characters of a search have done so far, and how badly that keeps a constraint, in its tolerances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.constraints import Act, Avoid, HeadFor, Reach
from motionloom.constraints.acting import frames_outside
from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.kinematics.feet.contacts import runs
from motionloom.methods.parametric_graph.live import ParametricGraphLive
from motionloom.rotation import wrap_angle

NEARLY = 0.9  # tolerances: a goal counts as reached
AVOID_LOOKAHEAD = 3.0  # m: how far ahead regions that are to be avoided are seen


class Paths(NamedTuple):
    """What characters have done so far: F frames."""

    place: FloatArray  # (N, F, 2)
    heading: FloatArray  # (N, F)
    node: IntArray  # (N, F)
    ends: FloatArray  # (N, P, 3) m: hands and feet in the last frame
    missed: FloatArray  # (N, A) m: least distance of hands and feet from the target of each action that has one
    strayed: IntArray  # (N,) actions that are done once and were begun without being asked for

    def only(self, kept: IntArray) -> Paths:
        """Those of some characters."""
        ends, missed, strayed = self.ends[kept], self.missed[kept], self.strayed[kept]
        return Paths(self.place[kept], self.heading[kept], self.node[kept], ends, missed, strayed)


def reach_costs(goals: Sequence[Reach], tried: Paths, frames: int, live: ParametricGraphLive) -> list[FloatArray]:
    """For each goal, in the order of their times, and each character, in tolerances: its error, or what is to come.

    The way to a goal leads over those before it that have not been reached and are not over yet.
    """
    now, out = tried.place.shape[1] - 1, list[FloatArray]()
    place, heading, count = tried.place[:, -1], tried.heading[:, -1], len(tried.place)
    rest, later = np.zeros(count), np.zeros(count, bool)  # the way over earlier goals, and whether there is one
    for c in goals:
        last, best = c.frame(frames, live.fps), errors_at(c, tried.place, tried.heading, frames, live.fps)
        if now >= last:
            out.append(best + 10 * np.maximum(best - 0.9, 0))
            continue
        to = np.asarray(c.position) - place
        way = rest + np.linalg.norm(to, axis=1)
        speed = max(float(n.speeds.max()) for n in live.nodes)
        short = np.maximum(way - (last - now) / live.fps * speed, 0.0) / c.tolerance
        aim = np.abs(wrap_angle(np.arctan2(to[:, 0], to[:, 1]) - heading))
        if c.heading is not None:
            aim = aim + _bend(to, heading, c.heading)
        most = np.pi if c.heading is None else 2.0 * np.pi
        ahead = short + 0.3 * way / c.tolerance + 0.5 * np.where(later, most, aim)
        pending = best > NEARLY
        out.append(np.where(pending, ahead, best - 1.0))
        place = np.where(pending[:, None], np.asarray(c.position), place)
        rest, later = np.where(pending, way, rest), later | pending
    return out


def errors_at(c: Reach, place: FloatArray, heading: FloatArray, frames: int, fps: float) -> FloatArray:
    """(N,) in tolerances: the least errors so far of paths (N, F, 2) with headings (N, F), until the goal's time."""
    upto = c.frame(frames, fps) + 1
    far = np.linalg.norm(place[:, :upto] - np.asarray(c.position), axis=2) / c.tolerance
    if c.heading is not None:
        far = np.maximum(far, np.abs(wrap_angle(heading[:, :upto] - c.heading)) / c.heading_tolerance)
    return np.asarray(far.min(1))


def ahead_of(c: Avoid, tried: Paths) -> FloatArray:
    """(N,) m from the centre of a region to the next metres straight ahead."""
    facing = np.stack([np.sin(tried.heading[:, -1]), np.cos(tried.heading[:, -1])], 1)
    to = np.asarray(c.center) - tried.place[:, -1]
    along = np.clip((to * facing).sum(1), 0.0, AVOID_LOOKAHEAD)
    return np.asarray(np.linalg.norm(to - along[:, None] * facing, axis=1))


def heading_cost(c: HeadFor, tried: Paths, span: range, fps: float) -> FloatArray:
    """In tolerances: how far the direction of travel over the last second is from the heading."""
    last = min(span.stop, tried.place.shape[1]) - 1
    first = max(span.start, last - round(fps), 0)
    if last <= first:
        return np.zeros(len(tried.place))
    moved = tried.place[:, last] - tried.place[:, first]
    moving = np.linalg.norm(moved, axis=1) >= 0.1
    direction = np.where(moving, np.arctan2(moved[:, 0], moved[:, 1]), tried.heading[:, last])
    return np.asarray(np.abs(wrap_angle(direction - c.heading)) / c.tolerance)


def shown_frames(live: ParametricGraphLive, n: int) -> int:
    """How many frames node n is shown from one transition to the next, on average."""
    t, clock = live.tables, live.nodes[n].clock
    edge = np.repeat(np.arange(len(t.edge_source)), np.diff(t.edge_first))  # (S,) of each sample
    leave, enter = t.points[t.edge_source[edge] == n, 0].mean(), t.points[t.edge_target[edge] == n, 1].mean()
    begin, end = np.interp([enter, leave], np.linspace(0.0, 1.0, len(clock)), clock)
    return round(float(end - begin) * live.fps)


def act_frames(shown: BoolArray, span: range, around: range, lasts: int) -> int:
    """Frames of an action outside its span in a path (F,), of the best time that it is shown; -1 if it is not.

    An action that is under way lasts `lasts` frames in all. One with its middle outside of `around` is not counted.
    """
    ends = ((begin, max(end, begin + lasts) if end == len(shown) else end) for begin, end in runs(shown))
    own = ((begin, end) for begin, end in ends if (begin + end) // 2 in around)
    return min((frames_outside(begin, end, span) for begin, end in own), default=-1)


def around_spans(spans: Sequence[range]) -> list[range]:
    """The frames around each of several spans of one action: to the middle between it and its neighbours in time."""
    middles = [(s.start + s.stop) // 2 for s in spans]
    out = []
    for span, middle in zip(spans, middles, strict=True):
        low = max(((s.stop + span.start) // 2 for s, m in zip(spans, middles, strict=True) if m < middle), default=0)
        later = ((span.stop + s.start) // 2 for s, m in zip(spans, middles, strict=True) if m > middle)
        out.append(range(low, min(later, default=10**9)))
    return out


def act_cost(c: Act, shown: BoolArray, span: range, around: range, lasts: int, fps: float) -> FloatArray:
    """(N,) in tolerances: how long actions of paths (N, F) are outside their span; of one to come, what is possible."""
    soonest = frames_outside(shown.shape[1], shown.shape[1] + max(lasts, 1), span)
    outside = np.array([act_frames(row, span, around, lasts) for row in shown])
    cost = np.where(outside < 0, max(soonest if shown.shape[1] > span.start else 0, 0), outside)
    return cost / fps / max(c.tolerance, 0.5 / fps) + (outside < 0)


def aim_cost(c: Act, tried: Paths, missed: FloatArray, over: bool) -> FloatArray:
    """In tolerances: how far an action was from its target; before it is done, how far the body faces another way."""
    target = np.asarray(c.target)
    to = target[[0, 2]] - tried.place[:, -1]
    aside = np.abs(wrap_angle(np.arctan2(to[:, 0], to[:, 1]) - tried.heading[:, -1]))
    off = missed / max(c.target_tolerance, 1e-9)
    return np.where((off <= 1.0) | over, off, 2.0 + aside)


def _bend(to: FloatArray, heading: FloatArray, facing: float) -> FloatArray:
    """How much an approach has to bend to arrive with a heading."""
    along = np.arctan2(to[:, 0], to[:, 1])
    return np.abs(wrap_angle(2 * along - heading - facing))
