"""Hard constraints: frames that every route must show, and messages for places that are out of reach."""

from __future__ import annotations

import numpy as np

from motionloom.constraints import Avoid, Pace, PoseAt, PositionAt, Reach, Request, RootAt, RootPath, Style
from motionloom.core import Clip, NoPath, Progress, silent
from motionloom.core.progress import parts
from motionloom.kinematics.travel import travel
from motionloom.methods.graph import Graph
from motionloom.methods.hierarchical_graph.objective import hard_frames
from motionloom.methods.hierarchical_graph.search import search_net
from motionloom.methods.hierarchical_graph.search_arrays import HardFrames, SearchMaterial
from motionloom.methods.schedule import Reachable, schedule, style_problem
from motionloom.rotation import wrap_angle


def hard_requirements(
    graph: Graph, m: SearchMaterial, request: Request, progress: Progress | None = None
) -> tuple[HardFrames, Reachable]:
    """Hard poses and labels of a request, and the frames from which they can be met at each time; `NoPath` if none.

    Hard poses restrict the frames at their time to those nearest to the pose, as few as leave a route (first the frame
    itself, if it is in the material). Hard styles restrict all frames of their span, or, where there is no route, all
    but the margin that their tolerance leaves at its ends.
    """
    fps = graph.clips[0].fps
    frames = request.length(fps)
    assert frames is not None  # checked before
    net = search_net(m)
    first, rest = parts(progress or silent(), [1, 4])
    free = Reachable(net, frames, progress=first)
    if free.first_dead >= 0:
        raise NoPath(
            f"no route through these clips lasts {frames / fps:g} s; the longest lasts "
            f"{(frames - 1 - free.first_dead) / fps:g} s (no transition continues it; raise `limit`)"
        )
    hard = [c for c in request.constraints if c.hard]
    styles = [c for c in hard if isinstance(c, (Style, Pace))]
    poses = [c for c in hard if isinstance(c, PoseAt)]
    found = schedule(net, graph.clips, styles, poses, frames, free=free, progress=rest)
    if found.missing is not None:
        raise NoPath(style_problem(graph.clips, found.missing, "transitions", "raise `limit`, or give a weight"))
    return hard_frames(graph, found.near, found.spans), found.reachable


def place_problem(clip: Clip, request: Request, bend: float) -> str:
    """Why a route is too far from a hard place to be bent there, with its position at that time; "" if it is not.

    It may be off by `bend` metres (and radians) more than the tolerance.
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
        facing = np.degrees(wrap_angle(path.heading[at]))
        return (
            f"no route found meets {c.describe()}: the nearest misses it by {gap:.2f} {c.unit}, and it may be bent by "
            f"{bend:.2f}; at {at / clip.fps:.2f} s the hips are at [{x:.2f}, {z:.2f}], "
            f"heading {facing:.0f}deg"
        )
    return ""
