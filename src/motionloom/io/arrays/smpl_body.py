"""The joints of SMPL, SMPL-H and SMPL-X bodies: names, parents, and average bone lengths.

Real bone lengths come from the body model's shape (`betas`), and that model is licensed: it is not here. The stand-in
is a body of 1.70 m with average proportions: heights and segment lengths as parts of the stature by Drillis and Contini
(1966), as in Winter's Biomechanics; places inside the trunk and the hand are round numbers of our own.
"""

from __future__ import annotations

import numpy as np

from motionloom.core import FloatArray, Skeleton
from motionloom.kinematics.body.roles import guess_roles

STATURE = 1.70  # m
_BODY = (
    *("pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2", "left_ankle", "right_ankle"),
    *("spine3", "left_foot", "right_foot", "neck", "left_collar", "right_collar", "head"),
    *("left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist"),
)
_PARENTS = (-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19)
_FINGERS = tuple(f"{finger}{n}" for finger in ("index", "middle", "pinky", "ring", "thumb") for n in (1, 2, 3))
_FACE = ("jaw", "left_eye", "right_eye")
# offsets from the parent as parts of the stature: x to the left, y up, z forward; the left side only
_OFFSETS = {
    "left_hip": (0.050, -0.030, 0.0),
    "left_knee": (0.0, -0.245, 0.0),
    "left_ankle": (0.0, -0.246, -0.01),
    "left_foot": (0.0, -0.029, 0.08),
    "spine1": (0.0, 0.070, 0.0),
    "spine2": (0.0, 0.080, 0.0),
    "spine3": (0.0, 0.035, 0.0),
    "neck": (0.0, 0.100, -0.004),
    "head": (0.0, 0.055, 0.006),
    "left_collar": (0.045, 0.065, -0.005),
    "left_shoulder": (0.084, 0.008, -0.005),
    "left_elbow": (0.186, 0.0, 0.0),
    "left_wrist": (0.146, 0.0, 0.0),
    "left_hand": (0.050, 0.0, 0.0),
    "jaw": (0.0, 0.0, 0.015),
    "left_eye": (0.018, 0.040, 0.045),
}
_HAND = {"index": 0.014, "middle": 0.005, "ring": -0.004, "pinky": -0.012}  # how far to the front a finger starts
PELVIS_HEIGHT = 0.560  # of the stature


def smpl_names(joints: int) -> tuple[str, ...]:
    """Joint names of a body with so many joints: 22 or 24 (SMPL), 52 (SMPL-H), 55 (SMPL-X)."""
    hands = tuple(f"{side}_{finger}" for side in ("left", "right") for finger in _FINGERS)
    return {22: _BODY, 24: (*_BODY, "left_hand", "right_hand"), 52: (*_BODY, *hands), 55: (*_BODY, *_FACE, *hands)}[
        joints
    ]


def smpl_parents(joints: int) -> tuple[int, ...]:
    """The parents of those joints."""
    names = smpl_names(joints)
    out = list(_PARENTS)
    for name in names[22:]:
        if name in _FACE:
            out.append(names.index("head"))
        elif name[-1] in "23":
            out.append(names.index(name[:-1] + str(int(name[-1]) - 1)))
        else:
            out.append(names.index(f"{name.split('_')[0]}_wrist"))
    return tuple(out)


def average_body(joints: int) -> Skeleton:
    """A skeleton with SMPL's joints and average proportions, in SMPL's rest pose: a T, facing +z."""
    names = smpl_names(joints)
    offsets = STATURE * np.array([_offset(name) for name in names])
    return with_offsets(offsets)


def with_offsets(offsets: FloatArray) -> Skeleton:
    """A skeleton with SMPL's joints and these offsets (J, 3), roles guessed."""
    names, parents = smpl_names(len(offsets)), smpl_parents(len(offsets))
    return Skeleton(names, np.array(parents), offsets, guess_roles(names, parents, offsets))


def _offset(name: str) -> tuple[float, float, float]:
    if name == "pelvis":
        return 0.0, PELVIS_HEIGHT, 0.0
    if name.startswith("right_"):
        x, y, z = _offset("left_" + name.removeprefix("right_"))
        return -x, y, z
    if name in _OFFSETS:
        return _OFFSETS[name]
    finger, part = name.removeprefix("left_")[:-1], int(name[-1])
    if finger == "thumb":
        return ((0.015, -0.005, 0.014), (0.014, 0.0, 0.012), (0.013, 0.0, 0.010))[part - 1]
    return (0.055, 0.0, _HAND[finger]) if part == 1 else (0.020 if part == 2 else 0.014, 0.0, 0.0)
