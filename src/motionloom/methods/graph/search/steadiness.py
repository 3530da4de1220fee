"""Random walks at a steady pace: probabilities of edges by the changes of speed that follow from them."""

from __future__ import annotations

import numpy as np

from motionloom.core import BoolArray, FloatArray
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.search.scheduled_walk import EdgeWeights

GAP_UNIT = 0.05  # m/s: a change of speed by this much more than usual has cost 1
MAX_COST = 25.0  # of a transition
HORIZON = 5.0  # s: later costs count e times less


def steady_weights(
    graph: Graph, gaps: FloatArray, inside: BoolArray, usable: BoolArray, steadiness: float
) -> EdgeWeights | None:
    """The relative probability of each edge of a walk at a steady pace; None if `steadiness` is 0.

    A transition costs c = steadiness (gap / 0.05 m/s)^2, with `gaps` (T,) of `speed_gaps`. V, the least discounted cost
    of all that follows a frame, solves V(n) = min(g V(n + 1), c_t + g^blend V(enter_t)), and an edge of cost q has the
    weight exp(V(n) - q): a piece of a clip that only ends in a change of speed is left early. `inside` (N,) frames and
    `usable` (T,) transitions may be used.
    """
    from motionloom.methods.graph.search._kernels_steadiness import future_costs

    if steadiness <= 0:
        return None
    cost = np.minimum(steadiness * (gaps / GAP_UNIT) ** 2, MAX_COST)
    stay = np.append(inside[:-1] & inside[1:] & (graph.clip_of[:-1] == graph.clip_of[1:]), False)
    use = usable & inside[graph.leave] & inside[graph.enter]
    keep = float(np.exp(-1.0 / (HORIZON * graph.clips[0].fps)))
    over = keep**graph.blend
    later = future_costs(stay, graph.first_out, graph.enter, cost, use, keep, over)
    go = np.exp(later - keep * np.append(later[1:], 0.0))
    take = np.exp(later[graph.leave] - cost - over * later[graph.enter])
    return EdgeWeights(np.where(stay, np.minimum(go, 1.0), 1.0), np.minimum(take, 1.0))
