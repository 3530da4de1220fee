"""Plants: where each foot should stand still while it touches, and how its path bends to get there and away."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from motionloom.core import BoolArray, FloatArray
from motionloom.kinematics.contacts import SHORTEST, part_speeds, runs
from motionloom.rotation import between, exp, log, rotate

CALM = 0.2  # m/s: a plant is a contact from its first to its last frame that is slower, or than 1.5 times its median
UPRIGHT = 0.08  # s: heights ease faster than places, so that a swinging foot keeps its clearance
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


def plan_foot(path: FootPath, fps: float, *, ease: float, farthest: float) -> FootPlan:
    """Pin each touching part to one point per contact, and ease the foot's path in and out around it.

    A contact in which the part strays over `farthest` metres from its mean place is no plant but a slide: it is cut
    where the part is quickest. Where heel and toe touch together the foot's direction is held too (their distance is
    a bone, so both pins are met). Outside contacts the change fades by a quintic with matching value and velocity:
    straight from one contact to the next if they are within twice `ease` seconds, else to nothing within `ease`.
    A frame that must stay gives the place of its contact; where several in one plant disagree, the contact ends there.
    """
    gap = max(1, round(0.5 * ease * fps))
    heel = _cut(path.ankle, _core(path.ankle, path.heel_on, fps), path.fixed, farthest, gap)
    toe = _cut(path.toe, _core(path.toe, path.toe_on, fps), path.fixed, farthest, gap)
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
    turn_known = np.zeros(len(bone), bool)
    turns = np.zeros((len(bone), 3))
    for (a, b), direction in pins.directions.items():
        turns[a:b] = log(between(bone[a:b], direction))
        turn_known[a:b] = True
    turn = exp(_eased(turns, turn_known, path.fixed, width, slope))

    shift = np.zeros((len(bone), 3))
    known = np.zeros(len(bone), bool)
    for (a, b), point in pins.heel.items():
        shift[a:b] = point - path.ankle[a:b]
        known[a:b] = True
    for (a, b), point in pins.toe.items():  # the toe has the last word: the heel may lift off before it
        shift[a:b] = point - rotate(turn[a:b], bone[a:b]) - path.ankle[a:b]
        known[a:b] = True
    level = _eased(shift[:, 1:2], known, path.fixed, max(1, round(UPRIGHT * fps)), slope)
    shift = _eased(shift, known, path.fixed, width, slope)
    shift[:, 1:2] = level
    ankle, bone = path.ankle + shift, rotate(turn, bone)
    below = [p[:, 1].min() - q[:, 1] for p, q in ((path.ankle, ankle), (path.toe, ankle + bone))]
    ankle[:, 1] += np.where(known | path.fixed, 0, np.maximum(np.maximum(*below), 0))  # no deeper than it ever was
    return FootPlan(ankle, turn, bone, _mask(heel, len(bone)), _mask(toe, len(bone)))


def _core(points: FloatArray, on: BoolArray, fps: float) -> BoolArray:
    """Contacts without their ends, where the part still rolls on or already lifts off: pinning these would throw it."""
    out = np.zeros_like(on)
    speed = part_speeds(points[:, None], fps)[:, 0]
    for a, b in runs(on):
        slow = max(CALM, 1.5 * float(np.median(speed[a:b])))
        calm = np.flatnonzero(speed[a:b] < slow)
        if len(calm) and calm[-1] - calm[0] >= SHORTEST * fps - 1:
            out[a + calm[0] : a + calm[-1] + 1] = True
    return out


def _mask(spans: list[Run], frames: int) -> BoolArray:
    out = np.zeros(frames, bool)
    for a, b in spans:
        out[a:b] = True
    return out


def _cut(points: FloatArray, on: BoolArray, fixed: BoolArray, farthest: float, gap: int) -> list[Run]:
    """Contacts, cut until the part stays within `farthest` of its mean place, and its fixed frames agree."""
    out, waiting = [], runs(on)
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
    ways = {}
    for h in heel:
        for t in toe:
            both = (max(h[0], t[0]), min(h[1], t[1]))
            if both[1] > both[0]:
                ways[h, t] = (both, _direction(bone, path.fixed, both))
    pins = _Pins({}, {}, dict(ways.values()))
    order = [(h, "heel") for h in heel] + [(t, "toe") for t in toe]
    order.sort(key=lambda item: (not path.fixed[item[0][0] : item[0][1]].any(), item[0][0] - item[0][1]))
    deepest = {"heel": path.ankle[:, 1].min(), "toe": path.toe[:, 1].min()}
    for span, part in order:
        if span not in (pins.heel if part == "heel" else pins.toe):
            points = path.ankle if part == "heel" else path.toe
            group = _chain(ways, span, part, _place(points, path.fixed, span), length)
            sunk = max(0.0, *(deepest[kind] - point[1] for _, kind, point in group))
            for member, kind, point in group:
                (pins.heel if kind == "heel" else pins.toe)[member] = point + [0.0, sunk, 0.0]
    return pins


def _chain(
    ways: dict[tuple[Run, Run], tuple[Run, FloatArray]], span: Run, part: str, point: FloatArray, length: float
) -> list[tuple[Run, str, FloatArray]]:
    """Pins of one contact and of every contact that hangs on it by overlaps: (span, part, point)."""
    found: dict[tuple[Run, str], FloatArray] = {}
    waiting = [(span, part, point)]
    while waiting:
        span, part, point = waiting.pop()
        if (span, part) in found:
            continue
        found[span, part] = point
        for (h, t), (_, way) in ways.items():
            if part == "heel" and h == span:
                waiting.append((t, "toe", point + length * way))
            elif part == "toe" and t == span:
                waiting.append((h, "heel", point - length * way))
    return [(span, part, point) for (span, part), point in found.items()]


def _place(points: FloatArray, fixed: BoolArray, span: Run) -> FloatArray:
    """Where a contact is pinned: its slow frames count most; a fixed frame counts alone."""
    a, b = span
    held = np.flatnonzero(fixed[a:b]) + a
    if len(held):
        return np.array(points[held[0]])
    speed = np.linalg.norm(np.gradient(points[a:b], axis=0), axis=-1) if b - a > 1 else np.zeros(b - a)
    weight = 1 / (speed + 0.25 * speed.mean() + 1e-9)
    return np.array((points[a:b] * weight[:, None]).sum(0) / weight.sum())


def _direction(bone: FloatArray, fixed: BoolArray, span: Run) -> FloatArray:
    a, b = span
    held = np.flatnonzero(fixed[a:b]) + a
    mean = bone[held[0]] if len(held) else bone[a:b].mean(0)
    return np.array(mean / np.linalg.norm(mean))


def _eased(values: FloatArray, known: BoolArray, fixed: BoolArray, width: int, slope: int) -> FloatArray:
    """Fill the frames between known ones; fixed frames are knots of value zero.

    Quintic Hermite pieces with the value and the velocity (over `slope` frames) of the known side, no acceleration.
    """
    out = np.where(known[:, None], values, 0.0)
    knots = known | fixed
    if not knots.any():
        return out
    spans = runs(knots)
    for k, (a, b) in enumerate(spans):
        before = spans[k - 1][1] - 1 if k else -1
        if k and a - before <= 2 * width:
            _bridge(out, before, a, _rate(out, spans[k - 1], slope, end=True), _rate(out, (a, b), slope, end=False))
        else:
            start = max(before, a - width, 0) if k else max(a - width, 0)
            _fade(out, a, start, a - width, _rate(out, (a, b), slope, end=False))
        after = spans[k + 1][0] if k + 1 < len(spans) else len(out)
        if k + 1 == len(spans) or after - (b - 1) > 2 * width:
            _fade(out, b - 1, min(b - 1 + width, len(out) - 1), b - 1 + width, _rate(out, (a, b), slope, end=True))
    return out


def _rate(values: FloatArray, span: Run, slope: int, *, end: bool) -> FloatArray:
    """Change per frame at one end of a known span."""
    a, b = span
    step = slope
    if b - a <= step:  # too short to tell from noise
        return np.zeros(values.shape[1])
    return np.array((values[b - 1] - values[b - 1 - step] if end else values[a + step] - values[a]) / step)


def _bridge(out: FloatArray, left: int, right: int, rate_left: FloatArray, rate_right: FloatArray) -> None:
    n = right - left
    u = (np.arange(1, n) / n)[:, None]
    for_left, slope_left = _quintic(u)
    for_right, slope_right = _quintic(1 - u)
    out[left + 1 : right] = (
        for_left * out[left] + slope_left * n * rate_left + for_right * out[right] - slope_right * n * rate_right
    )


def _fade(out: FloatArray, knot: int, last: int, zero: int, rate: FloatArray) -> None:
    """From the knot towards frame `zero`, where nothing is left; frames past `last` are not touched."""
    n = abs(zero - knot)
    sign = 1 if zero > knot else -1
    at = np.arange(knot + sign, last + sign, sign)
    u = (np.abs(at - knot) / n)[:, None]
    value, slope = _quintic(u)
    out[at] = value * out[knot] + slope * n * sign * rate


def _quintic(u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """From value 1 (or slope 1) at u = 0 to nothing at u = 1, without acceleration at either end."""
    return 1 - u**3 * (10 - u * (15 - 6 * u)), u * (1 - u**2 * (6 - u * (8 - 3 * u)))
