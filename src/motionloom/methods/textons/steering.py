"""Steering a texton frame by frame: the least push that leads its states to given frames some time ahead.

LI eqs. 6-9 solve for all frames of a texton at once, which needs the frames that it ends in from its beginning. The
same least squares, solved backwards from the end, gives the push of one frame as a function of the present state and
of the end alone. So a character can be stepped on, and the end may become known while it moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from motionloom.core import FloatArray, FormatError
from motionloom.methods.textons.learn.lds import Dynamics, companion


class SteeringGains(NamedTuple):
    """B v[t] = goal[n] g - state[n] z, with z = (x[t], x[t-1]) and n steps to g = (x[t+n], x[t+n-1])."""

    goal: FloatArray  # (most + 1, d, 2d); rows 0 and 1 are empty: a state has two frames, so two steps are needed
    state: FloatArray  # (most + 1, d, 2d)


def steering_gains(dynamics: Dynamics, most: int) -> SteeringGains:
    """The least push, summed over frames, that leads from any state to any other in 2 to `most` steps: its first frame.

    With the companion matrix M and b = (B, 0), z[t+n] = M^n z[t] + sum_i M^(n-1-i) b v[t+i]. The shortest v that
    makes this g has v[t] = b^T (M^(n-1))^T G^-1 (g - M^n z[t]), where G = sum_{i<n} M^i b b^T (M^i)^T. Applied anew in
    every frame, this is the least-squares solution of `trajectory.constrained_run`, for deviations from an observed
    segment (whose own push is the rest of the drive).
    """
    size = dynamics.size
    m = companion(dynamics)
    power = np.eye(2 * size)  # M^(n-1)
    gramian = np.zeros((2 * size, 2 * size))
    goal, state = np.zeros((most + 1, size, 2 * size)), np.zeros((most + 1, size, 2 * size))
    for n in range(1, most + 1):
        reach = power[:, :size] @ dynamics.noise  # M^(n-1) b
        gramian += reach @ reach.T
        power = m @ power
        if n >= 2:
            scale = 1.0 / np.sqrt(np.diag(gramian))  # places and noise differ by orders of magnitude
            try:
                inner = scipy.linalg.solve(gramian * np.outer(scale, scale), scale[:, None] * reach, assume_a="pos")
            except np.linalg.LinAlgError:  # dynamics that no learning gives
                raise FormatError(f"dynamics: no push leads from any state to any other in {n} frames") from None
            goal[n] = dynamics.noise @ (scale[:, None] * inner).T
            state[n] = goal[n] @ power
    return SteeringGains(goal, state)
