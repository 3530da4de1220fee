"""Transitions by blending: over a short window one clip fades into the other (HECK 3.3, GUAN 2.5.4)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from motionloom.analysis.comparison import Measure
from motionloom.blend.join import Join, assemble, prepare
from motionloom.blend.transition_point import SEARCH, Point, laid_on
from motionloom.core import BadRequest, Clip, FloatArray, Progress, silent
from motionloom.core.numbers import smoothstep
from motionloom.core.watched import watched
from motionloom.kinematics.ground_alignment import Alignment
from motionloom.rotation import slerp

Ease = Literal["linear", "smooth"]
CLOUD = 5  # frames to each side of the point that decide how B is laid on the ground


def blend_weights(half: int, ease: Ease = "smooth") -> FloatArray:
    """alpha of HECK 3.3 for the 2 half - 1 frames inside the window: 0 at its start, 1 at its end.

    alpha(t) = (t - (t_o - w/2)) / w, as corrected (printed, it runs from -1/2 to 1/2). "linear" is just that and
    leaves a kink in speed at both ends; "smooth" is 3 alpha^2 - 2 alpha^3, which does not.

    >>> blend_weights(2, "linear")
    array([0.25, 0.5 , 0.75])
    """
    p = np.arange(1, 2 * half) / (2 * half)
    if ease == "linear":
        return p
    if ease == "smooth":
        return smoothstep(p)
    raise BadRequest(f"ease: expected linear or smooth, found {ease!r}")


@watched
def blend_transition(
    a: Clip,
    b: Clip,
    at: tuple[float, float] | Point | None = None,
    *,
    seconds: float = 0.4,
    ease: Ease = "smooth",
    plants: bool = True,
    search: float = SEARCH,
    measure: Measure | None = None,
    progress: Progress | None = None,
) -> Clip:
    """Clip `a`, then clip `b`, joined by a blend over `seconds` about the transition point (HECK 3.3).

    `at` is the moment in each clip, s, at which the two are alike; by default the best one is looked for
    (`transition_point`). B is turned and moved on the ground to lie best on A there. Within the window root positions
    are mixed linearly (GUAN 2.24) and rotations by slerp along the shorter arc (2.25), with the weights of
    `blend_weights`; frames outside it are those of A and of B (moved). With `ease="smooth"` the result is C1.

    `plants`: a foot that stands in both clips at the point decides where B is laid, so that it stands in one place,
    and legs are bent so that no standing foot slides. Without it this is the source's plain blend.
    """
    report = progress or silent()
    report(0.0, "joining")
    join = prepare(a, b, at, seconds, plants=plants, search=search, measure=measure)
    alpha = blend_weights(join.half, ease)
    laid = laid_for_plants(join, laid_on(join.a, join.b, join.point, radius=CLOUD))
    w = join.window
    same = slice(w.into - (w.stop - w.start), w.into)
    root = (1 - alpha)[:, None] * a.root[w.start : w.stop] + alpha[:, None] * laid.root[same]
    rotations = slerp(a.rotations[w.start : w.stop], laid.rotations[same], alpha[:, None])
    made = assemble(join, laid, root, rotations, alpha)
    report(1.0, "joining")
    return made


def laid_for_plants(join: Join, best: Alignment) -> Clip:
    """B laid on A by `best`, then moved so that a foot which stands where the clips meet stands in one place."""
    laid = best.clip(join.b)
    return join.fit(laid).clip(laid)
