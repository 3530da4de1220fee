"""Plants: where each foot should stand still while it touches, and how its path bends to get there and away."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.kinematics.feet.contacts import SHORTEST, part_speeds, runs
from motionloom.kinematics.feet.smoothing import GAUSSIAN_REACH, fade_between, gaussian
from motionloom.rotation import between, exp, log, rotate

CALM_SPEED = 0.2  # m/s (or 1.5 times its median): a plant runs from the first to the last slower frame of a contact
EDGE_TIME = 0.012  # s: deviation of the Gaussian that rounds corrections at the ends of plants, at high frame rates
LANDING_TIME = 0.2  # s: a heel that is still coming down is free for at most this long after its contact begins
HEIGHT_EASE_TIME = 0.08  # s: heights ease faster than places, so that a swinging foot keeps its clearance
Run = tuple[int, int]


@dataclass(frozen=True, eq=False)
class FootPath:
    """One foot as it moves, and when its parts touch. Without a toe (or heel) that part never touches."""

    ankle: FloatArray  # (F, 3)
    toe: FloatArray  # (F, 3)
    heel_on: BoolArray  # (F,)
    toe_on: BoolArray  # (F,)
    fixed: BoolArray  # (F,) frames at which this foot must stay exactly as it is


@dataclass(frozen=True, eq=False)
class FootPlan:
    """What a foot should do instead."""

    ankle: FloatArray  # (F, 3) where the ankle should be
    turn: FloatArray  # (F, 4) world turn to apply to the foot about its ankle
    bone: FloatArray  # (F, 3) from the ankle to the toe after that turn
    heel_on: BoolArray  # (F,) the contacts that were pinned
    toe_on: BoolArray


class ToeHold(NamedTuple):
    """How long a toe is held at the end of a contact, as its heel lifts."""

    rise: float = 0.005  # leg lengths: from this height above its plant on, it is free
    speed: float = CALM_SPEED  # m/s: likewise where it moves faster than this until the contact ends


WHOLE_CONTACT = ToeHold(rise=0.06, speed=float("inf"))  # in all of a given contact, while the toe rolls to its tip, too


def plan_foot(
    path: FootPath, fps: float, *, ease: float, farthest: float, rise: float, toe_rise: float, toe_speed: float
) -> FootPlan:
    """Pin each touching part to one point per contact, and ease the foot's path in and out around it.

    A contact in which the part strays over `farthest` metres from its mean place is no plant but a slide: it is cut
    where the part is quickest. A contact ends where the part has risen by `rise` metres (`toe_rise` for the toe): the
    foot rolls over its ball; or where it is faster than `CALM_SPEED` (`toe_speed`). That of a heel begins where it has
    come down to within `rise` metres: pinned earlier, it would be pulled down ahead of the body, and its knee with it.
    Where heel and toe touch together the foot's direction is held too (their distance is a bone, so both pins are met).
    Outside contacts the change fades by a quintic with matching value and velocity: straight from one contact to the
    next if they are within twice `ease` seconds, else to nothing within `ease`. A frame that must stay gives the place
    of its contact; where several in one plant disagree, the contact ends there.
    """
    gap = max(1, round(0.5 * ease * fps))
    heel_on = _before_rising(path.ankle[:, 1], path.heel_on, rise, path.toe_on)
    heel_on = calm_contacts(path.ankle, heel_on, fps, CALM_SPEED, SHORTEST)
    heel_on = _after_landing(path.ankle[:, 1], heel_on, rise, round(LANDING_TIME * fps))
    toe_on = calm_contacts(path.toe, _before_rising(path.toe[:, 1], path.toe_on, toe_rise), fps, toe_speed, SHORTEST)
    heel = _cut(path.ankle, heel_on, path.fixed, farthest, gap)
    toe = _cut(path.toe, toe_on, path.fixed, farthest, gap)
    heel, toe = _apart(heel, toe, gap)
    while True:
        plan = _planned(path, heel, toe, fps, ease)
        stirred = np.abs(plan.ankle - path.ankle).max(1) + np.abs(plan.turn[:, 1:]).max(1) > 1e-9
        at = np.flatnonzero(stirred & path.fixed)
        if not len(at):
            return plan
        for frame in at.tolist():  # pins that hang together do not agree here: what must stay comes first
            heel, toe = (_without(spans, (frame - gap, frame + gap + 1)) for spans in (heel, toe))


def _planned(path: FootPath, heel: list[Run], toe: list[Run], fps: float, ease: float) -> FootPlan:
    """The foot's path with these contacts pinned."""
    bone = path.toe - path.ankle
    length = np.linalg.norm(bone, axis=-1).mean()
    pins = _pins(path, heel, toe, bone, float(length))

    width = max(1, round(ease * fps))
    slope = max(1, round(fps / 30))
    turns, turn_known = _by_frame(pins.directions, len(bone))
    turns[turn_known] = log(between(bone[turn_known], turns[turn_known]))
    rolls, turned = _rounded(fade_between(turns, turn_known, path.fixed, width, slope), turn_known, path.fixed, fps)
    turn = exp(turned)

    on_heel, heel_known = _by_frame(pins.heel, len(bone))
    on_toe, toe_known = _by_frame(pins.toe, len(bone))
    known = heel_known | toe_known
    bone_turned = rotate(turn, bone)
    # the toe has the last word: the heel may lift off before it
    shift = np.where(toe_known[:, None], on_toe - bone_turned - path.ankle, on_heel - path.ankle)
    shift[~known] = 0.0
    level = fade_between(shift[:, 1:2], known, path.fixed, max(1, round(HEIGHT_EASE_TIME * fps)), slope)
    shift = fade_between(shift, known, path.fixed, width, slope)
    shift[:, 1:2] = level
    leaves, shift = _rounded(shift, known, path.fixed, fps)
    ankle, bone = path.ankle + shift, bone_turned
    below = [p[:, 1].min() - q[:, 1] for p, q in ((path.ankle, ankle), (path.toe, ankle + bone))]
    ankle[:, 1] += np.where(known | path.fixed, 0, np.maximum(np.maximum(*below), 0))  # no deeper than it ever was
    return FootPlan(ankle, turn, bone, _mask(heel, len(bone)) & ~leaves & ~rolls, _mask(toe, len(bone)) & ~leaves)


def _rounded(values: FloatArray, known: BoolArray, fixed: BoolArray, fps: float) -> tuple[BoolArray, FloatArray]:
    """A correction smoothed where spans of known frames begin and end, and the frames (F,) that this changes.

    A captured foot does not stop within a frame: at 120 frames a second the knee would jerk there.
    """
    deviation = EDGE_TIME * fps
    share = np.zeros(len(known))
    if deviation < 0.9:
        return share > 0, values
    reach = int(np.ceil(GAUSSIAN_REACH * deviation))
    smooth = gaussian(values, deviation)
    for edge in (np.flatnonzero(known[1:] != known[:-1]) + 1).tolist():
        at = np.arange(max(0, edge - reach - 1), min(len(known), edge + reach + 1))
        share[at] = np.maximum(share[at], np.clip(1.5 - (np.abs(at - edge + 0.5) - 0.5) / reach, 0.0, 1.0))
    share[fixed] = 0.0
    return share > 0, values + share[:, None] * (smooth - values)


def _by_frame(values: dict[Run, FloatArray], frames: int) -> tuple[FloatArray, BoolArray]:
    """(F, 3) the value of the span that each frame lies in, and (F,) whether it lies in one."""
    out, known = np.zeros((frames, 3)), np.zeros(frames, bool)
    for (a, b), value in values.items():
        out[a:b] = value
        known[a:b] = True
    return out, known


class _Spans:
    """Frames of many spans one after the other, so that sums and extremes over each take one call."""

    def __init__(self, spans: Sequence[Run]) -> None:
        bounds = np.array(spans, np.int64).reshape(-1, 2)
        self.first, self.stop = bounds.T
        self.lengths = self.stop - self.first
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)[:-1]]).astype(np.int64)
        self.of = np.repeat(np.arange(len(bounds)), self.lengths)  # the span of each of these frames
        self.frames = np.arange(len(self.of)) - self.starts[self.of] + self.first[self.of]

    def sums(self, values: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(values, self.starts, axis=0))

    def largest(self, values: Any) -> Any:
        return np.maximum.reduceat(values, self.starts)

    def means(self, values: FloatArray) -> FloatArray:
        lengths = self.lengths if values.ndim == 1 else self.lengths[:, None]
        return np.asarray(self.sums(values) / lengths)

    def medians(self, values: FloatArray, lower_half: bool = False) -> FloatArray:
        order = np.lexsort((values, self.of))
        count = np.maximum(1, self.lengths // 2) if lower_half else self.lengths
        low, high = self.starts + (count - 1) // 2, self.starts + count // 2
        return np.asarray((values[order[low]] + values[order[high]]) / 2)


def calm_contacts(points: FloatArray, on: BoolArray, fps: float, calm_speed: float, shortest: float = 0) -> BoolArray:
    """Contacts without their ends, where the part still rolls on or already lifts off: pinning these would throw it.

    Each goes from its first to its last frame with a speed, m/s, below `calm_speed` or 1.5 times its median, if these
    are `shortest` seconds apart.
    """
    out = np.zeros_like(on)
    found = runs(on)
    if not found:
        return out
    spans = _Spans(found)
    speed = part_speeds(points[:, None], fps)[spans.frames, 0]
    slow = np.maximum(calm_speed, 1.5 * spans.medians(speed))
    calm = speed < slow[spans.of]
    last = spans.largest(np.where(calm, spans.frames, -1))
    first = -spans.largest(np.where(calm, -spans.frames, -len(on)))
    for a, b in zip(first, last, strict=True):
        if b - a >= shortest * fps - 1:
            out[a : b + 1] = True
    return out


def _before_rising(height: FloatArray, on: BoolArray, rise: float, needs: BoolArray | None = None) -> BoolArray:
    """Contacts without the frames at their end in which the part already rises: a foot rolls over its ball.

    A part is rising after the last frame at which it is within `rise` of its level. Frames are left out only if `needs`
    holds from there to the end of the contact (for a heel: the toe touches).
    """
    out, found = np.array(on), runs(on)
    if not found:
        return out
    for (_, b), (_, last) in zip(found, _at_level(height, found, rise), strict=True):
        if needs is None or needs[last:b].all():
            out[last + 1 : b] = False
    return out


def _after_landing(height: FloatArray, on: BoolArray, rise: float, longest: int) -> BoolArray:
    """Contacts without the frames, `longest` at most, before the part is within `rise` of its level."""
    out, found = np.array(on), runs(on)
    if not found:
        return out
    for (a, _), (first, _) in zip(found, _at_level(height, found, rise), strict=True):
        out[a : min(first, a + longest)] = False
    return out


def _at_level(height: FloatArray, found: list[Run], rise: float) -> IntArray:
    """(C, 2) first and last frame of each contact at which a part is at most `rise` above its level.

    The level is the median of its lower half.
    """
    spans = _Spans(found)
    heights = height[spans.frames]
    near = heights <= (spans.medians(heights, lower_half=True) + rise)[spans.of]
    first = -spans.largest(np.where(near, -spans.frames, -len(height)))
    return np.stack([first, spans.largest(np.where(near, spans.frames, -1))], 1)


def _mask(spans: list[Run], frames: int) -> BoolArray:
    out = np.zeros(frames, bool)
    for a, b in spans:
        out[a:b] = True
    return out


def _cut(points: FloatArray, on: BoolArray, fixed: BoolArray, farthest: float, gap: int) -> list[Run]:
    """Contacts, cut until the part stays within `farthest` of its mean place, and its fixed frames agree."""
    found = runs(on)
    if not found:
        return []
    spans = _Spans(found)
    away = np.linalg.norm(points[spans.frames] - spans.means(points[spans.frames])[spans.of], axis=-1)
    doubtful = (spans.largest(away) > 0.999 * farthest) | spans.largest(fixed[spans.frames])
    out = [run for run, doubt in zip(found, doubtful, strict=True) if not doubt]
    waiting = [run for run, doubt in zip(found, doubtful, strict=True) if doubt]
    while waiting:
        a, b = waiting.pop()
        held = np.flatnonzero(fixed[a:b]) + a
        apart = np.linalg.norm(np.diff(points[held], axis=0), axis=-1) > 1e-6
        if apart.any():  # two frames that must both stay, at two places: the foot has to move between them
            left, right = held[:-1][apart][0], held[1:][apart][0]
            waiting += [span for span in ((a, left + 1), (right, b)) if span[1] > span[0]]
        elif np.linalg.norm(points[a:b] - points[a:b].mean(0), axis=-1).max() > farthest:
            speed = np.linalg.norm(np.diff(points[a:b], axis=0), axis=-1)
            worst = a + int(speed.argmax())
            waiting += [s for s in ((a, worst + 1 - gap), (worst + 1 + gap, b)) if s[1] - s[0] > 1]
        else:
            out.append((a, b))
    return sorted(out)


def _apart(heel: list[Run], toe: list[Run], gap: int) -> tuple[list[Run], list[Run]]:
    """Leave time between plants: contacts of heel and toe that overlap are one plant; the shorter of two makes room."""
    while True:
        plants: list[Run] = []
        for a, b in sorted(heel + toe):
            if plants and a < plants[-1][1]:
                plants[-1] = (plants[-1][0], max(b, plants[-1][1]))
            else:
                plants.append((a, b))
        close = [(p, q) for p, q in itertools.pairwise(plants) if q[0] - p[1] < gap]
        if not close:
            return heel, toe
        p, q = close[0]
        clear = (q[0], p[1] + gap) if q[1] - q[0] < p[1] - p[0] else (q[0] - gap, p[1])
        heel, toe = (_without(spans, clear) for spans in (heel, toe))


def _without(spans: list[Run], clear: Run) -> list[Run]:
    kept = [s for a, b in spans for s in ((a, min(b, clear[0])), (max(a, clear[1]), b))]
    return sorted({(a, b) for a, b in kept if b - a > 1})


@dataclass(frozen=True, eq=False)
class _Pins:
    heel: dict[Run, FloatArray]
    toe: dict[Run, FloatArray]
    directions: dict[Run, FloatArray]  # unit, ankle to toe, while both touch


def _pins(path: FootPath, heel: list[Run], toe: list[Run], bone: FloatArray, length: float) -> _Pins:
    """One point per contact. Contacts of heel and toe that overlap hang together by the foot's length.

    The longest contact of such a group takes its own place (the mean, or where a fixed frame has it); the others
    follow along the foot's mean direction over each overlap.
    """
    pairs = _overlaps(heel, toe)
    directions = _directions(bone, path.fixed, [both for _, _, both in pairs])
    hangs: dict[tuple[Run, str], list[tuple[Run, str, FloatArray]]] = {}
    for (h, t, _), direction in zip(pairs, directions, strict=True):
        hangs.setdefault((h, "heel"), []).append((t, "toe", length * direction))
        hangs.setdefault((t, "toe"), []).append((h, "heel", -length * direction))
    pins = _Pins({}, {}, {both: direction for (_, _, both), direction in zip(pairs, directions, strict=True)})
    order = [(h, "heel") for h in heel] + [(t, "toe") for t in toe]
    own = dict(zip(order, (*_places(path.ankle, path.fixed, heel), *_places(path.toe, path.fixed, toe)), strict=True))
    held = np.concatenate([[0], np.cumsum(path.fixed)])
    order.sort(key=lambda item: (held[item[0][1]] == held[item[0][0]], item[0][0] - item[0][1]))
    deepest = {"heel": path.ankle[:, 1].min(), "toe": path.toe[:, 1].min()}
    for span, part in order:
        if span not in (pins.heel if part == "heel" else pins.toe):
            group = _chain(hangs, span, part, own[span, part])
            sunk = max(0.0, *(deepest[kind] - point[1] for _, kind, point in group))
            for member, kind, point in group:
                (pins.heel if kind == "heel" else pins.toe)[member] = point + [0.0, sunk, 0.0]
    return pins


def _overlaps(heel: list[Run], toe: list[Run]) -> list[tuple[Run, Run, Run]]:
    """Contacts of heel and toe that overlap, and where they do; both lists are in order of time."""
    out, first = [], 0
    for h in heel:
        while first < len(toe) and toe[first][1] <= h[0]:
            first += 1
        for t in toe[first:]:
            if t[0] >= h[1]:
                break
            out.append((h, t, (max(h[0], t[0]), min(h[1], t[1]))))
    return out


def _chain(
    hangs: dict[tuple[Run, str], list[tuple[Run, str, FloatArray]]], span: Run, part: str, point: FloatArray
) -> list[tuple[Run, str, FloatArray]]:
    """Pins of one contact and of every contact that hangs on it by overlaps: (span, part, point)."""
    found: dict[tuple[Run, str], FloatArray] = {}
    waiting = [(span, part, point)]
    while waiting:
        span, part, point = waiting.pop()
        if (span, part) in found:
            continue
        found[span, part] = point
        waiting += [(other, kind, point + by) for other, kind, by in hangs.get((span, part), [])]
    return [(span, part, point) for (span, part), point in found.items()]


def _places(points: FloatArray, fixed: BoolArray, found: list[Run]) -> list[FloatArray]:
    """Where each contact is pinned: its slow frames count most; a fixed frame counts alone."""
    if not found:
        return []
    spans = _Spans(found)
    before = np.maximum(spans.frames - 1, spans.first[spans.of])
    after = np.minimum(spans.frames + 1, spans.stop[spans.of] - 1)
    steps = (points[after] - points[before]) / np.maximum(after - before, 1)[:, None]
    speed = np.linalg.norm(steps, axis=-1)
    weight = 1 / (speed + 0.25 * spans.means(speed)[spans.of] + 1e-9)
    mean = spans.sums(points[spans.frames] * weight[:, None]) / spans.sums(weight)[:, None]
    return list(_or_held(mean, points, fixed, found))


def _directions(bone: FloatArray, fixed: BoolArray, found: list[Run]) -> list[FloatArray]:
    """The foot's mean direction over each span, of unit length; a fixed frame's own."""
    if not found:
        return []
    spans = _Spans(found)
    mean = _or_held(spans.means(bone[spans.frames]), bone, fixed, found)
    return list(mean / np.linalg.norm(mean, axis=1, keepdims=True))


def _or_held(means: FloatArray, values: FloatArray, fixed: BoolArray, found: list[Run]) -> FloatArray:
    """(spans, 3) one value for each span: of its first fixed frame, else its mean."""
    held = np.flatnonzero(fixed)
    if not len(held):
        return means
    bounds = np.array(found)
    first = held[np.minimum(np.searchsorted(held, bounds[:, 0]), len(held) - 1)]
    inside = (bounds[:, 0] <= first) & (first < bounds[:, 1])
    return np.where(inside[:, None], values[first], means)
