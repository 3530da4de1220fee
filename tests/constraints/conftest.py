"""A small person with eyes, who stands, or glides along a line."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, Skeleton, replace
from motionloom.core.origin import from_file
from motionloom.rotation import from_axis_angle

JOINTS = (
    ("Hips", None, (0, 0, 0), "hips"),
    ("Spine", "Hips", (0, 0.12, 0), "spine"),
    ("Neck", "Spine", (0, 0.4, 0), "neck"),
    ("Head", "Neck", (0, 0.12, 0), "head"),
    *(
        (f"{side}{name}", parent.format(side), (x * sign, y, z), f"{side.lower()}_{role}")
        for side, sign in (("Left", 1), ("Right", -1))
        for name, parent, (x, y, z), role in (
            ("Arm", "Spine", (0.18, 0.35, 0), "upper_arm"),
            ("ForeArm", "{}Arm", (0.28, 0, 0), "forearm"),
            ("Hand", "{}ForeArm", (0.26, 0, 0), "hand"),
            ("UpLeg", "Hips", (0.1, -0.05, 0), "thigh"),
            ("Leg", "{}UpLeg", (0, -0.42, 0), "shin"),
            ("Foot", "{}Leg", (0, -0.4, 0), "foot"),
        )
    ),
)
EYES = (
    ("LeftEye", "Head", (0.03, 0.1, 0.08), "left_eye"),
    ("RightEye", "Head", (-0.03, 0.1, 0.08), "right_eye"),
)


def skeleton(joints: tuple) -> Skeleton:
    names = [n for n, *_ in joints]
    parents = np.array([-1 if p is None else names.index(p) for _, p, *_ in joints])
    offsets = np.array([o for _, _, o, _ in joints], float)
    return Skeleton(tuple(names), parents, offsets, tuple(r for *_, r in joints))


@pytest.fixture(scope="session")
def person() -> Skeleton:
    """T-pose, facing +z, left along +x; hips 0.9 m above the ground when it stands."""
    return skeleton(JOINTS)


@pytest.fixture(scope="session")
def seeing(person: Skeleton) -> Skeleton:
    """The same person with eyes."""
    return skeleton(JOINTS + EYES)


def glide(body: Skeleton, places: object, fps: float = 10.0) -> Clip:
    """The rest pose carried over the ground places (F, 2), hips at 0.9 m, facing +z, with bent knees and elbows."""
    places = np.asarray(places, float)
    rotations = np.zeros((len(places), len(body), 4))
    rotations[..., 0] = 1
    bent = {"thigh": -0.4, "shin": 0.8, "foot": -0.4}
    for side in ("left", "right"):
        for role, angle in bent.items():
            rotations[:, body.joint(f"{side}_{role}")] = from_axis_angle([1.0, 0, 0], angle)
        turn = -0.6 if side == "left" else 0.6
        rotations[:, body.joint(f"{side}_forearm")] = from_axis_angle([0, 1.0, 0], turn)
    root = np.stack([places[:, 0], np.full(len(places), 0.9), places[:, 1]], 1)
    return Clip(body, root, rotations, fps)


@pytest.fixture(scope="session")
def gliding():
    """`glide`, for tests that need other bodies or paths."""
    return glide


@pytest.fixture
def stand(person: Skeleton) -> Clip:
    """Four seconds at 10 fps of standing at the origin."""
    return glide(person, np.zeros((40, 2)))


@pytest.fixture
def stroll(person: Skeleton) -> Clip:
    """Four seconds at 10 fps, 1 m/s along +z, from a file, with one label on its second half."""
    clip = glide(person, np.stack([np.zeros(40), np.arange(40) / 10], 1))
    labels = (np.arange(40) >= 20)[:, None]
    return replace(clip, label_names=("sneak",), labels=labels, origin=from_file("stroll.bvh", 40))
