"""Registered clips as arrays: K clips of one action, sampled at the same points of the action, ready to be blended.

Blends share a clock, dt/du = sum_k w_k dS_k/du (HECK 3.4-3.5), so durations average. The displacement from one row to
the next is blended in the heading of the body and added up; height and tilt are averaged, rotations too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.analysis import AlignmentCurve, at_times
from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, IntArray, Skeleton, require_same_hierarchy
from motionloom.core.origin import Origin, source_shares
from motionloom.kinematics.feet.contacts import SPEED, contact_array, foot_parts, part_speeds, points_of
from motionloom.kinematics.feet.plants import calm_contacts
from motionloom.kinematics.fk import world
from motionloom.kinematics.travel import Travel, body_axes, path_motion, travel
from motionloom.rotation import continuous, multiply, yaw


class BlendedFrames(NamedTuple):
    """Frames of a blend."""

    position: FloatArray  # (F,) row
    root: FloatArray  # (F, 3) m
    rotations: FloatArray  # (F, J, 4)
    contacts: BoolArray  # (F, P)


@dataclass(frozen=True, eq=False)
class Registered:
    """K clips at R rows, evenly spaced in u: `lead` rows before u = 0, `count` from u = 0 to u = 1, `lead` + 1 after.

    Of a cyclic space, row u = 1 is row u = 0 again, and the rows around the ends repeat those at the other end. The
    others have a margin of `lead` - 1 rows of motion at both ends, for transitions.
    """

    turns: FloatArray  # (R, K, J, 4) local rotations, the hips' without their heading
    levels: FloatArray  # (R, K) height of the hips, m
    steps: FloatArray  # (R, K, 3) to the next row, in the heading of this one: left and forward (m), turn (rad)
    paces: FloatArray  # (R, K) seconds to the next row
    touches: FloatArray  # (R, K, P) 1 where a foot part touches
    times: FloatArray  # (R, K) frame of the clip
    lead: int
    count: int
    cyclic: bool

    @property
    def size(self) -> int:
        """K, the number of clips."""
        return int(self.turns.shape[1])

    @property
    def margin(self) -> float:
        """How far u may go below 0 and above 1."""
        return 0.0 if self.cyclic else (self.lead - 1) / self.count

    @cached_property
    def durations(self) -> FloatArray:
        """(K,) seconds of each clip from u = 0 to u = 1."""
        return np.asarray(self.paces[self.lead : self.lead + self.count].sum(0))

    def tables(self, skeleton: Skeleton) -> tuple[Any, ...]:
        """The arrays as kernels take them: contiguous, with the axes of the body."""
        meta = np.array([self.lead, self.count, int(self.cyclic)], np.int64)
        turns = np.moveaxis(self.turns, 3, 2)  # components before joints
        arrays = (turns, self.levels, self.steps, self.paces, self.touches)
        return (*(np.array(a, float, order="C") for a in arrays), np.array(body_axes(skeleton)), meta)

    def row(self, u: ArrayLike) -> FloatArray:
        """Positions of parameters u."""
        return self.lead + np.asarray(u, float) * self.count

    def only(self, keep: Sequence[int] | IntArray) -> Registered:
        """Some of the clips."""
        names = ("turns", "levels", "steps", "paces", "touches", "times")
        return replace(self, **{name: getattr(self, name)[:, keep] for name in names})


def register_rows(
    clips: Sequence[Clip],
    curve: AlignmentCurve,
    *,
    cyclic: bool = False,
    margin: float = 0.0,
    rate: float | None = None,
    even: bool = True,
) -> Registered:
    """The clips sampled along an alignment curve, `rate` rows to a second of the longest (default: the frame rate).

    Rows are as dense in all parts of a motion; not `even`, they are evenly spaced in the parameter of the curve, as
    many between any two of its knots (generic time, GUAN eq 2.6), and `rate` to a second or more.

    With `cyclic`, every clip's last pose is its first again (see `kinematics.loop.close_loop`). `margin` seconds of
    motion before u = 0 and after u = 1 are kept, where clips have them; there the clips run at the pace of the ends.
    """
    for clip in clips[1:]:
        require_same_hierarchy(clips[0].skeleton, clip.skeleton, names=(clips[0].name, clip.name))
    if curve.control.shape[1] != len(clips):
        raise BadRequest(f"expected a curve through {len(clips)} clips, found one through {curve.control.shape[1]}")
    spans = curve.spans[:, 1] - curve.spans[:, 0]
    parts = 1 if even else len(np.unique(curve.knots)) - 1
    longest = spans if even else np.diff(curve(np.linspace(0.0, 1.0, parts + 1)), axis=0)
    count = max(4, parts * int(np.ceil(float(longest.max()) * (rate or clips[0].fps) - 1e-6)))
    lead = 1 if cyclic else 1 + int(np.ceil(margin / float(spans.min()) * count))
    times = curve(_even(curve, count) if even else np.linspace(0.0, 1.0, count + 1))
    columns = [_column(clip, times[:, k], lead, cyclic) for k, clip in enumerate(clips)]
    turns, levels, steps, paces, touches, frames = (np.stack(part, 1) for part in zip(*columns, strict=True))
    return Registered(one_sign(turns), levels, steps, paces, touches, frames, lead, count, cyclic)


def _even(curve: AlignmentCurve, count: int) -> FloatArray:
    """(count + 1,) parameters of a curve at even times of the mean clip."""
    fine = np.linspace(0.0, 1.0, 16 * count + 1)
    clock = curve(fine).mean(1)
    return np.interp(np.linspace(clock[0], clock[-1], count + 1), clock, fine)


def _column(clip: Clip, times: FloatArray, lead: int, cyclic: bool) -> tuple[FloatArray, ...]:
    """All rows of one clip: turns, levels, steps, paces, touches, frames."""
    if not cyclic:
        before = times[0] - np.arange(lead, 0, -1) * (times[1] - times[0])
        after = times[-1] + np.arange(1, lead + 2) * (times[-1] - times[-2])
        times = np.concatenate([before, times, after])
    path, sampled = _sampled(clip, times)
    turns = sampled.rotations.copy()
    turns[:, 0] = multiply(yaw(-path.heading), turns[:, 0])
    steps, paces = path_motion(path), np.append(np.diff(times), times[-1] - times[-2])
    steps[-1] = steps[-2]
    levels, touches = sampled.root[:, 1], _touches(clip, times)
    rows = [turns, levels, steps, paces, touches, times * clip.fps]
    if cyclic:  # row u = 1 is row u = 0; one more row before and two after
        count = len(times) - 1
        at = np.arange(-lead, count + lead + 1) % count
        rows = [part[at] for part in rows]
    return tuple(rows)


def _sampled(clip: Clip, times: FloatArray) -> tuple[Travel, Clip]:
    """The clip at times, carried on evenly before its first frame and after its last one."""
    last = (len(clip) - 1) / clip.fps
    sampled, path = at_times(clip, times), travel(clip)
    place = np.stack([_carried(times, path.place[:, i], clip.fps) for i in (0, 1)], 1)
    heading = _carried(times, path.heading, clip.fps)
    inside = (times >= 0) & (times <= last)
    own = travel(sampled)
    turn = np.where(inside, own.heading + _whole_turns(own.heading, heading), heading)
    return Travel(np.where(inside[:, None], own.place, place), turn), sampled


def _carried(times: FloatArray, values: FloatArray, fps: float) -> FloatArray:
    """Values at times; beyond the ends they continue at the speed that they have there."""
    at = np.arange(len(values)) / fps
    out = np.interp(times, at, values)
    if len(values) > 1:
        out += np.minimum(times, 0.0) * (values[1] - values[0]) * fps
        out += np.maximum(times - at[-1], 0.0) * (values[-1] - values[-2]) * fps
    return out


def _whole_turns(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(2 * np.pi * np.round((b - a) / (2 * np.pi)))


def _touches(clip: Clip, times: FloatArray) -> FloatArray:
    near = np.clip(np.round(times * clip.fps), 0, len(clip) - 1).astype(np.int64)
    if not foot_parts(clip.skeleton):
        return np.zeros((len(times), 0))
    return contact_array(clip)[near].astype(float)


def one_sign(turns: FloatArray) -> FloatArray:
    """Rotations (R, K, J, 4) without jumps of sign along rows, and on the side of the first clip's for most of them."""
    out = continuous(turns)
    dots = np.einsum("rkjc,rjc->kj", out, out[:, 0])
    return np.where((dots < 0)[None, :, :, None], -out, out)


def play(
    rows: Registered,
    skeleton: Skeleton,
    weights: ArrayLike,
    frames: int,
    fps: float,
    *,
    begin: float = 0.0,
    stretch: float = 1.0,
    start: ArrayLike = (0.0, 0.0, 0.0),
    tables: tuple[Any, ...] | None = None,
) -> BlendedFrames:
    """`frames` frames of a blend at `fps`, from parameter u = `begin`; weights (K,), or (frames, K) that vary in time.

    `start` is x, z and heading; the clock runs `stretch` times as fast. Clips that end stay at their last margin row.
    A foot part touches where most of the weights do, without the ends of contacts at which it is so quick in the blend
    that it would touch nothing in a capture (see `contacts`).
    """
    from motionloom.blend._kernels_registered import play as run

    tables = rows.tables(skeleton) if tables is None else tables
    w = np.ascontiguousarray(np.atleast_2d(np.asarray(weights, float)))
    if w.shape[1] != rows.size or len(w) not in (1, frames):
        raise BadRequest(f"weights: expected ({rows.size},) or ({frames}, {rows.size}), found {np.shape(weights)}")
    places = np.zeros((frames, 4))
    places[0, 1:] = np.asarray(start, float)
    joints, parts = rows.turns.shape[2], rows.touches.shape[2]
    root, rotations = np.empty((frames, 3)), np.empty((frames, joints, 4))
    touching = np.zeros((frames, parts), bool)
    run(tables, w, float(rows.row(begin)), 1.0 / fps, stretch, places, root, rotations, touching)
    points = points_of(foot_parts(skeleton), *world(skeleton, root, rotations))
    for i in np.flatnonzero((touching & (part_speeds(points, fps) >= SPEED[1])).any(0)).tolist():
        touching[:, i] = calm_contacts(points[:, i], touching[:, i], fps, SPEED[1])
    return BlendedFrames(places[:, 0], root, rotations, touching)


def duration(rows: Registered, weights: ArrayLike) -> float:
    """Seconds of a blend from u = 0 to u = 1."""
    return float(np.asarray(weights, float) @ rows.durations)


def sources(rows: Registered, position: FloatArray, weights: FloatArray, clips: Sequence[Clip]) -> Origin:
    """The origin of blended frames: all clips with a weight above 0, and their frames; negative ones are left out."""
    from motionloom.core.origin_joining import joined

    whole = joined([clip.origin for clip in clips], [len(clip) for clip in clips])
    which_all, frame_all = whole.main()
    starts = np.cumsum([0, *(len(clip) for clip in clips[:-1])])
    w = np.maximum(np.broadcast_to(weights, (len(position), rows.size)), 0.0)
    top = np.argsort(-w.max(0), kind="stable")[: max(1, int((w > 0).any(0).sum()))]
    low = np.clip(position.astype(np.int64), 0, len(rows.times) - 2)
    share = (position - low)[:, None]
    a, b = rows.times[low][:, top], rows.times[low + 1][:, top]
    lengths = np.array([len(clips[k]) for k in top])
    at = np.clip(np.where(b >= a, (1 - share) * a + share * b, a), 0, lengths - 1)
    near = np.round(at).astype(np.int64)
    known = starts[top] + near
    which = which_all[known]
    frames = np.where(which >= 0, np.maximum(frame_all[known] + (at - near), 0.0), -1.0)
    return Origin(
        licence=whole.licence, sources=whole.sources, which=which[:, None], frames=frames[:, None],
        weights=source_shares(which, w[:, top])[:, None],
    )  # fmt: skip
