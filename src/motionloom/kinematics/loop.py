"""Loops: find a stretch that can repeat, close its seam, and repeat it with its travel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import (
    BadRequest,
    BoolArray,
    Clip,
    FloatArray,
    IntArray,
    NoPath,
    Progress,
    concatenate,
    replace,
    silent,
)
from motionloom.core.limits import Limits
from motionloom.core.numbers import squared_distances
from motionloom.core.progress import each, part, parts
from motionloom.core.watched import watched
from motionloom.kinematics.fk import fk, velocities
from motionloom.kinematics.travel import along, from_root_motion, in_place, placed, root_motion, travel
from motionloom.rotation import exp, inverse, log, multiply, rotate, yaw

POSE_SPEED = 1e-3  # m/s: a clip whose joints are slower than this on average holds a pose
BLOCK = 2048  # starts and ends of loops that are compared together
LOOK_AHEAD = 0.1  # s: a velocity difference counts as the distance it makes in this time
LONGEST_PERIOD = 10.0  # s: longer periods are not looked for
VALLEY = 0.6  # poses one period apart differ by at most this share of what poses less than a period apart do
NEAR_PERIOD = 0.15  # a cycle may be longer or shorter than the mean period by this share


class Loop(NamedTuple):
    """Frames `start` to `end`: the body at `end` could continue as at `start`."""

    start: int
    end: int  # the frame that looks like `start`; a cycle has end - start frames
    seam: float  # metres, see `seam_features`
    covered: float  # share of all the clip's movement that lies inside, 0..1
    speed: float  # mean speed of the joints inside, m/s


def seam_features(clip: Clip) -> FloatArray:
    """(F, D) metres: two frames look alike, wherever they stand and face, as far as these vectors are near.

    Joint positions relative to the place of the hips on the ground and to their heading, and joint velocities in the
    same frame (travel included) times 0.1 s. Divided by sqrt(joints), so that the Euclidean distance of two rows is
    the *seam*: root mean square over joints of sqrt(|dp|^2 + (0.1 s)^2 |dv|^2).
    """
    points = fk(clip)
    path = travel(clip)
    turn = yaw(-path.heading)[:, None]
    here = points - np.stack([path.place[:, 0], 0 * path.heading, path.place[:, 1]], 1)[:, None]
    pose = rotate(turn, here)
    flow = rotate(turn, velocities(points, clip.fps)) * LOOK_AHEAD
    return np.concatenate([pose, flow], -1).reshape(len(clip), -1) / np.sqrt(len(clip.skeleton))


def seam(clip: Clip, start: int, end: int) -> float:
    """How far the frames `start` and `end` are apart in pose and velocity, metres (see `seam_features`)."""
    rows = seam_features(clip)
    return float(np.linalg.norm(rows[start] - rows[end]))


@watched
def find_loop(
    clip: Clip,
    *,
    shortest: float = 0.4,
    longest: float | None = None,
    gate: float | None = None,
    slowest: float = 0.5,
    progress: Progress | None = None,
) -> Loop:
    """The stretch that repeats well and covers most of the clip's movement; one period of it is found by `find_cycle`.

    Among all pairs of frames at least `shortest` seconds apart (at most `longest`), whose mean joint speed is at
    least `slowest` times the whole clip's (a held pose has the smallest seam of all, and is no loop), those with a
    seam below the gate are kept; of these, the one that covers most movement (the sum of joint speeds) wins; its
    start and end then move to the smallest seam within 0.1 s. The gate is `gate` metres; by default the larger of
    the median change from one frame to the next at 30 fps (a seam no one can see) and 1.5 times the smallest seam.
    """
    gates = (_natural(clip), 1.5) if gate is None else (gate, 0.0)
    return _search(clip, shortest, np.inf if longest is None else longest, gates, slowest, progress or silent())


@watched
def find_cycle(
    clip: Clip, *, shortest: float = 0.4, slowest: float = 0.5, progress: Progress | None = None
) -> Loop | None:
    """One period of a cyclic motion (two steps of a walk), where its seam is smallest; None if no period is found.

    The period is the first lag, from `shortest` to 10 s, after which poses come back: the 20th percentile of the seams
    between frames so far apart (of stretches not slower than `slowest` times the clip, as for `find_loop`) falls to
    0.6 of the largest at shorter lags, and is least there. The cycle may be 15 % shorter or longer than that.
    """
    step, rows, moved = _movement(clip)
    report = progress or silent()
    lags = range(step, int(min(len(clip) - 1, LONGEST_PERIOD * clip.fps)) + 1, step)
    period, least, largest = 0, np.inf, 0.0
    for lag in each(lags, part(report, 0.0, 0.5), "looking for a period"):
        moving = moved[lag:-1:step] - moved[: len(clip) - lag : step] >= slowest * lag * moved[-1] / len(clip)
        if not moving.any():
            continue
        seams = np.linalg.norm(rows[lag::step][moving] - rows[: len(clip) - lag : step][moving], axis=1)
        usual = float(np.quantile(seams, 0.2))
        if period and usual > VALLEY * largest:
            break
        if lag >= shortest * clip.fps and usual <= min(VALLEY * largest, least):
            period, least = lag, usual
        largest = max(largest, usual)
    if not period:
        return None
    seconds = period / clip.fps
    low, high = max(shortest, (1 - NEAR_PERIOD) * seconds), (1 + NEAR_PERIOD) * seconds
    return _search(clip, low, high, (0.0, 1.0), slowest, part(report, 0.5, 1.0))


def _search(
    clip: Clip, shortest: float, longest: float, gates: tuple[float, float], slowest: float, report: Progress
) -> Loop:
    """The loop of `shortest` to `longest` seconds that covers most, of those whose seams pass the gates of `_pick`."""
    step, rows, moved = _movement(clip)
    at = np.arange(0, len(clip), step)
    low, high = shortest * clip.fps, longest * clip.fps
    best = _pick(rows, moved, at, at, low, high, gates, slowest, clip, report)
    reach = max(step, round(0.1 * clip.fps))  # what covers most lies at the edge of the gate: step to the best frames
    near = [np.arange(max(0, f - reach), min(len(clip), f + reach + 1)) for f in best[:2]]
    start, end, value = _pick(
        rows, moved, near[0], near[1], low, high, (0.0, 1.0), slowest, clip, part(report, 1.0, 1.0)
    )
    whole = max(moved[-1], 1e-12)
    inside = moved[end] - moved[start]
    return Loop(start, end, value, float(inside / whole), float(inside * clip.fps / (end - start)))


def _natural(clip: Clip) -> float:
    """Metres: the median change from one frame to the next at 30 fps."""
    step, rows, _ = _movement(clip)
    return float(np.median(np.linalg.norm(rows[step:] - rows[:-step], axis=1))) if len(clip) > step else 0.0


def _movement(clip: Clip) -> tuple[int, FloatArray, FloatArray]:
    """Frames per 1/30 s, seam features (F, D), and metres that the joints have moved before each frame (F + 1)."""
    rows = seam_features(clip)
    joints = len(clip.skeleton)
    flow = rows.reshape(len(clip), joints, 6)[..., 3:] * np.sqrt(joints) / LOOK_AHEAD
    speed = np.sqrt((flow**2).sum(-1).mean(-1))  # (F,) RMS over joints, m/s
    return max(1, round(clip.fps / 30)), rows, np.concatenate([[0.0], np.cumsum(speed)]) / clip.fps


def _pick(
    rows: FloatArray,
    moved: FloatArray,
    starts: IntArray,
    ends: IntArray,
    low: float,
    high: float,
    gates: tuple[float, float],
    slowest: float,
    clip: Clip,
    progress: Progress,
) -> tuple[int, int, float]:
    """The best pair of `starts` and `ends`. Blocks of pairs are searched from the one that can cover most movement on,
    until no other can cover more than the best pair found."""
    if moved[-1] * clip.fps < POSE_SPEED * len(rows):
        raise NoPath(f"no loop in {clip.name or 'the clip'}: nothing moves in it", best=clip)
    floor = slowest * moved[-1] / len(rows)

    def block(a: IntArray, b: IntArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        apart = np.sqrt(squared_distances(rows[a], rows[b]))
        length = b[None] - a[:, None]
        inside = moved[b][None] - moved[a][:, None]
        return apart, inside, (length >= max(low, 2)) & (length <= high) & (inside >= floor * length)

    firsts, lasts = (np.split(x, np.arange(BLOCK, len(x), BLOCK)) for x in (starts, ends))
    pairs = [(a, b) for a in firsts for b in lasts if b[-1] > a[0]]
    pairs.sort(key=lambda ab: moved[ab[0][0]] - moved[ab[1][-1]])  # stable: most movement first
    first, rest = parts(progress, [1, 1])
    least = np.inf
    if gates[1]:
        for a, b in each(pairs, first, "comparing frames"):
            apart, _, allowed = block(a, b)
            least = min(least, apart[allowed].min(initial=np.inf))
    limit = max(gates[0], gates[1] * least + 1e-9) if gates[1] else max(gates[0], 1e-9)
    best, top = None, -np.inf
    for a, b in each(pairs, rest, "choosing a loop"):
        if moved[b[-1]] - moved[a[0]] <= top:
            break
        apart, inside, allowed = block(a, b)
        least = min(least, apart[allowed].min(initial=np.inf))
        good = allowed & (apart <= limit)
        score = np.where(good, inside - 1e-3 * moved[-1] * apart / max(limit, 1e-9), -np.inf)
        i, j = np.unravel_index(int(score.argmax()), score.shape)
        if score[i, j] > top:
            top, best = float(score[i, j]), (int(a[i]), int(b[j]), float(apart[i, j]))
    if best is not None:
        return best
    name = clip.name or "the clip"
    if np.isinf(least):
        raise NoPath(f"no loop in {name}: no stretch of at least {low / clip.fps:g} s moves enough", best=clip)
    raise NoPath(f"no loop in {name}: the smallest seam is {least:.3f} m, the gate is {limit:g} m", best=clip)


@watched
def close_loop(clip: Clip, loop: Loop | None = None, *, seconds: float = 0.5, progress: Progress | None = None) -> Clip:
    """One cycle whose last frame is its first again, carried on by the cycle's displacement. Poses and speeds meet.

    Each channel's difference over the seam, in value and in velocity, is taken out half on either side by a quintic
    that starts with that value and slope and fades to nothing (with two derivatives) within `seconds`, or half the
    cycle if that is shorter. Rotations in exponential maps, height and slides as they are; on the ground and in
    heading only the speed is matched, as the body may travel. The seam frame is there twice, as the last and the
    first frame, so that the cycle's displacement is known: `repeat` leaves one out.
    """
    report = progress or silent()
    loop = loop or find_cycle(clip, progress=part(report, 0.0, 0.5)) or find_loop(clip, progress=part(report, 0.5, 0.9))
    report(0.9, "closing the loop")
    if not 0 <= loop.start < loop.end - 1 < len(clip) - 1:
        raise BadRequest(f"no loop from frame {loop.start} to {loop.end} in a clip of {len(clip)} frames")
    cycle = clip[loop.start : loop.end + 1]
    still, motion = in_place(cycle), root_motion(cycle)
    count = len(cycle) - 1
    width = int(max(1, min(count // 2, round(seconds * clip.fps))))

    turn = log(multiply(inverse(still.rotations[0]), still.rotations[-1]))
    spins = log(multiply(inverse(still.rotations[[0, -2]]), still.rotations[[1, -1]]))
    rotations = multiply(still.rotations, exp(_faded(turn, spins[1] - spins[0], count, width)))
    root = still.root + faded_gap(still.root, width)
    slides = None if still.slides is None else still.slides + faded_gap(still.slides, width)
    motion[:-1] += _faded(motion[-2] - motion[0], np.zeros(3), count - 1, width)
    here = travel(cycle)
    path = from_root_motion(motion, here.place[0], float(here.heading[0]))
    made = along(replace(still, root=root, rotations=rotations, slides=slides), path)
    report(1.0, "closing the loop")
    return made


def faded_gap(values: FloatArray, width: int, rate_width: int | None = None) -> FloatArray:
    """(F, ...) what to add to values (F, ...) so that the last one is the first again, in value and in rate.

    Half of the gap is added at the start and half is taken away at the end, fading within `width` rows; what the rates
    differ by, within `rate_width` rows, the same if not given (0: rates are left as they are). It moves the values by
    up to a tenth of that difference times `rate_width`.
    """
    steps = (values[1] - values[0], values[-1] - values[-2])
    return _faded(values[-1] - values[0], steps[1] - steps[0], len(values) - 1, width, rate_width)


def _faded(gap: FloatArray, slope: FloatArray, count: int, width: int, rate_width: int | None = None) -> FloatArray:
    """(count + 1, ...): half of `gap` (and of `slope`, per frame) at the start, minus half at the end, fading inwards.

    c(u) = gap h0(u) + slope h1(u), with h0 = 1 - 10 u^3 + 15 u^4 - 6 u^5 and h1 = u - 6 u^3 + 8 u^4 - 3 u^5: the
    quintic with this value and slope at u = 0, no curvature there, and three zeros at u = 1.
    """
    narrow = width if rate_width is None else rate_width
    rows = np.arange(count + 1).reshape(-1, *[1] * np.ndim(gap))
    u, v = np.clip(rows / width, 0, 1), np.clip(rows / max(narrow, 1), 0, 1)
    value = (1 + u**3 * (-10 + u * (15 - 6 * u))) * (gap / 2)
    rate = v * (1 + v**2 * (-6 + v * (8 - 3 * v))) * (slope / 2 * narrow)
    return (value + rate) + (rate - value)[::-1]


def repeat(clip: Clip, times: int) -> Clip:
    """A closed cycle (see `close_loop`) several times over, each turn carried on by the cycle's rigid displacement.

    The cycle's last frame stands for its first in the next turn, so N + 1 frames become times * N + 1.
    """
    if times < 1:
        raise BadRequest(f"repeat at least once, not {times} times")
    if why := Limits.current().exceeded(frames=times * (len(clip) - 1) + 1):
        raise BadRequest(why, where=("times",))
    if len(clip) < 2:
        raise BadRequest("a cycle needs at least two frames: its last is the first again")
    turns = [clip]
    for _ in range(times - 1):
        path = travel(turns[-1])
        turns.append(placed(clip, path.place[-1], float(path.heading[-1])))
    return concatenate([*(c[:-1] for c in turns[:-1]), turns[-1]])
