"""A whole clip that looks where it is asked to."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.constraints.gaze import LookAt
from motionloom.core import BadRequest, Clip, FloatArray, Note, Progress, replace, silent
from motionloom.kinematics.travel import travel
from motionloom.methods.gaze.aim import base_gaze, begin_gaze, gaze_body, gaze_step
from motionloom.methods.gaze.gaze_map import GazeMap

FAR = 1e4  # m: distance of points that stand for directions


class Look(NamedTuple):
    """One look: from the first to the last frame (excluded); points (F, 3) of the whole clip, or a relative change."""

    first: int
    end: int
    points: FloatArray | None = None
    change: tuple[float, float] | None = None  # rad: yaw and pitch, relative to the clip's own gaze


def look_from(clip: Clip, asked: LookAt, gaze_map: GazeMap) -> Look:
    """The look of a constraint `look_at`: it begins so early that the shift is over when the span begins."""
    span = asked.frames(len(clip), clip.fps)
    body = gaze_body(clip)
    base = base_gaze(body, clip.root, clip.rotations)
    directed = asked.yaw is not None or asked.pitch is not None
    if directed:
        points = base.eye + FAR * asked.directions(clip, base.eye)
    else:
        points = asked.points(len(clip), clip.fps)
    at = min(span.start, len(clip) - 1)
    line = points[at] - base.eye[at]
    if np.linalg.norm(line) < 0.05:
        raise BadRequest("the target is at the eyes: expected a point at least 5 cm away", where=("look_at", "target"))
    turn = math.atan2(line[0], line[2]) - base.yaw[at]
    turn = (turn + math.pi) % (2 * math.pi) - math.pi
    pitch = math.asin(line[1] / float(np.linalg.norm(line))) - base.pitch[at]
    early = math.ceil(gaze_map.at(turn, pitch).seconds * clip.fps)
    return Look(max(0, span.start - early), span.stop, points)


def look_along(clip: Clip, *, ahead: float = 2.5, height: float = 0.0, first: int = 0, end: int | None = None) -> Look:
    """Looking at the ground (or at a height) so many metres ahead on the clip's own path: it leads into turns."""
    place = travel(clip).place
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(place, axis=0), axis=1))])
    straight = place[-1] - place[max(0, len(place) - max(2, round(0.3 * clip.fps)))]
    size = float(np.linalg.norm(straight))
    heading = travel(clip).heading[-1]
    unit = straight / size if size > 1e-3 else np.array([np.sin(heading), np.cos(heading)])
    wanted = length + ahead
    points = np.stack([np.interp(wanted, length, place[:, k]) for k in range(2)], 1)
    points += np.maximum(wanted - length[-1], 0.0)[:, None] * unit
    out = np.stack([points[:, 0], np.full(len(clip), height), points[:, 1]], 1)
    return Look(first, len(clip) if end is None else end, out)


def look_near(clip: Clip, objects: Sequence[FloatArray], *, distance: float = 4.0) -> list[Look]:
    """Looks at the nearest of these points while it is within a distance of the eyes."""
    base = base_gaze(gaze_body(clip), clip.root, clip.rotations)
    away = np.stack([np.linalg.norm(np.asarray(p, float) - base.eye, axis=1) for p in objects], 1)
    nearest = np.where(away.min(1) <= distance, away.argmin(1), -1)
    edges = np.flatnonzero(np.diff(np.concatenate([[-2], nearest, [-2]])))
    found = []
    for a, b in itertools.pairwise(edges):
        if nearest[a] >= 0:
            found.append(Look(int(a), int(b), np.tile(np.asarray(objects[nearest[a]], float), (len(clip), 1))))
    return found


def look_clip(
    clip: Clip,
    gaze_map: GazeMap,
    looks: Sequence[Look],
    *,
    cone: float = math.pi,
    progress: Progress | None = None,
) -> Clip:
    """The clip with these looks; later ones take over from earlier ones. Legs, hips and arms keep their bits.

    Between looks the gaze returns to that of the clip.
    """
    report = progress or silent()
    body = gaze_body(clip)
    points = np.full((len(clip), 3), np.nan)
    change = np.full((len(clip), 2), np.nan)
    for look in looks:
        span = slice(look.first, look.end)
        points[span] = np.nan if look.points is None else look.points[span]
        change[span] = np.nan if look.change is None else look.change
    rotations = np.array(clip.rotations)
    state = begin_gaze(1)
    dt = 1 / clip.fps
    relative = np.isfinite(change[:, 0]).any()
    if relative and np.isfinite(points[:, 0]).any():
        raise BadRequest("looks at points and relative changes cannot be mixed in one clip")
    for f in range(len(clip)):
        if f % 30 == 0:
            report(f / len(clip), "turning the gaze")
        row = slice(f, f + 1)
        asked = change[row] if relative else None
        state, made = gaze_step(
            body, gaze_map, state, clip.root[row], clip.rotations[row], points[row], dt, cone=cone, relative=asked
        )
        rotations[f] = made[0]
    report(1.0, "turning the gaze")
    notes = [Note("gaze: " + "; ".join(body.assignment()))] if looks else []
    return replace(clip, rotations=rotations, origin=clip.origin.with_notes(*notes))
