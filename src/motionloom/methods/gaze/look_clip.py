"""A whole clip that looks where it is asked to."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from motionloom.constraints.fields import Point3
from motionloom.constraints.gaze import LookAt
from motionloom.core import BadRequest, Clip, FloatArray, Note, Progress, replace, silent
from motionloom.kinematics.travel import Travel, steady_travel, travel
from motionloom.methods.gaze._kernels_aim import NECK_LIMIT
from motionloom.methods.gaze._kernels_shifts import NEXT, gaze_frames
from motionloom.methods.gaze._kernels_targets import MIN_DISTANCE
from motionloom.methods.gaze.gaze_map import GazeMap
from motionloom.methods.gaze.gaze_shifts import GazeBody, base_gaze, begin_gaze, gaze_body
from motionloom.methods.gaze.own_gaze import looks_around, smoothed_gaze, straightened
from motionloom.rotation import angle_between, multiply, wrap_angle

FAR = 1e4  # m: distance of points that stand for directions
AHEAD = math.radians(110.0)  # objects farther to the side do not attract the gaze
ARC_TIMES = (1.5, 1.0, 0.5)  # s at the end of a clip that show how its path continues,
MIN_ARC = 0.1  # m, if the body travels farther in all of them,
MAX_BEND = 1.0  # 1/m, and at most so curved
HYSTERESIS = 1.15  # times the distance at which an object that is looked at is left for another, or for none
MIN_LOOK = 0.3  # s
TOO_FAR = NECK_LIMIT + math.radians(10.0)  # a turn of neck and head that a warning names; less may be a moment
BLOCK = 2000  # frames of one call of the kernel, some 20 ms


class Look(NamedTuple):
    """One look, until the frame `end` (excluded); at points (F, 3) of the whole clip, or a relative change.

    It may begin before the clip (`first` < 0): the gaze has then arrived, or is on its way, when the clip begins.
    """

    first: int
    end: int
    points: FloatArray | None = None
    change: tuple[float, float] | None = None  # rad: yaw and pitch, relative to the clip's own gaze
    name: str = "look"
    start: int = 0  # frame at which the gaze should have arrived
    turn: tuple[float, float] = (0.0, 0.0)  # rad: yaw and pitch then, relative to the clip's own gaze
    carried: bool = False  # the points turn with the hips, whose tremor is not a movement of the target
    yaws: FloatArray | None = None  # (F,) rad, relative to the clip's own gaze: on which side the points are


def look_from(clip: Clip, asked: LookAt, gaze_map: GazeMap, *, relative: bool = False) -> Look:
    """The look of a constraint `look_at`: it begins so early that the shift is over when the span begins.

    With `relative`, yaw and pitch are a change of the clip's own gaze.
    """
    span = asked.frames(len(clip), clip.fps)
    at, name = min(span.start, len(clip) - 1), asked.describe()
    directed = asked.yaw is not None or asked.pitch is not None
    if directed and relative:
        change = (asked.yaw or 0.0, asked.pitch or 0.0)
        early = math.ceil(gaze_map.seconds(*change) * clip.fps)
        return Look(span.start - early, span.stop, None, change, name, span.start, change)
    base = base_gaze(gaze_body(clip), clip.root, clip.rotations)
    points = base.eye + FAR * asked.directions(clip, base.eye) if directed else asked.points(len(clip), clip.fps)
    away = np.linalg.norm(points - base.eye, axis=1)[span.start : span.stop]
    if len(away) and away.min() < MIN_DISTANCE:
        key = "target" if asked.target is not None else "path"
        raise asked.problem("the target is at the eyes: expected points at least 5 cm away", key)

    lines = points - base.eye
    yaws = np.unwrap(np.arctan2(lines[:, 0], lines[:, 2]) - base.yaw)
    seen = yaws[span.start : span.stop] if len(span) else yaws
    yaws -= 2 * np.pi * np.round((seen.min() + seen.max()) / (4 * np.pi))  # the side that needs the smaller turns

    def turn(frame: int) -> tuple[float, float]:
        line = lines[frame]
        return float(yaws[frame]), math.asin(line[1] / float(np.linalg.norm(line))) - float(base.pitch[frame])

    early = math.ceil(gaze_map.seconds(*turn(at)) * clip.fps)
    for _ in range(2):  # the body turns on until the span begins: what counts is where the shift begins
        early = max(early, math.ceil(gaze_map.seconds(*turn(max(0, at - early))) * clip.fps))
    return Look(span.start - early, span.stop, points, None, name, span.start, turn(at), directed, yaws)


def in_turn(looks: Sequence[Look], gaze_map: GazeMap, fps: float) -> list[Look]:
    """The looks in order of their starts; one that follows another closely begins early enough to come from there.

    It does not begin before the other's end: where there is too little time between them, it arrives late.
    """
    out: list[Look] = []
    for look in sorted(looks, key=lambda one: one.start):
        if out:
            last = out[-1]
            back = math.ceil(gaze_map.seconds(*last.turn) * fps)
            first = look.first
            if first < last.end + back:
                between = gaze_map.seconds(look.turn[0] - last.turn[0], look.turn[1] - last.turn[1])
                first = min(first, look.start - math.ceil(between * fps))
            look = look._replace(first=max(first, min(last.end, look.start)))
        out.append(look)
    return out


def too_close(looks: Sequence[Look], missed: Collection[str], gaze_map: GazeMap, fps: float) -> list[str]:
    """Why some looks in order (`in_turn`), named in `missed`, are missed: spans that overlap or follow too closely."""
    out: list[str] = []
    for last, look in itertools.pairwise(looks):
        gap = (look.start - last.end) / fps
        needed = gaze_map.seconds(look.turn[0] - last.turn[0], look.turn[1] - last.turn[1])
        if gap < 0 and (last.name in missed or look.name in missed):
            out.append(f"{last.name} and {look.name} overlap by {-gap:.2f} s: their spans must follow one another")
        elif gap < needed and look.name in missed:
            out.append(
                f"{look.name} begins {gap:.2f} s after the look before it, and the gaze takes about "
                f"{math.ceil(10 * needed) / 10:.1f} s from there: leave that much time between them, or raise speed"
            )
    return out


def look_along(clip: Clip, *, ahead: float = 2.5, height: float = 0.0, first: int = 0, end: int | None = None) -> Look:
    """Looking at the ground (or at a height) so many metres ahead on the clip's own path: it leads into turns."""
    path = steady_travel(clip)  # the ground ahead does not sway with the hips
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path.place, axis=0), axis=1))])
    wanted = length + ahead
    points = np.stack([np.interp(wanted, length, path.place[:, k]) for k in range(2)], 1)
    points += _beyond(path, length, clip.fps, np.maximum(wanted - length[-1], 0.0))
    out = np.stack([points[:, 0], np.full(len(clip), height), points[:, 1]], 1)
    return Look(first, len(clip) if end is None else end, out, name=f"the path {ahead:g} m ahead")


def _beyond(path: Travel, length: FloatArray, fps: float, far: FloatArray) -> FloatArray:
    """(F, 2) m from the end of a path, `far` (F,) along the arc in which it ends; ahead where the body is at rest.

    A body that has just gone round a corner continues straight ahead: the arc is as little curved as the path and the
    heading have been of late, and straight where these disagree.
    """
    steps = np.diff(path.place, axis=0)
    course = np.unwrap(np.arctan2(steps[:, 0], steps[:, 1]))
    starts = [max(0, len(path.place) - 1 - max(3, round(seconds * fps))) for seconds in ARC_TIMES]
    heading, bend, middle = float(path.heading[-1]), 0.0, starts[1]
    if min(length[-1] - length[at] for at in starts) > MIN_ARC:
        bends = [float(np.polyfit(length[at:], path.heading[at:], 1)[0]) for at in starts[1:]]
        bends.append(float(np.polyfit((length[1:] + length[:-1])[starts[0] :] / 2, course[starts[0] :], 1)[0]))
        if min(bends) * max(bends) > 0:
            bend = float(np.clip(min(bends, key=abs), -MAX_BEND, MAX_BEND))
        heading = float(course[middle:].mean()) + bend * float(length[-1] - length[middle]) / 2
    if abs(bend) < 1e-6:
        return far[:, None] * [math.sin(heading), math.cos(heading)]
    ends = heading + bend * far
    return np.stack([math.cos(heading) - np.cos(ends), np.sin(ends) - math.sin(heading)], 1) / bend


class Near(NamedTuple):
    """A stretch of a clip in which an object attracts the gaze."""

    name: str
    first: int
    end: int  # excluded
    ahead: int  # the frame from which on it is not behind; 0 if it never was


def look_near(clip: Clip, objects: Mapping[str, Point3], *, distance: float = 4.0, cone: float = AHEAD) -> list[Near]:
    """Which of these points is looked at when: the nearest within a distance of the eyes and within `cone` of ahead.

    Once looked at, it stays so until it is `HYSTERESIS` farther than that, or than another one; stretches shorter than
    `MIN_LOOK` are left out.
    """
    if not distance > 0:
        raise BadRequest(f"distance: expected more than 0, found {distance}")
    base, heading = base_gaze(gaze_body(clip), clip.root, clip.rotations), travel(clip).heading
    names, points = list(objects), np.array(list(objects.values()), float)
    now, chosen, behind = -1, np.full(len(clip), -1), np.zeros((len(clip), len(points)), bool)
    for f in range(len(clip)):
        lines = points - base.eye[f]
        away = np.linalg.norm(lines, axis=1)
        side = np.abs(wrap_angle(np.arctan2(lines[:, 0], lines[:, 2]) - heading[f]))
        behind[f] = side > cone
        seen = np.where((side <= cone) & (away <= distance), away, np.inf)
        if now >= 0 and side[now] <= cone and away[now] <= HYSTERESIS * min(distance, seen.min()):
            seen[now] = -1.0
        now = int(seen.argmin()) if seen.min() < np.inf else -1
        chosen[f] = now
    edges = [0, *(np.flatnonzero(np.diff(chosen)) + 1), len(clip)]
    spans = [(int(a), int(b)) for a, b in itertools.pairwise(edges) if chosen[a] >= 0]
    ahead = np.maximum.accumulate(np.where(behind, np.arange(len(clip))[:, None] + 1, 0), axis=0)
    return [Near(names[chosen[a]], a, b, int(ahead[a, chosen[a]])) for a, b in spans if b - a >= MIN_LOOK * clip.fps]


def look_clip(
    clip: Clip,
    gaze_map: GazeMap,
    looks: Sequence[Look],
    *,
    cone: float = math.pi,
    bob: str = "compensated",
    reaim: str = "auto",
    body: GazeBody | None = None,
    progress: Progress | None = None,
) -> Clip:
    """The clip with these looks; later ones take over from earlier ones. Legs, hips and arms keep their bits.

    Between looks the gaze returns to that of the clip. `bob` is what becomes of the head's movements within a step
    while a point is looked at: "compensated" by eyes and neck, or "kept". A clip that looks around itself is re-aimed:
    its own looking is taken out while it looks elsewhere (`reaim`: auto, yes, no). `body` is by default the clip's.
    """
    report = progress or silent()
    body = body or gaze_body(clip)
    before = max(0, -min((look.first for look in looks), default=0))
    count = before + len(clip)
    points, change, due = np.full((count, 3), np.nan), np.full((count, 2), np.nan), np.full(count, np.inf)
    which, begins = np.full(count, -1), np.full(count, np.nan)
    for k, look in enumerate(looks):
        span = slice(before + look.first, before + look.end)
        own = None if look.points is None else np.concatenate([np.repeat(look.points[:1], before, 0), look.points])
        points[span] = np.nan if own is None else own[span]
        change[span] = np.nan if look.change is None else look.change
        which[span] = k
        if look.yaws is not None and look.first < look.end:
            begins[before + look.first] = look.yaws[max(look.first, 0)]
        if look.start > look.first:
            left = look.start - np.arange(look.first, look.first + len(due[span]))
            due[span] = np.where(left > 0, left / clip.fps, np.inf)
    carried = np.array([*(look.carried for look in looks), False]).astype(np.uint8)[which]
    carried[(carried > 0) & (np.diff(which, prepend=-1) != 0)] = NEXT
    notes = [Note("gaze: " + "; ".join(body.assignment()))] if looks else []
    turned = without_own_looking(clip, looks, reaim, body)
    if turned is not clip.rotations:
        notes.append(Note("gaze: the clip looks around itself; that was taken out where it looks elsewhere"))
    given = np.full((count, 3), np.nan)
    if bob == "kept":
        given[before:] = smoothed_gaze(body, clip.root, turned, clip.fps)
        given[:before] = given[before : before + 1]
    root = np.concatenate([np.repeat(clip.root[:1], before, 0), clip.root])
    turns = np.ascontiguousarray(np.concatenate([np.repeat(turned[:1], before, 0), turned]))
    state = tuple(part.copy() for part in begin_gaze(1))
    for at in range(0, count, BLOCK):
        report(at / count, "turning the gaze")
        rows = tuple(array[at : at + BLOCK] for array in (root, turns, points, change, given, due, carried, begins))
        gaze_frames(body.arrays, gaze_map.arrays, state, rows, float(cone), 1 / clip.fps)
    report(1.0, "turning the gaze")
    rotations = np.array(clip.rotations)
    rotations[:, body.turned] = turns[before:, body.turned]
    notes += _turned_too_far(body, clip, rotations)
    return replace(clip, rotations=rotations, origin=clip.origin.with_notes(*notes))


def without_own_looking(clip: Clip, looks: Sequence[Look], reaim: str, body: GazeBody) -> FloatArray:
    """(F, J, 4) the clip's rotations; where a clip that looks around itself looks at a point instead, without that."""
    if reaim == "no" or (reaim == "auto" and not (looks and looks_around(body, clip))):
        return clip.rotations
    where = np.zeros(len(clip), bool)
    for look in looks:
        where[max(look.first, 0) : look.end] = look.points is not None
    return straightened(body, clip, where)


def _turned_too_far(body: GazeBody, clip: Clip, rotations: FloatArray) -> list[Note]:
    """A warning where neck and head turn farther on the trunk than people turn theirs, as heads without eyes may."""
    before = after = np.array([1.0, 0.0, 0.0, 0.0])
    for joint in body.chain[body.shares[:, 3] > 0]:
        before, after = multiply(before, clip.rotations[:, joint]), multiply(after, rotations[:, joint])
    angles = angle_between(before, after)
    if angles.max(initial=0.0) <= TOO_FAR:
        return []
    worst = int(angles.argmax())
    eyes = "" if body.has_eyes else "give the body eyes (option eyes), "
    text = (
        f"gaze: neck and head turn by {math.degrees(angles[worst]):.0f} deg at {worst / clip.fps:.2f} s, farther than "
        f"people turn theirs (about {math.degrees(NECK_LIMIT):.0f}): {eyes}choose a target nearer to ahead, or a "
        "narrower cone (option cone)"
    )
    return [Note(text, "warning", frame=worst)]
