"""Gaze in plain numpy: what the kernels of `motionloom.methods.gaze` compute, slowly and obviously."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray
from motionloom.kinematics.fk import world
from motionloom.methods.gaze.displacement_motions import progress_at
from motionloom.methods.gaze.gaze_map import GazeMap
from motionloom.methods.gaze.gaze_shifts import GazeBody, GazeState
from motionloom.rotation import between, exp, inverse, log, multiply, normalize, rotate
from motionloom.rotation import yaw as yaw_turn

EASE = math.radians(4.0)
EYE_LIMIT, MAX_FOLLOW, BEHIND, ROUNDS = math.radians(50.0), math.radians(300.0), math.radians(30.0), 4


def eased(angle: FloatArray, limit: FloatArray | float) -> FloatArray:
    """The angle up to a limit, then a parabola that levels out `EASE` above it."""
    over = np.clip(angle - limit, 0.0, 2 * EASE)
    return np.where(angle > limit, limit + over - over**2 / (4 * EASE), angle)


class Base(NamedTuple):
    """The gaze of the poses below."""

    places: FloatArray  # (N, J, 3)
    turns: FloatArray  # (N, J, 4) world rotations
    eye: FloatArray  # (N, 3)
    gaze: FloatArray  # (N, 3)
    frame: FloatArray  # (N, 4) yaw of the gaze
    yaw: FloatArray  # (N,)
    pitch: FloatArray  # (N,)


def base_gaze(body: GazeBody, root: FloatArray, rotations: FloatArray) -> Base:
    """Where the poses look without any displacement."""
    places, turns = world(body.skeleton, root, rotations)
    gaze = rotate(turns[:, body.eyes], body.facing).sum(1)
    gaze /= np.maximum(np.linalg.norm(gaze, axis=1, keepdims=True), 1e-9)
    angle = np.arctan2(gaze[:, 0], gaze[:, 2])
    pitch = np.arcsin(np.clip(gaze[:, 1], -1, 1))
    return Base(places, turns, places[:, body.eyes].mean(1), gaze, yaw_turn(angle), angle, pitch)


def displaced(body, base, rotations: FloatArray, vectors: FloatArray) -> FloatArray:
    """(N, J, 4) local rotations with the displacements `vectors` (N, 5, 3): q' = (G_p^-1 F d F^-1 G_p) q.

    G_p is the world rotation of the parent before any displacement and F the yaw of the base gaze.
    """
    out = np.array(rotations)
    parents = body.skeleton.parents
    own = np.einsum("ck,nkx->ncx", body.shares, vectors[:, :4])
    joints, turns = body.chain, own
    if body.has_eyes:
        joints = np.concatenate([body.chain, body.eyes])
        turns = np.concatenate([own, np.repeat(vectors[:, 4:], len(body.eyes), 1)], 1)
    above = np.where((parents[joints] >= 0)[None, :, None], base.turns[:, parents[joints]], [1.0, 0.0, 0.0, 0.0])
    side = multiply(inverse(base.frame)[:, None], above)
    out[:, joints] = normalize(multiply(multiply(inverse(side), multiply(exp(turns), side)), rotations[:, joints]))
    return out


def head_turn(body: GazeBody, vectors: FloatArray) -> FloatArray:
    """(N, 4) the displacement of the head in the base gaze's frame: the product along the chain."""
    own = exp(np.einsum("ck,nkx->ncx", body.shares, vectors[:, :4]))
    turn = own[:, 0]
    for c in range(1, own.shape[1]):
        turn = multiply(turn, own[:, c])
    return turn


def aimed(
    body: GazeBody,
    base: Base,
    rotations: FloatArray,
    root: FloatArray,
    rows: FloatArray,
    line: FloatArray,
    points: FloatArray,
) -> FloatArray:
    """(N, 5, 3) displacements of blended rows (N, 24) whose eyes, and beyond their limit the neck, hit the target.

    `line` (N, 3) is the direction that is wanted; where `points` (N, 3) are finite it is found from them, as the eyes
    move with the head.
    """
    vectors = rows[:, 2:17].reshape(-1, 5, 3).copy()
    near = np.isfinite(points[:, 0])
    neck = vectors[:, 3].copy()
    limit = EYE_LIMIT if body.has_eyes else 0.0
    for _ in range(ROUNDS if near.any() else 1):
        vectors[:, 3] = neck
        turn = head_turn(body, vectors)
        wanted = rotate(inverse(multiply(base.frame, multiply(turn, inverse(base.frame)))), line)
        rest = rotate(inverse(base.frame), log(between(base.gaze, wanted)))
        size = np.linalg.norm(rest, axis=1, keepdims=True)
        share = eased(size, limit - EASE) / np.maximum(size, 1e-12) if body.has_eyes else np.zeros_like(size)
        bent = log(multiply(exp(neck), exp((1 - share) * rest)))
        most = np.maximum(math.radians(140.0) - limit - EASE, np.linalg.norm(neck, axis=1, keepdims=True))
        size = np.maximum(np.linalg.norm(bent, axis=1, keepdims=True), 1e-12)
        vectors[:, 3] = bent * eased(size, most) / size
        vectors[:, 4] = share * rest
        if near.any():
            moved = world(body.skeleton, root, displaced(body, base, rotations, vectors))[0]
            eye = moved[:, body.eyes].mean(1)
            new = points - eye
            new /= np.maximum(np.linalg.norm(new, axis=1, keepdims=True), 1e-9)
            line = np.where(near[:, None], new, line)
    return vectors


def gaze_step(
    body: GazeBody,
    gaze_map: GazeMap,
    state: GazeState,
    root: FloatArray,
    rotations: FloatArray,
    points: FloatArray,
    dt: float,
    *,
    cone: float = math.pi,
    relative: FloatArray | None = None,
) -> tuple[GazeState, FloatArray]:
    """One step of N characters that look at `points` (N, 3), NaN for none: the state, and rotations (N, J, 4).

    `relative` (N, 2) asks for a change of yaw and pitch from the gaze of the poses below instead (HECK): their own
    movements of the head stay. A target farther than `cone` from ahead is released until it is 20 degrees nearer.
    """
    base = base_gaze(body, root, rotations)
    asked, line, active, sought, kept = _requests(base, state, points, relative, cone, dt)
    level = leveled(line)
    jump = np.abs(asked - state.asked).max(1)
    world_jump = np.arctan2(np.linalg.norm(np.cross(line, state.aim), axis=1), (line * state.aim).sum(1))
    near = np.isfinite(sought[:, 0])
    same_side = np.abs(asked[:, 0] - state.asked[:, 0]) < np.pi
    jump = np.where(near & np.isfinite(state.aim[:, 0]) & same_side, world_jump, jump)
    both = active & (state.active > 0)
    hop = np.maximum(math.radians(3.0), 2 * state.pace * dt)  # a target that was at rest, or much slower
    new = (active != (state.active > 0)) | (both & (jump > np.minimum(hop, MAX_FOLLOW * dt)))
    target = points if relative is None else np.concatenate([relative, np.zeros((len(points), 1))], 1)
    size = np.linalg.norm(points - base.eye, axis=1) if relative is None else np.ones(len(points))
    fresh = new | ~active
    track, followed = steadied(target, size, state.track, dt)
    first = np.concatenate([np.where(active[:, None], target, 0.0)[:, None], np.zeros((len(points), 4, 3))], 1)
    track = np.where(fresh[:, None, None], first, track)
    followed = np.where(fresh[:, None], target, followed)
    at_side = state._replace(asked=np.where(active[:, None], asked, state.asked), active=active.astype(np.uint8))
    if relative is None:
        seen, way, _, seeking, _ = _requests(base, at_side, followed, None, math.pi, dt)
    else:
        seen, way, _, seeking, _ = _requests(base, at_side, points, followed[:, :2], math.pi, dt)
    seen, way = np.where(fresh[:, None], asked, seen), np.where(fresh[:, None], line, way)
    rows = gaze_map.blend(seen[:, 0] * leveled(way), seen[:, 1])
    goal = np.where(active[:, None, None], aimed(body, base, rotations, root, rows, way, seeking), 0.0)
    reached = state.shown.sum(1)  # yaw about y, pitch against x: a shift that interrupts begins from there
    apart = asked[:, 0] * level - reached[:, 1]
    far = gaze_map.blend(apart, asked[:, 1] + reached[:, 0])[:, 17:24]
    border = np.where(apart > 0, gaze_map.limits[1][0], -gaze_map.limits[0][0])
    steepest = 1.875 * (1 + far[:, 6]) / np.maximum(far[:, 5] - far[:, 4], 0.05)
    speed = np.linalg.norm((goal - state.shown)[:, :4].sum(1), axis=1) * steepest / far[:, 0]
    longer = np.maximum(np.abs(apart) / (1.15 * border), speed / (1.15 * gaze_map.fastest))
    far[:, 0] *= np.maximum(1.0, longer)
    begin = np.where(new[:, None, None], state.shown, state.begin)
    begin_rate = np.where(new[:, None, None], state.rate, state.begin_rate)
    timing = np.where(new[:, None], far, state.timing)
    elapsed = np.where(new, 0.0, state.elapsed) + dt
    shown = _shown(goal, begin, begin_rate, elapsed, timing)
    rate = (shown - state.shown) / dt if dt > 0 else state.rate
    done = ~active & (elapsed >= timing[:, 0])
    shown, rate = (np.where(done[:, None, None], 0.0, v) for v in (shown, rate))
    busy = active | ~done
    out = np.array(rotations)
    if busy.any():
        turned = displaced(body, base, rotations, shown)
        out[busy] = turned[busy]
    flags = (active.astype(np.uint8), busy.astype(np.uint8))
    return GazeState(
        shown,
        rate,
        begin,
        begin_rate,
        elapsed,
        timing,
        np.where(active[:, None], asked, 0.0),
        np.where(((active & near) | kept)[:, None], line, np.nan),
        np.where(both, np.minimum(jump / dt, MAX_FOLLOW), MAX_FOLLOW),
        track,
        *flags,
    ), out


def leveled(line: FloatArray) -> FloatArray:
    """(N,) how much the yaw of these directions counts."""
    level = np.minimum(1.0, np.sqrt(np.maximum(1.0 - line[:, 1] ** 2, 0.0)) / math.cos(math.radians(30.0)))
    return 1.0 - (1.0 - level) ** 2


def steadied(target: FloatArray, size: FloatArray, track: FloatArray, dt: float) -> tuple[FloatArray, FloatArray]:
    """The track of targets (N, 3) one step later, and the points (N, 3) that are followed."""
    last, speed, offset, rate, before = np.moveaxis(track, 1, 0)
    off = target - last - speed * dt
    smooth = (np.linalg.norm(off, axis=1) <= math.radians(3.0) * dt * size)[:, None]
    pull = rate + 30.0 * offset
    offset, rate = (offset + pull * dt) * math.exp(-30.0 * dt), (rate - 30.0 * pull * dt) * math.exp(-30.0 * dt)
    common = np.where(off * before > 0, np.sign(off) * np.minimum(np.abs(off), np.abs(before)), 0.0)
    learned = 1.0 - math.exp(-dt / 0.06)
    speed = np.where(smooth, (target - last) / dt, speed + learned * common / dt)
    offset = offset - np.where(smooth, 0.0, off)
    return np.stack([target, speed, offset, rate, off], 1), target + offset


def _requests(
    base: Base, state: GazeState, points: FloatArray, relative: FloatArray | None, cone: float, dt: float
) -> tuple[FloatArray, FloatArray, BoolArray, FloatArray, BoolArray]:
    """Yaw and pitch (N, 2) relative to the base gaze, directions (N, 3), which are active, points, which are let go."""
    sought = points
    if relative is not None:
        active = np.isfinite(relative[:, 0]) & (relative != 0).any(1)  # no change is no target
        asked = np.where(active[:, None], relative, 0.0)
        heading, pitch = base.yaw + asked[:, 0], base.pitch + asked[:, 1]
        level = np.cos(pitch)
        line = np.stack([level * np.sin(heading), np.sin(pitch), level * np.cos(heading)], 1)
        return asked, line, active, np.full_like(points, np.nan), np.zeros(len(points), bool)
    line = points - base.eye
    size = np.linalg.norm(line, axis=1)
    active = np.isfinite(size) & (size > 1e-6)  # a point in the eye itself has no direction
    line = np.where(active[:, None], line / np.maximum(size, 1e-9)[:, None], base.gaze)
    angle = np.arctan2(line[:, 0], line[:, 2]) - base.yaw
    angle = (angle + math.pi) % (2 * math.pi) - math.pi
    last = state.asked[:, 0]
    near = last + (angle - last + math.pi) % (2 * math.pi) - math.pi  # on the side where it was
    side = np.where((state.active > 0) & (np.abs(near) <= math.pi + BEHIND), near, angle)
    was = state.active > 0
    moved = np.arctan2(np.linalg.norm(np.cross(line, state.aim), axis=1), (line * state.aim).sum(1))
    released = active & ~was & (moved <= MAX_FOLLOW * dt)  # not where `aim` is NaN
    limit = np.where(released, cone - math.radians(20.0), cone) if cone < math.pi else np.full(len(side), 9.0)
    kept = active & (np.abs(side) > limit) & (was | released)
    active &= np.abs(side) <= limit
    pitch = np.arcsin(np.clip(line[:, 1], -1, 1)) - base.pitch
    asked = np.where(active[:, None], np.stack([side, pitch], 1), 0.0)
    return asked, line, active, np.where(active[:, None], sought, np.nan), kept


def _shown(
    goal: FloatArray, begin: FloatArray, rate: FloatArray, elapsed: FloatArray, timing: FloatArray
) -> FloatArray:
    """(N, 5, 3) from `begin` to `goal` by the curve of HECK 5.2.3, beginning with `rate`: C1 at interruptions."""
    time = elapsed / timing[:, 0]
    starts = np.concatenate([timing[:, 1:5], np.zeros((len(time), 1))], 1)
    room = EYE_LIMIT - np.linalg.norm(goal[:, 4], axis=1)
    room = np.maximum(room, 0) / np.maximum(np.linalg.norm(goal[:, 4] - begin[:, 4], axis=1), 1e-12)
    overshoot = np.repeat(timing[:, 6:7], 5, 1)
    overshoot[:, 4] = np.minimum(overshoot[:, 4], room)
    share = progress_at(time[:, None], starts, timing[:, 5:6], overshoot)
    left = np.clip(1 - time, 0, 1)
    kick = (timing[:, 0] * time * left**3)[:, None, None] * rate
    out = begin + (goal - begin) * share[..., None] + kick
    out[:, 4] *= np.minimum(1, EYE_LIMIT / np.maximum(np.linalg.norm(out[:, 4], axis=1), 1e-12))[:, None]
    return out


def bicubic(columns: FloatArray, rows: FloatArray, table: FloatArray, asked: FloatArray) -> FloatArray:
    """Splines of scipy along the columns, and one along the pitch through their values, for each request."""
    from scipy.interpolate import CubicHermiteSpline

    spline = lambda at, values: CubicHermiteSpline(at, values, np.gradient(values, at, axis=0), axis=0)
    return np.array([spline(rows, spline(columns, table)(yaw))(pitch) for yaw, pitch in asked])


def nearest(self, asked: FloatArray) -> FloatArray:
    away = np.linalg.norm(asked[:, None] - self.samples[:, :2], axis=2)
    k = min(self.neighbours, len(self.samples) - 1)
    order = np.argsort(away, axis=1, kind="stable")[:, : k + 1]
    near = np.take_along_axis(away, order, 1)
    weights = np.maximum(1 / np.maximum(near[:, :-1], 1e-12) - 1 / np.maximum(near[:, -1:], 1e-12), 0.0)
    exact = near[:, 0] < 1e-9
    weights[exact] = np.eye(k)[0]
    total = weights.sum(1, keepdims=True)
    weights = np.where(total > 0, weights / np.maximum(total, 1e-300), np.eye(k)[0])
    return np.einsum("nk,nkd->nd", weights, self.samples[order[:, :-1]])


def landmark_residuals(clock, times, vectors, taken, unit):
    """(F, 4, 3) the residuals of a fit, by `progress_at` and whole arrays."""
    starts, peak, end, overshoot = np.array(times[:4]), *times[4:]
    first = starts.min()
    scaled = lambda t: (np.asarray(t) - first) / (end - first)
    share = progress_at(scaled(clock)[:, None], scaled(starts), scaled(peak), np.array(overshoot))
    made = exp(share[..., None] * vectors)
    for j in range(1, 4):
        made[:, j] = multiply(made[:, j - 1], made[:, j])
    off = multiply(taken, made)
    return 2 * np.where(off[..., :1] >= 0, 1, -1) * off[..., 1:] * unit[:, None]
