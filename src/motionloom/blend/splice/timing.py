"""Time alignment of two locomotions by their legs (HECK 4.2.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionloom.analysis import AlignmentCurve, PointCloud, dtw_path, fit_curve
from motionloom.analysis.leg_swing import gait_period, leg_swing, legs
from motionloom.core import BadRequest, Clip, FloatArray, IntArray, NoPath, Progress, part, silent
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.fk import fk, velocities
from motionloom.kinematics.loop import Loop, close_loop, find_loop, repeat

GRID_FPS = 60.0  # frames per second at which legs are compared, or the clips' own rate if that is lower
WINDOW = 1 / 12  # s to each side: the length of the point clouds
NEAR_BEST = 1.2  # the first local minimum within this factor of the best one is the common phase
STANDING = 1.5  # times as far from its best phase as later: the upper clip begins at rest
RESTING = 0.25  # of the usual speed of the legs, over `REST_TIME`: below it, they rest
REST_TIME = 0.5  # s
MAX_RUN = 2  # steps in a row: an action is played at most three times as fast, and at a third of its pace
USUAL_CYCLE = 1.2  # s, where no cycle is found
MIN_LIFT = 0.03  # m: rise of an ankle below which feet do not step
POOR_COST = 0.10  # m: root mean square distance of the legs above which an alignment is called poor
MAX_LIMITED = 0.5  # share of steps at the slope limit above which it is called poor
CYCLIC_SEAM = 0.10  # m: largest seam (pose and velocity) of a clip that may be looped


@dataclass(frozen=True, eq=False)
class LegTiming:
    """The time alignment curve of a lower and an upper clip, and how well their legs fit."""

    curve: AlignmentCurve  # clip 0 is the lower one, clip 1 the upper one; seconds
    path: IntArray  # (P, 2) matching frames at `fps`, in the lower clip and in the cropped upper one
    fps: float
    crop: float  # s: start of the upper clip that is left out, so that both begin in phase
    cost: float  # m: root mean square distance of hips and knees along the path
    limited: float  # 0..1: share of the path's steps that are at the slope limit

    @property
    def poor(self) -> str:
        """Why the alignment is poor, or ""."""
        if self.cost > POOR_COST:
            return f"the legs differ by {100 * self.cost:.0f} cm on average (3 to 7 cm is usual)"
        if self.limited > MAX_LIMITED:
            return (
                f"{100 * self.limited:.0f} % of the alignment is at its slope limit, so the legs step at very "
                "different paces; trim the action to the part in which they fit best"
            )
        return ""

    def upper_times(self, seconds: FloatArray) -> FloatArray:
        """Times in the upper clip that belong to times in the lower one."""
        return self.curve.matching(seconds, of=0, to=1)


def leg_points(clip: Clip, fps: float, places: FloatArray | None = None) -> FloatArray:
    """(F, 3, 3) hips, left and right knee at this frame rate, from the first to the last frame of the clip."""
    points = legs(clip, places).points
    count = max(2, round((len(clip) - 1) * fps / clip.fps) + 1)
    at = np.linspace(0, len(clip) - 1, count)
    at = np.where(np.abs(at - np.round(at)) < 1e-9, np.round(at), at)
    first = np.minimum(at.astype(np.int64), len(clip) - 2)
    t = (at - first)[:, None, None]
    return np.asarray((1 - t) * points[first] + t * points[first + 1])


def require_stepping(clip: Clip, places: FloatArray | None = None) -> None:
    """`BadRequest` unless a foot of the clip leaves the ground: an action must be performed while stepping."""
    ankles = [foot.ankle for foot in feet(clip.skeleton)]
    heights = (fk(clip) if places is None else places)[:, ankles, 1]
    lift = float(np.ptp(heights, axis=0).max(initial=0.0))
    if lift < MIN_LIFT:
        raise BadRequest(
            f"{clip.name or 'the clip'}: its feet do not step (no ankle rises by {100 * MIN_LIFT:.0f} cm, found "
            f"{100 * lift:.1f} cm); clips are aligned by their legs, so they must show steps"
        )


def hand_speeds(clip: Clip, places: FloatArray | None = None) -> FloatArray:
    """(F,) m/s: the faster hand, or the head, against the hips."""
    ends = [j for role in ("left_hand", "right_hand", "head") if (j := clip.skeleton.find(role)) is not None]
    points = fk(clip) if places is None else places
    return np.linalg.norm(velocities(points[:, ends] - points[:, :1], clip.fps), axis=2).max(1, initial=0.0)


def haste_prices(clip: Clip, fps: float, places: FloatArray) -> FloatArray:
    """(F,) m^2: prices of steps of an alignment in which an action moves on alone or waits, at this frame rate.

    How far its hands move in the time of a point cloud, squared, now and on average, as one of the three points of a
    cloud: quick movements are neither rushed nor held up to bring legs nearer by some centimetres.
    """
    at = np.linspace(0, len(clip) - 1, max(2, round((len(clip) - 1) * fps / clip.fps) + 1))
    moved = (WINDOW * np.interp(at, np.arange(len(clip)), hand_speeds(clip, places))) ** 2
    return np.asarray((moved + moved.mean()) / 3)


def align_legs(lower: Clip, upper: Clip, *, action: int | None = 1, progress: Progress | None = None) -> LegTiming:
    """Which moments of `upper` are in the same phase of the gait as which moments of `lower` (HECK 4.2.2).

    Costs are point clouds of hips and knees, which may be shifted in height (stairs) and turned about the vertical.
    The upper clip is cropped to the phase of the lower clip's first frame: of the local minima of the distance within
    one cycle, the first within `NEAR_BEST` of the best (HECK takes the first, which is often half a cycle off); of a
    clip that begins at rest on one that does not, in a later cycle. The cheapest path then runs to the end of either
    clip, where its mean cost is least, and a C1 curve is fitted to it.
    """
    report = progress or silent()
    fps = min(lower.fps, upper.fps, GRID_FPS)
    below, above = fk(lower), fk(upper)
    require_stepping(upper, above)
    require_stepping(lower, below)
    a, b = leg_points(lower, fps, below), leg_points(upper, fps, above)
    rates = [(len(p) - 1) / ((len(c) - 1) / c.fps) for p, c in ((a, lower), (b, upper))]  # frames per second of each
    radius = max(1, round(WINDOW * fps))
    shortest = 2 * radius + 1
    if min(len(a), len(b)) <= shortest:
        raise BadRequest(
            f"clips of at least {shortest / fps:.2f} s are needed, found {min(len(a), len(b)) / fps:.2f} s"
        )
    measure = PointCloud(radius=radius, freedom="height", precision="double")
    cost = measure.between(_extended(a, radius), _extended(b, radius), np.ones(3)).matrix(part(report, 0.0, 0.5))
    rest = _rest(a, b, fps)
    start = rest + common_phase(cost[0, rest:], leg_period(upper, above) or USUAL_CYCLE, fps, len(a))
    if len(b) - start <= shortest:
        raise BadRequest(f"{upper.name or 'the upper clip'}: no phase in common with {lower.name or 'the lower clip'}")
    prices = [np.zeros(len(a)), np.zeros(len(b) - start)]
    if action is not None:
        prices[action] = haste_prices(*((lower, fps, below), (upper, fps, above))[action])[-len(prices[action]) :]
    path = dtw_path(
        cost[:, start:], limit=MAX_RUN, ends="either", prices=(prices[0], prices[1]), progress=part(report, 0.5, 1.0)
    )
    on_path = cost[path[:, 0], path[:, 1] + start]
    times = (path + [0, start]) / rates
    return LegTiming(
        _curve(times, path), path, fps, start / rates[1], float(np.sqrt(on_path.mean())), _share_limited(path)
    )


def _curve(times: FloatArray, path: IntArray) -> AlignmentCurve:
    """The curve of a path; for one of diagonal steps alone, the straight line that it is.

    Of several frames of the upper clip that belong to the first or to the last one of the lower clip, only that next to
    the rest of the path counts: the others would be rushed through within a frame.
    """
    lower = path[:, 0]
    inner = slice(np.searchsorted(lower, lower[0], "right") - 1, np.searchsorted(lower, lower[-1]) + 1)
    times, path = times[inner], path[inner]
    if (np.diff(path, axis=0) == 1).all():
        return AlignmentCurve(np.array([0.0, 0.0, 1.0, 1.0]), times[[0, -1]], 1)
    return fit_curve(times, limit=MAX_RUN + 1.0)


def _extended(points: FloatArray, frames: int) -> FloatArray:
    """Point reflections of the motion at both ends, so that every frame has a whole window around it."""
    front, back = 2 * points[0] - points[frames:0:-1], 2 * points[-1] - points[-2 : -2 - frames : -1]
    return np.concatenate([front, points, back])


def _rest(lower: FloatArray, upper: FloatArray, fps: float) -> int:
    """Frames at the start of the upper clip in which its legs (F, 3, 3) still rest, if those of the lower clip move.

    0 if that is short, as in a slow step, or if too little would be left for the lower clip.
    """
    width = max(1, round(REST_TIME * fps))
    moving = []
    for points in (lower, upper):
        speed = np.linalg.norm(np.diff(points, axis=0), axis=-1).mean(1)
        mean = np.convolve(np.pad(speed, width, mode="edge"), np.ones(width) / width, "same")[width:-width]
        moving.append(mean > RESTING * np.percentile(mean, 75))
    first = int(np.argmax(moving[1]))
    return first if moving[0][0] and first >= width and len(upper) - first >= len(lower) else 0


def leg_period(clip: Clip, places: FloatArray | None = None) -> float | None:
    """Seconds of one gait cycle of the clip; None if it has none."""
    return gait_period(leg_swing(legs(clip, places)), clip.fps)


def common_phase(cost: FloatArray, period: float, fps: float, needed: int = 0) -> int:
    """The frame of the upper clip in the phase of the lower clip's first one, by squared distances `cost` (F,) m^2.

    Where a later minimum that leaves `needed` frames is `STANDING` times better than all of the first cycle, the clip
    begins at rest, and the cycle in which that quality is first reached is searched instead.
    """
    size = np.sqrt(np.maximum(cost, 0.0))
    cycle = max(3, round(period * fps) + 1)
    last = max(cycle, len(size) - needed)
    begin = 0
    if size[:cycle].min() > STANDING * size[:last].min():
        begin = int(np.argmax(size[:last] <= STANDING * size[:last].min()))
    padded = np.concatenate([[np.inf], size[begin : min(begin + cycle, len(size))], [np.inf]])
    minima = np.flatnonzero((padded[1:-1] <= padded[:-2]) & (padded[1:-1] <= padded[2:]))
    found = padded[1:-1][minima]
    return begin + int(minima[np.argmax(found <= NEAR_BEST * found.min())])


def _share_limited(path: IntArray) -> float:
    """The share of steps in runs across or down that are as long as the slope limit allows."""
    steps = np.diff(path, axis=0)
    kind = steps[:, 0] - steps[:, 1]  # 0 diagonal, -1 across, 1 down
    ends = np.flatnonzero(np.diff(kind, append=2))
    lengths = np.diff(ends, prepend=-1)
    return float(lengths[(kind[ends] != 0) & (lengths >= MAX_RUN)].sum() / max(1, len(kind)))


def looped(upper: Clip, lower: Clip) -> tuple[Clip, Loop] | None:
    """A stretch of the upper clip repeated until it is long enough for the lower one; None if none is cyclic."""
    try:
        found = find_loop(upper)
    except NoPath:
        return None
    if found.seam > CYCLIC_SEAM:
        return None
    cycle = close_loop(upper, found)
    period = leg_period(upper) or USUAL_CYCLE
    pace = max(1.0, period / (leg_period(lower) or period))  # longer cycles need more time
    seconds = 1.25 * pace * lower.seconds + 2 * period
    return repeat(cycle, int(np.ceil(seconds / ((len(cycle) - 1) / cycle.fps)))), found
