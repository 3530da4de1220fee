"""Transitions by stitching: a plain cut, its jump spread out by a quadratic on both sides (GUAN 2.5.3)."""

from __future__ import annotations

import numpy as np

from motionloom.analysis.comparison import Measure
from motionloom.blend.crossfade import CLOUD, laid_for_plants
from motionloom.blend.join import assemble, prepare
from motionloom.blend.transition_point import SEARCH, Point, laid_on
from motionloom.core import Clip, FloatArray, Progress, silent
from motionloom.core.watched import watched
from motionloom.rotation import exp, inverse, log, multiply, normalize


def displacement(half: int) -> FloatArray:
    """y(f) of GUAN 2.23 for the 2 s - 1 frames d - s + 1 .. d + s - 1, s = `half`: the share of the jump each takes.

    (f - d + s)^2 / 2 s^2 before the join, -(f - d - s)^2 / 2 s^2 from the join on: half the jump on either side of it.

    >>> displacement(2)
    array([ 0.125, -0.5  , -0.125])
    """
    f = np.arange(1 - half, half) / half
    return np.where(f < 0, (f + 1) ** 2 / 2, -((f - 1) ** 2) / 2)


@watched
def stitch(
    a: Clip,
    b: Clip,
    at: tuple[float, float] | Point | None = None,
    *,
    seconds: float = 0.4,
    plants: bool = True,
    search: float = SEARCH,
    measure: Measure | None = None,
    progress: Progress | None = None,
) -> Clip:
    """Clip `a` up to the transition point, then clip `b`, with the jump between them spread over `seconds`.

    GUAN 2.23: with Delta the jump from A to B at the point (of the root's position; of each rotation, as the turn
    q_A^-1 q_B along the shorter arc), every frame f of the window is displaced by y(f) Delta. The result is C0 only:
    what jump there is in speed stays at the point. `at`, the laying of B and `plants` are as in `blend_transition`.
    """
    report = progress or silent()
    report(0.0, "joining")
    join = prepare(a, b, at, seconds, plants=plants, search=search, measure=measure)
    laid = laid_for_plants(join, laid_on(join.a, join.b, join.point, radius=CLOUD))
    point, w = join.point, join.window
    y = displacement(join.half)
    before, after = slice(w.start, w.middle), slice(point.b, w.into)
    jump = laid.root[point.b] - a.root[point.a]
    turn = log(multiply(inverse(a.rotations[point.a]), laid.rotations[point.b]))
    root = np.concatenate([a.root[before], laid.root[after]]) + y[:, None] * jump
    rotations = np.concatenate([a.rotations[before], laid.rotations[after]])
    turned = normalize(multiply(rotations, exp(y[:, None, None] * turn)))
    made = assemble(join, laid, root, turned, np.where(y < 0, 1 + y, y))  # displaced by y Delta, a share y of B
    report(1.0, "joining")
    return made
