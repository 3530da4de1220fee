"""Hips that follow feet which stand, a frame at a time: plain arrays, no checks.

Weights that change while a foot stands turn it into that of another take, which stands elsewhere under the hips: the
foot would slide. The hips move instead, as they do over standing feet; what is left is for the legs (eq 7).
"""

from __future__ import annotations

import math
from typing import Any

from motionloom.core._jit import kernel
from motionloom.methods.variation._kernels_limb_targets import forward, place_root

QUICKEST = 0.15  # m/s: the hips are shifted no faster; legs (eq 7) make up for more
SMOOTHED = 0.08  # s: half-life of a shift


@kernel
def follow_feet(
    takes: Any, body: Any, at: Any, weights: Any, mean: Any, last: Any, track: Any, feet: Any, fps: float, room: Any
) -> None:
    """Shift the track (3,), x, z and heading of this frame, by how much faster standing feet move than in the takes.

    `mean` (D,) is the pose without corrections, `last` (D,) the values of the frame before, whose displacements are
    changed along with the track, within the limits of the body. `at` is the moment before this one, and how far from it
    to the next. `feet` (P + 3, 2) holds the places of the foot parts in the frame before, the heading then, whether
    there was one, and the last shift, smoothed once and twice, to left and forward; it is brought to this frame. Shifts
    are smoothed, as noise of the feet would shake the hips, twice, so that the hips do not accelerate suddenly where a
    foot begins to stand; legs (eq 7) make up for what is left.
    """
    root, turn = place_root(body, mean, track)
    parts = len(feet) - 3
    x, z, total = 0.0, 0.0, 0.0
    c, s = math.cos(track[2]), math.sin(track[2])
    i, t = at
    column = len(mean)
    for p in range(parts):
        end = forward(body, p, mean, root, turn, room[0], room[1])
        stands, known, left, ahead = 0.0, 0.0, 0.0, 0.0
        for k in range(len(weights)):
            share = (1.0 - t) * takes.standing[k, i, p] + t * takes.standing[k, i + 1, p]
            stands += weights[k, column] * share
            known += share
            left += share * ((1.0 - t) * takes.slips[k, i, p, 0] + t * takes.slips[k, i + 1, p, 0])
            ahead += share * ((1.0 - t) * takes.slips[k, i, p, 1] + t * takes.slips[k, i + 1, p, 1])
        stands = min(max(stands, 0.0), 1.0)
        if known > 0.0:
            left, ahead = left / known, ahead / known
        x += stands * (end[0] - feet[p, 0] - c * left - s * ahead)
        z += stands * (end[2] - feet[p, 1] - c * ahead + s * left)
        total += stands
        feet[p, 0], feet[p, 1] = end[0], end[2]
    before, valid = feet[parts, 0], feet[parts, 1] > 0.0
    feet[parts, 0], feet[parts, 1] = track[2], 1.0
    if not valid:
        return
    c, s = math.cos(before), math.sin(before)
    limited = 1.0 / (max(total, 1.0) * math.sqrt(1.0 + (x * x + z * z) * (fps / QUICKEST) ** 2))
    x, z = -limited * x, -limited * z
    share = 1.0 - 0.5 ** (1.0 / (SMOOTHED * fps))
    once, twice = feet[parts + 1], feet[parts + 2]
    once[0] += share * (c * x - s * z - once[0])
    once[1] += share * (s * x + c * z - once[1])
    left = _limited(body, body.root[0], last, twice[0] + share * (once[0] - twice[0]))
    ahead = _limited(body, body.root[1], last, twice[1] + share * (once[1] - twice[1]))
    twice[0], twice[1] = left, ahead
    x, z = c * left + s * ahead, c * ahead - s * left
    track[0] += x
    track[1] += z
    for p in range(parts):
        feet[p, 0] += x
        feet[p, 1] += z


@kernel
def _limited(body: Any, column: int, last: Any, shift: float) -> float:
    """Add a shift to a displacement in `last` (D,), as far as its limits allow; returns what was added."""
    if column < 0:
        return 0.0
    now = last[column]
    last[column] = min(max(now + shift, min(body.low[column], now)), max(body.high[column], now))
    return float(last[column] - now)
