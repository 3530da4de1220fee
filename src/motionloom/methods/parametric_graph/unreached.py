"""Why a place or a route of a request was missed (distance, turning circle), or an action was not done in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.constraints import Act, Reach, Request, RootPath, Style
from motionloom.core import Clip
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.nearest_request import nearest_path
from motionloom.methods.parametric_graph.nodes import Node, walking_speeds

STANDING = 0.1  # m/s: a node that is slower stands


def unreached(clip: Clip, request: Request, nodes: Sequence[Node], *, hard: bool) -> list[str]:
    """A line for each place, route, and action or style that comes too late, hard or soft, that a clip misses."""
    out = []
    for c in request.all_constraints:
        if c.hard != hard or not isinstance(c, (Reach, RootPath, Act, Style)) or c.met(clip):
            continue
        if isinstance(c, Reach):
            why = _too_far(c, request, clip, nodes)
        else:
            why = _off_route(c, clip, nodes) if isinstance(c, RootPath) else _too_late(c, clip, nodes)
        if why:
            out.append(f"{c.describe()} is missed by {c.worst_text(clip)[0]}: {why}")
    return out


def _off_route(c: RootPath, clip: Clip, nodes: Sequence[Node]) -> str:
    """Which leg of a route has too little or too much time, and what would fit; else the turning radius."""
    at = c.frames(len(clip), clip.fps)
    lengths = np.linalg.norm(np.diff(np.array(c.points, float), axis=0), axis=1)
    if at is None:
        at, lengths = [0, len(clip) - 1], lengths.sum(keepdims=True)
    turning = [n for n in nodes if n.turn_column[0] >= 0]
    walking, fast = walking_speeds(nodes)
    slow = 0.0 if any(n.speeds.min() < STANDING for n in nodes) else walking
    for far, seconds in zip(lengths, np.diff(at) / clip.fps, strict=True):
        leg = "the route" if len(lengths) == 1 else "a leg"
        if not slow * seconds - c.tolerance <= far <= fast * seconds + c.tolerance:
            waits = ", and it has no node that stands" if far < slow * seconds else ""
            fits = nearest_path(far, seconds, slow if waits else fast)
            return (
                f"{leg} is {far:.2f} m long and has {seconds:.2f} s; the speeds of this graph are {slow:.2f} to "
                f"{fast:.2f} m/s{waits} (the nearest requests: {fits})"
            )
    if slow == 0.0 and lengths[-1] < walking * (at[-1] - at[-2]) / clip.fps - c.tolerance:
        stride = max((float(n.speeds.max() * n.space.rows.durations.max()) for n in turning), default=0.0)
        return f"it stops at the end of a clip of {stride:.2f} m, so by up to half of that too early or too late"
    radius = min((n.turning_radius for n in turning), default=np.inf)
    return f"the turning radius, v_min / w_max, is {radius:.2f} m, and no way along the route that was tried is nearer"


def _too_late(c: Act | Style, clip: Clip, nodes: Sequence[Node]) -> str:
    """Which clip ends too late for an action to begin in its span, or for a style at the beginning of it; or ""."""
    span, label = c.frames(len(clip), clip.fps), c.action if isinstance(c, Act) else c.label
    frame = span.stop - 1 if isinstance(c, Act) else span.start
    shown = _shown(clip, nodes, frame)
    if shown is None or clip.label(label)[frame]:
        return ""
    return (
        f"{shown.node.name}, whose clips last {shown.node.space.rows.durations.mean():.2f} s, is shown {shown.times}, "
        "and only the end of a clip leads to another action"
    )


class _Shown(NamedTuple):
    node: Node
    times: str


def _shown(clip: Clip, nodes: Sequence[Node], frame: int) -> _Shown | None:
    """The node that is shown in a frame, and from when to when; labels of its examples can be names of other nodes."""
    own = [{n.name, *n.labels} for n in nodes]
    expected = np.array([[other.name in names for other in nodes] for names in own])
    labels = np.stack([clip.label(n.name) for n in nodes], 1)
    same = (labels[:, None] == expected).all(2)  # (F, N)
    if not same[frame].any():
        return None
    n = int(same[frame].argmax())
    others = np.flatnonzero(~same[:, n])
    first, end = others[others < frame].max(initial=-1) + 1, others[others > frame].min(initial=len(clip))
    return _Shown(nodes[n], f"from {first / clip.fps:.2f} to {end / clip.fps:.2f} s")


def _too_far(c: Reach, request: Request, clip: Clip, nodes: Sequence[Node]) -> str:
    """What the place needs, beside the highest speed and the least turning radius."""
    start = request.beginning(len(clip), clip.fps)
    to = np.asarray(c.position, float) - np.asarray(start.position, float)
    far, seconds = float(np.linalg.norm(to)), c.frame(len(clip), clip.fps) / clip.fps
    fastest = max(nodes, key=lambda n: float(n.speeds.max()))
    speed = float(fastest.speeds.max())
    tightest = min((n for n in nodes if n.turn_column[0] >= 0), key=lambda n: n.turning_radius, default=None)
    if far > speed * seconds:
        return f"it is {far:.2f} m away, and {fastest.name} covers {speed * seconds:.2f} m in {seconds:.2f} s"
    if tightest is None:
        return "no node can turn"
    name, radius = tightest.name, tightest.turning_radius
    least = f"the turning radius of {name}, v_min / w_max, is {radius:.2f} m"
    side, ahead = ground_turn(-start.heading, to)
    if side**2 + ahead**2 < 2.0 * radius * abs(side):
        return f"{least}, and the place lies within that circle at the start, so that a way to it leads away first"
    last = min(c.frame(len(clip), clip.fps), len(clip) - 1)
    shown = _shown(clip, nodes, last)
    if shown is not None and shown.node.turn_column[0] < 0:
        return f"{shown.node.name}, which cannot turn to it, is shown {shown.times}"
    return f"{least}, and no way to it that was tried takes less than {seconds:.2f} s"
