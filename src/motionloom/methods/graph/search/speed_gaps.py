"""Changes of speed over the transitions of a graph, beyond those that its clips show."""

from __future__ import annotations

import numpy as np

from motionloom.core import FloatArray
from motionloom.core.arrays import freeze_in_place
from motionloom.kinematics.pace import changes_within_second, step_speed
from motionloom.methods.graph.graph import Graph, once_per_graph
from motionloom.methods.schedule import frame_paces

FREE_SHARE = 0.5  # quantile of the clips' own changes of speed within a second that a transition may show freely
STEADY_CHANGE = 0.2  # m/s within a second: changes that nobody notices
FREE_RANGE = (0.03, 0.5)  # m/s: limits of that change


@once_per_graph
def speed_gaps(graph: Graph) -> FloatArray:
    """(T,) m/s: difference of the paces of the two clips at each transition, less what the clips themselves show.

    The pace is averaged over the second around the joined frames, so this is the change that the transition adds.
    """
    speed, t = frame_paces(graph.clips), graph.transitions
    return freeze_in_place(np.maximum(np.abs(speed[t.a] - speed[t.b]) - usual_change(graph), 0.0))


@once_per_graph
def speed_slopes(graph: Graph) -> FloatArray:
    """(N,) m/s within a second: how much the clip changes its speed around each frame, beyond `STEADY_CHANGE`."""
    out = []
    for clip in graph.clips:
        speed, half = step_speed(clip), max(1, round(clip.fps / 2))
        at, last = np.arange(len(speed)), len(speed) - 1
        out.append(np.abs(speed[np.minimum(at + half, last)] - speed[np.maximum(at - half, 0)]))
    return freeze_in_place(np.maximum(np.concatenate(out) - STEADY_CHANGE, 0.0))


@once_per_graph
def usual_change(graph: Graph) -> float:
    """m/s: the change of speed within a second that the clips show half of the time, within `FREE_RANGE`."""
    changes = np.concatenate([changes_within_second(clip) for clip in graph.clips])
    usual = float(np.quantile(changes, FREE_SHARE)) if len(changes) else 0.0
    return float(np.clip(usual, *FREE_RANGE))
