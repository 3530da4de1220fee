"""Units and up axes of files: names, conversion to metres and y up, and estimates where a format states neither."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import BadRequest, FloatArray
from motionloom.io.number_text import number

UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}  # metres; CMU's unit is 5.644 cm
UP_GROUNDS = {"posture": "from the posture", "assumed": "assumed, without evidence"}  # of `estimate_up`
UPS = ("y", "z", "x", "-y", "-z", "-x")
_RARE = {"inch": 0.35}  # how much better (in log stature) a rare unit must fit than a common one
# which of the file's axes become x, y, z inside, and with which sign: right-handed turns that put `up` on y
_BASES: dict[str, tuple[tuple[int, int, int], tuple[int, int, int]]] = {
    "y": ((0, 1, 2), (1, 1, 1)),
    "-y": ((0, 1, 2), (1, -1, -1)),
    "z": ((0, 2, 1), (1, 1, -1)),
    "-z": ((0, 2, 1), (1, -1, 1)),
    "x": ((1, 0, 2), (-1, 1, 1)),
    "-x": ((1, 0, 2), (1, -1, 1)),
}


class Convention(NamedTuple):
    """How a file writes space: metres per unit, and its up axis."""

    unit: float
    up: str


def unit_of(unit: str | float) -> float:
    """Metres per unit, from a name ("m", "cm", "mm", "inch", "cmu") or a number, which may be text ("0.3")."""
    if isinstance(unit, str):
        if unit.lower() in UNITS:
            return UNITS[unit.lower()]
        metres = number(unit)
        if metres is None:
            raise BadRequest(f"no unit {unit!r}; one of {', '.join(UNITS)}, or metres per unit as a number")
        unit = metres
    if not (np.isfinite(unit) and 1e-6 <= unit <= 1e6):
        raise BadRequest(f"expected a unit of 1e-6 to 1e6 metres, found {unit}")
    return float(unit)


def up_of(up: str) -> str:
    """An up axis, checked: "y", "z", "x" or one of them with a minus."""
    if up.lower().lstrip("+") not in UPS:
        raise BadRequest(f"no up axis {up!r}; one of {', '.join(UPS)}")
    return up.lower().lstrip("+")


def unit_name(unit: float) -> str:
    """A unit in words: "cm", "5.644 cm (CMU)", "0.3 m"."""
    name = next((n for n, metres in UNITS.items() if np.isclose(unit, metres, rtol=1e-6)), "")
    return "5.644 cm (CMU)" if name == "cmu" else name or f"{unit:g} m"


def vectors_inside(v: ArrayLike, up: str) -> FloatArray:
    """Vectors (..., 3) of a file whose up axis is `up`, in our axes (y up)."""
    axes, signs = _BASES[up]
    return np.asarray(v, float)[..., list(axes)] * np.array(signs, float)


def vectors_outside(v: ArrayLike, up: str) -> FloatArray:
    """The inverse of `vectors_inside`."""
    axes, signs = _BASES[up]
    out = np.empty(np.shape(v))
    out[..., list(axes)] = np.asarray(v, float) * np.array(signs, float)
    return out


def turns_inside(q: FloatArray, up: str) -> FloatArray:
    """Quaternions (..., 4) of the file in our axes: C q C^-1 with the turn C that puts `up` on y."""
    return np.concatenate([q[..., :1], vectors_inside(q[..., 1:], up)], -1)


def turns_outside(q: FloatArray, up: str) -> FloatArray:
    """The inverse of `turns_inside`."""
    return np.concatenate([q[..., :1], vectors_outside(q[..., 1:], up)], -1)


def estimate_up(places: FloatArray, roles: Sequence[str], tips: Sequence[int] = ()) -> tuple[str, str]:
    """The up axis of a file, and the evidence: "posture", or "assumed" without any.

    places (F, J, 3) are world positions of some frames; a T-pose in front of the capture is best passed alone. Feet
    carry bodies: the mean direction from the feet to the trunk points up, even if the body lies down or turns over for
    some of the frames. Of a body with many legs (`tips`) it is the normal of the plane through their tips. y is kept
    unless another axis is clearly better.
    """
    feet = _joints(roles, "foot", "toe")
    tops = _joints(roles, "hips", "spine", "neck", "thigh", "front_upper_arm")
    if tips:
        lines = _normals(places[:, list(tips)], places[:, 0])
    elif not feet or not tops:
        return "y", "assumed"
    else:
        lines = places[:, tops].mean(1) - places[:, feet].mean(1)
    lengths = np.linalg.norm(lines, axis=-1, keepdims=True)
    mean = (lines / np.where(lengths > 0, lengths, 1)).mean(0)
    scores = {up: float(mean["xyz".index(up[-1])]) * (-1 if up[0] == "-" else 1) for up in UPS}
    best = max(scores, key=lambda up: scores[up])
    if scores[best] < 0.5 or scores[best] < scores["y"] + 0.25:
        return "y", "posture" if scores["y"] >= 0.5 else "assumed"
    return best, "posture"


def estimate_unit(
    places: FloatArray, roles: Sequence[str], parents: Sequence[int], up: str, tips: Mapping[int, float] | None = None
) -> tuple[float, str]:
    """Metres per unit of a file, and the evidence in words.

    A person's thigh and shin are 0.491 of the stature (Drillis and Contini 1966); a person is about 1.7 m tall, and the
    unit that comes nearest to that (as a ratio) is taken. Four-legged bodies differ more in size (about 0.6 m high), so
    only m, cm and mm are distinguished for them and for bodies of unknown kind. `tips` are the lengths of end sites, by
    joint: the end site of a shin without a foot is its ankle.
    """
    bones = np.median(np.linalg.norm(places[:, 1:] - places[:, parents[1:]], axis=-1), axis=0)
    bones = np.concatenate([[0.0], bones])
    legs = [
        sum(bones[j] for j in _path(parents, roles.index(f"{side}_foot"), roles.index(f"{side}_thigh")))
        for side in ("left", "right")
        if f"{side}_foot" in roles and f"{side}_thigh" in roles
    ]
    for side in ("left", "right"):
        thigh, shin = (roles.index(r) if (r := f"{side}_{part}") in roles else -1 for part in ("thigh", "shin"))
        if f"{side}_foot" not in roles and tips and shin in tips and thigh >= 0:
            legs.append(sum(bones[j] for j in _path(parents, shin, thigh)) + tips[shin])
    four = any("front_foot" in role for role in roles)
    if legs and not four:
        size, usual, what, known = float(np.mean(legs)) / 0.491, 1.7, "stature", tuple(UNITS)
    else:
        heights = np.ptp(vectors_inside(places, up)[..., 1], axis=1)
        size, usual, known = float(np.median(heights)), 0.6 if four else 1.2, ("m", "cm", "mm")
        what = "height"
    if size <= 0:
        return 1.0, "assumed, the body has no size"
    fits = {name: abs(np.log(size * UNITS[name] / usual)) + _RARE.get(name, 0.0) for name in known}
    best = min(fits, key=lambda name: fits[name])
    return UNITS[best], f"{what} {size * UNITS[best]:.2f} m"


def _normals(tips: FloatArray, trunk: FloatArray) -> FloatArray:
    """(F, 3) normals of the planes through the tips (F, N, 3), towards the trunk (F, 3)."""
    middle = tips.mean(1)
    normals: FloatArray = np.linalg.svd(tips - middle[:, None], full_matrices=False)[2][:, 2]
    side = np.einsum("fc,fc->f", normals, trunk - middle)
    return normals * np.where(side < 0, -1.0, 1.0)[:, None]


def _joints(roles: Sequence[str], *parts: str) -> list[int]:
    sides = ("", "left_", "right_", "left_front_", "right_front_")
    wanted = {side + part for part in parts for side in sides}
    return [j for j, role in enumerate(roles) if role in wanted]


def _path(parents: Sequence[int], joint: int, top: int) -> list[int]:
    """Joints from `joint` up to, without, `top`."""
    path: list[int] = []
    while joint not in (top, -1):
        path.append(joint)
        joint = int(parents[joint])
    return path
