"""The person: a skeleton with published proportions, and the assembly of its parts into a clip."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from motionloom.core import End, FloatArray, Skeleton
from motionloom.kinematics.fk import local_rotations
from motionloom.rotation import inverse, multiply, normalize, rotate, slerp

STATURE = 1.75  # m
LEFT, RIGHT = 0, 1
SIDE = ("left", "right")
THIGH, SHIN = 0.245 * STATURE, 0.246 * STATURE  # Drillis and Contini (1966), fractions of stature
UPPER_ARM, FOREARM, HAND = 0.186 * STATURE, 0.146 * STATURE, 0.108 * STATURE
ANKLE = 0.039 * STATURE  # height of the ankle above the sole
HIP = ANKLE + SHIN + THIGH  # height of the hip joints
HIPS = HIP + 0.045  # the root lies a little above the hip joints
HALF_HIP, HALF_SHOULDER = 0.05 * STATURE, 0.105 * STATURE
SHOULDER = 0.818 * STATURE
EYE = 0.936 * STATURE
HEEL = (0.0, -ANKLE, -0.05)  # from the ankle, foot flat; the foot is 0.152 of stature long
BALL = (0.0, -ANKLE + 0.007, 0.145)  # the toe joint
TIP = (0.0, -0.002, 0.068)  # from the toe joint

_TRUNK = (
    ("Hips", "hips", "", (0.0, HIPS, 0.0)),
    ("Spine", "spine", "Hips", (0.0, 0.075, -0.01)),
    ("Spine1", "spine1", "Spine", (0.0, 0.13, -0.005)),
    ("Spine2", "spine2", "Spine1", (0.0, 0.13, 0.0)),
    ("Neck", "neck", "Spine2", (0.0, 0.165, 0.0)),
    ("Head", "head", "Neck", (0.0, 0.1, 0.015)),
)
_NECK = HIPS + 0.075 + 0.13 + 0.13 + 0.165
_HEAD = _NECK + 0.1
_CHEST = _NECK - 0.165


def _side(name: str, role: str, sign: float) -> list[tuple[str, str, str, tuple[float, float, float]]]:
    return [
        (f"{name}Eye", f"{role}_eye", "Head", (sign * 0.032, EYE - _HEAD, 0.075)),
        (f"{name}Shoulder", f"{role}_shoulder", "Spine2", (sign * 0.035, SHOULDER - _CHEST - 0.01, 0.02)),
        (f"{name}Arm", f"{role}_upper_arm", f"{name}Shoulder", (sign * (HALF_SHOULDER - 0.035), 0.01, -0.02)),
        (f"{name}ForeArm", f"{role}_forearm", f"{name}Arm", (sign * UPPER_ARM, 0.0, 0.0)),
        (f"{name}Hand", f"{role}_hand", f"{name}ForeArm", (sign * FOREARM, 0.0, 0.0)),
        (f"{name}UpLeg", f"{role}_thigh", "Hips", (sign * HALF_HIP, HIP - HIPS, 0.0)),
        (f"{name}Leg", f"{role}_shin", f"{name}UpLeg", (0.0, -THIGH, 0.0)),
        (f"{name}Foot", f"{role}_foot", f"{name}Leg", (0.0, -SHIN, 0.0)),
        (f"{name}ToeBase", f"{role}_toe", f"{name}Foot", BALL),
    ]


@cache
def skeleton() -> Skeleton:
    """The person's skeleton: 24 joints with roles, 1.75 m tall, T-pose at rest, y up, facing +z, left along +x."""
    left, right = _side("Left", "left", 1.0), _side("Right", "right", -1.0)
    rows = [*_TRUNK, left[0], right[0], *left[1:5], *right[1:5], *left[5:], *right[5:]]
    names = tuple(r[0] for r in rows)
    parents = np.array([names.index(r[2]) if r[2] else -1 for r in rows])
    at = names.index
    hand = HAND * 0.9
    ends = (
        End(at("Head"), (0.0, STATURE - _HEAD, 0.01)),
        End(at("LeftEye"), (0.0, 0.0, 0.02)),
        End(at("RightEye"), (0.0, 0.0, 0.02)),
        End(at("LeftHand"), (hand, 0.0, 0.0)),
        End(at("RightHand"), (-hand, 0.0, 0.0)),
        End(at("LeftToeBase"), TIP),
        End(at("RightToeBase"), TIP),
    )
    return Skeleton(names, parents, np.array([r[3] for r in rows]), tuple(r[1] for r in rows), ends)


def offset(role: str) -> FloatArray:
    """Rest offset (3,) m of a joint from its parent."""
    body = skeleton()
    return np.asarray(body.offsets[body.joint(role)])


@dataclass(frozen=True, eq=False)
class Trunk:
    """Where the hips are and how the trunk is turned: world rotations, F frames."""

    root: FloatArray  # (F, 3) m
    pelvis: FloatArray  # (F, 4)
    chest: FloatArray  # (F, 4) upper spine; the joints between share the turn
    head: FloatArray  # (F, 4)
    gaze: FloatArray | None = None  # (F, 4) both eyes; with the head if not given
    collars: tuple[FloatArray, FloatArray] | None = None  # local rotations of the shoulders, left and right

    def hip(self, side: int) -> FloatArray:
        """(F, 3) the hip joint."""
        return self.root + rotate(self.pelvis, offset(f"{SIDE[side]}_thigh"))

    def spine(self) -> list[FloatArray]:
        """World rotations of the three spine joints: a third of the way from pelvis to chest each."""
        return [slerp(self.pelvis, self.chest, part) for part in (0.35, 0.7)] + [self.chest]

    def top(self) -> FloatArray:
        """(F, 3) the chest joint (spine2)."""
        lower, middle, _ = self.spine()
        place = self.root + rotate(self.pelvis, offset("spine"))
        return place + rotate(lower, offset("spine1")) + rotate(middle, offset("spine2"))

    def collar(self, side: int) -> FloatArray:
        """(F, 4) world rotation of the shoulder (clavicle)."""
        return self.chest if self.collars is None else multiply(self.chest, self.collars[side])

    def shoulder(self, side: int) -> FloatArray:
        """(F, 3) the joint of the upper arm."""
        base = self.top() + rotate(self.chest, offset(f"{SIDE[side]}_shoulder"))
        return base + rotate(self.collar(side), offset(f"{SIDE[side]}_upper_arm"))

    def eyes(self) -> FloatArray:
        """(F, 3) the point between the eyes."""
        base = self.top() + rotate(self.chest, offset("neck")) + rotate(self.neck(), offset("head"))
        return base + rotate(self.head, (offset("left_eye") + offset("right_eye")) / 2)

    def neck(self) -> FloatArray:
        """(F, 4) world rotation of the neck: half way from chest to head."""
        return slerp(self.chest, self.head, 0.45)


@dataclass(frozen=True, eq=False)
class LimbRotations:
    """World rotations (F, 4) of an arm (upper arm, forearm, hand) or of a leg (thigh, shin, foot and toe)."""

    upper: FloatArray
    lower: FloatArray
    end: FloatArray
    toe: FloatArray | None = None


def assemble(
    trunk: Trunk, arms: tuple[LimbRotations, LimbRotations], legs: tuple[LimbRotations, LimbRotations]
) -> FloatArray:
    """Local rotations (F, J, 4) of the whole person."""
    body = skeleton()
    turns = np.empty((len(trunk.root), len(body), 4))

    def put(role: str, world: FloatArray) -> None:
        turns[:, body.joint(role)] = world

    put("hips", trunk.pelvis)
    for role, turn in zip(("spine", "spine1", "spine2"), trunk.spine(), strict=True):
        put(role, turn)
    put("neck", trunk.neck())
    put("head", trunk.head)
    for side, name in enumerate(SIDE):
        put(f"{name}_eye", trunk.head if trunk.gaze is None else trunk.gaze)
        put(f"{name}_shoulder", trunk.collar(side))
        for part in ("upper", "lower", "end"):
            put(f"{name}_{_ARM[part]}", getattr(arms[side], part))
            put(f"{name}_{_LEG[part]}", getattr(legs[side], part))
        toe = legs[side].toe
        put(f"{name}_toe", legs[side].end if toe is None else toe)
    return normalize(local_rotations(body, turns))


_ARM = {"upper": "upper_arm", "lower": "forearm", "end": "hand"}
_LEG = {"upper": "thigh", "lower": "shin", "end": "foot"}


def mirrored(turn: FloatArray, side: int) -> FloatArray:
    """A rotation written for the left side, as the given side needs it (reflected in the plane x = 0)."""
    return turn if side == LEFT else turn * np.array([1.0, 1.0, -1.0, -1.0])


def relative(world: FloatArray, frame: FloatArray) -> FloatArray:
    """A world rotation as seen from `frame`."""
    return multiply(inverse(frame), world)
