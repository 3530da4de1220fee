"""Feet that stand still go on standing still through a transition."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, Skeleton
from motionloom.kinematics.contacts import Part, contacts, foot_parts, runs
from motionloom.kinematics.forward import world
from motionloom.kinematics.limb import limb_rotations
from motionloom.kinematics.roles import Foot, feet
from motionloom.rotation import between, multiply, rotate

GAP = 0.07  # s: a foot that lifts for less than this where two clips meet did not lift
REACH = 0.995  # of its length: what a standing leg may stretch to before the hips give way
SPREAD = 0.06  # s over which that is smoothed


class Standing(NamedTuple):
    """When one part of a foot, its heel or its toe, stands in the result."""

    part: Part
    on: BoolArray  # (F,)
    leave: int  # the last frame before the cut in which it stands in A (the one before the cut, if it does not)
    enter: int  # the first frame from the cut on in which it stands in B (the cut itself, if it does not)

    def seen_from(self, start: int, stop: int) -> Standing:
        """The same for frames start .. stop - 1, counted from `start`."""
        return Standing(self.part, self.on[start:stop], max(self.leave - start, 0), min(self.enter, stop - 1) - start)

    @property
    def through(self) -> bool:
        """It stands over the cut."""
        return bool(self.on[self.leave : self.enter + 1].all())


class Near(NamedTuple):
    """Where the parts are in the clips that are joined, from the frame before the window to the one after it."""

    a: FloatArray  # (n, P, 3) world, A's own motion
    b: FloatArray  # (n, P, 3) B's own, laid ready


class Body(NamedTuple):
    """The frames of the result near the window: the window and one untouched frame at each end."""

    skeleton: Skeleton
    root: FloatArray  # (n, 3)
    rotations: FloatArray  # (n, J, 4)
    slides: FloatArray | None


def standing(a: Clip, b: Clip, cut: tuple[int, int]) -> list[Standing]:
    """When each foot part stands: in `a` up to frame cut[0], then in `b` from frame cut[1] on.

    Contacts are the clips' own labels where they have them, else what `contacts` detects.
    """
    on_a, on_b = contacts(a), contacts(b)
    most = round(GAP * a.fps)
    out = []
    for part in foot_parts(a.skeleton):
        on = np.concatenate([on_a[part.label][: cut[0]], on_b[part.label][cut[1] :]])
        before, after = np.flatnonzero(on[: cut[0]]), np.flatnonzero(on[cut[0] :]) + cut[0]
        leave, enter = cut[0] - 1, cut[0]
        if len(before) and len(after) and after[0] - before[-1] - 1 <= most:
            leave, enter = int(before[-1]), int(after[0])
            on[leave:enter] = True
        out.append(Standing(part, on, leave, enter))
    return out


def plant_gap(found: list[Standing], sources: Near) -> FloatArray:
    """How far B must be shifted on the ground (x, z) so that feet which stand over the cut stand in one place.

    The mean over the parts that do; zero if none does. `found` and `sources` cover the same frames. Both clips are
    asked at the same moments where one plant goes straight over into the other, so that a slow drift does not count.
    """
    gaps = []
    for i, (_, _, leave, enter) in enumerate(found):
        if found[i].through:
            at_a, at_b = ([leave, enter], [leave, enter]) if enter == leave + 1 else ([leave], [enter])
            gaps.append((sources.a[at_a, i] - sources.b[at_b, i]).mean(0))
    return np.mean(gaps, axis=0)[[0, 2]] if gaps else np.zeros(2)


def hold_plants(body: Body, found: list[Standing], sources: Near, fps: float) -> tuple[FloatArray, FloatArray]:
    """Root (n, 3) and rotations (n, J, 4) with legs bent so that standing feet stay where they stood in their clip.

    A part that stands in A, or in B, goes where that clip has it; one that stands over the cut in two places moves
    smoothly from one to the other, as it must. Between plants the correction fades along a C1 curve. Where heel and
    toe both stand, the foot is turned so that both keep their places. Bones never stretch: where a leg would have to,
    the hips give way first, smoothly. The first and the last frame stay as they are.
    """
    body = body._replace(root=body.root + _give_way(body, found, sources, fps))
    for foot, ankle, turn, _ in _targets(body, found, sources):
        limb = (foot.thigh, foot.shin, foot.ankle)
        bent, _ = limb_rotations(
            body.skeleton, body.root, body.rotations, limb, ankle, orientation=turn, soft=0.0, slides=body.slides
        )
        bent[[0, -1]] = body.rotations[[0, -1]]
        body = body._replace(rotations=bent)
    return body.root, body.rotations


class _Target(NamedTuple):
    foot: Foot
    ankle: FloatArray  # (n, 3) where it goes
    turn: FloatArray  # (n, 4) how the foot is turned, world
    stands: BoolArray  # (n,)


def _targets(body: Body, found: list[Standing], sources: Near) -> list[_Target]:
    """Where each foot that stands at all goes."""
    places, turns = world(*body)
    out = []
    for foot in feet(body.skeleton):
        own = [(i, one) for i, one in enumerate(found) if one.part.foot.name == foot.name]
        if not any(one.on[1:-1].any() for _, one in own):
            continue
        points = [places[:, p.joint] + rotate(turns[:, p.joint], p.offset) for _, (p, *_) in own]
        moves = [_move(x, one, sources.a[:, i], sources.b[:, i]) for x, (i, one) in zip(points, own, strict=True)]
        ankle, turn = places[:, foot.ankle] + _bridged(moves[0].shift, moves[0].known), turns[:, foot.ankle]
        if len(moves) == 2:
            ankle, turn = _both(places[:, foot.ankle], turn, points, moves[0], moves[1])
        out.append(_Target(foot, ankle, turn, np.any([one.on for _, one in own], axis=0)))
    return out


class _Move(NamedTuple):
    """How far one part must move: known where it stands, and zero at both ends."""

    shift: FloatArray  # (n, 3)
    known: BoolArray  # (n,)


def _move(path: FloatArray, one: Standing, in_a: FloatArray, in_b: FloatArray) -> _Move:
    """From where the part is, `path` (n, 3), to where it stands in A or in B."""
    shift, known = np.zeros_like(path), np.array(one.on)
    here, there = _carried_on(one, in_a, in_b)
    for first, last in runs(one.on):
        if first <= one.leave and last > one.enter:
            u = _share_of_b(first, last, len(path))[:, None]
        else:
            u = np.full((len(path), 1), float(first > one.leave))
        shift[first:last] = (here + (there - here) * u - path)[first:last]
    shift[[0, -1]], known[[0, -1]] = 0.0, True
    return _Move(shift, known)


def _carried_on(one: Standing, in_a: FloatArray, in_b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(n, 3) each: A's place, with what drift B has after the cut; and B's place, with A's drift before it."""
    frames = np.arange(len(in_a))
    before, after = frames[:, None] <= one.leave, frames[:, None] >= one.enter
    straight = one.enter == one.leave + 1
    late = in_b[np.maximum(frames, one.enter)] - in_b[one.leave if straight else one.enter]
    early = in_a[np.minimum(frames, one.leave)] - in_a[one.enter if straight else one.leave]
    return np.where(before, in_a, in_a[one.leave] + late), np.where(after, in_b, in_b[one.enter] + early)


def _share_of_b(first: int, last: int, count: int) -> FloatArray:
    """(n,) how much B's place counts, 0 .. 1, for a part that stands over the cut from frame `first` to before `last`.

    A plant that begins in A's untouched frames starts at A's place, one that ends in B's ends at B's; one that lies
    well inside takes the middle all the time, so only a plant that reaches both ends of the window has to move.
    """
    rim = count / 4
    a, b = max(0.0, 1 - first / rim), max(0.0, 1 - (count - last) / rim)
    start = (1 - a) * (0.5 * (1 - b) + b)
    stop = start + a * b
    u = np.clip((np.arange(count) - first) / (last - 1 - first), 0, 1)
    return start + (stop - start) * (u * u * (3 - 2 * u))


def _both(
    ankle: FloatArray, turn: FloatArray, points: list[FloatArray], heel: _Move, toe: _Move
) -> tuple[FloatArray, FloatArray]:
    """Where the ankle goes and how the foot is turned so that heel and toe both stand.

    With e the difference of the two corrections (known where both stand, bridged elsewhere), the line from heel to toe
    is turned by e, and the toe's correction is its own, or where only the heel stands the heel's less e.
    """
    both = heel.known & toe.known
    e = _bridged(heel.shift - toe.shift, both)
    shift = np.where((heel.known & ~toe.known)[:, None], heel.shift - e, toe.shift)
    shift = _bridged(shift, heel.known | toe.known)
    line = points[1] - points[0]
    swing = between(line, line - e)
    return points[1] + shift - rotate(swing, points[1] - ankle), multiply(swing, turn)


def _bridged(shift: FloatArray, known: BoolArray) -> FloatArray:
    """Unknown frames filled by a cubic that goes on at the speed of the known ones at either side."""
    out = np.where(known[:, None], shift, 0.0)
    for first, last in runs(~known):
        a, b, length = first - 1, last, last - first + 1
        p = length * (shift[a] - shift[a - 1]) if a > 0 and known[a - 1] else np.zeros(3)
        q = length * (shift[b + 1] - shift[b]) if b + 1 < len(shift) and known[b + 1] else np.zeros(3)
        u = (np.arange(first, last) - a)[:, None] / length
        rise = shift[b] - shift[a]
        out[first:last] = shift[a] + u * p + u**2 * (3 * rise - 2 * p - q) + u**3 * (p + q - 2 * rise)
    return out


def _give_way(body: Body, found: list[Standing], sources: Near, fps: float) -> FloatArray:
    """How far the hips move, (n, 3) m, so that legs which stand can reach their feet; zero at both ends.

    Each leg asks for what it lacks beyond REACH of its length (or beyond what it has already, or has at both ends),
    along its own line; the largest wish of each frame is spread over its neighbours and smoothed.
    """
    places = world(*body)[0]
    count = len(places)
    wish = np.zeros((count, 3))
    u = np.linspace(0, 1, count)
    for foot, ankle, _, stands in _targets(body, found, sources):
        bones = np.linalg.norm(np.diff(places[:, [foot.thigh, foot.shin, foot.ankle]], axis=1), axis=-1).sum(1)
        own = np.linalg.norm(places[:, foot.ankle] - places[:, foot.thigh], axis=-1)
        most = np.maximum(np.maximum(REACH * bones, own), (1 - u) * own[0] + u * own[-1])
        line = ankle - places[:, foot.thigh]
        far = np.linalg.norm(line, axis=-1)
        lack = np.where(stands, np.maximum(far - most, 0) / np.maximum(far, 1e-9), 0.0)[:, None] * line
        larger = np.linalg.norm(lack, axis=-1) > np.linalg.norm(wish, axis=-1)
        wish = np.where(larger[:, None], lack, wish)
    wish[[0, -1]] = 0.0
    if not wish.any():
        return wish
    reach = max(1, round(SPREAD * fps))
    seen = np.lib.stride_tricks.sliding_window_view(np.pad(wish, ((reach, reach), (0, 0))), 2 * reach + 1, axis=0)
    largest = np.linalg.norm(seen, axis=1).argmax(1)
    spread = np.take_along_axis(seen, largest[:, None, None], axis=2)[..., 0]
    kernel = np.hanning(2 * reach + 3)[1:-1]
    smooth = np.stack([np.convolve(x, kernel / kernel.sum(), "same")[:count] for x in spread.T], 1)
    rim = np.clip(np.minimum(np.arange(count), count - 1 - np.arange(count)) / (reach + 1), 0, 1)
    return smooth * (rim * rim * (3 - 2 * rim))[:, None]
