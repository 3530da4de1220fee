"""Gaze displacement motions extracted from takes: rotations, start times, peak and overshoot (HECK 5.2.2.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import FloatArray, Progress, silent
from motionloom.methods.gaze._kernels_fit import landmark_residuals
from motionloom.methods.gaze.displacement_motions import GazeMotion, eyes_turn, joint_displacements, progress_at
from motionloom.methods.gaze.marker_takes import Shift
from motionloom.rotation import angle_between, average, exp, inverse, log, multiply

EYE_LEAD = 0.03  # s that the eyes start before the first joint; markers do not show it
START_SPEED = np.radians(18.0)  # rad/s: a joint starts when it is faster (HECK), or above its noise
MIN_REST_FRAMES = 12  # of the second rest, for a mean of their own
LEAST_NOISE = np.radians(0.02)  # of a landmark, in the fit
START_SPREAD = 0.1  # s: starts of joints that hardly turn stay within this of the others
MIN_TAKES = 5  # for a habit
LEAST_SPREAD = 0.03  # of a habit
LEAST_GAP = 0.02  # least time between the start of a joint and the peak


class Extracted(NamedTuple):
    """A gaze motion of a take, and how much of the take it does not show."""

    motion: GazeMotion
    start: float  # s in the shift at which the motion begins (when the eyes start)
    lost: float  # rad: root mean square angle between the take's head and the model's


def extract_by_thresholds(shift: Shift, target: tuple[float, float]) -> Extracted:
    """HECK's extraction: displacement from the first to the last frame, events by thresholds on velocities.

    The sign of a velocity is that of its component along the final displacement. k and m, the frames to each side of a
    difference and of the means that a change of sign is confirmed by, are as long as noise alone stays below a
    sixth of the 18 degrees per second that start a joint (3 to 6 frames); where 6 are too few, the threshold rises.
    """
    frames, fps = shift.cropped, shift.fps
    settled = shift.settled - shift.rest
    noise = np.hypot(shift.noise, np.concatenate([[0.0], shift.noise[:-1]]))  # of a joint against its parent
    k = m = int(np.clip(np.ceil(6 * noise.max() * fps / (2 * START_SPEED)), 3, 6))
    joints = joint_displacements(frames[0], frames[-1])
    turns = np.concatenate([log(joints), log(eyes_turn(joints, *target))[None]])
    path = log(joint_displacements(frames[:1], frames))
    length = max(settled, 2)
    spin = _along(log(multiply(frames[:, 3], inverse(frames[:1, 3]))))
    velocity = _difference(spin, k) * fps
    peak = _peak(velocity, m, length)
    end = float(spin[-1]) or 1.0
    beta = 0.0 if peak is None else max(0.0, float(spin[peak] / end) - 1.0)
    at = length if peak is None else peak
    starts = []
    for j in range(4):
        speed = np.linalg.norm(_difference(path[:, j], k), axis=-1) * fps
        fast = np.flatnonzero(speed[:length] > max(START_SPEED, 6 * noise[j] * fps / (2 * k)))
        starts.append(min((float(fast[0]) if len(fast) else 0.0), at - 1) / length)
    motion = GazeMotion(*target, turns, length / fps, np.array(starts), at / length, beta)
    start = shift.rest / fps
    return Extracted(motion, start, _loss(shift, motion, start))


def _along(vectors: FloatArray) -> FloatArray:
    """(F,) components of rotation vectors along the last one."""
    size = np.linalg.norm(vectors[-1])
    return np.asarray(vectors @ (vectors[-1] / size)) if size > 1e-9 else np.zeros(len(vectors))


def _difference(values: FloatArray, k: int) -> FloatArray:
    """Differences per frame over k frames to each side."""
    at = np.arange(len(values))
    ahead, back = np.minimum(at + k, len(values) - 1), np.maximum(at - k, 0)
    width = (ahead - back).reshape(-1, *[1] * (values.ndim - 1))
    return np.asarray((values[ahead] - values[back]) / width)


def _peak(velocity: FloatArray, m: int, length: int) -> int | None:
    """The first frame where the velocity changes its sign, also on average over m frames to both sides."""
    for j in range(m + 1, min(length, len(velocity) - m - 1)):
        if velocity[j] * velocity[j - 1] < 0 and velocity[j - m : j].mean() * velocity[j + 1 : j + m + 1].mean() < 0:
            return j
    return None


class Habit(NamedTuple):
    """How a performer times shifts: means and standard deviations over takes, in units of the rise of the neck.

    (4,) starts of pelvis, lower and upper spine after that of the neck, and the time from the peak to the end.
    """

    mean: FloatArray
    spread: FloatArray


def habit_of(shifts: Sequence[Shift], found: Sequence[Extracted]) -> Habit | None:
    """The timing that takes have in common; None for fewer than `MIN_TAKES`.

    Takes count by the square of what is visible of each number: the turn of the joint over its noise, and the
    overshoot of the head.
    """
    if len(found) < MIN_TAKES:
        return None
    values, visible = np.empty((len(found), 4)), np.empty((len(found), 4))
    for i, (shift, one) in enumerate(zip(shifts, found, strict=True)):
        motion, noise = one.motion, np.maximum(shift.noise, LEAST_NOISE)
        rise = max(motion.peak - motion.starts[3], 1e-3)
        values[i] = [*(motion.starts[:3] - motion.starts[3]) / rise, (1 - motion.peak) / rise]
        turns = np.linalg.norm(motion.turns, axis=1)
        visible[i] = [*(turns[:3] / noise[:3]), motion.overshoot * turns[:4].sum() / noise[3]]
    weight = visible**2 / np.maximum((visible**2).sum(0), 1e-9)
    mean = (weight * values).sum(0)
    return Habit(mean, np.maximum(np.sqrt((weight * (values - mean) ** 2).sum(0)), LEAST_SPREAD))


def extract_all(
    shifts: Sequence[Shift], targets: Sequence[tuple[float, float]], *, progress: Progress | None = None
) -> list[Extracted]:
    """The motions of one performer's takes: each fitted alone, then again with what the takes have in common.

    Of a joint that turns by a degree, or an overshoot of a tenth, the time is lost in the noise of one take.
    """
    report = progress or silent()
    found: list[Extracted] = []
    for k, (shift, target) in enumerate(zip(shifts, targets, strict=True)):
        report(0.8 * k / len(shifts), "fitting shifts")
        found.append(extract(shift, target))
    habit = habit_of(shifts, found)
    for k, (shift, target) in enumerate(zip(shifts, targets, strict=True)):
        report(0.8 + 0.2 * k / len(shifts), "fitting shifts")
        if habit is not None:
            found[k] = _settled(shift, target, found[k], habit)
    return found


def extract(shift: Shift, target: tuple[float, float]) -> Extracted:
    """The motion whose curve (5.2.3) fits the whole take best, with displacements from the means over both rests.

    First and last frame alone carry the noise of single frames, and thresholds find starts late (0.16 s at 0.3 mm of
    noise): both rests are averaged, and starts, peak, end and overshoot are those of least squares over all frames.
    """
    return _settled(shift, target, _fitted(shift, target, extract_by_thresholds(shift, target), tries=(0.0, 0.1)))


def _settled(shift: Shift, target: tuple[float, float], found: Extracted, habit: Habit | None = None) -> Extracted:
    """The fit again, with the mean of the second rest taken from the frames after the fitted end: it begins slowly."""
    end = math.ceil((found.start + found.motion.seconds) * shift.fps)
    if found.motion.peak < 1.0 and len(shift.turns) - end >= MIN_REST_FRAMES:
        shift = shift._replace(after=average(shift.turns[end:], axis=0))
    elif habit is None:
        return found
    return _fitted(shift, target, found, habit)


def _fitted(
    shift: Shift,
    target: tuple[float, float],
    guess: Extracted,
    habit: Habit | None = None,
    tries: Sequence[float] = (0.0,),
) -> Extracted:
    """Least squares over the rotations of all landmarks, each in units of its own noise.

    The angles are those of the landmarks in the world: a joint against its parent has the noise of both, and the
    triangles of the back are three times as noisy as the head.
    """
    from scipy.optimize import least_squares

    joints = joint_displacements(shift.before, shift.after)
    vectors = log(joints)
    turns = np.concatenate([vectors, log(eyes_turn(joints, *target))[None]])
    sizes = np.linalg.norm(vectors, axis=1)
    if sizes.max() < np.radians(1.0):  # straight ahead: nothing moves
        still = GazeMotion(*target, turns, guess.motion.seconds, np.zeros(4), 1.0, 0.0)
        return Extracted(still, 0.0, _loss(shift, still, 0.0))
    frame, clock = 1.0 / shift.fps, np.arange(len(shift.turns)) / shift.fps
    taken = inverse(multiply(shift.turns, inverse(shift.before)))
    unit, off = 1.0 / np.maximum(shift.noise, LEAST_NOISE), np.empty((len(clock), 4, 3))

    def times(values: FloatArray) -> tuple[FloatArray, float, float]:
        """Starts, peak and end in seconds: each a positive step after the one before."""
        starts = values[:4]
        peak = starts.max() + abs(values[4]) + frame
        return starts, peak, peak + abs(values[5]) + frame

    def residual(values: FloatArray) -> FloatArray:
        starts, peak, end = times(values)
        landmark_residuals(clock, np.array([*starts, peak, end, abs(values[6])]), vectors, taken, unit, off)
        if habit is None:
            return np.concatenate([off.ravel(), (starts - starts.mean()) / START_SPREAD])
        timing = np.append(starts[:3] - starts[3], end - peak) / max(peak - starts[3], frame)
        return np.concatenate([off.ravel(), (timing - habit.mean) / habit.spread])

    best = None
    motion = guess.motion
    firsts = [motion.starts * motion.seconds - late for late in tries]
    if habit is not None:  # where the order of the starts is wrong, steps do not lead to the right one
        firsts.append(firsts[0][3] + np.append(habit.mean[:3], 0.0) * (motion.peak * motion.seconds - firsts[0][3]))
    for first in firsts:
        rise = max(motion.peak * motion.seconds - first.max(), 0.3 * motion.seconds)
        after = max((1 - motion.peak) * motion.seconds, 0.2)
        values = np.array([*(guess.start + first), rise, after, max(motion.overshoot, 0.02)])
        found = least_squares(residual, values, method="lm", max_nfev=400)
        if best is None or found.cost < best.cost:
            best = found
    assert best is not None
    starts, peak, end = times(best.x)
    begin = float(starts[sizes > 0.1 * sizes.max()].min()) - EYE_LEAD
    length = end - begin
    normal = np.clip((starts - begin) / length, 0.0, (peak - begin) / length - LEAST_GAP)
    made = GazeMotion(*target, turns, length, normal, (peak - begin) / length, float(abs(best.x[6])))
    return Extracted(made, begin, _loss(shift, made, begin))


def _loss(shift: Shift, motion: GazeMotion, begin: float) -> float:
    """Radians: how far the model's head is from the take's, root mean square over the frames."""
    time = (np.arange(len(shift.turns)) / shift.fps - begin) / motion.seconds
    share = progress_at(time[:, None], motion.starts, np.array(motion.peak), np.array(motion.overshoot))
    head = np.tile([1.0, 0.0, 0.0, 0.0], (len(time), 1))
    for j in range(4):
        head = multiply(head, exp(share[:, j, None] * motion.turns[j]))
    taken = multiply(shift.turns[:, 3], inverse(shift.before[3]))
    return float(np.sqrt((angle_between(head, taken) ** 2).mean()))
