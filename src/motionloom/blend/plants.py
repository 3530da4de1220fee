"""Feet that stand still go on standing still through a transition."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.analysis.ground import Alignment, ground_alignment
from motionloom.core import BoolArray, Clip, FloatArray, Skeleton
from motionloom.kinematics.contacts import Part, contacts, foot_parts, runs
from motionloom.kinematics.forward import world
from motionloom.kinematics.limb import limb_rotations
from motionloom.kinematics.roles import Foot, feet
from motionloom.kinematics.travel import ground_turn
from motionloom.rotation import between, multiply, rotate

GAP = 0.07  # s: a foot that lifts for less than this where two clips meet did not lift
REACH = 0.995  # of its length: what a standing leg may stretch to before the hips give way
EASY, STRETCHED = 0.95, 0.998  # of its length: where a leg in the air begins to stretch, and what it never passes
RELAX = 0.3  # of its length in a second: how fast that stretch goes back where a leg stood stretched
MOST_TURN = np.radians(15.0)  # what B is turned by at most, so that feet need not turn while they stand
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


def plant_fit(found: list[Standing], sources: Near) -> Alignment:
    """How B must be turned and moved on the ground so that feet which stand over the cut stand in one place.

    A plant counts as much as it must stay (`_held`): one that begins in A's untouched frames and ends in B's has no
    other place to go, one that lies well inside the window has (it counts only where nothing else stands). Two points
    that must both stay, as the heel and the toe of one foot, also decide a turn, of MOST_TURN at most. Nothing stands
    over the cut: no move. `found` and `sources` cover the same frames. Both clips are asked at the same moments where
    one plant goes straight over into the other, so that a slow drift does not count.
    """
    here, there, held = [], [], []
    for i, one in enumerate(found):
        if one.through:
            leave, enter = one.leave, one.enter
            at_a, at_b = ([leave, enter], [leave, enter]) if enter == leave + 1 else ([leave], [enter])
            here.append(sources.a[at_a, i].mean(0))
            there.append(sources.b[at_b, i].mean(0))
            held.append(_held(one))
    if not held:
        return Alignment(0.0, 0.0, 0.0, 0.0)
    p, q, w = np.array(here), np.array(there), np.array(held)
    turn = 0.0
    if (w > 0.5).sum() > 1:
        turn = float(np.clip(ground_alignment(p, q, w).angle, -MOST_TURN, MOST_TURN))
    shift = (w + 1e-3) @ (p[:, [0, 2]] - ground_turn(turn, q[:, [0, 2]])) / (w + 1e-3).sum()
    return Alignment(turn, float(shift[0]), float(shift[1]), 0.0)


def _held(one: Standing) -> float:
    """0 .. 1: how much a plant over the cut is tied to both clips' untouched frames at the ends of the window."""
    first, last = next(run for run in runs(one.on) if run[0] <= one.leave < run[1])
    return float(np.prod(_ties(first, last, len(one.on))))


def hold_plants(body: Body, found: list[Standing], sources: Near, fps: float) -> tuple[FloatArray, FloatArray]:
    """Root (n, 3) and rotations (n, J, 4) with legs bent so that standing feet stay where they stood in their clip.

    A part that stands in A, or in B, goes where that clip has it; one that stands over the cut in two places moves
    smoothly from one to the other, as it must. Between plants the correction fades along a C1 curve. Where heel and
    toe both stand, the foot is turned so that both keep their places. Bones never stretch: where a leg would have to,
    the hips give way first, smoothly. The first and the last frame stay as they are.
    """
    body = body._replace(root=body.root + _give_way(body, found, sources, fps))
    for foot, ankle, turn, stands in _targets(body, found, sources):
        limb = (foot.thigh, foot.shin, foot.ankle)
        ankle = np.where(stands[:, None], ankle, _within_reach(body, limb, ankle, stands, fps))
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
    a, b = _ties(first, last, count)
    start = (1 - a) * (0.5 * (1 - b) + b)
    stop = start + a * b
    u = np.clip((np.arange(count) - first) / (last - 1 - first), 0, 1)
    return start + (stop - start) * (u * u * (3 - 2 * u))


def _ties(first: int, last: int, count: int) -> tuple[float, float]:
    """How much a plant from frame `first` to before `last` is tied to the window's first and to its last frame."""
    rim = count / 4
    return max(0.0, 1 - first / rim), max(0.0, 1 - (count - last) / rim)


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


def _within_reach(
    body: Body, limb: tuple[int, int, int], ankle: FloatArray, stands: BoolArray, fps: float
) -> FloatArray:
    """Targets (n, 3) for a foot in the air: a leg that would have to stretch for them stays a little bent.

    Past d_a the distance d goes to d_a + s (1 - exp(-(d - d_a) / s)), s being what is left to STRETCHED: a knee that
    comes to straight slows down instead of snapping. d_a is EASY of the leg's length, or what the leg reaches already,
    or what it reached when it stood last or stands next, less RELAX times the time between.
    """
    thigh, shin, foot = (world(*body)[0][:, j] for j in limb)
    bones = np.linalg.norm(shin - thigh, axis=-1) + np.linalg.norm(foot - shin, axis=-1)
    line = ankle - thigh
    far = np.linalg.norm(line, axis=-1) / bones
    own = np.linalg.norm(foot - thigh, axis=-1) / bones
    frames = np.arange(len(far))
    apart = np.abs(frames[:, None] - frames[stands]) / fps
    near = (far[stands] - RELAX * apart).max(1, initial=0.0)
    easy = np.clip(np.maximum(own, near), EASY, STRETCHED - 0.001)
    room = STRETCHED - easy
    eased = easy + room * -np.expm1(-np.maximum(far - easy, 0) / room)
    share = np.where((far > easy) & (far > own), np.maximum(eased, np.minimum(own, far)) / np.maximum(far, 1e-9), 1.0)
    return thigh + share[:, None] * line


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
