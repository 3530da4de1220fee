"""Gaze displacements applied to poses: shifts that start, interrupt each other and end (HECK 5.2.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from motionloom.constraints.gaze import eyes, facing
from motionloom.core import BadRequest, Clip, FloatArray, IntArray, Skeleton, UInt8Array
from motionloom.kinematics.fk import world
from motionloom.methods.gaze._kernels_shifts import MAX_FOLLOW, gaze_rows
from motionloom.methods.gaze.displacement_motions import JOINTS
from motionloom.methods.gaze.gaze_map import GazeMap
from motionloom.rotation import rotate


@dataclass(frozen=True, eq=False)
class GazeBody:
    """The joints of a body that turn for the gaze: C joints from the first of the spine to the head, then the eyes."""

    skeleton: Skeleton
    chain: IntArray  # (C,) parents first
    shares: FloatArray  # (C, 4) share of pelvis, lower spine, upper spine and neck that each joint takes
    eyes: IntArray  # (n,) joints that look; the head where there are no eyes
    facing: FloatArray  # (n, 3) where they look, in their own frames
    has_eyes: bool

    @property
    def turned(self) -> list[int]:
        """The joints that a look turns; all others keep their bits."""
        return [*map(int, self.chain), *(map(int, self.eyes) if self.has_eyes else ())]

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """The body as the kernels take it."""
        skeleton = self.skeleton
        trunk = sorted({j for tip in (*self.eyes, *self.chain) for j in skeleton.chain(int(tip))})
        return (
            np.array(skeleton.parents, np.int64),
            np.array(skeleton.offsets, float),
            np.array(trunk, np.int64),
            np.array(self.chain, np.int64),
            np.array(self.shares, float),
            np.array(self.eyes, np.int64),
            np.array(self.facing, float),
            self.has_eyes,
        )

    def assignment(self) -> list[str]:
        """Which joint takes which share, in words."""
        lines = []
        for joint, row in zip(self.chain, self.shares, strict=True):
            parts = [f"{100 * share:.0f} % of {JOINTS[k]}" for k, share in enumerate(row) if share > 1e-9]
            lines.append(f"{self.skeleton.names[joint]}: {', '.join(parts) or 'nothing'}")
        names = ", ".join(self.skeleton.names[j] for j in self.eyes)
        lines.append(
            f"{names}: eyes"
            if self.has_eyes
            else f"{names}: also the eyes' share, as the body has none; it looks from this joint"
        )
        return lines


def gaze_body(clip: Clip) -> GazeBody:
    """The assignment of the five shares to the joints of a clip's body."""
    skeleton = clip.skeleton
    spine = [j for j, role in enumerate(skeleton.roles) if role.startswith("spine")]
    neck = [j for j, role in enumerate(skeleton.roles) if role.startswith("neck")]
    head = skeleton.find("head")
    if head is None:
        raise BadRequest(
            f'{clip.name or "the clip"}: no joint has the role head; assign it in a roles file, as head = "Head"'
        )
    top = [*neck, head]
    chain = [*spine, *top]
    shares = np.zeros((len(chain), 4))
    place = np.linspace(0, 2, len(spine)) if len(spine) > 1 else np.array([1.0])
    for k in range(3):
        hat = np.maximum(0.0, 1 - np.abs(place - k)) if len(spine) > 1 else np.ones(len(spine))
        if spine:
            nearest = np.eye(len(spine))[np.abs(place - k).argmin()]
            shares[: len(spine), k] = hat / hat.sum() if hat.sum() > 0 else nearest
        else:
            shares[:, k] = 1 / len(top)  # a body without spine turns its neck
    shares[len(spine) :, 3] = 1 / len(top)
    looking = eyes(skeleton)
    has = skeleton.roles[looking[0]].endswith("eye")
    return GazeBody(skeleton, np.array(chain), shares, np.array(looking), facing(clip), has)


class GazeState(NamedTuple):
    """The gaze of N characters between two steps; rotation vectors of the five shares in the base gaze's frame."""

    shown: FloatArray  # (N, 5, 3)
    rate: FloatArray  # (N, 5, 3) per second
    begin: FloatArray  # (N, 5, 3) where the present shift began
    begin_rate: FloatArray  # (N, 5, 3)
    elapsed: FloatArray  # (N,) s since then
    timing: FloatArray  # (N, 7) length (s), four starts, peak, overshoot
    asked: FloatArray  # (N, 2) yaw and pitch of the present target, relative to the base gaze; 0 where there is none
    aim: FloatArray  # (N, 3) direction of the point that is looked at or was let go, in the world; NaN for none
    pace: FloatArray  # (N,) rad/s: speed of the target in the last step, 300 degrees/s where it was another
    track: FloatArray  # (N, 5, 3) the target of the last step, its speed, and what smooths its hops: see the kernel
    active: UInt8Array  # (N,) 1 while a target is looked at
    busy: UInt8Array  # (N,) 1 while the gaze differs from that of the poses below


def begin_gaze(count: int) -> GazeState:
    """No target."""
    zero = np.zeros((count, 5, 3))
    timing = np.tile([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0], (count, 1))
    flags, none = np.zeros(count, np.uint8), np.full((count, 3), np.nan)
    elapsed, asked, pace = np.full(count, 1e3), np.zeros((count, 2)), np.full(count, MAX_FOLLOW)
    return GazeState(zero, zero, zero, zero, elapsed, timing, asked, none, pace, zero, flags, flags)


class Base(NamedTuple):
    """The gaze of the poses below."""

    eye: FloatArray  # (N, 3) m
    gaze: FloatArray  # (N, 3) unit vectors
    yaw: FloatArray  # (N,)
    pitch: FloatArray  # (N,)


def base_gaze(body: GazeBody, root: FloatArray, rotations: FloatArray) -> Base:
    """Where the poses look without any displacement."""
    places, turns = world(body.skeleton, root, rotations)
    gaze = rotate(turns[:, body.eyes], body.facing).sum(1)
    gaze /= np.maximum(np.linalg.norm(gaze, axis=1, keepdims=True), 1e-9)
    angle = np.arctan2(gaze[:, 0], gaze[:, 2])
    pitch = np.arcsin(np.clip(gaze[:, 1], -1, 1))
    return Base(places[:, body.eyes].mean(1), gaze, angle, pitch)


def gaze_step(
    body: GazeBody,
    gaze_map: GazeMap,
    state: GazeState,
    root: FloatArray,
    rotations: FloatArray,
    points: FloatArray,
    dt: float,
    *,
    cone: float = math.pi,
    relative: FloatArray | None = None,
) -> tuple[GazeState, FloatArray]:
    """One step of N characters that look at `points` (N, 3), NaN for none: the state, and rotations (N, J, 4).

    `relative` (N, 2) asks for a change of yaw and pitch from the gaze of the poses below instead (HECK): their own
    movements of the head stay. A target farther than `cone` from ahead is released until it is 20 degrees nearer.
    """
    count = len(rotations)
    copies: list[Any] = [part.copy() for part in state]
    turns = np.array(rotations, float, order="C")
    none = np.full((count, 3), np.nan)
    changes = none[:, :2] if relative is None else relative
    root, points, changes = (np.ascontiguousarray(v, float) for v in (root, points, changes))
    given = (root, turns, points, changes, none, np.full(count, np.inf), np.zeros(count, np.uint8), none[:, 0])
    gaze_rows(body.arrays, gaze_map.arrays, tuple(copies), given, float(cone), float(dt))
    return GazeState(*copies), turns
