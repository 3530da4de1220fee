"""Random walks at a steady pace: probabilities of edges by the changes of speed that follow from them."""

from __future__ import annotations

import numpy as np

from motionloom.core import BoolArray, FloatArray
from motionloom.kinematics.pace import SPEED_CHANGE
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.search.scheduled_walk import EdgeWeights
from motionloom.methods.graph.search.speed_gaps import speed_slopes, usual_change

GAP_UNIT = 0.05  # m/s: a change of speed by this much more than usual has cost 1
MAX_COST = 25.0  # of a transition
SLOPE_COST = 24.0  # of a second in which a clip changes its speed by `SPEED_CHANGE` more than usual
HORIZON = 5.0  # s: later costs count e times less


def steady_weights(
    graph: Graph, gaps: FloatArray, inside: BoolArray, usable: BoolArray, steadiness: float
) -> EdgeWeights | None:
    """The relative probability of each edge of a walk at a steady pace; None if `steadiness` is 0.

    A transition costs c = steadiness (gap / 0.05 m/s)^2, with `gaps` (T,) of `speed_gaps` (less where the clips often
    change their speed); a frame of a clip that
    changes its own speed costs e (`speed_slopes`). V, the least discounted cost of all that follows a frame, solves
    V(n) = min(e_n + g V(n + 1), c_t + g^blend V(enter_t)), and an edge of cost q has the weight exp(V(n) - q): a piece
    of a clip that only ends in a change of speed is left early. `inside` (N,) frames and `usable` (T,) transitions may
    be used.
    """
    from motionloom.methods.graph.search._kernels_steadiness import future_costs

    if steadiness <= 0:
        return None
    usual = usual_change(graph)
    cost = np.minimum(steadiness * (gaps / max(GAP_UNIT, usual / 3)) ** 2, MAX_COST)
    stay = np.append(inside[:-1] & inside[1:] & (graph.clip_of[:-1] == graph.clip_of[1:]), False)
    use = usable & inside[graph.leave] & inside[graph.enter]
    keep = float(np.exp(-1.0 / (HORIZON * graph.clips[0].fps)))
    over = keep**graph.blend
    going = steadiness * SLOPE_COST * (speed_slopes(graph) / max(SPEED_CHANGE, 2 * usual)) ** 2 / graph.clips[0].fps
    later = future_costs(stay, going, graph.first_out, graph.enter, cost, use, keep, over)
    go = np.exp(later - going - keep * np.append(later[1:], 0.0))
    take = np.exp(later[graph.leave] - cost - over * later[graph.enter])
    return EdgeWeights(np.where(stay, np.minimum(go, 1.0), 1.0), np.minimum(take, 1.0))
