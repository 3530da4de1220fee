"""How much each joint counts: Lee's set, Wang and Bodenheimer's, by role, or your own (GUAN 2.6.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from motionloom.core import BadRequest, FloatArray, Skeleton
from motionloom.kinematics.body.roles import group

Weights = str | Mapping[str, float] | Sequence[float] | FloatArray
"""A named set ("lee"), a table of roles, groups or joint names, or one number per joint."""

# GUAN 2.6.3: hip, knee, shoulder, elbow, pelvis and spine count, the others do not (Lee et al. 2002).
_TRUNK = ("hips", "spine", "spine1", "spine2", "spine3")
_LIMBS = ("upper_arm", "forearm", "thigh", "shin", "front_upper_arm", "front_forearm")
# GUAN table 2.1 (Wang and Bodenheimer 2003): hip, knee, shoulder and elbow; all others are zero.
_WANG = {
    "thigh": 1.0,
    "shin": 0.0901,
    "upper_arm": 0.7884,
    "forearm": 0.0247,
    "front_upper_arm": 0.7884,
    "front_forearm": 0.0247,
}


def uniform(skeleton: Skeleton) -> FloatArray:
    """Every joint counts the same: ones (J,)."""
    return np.ones(len(skeleton))


def lee(skeleton: Skeleton) -> FloatArray:
    """Lee's 0/1 set (J,): hips, spine, shoulders, elbows, hip joints and knees are 1, all others 0."""
    limbs = {f"{side}_{part}" for side in ("left", "right") for part in _LIMBS}
    return _named(skeleton, "lee", dict.fromkeys((*_TRUNK, *limbs), 1.0))


def wang_bodenheimer(skeleton: Skeleton) -> FloatArray:
    """Wang and Bodenheimer's optimal set (J,): hip joints 1, shoulders 0.7884, knees 0.0901, elbows 0.0247."""
    table = {f"{side}_{part}": w for side in ("left", "right") for part, w in _WANG.items()}
    return _named(skeleton, "wang-bodenheimer", table)


def by_role(skeleton: Skeleton, table: Mapping[str, float]) -> FloatArray:
    """Weights (J,) from roles, groups or exact joint names; what the table does not name is 0, later lines win.

    >>> from motionloom.samples import make
    >>> skeleton = make("walk", seconds=1).skeleton
    >>> weights = by_role(skeleton, {"all": 0.1, "lower": 1.0, "head": 0.0})
    >>> [float(weights[skeleton.joint(role)]) for role in ("left_shin", "left_upper_arm", "head")]
    [1.0, 0.1, 0.0]
    """
    out = np.zeros(len(skeleton))
    for name, weight in table.items():
        out[group(skeleton, name)] = weight
    return out


SETS = {"uniform": uniform, "lee": lee, "wang-bodenheimer": wang_bodenheimer}


def joint_weights(skeleton: Skeleton, weights: Weights) -> FloatArray:
    """Weights in any accepted form as plain numbers (J,), checked: finite, not negative, not all zero."""
    if isinstance(weights, str):
        if weights not in SETS:
            raise BadRequest(f"joint weights: expected one of {', '.join(SETS)}, found {weights!r}")
        return SETS[weights](skeleton)
    if isinstance(weights, Mapping):
        return _checked(by_role(skeleton, weights))
    given = np.asarray(weights, float)
    if given.shape != (len(skeleton),):
        raise BadRequest(f"joint weights: expected {len(skeleton)} numbers, one per joint, found shape {given.shape}")
    return _checked(given)


def _named(skeleton: Skeleton, name: str, table: Mapping[str, float]) -> FloatArray:
    out = np.array([table.get(role, 0.0) for role in skeleton.roles])
    if not out.any():
        raise BadRequest(
            f"joint weights {name!r} need roles (left_thigh, right_forearm ...), and none of this skeleton's "
            f"{len(skeleton)} joints has one that counts; give roles, or use 'uniform'"
        )
    return out


def _checked(weights: FloatArray) -> FloatArray:
    if not np.isfinite(weights).all() or (weights < 0).any():
        at = int(np.flatnonzero(~(weights >= 0) | ~np.isfinite(weights))[0])
        raise BadRequest(f"joint weights: expected finite numbers from 0 up, found {weights[at]} at joint {at}")
    if not weights.any():
        raise BadRequest("joint weights: all are zero, so nothing would be compared")
    return weights
