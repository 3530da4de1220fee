"""The motion of free limbs that needs the least joint torque (GUAN 2.22)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from motionloom.blend.dynamics import joint_torques, segments
from motionloom.blend.join import Join
from motionloom.core import Clip, FloatArray, Progress, part, silent
from motionloom.core.progress import slices
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.fk import positions
from motionloom.rotation import exp, multiply, normalize

KNOT_SPACING = 0.12  # s between the knots of the curves that are optimised
GUESS_STIFFNESS = 25.0  # N m per radian off the first guess: the default; see `least_torque`
FLOOR_STIFFNESS = 2000.0  # N m per metre that a toe or ankle sinks below the ground
BATCH = 32  # derivatives in one call, about 0.1 s for a window of half a second


def least_torque(
    join: Join,
    b: Clip,
    root: FloatArray,
    rotations: FloatArray,
    free: list[int],
    *,
    ground: float,
    iterations: int,
    stiffness: float = GUESS_STIFFNESS,
    progress: Progress | None = None,
) -> FloatArray:
    """Rotations (n, J, 4) of the window with the `free` joints changed to minimise the sum of squared torques.

    q_j(f) = first guess * exp(sum_c B_c(f) x_cj), with B_c the cubic B-splines that vanish, with their slope, at both
    ends of the window: values and speeds there stay. The unknowns x are found by Gauss-Newton with damping
    (Levenberg-Marquardt) on the torques of the free joints (GUAN 2.22: the sum is over joints), plus `stiffness`
    |x| and FLOOR_STIFFNESS times the depth of free feet below `ground`. Derivatives are differences of whole motions.

    `stiffness` (N m per radian off the first guess) trades torque for likeness: 0 is the source's objective, and the
    torque falls most, but arms swing and the back straightens to relieve the load, as nobody moves; see the table in
    docs/transitions.md.
    """
    skeleton, w, fps = join.a.skeleton, join.window, join.a.fps
    body = segments(skeleton)
    shape = _bumps(len(root), fps)
    before, after = join.a[w.start - 1 : w.start], b[w.into : w.into + 1]
    whole_root = np.concatenate([before.root, root, after.root])
    whole = np.concatenate([before.rotations, rotations, after.rotations])
    tips = [j for foot in feet(skeleton) for j in (foot.ankle, foot.toe) if j is not None and j in free]

    def motion(x: FloatArray) -> FloatArray:
        """Rotations (..., n + 2, J, 4) for unknowns x (..., C, K, 3)."""
        turn = exp(np.einsum("fc,...ckd->...fkd", shape, x))
        out = np.broadcast_to(whole, (*x.shape[:-3], *whole.shape)).copy()
        out[..., 1:-1, free, :] = normalize(multiply(out[..., 1:-1, free, :], turn))
        return out

    def residual(x: FloatArray) -> FloatArray:
        """(..., R): torques, distance from the guess, and depth below the ground, all in N m."""
        q = motion(x)
        lead = q.shape[:-3]
        r = np.broadcast_to(whole_root, (*lead, *whole_root.shape))
        torque = joint_torques(skeleton, body, r, q, fps)[..., free, :]
        parts = [torque.reshape(*lead, -1) / np.sqrt(len(root)), stiffness * x.reshape(*lead, -1)]
        if tips:
            flat = positions(skeleton, r.reshape(-1, 3), q.reshape(-1, *q.shape[-2:]))
            depth = np.maximum(ground - flat.reshape(*q.shape[:-1], 3)[..., tips, 1], 0)
            parts.append(FLOOR_STIFFNESS * depth.reshape(*lead, -1) / np.sqrt(len(root)))
        return np.concatenate(parts, -1)

    x = np.zeros((shape.shape[1], len(free), 3))
    if x.size:
        x = _gauss_newton(residual, x, iterations, progress or silent())
    return motion(x)[1:-1]


def _bumps(frames: int, fps: float) -> FloatArray:
    """Cubic B-splines (frames, C) over the window that are zero, and flat, at the untouched frames next to it."""
    from scipy.interpolate import BSpline

    pieces = max(2, round((frames + 1) / fps / KNOT_SPACING))
    knots = np.concatenate([np.zeros(3), np.linspace(0, 1, pieces + 1), np.ones(3)])
    basis = BSpline.design_matrix(np.arange(1, frames + 1) / (frames + 1), knots, 3).toarray()
    return np.asarray(basis[:, 2:-2])


def _gauss_newton(
    residual: Callable[[FloatArray], FloatArray], x: FloatArray, iterations: int, progress: Progress
) -> FloatArray:
    """Levenberg-Marquardt with derivatives by differences, `BATCH` of them in one call."""
    step, damping = 1e-5, 1e-3
    now = residual(x)
    moves = step * np.eye(x.size).reshape(x.size, *x.shape)
    for k in range(iterations):
        own = part(progress, k / iterations, (k + 1) / iterations)
        rows = [residual(x + moves[s]) for s in slices(x.size, BATCH, own, "minimizing torques")]
        jacobian = (np.concatenate(rows) - now) / step  # (V, R)
        normal, slope = jacobian @ jacobian.T, jacobian @ now
        scale = np.diag(normal).mean()
        for _ in range(6):
            move = np.linalg.solve(normal + damping * scale * np.eye(x.size), -slope).reshape(x.shape)
            new = residual(x + move)
            if new @ new < now @ now:
                break
            damping *= 8
        else:
            return x
        gain = 1 - (new @ new) / (now @ now)
        x, now, damping = x + move, new, damping / 4
        if gain < 1e-4:
            break
    return x
