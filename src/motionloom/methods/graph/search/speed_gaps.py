"""Changes of speed over the transitions of a graph, beyond those that its clips show."""

from __future__ import annotations

import numpy as np

from motionloom.core import FloatArray
from motionloom.kinematics.pace import changes_within_second
from motionloom.methods.graph.graph import Graph
from motionloom.methods.schedule import frame_paces

FREE_SHARE = 0.5  # quantile of the clips' own changes of speed within a second that a transition may show freely
FREE_RANGE = (0.03, 0.15)  # m/s: limits of that change


def speed_gaps(graph: Graph) -> FloatArray:
    """(T,) m/s: difference of the paces of the two clips at each transition, less what the clips themselves show.

    The pace is averaged over the second around the joined frames, so this is the change that the transition adds.
    """
    speed, t = frame_paces(graph.clips), graph.transitions
    return np.asarray(np.maximum(np.abs(speed[t.a] - speed[t.b]) - _free_change(graph), 0.0))


def _free_change(graph: Graph) -> float:
    changes = np.concatenate([changes_within_second(clip) for clip in graph.clips])
    usual = float(np.quantile(changes, FREE_SHARE)) if len(changes) else 0.0
    return float(np.clip(usual, *FREE_RANGE))
