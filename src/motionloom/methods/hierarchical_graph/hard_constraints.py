"""What is hard: the frames that every way must show, and how far a way may be bent to the places it must come to."""

from __future__ import annotations

import numpy as np

from motionloom.constraints import Avoid, PoseAt, PositionAt, Reach, Request, RootAt, RootPath, Style
from motionloom.core import Clip, NoPath, Progress, silent
from motionloom.core.progress import parts
from motionloom.kinematics.travel import travel
from motionloom.methods.graph import Graph
from motionloom.methods.hierarchical_graph.objective import must
from motionloom.methods.hierarchical_graph.search import net_of
from motionloom.methods.hierarchical_graph.search_arrays import Hard, Material
from motionloom.methods.schedule import Reachable, not_kept, schedule
from motionloom.rotation import wrap_angle


def must_keep(graph: Graph, m: Material, request: Request, progress: Progress | None = None) -> tuple[Hard, Reachable]:
    """What every way keeps, and the frames from which it can be kept at each time; `NoPath` says what cannot.

    Hard poses restrict the frames shown at their time to those nearest to the pose, as few as leave a way (first the
    very frame, where it is in the material). Hard styles restrict all frames of their span, or, where there is no way,
    all but what their tolerance leaves for the changes at its ends.
    """
    fps = graph.clips[0].fps
    frames = request.length(fps)
    assert frames is not None  # checked before
    net = net_of(m)
    first, rest = parts(progress or silent(), [1, 4])
    free = Reachable(net, frames, progress=first)
    if free.first_dead >= 0:
        raise NoPath(
            f"no way through these clips lasts {frames / fps:g} s; the longest lasts "
            f"{(frames - 1 - free.first_dead) / fps:g} s (no transition leads on; raise `limit`)"
        )
    hard = [c for c in request.constraints if c.hard]
    styles, poses = [c for c in hard if isinstance(c, Style)], [c for c in hard if isinstance(c, PoseAt)]
    found = schedule(net, graph.clips, styles, poses, frames, free=free, progress=rest)
    if found.missing is not None:
        raise NoPath(not_kept(graph.clips, found.missing, "transitions", "raise `limit`, or give a weight"))
    return must(graph, found.near, found.spans), found.reachable


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
        facing = np.degrees(wrap_angle(path.heading[at]))
        return (
            f"no way was found that comes near {c.describe()}: the nearest misses it by {gap:.2f} {c.unit}, and it "
            f"may be bent by {bend:.2f}; at {at / clip.fps:.2f} s the hips are at [{x:.2f}, {z:.2f}], "
            f"heading {facing:.0f}deg"
        )
    return ""
