"""Inverse dynamics: segment masses by role, and the torque that each joint must give for a motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import FloatArray, Skeleton
from motionloom.kinematics.fk import world
from motionloom.kinematics.mass import DE_LEVA, GRAVITY, LIMBS, NEXT
from motionloom.rotation import inverse, log, multiply, rotate, to_matrix

BODY_MASS = 70.0  # kg; torques grow in proportion, so the least-torque motion does not depend on it
PELVIS = 0.257  # of the trunk's mass: its lower part (de Leva: 11.17 of 43.46 %)
RADII: dict[str, tuple[float, float]] = {  # of gyration, in segment lengths: across the bone, and about it
    "head": (0.296, 0.262),
    "trunk": (0.308, 0.158),
    "upper_arm": (0.273, 0.153),
    "forearm": (0.265, 0.108),
    "hand": (0.532, 0.368),
    "thigh": (0.348, 0.156),
    "shin": (0.261, 0.098),
    "foot": (0.270, 0.124),
}
"""De Leva 1996, table 4: means of female and male, and of the two axes across the bone."""


class BodyMasses(NamedTuple):
    """The mass that turns with each joint."""

    mass: FloatArray  # (J,) kg
    centre: FloatArray  # (J, 3) m, in the joint's frame
    inertia: FloatArray  # (J, 3, 3) kg m^2, about the centre, in the joint's frame


def segments(skeleton: Skeleton, mass: float = BODY_MASS) -> BodyMasses:
    """Masses, centres and inertias by role, from de Leva's table (female and male averaged).

    A limb's segment runs from its joint to the next one by role; hands, feet and the head run to their end sites or
    children and have their centre half-way. The trunk's mass lies on the hips (its lower part) and on the spine's
    joints in proportion to their lengths. Joints without a part in this (fingers, twist bones, props) weigh nothing.
    A body without these roles (a dog, an unknown tree) is made of rods with masses in proportion to their lengths.
    """
    count = len(skeleton)
    bones = np.array([_bone(skeleton, j) for j in range(count)])
    weights = np.zeros(count)
    across, about = np.full(count, 1 / np.sqrt(12)), np.full(count, 0.05)  # a thin rod
    centre = bones / 2
    parts = _parts(skeleton)
    for joint, (part, along, share) in parts.items():
        weights[joint] += share * float(np.mean(DE_LEVA[part].mass))
        across[joint], about[joint] = RADII[part]
        to = skeleton.find(f"{skeleton.roles[joint].split('_')[0]}_{NEXT[part]}") if part in NEXT else None
        if to is not None and part != "foot":
            bones[joint] = np.sum(skeleton.offsets[skeleton.chain(to, joint)[1:]], axis=0)
        centre[joint] = along * bones[joint]
    if not parts:
        weights = np.linalg.norm(bones, axis=1)
    masses = mass * weights / max(weights.sum(), 1e-12)
    return BodyMasses(masses, centre, _rods(masses, bones, across, about))


def _parts(skeleton: Skeleton) -> dict[int, tuple[str, float, float]]:
    """Joint to (part of de Leva's table, centre along the bone, share of the part's mass); else empty."""
    limbs = {f"{side}_{part}": part for side in ("left", "right") for part in LIMBS}
    if any(skeleton.find(role) is None for role in ("head", "hips", *limbs)):
        return {}
    found = {}
    for role, part in limbs.items():
        half = part in ("hand", "foot")
        found[skeleton.joint(role)] = (part, 0.5 if half else float(np.mean(DE_LEVA[part].centre)) / 100, 1.0)
    found[skeleton.joint("head")] = ("head", 0.5, 1.0)
    spine = [skeleton.joint(r) for r in skeleton.roles if r.startswith("spine")]
    lengths = np.array([np.linalg.norm(_bone(skeleton, j)) for j in spine])
    upper = lengths / lengths.sum() if lengths.sum() > 1e-9 else np.full(len(spine), 1 / max(len(spine), 1))
    for joint, share in zip(spine, upper, strict=True):
        found[joint] = ("trunk", 0.5, (1 - PELVIS) * float(share))
    found[skeleton.joint("hips")] = ("trunk", 0.5, PELVIS if spine else 1.0)
    return found


def _bone(skeleton: Skeleton, joint: int) -> FloatArray:
    """From a joint to the middle of its children, or to its end site; zero where there is neither."""
    tips = [skeleton.offsets[c] for c in skeleton.children(joint)]
    tips = tips or [np.array(end.offset) for end in skeleton.ends if end.joint == joint]
    return np.mean(tips, axis=0) if tips else np.zeros(3)


def _rods(masses: FloatArray, bones: FloatArray, across: FloatArray, about: FloatArray) -> FloatArray:
    length = np.linalg.norm(bones, axis=1)
    axis = bones / np.maximum(length, 1e-9)[:, None]
    along = axis[:, :, None] * axis[:, None, :]
    size = (masses * length**2)[:, None, None]
    wide, thin = (across**2)[:, None, None], (about**2)[:, None, None]
    return np.asarray(size * (wide * (np.eye(3) - along) + thin * along))


def joint_torques(
    skeleton: Skeleton, body: BodyMasses, root: FloatArray, rotations: FloatArray, fps: float
) -> FloatArray:
    """The torque of every joint on what hangs on it, (..., F - 2, J, 3) N m in the world frame, for frames 1 .. F - 2.

    With c_s, m_s, L_s the centre, mass and spin of segment s, and g gravity: tau_j = sum over the segments s at and
    below j of (c_s - p_j) x m_s (c_s'' - g) + L_s'. That is Newton and Euler from the tips inwards; it is the joint's
    torque where nothing below it touches the ground. `root` is (..., F, 3), `rotations` (..., F, J, 4): many trials
    of a motion can be laid side by side. Derivatives are central differences.
    """
    lead, frames = rotations.shape[:-3], rotations.shape[-3]
    places, turns = world(skeleton, root.reshape(-1, 3), rotations.reshape(-1, *rotations.shape[-2:]))
    places, turns = places.reshape(*lead, frames, -1, 3), turns.reshape(*lead, frames, -1, 4)
    centres = places + rotate(turns, body.centre)
    push = (centres[..., 2:, :, :] - 2 * centres[..., 1:-1, :, :] + centres[..., :-2, :, :]) * fps**2
    push[..., 1] += GRAVITY
    force = body.mass[:, None] * push
    spin = log(multiply(turns[..., 1:, :, :], inverse(turns[..., :-1, :, :]))) * fps  # between frames
    frame = to_matrix(turns)
    inertia = frame @ body.inertia @ np.swapaxes(frame, -1, -2)
    middle = (inertia[..., 1:, :, :, :] + inertia[..., :-1, :, :, :]) / 2
    momentum = (middle @ spin[..., None])[..., 0]
    change = (momentum[..., 1:, :, :] - momentum[..., :-1, :, :]) * fps
    below = _below(skeleton)
    whole = below @ force
    moment = below @ (np.cross(centres[..., 1:-1, :, :], force) + change)
    return moment - np.cross(places[..., 1:-1, :, :], whole)


def _below(skeleton: Skeleton) -> FloatArray:
    """(J, J): 1 where the column's joint is the row's joint or hangs under it."""
    out = np.eye(len(skeleton))
    for j in range(len(skeleton) - 1, 0, -1):
        out[skeleton.parents[j]] += out[j]
    return out
