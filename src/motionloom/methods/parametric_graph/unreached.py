"""Why a place of a request was not reached (distance, turning circle), or an action was not done in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.constraints import Act, Reach, Request, Style
from motionloom.core import Clip
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.parametric_graph.nodes import Node


def unreached(clip: Clip, request: Request, nodes: Sequence[Node], *, hard: bool) -> list[str]:
    """A line for each `reach`, and each `act` or `style` that comes too late, hard or soft, that a clip misses."""
    out = []
    for c in request.all_constraints:
        if not isinstance(c, (Reach, Act, Style)) or c.hard != hard or c.met(clip):
            continue
        if why := _too_far(c, request, clip, nodes) if isinstance(c, Reach) else _too_late(c, clip, nodes):
            out.append(f"{c.describe()} is missed by {c.worst_text(clip)[0]}: {why}")
    return out


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
