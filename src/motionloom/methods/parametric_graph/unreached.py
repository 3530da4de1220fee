"""Why a place of a request was not reached: how far it is, and the turning circle of the characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.constraints import Reach, Request
from motionloom.core import Clip
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.parametric_graph.nodes import Node


def unreached(clip: Clip, request: Request, nodes: Sequence[Node], *, hard: bool) -> list[str]:
    """A line for each `reach`, hard or soft, that a clip misses."""
    missed = [c for c in request.all_constraints if isinstance(c, Reach) and c.hard == hard and not c.met(clip)]
    return [f"{c.describe()} is missed by {c.worst_text(clip)[0]}: {_why(c, request, clip, nodes)}" for c in missed]


def _why(c: Reach, request: Request, clip: Clip, nodes: Sequence[Node]) -> str:
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
    return f"{least}, and no way to it that was tried takes less than {seconds:.2f} s"
