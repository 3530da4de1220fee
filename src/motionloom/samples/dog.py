"""The dog: a skeleton of a medium-sized dog, and its pose from a trunk and four paws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from motionloom.core import BoolArray, End, FloatArray, Skeleton
from motionloom.kinematics.fk import local_rotations
from motionloom.kinematics.ik.limb import two_bone
from motionloom.rotation import about, multiply, normalize, rotate, slerp, yaw

HIPS = 0.485  # m, height of the root at rest: about 0.55 m at the withers, a medium-sized dog
PAW = 0.02  # m, height of the toe joints above the ground
FEET = ("left_foot", "left_front_foot", "right_foot", "right_front_foot")  # in the order they step when walking

_TRUNK = (
    ("Hips", "hips", "", (0.0, HIPS, 0.0)),
    ("Spine", "spine", "Hips", (0.0, 0.012, 0.14)),
    ("Spine1", "spine1", "Spine", (0.0, 0.0, 0.15)),
    ("Spine2", "spine2", "Spine1", (0.0, -0.008, 0.15)),
    ("Neck", "neck", "Spine2", (0.0, 0.035, 0.09)),
    ("Neck1", "neck1", "Neck", (0.0, 0.085, 0.085)),
    ("Head", "head", "Neck1", (0.0, 0.08, 0.075)),
    ("Tail", "tail", "Hips", (0.0, 0.02, -0.11)),
    ("Tail1", "tail1", "Tail", (0.0, 0.0, -0.1)),
    ("Tail2", "tail2", "Tail1", (0.0, 0.0, -0.1)),
)


def _side(name: str, role: str, sign: float) -> list[tuple[str, str, str, tuple[float, float, float]]]:
    return [
        (f"{name}Shoulder", f"{role}_shoulder", "Spine2", (sign * 0.055, 0.02, 0.0)),
        (f"{name}Arm", f"{role}_front_upper_arm", f"{name}Shoulder", (sign * 0.015, -0.13, 0.075)),
        (f"{name}ForeArm", f"{role}_front_forearm", f"{name}Arm", (0.0, -0.115, -0.105)),
        (f"{name}Hand", f"{role}_front_foot", f"{name}ForeArm", (0.0, -0.185, 0.012)),
        (f"{name}Paw", f"{role}_front_toe", f"{name}Hand", (0.0, -0.072, 0.028)),
        (f"{name}UpLeg", f"{role}_thigh", "Hips", (sign * 0.062, -0.075, -0.045)),
        (f"{name}Leg", f"{role}_shin", f"{name}UpLeg", (sign * 0.008, -0.158, 0.078)),
        (f"{name}Foot", f"{role}_foot", f"{name}Leg", (0.0, -0.115, -0.135)),
        (f"{name}ToeBase", f"{role}_toe", f"{name}Foot", (0.0, -0.117, 0.042)),
    ]


@cache
def dog_skeleton() -> Skeleton:
    """The dog's skeleton: 28 joints with roles; it stands on all fours at rest, y up, facing +z."""
    left, right = _side("Left", "left", 1.0), _side("Right", "right", -1.0)
    rows = [*_TRUNK[:7], *left[:5], *right[:5], *left[5:], *right[5:], *_TRUNK[7:]]
    names = tuple(r[0] for r in rows)
    parents = np.array([names.index(r[2]) if r[2] else -1 for r in rows])
    paws = [f"{side}{part}" for side in ("Left", "Right") for part in ("Paw", "ToeBase")]
    ends = (
        End(names.index("Head"), (0.0, -0.02, 0.17)),
        *(End(names.index(p), (0.0, -0.012, 0.055)) for p in paws),
        End(names.index("Tail2"), (0.0, 0.0, -0.11)),
    )
    return Skeleton(names, parents, np.array([r[3] for r in rows]), tuple(r[1] for r in rows), ends)


def dog_offset(role: str) -> FloatArray:
    body = dog_skeleton()
    return np.asarray(body.offsets[body.joint(role)])


@dataclass(frozen=True, eq=False)
class Paw:
    """One foot: where its toe joint is and how the bones above and in it are pitched (rad, toes up positive)."""

    toe: FloatArray  # (F, 3) m
    foot: FloatArray  # (F,) pitch of the long bone between hock (or wrist) and toes, against its rest
    pad: FloatArray  # (F,) pitch of the paw itself
    heading: FloatArray  # (F,) rad
    stands: BoolArray  # (F,) some part of it is on the ground
    rests: BoolArray  # (F,) the toe joint is at rest


@dataclass(frozen=True, eq=False)
class DogTrunk:
    """World rotations of hips and chest, turns of neck and tail, and the shoulder blades' swing."""

    root: FloatArray  # (F, 3) m
    hips: FloatArray  # (F, 4)
    chest: FloatArray  # (F, 4)
    head: FloatArray  # (F, 4) world
    tail: FloatArray  # (F, 4) local turn of each of its three joints
    blades: tuple[FloatArray, FloatArray]  # (F,) rad, forward positive, left and right

    def spine(self) -> list[FloatArray]:
        return [slerp(self.hips, self.chest, part) for part in (0.33, 0.67)] + [self.chest]

    def withers(self) -> FloatArray:
        """(F, 3) the chest joint (spine2)."""
        lower, middle, _ = self.spine()
        place = self.root + rotate(self.hips, dog_offset("spine"))
        return place + rotate(lower, dog_offset("spine1")) + rotate(middle, dog_offset("spine2"))


def assemble_dog(trunk: DogTrunk, paws: dict[str, Paw]) -> tuple[FloatArray, FloatArray]:
    """Local rotations (F, J, 4) of the whole dog, and by how much each leg falls short of its paw, (F, 4) m.

    The long foot bones have given directions; the two bones above them reach, by the two-bone solver, in the plane that
    they have at rest.
    """
    body = dog_skeleton()
    turns = np.empty((len(trunk.root), len(body), 4))

    def put(role: str, turn: FloatArray) -> None:
        turns[:, body.joint(role)] = turn

    put("hips", trunk.hips)
    for role, turn in zip(("spine", "spine1", "spine2"), trunk.spine(), strict=True):
        put(role, turn)
    put("neck", slerp(trunk.chest, trunk.head, 0.35))
    put("neck1", slerp(trunk.chest, trunk.head, 0.7))
    put("head", trunk.head)
    tail = trunk.hips
    for role in ("tail", "tail1", "tail2"):
        tail = multiply(tail, trunk.tail)
        put(role, tail)
    withers = trunk.withers()
    missed = []
    for name, paw in paws.items():
        side = name.split("_")[0]
        front = "front" in name
        if front:
            blade = multiply(trunk.chest, about(0, -trunk.blades[0 if side == "left" else 1]))
            put(f"{side}_shoulder", blade)
            top = withers + rotate(trunk.chest, dog_offset(f"{side}_shoulder"))
            top = top + rotate(blade, dog_offset(f"{side}_front_upper_arm"))
            parts, frame = ("front_upper_arm", "front_forearm", "front_foot", "front_toe"), blade
        else:
            top = trunk.root + rotate(trunk.hips, dog_offset(f"{side}_thigh"))
            parts, frame = ("thigh", "shin", "foot", "toe"), trunk.hips
        upper, lower, foot, toe = (f"{side}_{p}" for p in parts)
        foot_turn = multiply(yaw(paw.heading), about(0, -paw.foot))
        ankle = paw.toe - rotate(foot_turn, dog_offset(toe))
        knee = top + rotate(frame, dog_offset(lower))
        solved = two_bone(top, knee, knee + rotate(frame, dog_offset(foot)), ankle, soft=0.01)
        put(upper, multiply(solved.upper, frame))
        put(lower, multiply(solved.lower, frame))
        put(foot, foot_turn)
        put(toe, multiply(yaw(paw.heading), about(0, -paw.pad)))
        missed.append(solved.missed)
    return normalize(local_rotations(body, turns)), np.stack(missed, -1)


def settled(trunk: DogTrunk, paws: dict[str, Paw]) -> tuple[DogTrunk, FloatArray]:
    """The trunk lowered, if need be, until every standing paw is reached exactly; and the local rotations then."""
    for _ in range(40):
        rotations, missed = assemble_dog(trunk, paws)
        short = max(float(missed[paw.stands, k].max(initial=0.0)) for k, paw in enumerate(paws.values()))
        if short < 1e-9:
            break
        trunk = replace(trunk, root=trunk.root - [0.0, 0.003 + short, 0.0])
    return trunk, rotations
