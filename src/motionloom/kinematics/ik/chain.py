"""The general solver: any joints, hard and soft targets, close to the given motion and smooth over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, IntArray, Skeleton, replace
from motionloom.kinematics.body.roles import group
from motionloom.kinematics.ik.jacobians import Posed, Unknowns
from motionloom.kinematics.ik.newton import Problem
from motionloom.kinematics.ik.targets import PoseTarget, Target

REACH = 6.0  # an edit fades out over this many `smooth` times on either side of a target


class Residuals(NamedTuple):
    """What is left of each target, in the order given: arrays (R, m), metres or radians."""

    targets: tuple[FloatArray, ...]
    hard: float  # the largest number among the hard ones, 0 if there are none
    iterations: int


def solve_chain(
    clip: Clip,
    targets: Sequence[Target],
    *,
    joints: Sequence[int | str] | None = None,
    root: bool = False,
    stay: float = 0.01,
    stay_root: float = 1.0,
    stiffness: ArrayLike | None = None,
    smooth: float = 0.0,
    frames: BoolArray | None = None,
    iterations: int = 60,
) -> tuple[Clip, Residuals]:
    """Change as little as needed so that hard targets are met and soft ones are near. Bones keep their length.

    The unknowns are displacements of the given motion: q_j = q0_j exp(d_j), and r for the root's position if `root`.
    LAU eq. 7, for all frames at once, with f(q) - pos = 0 in place of its square, whose gradient vanishes:

        minimise sum_i w_i |residual_i|^2 + stay sum_f (|d_f|^2 + smooth^4 |d''_f|^2)  subject to hard residuals = 0

    d'' is the second time derivative of the *displacement* (LAU's is the pose's own, which would flatten the motion),
    so `smooth`, in seconds, is how far an edit spreads: frames farther than 6 `smooth` from a target do not change at
    all, and with 0 each target's frame stands alone. `stay` is in 1/rad^2, `stay_root` in 1/m^2 (times `stay`), the
    weights w_i of soft targets in 1/m^2 or 1/rad^2; `stiffness` (J,) makes joints less willing.

    `joints` are names, roles, groups or indices; by default all between each target and the hips, the hips excluded.
    `frames` (F,) bool limits which frames may change. Gauss-Newton steps with Levenberg's damping; hard targets by
    projection onto the null space of their Jacobian, so that they are met exactly where they can be, and in the
    least-squares sense (see the residuals) where they contradict each other or are out of reach.
    """
    allowed = np.ones(len(clip), bool) if frames is None else np.asarray(frames, bool)
    _check(clip, targets, allowed)
    unknowns = Unknowns(clip.skeleton, _chosen(clip.skeleton, targets, joints), root)
    weights = stay * _weights(clip.skeleton, unknowns, stiffness, stay_root)
    moved_root, rotations = np.array(clip.root), np.array(clip.rotations)
    count = 0
    for active in _runs(clip, targets, smooth, allowed):
        parts = [t.part(np.flatnonzero(np.isin(t.frames, active))) for t in targets]
        problem = Problem(clip, unknowns, [t for t in parts if len(t.frames)], active, weights, smooth)
        values, needed = problem.solve(iterations)
        posed = problem.posed(values)
        moved_root[active], rotations[active] = posed.root, posed.rotations
        count = max(count, needed)
    out = replace(clip, root=moved_root, rotations=rotations)
    left = residuals(out, targets)
    hard = [np.abs(r).max() for t, r in zip(targets, left, strict=True) if t.weight is None and r.size]
    return out, Residuals(left, float(max(hard, default=0.0)), count)


def residuals(clip: Clip, targets: Sequence[Target]) -> tuple[FloatArray, ...]:
    """What a clip leaves of each target: arrays (R, m), metres or radians."""
    nothing = Unknowns(clip.skeleton, np.zeros(0, np.int64), False)
    posed = Posed(nothing, clip.root, clip.rotations, np.zeros((len(clip), 0)), clip.slides)
    return tuple(t.residual(posed, np.asarray(t.frames, np.int64)) for t in targets)


def _check(clip: Clip, targets: Sequence[Target], allowed: BoolArray) -> None:
    for target in targets:
        at = np.asarray(target.frames, np.int64)
        if at.ndim != 1 or len(np.unique(at)) != len(at):
            raise BadRequest("a target's frames are a list in which no frame occurs twice")
        if len(at) and not 0 <= at.min() <= at.max() < len(clip):
            raise BadRequest(f"target frames must lie in 0..{len(clip) - 1}, found {at.min()}..{at.max()}")
        if target.weight is not None and target.weight < 0:
            raise BadRequest(f"a target's weight must not be negative, found {target.weight}")
        if target.weight is None and not allowed[at].all():
            raise BadRequest("a hard target stands at a frame that is not allowed to change")


def _weights(skeleton: Skeleton, unknowns: Unknowns, stiffness: ArrayLike | None, stay_root: float) -> FloatArray:
    stiff = np.ones(len(skeleton)) if stiffness is None else np.asarray(stiffness, float)
    return np.concatenate([np.repeat(stiff[unknowns.joints], 3), np.full(3 * unknowns.root, stay_root)])


def _runs(clip: Clip, targets: Sequence[Target], smooth: float, allowed: BoolArray) -> list[IntArray]:
    """Frames that change, cut where nothing ties them together; without smoothness, all of them in one batch."""
    near = np.zeros(len(clip), bool)
    reach = int(np.ceil(REACH * smooth * clip.fps))
    for target in targets:
        for f in target.frames:
            near[max(0, f - reach) : f + reach + 1] = True
    active = np.flatnonzero(near & allowed)
    if not len(active):
        return []
    return np.split(active, np.flatnonzero(np.diff(active) > 2) + 1) if smooth > 0 else [active]


def _chosen(skeleton: Skeleton, targets: Sequence[Target], joints: Sequence[int | str] | None) -> IntArray:
    if joints is None:
        picked: set[int] = set()
        for target in targets:
            tip = skeleton.joint(target.joint) if isinstance(target.joint, str) else int(target.joint)
            picked |= {tip} if isinstance(target, PoseTarget) else set(skeleton.chain(tip)[1:])
    else:
        picked = {j for name in joints for j in (group(skeleton, name) if isinstance(name, str) else [int(name)])}
    return np.array(sorted(picked), np.int64)
