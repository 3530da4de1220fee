"""Two-bone limbs: bend a knee (or elbow) and swing the hip so that the ankle reaches its target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import BadRequest, Clip, FloatArray, Skeleton, replace
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.fk import world
from motionloom.rotation import between, from_axis_angle, inverse, multiply, normalize, rotate

SOFT = 0.01  # width of the soft limit on reach, in limb lengths
STRAIGHT = np.sin(np.radians(10.0))  # below this sine of the knee angle the bending plane is not trusted alone
BACKWARD = 0.02  # sine of the angle past straight below which a knee counts as straight
PASSING = 0.03  # limb lengths to go, over which a knee past straight passes over to its own side
CORRECTED = 0.001  # limb lengths to go, over which a straight knee does


class TwoBone(NamedTuple):
    """How to turn both bones, and where that puts them. World frame, metres."""

    upper: FloatArray  # (..., 4) turn of the upper bone: its new world rotation is upper * old
    lower: FloatArray  # (..., 4) turn of the lower bone
    knee: FloatArray  # (..., 3)
    ankle: FloatArray  # (..., 3)
    missed: FloatArray  # (...,)  distance from the new ankle to the target


def two_bone(
    hip: ArrayLike,
    knee: ArrayLike,
    ankle: ArrayLike,
    target: ArrayLike,
    *,
    bend: ArrayLike | None = None,
    pole: ArrayLike | None = None,
    soft: ArrayLike = SOFT,
) -> TwoBone:
    """Turn two bones so that the ankle reaches `target`, without stretching them. All points (..., 3), world.

    With a, b the bone lengths and phi the knee's angle (0 = straight), |ankle - hip|^2 = a^2 + b^2 + 2 a b cos phi,
    so reaching d' from d changes sin^2(phi/2) by -(d'^2 - d^2)/(4 a b). First the lower bone turns about the knee
    within the bending plane, then both swing by the shortest arc that brings the ankle onto the line to the target.
    Where the target is the ankle already, both turns are exactly the identity.

    The plane is the current one. Below 10 degrees of bend it is uncertain, and a bending leg blends in `bend`, the
    direction (..., 3) that the *lower* bone should fold to. A knee bent a little backward passes over to `bend` as the
    target moves away, through straight: there it misses by millimetres instead of flipping. `pole` (..., 3), if given,
    is a point that the knee is spun to face afterwards.

    Soft limit: reach up to d_a = (1 - soft) (a + b) is exact; past it, with s = a + b - d_a, the ankle goes to
    d_a + s (1 - exp(-(|target - hip| - d_a)/s)): it slows down instead of snapping straight. A limb straighter than
    that to begin with keeps its reach d as d_a where the target is its ankle, fading by exp(-|target - ankle|/s) with
    the distance to its target. `soft=0` is the hard limit a + b; it may differ by limb (...).
    """
    hip, knee, ankle, target = np.broadcast_arrays(*(np.asarray(p, float) for p in (hip, knee, ankle, target)))
    thigh, shin, old = knee - hip, ankle - knee, ankle - hip
    a, b, d = (np.linalg.norm(v, axis=-1) for v in (thigh, shin, old))
    if (np.minimum(a, b) < 1e-9).any():
        raise BadRequest("a limb needs two bones that have a length; one of these is zero long")
    t, s = thigh / a[..., None], shin / b[..., None]
    wanted = target - hip
    asked = np.linalg.norm(target - ankle, axis=-1)
    reach = _soft_reach(np.linalg.norm(wanted, axis=-1), easy_reach(d, asked, a + b, soft), a, b)

    half = np.linalg.norm(t - s, axis=-1) / 2  # sin(phi/2): exact also for a straight knee
    half_new = np.sqrt(np.clip(half**2 - (reach**2 - d**2) / (4 * a * b), 0.0, 1.0))
    sine = 2 * half * np.sqrt(np.clip(1 - half**2, 0, 1))
    sine_new = 2 * half_new * np.sqrt(1 - half_new**2)
    across = s - np.einsum("...i,...i->...", t, s)[..., None] * t
    bentness = np.where(half > np.sqrt(0.5), 1.0, sine)  # a knee folded up is not a straight one
    fold = _folded(t, across, bentness, sine_new, bend, asked / (a + b))
    square = np.einsum("...i,...i->...", fold, fold)
    cosine = np.where(square == sine_new**2, 1 - 2 * half_new**2, np.sqrt(np.clip(1 - square, 0, 1)))
    cosine = np.where(half_new > np.sqrt(0.5), -np.abs(cosine), cosine)
    bent = between(s, cosine[..., None] * t + fold)
    bent = np.where((half_new == half)[..., None], [1.0, 0, 0, 0], bent)

    middle = thigh + rotate(bent, shin)  # hip to ankle, after bending, before the swing
    aim = np.where(np.linalg.norm(wanted, axis=-1, keepdims=True) > 1e-9, wanted, old)
    aim = np.where(np.linalg.norm(aim, axis=-1, keepdims=True) > 1e-9, aim, thigh)
    middle_safe = np.where(np.linalg.norm(middle, axis=-1, keepdims=True) > 1e-9, middle, aim)
    upper = between(middle_safe, aim)
    if pole is not None:
        upper = multiply(_spin(rotate(upper, thigh), np.asarray(pole, float) - hip, aim), upper)
    lower = multiply(upper, bent)
    new_knee = hip + rotate(upper, thigh)
    new_ankle = new_knee + rotate(lower, shin)
    return TwoBone(upper, lower, new_knee, new_ankle, np.linalg.norm(new_ankle - target, axis=-1))


def easy_reach(d: FloatArray, asked: FloatArray, full: FloatArray, soft: ArrayLike) -> FloatArray:
    """How far a limb of length `full`, now reaching d, goes before the soft limit, if its end is to move by `asked`."""
    soft = np.asarray(soft, float)
    start = (1 - soft) * full
    straighter = np.maximum(np.minimum(d, full) - start, 0)
    return np.asarray(start + straighter * np.exp(-asked / (np.maximum(soft, 1e-9) * full)))


def _soft_reach(wanted: FloatArray, start: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    room = np.maximum(a + b - start, 1e-12)
    eased = start + room * -np.expm1(-np.maximum(wanted - start, 0) / room)
    return np.maximum(np.where(wanted > start, np.minimum(eased, a + b), wanted), np.abs(a - b))


def _folded(
    t: FloatArray, across: FloatArray, sine: FloatArray, sine_new: FloatArray, bend: ArrayLike | None, asked: FloatArray
) -> FloatArray:
    """The part of the new lower bone across the upper one: where the knee folds to, as long as the sine of its angle.

    across + h (sine_new - sine)+ f, with f `bend` made square to the bone and h falling smoothly from 1 (straight)
    to 0 at 10 degrees: a bent knee keeps its plane, and a straight one that must bend takes f. Without `bend`, f is any
    direction across the bone.
    """
    side = np.eye(3)[np.abs(t).argmin(-1)] if bend is None else np.asarray(bend, float)
    f = side - np.einsum("...i,...i->...", t, side)[..., None] * t
    f = _unit(f, f)
    along = np.einsum("...i,...i->...", across, f)
    if bend is None:
        return sine_new[..., None] * _unit(across, f)
    weight = (1 - smoothstep(sine / STRAIGHT)) * np.maximum(sine_new - sine, 0)
    side = across + np.where(along >= 0, weight, 0)[..., None] * f
    same = sine_new[..., None] * _unit(side, f)
    little = 1 - smoothstep(sine / STRAIGHT - 1)  # 10 degrees backward is a knee past straight; 20 is a bend
    backward = smoothstep(-along / BACKWARD - 1)
    passing = smoothstep(asked / CORRECTED) * (1 - (1 - smoothstep(asked / PASSING)) * backward)
    over = np.where(along < 0, little * passing, 0)[..., None]
    forward = sine_new[..., None] * _unit(across + (weight - 2 * along)[..., None] * f, f)
    return (1 - over) * same + over * forward


def _unit(v: FloatArray, fallback: FloatArray) -> FloatArray:
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.where(length > 1e-12, v / np.maximum(length, 1e-12), fallback)


def _spin(knee: FloatArray, pole: FloatArray, axis: FloatArray) -> FloatArray:
    """The turn about `axis` (hip to ankle) that brings the knee to the pole's side of it."""
    u = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    across = np.cross(u, knee)
    x = np.einsum("...i,...i->...", pole, knee) - np.einsum("...i,...i->...", u, pole) * np.einsum(
        "...i,...i->...", u, knee
    )
    y = np.einsum("...i,...i->...", pole, across)
    return from_axis_angle(u, np.arctan2(y, x))


def folding_direction(skeleton: Skeleton, limb: Sequence[int], places: FloatArray, turns: FloatArray) -> FloatArray:
    """Where the lower bone folds to in this motion: (..., F, 3), world. The pole for frames with a straight limb.

    The mean over all F frames, in the upper joint's own frame, of the lower bone's part across the upper one. A limb
    that never bends folds as bodies do: shins backward, forearms forward, by `travel.body_axes`. `places` is
    (..., F, J, 3): several motions may lie side by side.
    """
    thigh, shin, foot = limb
    t = places[..., shin, :] - places[..., thigh, :]
    s = places[..., foot, :] - places[..., shin, :]
    t = t / np.linalg.norm(t, axis=-1, keepdims=True)
    s = s / np.linalg.norm(s, axis=-1, keepdims=True)
    across = s - np.einsum("...i,...i->...", t, s)[..., None] * t
    mean = rotate(inverse(turns[..., thigh, :]), across).mean(-2, keepdims=True)
    size = np.linalg.norm(mean, axis=-1, keepdims=True)
    out = rotate(turns[..., thigh, :], mean / np.maximum(size, 1e-12))
    if (size > 0.02).all():
        return out
    from motionloom.kinematics.travel import body_axes

    forward = 1.0 if "arm" in skeleton.roles[thigh] else -1.0
    world_from_body = multiply(turns[..., 0, :], body_axes(skeleton))
    return np.where(size > 0.02, out, rotate(world_from_body, [0.0, 0.0, forward]))


def limb_rotations(
    skeleton: Skeleton,
    root: FloatArray,
    rotations: FloatArray,
    limb: Sequence[int],
    targets: FloatArray,
    *,
    orientation: FloatArray | None = None,
    pole: FloatArray | None = None,
    bend: FloatArray | None = None,
    soft: ArrayLike = SOFT,
    slides: FloatArray | None = None,
    posed: tuple[FloatArray, FloatArray] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """`place_limb` on plain arrays: new local rotations (F, J, 4) and what each frame missed (F,), metres.

    `bend` (F, 3) is where the lower bone folds to, for frames that are not of one motion; else `folding_direction`.
    `posed` are the joints in the world, if known.
    """
    thigh, shin, foot = limb
    if not (thigh in skeleton.chain(shin) and shin in skeleton.chain(foot)) or len({thigh, shin, foot}) < 3:
        names = ", ".join(repr(skeleton.names[j]) for j in limb)
        raise BadRequest(f"a limb is three joints, each above the next; {names} are not")
    places, turns = world(skeleton, root, rotations, slides) if posed is None else posed
    bend = folding_direction(skeleton, limb, places, turns) if bend is None else bend
    solved = two_bone(places[:, thigh], places[:, shin], places[:, foot], targets, bend=bend, pole=pole, soft=soft)
    out = np.array(rotations)
    above_shin = turns[:, skeleton.parents[shin]]
    above_foot = turns[:, skeleton.parents[foot]]
    thigh_new = multiply(solved.upper, turns[:, thigh])
    above = turns[:, skeleton.parents[thigh]] if thigh else np.broadcast_to([1.0, 0, 0, 0], thigh_new.shape)
    foot_new = turns[:, foot] if orientation is None else np.asarray(orientation, float)
    out[:, thigh] = normalize(multiply(inverse(above), thigh_new))
    out[:, shin] = normalize(
        multiply(inverse(multiply(solved.upper, above_shin)), multiply(solved.lower, turns[:, shin]))
    )
    out[:, foot] = normalize(multiply(inverse(multiply(solved.lower, above_foot)), foot_new))
    return out, solved.missed


def place_limb(
    clip: Clip,
    limb: Sequence[int | str],
    targets: ArrayLike,
    *,
    orientation: ArrayLike | None = None,
    pole: ArrayLike | None = None,
    soft: ArrayLike = SOFT,
) -> tuple[Clip, FloatArray]:
    """Put the end of a limb (thigh, shin, foot; or upper arm, forearm, hand) at `targets` (F, 3) m, frame by frame.

    The foot keeps its world rotation, or takes `orientation` (F, 4). Joints between the three ride along. Returns
    the clip and the distance (F,) m by which each frame fell short (out of reach; bones never stretch).
    """
    joints = [clip.skeleton.joint(j) if isinstance(j, str) else int(j) for j in limb]
    if len(joints) != 3:
        raise BadRequest(f"a limb is three joints, found {len(joints)}")
    wanted = np.broadcast_to(np.asarray(targets, float), (len(clip), 3))
    given = None if orientation is None else np.broadcast_to(np.asarray(orientation, float), (len(clip), 4))
    knees = None if pole is None else np.broadcast_to(np.asarray(pole, float), (len(clip), 3))
    rotations, missed = limb_rotations(
        clip.skeleton,
        clip.root,
        clip.rotations,
        joints,
        wanted,
        orientation=given,
        pole=knees,
        soft=soft,
        slides=clip.slides,
    )
    return replace(clip, rotations=rotations), missed
