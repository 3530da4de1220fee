"""What is hard: the frames that every way must show, and how far a way may be bent to the places it must come to."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.constraints import Avoid, PoseAt, PositionAt, Reach, Request, RootAt, RootPath, Style
from motionloom.core import BoolArray, Clip, NoPath
from motionloom.kinematics.travel import travel
from motionloom.methods.graph import Graph
from motionloom.methods.graph.labels import not_carried
from motionloom.methods.hierarchical_graph.search import alive_frames
from motionloom.methods.hierarchical_graph.shapes import Hard, Material
from motionloom.methods.hierarchical_graph.terms import must, pose_distances

SHARES = (0.0, 0.002, 0.01, 0.05, 0.25)  # of all frames: how many of those nearest to a pose may stand for it
SAME = 1e-3  # rad: a frame this near is the pose itself


def must_keep(graph: Graph, m: Material, request: Request) -> tuple[Hard, Any]:
    """What every way keeps, and the frames from which it can be kept at each time; `NoPath` says what cannot.

    Hard poses restrict the frames shown at their time to those nearest to the pose, as few as leave a way (first the
    very frame, where it is in the material). Hard styles restrict all frames of their span, or, where there is no way,
    all but what their tolerance leaves for the changes at its ends.
    """
    fps = graph.clips[0].fps
    frames = request.length(fps)
    assert frames is not None  # checked before
    hard = must(graph, {}, ())
    bits, dead = alive_frames(m, hard, frames)
    if dead >= 0:
        raise NoPath(
            f"no way through these clips lasts {frames / fps:g} s; the longest lasts {(frames - dead) / fps:g} s "
            f"(no transition leads on; raise `limit`)"
        )
    styles: list[tuple[range, str]] = []
    for style in (c for c in request.constraints if c.hard and isinstance(c, Style)):
        for slack in (0.0, 1.0):
            trial = [*styles, (_inner(style, frames, fps, slack), style.label)]
            strict = must(graph, {}, trial)
            now, dead = alive_frames(m, strict, frames)
            if dead < 0:
                styles, hard, bits = trial, strict, now
                break
        else:
            raise NoPath(_why(graph, style))
    poses = [c for c in request.constraints if c.hard and isinstance(c, PoseAt)]
    apart = [pose_distances(graph, c) for c in poses]
    for share in SHARES if poses else ():
        near: dict[int, BoolArray] = {}
        for c, d in zip(poses, apart, strict=True):
            time, mask = c.frame(frames, fps), d <= (SAME if share == 0.0 else np.quantile(d, share))
            near[time] = near[time] & mask if time in near else mask
        strict = must(graph, near, styles)
        now, dead = alive_frames(m, strict, frames)
        if dead < 0:
            return strict, now
    return hard, bits


def _inner(style: Style, frames: int, fps: float, slack: float) -> range:
    span = style.frames(frames, fps)
    room = int(slack * style.tolerance * len(span) / 2)
    return range(span.start + room, span.stop - room)


def _why(graph: Graph, style: Style) -> str:
    if nowhere := not_carried(graph.clips, style.label):
        return nowhere
    longest = _longest_run(graph, style.label)
    return (
        f"no way through these clips keeps {style.describe()}: no transition leads to enough frames that carry it; "
        f"in one clip it lasts {longest / graph.clips[0].fps:.2f} s at most (raise `limit`, or give a weight)"
    )


def _longest_run(graph: Graph, label: str) -> int:
    longest = 0
    for clip in graph.clips:
        off = np.flatnonzero(~np.concatenate([[False], clip.label(label), [False]]))
        longest = max(longest, int(np.diff(off).max(initial=1)) - 1)
    return longest


def too_far(clip: Clip, request: Request, bend: float) -> str:
    """Why a way is too far from a hard place to be bent there, with the nearest thing; "" if it is not.

    It may be off by `bend` metres (and radians) more than the constraint allows.
    """
    path = travel(clip)
    for c in request.constraints:
        if not c.hard or not isinstance(c, (RootAt, Reach, RootPath, PositionAt, Avoid)):
            continue
        off = np.abs(c.residual(clip))
        gap = float(off.max(initial=0.0))
        if gap <= bend + c.limit:
            continue
        at = int(off.argmax()) if isinstance(c, (RootPath, Avoid)) else len(clip) - 1
        if isinstance(c, (RootAt, PositionAt)):
            at = c.frame(len(clip), clip.fps)
        elif isinstance(c, Reach):
            at = c.arrival(clip)
        x, z = path.place[at]
        facing = (np.degrees(path.heading[at]) + 180) % 360 - 180
        return (
            f"no way was found that comes near {c.describe()}: the nearest misses it by {gap:.2f} {c.unit}, and it "
            f"may be bent by {bend:.2f}; at {at / clip.fps:.2f} s the hips are at [{x:.2f}, {z:.2f}], "
            f"heading {facing:.0f}deg"
        )
    return ""
