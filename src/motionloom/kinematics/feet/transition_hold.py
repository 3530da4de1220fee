"""Legs bent over transition windows so that feet which stand keep standing still; many windows at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray, Skeleton
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.body.roles import Foot
from motionloom.kinematics.feet.contacts import foot_parts, parts_by_foot, points_of
from motionloom.kinematics.fk import world
from motionloom.kinematics.ik.limb import folding_direction, limb_rotations
from motionloom.rotation import between, multiply, rotate

MAX_STANDING_REACH = 0.995  # of its length: what a standing leg may stretch to before the hips descend
EASY_REACH, MAX_REACH = 0.95, 0.998  # of its length: where a leg in the air begins to stretch, and what it never passes
RELAX_RATE = 0.3  # of its length in a second: how fast that stretch goes back where a leg stood stretched
HIP_SMOOTHING = 0.06  # s over which the hips' descent is smoothed


class Windows(NamedTuple):
    """K stretches of n frames: a transition's window each, and one untouched frame at both of its ends."""

    skeleton: Skeleton
    root: FloatArray  # (K, n, 3)
    rotations: FloatArray  # (K, n, J, 4)
    slides: FloatArray | None  # (K, n, J, 3)
    on: BoolArray  # (K, n, P) when each of `foot_parts` stands in the result
    leave: IntArray  # (K, P) the last frame before the cut in which it stands in A (the one before the cut, if none)
    enter: IntArray  # (K, P) the first frame from the cut on in which it stands in B (the cut itself, if none)
    a: FloatArray  # (K, n, P, 3) where the parts are in A, world
    b: FloatArray  # (K, n, P, 3) and in B, laid ready


class _Posed(NamedTuple):
    places: FloatArray  # (K, n, J, 3)
    turns: FloatArray  # (K, n, J, 4)


def hold_plants(windows: Windows, fps: float) -> tuple[FloatArray, FloatArray]:
    """Roots (K, n, 3) and rotations (K, n, J, 4) with legs bent so that standing feet stay where they stood.

    A part that stands in A, or in B, goes where that clip has it; one that stands over the cut in two places moves
    smoothly from one to the other, as it must. Between plants the correction fades along a C1 curve. Where heel and
    toe both stand, the foot is turned so that both keep their places. Bones never stretch: where a leg would have to,
    the hips descend first, smoothly. The first and the last frame of each window stay as they are.
    """
    posed = _posed(windows)
    shift = _lower_hips(windows, posed, _targets(windows, posed), fps)
    windows = windows._replace(root=windows.root + shift)
    posed = posed._replace(places=posed.places + shift[:, :, None])
    count, n = windows.root.shape[:2]
    rotations = np.array(windows.rotations)
    slides = None if windows.slides is None else windows.slides.reshape(count * n, -1, 3)
    for foot, ankle, turn, stands in _targets(windows, posed):
        limb = (foot.thigh, foot.shin, foot.ankle)
        ankle = np.where(stands[..., None], ankle, _within_reach(posed, limb, ankle, stands, fps))
        bent, _ = limb_rotations(
            windows.skeleton,
            windows.root.reshape(-1, 3),
            rotations.reshape(count * n, -1, 4),
            limb,
            ankle.reshape(-1, 3),
            orientation=turn.reshape(-1, 4),
            bend=folding_direction(windows.skeleton, limb, *posed).reshape(-1, 3),
            soft=0.0,
            slides=slides,
        )
        bent = bent.reshape(rotations.shape)
        touched = stands[:, 1:-1].any(1)  # windows in which this foot never stands are left alone
        rotations[touched, 1:-1] = bent[touched, 1:-1]
    return windows.root, rotations


def _posed(windows: Windows) -> _Posed:
    count, n = windows.root.shape[:2]
    slides = None if windows.slides is None else windows.slides.reshape(count * n, -1, 3)
    rotations = windows.rotations.reshape(count * n, -1, 4)
    places, turns = world(windows.skeleton, windows.root.reshape(-1, 3), rotations, slides)
    return _Posed(places.reshape(count, n, -1, 3), turns.reshape(count, n, -1, 4))


class _Target(NamedTuple):
    foot: Foot
    ankle: FloatArray  # (K, n, 3) where it goes
    turn: FloatArray  # (K, n, 4) how the foot is turned, world
    stands: BoolArray  # (K, n)


def _targets(windows: Windows, posed: _Posed) -> list[_Target]:
    """Where each foot that stands at all goes."""
    places, turns = posed
    parts = foot_parts(windows.skeleton)
    out = []
    for foot, own in parts_by_foot(windows.skeleton):
        stands = np.asarray(windows.on[..., own].any(-1))
        if not stands[:, 1:-1].any():
            continue
        points = list(np.moveaxis(points_of([parts[i] for i in own], places, turns), 2, 0))
        moves = [_move(x, windows, i) for x, i in zip(points, own, strict=True)]
        ankle, turn = places[:, :, foot.ankle], turns[:, :, foot.ankle]
        if len(moves) == 2:
            ankle, turn = _both(ankle, turn, points, moves[0], moves[1])
        else:
            ankle = ankle + _bridged(moves[0].shift, moves[0].known)
        out.append(_Target(foot, ankle, turn, stands))
    return out


class _Move(NamedTuple):
    """How far one part must move: known where it stands, and zero at both ends."""

    shift: FloatArray  # (K, n, 3)
    known: BoolArray  # (K, n)


def _move(path: FloatArray, windows: Windows, part: int) -> _Move:
    """From where the part is, `path` (K, n, 3), to where it stands in A or in B."""
    known = np.array(windows.on[..., part])
    leave, enter = windows.leave[:, part, None], windows.enter[:, part, None]
    here, there = _carried_on(windows, part)
    frames = np.arange(path.shape[1])
    begins = known & ~np.pad(known, ((0, 0), (1, 0)))[:, :-1]
    ends = known & ~np.pad(known, ((0, 0), (0, 1)))[:, 1:]
    first = np.maximum.accumulate(np.where(begins, frames, 0), axis=1)  # of the plant that a frame lies in
    last = np.minimum.accumulate(np.where(ends, frames, frames[-1])[:, ::-1], axis=1)[:, ::-1] + 1
    through = (first <= leave) & (last > enter)
    u = np.where(through, _share_of_b(frames, first, last), first > leave)[..., None]
    shift = np.where(known[..., None], here + (there - here) * u - path, 0.0)
    shift[:, [0, -1]], known[:, [0, -1]] = 0.0, True
    return _Move(shift, known)


def _carried_on(windows: Windows, part: int) -> tuple[FloatArray, FloatArray]:
    """(K, n, 3) each: A's place, with what drift B has after the cut; and B's place, with A's drift before it."""
    in_a, in_b = windows.a[:, :, part], windows.b[:, :, part]
    leave, enter = windows.leave[:, part, None], windows.enter[:, part, None]
    frames = np.arange(in_a.shape[1])
    straight = enter == leave + 1

    def at(places: FloatArray, index: IntArray) -> FloatArray:
        return np.asarray(np.take_along_axis(places, index[..., None], axis=1))

    late = at(in_b, np.maximum(frames, enter)) - at(in_b, np.where(straight, leave, enter))
    early = at(in_a, np.minimum(frames, leave)) - at(in_a, np.where(straight, enter, leave))
    here = np.where((frames <= leave)[..., None], in_a, at(in_a, leave) + late)
    return here, np.where((frames >= enter)[..., None], in_b, at(in_b, enter) + early)


def _share_of_b(frames: IntArray, first: IntArray, last: IntArray) -> FloatArray:
    """(K, n) how much B's place counts, 0 .. 1, for a part that stands over the cut from `first` to before `last`.

    A plant that begins in A's untouched frames starts at A's place, one that ends in B's ends at B's; one that lies
    well inside takes the middle all the time, so only a plant that reaches both ends of the window has to move.
    """
    a, b = ties(first, last, len(frames))
    start = (1 - a) * (0.5 * (1 - b) + b)
    stop = start + a * b
    return np.asarray(start + (stop - start) * smoothstep((frames - first) / np.maximum(last - 1 - first, 1)))


def ties(first: Any, last: Any, count: int) -> tuple[Any, Any]:
    """How much a plant from frame `first` to before `last` is tied to the window's first and to its last frame."""
    rim = count / 4
    return np.maximum(0.0, 1 - first / rim), np.maximum(0.0, 1 - (count - last) / rim)


def _both(
    ankle: FloatArray, turn: FloatArray, points: list[FloatArray], heel: _Move, toe: _Move
) -> tuple[FloatArray, FloatArray]:
    """Where the ankle goes and how the foot is turned so that heel and toe both stand.

    With e the difference of the two corrections (known where both stand, bridged elsewhere), the line from heel to toe
    is turned by e, and the toe's correction is its own, or where only the heel stands the heel's less e.
    """
    both = heel.known & toe.known
    e = _bridged(heel.shift - toe.shift, both)
    shift = np.where((heel.known & ~toe.known)[..., None], heel.shift - e, toe.shift)
    shift = _bridged(shift, heel.known | toe.known)
    line = points[1] - points[0]
    swing = between(line, line - e)
    return points[1] + shift - rotate(swing, points[1] - ankle), multiply(swing, turn)


def _bridged(shift: FloatArray, known: BoolArray) -> FloatArray:
    """Unknown frames filled by a cubic that continues at the speed of the known ones at either side."""
    count = known.shape[1]
    frames = np.arange(count)
    a = np.maximum.accumulate(np.where(known, frames, 0), axis=1)  # the nearest known frame, before and after
    b = np.minimum.accumulate(np.where(known, frames, count - 1)[:, ::-1], axis=1)[:, ::-1]

    def at(values: FloatArray, index: IntArray) -> FloatArray:
        return np.asarray(np.take_along_axis(values, index[..., None], axis=1))

    def speed(near: IntArray, step: int) -> FloatArray:
        far = np.clip(near + step, 0, count - 1)
        valid = (far != near) & np.take_along_axis(known, far, axis=1)
        return np.where(valid[..., None], step * (at(shift, far) - at(shift, near)), 0.0)

    length = np.maximum(b - a, 1)[..., None]
    u = (frames - a)[..., None] / length
    p, q = length * speed(a, -1), length * speed(b, 1)
    rise = at(shift, b) - at(shift, a)
    cubic = at(shift, a) + u * p + u**2 * (3 * rise - 2 * p - q) + u**3 * (p + q - 2 * rise)
    return np.where(known[..., None], shift, cubic)


def _within_reach(
    posed: _Posed, limb: tuple[int, int, int], ankle: FloatArray, stands: BoolArray, fps: float
) -> FloatArray:
    """Targets (K, n, 3) for a foot in the air: a leg that would have to stretch for them stays a little bent.

    Past d_a the distance d goes to d_a + s (1 - exp(-(d - d_a) / s)), s being what is left to MAX_REACH: a knee that
    comes to straight slows down instead of snapping. d_a is EASY_REACH of the leg's length, or what the leg reaches
    already, or what it reached when it stood last or stands next, less RELAX_RATE times the time between.
    """
    thigh, shin, foot = (posed.places[:, :, j] for j in limb)
    bones = np.linalg.norm(shin - thigh, axis=-1) + np.linalg.norm(foot - shin, axis=-1)
    line = ankle - thigh
    far = np.linalg.norm(line, axis=-1) / bones
    own = np.linalg.norm(foot - thigh, axis=-1) / bones
    frames = np.arange(far.shape[1])
    apart = np.abs(frames[:, None] - frames) / fps
    near = np.where(stands, far, 0.0)[:, None] - RELAX_RATE * apart
    easy = np.clip(np.maximum(own, near.max(-1)), EASY_REACH, MAX_REACH - 0.001)
    room = MAX_REACH - easy
    eased = easy + room * -np.expm1(-np.maximum(far - easy, 0) / room)
    share = np.where((far > easy) & (far > own), np.maximum(eased, np.minimum(own, far)) / np.maximum(far, 1e-9), 1.0)
    return np.asarray(thigh + share[..., None] * line)


def _lower_hips(windows: Windows, posed: _Posed, targets: list[_Target], fps: float) -> FloatArray:
    """How far the hips move, (K, n, 3) m, so that legs which stand can reach their feet; zero at both ends.

    Each leg needs the distance that it lacks beyond MAX_STANDING_REACH of its length (or of its present length, or of
    that at both ends), along its own line; the largest need of each frame is spread over its neighbours and smoothed.
    """
    places = posed.places
    count = places.shape[1]
    shift = np.zeros_like(windows.root)
    u = np.linspace(0, 1, count)
    for foot, ankle, _, stands in targets:
        bones = np.linalg.norm(np.diff(places[:, :, [foot.thigh, foot.shin, foot.ankle]], axis=2), axis=-1).sum(-1)
        own = np.linalg.norm(places[:, :, foot.ankle] - places[:, :, foot.thigh], axis=-1)
        most = np.maximum(np.maximum(MAX_STANDING_REACH * bones, own), (1 - u) * own[:, :1] + u * own[:, -1:])
        line = ankle - places[:, :, foot.thigh]
        far = np.linalg.norm(line, axis=-1)
        lack = np.where(stands, np.maximum(far - most, 0) / np.maximum(far, 1e-9), 0.0)[..., None] * line
        larger = np.linalg.norm(lack, axis=-1) > np.linalg.norm(shift, axis=-1)
        shift = np.where(larger[..., None], lack, shift)
    shift[:, [0, -1]] = 0.0
    if not shift.any():
        return shift
    reach = max(1, round(HIP_SMOOTHING * fps))
    around = ((0, 0), (reach, reach), (0, 0))
    seen = np.lib.stride_tricks.sliding_window_view(np.pad(shift, around), 2 * reach + 1, axis=1)
    largest = np.linalg.norm(seen, axis=2).argmax(-1)
    spread = np.take_along_axis(seen, largest[..., None, None], axis=3)[..., 0]
    kernel = np.hanning(2 * reach + 3)[1:-1]
    seen = np.lib.stride_tricks.sliding_window_view(np.pad(spread, around), 2 * reach + 1, axis=1)
    smooth = seen @ (kernel / kernel.sum())
    rim = smoothstep(np.minimum(np.arange(count), count - 1 - np.arange(count)) / (reach + 1))
    return np.asarray(smooth * rim[:, None])
