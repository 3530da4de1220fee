"""The body as kernels take it: how degrees of freedom turn joints, and the limbs that can be put somewhere (eq 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import FloatArray, IntArray, InvalidClip, Skeleton
from motionloom.kinematics.channels.layout import ROOT_COLUMNS
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.kinematics.travel import body_axes
from motionloom.methods.variation.dofs import Dofs
from motionloom.rotation import inverse

NO_TIP = (0.0, 0.0, 0.0)


class Limb(NamedTuple):
    """A point of the body, and the joints that may turn to put it somewhere."""

    joint: int
    tip: tuple[float, float, float]  # m, in the joint's frame
    top: int  # the first joint that may turn


class VariationBody(NamedTuple):
    """J joints, L limbs of up to C joints. A column is a number of a degree of freedom, -1 where it is constant."""

    offsets: FloatArray  # (J, 3) m, with constant slides
    centre: FloatArray  # (J, 4)
    axes: FloatArray  # (J, 3, 3) rows are principal axes
    columns: IntArray  # (J, 3)
    still: FloatArray  # (J, 3) values of constant columns
    slides: IntArray  # (J, 3) columns of slides that move
    root: IntArray  # (7,) columns of left, forward, turn (or x, z, heading), height, tilt x, y, z
    root_still: FloatArray  # (7,)
    hips: FloatArray  # (4,) the hips' frame from body axes, inverted
    chains: IntArray  # (L, C) joints from below the root to the limb's own, -1 past its end
    tips: FloatArray  # (L, 3)
    tops: IntArray  # (L,) number in the chain of the first joint that turns
    free: IntArray  # (L, N) columns that may change, -1 past the last
    free_joints: IntArray  # (L, N) number in the chain of the joint that each of them turns
    free_axes: IntArray  # (L, N) 0, 1 or 2: which of its principal axes
    low: FloatArray  # (D,) limits of the degrees of freedom
    high: FloatArray


def body_tables(dofs: Dofs, limbs: Sequence[Limb], limits: tuple[FloatArray, FloatArray]) -> VariationBody:
    """The tables of some limbs, whose degrees of freedom keep within `limits` (D,) where they can."""
    skeleton, layout = dofs.layout.skeleton, dofs.layout
    joints = len(skeleton)
    where = np.full(layout.count, -1)
    where[dofs.moving] = np.arange(dofs.count)
    axes, columns = np.tile(np.eye(3), (joints, 1, 1)), np.full((joints, 3), -1)
    still, slides = np.zeros((joints, 3)), np.full((joints, 3), -1)
    for k, j in enumerate(layout.moving):
        at = slice(ROOT_COLUMNS + 3 * k, ROOT_COLUMNS + 3 * k + 3)
        axes[j], columns[j], still[j] = dofs.axes[k], where[at], dofs.still[at]
    offsets = skeleton.offsets + (0.0 if layout.slides is None else layout.slides)
    for k, j in enumerate(layout.sliding):
        at = slice(*(ROOT_COLUMNS + 3 * (len(layout.moving) + k) + n for n in (0, 3)))
        slides[j] = where[at]
        offsets[j] = skeleton.offsets[j] + np.where(slides[j] < 0, dofs.still[at], 0.0)
    assert layout.centre is not None
    chains = [skeleton.chain(limb.joint)[1:] for limb in limbs]
    free = [_free(chain, limb, columns) for chain, limb in zip(chains, limbs, strict=True)]
    return VariationBody(
        np.ascontiguousarray(offsets, float),
        np.array(layout.centre),
        axes,
        columns.astype(np.int64),
        still,
        slides.astype(np.int64),
        where[:ROOT_COLUMNS].astype(np.int64),
        dofs.still[:ROOT_COLUMNS].copy(),
        np.asarray(inverse(body_axes(skeleton)), float),
        _padded(chains),
        np.array([limb.tip for limb in limbs], float).reshape(-1, 3),
        np.array([chain.index(limb.top) for chain, limb in zip(chains, limbs, strict=True)], np.int64),
        _padded([[c for c, _, _ in f] for f in free]),
        _padded([[k for _, k, _ in f] for f in free]),
        _padded([[a for _, _, a in f] for f in free]),
        *limits,
    )


def foot_limbs(skeleton: Skeleton) -> list[Limb]:
    """One limb for each part of `foot_parts`."""
    return [Limb(part.joint, part.offset, part.foot.thigh) for part in foot_parts(skeleton)]


def limb_of(skeleton: Skeleton, joint: int) -> Limb:
    """The limb that moves a joint: from the thigh or the upper arm above it, else from the first joint of the spine."""
    chain = skeleton.chain(joint)
    tops = [j for j in chain if skeleton.roles[j].endswith(("thigh", "upper_arm")) and j != joint]
    if tops:
        return Limb(joint, NO_TIP, tops[0])
    below = [j for j in chain if skeleton.parents[j] == 0]
    return Limb(joint, NO_TIP, below[0] if below else joint)


def legs_of(body: VariationBody) -> IntArray:
    """(L,) the joint at the top of each limb: limbs that share it move each other."""
    return np.asarray(body.chains[np.arange(len(body.tips)), body.tops])


def _free(chain: Sequence[int], limb: Limb, columns: IntArray) -> list[tuple[int, int, int]]:
    """Column, number in the chain and axis of what may change; the limb's own rotation moves nothing but its tip."""
    last = len(chain) if any(limb.tip) else len(chain) - 1
    if limb.top not in chain:
        raise InvalidClip(f"roles: expected the top of a limb (joint {limb.top}) above its end, found it elsewhere")
    first = chain.index(limb.top)
    return [
        (int(columns[chain[k], a]), k, a) for k in range(first, last) for a in range(3) if columns[chain[k], a] >= 0
    ]


def _padded(rows: Sequence[Sequence[int]]) -> IntArray:
    out = np.full((len(rows), max([len(r) for r in rows], default=0)), -1, np.int64)
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out
