"""Transitions by spacetime constraints: root by integrated speed, standing legs by IK, the rest by least torque.

GUAN 2.5.2 (after Rose et al. 1996).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.analysis.comparison import Measure
from motionloom.blend.join import Join, assemble, prepare
from motionloom.blend.least_torque import GUESS_STIFFNESS, least_torque
from motionloom.blend.transition_point import SEARCH, Point
from motionloom.core import BadRequest, Clip, FloatArray, Progress, silent
from motionloom.core.numbers import smoothstep
from motionloom.core.watched import watched
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import (
    ground_turn,
    headings,
    placed,
    root_headings,
    root_motion,
    travel,
    without_heading,
)
from motionloom.rotation import exp, inverse, log, multiply, normalize, slerp, yaw


class GroundPath(NamedTuple):
    """The root over the transition, from the last frame of A to the first of B: n + 1 frames."""

    place: FloatArray  # (n + 1, 2) x, z
    heading: FloatArray  # (n + 1,)


@watched
def spacetime(
    a: Clip,
    b: Clip,
    at: tuple[float, float] | Point | None = None,
    *,
    seconds: float = 0.4,
    plants: bool = True,
    search: float = SEARCH,
    measure: Measure | None = None,
    iterations: int = 6,
    stiffness: float = GUESS_STIFFNESS,
    progress: Progress | None = None,
) -> Clip:
    """Clip `a`, then clip `b`, joined by a motion that is made new over `seconds` (0.3 to 0.6 suits the method).

    Root: on the ground it follows GUAN 2.19, its speed going evenly from A's to B's, and so does its turning; B is
    laid where that path ends. Height and tilt follow cubics that meet both clips' values and speeds (the source goes
    straight, which would leave a kink).
    Standing legs: two-bone IK puts feet where they stood, eqs 2.20-2.21; what they miss is zero within reach. They
    start from the two clips' own legs, one fading into the other: a cubic may take a knee past straight, and then no
    bending brings the foot to its place smoothly.
    All other joints: eq 2.22, the least sum of squared joint torques over the window, by inverse dynamics with de
    Leva's segment masses; they start from a cubic between the clips' poses and keep its values and speeds at both
    ends. `iterations` of Gauss-Newton; 0 keeps the cubic. `stiffness`, N m per radian off the cubic, keeps the limbs
    near it: with 0 (the source) torques fall most, and limbs swing to relieve the load.

    The result is C1. With `plants`, a foot that stands in both clips at the point also decides where B is laid: the
    path is bent by a smooth shift, so that it stands in one place. `at` is as in `blend_transition`.
    """
    if not (np.isfinite(stiffness) and stiffness >= 0):
        raise BadRequest(f"stiffness: expected 0 N m per radian or more, found {stiffness:g}")
    join = prepare(a, b, at, seconds, plants=plants, search=search, measure=measure)
    w = join.window
    path = ground_path(join)
    laid = placed(join.b, path.place[-1], path.heading[-1], frame=w.into)
    fit = join.fit(laid)
    laid = fit.clip(laid)
    path = ground_path(join, fit.angle)
    gap = laid.root[w.into, [0, 2]] - path.place[-1]
    path = GroundPath(path.place + _eased(len(path.place))[:, None] * gap, path.heading)
    root, rotations = _cubic_motion(join, laid, path)
    free = _free_joints(join)
    legs = [j for j in range(1, len(a.skeleton)) if j not in free]
    rotations[:, legs] = _faded(join, laid)[:, legs]
    if iterations and free:
        ground = min(float(fk(one)[..., 1].min()) for one in (join.a[w.start - 1 : w.start], laid[w.into : w.into + 1]))
        rotations = least_torque(
            join,
            laid,
            root,
            rotations,
            free,
            ground=ground,
            iterations=iterations,
            stiffness=stiffness,
            progress=progress,
        )
    (progress or silent())(1.0, "minimizing torques")
    return assemble(join, laid, root, rotations, _eased(2 * join.half + 1)[1:-1])


def ground_path(join: Join, turn: float = 0.0) -> GroundPath:
    """GUAN 2.19: p(t) = p(t_1) + integral of v_1 (1 - s) + v_2 s, s from 0 to 1, in exact form; the same for turning.

    v_1 and v_2 are A's velocity at its last frame and B's at its first, taken in the heading frame, so that B's goes
    with the heading that B will have; `turn` is added to that heading, smoothly on the way. p after k of n frames is
    p_0 + v_1 (k - k^2/2n) + v_2 k^2/2n.
    """
    a, b, w = join.a, join.b, join.window
    n = w.stop - w.start + 1
    start = w.start - 1
    k = np.arange(n + 1.0)
    late = k**2 / (2 * n)
    early = k - late
    last = travel(a[max(start - 1, 0) : max(start - 1, 0) + 2])
    step_b = root_motion(b[min(w.into, len(b) - 2) :][:2])[0]
    now = float(headings(a[start : start + 1])[0])
    heading = now + (last.heading[1] - last.heading[0]) * early + step_b[2] * late + turn * _eased(n + 1)
    v_1, v_2 = last.place[1] - last.place[0], ground_turn(heading[-1], step_b[:2])
    return GroundPath(a.root[start, [0, 2]] + np.outer(early, v_1) + np.outer(late, v_2), heading)


def _cubic_motion(join: Join, laid: Clip, path: GroundPath) -> tuple[FloatArray, FloatArray]:
    """Root (n - 1, 3) and rotations (n - 1, J, 4) of the window: path on the ground, cubics for all the rest."""
    a, w = join.a, join.window
    start, n = w.start - 1, w.stop - w.start + 1
    after = min(w.into + 1, len(laid) - 1)
    last = max(start - 1, 0)
    u = np.arange(1, n) / n
    rise_a, rise_b = a.root[start, 1] - a.root[last, 1], laid.root[after, 1] - laid.root[w.into, 1]
    height = _hermite(a.root[start, 1], laid.root[w.into, 1], rise_a * n, rise_b * n, u)
    root = np.stack([path.place[1:-1, 0], height, path.place[1:-1, 1]], 1)

    def level(clip: Clip, frame: int) -> FloatArray:
        """Local rotations with the heading taken out of the hips."""
        out = np.array(clip.rotations[frame])
        out[0] = without_heading(out[0], clip.skeleton)
        return out

    q = _bezier(level(a, last), level(a, start), level(laid, w.into), level(laid, after), n)
    own = root_headings(q[:, 0], a.skeleton)  # the cubic of the tilt may turn a little: the path's heading counts
    q[:, 0] = multiply(yaw(path.heading[1:-1] - own), q[:, 0])
    return root, normalize(q)


def _faded(join: Join, laid: Clip) -> FloatArray:
    """Rotations (n - 1, J, 4) of the window that fade from A's own to B's own, at their speeds at both ends."""
    w = join.window
    same = slice(w.into - (w.stop - w.start), w.into)
    alpha = _eased(2 * join.half + 1)[1:-1, None]
    return slerp(join.a.rotations[w.start : w.stop], laid.rotations[same], alpha)


def _eased(count: int) -> FloatArray:
    """From 0 to 1 in `count` frames, flat at both ends."""
    return smoothstep(np.linspace(0, 1, count))


def _hermite(p: float, q: float, v: float, w: float, u: FloatArray) -> FloatArray:
    return p + u * v + u**2 * (3 * (q - p) - 2 * v - w) + u**3 * (2 * (p - q) + v + w)


def _bezier(before: FloatArray, p: FloatArray, q: FloatArray, after: FloatArray, n: int) -> FloatArray:
    """Rotations (n - 1, J, 4) from p to q in n steps that leave p and meet q at the speeds before and after."""
    c1 = multiply(p, exp(log(multiply(inverse(before), p)) * n / 3))
    c2 = multiply(q, exp(-log(multiply(inverse(q), after)) * n / 3))
    u = (np.arange(1, n) / n)[:, None]
    first, middle, last = (slerp(x[None], y[None], u) for x, y in ((p, c1), (c1, c2), (c2, q)))
    return slerp(slerp(first, middle, u), slerp(middle, last, u), u)


def _free_joints(join: Join) -> list[int]:
    """Joints of the limbs that do not support the body in the window: all but the root and the legs that stand."""
    skeleton, standing = join.a.skeleton, join.standing
    bound = {0}
    for i, part in enumerate(foot_parts(skeleton) if standing is not None else ()):
        if standing is not None and standing.on[0, 1:-1, i].any():
            bound |= set(skeleton.below(part.foot.thigh)) | set(skeleton.chain(part.foot.thigh)[:-1])
    return [j for j in range(len(skeleton)) if j not in bound]
