"""Variants as random mixtures of aligned takes, one frame at a time: plain arrays, no checks. `takes` are `Takes`.

At moment u of the common clock the pose is sum_c w_c,i x_c,i(u) for degree of freedom i: the regression of LAU eq 6
with one neighbour from each take. Instead of one kernel weight and independent noise in every frame, the weights are
random numbers about 1/S that change smoothly, sum to 1, and are shared by degrees of freedom that the network links:

    w_c,i(v) = 1/S + s (g_c,i(v) - mean_c g_c,i(v)) / sqrt(S - 1),

with g of variance 1, s the amount of variation and v the moments since the start. The covariance of the result is then
s^2 times that of the takes, reduced between moments and between degrees of freedom whose g are independent. Takes are
all about as far from their mean; so that variants are, too, the sum over takes of squared deviations of g, S - 1 on
average, is limited to `FARTHEST`^2 times that: normal numbers alone would exaggerate what a take does by half.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods._kernels_live import uniform
from motionloom.methods.variation._kernels_limb_targets import constrain, room_for
from motionloom.methods.variation._kernels_standing import follow_feet
from motionloom.methods.variation.takes import MARGIN
from motionloom.methods.variation.timing import MOMENTS

SLOW_SECONDS = 6.0  # s between the knots of the part of the weights that the whole body shares
HALF_LIFE = 0.12  # s: what is left of a seam or a correction is halved in this time
QUICKEST = 2.0  # rad/s: corrections of legs whose feet stand change no faster
FASTEST = 2.0  # the clock of a variant runs at most so much faster or slower than that of the takes
BEND = 1.2  # distance from the mean, in units of that of takes, about which weights approach their limit
FARTHEST = (1.0 + BEND**4) ** 0.25  # that limit
LIMIT = 2.5  # standard deviations: random numbers are at most so large
STEEPEST = 1.5  # largest slope of `smoothstep`
SHIFT = 0.05  # s: standard deviation of the time by which degrees of freedom of a single take are ahead or behind
TEMPO = 0.06  # standard deviation of the logarithm of a single take's tempo


@kernel
def gaussian(seed: Any, counter: Any) -> float:
    """A standard normal number from a seed and a counter (Box and Muller)."""
    a, b = uniform(seed, 2 * counter), uniform(seed, 2 * counter + 1)
    return math.sqrt(-2.0 * math.log(1.0 - a)) * math.cos(2.0 * math.pi * b)


@kernel
def normal(seed: Any, counter: Any) -> float:
    """A standard normal number, at most `LIMIT` in size."""
    return min(max(gaussian(seed, counter), -LIMIT), LIMIT)


@kernel
def draw_knot(seed: Any, knot: int, sharing: Any, out: Any) -> None:
    """out (S, D): random numbers of one knot, shared along the network. They depend on the seed and the knot alone."""
    takes, count = out.shape
    plain = np.empty(count)
    for c in range(takes):
        for i in range(count):
            plain[i] = normal(seed, 16 + (knot + 4) * takes * count + c * count + i)
        for i in range(count):
            total = 0.0
            for j in range(count):
                total += sharing[i, j] * plain[j]
            out[c, i] = total


@kernel
def weights_at(
    seed: Any, v: float, step: float, first: Any, knots: Any, takes: Any, base: Any, amounts: Any, out: Any
) -> None:  # fmt: skip
    """out (S, D + 2): the weights v moments after the start, about `base` (S,).

    Column D is for timing. Column D + 1 has what is added to `base` for details: it sums to 0, and the sum of squared
    weights is 1, as for one take alone, so that details keep their size.

    `knots` (4, S, D) holds the random numbers of knots first[0] to first[0] + 3; those that are missing are drawn. The
    cubic B-spline through them is divided by the root of its summed squares, so that its variance is 1 everywhere.
    """
    clips, count = out.shape[0], out.shape[1] - 2
    while first[0] < math.floor(v / step):
        for n in range(3):
            knots[n] = knots[n + 1]
        first[0] += 1
        draw_knot(seed, first[0] + 3, takes.sharing, knots[3])
    b0, b1, b2, b3 = spline(v / step - first[0])
    slow = v / step * takes.knot / SLOW_SECONDS
    s0, s1, s2, s3 = spline(slow - math.floor(slow))
    lasting, varying = math.sqrt(takes.lasting), math.sqrt(1.0 - takes.lasting)
    scale = 1.0 / math.sqrt(max(clips - 1, 1))
    slowly = np.empty(clips)
    for c in range(clips):
        k = -1 - clips * np.int64(math.floor(slow)) - c  # counters below 0: none of them is used by knots
        slowly[c] = s0 * normal(seed, k) + s1 * normal(seed, k - clips)
        slowly[c] += s2 * normal(seed, k - 2 * clips) + s3 * normal(seed, k - 3 * clips)
    for i in range(count + 1):
        mean, amount = 0.0, amounts[i]
        for c in range(clips):
            if i < count:
                g = b0 * knots[0, c, i] + b1 * knots[1, c, i] + b2 * knots[2, c, i] + b3 * knots[3, c, i]
            else:
                g = 0.0
                for m in range(count):
                    if takes.timing[m] != 0.0:
                        h = b0 * knots[0, c, m] + b1 * knots[1, c, m] + b2 * knots[2, c, m] + b3 * knots[3, c, m]
                        g += takes.timing[m] * h
            out[c, i] = lasting * slowly[c] + varying * g
            mean += out[c, i] / clips
        if clips > 1:  # the numbers of a single take are used for its timing
            far = 0.0
            for c in range(clips):
                out[c, i] -= mean
                far += out[c, i] * out[c, i] / ((clips - 1) * BEND * BEND)
            limited = amount * scale * FARTHEST / BEND / math.sqrt(math.sqrt(1.0 + far * far))
            for c in range(clips):
                out[c, i] = base[c] + limited * out[c, i]
    mean, size, rest = 0.0, 1e-2 * clips, 1.0
    for c in range(clips):
        mean += slowly[c] / clips
        rest -= base[c] * base[c]
    for c in range(clips):
        size += (slowly[c] - mean) ** 2
    for c in range(clips):
        out[c, count + 1] = math.sqrt(max(rest, 0.0) / size) * (slowly[c] - mean)


@kernel
def spline(t: float) -> Any:
    """The four weights of the cubic B-spline at t (0 to 1), divided by the root of their summed squares."""
    b0, b1 = (1 - t) ** 3 / 6, (3 * t**3 - 6 * t**2 + 4) / 6
    b2, b3 = (-3 * t**3 + 3 * t**2 + 3 * t + 1) / 6, t**3 / 6
    size = 1.0 / math.sqrt(b0 * b0 + b1 * b1 + b2 * b2 + b3 * b3)
    return b0 * size, b1 * size, b2 * size, b3 * size


@kernel
def begin_knots(seed: Any, first: Any, knots: Any, sharing: Any) -> None:
    """The first four knots."""
    first[0] = 0
    for n in range(4):
        draw_knot(seed, n, sharing, knots[n])


@kernel
def mixed_pose(
    takes: Any, u: float, weights: Any, base: Any, amounts: Any, shifts: Any, closed: bool, out: Any, centre: Any
) -> float:  # fmt: skip
    """out (D,): the mixture at moment u, each degree of freedom shifted by so many moments; returns the pace.

    centre (D,) is the mixture by the weights `base` (S,), displacements per frame of its own pace.

    The pace is the frames of the variant in a moment of the clock, which stays near those of the takes at that moment.
    Between moments the cubic of Catmull and Rom. Takes that are `closed` repeat: their last moment is their first one
    again.
    """
    count, last = takes.values.shape[2], takes.values.shape[1] - 1
    pace, usual, least, most = 0.0, 0.0, math.inf, 0.0
    i, t = between_moments(u, last, closed)
    for c in range(len(takes.values)):
        speed = (1 - t) * takes.speeds[c, i] + t * takes.speeds[c, i + 1]
        pace += weights[c, count] * speed
        usual += base[c] * speed
        least, most = min(least, speed), max(most, speed)
    pace = within(pace, usual, least, most)
    for d in range(count):
        if shifts[d] != 0.0:
            i, t = between_moments(u + shifts[d], last, closed)
        before, after = i - 1, i + 2
        if closed:
            before, after = before % last, after % last
        total, middle, varied = 0.0, 0.0, min(amounts[d], 1.0)
        for c in range(len(takes.values)):
            w, r = weights[c, d], base[c] + varied * weights[c, count + 1]
            x = catmull_rom(takes.values[c, :, d], before, i, after, t)
            h = catmull_rom(takes.details[c, :, d], before, i, after, t)
            total += w * (x - h) + r * h
            middle += base[c] * x
        out[d], centre[d] = total, middle / usual if takes.displacement[d] else middle
    return min(max(pace, 1.0 / (FASTEST * MOMENTS)), FASTEST / MOMENTS)


@kernel
def catmull_rom(values: Any, before: int, i: int, after: int, t: float) -> float:
    """Values (U,) between i and i + 1, straight on where `before` or `after` lies outside."""
    p1, p2 = values[i], values[i + 1]
    p0 = values[before] if before >= 0 else 2 * p1 - p2
    p3 = values[after] if after < len(values) else 2 * p2 - p1
    return float(p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0))))


@kernel
def between_moments(u: float, last: int, closed: bool) -> Any:
    """The moment at or before u, and how far u is from it to the next."""
    if closed:
        u = u % last
    u = min(max(u, 0.0), float(last))
    i = min(int(u), last - 1)
    return i, u - i


@kernel
def within(x: float, centre: float, low: float, high: float) -> float:
    """x, nearer to the centre the farther it is from it: it leaves low .. high by less than `MARGIN` of the range.

    The deviation is what is limited, as it changes slowly: a bend of the value where it leaves the range is a jerk.
    """
    room = MARGIN * (high - low)
    off = x - centre
    most = high + room - centre if off > 0.0 else centre - low + room
    share = off / max(most, 0.1 * room + 1e-12)  # a centre beyond the range keeps a little room: no value is cut off
    return centre + off / math.sqrt(math.sqrt(1.0 + share * share * share * share))


@kernel
def decay(offset: Any, y: float) -> None:
    """An offset (2,), value and rate per frame, one frame on: a critically damped spring to zero; y = 2 ln 2 / h."""
    fade = math.exp(-y)
    j1 = offset[1] + offset[0] * y
    offset[0] = fade * (offset[0] + j1)
    offset[1] = fade * (offset[1] - j1 * y)


@kernel
def limb_fades(body: Any, f: int, tasks: Any, y: float, fades: Any) -> None:
    """fades (D,): the `y` of `decay` for the frame after f.

    It is 0 for a limb that is moving to its target or at it, and afterwards smaller than `y` if it came there slowly.
    """
    for n in range(len(tasks.limb)):
        if tasks.first[n] - tasks.ease[n] <= f < tasks.last[n]:
            slow = min(y, math.e * STEEPEST / (tasks.ease[n] + 1.0)) if f + 1 == tasks.last[n] else 0.0
            for column in body.free[tasks.limb[n]]:
                if column >= 0:
                    fades[column] = y if tasks.level[n] else slow


@kernel
def predict(
    takes: Any, seed: Any, clock: Any, step: float, first: Any, knots: Any, base: Any, amounts: Any, slower: float,
    closed: bool, weights: Any, mean: Any,
) -> float:  # fmt: skip
    """mean (D,): the pose at clock (2,), the moment and the moments since the start; returns the pace.

    The weights vary about `base` (S,), and all takes `slower` times their time. A single take has no others to be
    mixed with: then each degree of freedom is ahead or behind by a random time, so that the pose combines frames that
    are near each other.
    """
    count = takes.values.shape[2]
    shifts, centre = np.zeros(count), np.empty(count)
    weights_at(seed, clock[1], step, first, knots, takes, base, amounts, weights)
    if len(takes.values) == 1:
        for d in range(count):
            shifts[d] = amounts[d] * SHIFT * step / takes.knot * weights[0, d]
        tempo = math.exp(TEMPO * amounts[count] * weights[0, count])
        weights[:, : count + 1], weights[:, count + 1] = 1.0, 0.0
        pace = mixed_pose(takes, clock[0], weights, base, amounts, shifts, closed, mean, centre) * tempo
    else:
        pace = mixed_pose(takes, clock[0], weights, base, amounts, shifts, closed, mean, centre)
    for d in range(count):
        unit = pace if takes.displacement[d] else 1.0
        mean[d] = within(mean[d] / unit, centre[d], takes.low[d], takes.high[d])
        if takes.displacement[d]:
            mean[d] /= slower
    return pace * slower


@kernel
def vote(takes: Any, u: float, weights: Any, closed: bool, out: Any) -> None:
    """out (P,): whether each foot part stands at moment u in more than half of the takes, by weight."""
    count, last = takes.values.shape[2], takes.values.shape[1] - 1
    i, t = between_moments(u, last, closed)
    near = i + 1 if t > 0.5 else i
    for p in range(len(out)):
        total = 0.0
        for c in range(len(takes.values)):
            if takes.contacts[c, near, p]:
                total += weights[c, count]
        out[p] = total > 0.5


@kernel
def variant(
    takes: Any, body: Any, seed: Any, fps: float, amounts: Any, slower: float, closed: bool, follow: bool,
    steering: Any, start: Any, tasks: Any, lift: float, made: Any, stop: Any,
) -> int:  # fmt: skip
    """A whole variant, written into `made`; returns its length.

    Without `closed` it ends where the takes end, or where `made` is full. `slower` scales the time that it takes,
    `steering` (F, 2) its displacements and what is added to its turns per frame; the hips are first raised by `lift`.
    With `follow` the hips follow feet that stand. Corrected frames continue as offsets that fade.
    """
    count, last = takes.values.shape[2], takes.values.shape[1] - 1
    first, knots = np.zeros(1, np.int64), np.empty((4, len(takes.values), count))
    begin_knots(seed, first, knots, takes.sharing)
    weights, mean = np.empty((len(takes.values), count + 2)), np.empty(count)
    base = np.full(len(takes.values), 1.0 / len(takes.values))
    offset, shown = np.zeros((2, count)), np.zeros(count)
    beyond = np.zeros(count, np.bool_)  # what left the limits for a target comes back to them as it fades
    if body.root[3] >= 0:
        offset[0, body.root[3]] = lift
    clock, track = np.zeros(2), start.copy()
    room, feet = room_for(body), np.zeros((takes.contacts.shape[2] + 3, 2))
    y, step = 2.0 * math.log(2.0) / (HALF_LIFE * fps), takes.knot * fps * MOMENTS
    fades = np.full(count, y)
    for f in range(len(made.values)):
        if stop[0]:
            return f
        if closed and clock[0] >= last:
            clock[0] -= last
        elif not closed and clock[0] > last + 1e-6:
            return f
        pace = predict(takes, seed, clock, step, first, knots, base, amounts, slower, closed, weights, mean)
        values = made.values[f]
        for d in range(count):
            values[d] = mean[d]
            if offset[0, d] != 0.0:  # what is left of a correction stays within the limits of the body
                values[d] = mean[d] + offset[0, d]
                bounded = min(max(values[d], body.low[d]), body.high[d])
                beyond[d] = beyond[d] and values[d] != bounded
                if not beyond[d]:
                    values[d] = bounded
        at = between_moments(clock[0], last, closed)
        if follow:
            follow_feet(takes, body, at, weights, mean, made.values[max(f - 1, 0)], track, feet, fps, room)
        before = made.values[max(f - 2, 0) : max(f, 1)][::-1]
        most = QUICKEST / fps if f > 0 else math.inf
        corrected = constrain(body, f, track, values, mean, before, tasks, room, shown, most, False)
        limb_fades(body, f, tasks, y, fades)
        for d in range(count):
            if corrected:
                offset[0, d] = values[d] - mean[d]
                most = fades[d] * abs(offset[0, d])  # a correction that fades does not grow first
                offset[1, d] = min(max(offset[0, d] - shown[d], -most), most)
                beyond[d] = not body.low[d] <= values[d] <= body.high[d]
            shown[d] = offset[0, d]
        i, t = at
        for c in range(len(weights)):
            made.weights[f, c] = weights[c, count]
            made.frames[f, c] = (1 - t) * takes.frames[c, i] + t * takes.frames[c, i + 1]
        vote(takes, clock[0], weights, closed, made.contacts[f])
        travel(body, values, steering[f], track)
        for d in range(count):
            decay(offset[:, d], fades[d])
        clock += 1.0 / pace
    return len(made.values)


@kernel
def travel(body: Any, values: Any, steering: Any, track: Any) -> None:
    """The track (3,), x, z and heading, a frame on; the displacements in `values` are scaled and turned."""
    left, ahead, turn = body.root[0], body.root[1], body.root[2]
    if left >= 0:
        values[left] *= steering[0]
    if ahead >= 0:
        values[ahead] *= steering[0]
    if turn >= 0:
        values[turn] += steering[1]
    x = values[left] if left >= 0 else body.root_still[0]
    z = values[ahead] if ahead >= 0 else body.root_still[1]
    c, s = math.cos(track[2]), math.sin(track[2])
    track[0] += c * x + s * z
    track[1] += c * z - s * x
    track[2] += values[turn] if turn >= 0 else body.root_still[2]
